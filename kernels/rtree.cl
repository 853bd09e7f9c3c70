/* A packed R-tree (README.md): primitives in the order of a Hilbert curve through the middles of
 * their boxes, sixteen a leaf, sixteen nodes a node above, and so on. Nothing in it depends on size
 * or density.
 *
 * A leaf belongs to one segment: a frame, or one of its two parts if just two objects are tested
 * against each other. A leaf has positions, 16 leaf + lane; unused ones overlap nothing. A node is
 * RTREE_NODE floats, sixteen in a row for each bound: those of a leaf's primitives on level 0,
 * those of the nodes below on other levels. Node g of level l is node number level0[l] + g; its
 * children, nodes 16 g .. of level l - 1, cover consecutive leaves, so the tree needs no links.
 *
 * A pair is found by the leaf that is first; a pair within a leaf once. */
#include "dop.h"
#include "finds.h"
#include "hilbert.h"
#include "prim.h"
#include "rtree.h"

/* The part of its frame that primitive i is in. With two parts, the object of primitive `one` is
 * the first one, or, if `bipartite` is RTREE_SWAPPED, the second one. */
FN u32 rtree_part(u32 bipartite, GLOBAL const i32 *object, u32 one, u32 i)
{
    return bipartite ? (object[i] != object[one]) ^ (bipartite == RTREE_SWAPPED) : 0;
}

/* entering[2 c + part]: number of primitives of chunk c that enter the tree */
KERNEL void rtree_entering(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                           GLOBAL const u32 *frame, GLOBAL const u32 *prim0,
                           GLOBAL const u32 *bipartite, GLOBAL const i32 *object,
                           GLOBAL const f32 *box, GLOBAL u32 *entering)
{
    if (ITEM >= n)
        return;
    u32 two = bipartite[frame[ITEM]], one = prim0[frame[ITEM]], count[2] = {0, 0};
    for (u32 i = first[ITEM]; i < last[ITEM]; i++)
        if (box_enters(box_at(box, i)))
            count[rtree_part(two, object, one, i)]++;
    entering[(size_t)2 * ITEM] = count[0];
    entering[(size_t)2 * ITEM + 1] = count[1];
}

/* The middle of a box along axis k in RTREE_BITS bits. It is in about [-1, 1] however the box has
 * grown, since growth is the same on both sides; excess by rounding is clamped. */
FN u32 rtree_middle(GLOBAL const f32 *box, u32 k)
{
    const f32 most = (f32)((1u << RTREE_BITS) - 1), cells = (f32)(1u << (RTREE_BITS - 2));
    f32 x = (box[k] + box[k + 3] + 2) * cells;
    return (u32)(x > 0 ? x < most ? x : most : 0);
}

/* The cell of a box's middle: `digits` digits after the first `before`. */
FN u32 rtree_cell(GLOBAL const f32 *box, u32 before, u32 digits)
{
    u32 drop = RTREE_BITS - before - digits;
    return hilbert_cell(rtree_middle(box, 0) >> drop, rtree_middle(box, 1) >> drop,
                        rtree_middle(box, 2) >> drop, digits);
}

/* The positions of up to four primitives i[count] on the curve: their first `digits` digits, or, if
 * `more` is not 0, the next `more` ones. */
FN void rtree_positions(GLOBAL const f32 *box, const u32 *i, u32 count, u32 digits, u32 more,
                        u32 *position)
{
    u32 state[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START}, cell[4] = {0};
    for (u32 k = 0; k < count; k++)
        cell[k] = rtree_cell(box_at(box, i[k]), 0, digits);
    hilbert_positions4(state, cell, digits, position);
    if (!more)
        return;
    for (u32 k = 0; k < count; k++)
        cell[k] = rtree_cell(box_at(box, i[k]), digits, more);
    hilbert_positions4(state, cell, more, position);
}

