/* The packed R-tree kept from frame to frame (kernels/rtree_moved.cl). */
#include "broad_rtree.h"

#include "error.h"
#include "prim.h"
#include "slots.h"

#include <string.h>

#define LEAVES_OF_STRIP 8

/* No node has changed. */
static int clear_changed(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    size_t nodes = t->lay.level0[t->lay.levels + 1];
    uint32_t *none = NULL;
    TRY(mem_alloc(in->c->mem, nodes * sizeof *none, &none));
    memset(none, 0, nodes * sizeof *none);
    TRY(buffer_put(in->c->dev, &t->kept.changed, none, nodes));
out:
    mem_free(in->c->mem, none);
    return err;
}

/* Which slot each primitive has. No leaf has a mark yet. Made for the first kept frame of a tree:
 * fresh frames do without. */
static int find_slots(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t leaves = rtree_slots(t) / RTREE_WIDTH;
    t->kept.slotted = 0;
    TRY(buffer_fit(d, &t->kept.slot_of, in->view->prims));
    TRY(buffer_fit(d, &t->kept.mark, rtree_slots(t)));
    TRY(buffer_fit(d, &t->kept.leaf_mark, leaves));
    /* Primitives that are in no leaf keep this. */
    TRY(RUN(d, rtree_nowhere, in->view->prims, &t->kept.slot_of));
    TRY(RUN(d, rtree_slot_of, t->lay.rank0[1], &t->leaves.id, &t->kept.slot_of));
    TRY(RUN(d, rtree_unmark, leaves, 1u, &t->kept.mark, &t->kept.leaf_mark));
    TRY(clear_changed(t, in));
    t->kept.slotted = 1;
out:
    return err;
}

/* The leaves with a mark, as a list. */
static int list_leaves(rtree *t, device *d)
{
    int err = IMP_OK;
    uint32_t first[2];
    const uint32_t start[2] = {0, rtree_slots(t) / RTREE_WIDTH};
    TRY(segments_cut(d, &t->kept.cut, start, 1));
    TRY(compact(d, &t->kept.cut, &t->kept.leaf_mark, 1, &t->kept.leaf, &t->kept.moved0, first));
    t->kept.marked = first[1];
out:
    return err;
}

/* Marks of the last kept frame are removed first. */
static int mark_moved(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    if (!t->kept.slotted)
        TRY(find_slots(t, in));
    TRY(RUN(d, rtree_unmark, rtree_slots(t) / RTREE_WIDTH, 0u, &t->kept.mark, &t->kept.leaf_mark));
    TRY(RUN(d, rtree_mark, t->kept.moved->count, &t->kept.moved->prim, &t->kept.slot_of,
            &t->kept.mark));
    TRY(RUN(d, rtree_mark_leaves, t->kept.moved->count, &t->kept.moved->prim, &t->kept.slot_of,
            &t->kept.mark, &t->kept.leaf_mark));
out:
    return err;
}

static int moved_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_moved_count, n, q->at, &t->kept.leaf, &t->kept.mark,
               SCENE_OF(in, q->range), RTREE_OF(t), &t->queries.count);
}

/* Strips emit. */
static const query_calls moved_calls = {moved_count, NULL, NULL};

static int moved_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                        uint32_t capacity, pairs *out)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_moved_strips, n, k->at, &t->kept.leaf, &t->kept.mark,
               SCENE_OF(in, k->range), RTREE_OF(t), CHUNKS_OF(&k->list), capacity, &k->offset,
               &t->kept.strips.count, &out->a, &out->b);
}

/* The pairs by leaf, counted. */
static int count_moved(rtree *t, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const broad_range all = {0, UINT32_MAX};
    TRY(queries_begin(&t->queries, in, all, &t->kept.moved0, t->kept.marked, &moved_calls, t,
                      info));
    if (t->queries.total >= UINT32_MAX) /* a leaf may have more pairs than it could count */
        TRY(pairs_few(UINT64_MAX));
out:
    return err;
}

/* Short strips: few leaves may have a mark, and all threads should have some. */
static int rtree_update_strips(rtree *t, const broad_input *in)
{
    const broad_range all = {0, UINT32_MAX};
    const uint32_t start[2] = {0, t->kept.marked};
    strips_begin(&t->kept.strips, all);
    return strips_make(&t->kept.strips, in, start, 1, LEAVES_OF_STRIP);
}

/* The corners and objects that leaves have of their primitives. They only change where primitives
 * come and go. */
