/* The pass of steps: continuous detection between two instants of a block's frames, while vertices
 * move linearly or bodies rotate. Impacts within the step are found first; then an ordinary pass
 * computes the contacts at its start, and both are delivered together in order of toi. Rows of a
 * step are final only when all of it is known: the first contact of two primitives may be found
 * through the features of others. */
#include "scheduler.h"
#include "float_env.h"
#include "ccd_step.h"

#include "mem.h"
#include "error.h"
#include "prim.h"

#include <string.h>

/* Frees the threads' lists, whose impacts are joined by then. */
static void parts_free(const context *c, ccd_step *m)
{
    for (int i = 0; i < m->parts; i++)
        mem_free(c->mem, m->part[i].impacts.list);
    mem_free(c->mem, m->part);
    m->part = NULL;
    m->parts = 0;
}

static void ccd_pass_free_impacts(const context *c, ccd_step *m)
{
    parts_free(c, m);
    mem_free(c->mem, m->pairs.list);
    mem_free(c->mem, m->impacts.list);
    mem_free(c->mem, m->first.list);
    m->pairs = (feature_pair_list){0};
    m->impacts = m->first = (impact_list){0};
}

void step_workspace_free(const context *c, step_workspace *s)
{
    if (!s)
        return;
    ccd_step *m = &s->ccd;
    workspace_free(c, &s->work);
    feature_tests_free(c, &m->features);
    rep_features_close(c->mem, &m->rep);
    buffer_free(c->dev64, &m->rep_bits);
    m->rep_bits_frames = 0;
    mem_free(c->mem, m->found.excluded);
    mem_free(c->mem, m->found.start);
    ccd_pass_free_impacts(c, m);
    contact_rows_free(&m->found.rows);
    mem_free(c->mem, s);
}

/* ---- a range: broad -> features */

/* Reads back the feature pairs that the pieces up to now have found, and re-checks a sample. */
static int ccd_pass_take_pairs(const context *c, ccd_step *m, imp_frame_info *info)
{
    int err = IMP_OK;
    TRY(ccd_step_read_pairs(c, m, info));
    TRY(ccd_step_verify(c, m));
    feature_tests_clear(&m->features);
out:
    return err;
}

/* Decides these feature pairs, which makes room for those of the next pieces. */
static int ccd_pass_decide_found(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    ccd_step *m = w->ccd;
    double exact = 0;
    err = ccd_pass_take_pairs(c, m, info);
    call_add_verified(w, &m->features.sample);
    TRY(err);
    call_stage_time(w, &w->t->narrow);
    err = impacts_add(w->caller, m);
    if (!err)
        impact_partition_make_room(c, m);
    call_stage_time(w, &exact);
    w->t->narrow += exact;
    w->t->exact += exact;
out:
    return err;
}

static int found_many(const context *c, const feature_tests *f)
{
    return f->meet.count + f->undecided.count >
           mem_left(c->mem) / BUDGET_FEATURE_PAIRS_SHARE / BUDGET_FEATURE_PAIR;
}

/* Handles a piece's pairs with a rotating body, before its candidates become feature pairs. */
static int ccd_pass_rigid_pairs(call *w)
{
    ccd_step *m = w->ccd;
    if (!m->rigid || w->c->opt.only_features)
        return IMP_OK;
    const int err = rigid_impacts_take(w->c, w->caller, m, &w->r->found);
    if (!err)
        impact_partition_make_room(w->c, m);
    return err;
}

static int ccd_range_begin(call *w, const range *of)
{
    ccd_step *m = w->ccd;
    const broad_input in = call_broad_input(w, 0);
    feature_tests_clear(&m->features);
    m->pairs.count = 0;
    return broad_begin(&w->r->broad, &in, of->a.first, of->a.last, of->part);
}

/* Finds the next piece of candidates. */
static int ccd_piece_begin(call *w, const range *of, pairs **from)
{
    int err = IMP_OK;
    workspace *r = w->r;
    const broad_input in = call_broad_input(w, 0);
    TRY(broad_next(&r->broad, &in, call_piece_candidates(w->c), of->part, &r->found));
    TRY(call_stage_end(w, &w->t->broad));
    TRY(ccd_pass_rigid_pairs(w));
    TRY(feature_tests_candidates(w->c, &r->found, &w->ccd->features, from));
out:
    return err;
}