/* Writes segment and position as keys, and the numbers, of the primitives of chunk c that enter:
 * from entry0[c] on, or, if all enter, at their own indices. */
KERNEL void rtree_keys(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                       GLOBAL const u32 *frame, GLOBAL const u32 *prim0,
                       GLOBAL const u32 *bipartite, GLOBAL const i32 *object, GLOBAL const f32 *box,
                       u32 all, GLOBAL const u32 *entry0, u32 parts, u32 digits, GLOBAL u32 *key,
                       GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 f = frame[ITEM], two = bipartite[f], to = all ? first[ITEM] : entry0[ITEM];
    u32 mine[4], position[4], held = 0;
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        if (all || box_enters(box_at(box, i)))
            mine[held++] = i;
        if (held < 4 && i + 1 < last[ITEM])
            continue;
        rtree_positions(box, mine, held, digits, 0, position);
        for (u32 k = 0; k < held; k++, to++) {
            u32 segment = parts * f + rtree_part(two, object, prim0[f], mine[k]);
            key[to] = segment << (3 * digits) | position[k];
            value[to] = mine[k];
        }
        held = 0;
    }
}

#ifndef IMP_DEVICE

FN f32 rtree_extent(GLOBAL const f32 *box)
{
    return (box[3] - box[0]) + (box[4] - box[1]) + (box[5] - box[2]);
}

/* twice the distance of the middles of two boxes along all axes */
FN f32 rtree_step(GLOBAL const f32 *a, GLOBAL const f32 *b)
{
    f32 sum = 0;
    for (u32 k = 0; k < 3; k++) {
        f32 d = (a[k] + a[k + 3]) - (b[k] + b[k + 3]);
        sum += d < 0 ? -d : d;
    }
    return sum;
}

/* Of the first `most` primitives of chunk c that enter in the first part of the one frame: sum[2 c]
 * is the sum of the steps from each to the next, sum[2 c + 1] that of their extents. */
KERNEL void rtree_steps(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                        u32 bipartite, GLOBAL const i32 *object, GLOBAL const f32 *box, u32 most,
                        GLOBAL f32 *sum)
{
    if (ITEM >= n)
        return;
    f32 steps = 0, extents = 0;
    GLOBAL const f32 *before = 0;
    for (u32 i = first[ITEM], count = 0; i < last[ITEM] && count < most; i++) {
        GLOBAL const f32 *b = box_at(box, i);
        if (!box_enters(b) || rtree_part(bipartite, object, 0, i))
            continue;
        steps += before ? rtree_step(before, b) / 2 : 0;
        extents += before ? rtree_extent(b) : 0;
        before = b;
        count++;
    }
    sum[(size_t)2 * ITEM] = steps;
    sum[(size_t)2 * ITEM + 1] = extents;
}

/* As rtree_keys for the second part of the one frame, whose keys are written from part0[2 c + 1]
 * on. The first part's numbers are written from order[part0[2 c]] on, as they are. */
KERNEL void rtree_keys_second(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                              u32 bipartite, GLOBAL const i32 *object, GLOBAL const f32 *box,
                              GLOBAL const u32 *part0, u32 digits, GLOBAL u32 *order,
                              GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 mine[4], position[4], held = 0;
    u32 to[2] = {part0[(size_t)2 * ITEM], part0[(size_t)2 * ITEM + 1]};
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        if (box_enters(box_at(box, i))) {
            if (rtree_part(bipartite, object, 0, i))
                mine[held++] = i;
            else
                order[to[0]++] = i;
        }
        if (held < 4 && i + 1 < last[ITEM])
            continue;
        rtree_positions(box, mine, held, digits, 0, position);
        for (u32 k = 0; k < held; k++, to[1]++) {
            key[to[1]] = position[k];
            value[to[1]] = mine[k];
        }
        held = 0;
    }
}

#endif

/* For each range of `tile` sorted keys, the number of keys that equal the key RTREE_CROWD positions
 * later: their cells are crowded. */
