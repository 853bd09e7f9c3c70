/* A frame that goes on from the one before (keep.h): only pairs with a primitive that moved are
 * looked for and tested. */
#include "walk.h"

#include "clock.h"
#include "error.h"

/* Contacts of pairs with one that moved, into keep.fresh. */
static int moved_contacts(walk *w, const broad_input *in, const broad_keeping *how, void *table,
                          imp_frame_info *info)
{
    int err = IMP_OK;
    double start = clock_seconds();
    const context *c = w->c;
    rooms *r = w->r;
    keep *k = &r->keep;
    narrow_clear(&r->narrow);
    r->found.id = NULL; /* pairs are of primitives */
    r->found.triangle = NULL;
    while (!how->done(table)) {
        TRY(how->next(table, in, walk_piece(c), info, &r->found));
        TRY(device_finish(c->dev));
        if (r->block.roster)
            TRY(roster_orient(c, r->block.roster, &k->places, &r->found));
        room_time(&w->t->broad, &start);
        TRY(narrow_collect(c, &r->block, &r->bounds, &r->found, &r->narrow));
        room_time(&w->t->narrow, &start);
    }
    TRY(walk_order(w, &start));
    kept_rows_open(c->mem, c->opt.columns, &k->fresh);
    k->fresh_err = IMP_OK;
    TRY(contact_emit(c, &r->block, &r->bounds, &r->narrow, keep_fresh_sink, k, info));
    TRY(k->fresh_err);
    TRY(keep_merge(k));
    info->undecided += k->opens;
    TRY(keep_add_open(c, k, &r->narrow.undecided));
    room_time(&w->t->narrow, &start);
out:
    return err;
}

int walk_next(walk *w, imp_frame_info *info, int *done)
{
    int err = IMP_OK, same = 0;
    double start = clock_seconds();
    const context *c = w->c;
    rooms *r = w->r;
    keep *k = &r->keep;
    const broad_input in = {.c = c, .block = &r->block, .bounds = &r->bounds, .kept = 1};
    void *table;
    const broad_keeping *how = broad_keeps(&r->broad, &table);
    uint64_t left = k->found, written = 0;
    if (!how || !keep_fits(k, &r->block))
        goto out;
    k->ready = 0;
    r->bounds.frame = r->block.frame;
    TRY(keep_points_next(c, &r->block, &r->bounds, k, &same));
    if (!same)
        goto out;
    room_time(&w->t->bound, &start);
    /* where the same ones moved last time their pairs are those that were found then */
    TRY(how->leave(table, &in, &k->moved, k->found_known && k->moved.same ? NULL : &left));
    room_time(&w->t->broad, &start);
    if (r->block.roster)
        TRY(roster_write(c, &k->places, &r->block, &r->bounds));
    TRY(keep_bounds(c, &r->block, &r->bounds, k));
    TRY(device_finish(c->dev));
    room_time(&w->t->bound, &start);
    TRY(how->enter(table, &in, info, &written));
    room_time(&w->t->broad, &start);
    TRY(moved_contacts(w, &in, how, table, info));
    k->found = info->candidates;
    k->found_known = 1;
    info->candidates += k->candidates - left;
    info->contacts = k->rows.count;
    info->touched = written;
    start = clock_seconds() - w->gate.outside;
    w->gate.seen = w->gate.ranges;
    if (r->block.roster)
        TRY(keep_hand_out_placed(c, k, r->block.roster, gate_sink, &w->gate));
    else
        TRY(keep_hand_out(k, gate_sink, &w->gate));
    w->gate.ranges = w->gate.seen;
    start += w->gate.outside;
    room_time(&w->t->narrow, &start);
    k->candidates = info->candidates;
    if (r->block.roster)
        roster_settled(r->block.roster);
    k->ready = *done = 1;
out:
    return err;
}
