/* The pass of steps: contacts between two instants of a block's frames, while vertices move
 * linearly, or bodies turn. Features that meet on the way are found first; then the frames of the
 * first instant go their ordinary way, and what meets there is handed out with them, in order of
 * time. Rows of a step are final only when all of it is known: the first contact of two primitives
 * may be found through the features of others. */
#include "scheduler.h"
#include "float_env.h"
#include "ccd_step.h"

#include "mem.h"
#include "error.h"
#include "prim.h"

#include <string.h>

/* Lists of threads, whose impacts are joined at once. */
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

static int ccd_pass_fit_pairs(const context *c, size_t count, feature_pair_list *to)
{
    int err = IMP_OK;
    const size_t more = count + count / 2;
    if (count <= to->capacity)
        return IMP_OK;
    TRY(mem_grow(c->mem, to->count * sizeof *to->list, more * sizeof *to->list, &to->list));
    to->capacity = more;
out:
    return err;
}

static int ccd_pass_read_pairs(const context *c, feature_pair_list *to, const feature_pairs *from)
{
    int err = IMP_OK;
    const size_t n = (size_t)from->count;
    uint32_t *a = NULL;
    if (!n)
        return IMP_OK;
    TRY(ccd_pass_fit_pairs(c, to->count + n, to));
    TRY(mem_alloc(c->mem, 3 * n * sizeof *a, &a));
    const readout all[] = {READOUT(&from->a, 0, a, n), READOUT(&from->b, 0, a + n, n),
                           READOUT(&from->code, 0, a + 2 * n, n)};
    TRY(device_read_all(c->dev64, all, 3));
    feature_pair *list = to->list + to->count;
#pragma omp parallel num_threads(c->threads) if (n > 4096)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < n; i++)
        list[i] = (feature_pair){a[i], a[n + i], a[2 * n + i]};
    to->count += n;
out:
    mem_free(c->mem, a);
    return err;
}

/* What the pieces up to now have found. */
static int ccd_pass_take_pairs(const context *c, ccd_step *m, imp_frame_info *info)
{
    int err = IMP_OK;
    m->pairs.count = 0;
    TRY(ccd_pass_read_pairs(c, &m->pairs, &m->features.undecided));
    for (size_t i = 0; i < m->pairs.count; i++)
        info[ccd_step_frame(m, m->pairs.list[i].a)].undecided++;
    TRY(ccd_pass_read_pairs(c, &m->pairs, &m->features.meet));
    TRY(ccd_step_verify(c, m));
    feature_tests_clear(&m->features);
out:
    return err;
}

/* Decides it, so that what the next ones find has room. */
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

/* Of a piece, before its candidates become pairs of features. */
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

/* Pieces of candidates through the broad phase and to pairs of features. */
static int ccd_pass_range_pieces(call *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    ccd_step *m = w->ccd;
    const broad_input in = call_broad_input(w, 0);
    TRY(broad_begin(&r->broad, &in, first, last, info));
    while (!broad_done(&r->broad)) {
        TRY(broad_next(&r->broad, &in, call_piece_candidates(c), info, &r->found));
        TRY(call_stage_end(w, &w->t->broad));
        TRY(ccd_pass_rigid_pairs(w));
        TRY(feature_tests_collect(c, &r->view, &r->bounds, &m->rep_bits, &r->found, &m->features,
                                  info));
        call_stage_time(w, &w->t->narrow);
        if (found_many(c, &m->features))
            TRY(ccd_pass_decide_found(w, info));
    }
    if (r->view.corners == IMP_TETRAHEDRA && !(c->opt.rules & RULE_BETWEEN))
        TRY(feature_tests_collect_selves(c, &r->view, &r->bounds, &m->rep_bits, first, last,
                                         &m->features, info));
    TRY(ccd_pass_decide_found(w, info));
out:
    return err;
}

/* What a range that fails has added is added again: it need not stay, nor go where it was packed.
 */
static int ccd_pass_range(call *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    ccd_step *m = w->ccd;
    const size_t impacts = m->impacts.count, packed = m->packed;
    feature_tests_clear(&m->features);
    m->pairs.count = 0;
    const int err = ccd_pass_range_pieces(w, first, last, info);
    if (err && m->packed == packed && m->impacts.count > impacts)
        m->impacts.count = impacts;
    if (err == IMP_ERR_MEMORY)
        feature_tests_free_range(w->c, &m->features);
    return err;
}

/* ---- what is found on the way */

/* Pairs of primitives that share a vertex are candidates: other primitives may have the same
 * features. */