KERNEL void rtree_crowd(ITEM_ARG u32 n, GLOBAL const u32 *key, u32 keys, u32 tile,
                        GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 begin = ITEM * tile, end = keys - begin > tile ? begin + tile : keys, sum = 0;
    for (u32 i = begin; i < end && keys - i > RTREE_CROWD; i++)
        sum += key[i] == key[i + RTREE_CROWD];
    count[ITEM] = sum;
}

/* The next digits after the first ones, in the current order; four entries an item. The previous
 * keys are stored by primitive in coarse[]. */
KERNEL void rtree_fine(ITEM_ARG u32 n, u32 entries, GLOBAL const u32 *value, GLOBAL const f32 *box,
                       u32 digits, u32 more, GLOBAL u32 *key, GLOBAL u32 *coarse)
{
    if (ITEM >= n)
        return;
    u32 first = 4 * ITEM, count = u32_min(entries - first, 4), mine[4], position[4];
    for (u32 k = 0; k < 4 && entries - first >= 20; k++)
        FETCH(box_at(box, value[first + 16 + k]));
    for (u32 k = 0; k < count; k++)
        mine[k] = value[first + k];
    rtree_positions(box, mine, count, digits, more, position);
    for (u32 k = 0; k < count; k++) {
        coarse[mine[k]] = key[first + k];
        key[first + k] = position[k];
    }
}

/* The first keys again, in the current order: a stable sort by these keeps the finer order within a
 * cell. */
KERNEL void rtree_again(ITEM_ARG u32 n, GLOBAL const u32 *value, GLOBAL const u32 *coarse,
                        GLOBAL u32 *key)
{
    if (ITEM >= n)
        return;
    key[ITEM] = coarse[value[ITEM]];
}

/* ---- nodes */

FN void rtree_box_none(f32 *box)
{
    for (u32 k = 0; k < BOX_BOUNDS; k++)
        box[k] = box_none(k);
}

/* bound k of the union of a and b */
FN f32 rtree_wider(u32 k, f32 a, f32 b)
{
    return k < 3 ? (b < a ? b : a) : (b > a ? b : a);
}

/* child c of the nodes from number `first` on */
FN GLOBAL f32 *rtree_child(GLOBAL f32 *node, u32 first, u32 c)
{
    return node + (size_t)RTREE_NODE * (first + c / RTREE_WIDTH) + c % RTREE_WIDTH;
}

/* A leaf of `count` primitives value[..], and its box as a child on level 1. Unused positions have
 * the data of the leaf's first primitive, or of primitive 0 in an empty leaf, with empty bounds. */
FN void rtree_leaf_make(u32 leaf, u32 leaves, u32 count, GLOBAL const u32 *value,
                        GLOBAL const f32 *box, u32 corners, GLOBAL const u32 *corner, u32 objects,
                        GLOBAL const i32 *object, GLOBAL f32 *node, GLOBAL u32 *id,
                        GLOBAL u32 *position_corner, GLOBAL i32 *position_object,
                        GLOBAL i32 *leaf_object)
{
    f32 all[6];
    i32 least = 0, most = 0;
    rtree_box_none(all);
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 i = count ? value[e < count ? e : 0] : 0, position = RTREE_WIDTH * leaf + e;
        GLOBAL const f32 *b = box_at(box, i);
        for (u32 k = 0; k < 6; k++) {
            f32 bound = e < count ? b[k] : box_none(k);
            node[(size_t)RTREE_NODE * leaf + RTREE_WIDTH * k + e] = bound;
            all[k] = rtree_wider(k, all[k], bound);
        }
        id[position] = i;
        for (u32 k = 0; k < corners; k++)
            position_corner[(size_t)RTREE_WIDTH * (corners * leaf + k) + e] =
                corner[(size_t)corners * i + k];
        if (objects) {
            position_object[position] = object[i];
            least = e && least < object[i] ? least : object[i];
            most = e && most > object[i] ? most : object[i];
        }
    }
    if (objects) {
        leaf_object[(size_t)2 * leaf] = least;
        leaf_object[(size_t)2 * leaf + 1] = most;
    }
    GLOBAL f32 *child = rtree_child(node, leaves, leaf);
    for (u32 k = 0; k < 6; k++)
        child[RTREE_WIDTH * k] = all[k];
}

