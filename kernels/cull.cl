/* The object phase, where the rules on objects exclude pairs: before the broad phase it finds which
 * objects are near each other, and where. An object consists of one or more clusters of primitives
 * with close numbers. The clusters' boxes are in a packed R-tree (rtree.cl), in which each cluster
 * searches for those that it may have pairs with. A primitive that touches none of them has no
 * partner and is left out: its bounds become empty.
 *
 * Culling is optional, so the memory of a cluster is bounded: sixteen boxes, of clusters that it
 * overlaps or, if these are too many, of nodes of the tree. Included after rtree_team.cl. */
#include "rtree.h"
#ifndef IMP_DEVICE
#include "lanes.h"
#endif

#define CULL_NEAR RTREE_WIDTH /* boxes that a cluster stores */
#define CULL_VISITS 64        /* nodes that it visits */
#define CULL_KEPT 0xffffffffu /* its own primitives may have pairs: none is left out */

/* all[6 c ..]: the box of cluster c, which holds the primitives from first[c] to last[c] that are
 * of its object */
KERNEL void cull_boxes(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                       GLOBAL const i32 *own, GLOBAL const i32 *object, GLOBAL const f32 *box,
                       GLOBAL f32 *all)
{
    if (ITEM >= n)
        return;
    f32 sum[6];
    rtree_box_none(sum);
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        GLOBAL const f32 *b = box_at(box, i);
        for (u32 k = 0; k < 6 && object[i] == own[ITEM]; k++)
            sum[k] = rtree_wider(k, sum[k], b[k]);
    }
    for (u32 k = 0; k < 6; k++)
        all[(size_t)BOX_BOUNDS * ITEM + k] = sum[k];
}

/* ---- clusters that are near each other */

/* A cluster as a query for leaves of the tree. */
typedef struct cull_query {
    f32 lo[3], hi[3];
    i32 object;
    rtree_span span;
} cull_query;

/* bits of the boxes, out of sixteen stored in rows like a node's, that overlap the box lo, hi */
FN u32 cull_overlaps(GLOBAL const f32 *box, const f32 *lo, const f32 *hi)
{
#ifndef IMP_DEVICE
    return node_overlaps(box, lo, hi);
#else
    u32 bits = 0;
    for (u32 e = 0; e < RTREE_WIDTH; e++, box++) {
        u32 near = (box[0] <= hi[0]) & (box[RTREE_WIDTH] <= hi[1]) &
                   (box[2 * RTREE_WIDTH] <= hi[2]) & (box[3 * RTREE_WIDTH] >= lo[0]) &
                   (box[4 * RTREE_WIDTH] >= lo[1]) & (box[5 * RTREE_WIDTH] >= lo[2]);
        bits |= near << e;
    }
    return bits;
#endif
}

/* Returns whether the objects in this leaf allow pairs with the query. */
FN i32 cull_leaf(u32 rules, const rtree *t, i32 object, u32 leaf)
{
    i32 least = t->leaf_object[(size_t)2 * leaf], most = t->leaf_object[(size_t)2 * leaf + 1];
    if (rules & RULE_SELF)
        return least <= object && object <= most;
    return !(rules & RULE_BETWEEN) || least != object || most != object;
}

/* The children of node g of a level that the query may have pairs with. */
FN u32 cull_children(u32 rules, GLOBAL const u64 *list, u32 listed, const rtree *t,
                     const cull_query *q, u32 level, u32 g)
{
    u32 near =
        cull_overlaps(rtree_node(t, level, g), q->lo, q->hi) & rtree_within(q->span, level, g);
    u32 bits = near;
    for (; near && level < 2; near &= near - 1) {
        u32 lowest = bit_lowest(near), child = RTREE_WIDTH * g + lowest;
        if (!(level ? cull_leaf(rules, t, q->object, child)
                    : objects_meet(rules, list, listed, q->object, t->object[child])))
            bits &= ~(1u << lowest);
    }
    return bits;
}

/* Appends the children in `bits` to at[] from at[count] on. Children are numbered across all nodes:
 * 16 node + lane. */
FN u32 cull_put(u32 bits, u32 node, u32 *at, u32 count)
{
    for (; bits; bits &= bits - 1)
        at[count++] = RTREE_WIDTH * node + bit_lowest(bits);
    return count;
}

/* Replaces the current nodes by their children, level by level, as long as these fit. Returns the
 * number of current nodes. */
