/* The pass of steps: contacts between two instants of a block's frames, while vertices move
 * linearly, or bodies turn. Features that meet on the way are found first; then the frames of the
 * first instant go their ordinary way, and what meets there is handed out with them, in order of
 * time. Rows of a step are final only when all of it is known: the first contact of two primitives
 * may be found through the features of others. */
#include "ahead.h"
#include "float_env.h"
#include "moving.h"
#include "pass.h"

#include "budget.h"
#include "error.h"
#include "prim.h"

#include <string.h>

/* Lists of threads, whose events are joined at once. */
static void parts_free(const context *c, moving *m)
{
    for (int i = 0; i < m->parts; i++)
        mem_free(c->mem, m->part[i].events.list);
    mem_free(c->mem, m->part);
    m->part = NULL;
    m->parts = 0;
}

static void events_free(const context *c, moving *m)
{
    parts_free(c, m);
    mem_free(c->mem, m->hits.list);
    mem_free(c->mem, m->events.list);
    mem_free(c->mem, m->first.list);
    m->hits = (hit_list){0};
    m->events = m->first = (event_list){0};
}

void step_workspace_free(const context *c, step_workspace *s)
{
    if (!s)
        return;
    moving *m = &s->moving;
    workspace_free(c, &s->work);
    features_free(c, &m->features);
    incidence_close(c->mem, &m->incidence);
    buffer_free(c->dev64, &m->owned);
    m->owned_frames = 0;
    mem_free(c->mem, m->found.left);
    mem_free(c->mem, m->found.start);
    events_free(c, m);
    contact_rows_free(&m->found.rows);
    mem_free(c->mem, s);
}

/* ---- a range: broad -> features */

static int hits_fit(const context *c, size_t count, hit_list *to)
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

static int hits_add(const context *c, hit_list *to, const feature_pairs *from)
{
    int err = IMP_OK;
    const size_t n = (size_t)from->count;
    uint32_t *a = NULL;
    if (!n)
        return IMP_OK;
    TRY(hits_fit(c, to->count + n, to));
    TRY(mem_alloc(c->mem, 3 * n * sizeof *a, &a));
    const readout all[] = {READOUT(&from->a, 0, a, n), READOUT(&from->b, 0, a + n, n),
                           READOUT(&from->code, 0, a + 2 * n, n)};
    TRY(device_read_all(c->dev64, all, 3));
    hit *list = to->list + to->count;
#pragma omp parallel num_threads(c->threads) if (n > 4096)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < n; i++)
        list[i] = (hit){a[i], a[n + i], a[2 * n + i]};
    to->count += n;
out:
    mem_free(c->mem, a);
    return err;
}

/* What the pieces up to now have found. */
static int hits_take(const context *c, moving *m, imp_frame_info *info)
{
    int err = IMP_OK;
    m->hits.count = 0;
    TRY(hits_add(c, &m->hits, &m->features.undecided));
    for (size_t i = 0; i < m->hits.count; i++)
        info[moving_frame(m, m->hits.list[i].a)].undecided++;
    TRY(hits_add(c, &m->hits, &m->features.meet));
    TRY(moving_verify(c, m));
    features_clear(&m->features);
out:
    return err;
}

/* Decides it, so that what the next ones find has room. */
static int decide_found(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    moving *m = w->moving;
    double exact = 0;
    err = hits_take(c, m, info);
    walk_verified(w, &m->features.sample);
    TRY(err);
    walk_time(w, &w->t->narrow);
    err = moving_add(w->given, m);
    if (!err)
        moving_make_room(c, m);
    walk_time(w, &exact);
    w->t->narrow += exact;
    w->t->exact += exact;
out:
    return err;
}

static int found_many(const context *c, const features *f)
{
    return f->meet.count + f->undecided.count > mem_left(c->mem) / BUDGET_HITS_SHARE / BUDGET_HIT;
}

/* Of a piece, before its candidates become pairs of features. */
static int turning_pairs(walk *w)
{
    moving *m = w->moving;
    if (!m->turns || w->c->opt.only_features)
        return IMP_OK;
    const int err = moving_take_turning(w->c, w->given, m, &w->r->found);
    if (!err)
        moving_make_room(w->c, m);
    return err;
}

/* Pieces of candidates through the broad phase and to pairs of features. */
static int range_pieces(walk *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    moving *m = w->moving;
    const broad_input in = walk_input(w, 0);
    TRY(broad_begin(&r->broad, &in, first, last, info));
    while (!broad_done(&r->broad)) {
        TRY(broad_next(&r->broad, &in, walk_piece(c), info, &r->found));
        TRY(walk_stage(w, &w->t->broad));
        TRY(turning_pairs(w));
        TRY(features_collect(c, &r->view, &r->bounds, &m->owned, &r->found, &m->features, info));
        walk_time(w, &w->t->narrow);
        if (found_many(c, &m->features))
            TRY(decide_found(w, info));
    }
    if (r->view.corners == IMP_TETRAHEDRA && !(c->opt.rules & RULE_BETWEEN))
        TRY(features_collect_selves(c, &r->view, &r->bounds, &m->owned, first, last, &m->features,
                                    info));
    TRY(decide_found(w, info));
out:
    return err;
}