static int ccd_piece_end(call *w, const range *of)
{
    call_stage_time(w, &w->t->narrow);
    return found_many(w->c, &w->ccd->features) ? ccd_pass_decide_found(w, of->part) : IMP_OK;
}

static int ccd_range_end(call *w, const range *of)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    ccd_step *m = w->ccd;
    pairs *from;
    if (r->view.corners == IMP_TETRAHEDRA && !(c->opt.rules & RULE_BETWEEN)) {
        TRY(feature_tests_selves(c, &r->view, of->a.first, of->a.last, &m->features, &from));
        TRY(feature_tests_collect(c, &r->view, &r->bounds, &m->rep_bits, from, 0, from->count,
                                  &m->features, of->part));
    }
    TRY(ccd_pass_decide_found(w, of->part));
out:
    return err;
}

/* ---- impacts within the step */

/* Pairs of primitives that share a vertex are candidates: other primitives may have the same
 * features. */
static context ccd_pass_loosened(const call *w)
{
    context loose = step_context(w->rigid, w->c);
    loose.opt.rules &= ~RULE_SKIP_ADJACENT;
    return loose;
}

/* Builds the broad phase's table from the points at both instants. */
static int ccd_pass_build(call *w)
{
    int err = IMP_OK;
    workspace *r = w->r;
    block_view *v = &r->view;
    const context *c = w->c;
    call_stage_begin(w);
    TRY(bound_step(c, v, rigid_ccd_margins, &r->bounds));
    prefetch_begin(w);
    TRY(call_stage_end(w, &w->t->bound));
    TRY(ccd_step_owners(c, w->out.frame0 > 0, w->ccd));
    const broad_input in = call_broad_input(w, 0);
    broad_choose(&r->broad, &in, 0);
    TRY(cull_objects(c, v, &r->cull, &r->bounds, 0));
    TRY(broad_build(&r->broad, &in, NULL));
    TRY(call_stage_end(w, &w->t->broad));
    TRY(feature_tests_begin(c, v, &r->bounds, &w->ccd->features));
out:
    return err;
}

static int ccd_pass_find(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    ccd_step *m = w->ccd;
    workspace *r = w->r;
    const block_view *v = &r->view;
    range now = {0};
    pairs *from;
    m->impacts.count = m->packed = 0;
    TRY(ccd_pass_build(w));
    TRY(range_first(w, &now));
    while (range_more(&now)) {
        const size_t impacts = m->impacts.count, packed = m->packed;
        err = ccd_range_begin(w, &now);
        while (!err && !broad_done(&r->broad)) {
            err = ccd_piece_begin(w, &now, &from);
            err = err ? err
                      : feature_tests_collect(w->c, v, &r->bounds, &m->rep_bits, from, 0,
                                              from->count, &m->features, now.part);
            err = err ? err : ccd_piece_end(w, &now);
        }
        err = err ? err : ccd_range_end(w, &now);
        /* A repeated range adds its impacts again, so those of the failed attempt are dropped;
         * where they were packed with others they stay, which is harmless. */
        if (err && m->packed == packed && m->impacts.count > impacts)
            m->impacts.count = impacts;
        TRY(range_next(w, &now, err, info));
    }
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.normalisation.bad[f];
out:
    range_close(w, &now);
    prefetch_end(w);
    return err;
}

/* ---- where memory is short: steps of scheduler_retry */

/* Frees this pass's memory except the impacts, and the data that the pass of the start makes
 * again. */
static void ccd_pass_release(const call *w, ccd_step *m)
{
    const context *c = w->c;
    contact_rows_free(&m->found.rows);
    parts_free(c, m);
    mem_free(c->mem, m->first.list);
    m->first = (impact_list){0};
    feature_tests_free(c, &m->features);
    workspace_free_range(c, &w->r->step->work);
    workspace_free_range(c, w->r);
    bound_free(c, &w->r->bounds);
    cull_free(c, &w->r->cull);
    broad_free(&w->r->broad, c);
}

