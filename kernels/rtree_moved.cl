/* The tree of rtree.cl kept from one frame to the next, where the primitives keep their slots:
 * bounds of those that moved are written, and the boxes above them. Pairs with one that moved are
 * found by it, of two by the one in the slot before. To follow rtree.cl and rtree_team.cl; one
 * frame, one part.
 *
 * A tree whose primitives have moved far is slow, not wrong. */
#include "rtree.h"

/* mark[slot]: is there a primitive that moved? Slots that are left over are none. */
KERNEL void rtree_mark(ITEM_ARG u32 n, u32 ranks, GLOBAL const u32 *id, GLOBAL const u8 *moved,
                       GLOBAL u8 *mark)
{
    if (ITEM >= n)
        return;
    mark[ITEM] = ITEM < ranks && moved[id[ITEM]];
}

/* The same of leaves: is there a slot with a mark? */
KERNEL void rtree_mark_leaves(ITEM_ARG u32 n, GLOBAL const u8 *mark, GLOBAL u8 *leaf_mark)
{
    u8 any = 0;
    if (ITEM >= n)
        return;
    for (u32 e = 0; e < RTREE_WIDTH; e++)
        any |= mark[RTREE_WIDTH * ITEM + e];
    leaf_mark[ITEM] = any;
}

/* New bounds into the leaf's slots with a mark; changed[leaf]: how many are other than they were.
 * Then the leaf's box, as that of a child on level 1. */
KERNEL void rtree_refit(ITEM_ARG u32 n, u32 leaves, GLOBAL const u32 *id, GLOBAL const u8 *mark,
                        GLOBAL const u8 *leaf_mark, GLOBAL const f32 *box, GLOBAL f32 *node,
                        GLOBAL u32 *changed)
{
    if (ITEM >= n)
        return;
    changed[ITEM] = 0;
    if (!leaf_mark[ITEM])
        return;
    GLOBAL f32 *own = node + (size_t)RTREE_NODE * ITEM, *child = rtree_child(node, leaves, ITEM);
    u32 others = 0;
    f32 all[6];
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 slot = RTREE_WIDTH * ITEM + e, other = 0;
        if (!mark[slot])
            continue;
        GLOBAL const f32 *b = box_at(box, id[slot]);
        for (u32 k = 0; k < 6; k++) {
            other |= own[RTREE_WIDTH * k + e] != b[k];
            own[RTREE_WIDTH * k + e] = b[k];
        }
        others += other;
    }
    changed[ITEM] = others;
    if (!others)
        return;
    rtree_box_none(all);
    for (u32 k = 0; k < 6; k++) {
        for (u32 e = 0; e < RTREE_WIDTH; e++)
            all[k] = rtree_wider(k, all[k], own[RTREE_WIDTH * k + e]);
        child[RTREE_WIDTH * k] = all[k];
    }
}

/* Corners and objects of what is in the slots of a leaf with a mark, where primitives come and go.
 */
KERNEL void rtree_refill(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL const u8 *mark,
                         GLOBAL const u8 *leaf_mark, u32 corners, GLOBAL const u32 *corner,
                         u32 objects, GLOBAL const i32 *object, GLOBAL u32 *slot_corner,
                         GLOBAL i32 *slot_object, GLOBAL i32 *leaf_object)
{
    if (ITEM >= n || !leaf_mark[ITEM])
        return;
    i32 least = 0, most = 0;
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 slot = RTREE_WIDTH * ITEM + e, i = id[slot];
        for (u32 k = 0; k < corners && mark[slot]; k++)
            slot_corner[(size_t)RTREE_WIDTH * (corners * ITEM + k) + e] =
                corner[(size_t)corners * i + k];
        if (!objects)
            continue;
        slot_object[slot] = object[i];
        least = e && least < object[i] ? least : object[i];
        most = e && most > object[i] ? most : object[i];
    }
    if (objects) {
        leaf_object[(size_t)2 * ITEM] = least;
        leaf_object[(size_t)2 * ITEM + 1] = most;
    }
}