static context ccd_pass_loosened(const call *w)
{
    context loose = step_context(w->rigid, w->c);
    loose.opt.rules &= ~RULE_SKIP_ADJACENT;
    return loose;
}

static int ccd_pass_find(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    ccd_step *m = w->ccd;
    workspace *r = w->r;
    block_view *v = &r->view;
    const context *c = w->c;
    m->impacts.count = m->packed = 0;
    call_stage_begin(w);
    TRY(bound_step(c, v, rigid_ccd_margins, &r->bounds));
    prefetch_begin(w);
    TRY(call_stage_end(w, &w->t->bound));
    TRY(ccd_step_owners(c, w->out.frame0 > 0, m));
    const broad_input in = call_broad_input(w, 0);
    broad_choose(&r->broad, &in, 0);
    TRY(cull_objects(c, v, &r->cull, &r->bounds, 0));
    TRY(broad_build(&r->broad, &in, NULL));
    TRY(call_stage_end(w, &w->t->broad));
    TRY(feature_tests_begin(c, v, &r->bounds, &m->features));
    TRY(call_ranges(w, ccd_pass_range, info));
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.normalisation.bad[f];
out:
    prefetch_end(w);
    return err;
}

/* ---- where memory is short */

/* Gives back what the next try would find too little of: of this pass, but for what was found, and
 * what the pass of the frame makes again. */
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

static void ccd_pass_shrink(const call *w, ccd_step *m)
{
    ccd_pass_free_impacts(w->c, m);
    ccd_pass_release(w, m);
}

/* What is kept for the frame goes first, then all frames but one: the scheduler sees to that. */
static int ccd_pass_others_give_back(const call *w, const ccd_step *m)
{
    return m->found.frames > 1 || (!w->no_cache && (w->start_pass == &incremental_pass ||
                                                    w->r->cache.coherent || w->r->ids.used));
}

/* At first it is tried again as it is, with what was given back. */
static int ccd_pass_retry(const call *w, ccd_step *m)
{
    const int helps = !m->cuts || impact_partition_cut(w->c, m);
    m->cuts = 1;
    return helps;
}

/* ---- the steps */

/* Rows of what was found; where there is no memory for them, of the first half of it. */
static int ccd_pass_make_rows(const call *w, ccd_step *m)
{
    int err = impact_output_rows(w->c, m);
    while (err == IMP_ERR_MEMORY && !ccd_pass_others_give_back(w, m)) {
        ccd_pass_release(w, m);
        if (!ccd_pass_retry(w, m))
            break;
        err = impact_output_rows(w->c, m);
    }
    return err;
}

/* By a call of its own, since its rows are not handed out yet. */
static int ccd_pass_search(const call *w, ccd_step *m, imp_frame_info *info)
{
    const context loose = ccd_pass_loosened(w);
    const imp_frame *frame = w->frames + w->out.frame0;
    workspace *work = &w->r->step->work;
    call mine = *w;
    double exact = 0;
    mine.c = &loose;
    mine.caller = w->c;
    mine.r = work;
    mine.ccd = m;
    mine.out = (output){.frame0 = w->out.frame0, .outside = w->out.outside};
    work->broad.requested = w->r->broad.requested;
    m->rigid = w->rigid;
    int err = block_view_open(w->c->mem, frame, w->next, m->found.frames, &work->view);
    work->view.rigid = w->rigid;
    work->view.topology = w->r->view.topology;
    err = err ? err : ccd_pass_find(&mine, info);
    call_stage_begin(&mine);
    err = err ? err : ccd_pass_make_rows(w, m);
    call_add_verified(&mine, &work->narrow.sample);
    call_stage_time(&mine, &exact);
    w->t->narrow += exact;
    w->t->exact += exact;
    block_view_close(w->c->mem, &work->view);
    return err;
}