FN u32 cull_look(u32 rules, GLOBAL const u64 *list, u32 listed, const rtree *t, const cull_query *q,
                 u32 *at)
{
    u32 top = 1, visits = 0;
    while (q->span.begin >> 4 * top != (q->span.end - 1) >> 4 * top)
        top++;
    u32 g = q->span.begin >> 4 * top;
    u32 count =
        cull_put(cull_children(rules, list, listed, t, q, top, g), t->level0[top] + g, at, 0);
    for (u32 level = top; level > 0; level--)
        for (u32 e = 0; e < count && visits < CULL_VISITS;) {
            u32 first = RTREE_WIDTH * t->level0[level];
            if (at[e] < first || (level < top && at[e] >= RTREE_WIDTH * t->level0[level + 1])) {
                e++;
                continue;
            }
            g = at[e] - first;
            u32 bits = cull_children(rules, list, listed, t, q, level - 1, g);
            visits++;
            if (count - 1 + bit_count(bits) > CULL_NEAR) {
                e++;
                continue;
            }
            at[e] = at[--count];
            count = cull_put(bits, t->level0[level - 1] + g, at, count);
        }
    return count;
}

/* near[96 c ..]: up to sixteen boxes, in rows like a node's; a primitive of cluster c with a pair
 * touches one of them. count[c]: their number, or CULL_KEPT. The clusters of frame f begin at
 * cluster0[f]; where apart[f] is set, clusters of the first cluster's object search only others and
 * vice versa, and each of the two is a part of the tree. */
KERNEL void cull_near(ITEM_ARG u32 n, GLOBAL const u32 *frame, GLOBAL const u32 *cluster0,
                      GLOBAL const u32 *apart, GLOBAL const f32 *box, GLOBAL const i32 *object,
                      GLOBAL const u64 *list, u32 listed, u32 rules, RTREE_ARGS, GLOBAL f32 *near,
                      GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const rtree t = RTREE;
    u32 f = frame[ITEM], at[CULL_NEAR], found = 0;
    cull_query q;
    q.object = object[ITEM];
    if (objects_meet(rules, list, listed, q.object, q.object)) {
        count[ITEM] = CULL_KEPT;
        return;
    }
    for (u32 k = 0; k < 3; k++) {
        q.lo[k] = box_at(box, ITEM)[k];
        q.hi[k] = box_at(box, ITEM)[k + 3];
    }
    u32 segment = parts * f + (apart[f] && object[cluster0[f]] == q.object);
    q.span.begin = leaf0[segment];
    q.span.end = leaf0[segment + 1];
    if (q.span.begin < q.span.end)
        found = cull_look(rules, list, listed, &t, &q, at);
    GLOBAL f32 *out = near + (size_t)RTREE_NODE * ITEM;
    for (u32 e = 0; e < RTREE_NODE; e++)
        out[e] = box_none(e / RTREE_WIDTH);
    for (u32 e = 0; e < found; e++) {
        GLOBAL const f32 *b =
            node + (size_t)RTREE_NODE * (at[e] / RTREE_WIDTH) + at[e] % RTREE_WIDTH;
        for (u32 k = 0; k < 6; k++)
            out[RTREE_WIDTH * k + e] = b[RTREE_WIDTH * k];
    }
    count[ITEM] = found;
}

/* ---- primitives without partners */

/* Gives empty bounds to primitives that touch none of their cluster's boxes. */
KERNEL void cull_far(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                     GLOBAL const i32 *own, GLOBAL const i32 *object, GLOBAL const f32 *near,
                     GLOBAL const u32 *count, GLOBAL f32 *box)
{
    if (ITEM >= n || count[ITEM] == CULL_KEPT)
        return;
    GLOBAL const f32 *others = near + (size_t)RTREE_NODE * ITEM;
    for (u32 i = first[ITEM], end = last[ITEM], any = count[ITEM]; i < end; i++) {
        if (object[i] != own[ITEM]) /* another cluster's, which may write it at the same time */
            continue;
        GLOBAL f32 *b = box + (size_t)BOX_BOUNDS * i;
        const f32 lo[3] = {b[0], b[1], b[2]}, hi[3] = {b[3], b[4], b[5]};
        if (any && cull_overlaps(others, lo, hi))
            continue;
        b[0] = box_none(0);
        b[3] = box_none(3);
    }
}
