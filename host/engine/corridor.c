/* See corridor.h. */
#include "corridor.h"

#include "ahead.h"
#include "blocks.h"
#include "due.h"
#include "error.h"
#include "pass.h"
#include "turning.h"

#include <stdio.h>
#include <string.h>

/* ---- the pass of a block */

/* The view shows the caller's mesh again, or the model's slots. The frame does not go by slots, so
 * their memory is free for the block. */
static void scheduler_drop_ids(call *w)
{
    persistent_ids_free(&w->r->ids);
    w->r->view.ids = w->model;
    w->r->view.input = w->model ? w->model->input : NULL;
}

/* Shows the frame by slots, if that is possible. again: all slots are given out again. */
static int scheduler_view_by_ids(call *w, const imp_frame *frame, int again)
{
    workspace *r = w->r;
    int err = again ? persistent_ids_reassign(w->c, &r->ids, frame)
                    : persistent_ids_frame(w->c, &r->ids, frame);
    /* Kept rows and bounds are by slot: after a new deal a slot has another primitive. */
    if (err || !r->ids.used || r->ids.reassigned) {
        if (frame_cache_fits(&r->cache, &r->view))
            w->reason = r->ids.reassigned ? "many primitives are new" : "a vertex is not finite";
        frame_cache_invalidate(&r->cache);
    }
    if (!err && r->ids.used)
        return call_view(w, &r->ids.of.frame, 1, &r->ids);
    scheduler_drop_ids(w);
    /* Slots are optional: where memory is short the frame is seen by its mesh. */
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

/* Why nothing is kept whatever the frames are, or NULL: something may be. */
static const char *scheduler_never_keeps(const call *w)
{
    const broad_method *requested = w->r->broad.requested;
    if (w->no_cache)
        return "memory was short";
    /* Trees that follow poses have no broad_incremental: recording rows for the next frame would
     * never pay. */
    if (requested && requested->posing)
        return "trees that follow poses are made anew";
    return w->to ? "candidates of steps are not kept" : NULL;
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
    /* Numbers, not the pointer: the caller may free a mesh, and the next one may have its address.
     */
    r->view.mesh = r->cache.number;
    r->view.topology = r->cache.every ? r->cache.topology : 0;
    /* Candidates of steps are not kept. */
    if (w->to)
        goto out;
    if (frame_cache_by_id(&r->cache))
        TRY(scheduler_view_by_ids(w, frame, 0));
    else
        scheduler_drop_ids(w);
    TRY(incremental_pass_can(w, &goes_on));
    if (goes_on)
        *out = &incremental_pass;
    /* A full pass hands out rows in the order of prims. After a new deal that is the order of the
     * caller's inputs, too. */
    else if (r->view.ids == &r->ids && !r->ids.reassigned)
        TRY(scheduler_view_by_ids(w, frame, 1));
    if (w->next) {
        w->start_pass = *out;
        *out = &ccd_pass;
    }
out:
    return err;
}

/* A frame is counted by its pass; the scheduler knows which one that was, and why. */
static void scheduler_note_pass(const call *w, const pass *by, size_t count, imp_frame_info *info)
{
    for (size_t f = 0; f < count; f++) {
        info[f].pass = by->name;
        info[f].reason = w->reason;
    }
}

static int scheduler_run_pass(call *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    const pass *by;
    memset(info, 0, count * sizeof *info);
    /* After a try that failed: the sink may have some of the rows, which count from the start of
     * the block. */
    output_block(&w->out);
    output_range(&w->out);
    w->info = info;
    TRY(scheduler_choose_pass(w, frame, count, &by));
    if (by != &full_pass)
        TRY(pending_output_deliver(w));
    TRY(by->run(w, info));
    TRY(pending_output_deliver(w)); /* a block without primitives hands out nothing itself */
    output_block_done(&w->out);
    scheduler_note_pass(w, by, count, info);
out:
    block_view_close(w->c->mem, &w->r->view);
    return err;
}

/* With the bodies that turn in a block of steps. Candidates of steps have the options of steps;
 * where there are contacts, pass_moving.c sees to that. */
static int scheduler_block_pass(call *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    rigid_ccd rigid = {0};
    const context *const given = w->c;
    if (w->steps)
        TRY(rigid_ccd_open(given, frame, count, &rigid));
    w->rigid = rigid_ccd_any(&rigid) ? &rigid : NULL;
    const context mine = step_context(&rigid, given);
    w->c = w->to ? &mine : given;
    err = scheduler_run_pass(w, frame, count, info);
out:
    w->c = given;
    w->rigid = NULL;
    rigid_ccd_close(given->mem, &rigid);
    return err;
}

/* ---- again with less, or on the host */

/* Memory was short: gives up what is kept from frame to frame, then half of the frames. Returns 0
 * where nothing remains to give up. */
static int scheduler_use_less(call *w, size_t *count)
{
    workspace *r = w->r;
    const int had = prefetch_release(w);
    if (!w->no_cache && (r->cache.coherent || r->ids.used || had)) {
        w->no_cache = 1;
        frame_cache_free(w->c, &r->cache);
        broad_free(&r->broad, w->c); /* tables that are kept are larger */
        workspace_free_range(w->c, r);
        persistent_ids_free(&r->ids);
        return 1;
    }
    if (*count == 1)
        return 0;
    workspace_free(w->c, r);
    *count /= 2;
    return 1;
}

/* Stages run on the block as a whole, so the time of one frame is not known: it is shared out by
 * numbers of primitives. */
static void scheduler_add_profile(const call *w, const imp_frame *frame, size_t count,
                                  imp_frame_info *info, double seconds)
{
    imp_profile *t = w->t;
    uint64_t prims = 0;
    for (size_t f = 0; f < count; f++)
        prims += frame[f].mesh->primitives;
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

/* With this device, or without one: a wrong answer (verify.h) is final if rows of the block are
 * with the sink, of a part of it that was not found to be wrong. */
static int scheduler_may_fall_back(const call *w, imp *host)
{
    if (!host || !strcmp(host->name, "cpu"))
        return 0;
    host->doubtful = w->c->opt.verify && w->out.delivered > w->out.blocks;
    return !host->stays && !host->doubtful;
}

/* Frames whose rows the sink has, or which are due. */
typedef struct block {
    size_t first, count;
    uint64_t rows; /* of all frames before */
    double seconds;
    imp_frame_info *info; /* [count] */
} block;

/* Opens frames [first, first + count). Stages need an imp_frame_info for each frame even where the
 * caller wants none. */
static int block_open(call *w, size_t first, size_t count, block *out)
{
    *out = (block){first, count, w->out.blocks, 0, NULL};
    w->out.frame0 = first;
    return mem_alloc(w->c->mem, count * sizeof *out->info, &out->info);
}

static void block_close(call *w, block *t)
{
    mem_free(w->c->mem, t->info);
    *t = (block){0};
}

/* The sink has their rows; `all`: of the caller's frames, or NULL. */
static void block_count(call *w, block *t, imp_frame_info *all)
{
    if (t->count)
        scheduler_add_profile(w, w->out.frame + t->first, t->count, t->info, t->seconds);
    if (all && t->count)
        memcpy(all + t->first, t->info, t->count * sizeof *all);
    block_close(w, t);
}

/* One block. t->count becomes the number of frames done: none where the device failed that had rows
 * of the block before, which then has to be repeated. */
static int scheduler_run_block(call *w, imp *host, block *t)
{
    const imp_frame *frame = w->out.frame + t->first;
    w->no_cache = 0;
    for (;;) {
        const double start = call_clock(w);
        int err = scheduler_block_pass(w, frame, t->count, t->info);
        t->seconds = call_clock(w) - start;
        /* An error of the host itself is final. */
        if (err == IMP_ERR_DEVICE && scheduler_may_fall_back(w, host)) {
            t->count = pending_output_lost(w) ? 0 : t->count;
            err = engine_fall_back(host);
            if (!err && t->count)
                continue;
        }
        if (err != IMP_ERR_MEMORY)
            return err;
        err = pending_output_deliver(w);
        if (err || !scheduler_use_less(w, &t->count))
            return err ? err : IMP_ERR_MEMORY;
    }
}

/* After an error the sink gets the rows that are due, of frames before; unless they are lost, or it
 * wants no more. Kernels may still read the caller's frames, which the caller may free: waits for
 * them. Returns the error; its text stays, or is the sink's. */
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
        return w->out.refused; /* inside passes every reason to stop is CANCELLED */
    if (c->dev)
        device_finish(c->dev);
    if (c->dev64 && c->dev64 != c->dev)
        device_finish(c->dev64);
    return imp_fail(err, "%s", text);
}

/* A block of steps: each frame has the next as its second instant, so blocks have one in common. */
static void scheduler_set_steps(call *w, const imp_frame *frame)
{
    const int exact = w->c->opt.stage == IMP_STAGE_CONTACTS || w->c->opt.only_features;
    w->to = exact ? NULL : frame + 1;
    w->next = exact ? frame + 1 : NULL;
}

/* Frames, or steps, of the next block. */
static size_t scheduler_next_length(const call *w, const imp *host, const imp_frame *frame,
                                    size_t rest)
{
    const size_t n =
        scheduler_block_length(w->c, &w->r->broad, host ? host->def.block : 0, frame, rest);
    return w->steps && rest ? rigid_ccd_steps(frame, n) : n;
}

/* The block from frame `first` on, of those up to `count`. */
static int scheduler_next_block(call *w, imp *host, size_t first, size_t count, block *t)
{
    int err = IMP_OK;
    const imp_frame *frame = w->out.frame + first;
    const size_t n = scheduler_next_length(w, host, frame, count - first), rest = count - first - n;
    if (w->steps)
        scheduler_set_steps(w, frame);
    prefetch_set(w, frame + n + (w->steps != 0),
                 rest ? scheduler_next_length(w, host, frame + n, rest) : 0);
    TRY(block_open(w, first, n, t));
    TRY(scheduler_run_block(w, host, t));
    /* Blocks are the equal pieces of work that mem.h speaks of. */
    mem_end_epoch(w->c->mem);
    faults_block(w->out.faults);
out:
    return err;
}

int scheduler_run(call *w, imp *host, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    pending_output rows = {0};
    block now = {0}, before = {0}; /* before: while its rows are due */
    w->pending = &rows;
    if (w->steps)
        count -= count > 0;
    for (size_t done = 0; done < count;) {
        TRY(scheduler_next_block(w, host, done, count, &now));
        if (!now.count) {
            done = before.first;
            w->out.blocks = before.rows;
            block_close(w, &now);
            block_close(w, &before);
            continue;
        }
        done += now.count;
        block_count(w, &before, info);
        if (rows.open) {
            before = now;
            now = (block){0};
        } else {
            block_count(w, &now, info);
        }
    }
out:
    prefetch_drop(w);
    err = err ? scheduler_drain(w, &before, info, err) : err;
    block_close(w, &now);
    block_close(w, &before);
    if (host && (err == IMP_ERR_CANCELLED || w->out.refused))
        atomic_store(&host->cancel, 0); /* the request is served */
    return err;
}