static int step_workspace_make(mem *m, step_workspace **out)
{
    int err = IMP_OK;
    step_workspace *s;
    TRY(mem_alloc(m, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    s->ccd.view = &s->work.view;
    s->ccd.bounds = &s->work.bounds;
    s->ccd.narrow = &s->work.narrow;
    *out = s;
out:
    return err;
}

/* For the frames of the view, whole. */
static int ccd_pass_open(const call *w, ccd_step **out)
{
    int err = IMP_OK;
    workspace *r = w->r;
    const uint32_t frames = r->view.frames;
    if (!r->step)
        TRY(step_workspace_make(w->c->mem, &r->step));
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

/* Rows that do not fit in memory all together are found interval by interval. */
static int ccd_pass_find_interval(const call *w, ccd_step *m, imp_frame_info *info)
{
    int err, more;
    do {
        info_clear(m, info);
        err = ccd_pass_search(w, m, info);
        if (err != IMP_ERR_MEMORY || ccd_pass_others_give_back(w, m))
            break;
        more = ccd_pass_retry(w, m);
        ccd_pass_shrink(w, m);
    } while (more);
    return err;
}

/* The frames of the first instant, by their own pass; the one frame of a later interval again. It
 * takes over the copies of their points. */
static int ccd_pass_try_start(call *w, ccd_step *m, int again, imp_frame_info *info)
{
    int err = IMP_OK;
    step_workspace *s = w->r->step;
    info_clear(m, info);
    output_range(&w->out);
    output_step_begin(&w->out, &s->rows, &m->found);
    raw_swap(&w->r->bounds.scratch.raw, &s->work.bounds.scratch.raw);
    if (again)
        TRY(call_view(w, w->frames + w->out.frame0, 1, NULL));
    TRY(w->start_pass->run(w, info));
out:
    return err;
}

/* Where it finds too little memory it gets what only finding took, and the whole frame again: it
 * may have left out what is not near. */
static int ccd_pass_start_rows(call *w, ccd_step *m, imp_frame_info *info)
{
    const delivered at = w->out.count;
    const int err = ccd_pass_try_start(w, m, step_is_later(&m->found), info);
    if (err != IMP_ERR_MEMORY || ccd_pass_others_give_back(w, m))
        return err;
    ccd_pass_free_impacts(w->c, m);
    feature_tests_free(w->c, &m->features);
    workspace_free(w->c, &w->r->step->work);
    output_go_to(&w->out, at);
    return ccd_pass_try_start(w, m, 1, info);
}

/* Contacts are those that were handed out. Those within bodies that turn are no candidates of the
 * way (step_context), so they count as candidates, too. Only of a block of one step there were
 * some before. */
static void info_count(const ccd_step *m, const imp_frame_info *before, imp_frame_info *info)
{
    const step_start *s = m->found.start;
    for (uint32_t f = 0; f < m->found.frames; f++) {
        info[f].contacts = before->contacts + s[f + 1].seen - s[f].seen;
        info[f].candidates = before->candidates + s[f + 1].own - s[f].own;
    }
}

/* Intervals that begin at toi 0 join rows of the start. */
static int ccd_pass_interval(call *w, ccd_step *m, imp_frame_info *info, imp_frame_info *found)
{
    int err = IMP_OK;
    const imp_frame_info before = *info;
    TRY(ccd_pass_find_interval(w, m, found));
    if (m->found.from.toi > 0)
        output_step_begin(&w->out, &w->r->step->rows, &m->found);
    else
        TRY(ccd_pass_start_rows(w, m, info));
    TRY(output_step_end(&w->out, &w->r->view));
    output_range_done(&w->out);
    info_count(m, &before, info);
out:
    w->out.step = NULL;
    return err;
}

static int ccd_pass_intervals(call *w, ccd_step *m, imp_frame_info *info, imp_frame_info *found)
{
    int err = IMP_OK;
    step_rows *s = &m->found;
    m->cuts = 0;
    info->contacts = info->candidates = 0;
    for (s->to = (step_moment){0}; s->to.toi < step_end.toi;) {
        /* What the start took is free for the next one. */
        if (m->cuts)
            ccd_pass_shrink(w, m);
        s->from = s->to;
        s->to = step_end;
        TRY(ccd_pass_interval(w, m, info, found));
    }
out:
    return err;
}

static int ccd_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    ccd_step *m;
    imp_frame_info *found = NULL;
    TRY(ccd_pass_open(w, &m));
    if (w->c->opt.only_features) {
        m->found.to = m->found.from = (step_moment){0};
        return ccd_pass_search(w, m, info);
    }
    TRY(mem_alloc(w->c->mem, m->found.frames * sizeof *found, &found));
    TRY(ccd_pass_intervals(w, m, info, found));
    for (uint32_t f = 0; f < m->found.frames; f++) {
        found[f].contacts = info[f].contacts;
        found[f].candidates += info[f].candidates;
        found[f].undecided += info[f].undecided;
        found[f].entries_written = info[f].entries_written;
        found[f].kept = info[f].kept;
        info[f] = found[f];
    }
out:
    mem_free(w->c->mem, found);
    return err;
}

const pass ccd_pass = {"continuous", ccd_pass_run};