/* What a range that fails has added is added again: it need not stay, nor go where it was packed.
 */
static int ccd_pass_range(walk *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    moving *m = w->moving;
    const size_t events = m->events.count, packed = m->packed;
    features_clear(&m->features);
    m->hits.count = 0;
    const int err = range_pieces(w, first, last, info);
    if (err && m->packed == packed && m->events.count > events)
        m->events.count = events;
    if (err == IMP_ERR_MEMORY)
        features_free_range(w->c, &m->features);
    return err;
}

/* ---- what is found on the way */

/* Pairs of primitives that share a vertex are candidates: other primitives may have the same
 * features. */
static context loosened(const walk *w)
{
    context loose = step_context(w->turns, w->c);
    loose.opt.rules &= ~RULE_SKIP_ADJACENT;
    return loose;
}

static int ccd_pass_find(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    moving *m = w->moving;
    workspace *r = w->r;
    view *v = &r->view;
    const context *c = w->c;
    m->events.count = m->packed = 0;
    walk_start(w);
    TRY(bound_step(c, v, turning_margins, &r->bounds));
    ahead_begin(w);
    TRY(walk_stage(w, &w->t->bound));
    TRY(moving_owners(c, w->out.frame0 > 0, m));
    const broad_input in = walk_input(w, 0);
    broad_choose(&r->broad, &in, 0);
    TRY(cull(c, v, &r->cull, &r->bounds, 0));
    TRY(broad_build(&r->broad, &in, NULL));
    TRY(walk_stage(w, &w->t->broad));
    TRY(features_begin(c, v, &r->bounds, &m->features));
    TRY(walk_ranges(w, ccd_pass_range, info));
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.units.bad[f];
out:
    ahead_end(w);
    return err;
}

/* ---- where memory is short */

/* Gives back what the next try would find too little of: of this pass, but for what was found, and
 * what the pass of the frame makes again. */
static void ccd_pass_release(const walk *w, moving *m)
{
    const context *c = w->c;
    contact_rows_free(&m->found.rows);
    parts_free(c, m);
    mem_free(c->mem, m->first.list);
    m->first = (event_list){0};
    features_free(c, &m->features);
    workspace_free_range(c, &w->r->step->work);
    workspace_free_range(c, w->r);
    bound_free(c, &w->r->bounds);
    cull_free(c, &w->r->cull);
    broad_free(&w->r->broad, c);
}

static void shrink(const walk *w, moving *m)
{
    events_free(w->c, m);
    ccd_pass_release(w, m);
}

/* What is kept for the frame goes first, then all frames but one: the corridor sees to that. */
static int keeps(const walk *w, const moving *m)
{
    return m->found.frames > 1 ||
           (!w->alone && (w->start == &pass_kept || w->r->keep.still || w->r->slots.used));
}

/* At first it is tried again as it is, with what was given back. */
static int ccd_pass_retry(const walk *w, moving *m)
{
    const int helps = !m->cuts || moving_cut(w->c, m);
    m->cuts = 1;
    return helps;
}

/* ---- the steps */

/* Rows of what was found; where there is no memory for them, of the first half of it. */
static int ccd_pass_make_rows(const walk *w, moving *m)
{
    int err = moving_rows(w->c, m);
    while (err == IMP_ERR_MEMORY && !keeps(w, m)) {
        ccd_pass_release(w, m);
        if (!ccd_pass_retry(w, m))
            break;
        err = moving_rows(w->c, m);
    }
    return err;
}

/* By a walk of its own, since its rows are not handed out yet. */
static int find_moving(const walk *w, moving *m, imp_frame_info *info)
{
    const context loose = loosened(w);
    const imp_frame *frame = w->out.frame + w->out.frame0;
    workspace *work = &w->r->step->work;
    walk mine = *w;
    double exact = 0;
    mine.c = &loose;
    mine.given = w->c;
    mine.r = work;
    mine.moving = m;
    mine.out = (handout){.frame = w->out.frame, .frame0 = w->out.frame0, .outside = w->out.outside};
    work->broad.asked = w->r->broad.asked;
    m->turns = w->turns;
    int err = view_open(w->c->mem, frame, w->next, m->found.frames, &work->view);
    work->view.turns = w->turns;
    work->view.topology = w->r->view.topology;
    err = err ? err : ccd_pass_find(&mine, info);
    walk_start(&mine);
    err = err ? err : ccd_pass_make_rows(w, m);
    walk_verified(&mine, &work->narrow.sample);
    walk_time(&mine, &exact);
    w->t->narrow += exact;
    w->t->exact += exact;
    view_close(w->c->mem, &work->view);
    return err;
}

static int step_workspace_make(mem *m, step_workspace **out)
{
    int err = IMP_OK;
    step_workspace *s;
    TRY(mem_alloc(m, sizeof *s, &s));
    memset(s, 0, sizeof *s);
    s->moving.view = &s->work.view;
    s->moving.bounds = &s->work.bounds;
    s->moving.narrow = &s->work.narrow;
    *out = s;
out:
    return err;
}

