/* The kernels of inside.cl for CPUs: an item is eight queries, one after another; the lanes are the
 * triangles of a leaf and the boxes of a node. Included after inside.cl. */
#include "inside_walk.h"
#include "lanes.h"
#include "tri_wide.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
FORMULA lane inside_inverse_w(lane x)
{
    return 1 / x;
}

#define inside_inverse LANE_NAME(inside_inverse)
#include "lane_inside.h"

FORMULA v3 inside_corner_w(const f64 *leaf, u32 of, const f64 *x, u32 i, u32 j, u32 k)
{
    return v3_make(lane_own_w(leaf + (size_t)INSIDE_GROUP * (3 * of + i)) - lane_all(x[i]),
                   lane_own_w(leaf + (size_t)INSIDE_GROUP * (3 * of + j)) - lane_all(x[j]),
                   lane_own_w(leaf + (size_t)INSIDE_GROUP * (3 * of + k)) - lane_all(x[k]));
}

/* ---- winding numbers */

/* The sum of the crossings of a group. */
FN i32 inside_crossings_w(const f64 *group, const f64 *x, u32 way, u32 *open)
{
    u32 k = inside_ray_axis(way), i = (k + 1) % 3, j = (k + 2) % 3;
    lane turn = lane_all(way & 1 ? 1.0 : -1.0);
    i32 sum = 0;
    for (u32 e = 0; e < INSIDE_GROUP; e += WIDE) {
        v3 p[3];
        for (u32 c = 0; c < 3; c++) {
            p[c] = inside_corner_w(group + e, c, x, i, j, k);
            p[c].z = p[c].z * turn;
        }
        inside_crossing r = inside_cross_begin();
        inside_cross_edge(&r, p[0], p[1], p[2].z);
        inside_cross_edge(&r, p[1], p[2], p[0].z);
        inside_cross_edge(&r, p[2], p[0], p[1].z);
        inside_verdict at = inside_cross_end(r);
        sum += (i32)bit_count(mask_bits_w(at.front)) - (i32)bit_count(mask_bits_w(at.back));
        *open |= mask_bits_w(at.open);
    }
    return sum;
}

/* lo, hi: the box of the ray from the point at x */
FN void inside_ray_box(GLOBAL const f64 *x, GLOBAL const f64 *centre, u32 way, f32 lo[3], f32 hi[3])
{
    inside_unit(x, centre, lo);
    inside_unit(x, centre, hi);
    if (way & 1)
        hi[inside_ray_axis(way)] = INSIDE_EMPTY;
    else
        lo[inside_ray_axis(way)] = -INSIDE_EMPTY;
}

FN i32 inside_winding_w(INSIDE_TREE_ARGS, const f64 *x, u32 root, u32 way)
{
    f32 lo[3], hi[3];
    inside_walk w;
    i32 sum = 0;
    u32 open = root == INSIDE_NONE, place = 0, to = root;
    inside_ray_box(x, centre, way, lo, hi);
    w.bits = w.height = 0;
    while (!open && place != INSIDE_NONE) {
        u32 bits = node_overlaps(node + (size_t)INSIDE_NODE * to, lo, hi), below = child[to];
        if (!(below & INSIDE_LEAF))
            inside_enter(&w, to, bits);
        for (u32 g = 0; below & INSIDE_LEAF && bits; g++, bits >>= INSIDE_GROUP)
            if (bits & ((1u << INSIDE_GROUP) - 1))
                sum += inside_crossings_w(corner + (size_t)INSIDE_CORNERS *
                                                       (2 * (below & ~INSIDE_LEAF) + g),
                                          x, way, &open);
        place = inside_take(&w);
        to = place == INSIDE_NONE ? to : child[w.node] + place;
    }
    return open ? INSIDE_DOUBT : way & 1 ? sum : -sum;
}

KERNEL void inside_winding8(ITEM_ARG u32 n, u32 queries, INSIDE_TREE_ARGS, GLOBAL const f64 *x,
                            GLOBAL const u32 *root, GLOBAL const u32 *way, GLOBAL i32 *winding)
{
    if (ITEM >= n)
        return;
    for (u32 i = 8 * ITEM; i < queries && i < 8 * ITEM + 8; i++)
        winding[i] =
            inside_winding_w(node, child, corner, centre, x + (size_t)3 * i, root[i], way[i]);
}

/* ---- the nearest face */

/* A traversal of which the nearest child is next. On each level: a node, its children to visit, and
 * the squares of the distances of all its children. */
typedef struct inside_nearest_walk {
    u32 height;
    u32 node[INSIDE_HEIGHT], bits[INSIDE_HEIGHT];
    f32 square[INSIDE_HEIGHT][INSIDE_WIDTH];
} inside_nearest_walk;

/* The squares of the distances of a node's boxes; returns the bits of those that are not too far.
 */
FN u32 inside_squares_w(const f32 *box, const f32 *x, f32 limit, f32 *square)
{
    for (u32 e = 0; e < INSIDE_WIDTH; e++) {
        f32 a = inside_gap(box[e], box[3 * INSIDE_WIDTH + e], x[0]),
            b = inside_gap(box[INSIDE_WIDTH + e], box[4 * INSIDE_WIDTH + e], x[1]),
            c = inside_gap(box[2 * INSIDE_WIDTH + e], box[5 * INSIDE_WIDTH + e], x[2]);
        square[e] = a * a + b * b + c * c;
    }
    return mask16_bits(f32x16_to(f32x16_load(square), limit));
}

FN void inside_nearest_enter(inside_nearest_walk *w, const f32 *node, u32 at, const f32 *x,
                             f32 limit)
{
    w->node[w->height] = at;
    w->bits[w->height] =
        inside_squares_w(node + (size_t)INSIDE_NODE * at, x, limit, w->square[w->height]);
    w->height += w->bits[w->height] != 0;
}

