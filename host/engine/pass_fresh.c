/* The ordinary pass: a block of frames from points to contacts, independent of earlier frames. */
#include "ahead.h"
#include "due.h"
#include "pass.h"
#include "turning.h"

#include "error.h"
#include "verify.h"

#define ANY_FIRST 256 /* candidates of the first piece where any contact is enough */
/* The copy of what is near pays if at most this part of the primitives remains. Where the frame
 * could be kept instead it has to be faster than the kept pass of the next one. */
#define FEW 2
#define FEW_KEPT 16

/* ---- before bound: of two objects, the parts near the other one */

/* Do bodies follow their poses? Then they stay whole. */
static int bodies_whole(const walk *w, const broad_method *by)
{
    return by && by->posing && w->r->view.frame->pose;
}

/* Leaves out primitives that cannot have a partner, if that is known before bounds are made; then
 * nothing is kept for the next frame. */
static int look_nearby(walk *w)
{
    workspace *r = w->r;
    keep *k = &r->keep;
    int done = 0;
    if ((k->recording && w->c->opt.update == IMP_UPDATE_KEEP) || r->view.to ||
        bodies_whole(w, r->broad.asked))
        return IMP_OK;
    int err = nearby_look(w->c, &r->view, k->recording ? FEW_KEPT : FEW, &r->near, &done);
    if (err || !done)
        return err;
    k->recording = 0;
    err = walk_view(w, &r->near.frame, 1, NULL);
    r->view.cell = r->near.cell;
    r->view.box = (const double(*)[DIMENSIONS])r->near.box;
    return err;
}

/* ---- a range: broad -> narrow -> order -> rows */

int pass_hand_out(void *user, column_rows *rows)
{
    const pass_rows *to = user;
    return handout_rows(&to->w->out, &to->w->r->view, to->info, rows);
}

/* may_wait: while the next block goes its way. */
static int full_pass_output(walk *w, int may_wait, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    pass_rows to = {w, info};
    TRY(order(w->c, &r->view, &r->sort, &r->narrow));
    walk_time(w, &w->t->order);
    TRY(verify_pairs(w->c, &r->view, &r->narrow));
    TRY(due_settle(w));
    TRY(contact_begin(w->c, &r->view, &r->bounds, &r->narrow, may_wait, &r->emission, pass_hand_out,
                      &to, info));
    if (!may_wait || !emission_waits(&r->emission) || due_leave(w))
        TRY(contact_end(w->c, &r->emission));
    keep_record_undecided(w->c, &r->keep, &r->narrow.undecided);
    walk_time(w, &w->t->narrow);
    walk_exact(w);
out:
    return err;
}

/* Are candidates only counted? Then they are neither sorted nor turned into rows. */
static int only_counts(const walk *w)
{
    return w->c->opt.stage == IMP_STAGE_CANDIDATES && !w->out.sink && !w->any &&
           !w->r->keep.recording;
}

/* In this stage each candidate is a contact of the result. */
static int range_count(walk *w, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    while (!broad_done(&r->broad)) {
        TRY(broad_next(&r->broad, in, walk_piece(w->c), info, &r->found));
        TRY(candidates_settle(w->c, &r->found, NULL));
    }
    TRY(device_finish(w->c->dev));
    for (uint32_t f = 0; f < in->view->frames; f++)
        info[f].contacts = info[f].candidates;
    walk_time(w, &w->t->broad);
out:
    return err;
}

/* Where any contact is enough, pairs are handed out as they are found, in pieces that grow from few
 * candidates on. */
static int full_pass_search_range(walk *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    const broad_input in = walk_input(w, w->r->keep.recording);
    uint64_t few = ANY_FIRST;
    narrow_clear(&r->narrow);
    TRY(broad_begin(&r->broad, &in, first, last, info));
    if (only_counts(w))
        return range_count(w, &in, info);
    while (!broad_done(&r->broad)) {
        const uint64_t most = walk_piece(c);
        TRY(broad_next(&r->broad, &in, w->any && few < most ? few : most, info, &r->found));
        TRY(walk_stage(w, &w->t->broad));
        TRY(narrow_collect(c, &r->view, &r->bounds, &r->found, &r->narrow));
        walk_time(w, &w->t->narrow);
        if (!w->any)
            continue;
        TRY(full_pass_output(w, 0, info));
        narrow_clear(&r->narrow);
        few *= 2;
    }
    TRY(full_pass_output(w, due_may(w, first, last), info));
out:
    return err;
}

/* Where memory is short, rows of the block before go first, and what they take is free. */
static int fresh_range(walk *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    const int err = full_pass_search_range(w, first, last, info),
              settled = err == IMP_ERR_MEMORY ? due_settle(w) : 0;
    return settled ? settled : err;
}

/* ---- the pass */

/* A frame that is kept for the next one is not culled: objects may come near later. */
static int full_pass_run(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    view *v = &r->view;
    keep *k = &r->keep;
    walk_start(w);
    keep_forget(k);
    keep_begin(c, k);
    w->out.record = k->recording ? keep_record : NULL;
    w->out.keep = k;
    TRY(look_nearby(w));
    /* The points of a second instant may be there already: they are taken before others come. */
    if (!v->to)
        ahead_begin(w);
    TRY(v->to ? bound_step(c, v, turning_margins, &r->bounds) : bound(c, v, &r->bounds));
    if (v->to)
        ahead_begin(w);
    TRY(walk_stage(w, &w->t->bound));
    const broad_input in = walk_input(w, w->r->keep.recording);
    /* Before cull: a method with trees that follow poses needs bodies whole. */
    broad_choose(&r->broad, &in, k->follows && nearby_dense(&r->near, v));
    TRY(cull(c, v, &r->cull, &r->bounds, k->recording || bodies_whole(w, r->broad.method)));
    TRY(broad_build(&r->broad, &in, info));
    TRY(walk_stage(w, &w->t->broad));
    TRY(walk_ranges(w, fresh_range, info));
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.units.bad[f];
    if (v->slots)
        slots_settled(v->slots);
    keep_end(c, k, v, &r->bounds, info[0].candidates);
out:
    ahead_end(w);
    k->recording = 0;
    return err;
}

const pass pass_fresh = {"full", full_pass_run};