/* For the frames of the view, whole. */
static int moving_get(const walk *w, moving **out)
{
    int err = IMP_OK;
    workspace *r = w->r;
    const uint32_t frames = r->view.frames;
    if (!r->step)
        TRY(step_workspace_make(w->c->mem, &r->step));
    *out = &r->step->moving;
    step_rows *s = &r->step->moving.found;
    mem_free(w->c->mem, s->start);
    s->start = NULL;
    TRY(mem_alloc(w->c->mem, ((size_t)frames + 1) * sizeof *s->start, &s->start));
    s->frames = frames;
    s->body = w->turns ? w->turns->body : NULL;
    s->prims = w->next->mesh->primitives;
out:
    return err;
}

static void info_clear(const moving *m, imp_frame_info *info)
{
    memset(info, 0, m->found.frames * sizeof *info);
}

/* Rows that do not fit in memory all together are found interval by interval. */
static int find_interval(const walk *w, moving *m, imp_frame_info *info)
{
    int err, more;
    do {
        info_clear(m, info);
        err = find_moving(w, m, info);
        if (err != IMP_ERR_MEMORY || keeps(w, m))
            break;
        more = ccd_pass_retry(w, m);
        shrink(w, m);
    } while (more);
    return err;
}

/* The frames of the first instant, by their own pass; the one frame of a later interval again. It
 * takes over the copies of their points. */
static int start_try(walk *w, moving *m, int again, imp_frame_info *info)
{
    int err = IMP_OK;
    step_workspace *s = w->r->step;
    info_clear(m, info);
    handout_range(&w->out);
    handout_step_begin(&w->out, &s->rows, &m->found);
    raw_swap(&w->r->bounds.scratch.raw, &s->work.bounds.scratch.raw);
    if (again)
        TRY(walk_view(w, w->out.frame + w->out.frame0, 1, NULL));
    TRY(w->start->run(w, info));
out:
    return err;
}

/* Where it finds too little memory it gets what only finding took, and the whole frame again: it
 * may have left out what is not near. */
static int ccd_pass_start_rows(walk *w, moving *m, imp_frame_info *info)
{
    const uint64_t ranges = w->out.ranges;
    const int err = start_try(w, m, step_is_later(&m->found), info);
    if (err != IMP_ERR_MEMORY || keeps(w, m))
        return err;
    events_free(w->c, m);
    features_free(w->c, &m->features);
    workspace_free(w->c, &w->r->step->work);
    w->out.ranges = ranges;
    return start_try(w, m, 1, info);
}

/* Contacts are those that were handed out. Those within bodies that turn are no candidates of the
 * way (step_context), so they count as candidates, too. Only of a block of one step there were
 * some before. */
static void info_count(const moving *m, const imp_frame_info *before, imp_frame_info *info)
{
    const step_start *s = m->found.start;
    for (uint32_t f = 0; f < m->found.frames; f++) {
        info[f].contacts = before->contacts + s[f + 1].seen - s[f].seen;
        info[f].candidates = before->candidates + s[f + 1].own - s[f].own;
    }
}

/* Intervals that begin at toi 0 join rows of the start. */
static int interval(walk *w, moving *m, imp_frame_info *info, imp_frame_info *way)
{
    int err = IMP_OK;
    const imp_frame_info before = *info;
    TRY(find_interval(w, m, way));
    if (m->found.from.toi > 0)
        handout_step_begin(&w->out, &w->r->step->rows, &m->found);
    else
        TRY(ccd_pass_start_rows(w, m, info));
    TRY(handout_step_end(&w->out));
    handout_range_done(&w->out);
    info_count(m, &before, info);
out:
    w->out.step = NULL;
    return err;
}

static int intervals(walk *w, moving *m, imp_frame_info *info, imp_frame_info *way)
{
    int err = IMP_OK;
    step_rows *s = &m->found;
    m->cuts = 0;
    info->contacts = info->candidates = 0;
    for (s->to = (step_moment){0}; s->to.toi < step_end.toi;) {
        /* What the start took is free for the next one. */
        if (m->cuts)
            shrink(w, m);
        s->from = s->to;
        s->to = step_end;
        TRY(interval(w, m, info, way));
    }
out:
    return err;
}

static int moving_run(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    moving *m;
    imp_frame_info *way = NULL;
    TRY(moving_get(w, &m));
    if (w->c->opt.only_features) {
        m->found.to = m->found.from = (step_moment){0};
        return find_moving(w, m, info);
    }
    TRY(mem_alloc(w->c->mem, m->found.frames * sizeof *way, &way));
    TRY(intervals(w, m, info, way));
    for (uint32_t f = 0; f < m->found.frames; f++) {
        way[f].contacts = info[f].contacts;
        way[f].candidates += info[f].candidates;
        way[f].undecided += info[f].undecided;
        way[f].entries_written = info[f].entries_written;
        way[f].kept = info[f].kept;
        info[f] = way[f];
    }
out:
    mem_free(w->c->mem, way);
    return err;
}

const pass pass_moving = {"continuous", moving_run};
