/* See scheduler.h. */
#include "scheduler.h"

#include "clock.h"
#include "engine.h"
#include "error.h"
#include "mem.h"
#include "rigid_ccd.h"

#include <stdio.h>
#include <string.h>

/* ---- the pass of a block */

/* The view shows the caller's mesh again, or the model's stable ids. The frame is not viewed by
 * stable ids of the cache, so their memory is freed for the block. */
static void scheduler_drop_ids(call *w)
{
    persistent_ids_free(&w->r->ids);
    w->r->view.ids = w->model;
    w->r->view.input = w->model ? w->model->input : NULL;
}

/* Views the frame by stable ids, if possible. again: all stable ids are assigned anew. */
static int scheduler_view_by_ids(call *w, const imp_frame *frame, int again)
{
    workspace *r = w->r;
    int err = again ? persistent_ids_reassign(w->c, &r->ids, frame)
                    : persistent_ids_frame(w->c, &r->ids, frame);
    /* Cached rows and bounds are by stable id: after a reassignment an id means another
     * primitive. */
    if (err || !r->ids.used || r->ids.reassigned) {
        if (frame_cache_fits(&r->cache, &r->view))
            w->reason = r->ids.reassigned ? "many primitives are new" : "a vertex is not finite";
        frame_cache_invalidate(&r->cache);
    }
    if (!err && r->ids.used)
        return call_view(w, &r->ids.of.frame, 1, &r->ids);
    scheduler_drop_ids(w);
    /* Stable ids are optional: where memory is short the frame is viewed by its mesh. */
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

/* The reason why nothing can be cached, whatever the frames are; NULL: caching is possible. */
static const char *scheduler_never_keeps(const call *w)
{
    const broad_method *requested = w->r->broad.requested;
    if (w->no_cache)
        return "memory was short";
    /* Trees that follow poses have no broad_incremental: caching rows for the next frame would
     * never pay. */
    if (requested && requested->posing)
        return "trees that follow poses are made anew";
    if (w->c->opt.rows > IMP_ROWS_PRIMITIVES || w->c->opt.inside)
        return "only rows of contacts and of primitives are kept";
    /* Rows of primitives that stay depend on the edges of others. */
    if (w->c->opt.ring && (w->c->opt.ids || w->model))
        return "edges of other primitives count (ring)";
    if (w->c->opt.thickness)
        return "pairs within thicknesses are not kept";
    return w->to ? "candidates of steps are not kept" : NULL;
}

static int scheduler_of_features(const context *c)
{
    return c->opt.rows == IMP_ROWS_FEATURES && c->opt.stage == IMP_STAGE_CONTACTS;
}

static int scheduler_of_objects(const context *c)
{
    return c->opt.rows == IMP_ROWS_OBJECTS;
}

/* Opens the view of a block, and chooses its pass. */
static int scheduler_choose_pass(call *w, const imp_frame *frame, size_t count, const pass **out)
{
    int err = IMP_OK, goes_on = 0;
    workspace *r = w->r;
    *out = &full_pass;
    TRY(call_view(w, frame, count, w->model));
    w->reason =
        frame_cache_compare(w->c, &r->cache, &r->view, w->out.frame0 > 0, scheduler_never_keeps(w));
    /* A number, not the pointer, identifies the mesh: the caller may free a mesh, and the next one
     * may have its address. */
    r->view.mesh = r->cache.number;
    r->view.topology = r->cache.every ? r->cache.topology : 0;
    if (scheduler_of_features(w->c) || scheduler_of_objects(w->c) || w->c->opt.inside) {
        *out = w->c->opt.inside             ? &inside_pass
               : scheduler_of_objects(w->c) ? &object_pass
                                            : &feature_pass;
        goto out;
    }
    /* Candidates of steps are not cached. */
    if (w->to)
        goto out;
    if (frame_cache_by_id(&r->cache))
        TRY(scheduler_view_by_ids(w, frame, 0));
    else
        scheduler_drop_ids(w);
    TRY(incremental_pass_can(w, &goes_on));
    if (goes_on)
        *out = &incremental_pass;
    /* A full pass delivers rows in the order of prims. After a reassignment that is also the order
     * of the caller's inputs. */
    else if (r->view.ids == &r->ids && !r->ids.reassigned)
        TRY(scheduler_view_by_ids(w, frame, 1));
    if (w->next) {
        w->start_pass = *out;
        *out = &ccd_pass;
    }
out:
    return err;
}

/* ---- a block */

/* A block: the frames of one pass. Their rows are delivered or pending after it. */
typedef struct block {
    size_t first;
    attempt a;        /* a.frames: number of frames */
    delivered before; /* rows of the frames before */
    double start, seconds;
    imp_frame_info *info; /* [a.frames] */
    /* the current attempt: */
    const pass *by;
    rigid_ccd rigid;      /* the rotating bodies of a block of steps */
    const context *given; /* call.c as it was */
    context step;         /* the same with the options of steps */
} block;

/* Stages run on the block as a whole, so the time of one frame is unknown: each frame gets a part
 * in proportion to its primitives. */
static void scheduler_add_profile(const call *w, const imp_frame *frame, size_t count,
                                  imp_frame_info *info, double seconds)
{
    imp_profile *t = w->t;
    const uint64_t prims = frames_prims(frame, count);
    for (size_t f = 0; f < count; f++) {
        double share =
            prims ? (double)frame[f].mesh->primitives / (double)prims : 1 / (double)count;
        info[f].seconds = seconds * share;
        t->candidates += info[f].candidates;
        t->contacts += info[f].contacts;
        t->undecided += info[f].undecided;
        t->candidates_vf += info[f].candidates_vf;
        t->candidates_ee += info[f].candidates_ee;
        t->bad += info[f].bad;
        t->entries_written += info[f].entries_written;
        if (info[f].candidates > t->candidates_max)
            t->candidates_max = info[f].candidates;
    }
    t->frames += count;
    t->primitives += w->model ? w->model->count : prims;
}

/* Opens frames [first, first + count). Stages need an imp_frame_info for each frame even where the
 * caller wants none. */
static int block_open(call *w, size_t first, size_t count, block *out)
{
    *out = (block){.first = first, .a = {ATTEMPT_BLOCK, .frames = count}, .before = w->out.count};
    w->out.frame0 = first;
    w->no_cache = 0;
    return mem_alloc(w->c->mem, count * sizeof *out->info, &out->info);
}

static void block_close(const call *w, block *t)
{
    mem_free(w->c->mem, t->info);
    *t = (block){0};
}

/* Counts a complete block. all: info of the caller's frames, or NULL. */
static void block_count(call *w, block *t, imp_frame_info *all)
{
    const size_t n = t->a.frames;
    if (n)
        scheduler_add_profile(w, w->frames + t->first, n, t->info, t->seconds);
    if (all && n)
        memcpy(all + t->first, t->info, n * sizeof *all);
    block_close(w, t);
}

/* Chooses the pass of a block. In stage candidates, steps use the options of steps; for contacts
 * ccd_pass.c sets them. */
static int block_begin_try(call *w, block *t)
{
    int err = IMP_OK;
    const imp_frame *frame = w->frames + t->first;
    const size_t n = t->a.frames;
    t->start = call_clock(w);
    t->given = w->c;
    t->rigid = (rigid_ccd){0};
    if (w->steps)
        TRY(rigid_ccd_open(w->c, frame, n, &t->rigid));
    w->rigid = rigid_ccd_any(&t->rigid) ? &t->rigid : NULL;
    t->step = step_context(&t->rigid, w->c);
    w->c = w->to ? &t->step : w->c;
    memset(t->info, 0, n * sizeof *t->info);
    w->c->dev64->alone = w->host && engine_alone(w->host, frames_prims(frame, n));
    /* After a failed attempt the sink may have some of the rows, which count from the start of the
     * block. */
    output_block(&w->out);
    output_range(&w->out);
    w->info = t->info;
    TRY(scheduler_choose_pass(w, frame, n, &t->by));
    if (t->by != &full_pass)
        TRY(pending_output_deliver(w));
out:
    return err;
}

/* The pass fills the frame's counts; the scheduler adds the name of the pass and the reason. */
static int block_end_try(call *w, block *t, int err)
{
    /* A block without primitives does not deliver pending rows itself. */
    err = err ? err : pending_output_deliver(w);
    if (!err)
        output_block_done(&w->out);
    for (size_t f = 0; f < t->a.frames && !err; f++) {
        t->info[f].pass = t->by->name;
        t->info[f].reason = w->reason;
    }
    block_view_close(w->c->mem, &w->r->view);
    w->c->dev64->alone = 0;
    w->c = t->given;
    w->rigid = NULL;
    rigid_ccd_close(w->c->mem, &t->rigid);
    t->seconds = call_clock(w) - t->start;
    return err;
}

/* After an error: delivers the pending rows of earlier frames, unless they are lost or the sink
 * stopped the run. Waits for kernels, which may still read the caller's frames. Returns the error;
 * its text is unchanged, or the sink's. */
static int scheduler_drain(call *w, block *before, imp_frame_info *all, int err)
{
    const context *c = w->c;
    char text[1200];
    snprintf(text, sizeof text, "%s", imp_error_text());
    if (err == IMP_ERR_DEVICE || w->out.refused || pending_output_deliver(w))
        pending_output_drop(w);
    else
        block_count(w, before, all);
    if (w->out.refused)
        return w->out.refused; /* passes report every reason to stop as CANCELLED */
    if (c->dev)
        device_finish(c->dev);
    if (c->dev64 && c->dev64 != c->dev)
        device_finish(c->dev64);
    return imp_fail(err, "%s", text);
}

/* In a block of steps each frame's second instant is the next frame, so consecutive blocks share
 * one frame. */
static void scheduler_set_steps(call *w, const imp_frame *frame)
{
    const int exact = w->c->opt.stage == IMP_STAGE_CONTACTS || w->c->opt.only_features;
    w->to = exact ? NULL : frame + 1;
    w->next = exact ? frame + 1 : NULL;
}

/* The number of frames, or steps, of the next block. */
static size_t scheduler_next_length(const call *w, const imp_frame *frame, size_t rest)
{
    const uint32_t most = w->host ? w->host->def.block : 0;
    const size_t n = scheduler_block_length(w->c, &w->r->broad, most, frame, rest);
    return w->steps && rest ? rigid_ccd_steps(frame, n) : n;
}

/* Opens the block that begins at frame `first`, of `count` frames in all, and prefetches the points
 * of the next one. */
static int scheduler_next_block(call *w, size_t first, size_t count, block *t)
{
    const imp_frame *frame = w->frames + first;
    const size_t n = scheduler_next_length(w, frame, count - first), rest = count - first - n;
    if (w->steps)
        scheduler_set_steps(w, frame);
    prefetch_set(w, frame + n + (w->steps != 0),
                 rest ? scheduler_next_length(w, frame + n, rest) : 0);
    return block_open(w, first, n, t);
}

/* The first frame after a block. If the device failed with pending rows of the block before, that
 * one is repeated. */
static size_t scheduler_after_block(call *w, block *now, block *before, imp_frame_info *all)
{
    size_t next = now->first + now->a.frames;
    /* Blocks are the epochs of mem.h. */
    mem_end_epoch(w->c->mem);
    faults_block(w->out.faults);
    if (!now->a.frames) {
        next = before->first;
        output_go_to(&w->out, before->before);
        block_close(w, now);
        block_close(w, before);
        return next;
    }
    block_count(w, before, all);
    if (w->pending->open) {
        *before = *now;
        *now = (block){0};
    } else {
        block_count(w, now, all);
    }
    return next;
}

int scheduler_run(call *w, imp *host, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    pending_output rows = {0};
    block now = {0}, before = {0}; /* before: while its rows are pending */
    w->pending = &rows;
    w->host = host;
    if (w->steps)
        count -= count > 0;
    for (size_t done = 0; done < count; done = scheduler_after_block(w, &now, &before, info)) {
        TRY(scheduler_next_block(w, done, count, &now));
        do {
            err = block_begin_try(w, &now);
            err = err ? err : now.by->run(w, now.info);
            err = block_end_try(w, &now, err);
        } while (scheduler_retry(w, &now.a, &err));
        TRY(err);
    }
out:
    prefetch_drop(w);
    /* in the next call its pointer may be that of another mesh */
    ring_mesh_free(w->c->mem, &w->r->narrow.ring);
    err = err ? scheduler_drain(w, &before, info, err) : err;
    block_close(w, &now);
    block_close(w, &before);
    return err;
}

/* ---- again with less, or on the host */

/* Replaces the device by the host. A wrong verdict (stages.h) is final if the sink already has rows
 * of the block, from a part that was not found wrong. An error of the host itself is final. */
static enum retry_result retry_on_host(call *w, attempt *a, int *err)
{
    imp *host = w->host;
    if (!host || !strcmp(host->name, "cpu"))
        return RETRY_END;
    host->doubtful = w->c->opt.verify && output_has_rows(&w->out);
    if (host->stays || host->doubtful)
        return RETRY_END;
    a->frames = pending_output_lost(w) ? 0 : a->frames;
    *err = engine_fall_back(host);
    return *err ? RETRY_MORE : a->frames ? RETRY_AGAIN : RETRY_END;
}

/* Delivers pending rows of the block before, which frees their memory. */
static enum retry_result retry_pending(call *w, attempt *a, int *err)
{
    (void)a;
    const int lost = pending_output_deliver(w);
    *err = lost ? lost : *err;
    return lost ? RETRY_END : RETRY_MORE;
}

/* Halves a range. Its buffers, which have grown to the size of the failed one, are freed. */
static enum retry_result retry_range(call *w, attempt *a, int *err)
{
    (void)err;
    if (w->ccd)
        feature_tests_free_range(w->c, &w->ccd->features);
    if (a->last - a->first < 2)
        return RETRY_END;
    workspace_free_range(w->c, w->r);
    a->last = a->first + (a->last - a->first) / 2;
    return RETRY_AGAIN;
}

/* Frees prefetched points of the next block, and the memory of the readback. */
static enum retry_result retry_prefetched(call *w, attempt *a, int *err)
{
    (void)err;
    a->released = prefetch_release(w);
    return RETRY_MORE;
}

/* Gives up the cache from frame to frame. */
static enum retry_result retry_cache(call *w, attempt *a, int *err)
{
    (void)err;
    workspace *r = w->r;
    if (w->no_cache || !(r->cache.coherent || r->ids.used || a->released))
        return RETRY_MORE;
    w->no_cache = 1;
    frame_cache_free(w->c, &r->cache);
    broad_free(&r->broad, w->c); /* cached tables are larger */
    workspace_free_range(w->c, r);
    persistent_ids_free(&r->ids);
    return RETRY_AGAIN;
}

static enum retry_result retry_frames(call *w, attempt *a, int *err)
{
    (void)err;
    if (a->frames == 1)
        return RETRY_END;
    workspace_free(w->c, w->r);
    a->frames /= 2;
    return RETRY_AGAIN;
}

/* The steps, in this order. */
static const struct retry_step {
    int error;
    int of; /* enum attempt_of */
    retry_rung *give_up;
} retry_rungs[] = {
    {IMP_ERR_DEVICE, ATTEMPT_BLOCK, retry_on_host},
    {IMP_ERR_MEMORY, ATTEMPT_BLOCK | ATTEMPT_RANGE, retry_pending},
    {IMP_ERR_MEMORY, ATTEMPT_RANGE, retry_range},
    {IMP_ERR_MEMORY, ATTEMPT_BLOCK, retry_prefetched},
    {IMP_ERR_MEMORY, ATTEMPT_BLOCK, retry_cache},
    {IMP_ERR_MEMORY, ATTEMPT_BLOCK, retry_frames},
    {IMP_ERR_MEMORY, ATTEMPT_STEP | ATTEMPT_ROWS | ATTEMPT_START, ccd_retry_leave},
    {IMP_ERR_MEMORY, ATTEMPT_STEP | ATTEMPT_ROWS, ccd_retry_release},
    {IMP_ERR_MEMORY, ATTEMPT_STEP | ATTEMPT_ROWS, ccd_retry_cut},
    {IMP_ERR_MEMORY, ATTEMPT_START, ccd_retry_start},
};

int scheduler_retry(call *w, attempt *a, int *err)
{
    for (size_t i = 0; i < sizeof retry_rungs / sizeof *retry_rungs; i++) {
        const struct retry_step *r = &retry_rungs[i];
        if (*err != r->error || !(r->of & (int)a->of))
            continue;
        const enum retry_result end = r->give_up(w, a, err);
        if (end != RETRY_MORE)
            return end == RETRY_AGAIN;
    }
    return 0;
}

/* ---- how many frames a block has */

/* Bytes of all buffers of a frame: points as given and scaled, corners, bounds, hash table, a few
 * candidates for each primitive. A step also needs those of its start. */
static uint64_t block_frame_bytes(const context *c, uint64_t verts, uint64_t prims)
{
    const uint64_t per_frame =
        BUDGET_BLOCK_FRAME + BUDGET_BLOCK_VERTEX * verts + BUDGET_BLOCK_PRIM * prims;
    const uint64_t vertex =
        BUDGET_STEP_VERTEX + (c->dev64->groups ? (uint64_t)BUDGET_STEP_SPAN : 0);
    return !c->opt.continuous
               ? per_frame
               : per_frame + BUDGET_BLOCK_FRAME + vertex * verts + BUDGET_STEP_PRIM * prims;
}

/* The maximum of primitives, and of half the vertices, in a block. On a device, where launches cost
 * time: enough to fill it. On the host, whose launches cost nearly nothing: no more than its caches
 * hold. Methods with trees of bodies have one maximum for any number of threads, since their counts
 * depend on it. asked: the number of frames that the caller sets, which is obeyed. */
static uint64_t block_most(const context *c, const broad *b, uint32_t asked)
{
    uint64_t few = (uint64_t)c->dev->threads * BUDGET_BLOCK_THREAD;
    if (b->requested && b->requested->posing)
        few = b->requested->posing->block;
    if (c->dev->large)
        return BUDGET_BLOCK_GPU;
    return !c->dev->queued && !asked && few < BUDGET_BLOCK_PRIMS ? few : BUDGET_BLOCK_PRIMS;
}

/* Sizes beyond those that a call accepts are excluded, since their sums would overflow. */
size_t imp_block_frames(const imp *p, uint64_t vertices, uint64_t primitives)
{
    if (!p || vertices > UINT32_MAX || primitives > UINT32_MAX)
        return 1;
    uint64_t n = block_most(&p->context, &p->workspace.broad, p->def.block) /
                 (primitives + vertices / 2 + 1);
    uint64_t fit =
        p->mem.limit / BUDGET_BLOCK_SHARE / block_frame_bytes(&p->context, vertices, primitives);
    n = n < fit ? n : fit;
    if (p->def.block && n > p->def.block)
        n = p->def.block;
    return n > 1 ? (size_t)n : 1;
}

/* All points of an instant are passed to kernels in one type. The second instant of a step is the
 * next frame. */
static int other_type(const context *c, const imp_frame *first, const imp_frame *next)
{
    return next->type != first->type || (c->opt.continuous && next[1].type != first[1].type);
}

size_t scheduler_block_length(const context *c, const broad *b, uint32_t most,
                              const imp_frame *frame, size_t count)
{
    const broad_posing *posing = b->requested ? b->requested->posing : NULL;
    uint64_t load = 0, bytes = 0;
    size_t n = 0;
    if (c->opt.update == IMP_UPDATE_KEEP && !c->dev->groups) /* else no cache: frame_cache.c */
        most = 1;
    for (; n < count && (!most || n < most); n++) {
        const imp_mesh *mesh = frame[n].mesh;
        load += mesh->primitives + mesh->vertices / 2 + 1;
        bytes += block_frame_bytes(c, mesh->vertices, mesh->primitives);
        if (n && (load > block_most(c, b, most) || bytes > c->mem->limit / BUDGET_BLOCK_SHARE))
            break;
        if (n && mesh_corners(mesh) != mesh_corners(frame[0].mesh))
            break; /* contacts have the same bits whatever frames the block has */
        if (n && other_type(c, frame, frame + n))
            break;
        if (n && posing && (frame->pose || frame[n].pose))
            break;
        if (n && scheduler_of_features(c) && mesh != frame->mesh)
            break; /* representative features are those of one mesh */
    }
    return n;
}

void prefetch_set(call *w, const imp_frame *frame, size_t count)
{
    w->upcoming = frame;
    w->upcoming_count = count;
}

/* The readback of rows proceeds by itself; points are copied only by the host. An error of the rows
 * is returned by the next pending_output_deliver. */
static int prefetch_some(void *user)
{
    call *w = user;
    const int rows = pending_output_before(w), there = rows && row_stream_done(w->c, &w->r->stream);
    if (!there && w->upcoming_count &&
        raw_prefetch(w->c, w->upcoming, w->upcoming_count, &w->r->bounds.scratch.prefetched))
        return 1;
    if (rows)
        (void)pending_output_deliver(w);
    return there; /* more points may be left to copy */
}

/* Points are copied to the device with float64, so it must be the device that the host waits for.
 * In a step the points are for the search for impacts, not for the pass of its start. */
void prefetch_begin(call *w)
{
    /* The next frame's points would replace those that the cache records. */
    if (w->r->cache.recording)
        return;
    const int of_start = w->next && !w->ccd, any = w->upcoming_count || pending_output_before(w);
    if (any && !of_start && w->c->dev == w->c->dev64)
        device_meanwhile(w->c->dev, (meanwhile){prefetch_some, w});
}

void prefetch_end(call *w)
{
    device_meanwhile(w->c->dev, (meanwhile){0});
}

static void prefetch_drop_copies(bound_scratch *t)
{
    raw_invalidate(&t->raw);
    raw_invalidate(&t->raw_to);
    raw_invalidate(&t->prefetched);
}

static int prefetch_any_copies(const bound_scratch *t)
{
    return t->raw.frame || t->raw_to.frame || t->prefetched.frame;
}

int prefetch_release(call *w)
{
    workspace *r = w->r;
    int had = prefetch_any_copies(&r->bounds.scratch) || r->cache.points.raw.frame ||
              row_stream_holds_memory(&r->stream);
    w->upcoming_count = 0;
    workspace_free_range(w->c, r);
    if (r->step) {
        had |= prefetch_any_copies(&r->step->work.bounds.scratch);
        workspace_free_range(w->c, &r->step->work);
    }
    return had;
}

void prefetch_drop(call *w)
{
    prefetch_drop_copies(&w->r->bounds.scratch);
    raw_invalidate(&w->r->cache.points.raw);
    if (w->r->step)
        prefetch_drop_copies(&w->r->step->work.bounds.scratch);
}

/* Rows of the last block would only wait; rows of steps have the caller's numbers, and recorded
 * rows are needed now. */
int pending_output_may(const call *w, uint32_t first, uint32_t last)
{
    const context *c = w->c;
    const block_view *v = &w->r->view;
    return w->pending && w->upcoming_count && !c->dev64->host_memory && c->dev == c->dev64 &&
           !w->any && !w->to && !w->next && !w->out.record && block_view_whole(v) && first == 0 &&
           last == v->prims;
}

/* Pending rows count as seen, so that the next block begins after them. */
int pending_output_leave(call *w)
{
    int err = IMP_OK;
    pending_output *u = w->pending;
    row_stream *e = &w->r->stream;
    const block_view *v = &w->r->view;
    TRY(block_view_open(w->c->mem, v->frame, NULL, v->frames, &u->view));
    u->to = (output_target){&w->out, w->info};
    e->view = &u->view;
    e->sink = output_rows;
    e->user = &u->to;
    u->frame0 = w->out.frame0;
    u->count = w->out.count;
    u->open = 1;
    u->err = IMP_OK;
    w->out.count.seen += row_stream_left(e);
out:
    return err;
}

/* No row of the current block is delivered yet: the output goes back to the block before. */
static int pending_output_hand_out(call *w)
{
    pending_output *u = w->pending;
    output *h = &w->out;
    const size_t frame0 = h->frame0;
    const delivered now = output_go_to(h, u->count);
    h->frame0 = u->frame0;
    const int err = contact_end(w->c, &w->r->stream);
    output_go_to(h, now);
    h->frame0 = frame0;
    block_view_close(w->c->mem, &u->view);
    u->open = 0;
    return err;
}

int pending_output_before(const call *w)
{
    return w->pending && w->pending->open && w->pending->frame0 != w->out.frame0;
}

int pending_output_deliver(call *w)
{
    pending_output *u = w->pending;
    if (pending_output_before(w))
        u->err = pending_output_hand_out(w);
    return u ? u->err : IMP_OK;
}

void pending_output_drop(call *w)
{
    pending_output *u = w->pending;
    if (u->open) {
        row_stream_drop(w->c, &w->r->stream);
        block_view_close(w->c->mem, &u->view);
    }
    u->open = 0;
}

int pending_output_lost(call *w)
{
    const int lost = w->pending->open || w->pending->err == IMP_ERR_DEVICE;
    pending_output_drop(w);
    w->pending->err = IMP_OK;
    return lost;
}

/* Candidates in a piece. On GPUs memory alone should limit them: if they do not fit in one piece,
 * the search runs twice. */
#define PIECE (UINT64_C(1) << 23)
#define PIECE_GPU (UINT64_C(1) << 28)

double call_clock(const call *w)
{
    return clock_seconds() - w->out.outside;
}

void call_stage_begin(call *w)
{
    w->stage_start = call_clock(w);
}

/* Excludes the sink's time: a slow caller does not change the profile of a stage. */
void call_stage_time(call *w, double *stage)
{
    const double now = call_clock(w);
    *stage += now - w->stage_start;
    w->stage_start = now;
}

int call_stage_end(call *w, double *stage)
{
    const int err = w->c->opt.timed ? device_finish(w->c->dev) : IMP_OK;
    call_stage_time(w, stage);
    return err;
}

void call_add_exact(call *w)
{
    w->t->exact += w->r->narrow.exact;
    w->r->narrow.exact = 0;
    call_add_verified(w, &w->r->narrow.sample);
}

void call_add_verified(call *w, sample *s)
{
    w->t->verified += s->verified;
    s->verified = 0;
}

broad_input call_broad_input(const call *w, int cached)
{
    return (broad_input){
        .c = w->c, .view = &w->r->view, .bounds = &w->r->bounds, .cached = cached, .profile = w->t};
}

uint64_t call_piece_candidates(const context *c)
{
    uint64_t fit = mem_left(c->mem) / BUDGET_PIECE_SHARE / BUDGET_CANDIDATE;
    /* A pair takes four bytes in each of two buffers, each within the device's largest buffer. */
    const uint64_t enough = c->dev->large ? PIECE_GPU : PIECE;
    uint64_t most = c->dev->largest ? c->dev->largest / 4 : enough;
    most = most < enough ? most : enough;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* Keeps the mesh's numbers, which are set once for a block, also for a second view of the same
 * frame. */
int call_view(call *w, const imp_frame *frame, size_t count, persistent_ids *by)
{
    block_view *v = &w->r->view;
    const uint64_t mesh = v->mesh, topology = v->topology;
    block_view_close(w->c->mem, v);
    int err = block_view_open(w->c->mem, frame, w->to, count, v);
    v->mesh = mesh;
    v->topology = topology;
    v->rigid = w->to ? w->rigid : NULL;
    v->ids = by;
    v->input = by ? by->input : NULL;
    return err;
}

static void info_add(imp_frame_info *to, const imp_frame_info *from, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++) {
        to[f].candidates += from[f].candidates;
        to[f].contacts += from[f].contacts;
        to[f].undecided += from[f].undecided;
        to[f].candidates_vf += from[f].candidates_vf;
        to[f].candidates_ee += from[f].candidates_ee;
    }
}

/* A range that fails adds nothing to info: its counts are added once it is complete. */
static void range_begin(call *w, const range *r)
{
    memset(r->part, 0, w->r->view.frames * sizeof *r->part);
    output_range(&w->out);
}

int range_first(call *w, range *out)
{
    int err = IMP_OK;
    const uint32_t n = w->r->view.prims;
    *out = (range){.a = {ATTEMPT_RANGE, .last = n}, .prims = n};
    TRY(mem_alloc(w->c->mem, w->r->view.frames * sizeof *out->part, &out->part));
    range_begin(w, out);
out:
    return err;
}

void range_close(const call *w, range *r)
{
    mem_free(w->c->mem, r->part);
    r->part = NULL;
}

/* The next range has the length that fitted: a longer one is likely to fail again. */
int range_next(call *w, range *r, int err, imp_frame_info *info)
{
    attempt *a = &r->a;
    if (err && !scheduler_retry(w, a, &err))
        return err;
    if (!err) {
        const uint32_t length = a->last - a->first;
        output_range_done(&w->out);
        info_add(info, r->part, w->r->view.frames);
        a->first = a->last;
        a->last = r->prims - a->first > length ? a->first + length : r->prims;
    }
    if (range_more(r))
        range_begin(w, r);
    else
        range_close(w, r);
    return IMP_OK;
}