/* The nearest child of the lowest level; INSIDE_NONE: there is no other. *at: its node */
FN u32 inside_nearest_take(inside_nearest_walk *w, f32 limit, u32 *at)
{
    while (w->height) {
        const u32 level = w->height - 1;
        const f32 *square = w->square[level];
        u32 best = bit_lowest(w->bits[level]);
        for (u32 rest = w->bits[level] & (w->bits[level] - 1); rest; rest &= rest - 1)
            best = square[bit_lowest(rest)] < square[best] ? bit_lowest(rest) : best;
        w->bits[level] &= ~(1u << best);
        *at = w->node[level];
        /* if this one is too far, so are the others; a level without children is left */
        w->height -= !w->bits[level] || square[best] > limit;
        if (square[best] <= limit)
            return best;
    }
    return INSIDE_NONE;
}

/* The bounds of WIDE triangles of a group. */
FORMULA inside_bounds inside_face_bounds_w(const f64 *face, const f64 *x)
{
    inside_gram g = inside_gram_begin();
    inside_foot f = inside_foot_begin();
    inside_reach r = inside_reach_begin();
    lane p[3][3];
    for (u32 c = 0; c < 3; c++)
        for (u32 k = 0; k < 3; k++)
            p[c][k] = lane_own_w(face + (size_t)INSIDE_GROUP * (3 * c + k)) - lane_all(x[k]);
    for (u32 k = 0; k < 3; k++)
        inside_gram_add(&g, p[0][k], p[1][k], p[2][k]);
    for (u32 step = 0; step < 4; step++)
        inside_foot_step(&f, g, step);
    for (u32 k = 0; k < 3; k++)
        inside_reach_add(&r, f, p[0][k], p[1][k], p[2][k]);
    return inside_bounds_of(r);
}

/* The triangles of a group, of which the first is number `first`. */
FN void inside_search_group_w(inside_search *s, const f64 *group, u32 first, const f64 *x)
{
    for (u32 e = 0; e < INSIDE_GROUP; e += WIDE) {
        f64 least[WIDE], most[WIDE];
        inside_bounds b = inside_face_bounds_w(group + e, x);
        u32 near = mask_bits_w(mask_and(lane_less(b.least, lane_all(s->most)),
                                        lane_less(b.most, lane_all(INSIDE_SQUARE_MOST))));
        if (!near)
            continue;
        lane_store_w(b.least, least);
        lane_store_w(b.most, most);
        for (; near; near &= near - 1) {
            u32 k = bit_lowest(near);
            inside_add(s, first + e + k, least[k], most[k]);
        }
    }
}

FN void inside_search_leaf_w(inside_search *s, const f32 *node, const u32 *child, const f64 *corner,
                             u32 leaf, const f64 *x, const f32 *unit)
{
    f32 square[INSIDE_WIDTH];
    u32 first = INSIDE_WIDTH * (child[leaf] & ~INSIDE_LEAF);
    u32 bits = inside_squares_w(node + (size_t)INSIDE_NODE * leaf, unit, inside_limit(s), square);
    for (u32 g = 0; g < INSIDE_WIDTH; g += INSIDE_GROUP) {
        if (bits >> g & ((1u << INSIDE_GROUP) - 1))
            inside_search_group_w(s, corner + (size_t)9 * (first + g), first + g, x);
        bits &= mask16_bits(f32x16_to(f32x16_load(square), inside_limit(s)));
    }
}

/* hint: a leaf of the same object that is searched first, or INSIDE_NONE. Returns that of the
 * nearest face, about. */
FN u32 inside_nearest_w(INSIDE_TREE_ARGS, const f64 *x, u32 root, u32 hint, u32 *count, u32 *face)
{
    f32 unit[3];
    inside_nearest_walk w;
    inside_search s;
    u32 best = hint, to = root, place = 0, at;
    inside_unit(x, centre, unit);
    inside_search_begin(&s);
    if (hint != INSIDE_NONE)
        inside_search_leaf_w(&s, node, child, corner, hint, x, unit);
    inside_prune(&s);
    w.height = 0;
    while (place != INSIDE_NONE) {
        f64 most = s.most;
        if (!(child[to] & INSIDE_LEAF))
            inside_nearest_enter(&w, node, to, unit, inside_limit(&s));
        else if (to != hint)
            inside_search_leaf_w(&s, node, child, corner, to, x, unit);
        best = s.most < most ? to : best;
        inside_prune(&s);
        place = inside_nearest_take(&w, inside_limit(&s), &at);
        to = place == INSIDE_NONE ? to : child[at] + place;
    }
    inside_put(&s, count, face);
    return best;
}

KERNEL void inside_nearest8(ITEM_ARG u32 n, u32 queries, INSIDE_TREE_ARGS, GLOBAL const f64 *x,
                            GLOBAL const u32 *root, GLOBAL u32 *count, GLOBAL u32 *face)
{
    if (ITEM >= n)
        return;
    u32 hint = INSIDE_NONE;
    for (u32 i = 8 * ITEM; i < queries && i < 8 * ITEM + 8; i++) {
        count[i] = INSIDE_MANY;
        if (root[i] == INSIDE_NONE)
            continue;
        hint = i > 8 * ITEM && root[i] == root[i - 1] ? hint : INSIDE_NONE;
        hint = inside_nearest_w(node, child, corner, centre, x + (size_t)3 * i, root[i], hint,
                                count + i, face + (size_t)INSIDE_NEAR * i);
    }
}

#undef LANE_NAME
#define LANE_NAME(name) name
