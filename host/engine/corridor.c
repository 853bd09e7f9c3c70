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
static void drop_slots(walk *w)
{
    slots_free(&w->r->slots);
    w->r->view.slots = w->model;
    w->r->view.cell = w->model ? w->model->cell : NULL;
}

/* Shows the frame by slots, if that is possible. again: all slots are given out again. */
static int view_by_slots(walk *w, const imp_frame *frame, int again)
{
    workspace *r = w->r;
    int err = again ? slots_again(w->c, &r->slots, frame) : slots_frame(w->c, &r->slots, frame);
    /* Kept rows and bounds are by slot: after a new deal a slot has another primitive. */
    if (err || !r->slots.used || r->slots.fresh_deal) {
        if (keep_fits(&r->keep, &r->view))
            w->reason = r->slots.fresh_deal ? "many primitives are new" : "a vertex is not finite";
        keep_forget(&r->keep);
    }
    if (!err && r->slots.used)
        return walk_view(w, &r->slots.of.frame, 1, &r->slots);
    drop_slots(w);
    /* Slots are optional: where memory is short the frame is seen by its mesh. */
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

/* Why nothing is kept whatever the frames are, or NULL: something may be. */
static const char *scheduler_never_keeps(const walk *w)
{
    const broad_method *asked = w->r->broad.asked;
    if (w->alone)
        return "memory was short";
    /* Trees that follow poses have no broad_keeping: recording rows for the next frame would never
     * pay. */
    if (asked && asked->posing)
        return "trees that follow poses are made anew";
    return w->to ? "candidates of steps are not kept" : NULL;
}

/* Opens the view of a block, and chooses its pass. */
static int scheduler_choose_pass(walk *w, const imp_frame *frame, size_t count, const pass **out)
{
    int err = IMP_OK, goes_on = 0;
    workspace *r = w->r;
    *out = &pass_fresh;
    TRY(walk_view(w, frame, count, w->model));
    w->reason = keep_look(w->c, &r->keep, &r->view, w->out.frame0 > 0, scheduler_never_keeps(w));
    /* Numbers, not the pointer: the caller may free a mesh, and the next one may have its address.
     */
    r->view.mesh = r->keep.number;
    r->view.topology = r->keep.every ? r->keep.topology : 0;
    /* Candidates of steps are not kept. */
    if (w->to)
        goto out;
    if (keep_by_slot(&r->keep))
        TRY(view_by_slots(w, frame, 0));
    else
        drop_slots(w);
    TRY(pass_kept_can(w, &goes_on));
    if (goes_on)
        *out = &pass_kept;
    /* A fresh pass hands out rows in the order of prims. After a new deal that is the order of the
     * caller's cells, too. */
    else if (r->view.slots == &r->slots && !r->slots.fresh_deal)
        TRY(view_by_slots(w, frame, 1));
    if (w->next) {
        w->start = *out;
        *out = &pass_moving;
    }
out:
    return err;
}

/* A frame is counted by its pass; the scheduler knows which one that was, and why. */
static void scheduler_note_pass(const walk *w, const pass *by, size_t count, imp_frame_info *info)
{
    for (size_t f = 0; f < count; f++) {
        info[f].pass = by->name;
        info[f].reason = w->reason;
    }
}

static int run_pass(walk *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    const pass *by;
    memset(info, 0, count * sizeof *info);
    /* After a try that failed: the sink may have some of the rows, which count from the start of
     * the block. */
    handout_block(&w->out);
    handout_range(&w->out);
    w->info = info;
    TRY(scheduler_choose_pass(w, frame, count, &by));
    if (by != &pass_fresh)
        TRY(due_settle(w));
    TRY(by->run(w, info));
    TRY(due_settle(w)); /* a block without primitives hands out nothing itself */
    handout_block_done(&w->out);
    scheduler_note_pass(w, by, count, info);
out:
    view_close(w->c->mem, &w->r->view);
    return err;
}

/* With the bodies that turn in a block of steps. Candidates of steps have the options of steps;
 * where there are contacts, pass_moving.c sees to that. */
static int block_pass(walk *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    turning turns = {0};
    const context *const given = w->c;
    if (w->steps)
        TRY(turning_open(given, frame, count, &turns));
    w->turns = turning_any(&turns) ? &turns : NULL;
    const context mine = step_context(&turns, given);
    w->c = w->to ? &mine : given;
    err = run_pass(w, frame, count, info);
out:
    w->c = given;
    w->turns = NULL;
    turning_close(given->mem, &turns);
    return err;
}

/* ---- again with less, or on the host */

/* Memory was short: gives up what is kept from frame to frame, then half of the frames. Returns 0
 * where nothing remains to give up. */
static int with_less(walk *w, size_t *count)
{
    workspace *r = w->r;
    const int had = ahead_give_back(w);
    if (!w->alone && (r->keep.still || r->slots.used || had)) {
        w->alone = 1;
        keep_free(w->c, &r->keep);
        broad_free(&r->broad, w->c); /* tables that are kept are larger */
        workspace_free_range(w->c, r);
        slots_free(&r->slots);
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
static void profile_add(const walk *w, const imp_frame *frame, size_t count, imp_frame_info *info,
                        double seconds)
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
static int may_fall_back(const walk *w, imp *host)
{
    if (!host || !strcmp(host->name, "cpu"))
        return 0;
    host->doubtful = w->c->opt.verify && w->out.handed > w->out.blocks;
    return !host->stays && !host->doubtful;
}

/* Frames whose rows the sink has, or which are due. */
typedef struct taken {
    size_t first, count;
    uint64_t rows; /* of all frames before */
    double seconds;
    imp_frame_info *info; /* [count] */
} taken;

/* Opens frames [first, first + count). Stages need an imp_frame_info for each frame even where the
 * caller wants none. */
static int taken_open(walk *w, size_t first, size_t count, taken *out)
{
    *out = (taken){first, count, w->out.blocks, 0, NULL};
    w->out.frame0 = first;
    return mem_alloc(w->c->mem, count * sizeof *out->info, &out->info);
}

static void taken_close(walk *w, taken *t)
{
    mem_free(w->c->mem, t->info);
    *t = (taken){0};
}

/* The sink has their rows; `all`: of the caller's frames, or NULL. */
static void taken_count(walk *w, taken *t, imp_frame_info *all)
{
    if (t->count)
        profile_add(w, w->out.frame + t->first, t->count, t->info, t->seconds);
    if (all && t->count)
        memcpy(all + t->first, t->info, t->count * sizeof *all);
    taken_close(w, t);
}

/* One block. t->count becomes the number of frames done: none where the device failed that had rows
 * of the block before, which then has to be repeated. */
static int block(walk *w, imp *host, taken *t)
{
    const imp_frame *frame = w->out.frame + t->first;
    w->alone = 0;
    for (;;) {
        const double start = walk_clock(w);
        int err = block_pass(w, frame, t->count, t->info);
        t->seconds = walk_clock(w) - start;
        /* An error of the host itself is final. */
        if (err == IMP_ERR_DEVICE && may_fall_back(w, host)) {
            t->count = due_lost(w) ? 0 : t->count;
            err = engine_fall_back(host);
            if (!err && t->count)
                continue;
        }
        if (err != IMP_ERR_MEMORY)
            return err;
        err = due_settle(w);
        if (err || !with_less(w, &t->count))
            return err ? err : IMP_ERR_MEMORY;
    }
}

/* After an error the sink gets the rows that are due, of frames before; unless they are lost, or it
 * wants no more. Kernels may still read the caller's frames, which the caller may free: waits for
 * them. Returns the error; its text stays, or is the sink's. */
static int wait_out(walk *w, taken *before, imp_frame_info *all, int err)
{
    const context *c = w->c;
    char text[1200];
    snprintf(text, sizeof text, "%s", imp_error_text());
    if (err == IMP_ERR_DEVICE || w->out.refused || due_settle(w))
        due_drop(w);
    else
        taken_count(w, before, all);
    if (w->out.refused)
        return w->out.refused; /* inside passes every reason to stop is CANCELLED */
    if (c->dev)
        device_finish(c->dev);
    if (c->dev64 && c->dev64 != c->dev)
        device_finish(c->dev64);
    return imp_fail(err, "%s", text);
}

/* A block of steps: each frame has the next as its second instant, so blocks have one in common. */
static void steps_from(walk *w, const imp_frame *frame)
{
    const int exact = w->c->opt.stage == IMP_STAGE_CONTACTS || w->c->opt.only_features;
    w->to = exact ? NULL : frame + 1;
    w->next = exact ? frame + 1 : NULL;
}

/* Frames, or steps, of the next block. */
static size_t next_length(const walk *w, const imp *host, const imp_frame *frame, size_t rest)
{
    const size_t n = block_length(w->c, &w->r->broad, host ? host->def.block : 0, frame, rest);
    return w->steps && rest ? turning_steps(frame, n) : n;
}

/* The block from frame `first` on, of those up to `count`. */
static int next_block(walk *w, imp *host, size_t first, size_t count, taken *t)
{
    int err = IMP_OK;
    const imp_frame *frame = w->out.frame + first;
    const size_t n = next_length(w, host, frame, count - first), rest = count - first - n;
    if (w->steps)
        steps_from(w, frame);
    ahead_look(w, frame + n + (w->steps != 0), rest ? next_length(w, host, frame + n, rest) : 0);
    TRY(taken_open(w, first, n, t));
    TRY(block(w, host, t));
    /* Blocks are the equal pieces of work that mem.h speaks of. */
    mem_turn(w->c->mem);
    faults_block(w->out.faults);
out:
    return err;
}

int corridor(walk *w, imp *host, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    due rows = {0};
    taken now = {0}, before = {0}; /* before: while its rows are due */
    w->due = &rows;
    if (w->steps)
        count -= count > 0;
    for (size_t done = 0; done < count;) {
        TRY(next_block(w, host, done, count, &now));
        if (!now.count) {
            done = before.first;
            w->out.blocks = before.rows;
            taken_close(w, &now);
            taken_close(w, &before);
            continue;
        }
        done += now.count;
        taken_count(w, &before, info);
        if (rows.open) {
            before = now;
            now = (taken){0};
        } else {
            taken_count(w, &now, info);
        }
    }
out:
    ahead_forget(w);
    err = err ? wait_out(w, &before, info, err) : err;
    taken_close(w, &now);
    taken_close(w, &before);
    if (host && (err == IMP_ERR_CANCELLED || w->out.refused))
        atomic_store(&host->cancel, 0); /* the request is served */
    return err;
}