static int refill(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    const prim_set *s = &in->bounds->broad;
    TRY(RUN(in->c->dev, rtree_refill, t->kept.marked, &t->kept.leaf, &t->leaves.id, &t->kept.mark,
            corners_asked(broad_rules(in)), &s->corner, rtree_objects(in), &s->object,
            &t->leaves.corner, &t->leaves.object, &t->leaves.leaf_object));
out:
    return err;
}

/* The levels above the first, where leaves below have changed: from below, so that each level sees
 * its children's new bounds. */
static int renew_levels(rtree *t, device *d)
{
    int err = IMP_OK;
    const uint32_t *at = t->lay.level0;
    for (uint32_t l = 2; l <= t->lay.levels; l++) {
        uint32_t below = at[l] - at[l - 1];
        TRY(RUN(d, rtree_renew, below, below, at[l - 2], at[l - 1], at[l], &t->leaves.node,
                &t->kept.changed));
    }
out:
    return err;
}

/* New bounds in the leaves with a mark. *written counts entries that changed, as other methods
 * report them. */
static int refit(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    TRY(buffer_fit(d, &t->kept.others, t->kept.marked));
    TRY(RUN(d, rtree_refit, t->kept.marked, rtree_slots(t) / RTREE_WIDTH, &t->kept.leaf,
            &t->leaves.id, &t->kept.mark, &in->bounds->broad.box, &t->leaves.node, &t->kept.others,
            &t->kept.changed));
    TRY(scan_counts(d, &t->kept.cut.scan, &t->kept.others, t->kept.marked, &t->kept.cut.offset,
                    written));
    /* Else leaves have the same primitives as before. */
    if (in->view->slots && in->view->slots->changes.count)
        TRY(refill(t, in));
out:
    return err;
}

/* Rebuilds the whole tree where no slot is free behind its leaves. The marks are lost with the old
 * order, so they are set again. */
static int build_again(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    TRY(rtree_build(t, in));
    TRY(mark_moved(t, in));
    *written = in->view->prims - slots_absent(in->view->slots);
out:
    return err;
}

/* Pairs of those that moved as they were: by the tree of the frame before and its bounds. count is
 * NULL where that number is known from the last frame; the host needs the list of leaves in any
 * case. */
static int rtree_leave(void *state, const broad_input *in, const movers *moved, uint64_t *count)
{
    int err = IMP_OK;
    rtree *t = state;
    imp_frame_info info = {0};
    t->kept.moved = moved;
    TRY(mark_moved(t, in));
    TRY(list_leaves(t, in->c->dev));
    if (!count)
        goto out;
    TRY(count_moved(t, in, &info));
    *count = info.candidates;
out:
    return err;
}

/* First what comes, while leaves have their old bounds: these decide which of them can take it. */
static int rtree_enter(void *state, const broad_input *in, imp_frame_info *info, uint64_t *written)
{
    int err = IMP_OK, came = 0, full = 0;
    rtree *t = state;
    (void)info; /* strips count their pairs as they find them */
    if (in->view->slots && in->view->slots->changes.count)
        TRY(rtree_come(t, in, &came, &full));
    if (full)
        TRY(build_again(t, in, written));
    else
        TRY(refit(t, in, written));
    if (came && !full) {
        TRY(rtree_settle(t, in));
        *written += t->delta.count;
    }
    if (!full)
        TRY(renew_levels(t, in->c->dev));
    if (came)
        /* Leaves of the delta have marks that the list does not have yet. */
        TRY(list_leaves(t, in->c->dev));
    TRY(rtree_update_strips(t, in));
out:
    return err;
}

static int rtree_moved_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                            candidates *out)
{
    rtree *t = state;
    return strips_next(&t->kept.strips, in, most, info, moved_strips, t, &out->of);
}

static int rtree_moved_done(const void *state)
{
    const rtree *t = state;
    return strips_done(&t->kept.strips);
}

const broad_keeping rtree_keeping = {NULL, rtree_leave, rtree_enter, rtree_moved_next,
                                     rtree_moved_done};

void rtree_keeping_free(rtree *t, const context *c)
{
    device *d = c->dev;
    buffer *mine[] = {&t->kept.slot_of.raw, &t->kept.mark.raw,   &t->kept.leaf_mark.raw,
                      &t->kept.leaf.raw,    &t->kept.moved0.raw, &t->kept.others.raw,
                      &t->kept.changed.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
    segments_free(d, &t->kept.cut);
    strips_free(&t->kept.strips, c);
    rtree_delta_free(t, d);
}