/* Leaves the retry to the block while it can give up its cache or its later frames. */
enum retry_result ccd_retry_leave(call *w, attempt *a, int *err)
{
    (void)a;
    (void)err;
    const workspace *r = w->r;
    const int kept = w->start_pass == &incremental_pass || r->cache.coherent || r->ids.used;
    return r->step->ccd.found.frames > 1 || (!w->no_cache && kept) ? RETRY_END : RETRY_MORE;
}

/* Frees the data that the next attempt makes again. */
enum retry_result ccd_retry_release(call *w, attempt *a, int *err)
{
    (void)a;
    (void)err;
    ccd_pass_release(w, &w->r->step->ccd);
    return RETRY_MORE;
}

/* Gives up the later half of a step's rows; the first time only tries again with the memory that
 * was released. */
enum retry_result ccd_retry_cut(call *w, attempt *a, int *err)
{
    (void)err;
    ccd_step *m = &w->r->step->ccd;
    const int helps = !m->cuts || impact_partition_cut(w->c, m);
    m->cuts = 1;
    if (a->of == ATTEMPT_STEP) /* it finds all impacts again */
        ccd_pass_free_impacts(w->c, m);
    return helps ? RETRY_AGAIN : RETRY_END;
}

/* Frees, once, the memory that only the search for impacts uses. */
enum retry_result ccd_retry_start(call *w, attempt *a, int *err)
{
    (void)err;
    step_workspace *s = w->r->step;
    if (a->released)
        return RETRY_END;
    a->released = 1;
    ccd_pass_free_impacts(w->c, &s->ccd);
    feature_tests_free(w->c, &s->ccd.features);
    workspace_free(w->c, &s->work);
    return RETRY_AGAIN;
}

/* ---- the steps */

/* The search for impacts has a call of its own, since its rows are not delivered yet. */
typedef struct ccd_search {
    call call;
    context loose;
} ccd_search;

static int ccd_search_begin(const call *w, ccd_step *m, ccd_search *s)
{
    const imp_frame *frame = w->frames + w->out.frame0;
    workspace *work = &w->r->step->work;
    call *mine = &s->call;
    s->loose = ccd_pass_loosened(w);
    *mine = *w;
    mine->c = &s->loose;
    mine->caller = w->c;
    mine->r = work;
    mine->ccd = m;
    mine->out = (output){.frame0 = w->out.frame0, .outside = w->out.outside};
    work->broad.requested = w->r->broad.requested;
    m->rigid = w->rigid;
    const int err = block_view_open(w->c->mem, frame, w->next, m->found.frames, &work->view);
    work->view.rigid = w->rigid;
    work->view.topology = w->r->view.topology;
    return err;
}

/* Makes rows of the impacts. */
static int ccd_search_end(call *w, ccd_step *m, ccd_search *s, int err)
{
    workspace *work = &w->r->step->work;
    attempt rows = {.of = ATTEMPT_ROWS};
    double exact = 0;
    call_stage_begin(&s->call);
    if (!err) {
        do
            err = impact_output_rows(w->c, m);
        while (scheduler_retry(w, &rows, &err));
    }
    call_add_verified(&s->call, &work->narrow.sample);
    call_stage_time(&s->call, &exact);
    w->t->narrow += exact;
    w->t->exact += exact;
    block_view_close(w->c->mem, &work->view);
    return err;
}

