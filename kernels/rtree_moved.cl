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

/* New bounds into the leaf's slots with a mark; changed[leaf]: how many are other than they were.
 * Then the leaf's box, as that of a child on level 1. */
KERNEL void rtree_refit(ITEM_ARG u32 n, u32 leaves, GLOBAL const u32 *id, GLOBAL const u8 *mark,
                        GLOBAL const f32 *box, GLOBAL f32 *node, GLOBAL u32 *changed)
{
    if (ITEM >= n)
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
KERNEL void rtree_refill(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL const u8 *mark, u32 corners,
                         GLOBAL const u32 *corner, u32 objects, GLOBAL const i32 *object,
                         GLOBAL u32 *slot_corner, GLOBAL i32 *slot_object, GLOBAL i32 *leaf_object)
{
    if (ITEM >= n)
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

/* All pairs of the primitive in a slot that are its to find. */
#ifdef IMP_GROUP_FORMS

FN void moved_find(const scene *s, const rtree *t, u32 slot, rtree_span span,
                   GLOBAL const u8 *moved, finds *out)
{
    rtree_find(s, t, slot, span, moved, out);
}

#else

/* On CPUs the walk is that of a leaf (rtree_team.cl), with the one box instead of that of all. */
FN void moved_find(const scene *s, const rtree *t, u32 slot, rtree_span span,
                   GLOBAL const u8 *moved, finds *out)
{
    GLOBAL const f32 *b = rtree_node(t, 0, slot / RTREE_WIDTH) + slot % RTREE_WIDTH;
    rtree_query q;
    team m;
    leaf_walk w;
    near_slots near;
    i32 end = 0;
    for (u32 k = 0; k < 3; k++) {
        m.low[k] = b[RTREE_WIDTH * k];
        m.high[k] = b[RTREE_WIDTH * (k + 3)];
    }
    rtree_query_corners(t, &q, slot);
    walk_begin(t, &m, span, &w);
    while (!end) {
        end = walk_on(s, t, &m, slot / RTREE_WIDTH, span, &w, &near);
        for (u32 i = 0; i < near.count; i++)
            if (!rtree_passed(t, moved, slot, near.slot[i]) && !rtree_shares(t, &q, near.slot[i]))
                finds_hit(s, t->id, out, slot, near.slot[i]);
    }
}

#endif

/* count[i]: pairs found by the primitive in slot[i], which moved */
KERNEL void rtree_moved_count(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *slot,
                              GLOBAL const u8 *moved, SCENE_ARGS, RTREE_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    finds x = finds_make(&s, 0, 0, sink_none());
    moved_find(&s, &t, slot[query0 + ITEM], rtree_whole(leaf0, parts), moved, &x);
    count[query0 + ITEM] = x.found;
}

KERNEL void rtree_moved_emit(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *slot,
                             GLOBAL const u8 *moved, SCENE_ARGS, RTREE_ARGS,
                             GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    finds x = finds_make(&s, 0xffffffffu, 0, sink_at(a, b, offset[query0 + ITEM] - base));
    moved_find(&s, &t, slot[query0 + ITEM], rtree_whole(leaf0, parts), moved, &x);
}
