/* See corridor.h. */
#include "corridor.h"

#include "ahead.h"
#include "blocks.h"
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
    if (err || !r->slots.used || r->slots.fresh_deal)
        keep_forget(&r->keep);
    if (!err && r->slots.used)
        return walk_view(w, &r->slots.of.frame, 1, &r->slots);
    drop_slots(w);
    /* Slots are optional: where memory is short the frame is seen by its mesh. */
    return err == IMP_ERR_MEMORY ? IMP_OK : err;
}

/* Opens the view of a block, and chooses its pass. */
static int choose(walk *w, const imp_frame *frame, size_t count, const pass **out)
{
    int err = IMP_OK, goes_on = 0;
    workspace *r = w->r;
    const int posing = r->broad.asked && r->broad.asked->posing;
    *out = w->to && !w->steps ? &pass_swept : &pass_fresh;
    TRY(walk_view(w, frame, count, w->model));
    /* Trees that follow poses have no broad_keeping: recording rows for the next frame would never
     * pay. */
    keep_look(w->c, &r->keep, &r->view, w->out.frame0 > 0, w->alone || posing || w->to);
    /* Numbers, not the pointer: the caller may free a mesh, and the next one may have its address.
     */
    r->view.mesh = r->keep.number;
    r->view.topology = r->keep.every ? r->keep.topology : 0;
    /* A sweep keeps its pairs in r->stills, not in r->keep. */
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

static int run_pass(walk *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    const pass *by;
    memset(info, 0, count * sizeof *info);
    /* After a try that failed: the sink may have some of the rows, which count from the start of
     * the block. */
    handout_block(&w->out);
    handout_range(&w->out);
    TRY(choose(w, frame, count, &by));
    TRY(by->run(w, info));
    handout_block_done(&w->out);
out:
    view_close(w->c->mem, &w->r->view);
    return err;
}

/* With the bodies that turn in a block of steps. Candidates of steps get the rules of these; where
 * there are contacts, pass_moving.c sees to that. */
static int block_pass(walk *w, const imp_frame *frame, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    turning turns = {0};
    const context *const given = w->c;
    if (w->steps)
        TRY(turning_open(given, frame, count, &turns));
    w->turns = turning_any(&turns) ? &turns : NULL;
    const context mine = turning_context(&turns, given);
    w->c = w->to && w->steps ? &mine : given;
    err = run_pass(w, frame, count, info);
out:
    w->c = given;
    w->turns = NULL;
    turning_close(given->mem, &turns);
    return err;
}

/* ---- again with less, or on the host */

static int fall_back(imp *p)
{
    char line[1200];
    /* The text is read first: engine_open may replace it. engine_close frees the workspace, since
     * its buffers are those of the device. */
    snprintf(line, sizeof line, "%s; going on with cpu", imp_error_text());
    if (p->def.log)
        p->def.log(p->def.log_user, line);
    engine_close(p);
    p->def.device = "cpu";
    return engine_open(p);
}

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
        t->touched += info[f].touched;
        if (info[f].candidates > t->candidates_max)
            t->candidates_max = info[f].candidates;
    }
    t->frames += count;
    t->primitives += w->model ? w->model->count : prims;
}

/* One block. *count becomes the number of frames done. */
static int block(walk *w, imp *host, const imp_frame *frame, size_t *count, imp_frame_info *info)
{
    w->alone = 0;
    for (;;) {
        const double start = walk_clock(w);
        int err = block_pass(w, frame, *count, info);
        /* An error of the host itself is final; and so is a wrong answer (verify.h) if rows of the
         * block are with the sink, of a part of it that was not found to be wrong. */
        if (err == IMP_ERR_DEVICE && host && strcmp(host->name, "cpu") &&
            !(w->c->opt.verify && w->out.handed > w->out.blocks)) {
            err = fall_back(host);
            if (!err)
                continue;
        }
        if (err == IMP_ERR_MEMORY && with_less(w, count))
            continue;
        if (!err)
            profile_add(w, frame, *count, info, walk_clock(w) - start);
        return err;
    }
}

/* After an error kernels may still read the caller's frames, which the caller may free: waits for
 * them. Returns err; its text stays. */
static int wait_out(const context *c, int err)
{
    char text[1200];
    snprintf(text, sizeof text, "%s", imp_error_text());
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

int corridor(walk *w, imp *host, size_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    mem *m = w->c->mem;
    imp_frame_info *part = NULL;
    if (w->steps)
        count -= count > 0;
    for (size_t done = 0; done < count;) {
        const imp_frame *frame = w->out.frame + done;
        size_t n = next_length(w, host, frame, count - done);
        const size_t rest = count - done - n;
        if (w->steps)
            steps_from(w, frame);
        ahead_look(w, frame + n + (w->steps != 0),
                   rest ? next_length(w, host, frame + n, rest) : 0);
        w->out.frame0 = done;
        /* Stages need an imp_frame_info for each frame even where the caller wants none. */
        mem_free(m, part);
        TRY(mem_alloc(m, n * sizeof *part, &part));
        TRY(block(w, host, frame, &n, part));
        if (info)
            memcpy(info + done, part, n * sizeof *part);
        /* Blocks are the equal pieces of work that mem.h speaks of. */
        mem_turn(m);
        faults_block(w->out.faults);
        done += n;
    }
out:
    mem_free(m, part);
    ahead_forget(w);
    if (w->out.refused)
        err = w->out.refused; /* inside passes every reason to stop is CANCELLED */
    err = err ? wait_out(w->c, err) : err;
    if (host && (err == IMP_ERR_CANCELLED || w->out.refused))
        atomic_store(&host->cancel, 0); /* the request is served */
    return err;
}