int step_workspace_open(const context *c, workspace *r)
{
    int err = IMP_OK;
    step_workspace *s;
    if (r->step)
        return IMP_OK;
    TRY(mem_alloc(c->mem, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    s->ccd.view = &s->work.view;
    s->ccd.bounds = &s->work.bounds;
    s->ccd.narrow = &s->work.narrow;
    r->step = s;
out:
    return err;
}

/* Prepares the step data for all frames of the view. */
static int ccd_pass_open(const call *w, ccd_step **out)
{
    int err = IMP_OK;
    workspace *r = w->r;
    const uint32_t frames = r->view.frames;
    TRY(step_workspace_open(w->c, r));
    *out = &r->step->ccd;
    step_rows *s = &r->step->ccd.found;
    mem_free(w->c->mem, s->start);
    s->start = NULL;
    TRY(mem_alloc(w->c->mem, ((size_t)frames + 1) * sizeof *s->start, &s->start));
    s->frames = frames;
    s->body = w->rigid ? w->rigid->body : NULL;
    s->prims = w->next->mesh->primitives;
out:
    return err;
}

static void info_clear(const ccd_step *m, imp_frame_info *info)
{
    memset(info, 0, m->found.frames * sizeof *info);
}

/* Begins the next part of a step: rows that do not fit in memory all together are found part by
 * part. */
static void ccd_part_begin(const call *w, ccd_step *m)
{
    /* Frees the memory of the start for the next part. */
    if (m->cuts) {
        ccd_pass_free_impacts(w->c, m);
        ccd_pass_release(w, m);
    }
    m->found.from = m->found.to;
    m->found.to = w->c->opt.only_features ? m->found.from : step_end;
}

/* Prepares the pass of the start, which takes over the copies of its points. For a later part, or
 * after ccd_retry_start, it views the one frame again and whole: an earlier pass may have left out
 * parts that are not near. */
static int ccd_start_begin(call *w, ccd_step *m, const attempt *a, imp_frame_info *info)
{
    step_workspace *s = w->r->step;
    output_go_to(&w->out, a->at);
    info_clear(m, info);
    output_range(&w->out);
    output_step_begin(&w->out, &s->rows, &m->found);
    raw_swap(&w->r->bounds.scratch.raw, &s->work.bounds.scratch.raw);
    return a->released || step_is_later(&m->found)
               ? call_view(w, w->frames + w->out.frame0, 1, NULL)
               : IMP_OK;
}

/* Contacts are the delivered rows. Those within rotating bodies are no candidates of the step
 * (step_context), so they are counted here as candidates, too. *before is nonzero only for a block
 * of one step. */
static void info_count(const ccd_step *m, const imp_frame_info *before, imp_frame_info *info)
{
    const step_start *s = m->found.start;
    for (uint32_t f = 0; f < m->found.frames; f++) {
        info[f].contacts = before->contacts + s[f + 1].seen - s[f].seen;
        info[f].candidates = before->candidates + s[f + 1].own - s[f].own;
    }
}

static int ccd_part_end(call *w, const ccd_step *m, const imp_frame_info *before,
                        imp_frame_info *info)
{
    const int err = output_step_end(&w->out, &w->r->view);
    if (err)
        return err;
    output_range_done(&w->out);
    info_count(m, before, info);
    w->out.step = NULL;
    return IMP_OK;
}

static void ccd_pass_info(const ccd_step *m, imp_frame_info *found, imp_frame_info *info)
{
    for (uint32_t f = 0; f < m->found.frames; f++) {
        found[f].contacts = info[f].contacts;
        found[f].candidates += info[f].candidates;
        found[f].undecided += info[f].undecided;
        found[f].entries_written = info[f].entries_written;
        found[f].kept = info[f].kept;
        info[f] = found[f];
    }
}

/* Each part of a step runs the search and then the pass of the start, whose rows join those of the
 * part at toi 0. */
static int ccd_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    ccd_step *m;
    ccd_search s;
    imp_frame_info before, *found = NULL;
    TRY(ccd_pass_open(w, &m));
    TRY(mem_alloc(w->c->mem, m->found.frames * sizeof *found, &found));
    m->cuts = 0;
    m->found.to = (step_moment){0};
    do {
        attempt find = {.of = ATTEMPT_STEP}, start = {.of = ATTEMPT_START, .at = w->out.count};
        before = *info;
        ccd_part_begin(w, m);
        do {
            info_clear(m, found);
            err = ccd_search_begin(w, m, &s);
            err = err ? err : ccd_pass_find(&s.call, found);
            err = ccd_search_end(w, m, &s, err);
        } while (scheduler_retry(w, &find, &err));
        TRY(err);
        if (w->c->opt.only_features)
            break;
        if (m->found.from.toi > 0)
            output_step_begin(&w->out, &w->r->step->rows, &m->found);
        else
            do {
                err = ccd_start_begin(w, m, &start, info);
                err = err ? err : w->start_pass->run(w, info);
            } while (scheduler_retry(w, &start, &err));
        TRY(err);
        TRY(ccd_part_end(w, m, &before, info));
    } while (m->found.to.toi < step_end.toi);
    ccd_pass_info(m, found, info);
out:
    w->out.step = NULL;
    mem_free(w->c->mem, found);
    return err;
}

const pass ccd_pass = {"continuous", ccd_pass_run};