#define LEAVES_AHEAD                                                                               \
    2u /* their primitives are anywhere in memory: prefetched this many leaves early */

/* Leaf ITEM and its box as a child on level 1; items beyond the leaves, which fill the last node of
 * that level, write only an empty box. The sorted primitives rank0[s] .. rank0[s + 1] of segment s
 * are in leaves leaf0[s] .. leaf0[s + 1], some of which may be unused. leaf_object: the least and
 * the greatest object of a leaf. */
KERNEL void rtree_leaves(ITEM_ARG u32 n, u32 leaves, u32 segments, GLOBAL const u32 *rank0,
                         GLOBAL const u32 *leaf0, GLOBAL const u32 *value, GLOBAL const f32 *box,
                         u32 corners, GLOBAL const u32 *corner, u32 objects,
                         GLOBAL const i32 *object, GLOBAL f32 *node, GLOBAL u32 *id,
                         GLOBAL u32 *position_corner, GLOBAL i32 *position_object,
                         GLOBAL i32 *leaf_object)
{
    if (ITEM >= n)
        return;
    if (ITEM >= leaves) {
        GLOBAL f32 *child = rtree_child(node, leaves, ITEM);
        for (u32 k = 0; k < 6; k++)
            child[RTREE_WIDTH * k] = box_none(k);
        return;
    }
    u32 s = frame_of(leaf0, segments, ITEM), rank = rank0[s] + RTREE_WIDTH * (ITEM - leaf0[s]);
    u32 rest = rank < rank0[s + 1] ? rank0[s + 1] - rank : 0, count = u32_min(rest, RTREE_WIDTH);
    for (u32 e = LEAVES_AHEAD * RTREE_WIDTH; e < rest && e < (LEAVES_AHEAD + 1) * RTREE_WIDTH;
         e++) {
        u32 i = value[rank + e];
        FETCH(box_at(box, i));
        if (corners)
            FETCH(corner + (size_t)corners * i);
    }
    rtree_leaf_make(ITEM, leaves, count, value + (count ? rank : 0), box, corners, corner, objects,
                    object, node, id, position_corner, position_object, leaf_object);
}

#ifndef IMP_DEVICE

/* sorted[words i ..]: the vertices of the triangle at position i, whose numbers are in the leaves;
 * with ADJACENT_WORDS also these. */
KERNEL void rtree_copy(ITEM_ARG u32 n, GLOBAL const u32 *position_corner, GLOBAL const f64 *x,
                       u32 words, GLOBAL f64 *sorted)
{
    if (ITEM >= n)
        return;
    u32 leaf = ITEM / RTREE_WIDTH, e = ITEM % RTREE_WIDTH;
    GLOBAL const u32 *c = position_corner + (size_t)3 * RTREE_WIDTH * leaf + e;
    GLOBAL f64 *out = sorted + (size_t)words * ITEM;
    for (u32 k = 0; k < 3 && ITEM + RTREE_WIDTH < n; k++)
        FETCH(x + (size_t)3 * c[RTREE_WIDTH * (3 + k)]);
    for (u32 k = 0; k < 3; k++) {
        GLOBAL const f64 *p = x + (size_t)3 * c[RTREE_WIDTH * k];
        out[3 * k] = p[0];
        out[3 * k + 1] = p[1];
        out[3 * k + 2] = p[2];
    }
    for (u32 k = 0; k + TRIANGLE_WORDS < words; k++)
        out[TRIANGLE_WORDS + k] = c[RTREE_WIDTH * k];
}

