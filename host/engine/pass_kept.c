/* The pass of a frame that continues from the one before (keep.h): only pairs with a primitive that
 * moved are looked for and tested. */
#include "pass.h"

#include "error.h"
#include "verify.h"

int pass_kept_can(walk *w, int *can)
{
    int err = IMP_OK;
    workspace *r = w->r;
    void *table;
    *can = 0;
    if (!keep_fits(&r->keep, &r->view))
        return IMP_OK;
    if (!broad_keeps(&r->broad, &table)) {
        w->reason = "the broad phase keeps no table";
        return IMP_OK;
    }
    walk_start(w);
    /* The points that are kept are replaced now: after an error, or in another unit, they no longer
     * fit the rows. */
    r->keep.ready = 0;
    TRY(keep_points_next(w->c, &r->view, &r->bounds, &r->keep, can));
    w->reason = *can ? "" : "another extent, or a vertex is not finite";
    walk_time(w, &w->t->bound);
out:
    return err;
}

/* bound: of what moved. *left: the number of candidates of the last frame that no longer hold. The
 * table is asked before slots and bounds change, since it finds the old pairs by the old bounds. */
static int bound_moved(walk *w, const broad_input *in, uint64_t *left)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    keep *k = &r->keep;
    void *table;
    const broad_keeping *how = broad_keeps(&r->broad, &table);
    *left = k->found;
    /* if the same primitives moved last time, their pairs are the ones found then */
    TRY(how->leave(table, in, &k->moved, k->found_known && k->moved.same ? NULL : left));
    walk_time(w, &w->t->broad);
    if (r->view.slots)
        TRY(slots_write(c, &k->slots, &r->view, &r->bounds));
    TRY(keep_bounds(c, &r->view, &r->bounds, k));
    TRY(walk_stage(w, &w->t->bound));
out:
    return err;
}

/* broad -> narrow: pairs with a primitive that moved. No ranges are needed: few pairs have a
 * primitive that moved, and where memory is short the corridor repeats the block as a fresh one. */
static int find_moved(walk *w, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    void *table;
    const broad_keeping *how = broad_keeps(&r->broad, &table);
    TRY(how->enter(table, in, info, &info->entries_written));
    walk_time(w, &w->t->broad);
    narrow_clear(&r->narrow);
    r->found.ranks = NULL; /* pairs are of prims, */
    r->found.later = NULL; /* and counted */
    while (!how->done(table)) {
        TRY(how->next(table, in, walk_piece(c), info, &r->found));
        if (r->view.slots)
            TRY(slots_orient(c, r->view.slots, &r->keep.slots, &r->found.of));
        TRY(walk_stage(w, &w->t->broad));
        TRY(narrow_collect(c, &r->view, &r->bounds, &r->found, &r->narrow));
        walk_time(w, &w->t->narrow);
    }
out:
    return err;
}

/* order -> rows: the fresh ones join those of the last frame that still hold. */
static int merge_moved(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    keep *k = &r->keep;
    TRY(order(c, &r->view, &r->sort, &r->narrow));
    walk_time(w, &w->t->order);
    TRY(verify_pairs(c, &r->view, &r->narrow));
    contact_rows_open(c->mem, c->opt.columns, &k->fresh);
    TRY(contact_emit(c, &r->view, &r->bounds, &r->narrow, &r->emission, keep_fresh, k, info));
    walk_exact(w);
    TRY(keep_merge(k));
    /* The old ones that still hold, after keep_merge has removed the others; contact_emit has
     * counted the fresh ones. */
    info->undecided += k->undecided.count;
    TRY(keep_add_undecided(c, k, &r->narrow.undecided));
    walk_time(w, &w->t->narrow);
out:
    return err;
}

static int incremental_pass_output(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    info->contacts = r->keep.rows.count;
    /* These rows are in r->keep already. */
    w->out.record = NULL;
    TRY(handout_kept(&w->out, w->c, &r->view, &r->keep.rows));
    handout_range_done(&w->out);
    walk_time(w, &w->t->narrow);
out:
    return err;
}

/* Primitives that did not change; free slots are none. */
static uint32_t incremental_pass_kept(const view *v, const movers *m)
{
    uint32_t n = v->slots ? v->slots->count : v->prims;
    for (uint32_t i = 0; i < m->count; i++)
        n -= !v->slots || v->slots->cell[m->list[i]].n != NO_NUMBER;
    return n;
}

static int kept(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    keep *k = &r->keep;
    const broad_input in = walk_input(w, 1);
    uint64_t left;
    walk_start(w);
    TRY(bound_moved(w, &in, &left));
    TRY(find_moved(w, &in, info));
    TRY(merge_moved(w, info));
    k->found = info->candidates;
    k->found_known = 1;
    /* All of the last frame, without the old pairs of what moved: with the new ones the number that
     * a fresh pass finds. */
    info->candidates += k->candidates - left;
    TRY(incremental_pass_output(w, info));
    k->candidates = info->candidates;
    info->kept = incremental_pass_kept(&r->view, &k->moved);
    if (r->view.slots)
        slots_settled(r->view.slots);
    k->ready = 1;
out:
    return err;
}

const pass pass_kept = {"incremental", kept};