/* all leaves */
FN rtree_span rtree_whole(GLOBAL const u32 *leaf0, u32 parts)
{
    rtree_span all;
    all.begin = 0;
    all.end = leaf0[parts];
    return all;
}

/* ---- looking: on GPUs a slot that moved, on CPUs the slots of a leaf that moved at a time */

#ifdef IMP_GROUP_FORMS

/* All pairs of the primitive in a slot that are its to find. */
FN void moved_find(const scene *s, const rtree *t, u32 slot, rtree_span span,
                   GLOBAL const u8 *moved, finds *out)
{
    rtree_find(s, t, slot, span, moved, out);
}

#else

/* The lanes that moved; the box of the team becomes theirs. */
FN u32 moved_lanes(GLOBAL const u8 *moved, team *m)
{
    u32 lanes = 0;
    for (u32 k = 0; k < 3; k++) {
        m->low[k] = BOUND_NONE;
        m->high[k] = -BOUND_NONE;
    }
    for (u32 i = 0; i < LANES; i++) {
        if (!moved[m->id[i]])
            continue;
        lanes |= 1u << i;
        for (u32 k = 0; k < 3; k++) {
            m->low[k] = m->lo[k][i] < m->low[k] ? m->lo[k][i] : m->low[k];
            m->high[k] = m->hi[k][i] > m->high[k] ? m->hi[k][i] : m->high[k];
        }
    }
    return lanes;
}

/* Which of the lanes find slot j? See rtree_passed. */
FN u32 moved_finders(const rtree *t, u32 leaf, u32 lanes, GLOBAL const u8 *moved, u32 j)
{
    u32 first = RTREE_WIDTH * leaf;
    if (!moved[t->id[j]] || j - first >= RTREE_WIDTH)
        return moved[t->id[j]] && j < first ? 0 : lanes;
    return lanes & ((1u << (j - first)) - 1);
}

/* All pairs of those that moved in a leaf that are theirs to find. */
FN void moved_find(const scene *s, const rtree *t, u32 leaf, rtree_span span,
                   GLOBAL const u8 *moved, finds *out)
{
    team m;
    leaf_walk w;
    near_slots near;
    i32 end = 0;
    leaf_load(s, t, 0, leaf, &m);
    u32 lanes = moved_lanes(moved, &m);
    walk_begin(t, &m, span, &w);
    while (!end) {
        end = walk_on(s, t, &m, leaf, span, &w, &near);
        for (u32 i = 0; i < near.count; i++) {
            u32 j = near.slot[i], hits = moved_finders(t, leaf, lanes, moved, j);
            GLOBAL const f32 *b = rtree_node(t, 0, j / RTREE_WIDTH) + j % RTREE_WIDTH;
            hits = hits ? hits & team_overlaps(&m, b, LANES) : 0;
            hits = hits ? leaf_wanted(s, t, &m, j, hits) : 0;
            if (hits)
                leaf_found(s, t, &m, RTREE_WIDTH * leaf, j, hits, out);
        }
    }
}

#endif

/* count[i]: pairs found by slot, or leaf, which[i] */
KERNEL void rtree_moved_count(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *which,
                              GLOBAL const u8 *moved, SCENE_ARGS, RTREE_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    finds x = finds_make(&s, 0, 0, sink_none());
    moved_find(&s, &t, which[query0 + ITEM], rtree_whole(leaf0, parts), moved, &x);
    count[query0 + ITEM] = x.found;
}

KERNEL void rtree_moved_emit(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *which,
                             GLOBAL const u8 *moved, SCENE_ARGS, RTREE_ARGS,
                             GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u64 at = offset[query0 + ITEM];
    finds x = finds_make(&s, (u32)(offset[query0 + ITEM + 1] - at), 0, sink_at(a, b, at - base));
    moved_find(&s, &t, which[query0 + ITEM], rtree_whole(leaf0, parts), moved, &x);
}