#endif

/* Writes child i of the level whose first node is number `to`: the box of node i of the level
 * below, which has `below` nodes from number `from` on. */
FN void rtree_node_box(u32 i, u32 below, u32 from, u32 to, GLOBAL f32 *node)
{
    f32 all[6];
    rtree_box_none(all);
    GLOBAL const f32 *b = node + (size_t)RTREE_NODE * (from + i);
    for (u32 k = 0; k < 6 && i < below; k++)
        for (u32 e = 0; e < RTREE_WIDTH; e++)
            all[k] = rtree_wider(k, all[k], b[RTREE_WIDTH * k + e]);
    GLOBAL f32 *child = rtree_child(node, to, i);
    for (u32 k = 0; k < 6; k++)
        child[RTREE_WIDTH * k] = all[k];
}

KERNEL void rtree_nodes(ITEM_ARG u32 n, u32 below, u32 from, u32 to, GLOBAL f32 *node)
{
    if (ITEM < n)
        rtree_node_box(ITEM, below, from, to, node);
}

/* ---- arguments of a search */

typedef struct rtree {
    GLOBAL const f32 *node;
    GLOBAL const u32 *level0;
    u32 levels; /* levels above the leaves; the last has one node */
    GLOBAL const u32 *id, *corner;
    GLOBAL const i32 *object, *leaf_object;
    u32 corners; /* corners stored for a position */
} rtree;

#define RTREE_ARGS                                                                                 \
    GLOBAL const f32 *node, GLOBAL const u32 *level0, u32 levels, GLOBAL const u32 *id,            \
        GLOBAL const u32 *position_corner, GLOBAL const i32 *position_object,                      \
        GLOBAL const i32 *leaf_object, GLOBAL const u32 *leaf0, u32 parts
#define RTREE                                                                                      \
    {                                                                                              \
        node, level0, levels, id, position_corner, position_object, leaf_object,                   \
            corners_needed(rules)                                                                  \
    }

/* A range of leaves to search. */
typedef struct rtree_span {
    u32 begin, end;
} rtree_span;

/* With two parts the first searches the second; otherwise a leaf searches itself and the later
 * ones.
 */
FN rtree_span rtree_span_of(GLOBAL const u32 *leaf0, u32 parts, u32 segment, u32 leaf)
{
    rtree_span r;
    u32 two = parts == 2 && (segment & 1 || leaf0[segment + 1] < leaf0[segment + 2]);
    r.begin = two ? leaf0[segment + 1] : leaf;
    r.end = leaf0[segment + (two && !(segment & 1) ? 2 : 1)];
    return r;
}

/* The children of node g of a level that have leaves in the span, as bits; for a leaf, all its
 * positions. The node must have leaves in the span. */
FN u32 rtree_within(rtree_span span, u32 level, u32 g)
{
    if (!level)
        return 0xffff;
    u32 below = 4 * (level - 1), first = RTREE_WIDTH * g, mask = 0xffff;
    u32 from = span.begin >> below, last = (span.end - 1) >> below;
    if (from > first)
        mask &= 0xffffu << (from - first);
    if (last - first < RTREE_WIDTH - 1)
        mask &= (2u << (last - first)) - 1;
    return mask;
}

FN GLOBAL const f32 *rtree_node(const rtree *t, u32 level, u32 g)
{
    return t->node + (size_t)RTREE_NODE * (t->level0[level] + g);
}

/* ---- one by one, for devices with as many items in flight */

typedef struct rtree_query {
    u32 position, corner[4]; /* a triangle's last corner twice */
    f32 lo[3], hi[3];
} rtree_query;

FN GLOBAL const u32 *rtree_corner(const rtree *t, u32 position)
{
    return t->corner + (size_t)t->corners * (position - position % RTREE_WIDTH) +
           position % RTREE_WIDTH;
}

FN void rtree_query_corners(const rtree *t, rtree_query *q, u32 position)
{
    for (u32 k = 0; k < 4; k++)
        q->corner[k] =
            t->corners ? rtree_corner(t, position)[RTREE_WIDTH * u32_min(k, t->corners - 1)] : 0;
}

/* Returns whether the position shares a corner with the query, if that rules the pair out. */
FN i32 rtree_shares(const rtree *t, const rtree_query *q, u32 position)
{
    for (u32 k = 0; k < t->corners; k++) {
        u32 c = rtree_corner(t, position)[RTREE_WIDTH * k];
        if (c == q->corner[0] || c == q->corner[1] || c == q->corner[2] || c == q->corner[3])
            return 1;
    }
    return 0;
}

/* Returns whether the query's box overlaps the box at b of a node. */
FN i32 rtree_meets(const rtree_query *q, GLOBAL const f32 *b)
{
    for (u32 k = 0; k < 3; k++, b += RTREE_WIDTH)
        if (b[0] > q->hi[k] || b[3 * RTREE_WIDTH] < q->lo[k])
            return 0;
    return 1;
}

FN void rtree_leaf(const scene *s, const rtree *t, const rtree_query *q, u32 leaf, finds *out)
{
    u32 own = q->position / RTREE_WIDTH == leaf;
    for (u32 e = own ? q->position % RTREE_WIDTH + 1 : 0; e < RTREE_WIDTH; e++) {
        u32 j = RTREE_WIDTH * leaf + e;
        if (rtree_meets(q, rtree_node(t, 0, leaf) + e) && !rtree_shares(t, q, j))
            finds_hit(s, t->id, out, q->position, j);
    }
}

/* All pairs that the primitive at a position finds in a span: goes through the children of one
 * level after the other, down where boxes overlap, up where a node is finished. */
FN void rtree_find(const scene *s, const rtree *t, u32 position, rtree_span span, finds *out)
{
    rtree_query q;
    GLOBAL const f32 *b = rtree_node(t, 0, position / RTREE_WIDTH) + position % RTREE_WIDTH;
    q.position = position;
    for (u32 k = 0; k < 3; k++) {
        q.lo[k] = b[RTREE_WIDTH * k];
        q.hi[k] = b[RTREE_WIDTH * (k + 3)];
    }
    rtree_query_corners(t, &q, position);
    u32 child = span.begin, up = 0; /* child of the node `up` levels above the parents of leaves */
    while (child << 4 * up < span.end) {
        GLOBAL const f32 *node = rtree_node(t, up + 1, child / RTREE_WIDTH);
        i32 meets = rtree_meets(&q, node + child % RTREE_WIDTH);
        if (meets && up) {
            up--;
            child *= RTREE_WIDTH;
            continue;
        }
        if (meets)
            rtree_leaf(s, t, &q, child, out);
        child++;
        while (child % RTREE_WIDTH == 0 && up + 1 < t->levels) {
            child /= RTREE_WIDTH;
            up++;
        }
    }
}

/* The form for devices: query i is position i. */
KERNEL void rtree_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, RTREE_ARGS, u32 segments,
                        GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u32 position = query0 + ITEM, leaf = position / RTREE_WIDTH;
    finds x = finds_make(&s, 0, 0, sink_none());
    rtree_find(&s, &t, position, rtree_span_of(leaf0, parts, frame_of(leaf0, segments, leaf), leaf),
               &x);
    count[position] = x.found;
}

KERNEL void rtree_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, RTREE_ARGS, u32 segments,
                       GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u32 position = query0 + ITEM, leaf = position / RTREE_WIDTH;
    finds x = finds_make(&s, 0xffffffffu, 0, sink_at(a, b, offset[position] - base));
    rtree_find(&s, &t, position, rtree_span_of(leaf0, parts, frame_of(leaf0, segments, leaf), leaf),
               &x);
}
