/* The kernels of inside.cl for CPUs: an item is eight queries, one after another; the lanes are the
 * triangles of a leaf and the boxes of a node. Included after inside.cl. */
#include "inside_grid.h"
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

/* ---- winding numbers: triangles meet the rays from points, which go along an axis. Downward ones
 * go up where coordinates along the axis have the other sign; there fronts are backs. */

/* What a triangle meets: its corners, across the axis and along it, and the greatest coordinate
 * along it; the points in their order, x of all, then y and z, each `stride` apart; for each point
 * the sum of its crossings, and behind these how many are not certain. */
typedef struct inside_meeting {
    f64 corner[3][3], top;
    GLOBAL const f64 *point;
    u32 stride;
    GLOBAL u32 *sum;
} inside_meeting;

FN f64 inside_least(f64 a, f64 b)
{
    return b < a ? b : a;
}

FN f64 inside_greatest(f64 a, f64 b)
{
    return b > a ? b : a;
}

FN void inside_count(GLOBAL u32 *sum, u32 bits, u32 n)
{
    for (; bits; bits &= bits - 1)
        ATOMIC_ADD(sum + bit_lowest(bits), n);
}

/* Points from number `from` on, WIDE of them at most. */
FN void inside_meet_w(const inside_meeting *m, u32 from, u32 count)
{
    u32 some = (1u << count) - 1;
    lane x = lane_own_w(m->point + from), y = lane_own_w(m->point + m->stride + from),
         z = lane_own_w(m->point + (size_t)2 * m->stride + from);
    inside_crossing r = inside_cross_begin();
    v3 p[3];
    if (!(~mask_bits_w(lane_less(lane_all(m->top), z)) & some))
        return;
    for (u32 c = 0; c < 3; c++)
        p[c] = v3_make(lane_all(m->corner[c][0]) - x, lane_all(m->corner[c][1]) - y,
                       lane_all(m->corner[c][2]) - z);
    inside_cross_edge(&r, p[0], p[1], p[2].z);
    inside_cross_edge(&r, p[1], p[2], p[0].z);
    inside_cross_edge(&r, p[2], p[0], p[1].z);
    inside_verdict at = inside_cross_end(r);
    inside_count(m->sum + from, mask_bits_w(at.front) & some, 1);
    inside_count(m->sum + from, mask_bits_w(at.back) & some, 0u - 1);
    inside_count(m->sum + m->stride + from, mask_bits_w(at.open) & some, 1);
}

/* The cells in a range of rows and columns; those of a row are consecutive. */
FN void inside_meet_cells(const inside_meeting *m, GLOBAL const u32 *start, u32 columns,
                          const u32 low[2], const u32 high[2])
{
    for (u32 row = low[1]; row <= high[1]; row++) {
        u32 end = start[row * columns + high[0] + 1];
        for (u32 i = start[row * columns + low[0]]; i < end; i += WIDE)
            inside_meet_w(m, i, u32_min(end - i, WIDE));
    }
}

/* Whether a box of these bounds across the rays, and of this one along them, may meet a ray. */
FN i32 inside_near_rays(GLOBAL const f64 *cell, const f64 low[2], const f64 high[2], f64 top)
{
    return (top >= cell[6]) & (high[0] >= cell[0]) & (high[1] >= cell[1]) & (low[0] <= cell[4]) &
           (low[1] <= cell[5]);
}

/* box: the bounds of a run of triangles */
FN i32 inside_run_meets(GLOBAL const f64 *box, u32 axis, f64 turn, GLOBAL const f64 *cell)
{
    u32 i = axis == 2 ? 0 : axis + 1, j = i == 2 ? 0 : i + 1;
    const f64 low[2] = {box[i], box[j]}, high[2] = {box[3 + i], box[3 + j]};
    return inside_near_rays(cell, low, high, turn > 0 ? box[3 + axis] : -box[axis]);
}

/* The cells that a triangle is in. cell: the grid, cells: columns and rows. Returns 0 if it meets
 * no ray. */
FN i32 inside_meets(const inside_meeting *m, GLOBAL const f64 *cell, const u32 cells[2], u32 low[2],
                    u32 high[2])
{
    f64 least[2], greatest[2];
    for (u32 k = 0; k < 2; k++) {
        f64 a = m->corner[0][k], b = m->corner[1][k], c = m->corner[2][k];
        least[k] = inside_least(a, inside_least(b, c));
        greatest[k] = inside_greatest(a, inside_greatest(b, c));
        low[k] = inside_cell(least[k], cell[k], cell[2 + k], cells[k]);
        high[k] = inside_cell(greatest[k], cell[k], cell[2 + k], cells[k]);
    }
    return inside_near_rays(cell, least, greatest, m->top);
}

/* vertex: coordinates of the first corner, then of the others; turn: 1, or -1 for rays downward */
FN void inside_meeting_of(inside_meeting *m, GLOBAL const f64 *const vertex[3], u32 axis, f64 turn)
{
    u32 i = axis == 2 ? 0 : axis + 1, j = i == 2 ? 0 : i + 1;
    for (u32 c = 0; c < 3; c++) {
        m->corner[c][0] = vertex[c][i];
        m->corner[c][1] = vertex[c][j];
        m->corner[c][2] = turn * vertex[c][axis];
    }
    m->top = inside_greatest(m->corner[0][2], inside_greatest(m->corner[1][2], m->corner[2][2]));
}

/* An item is `chunk` of the runs of triangles prim[first .. last), whose boxes begin at number
 * run0. sum: [2 stride], 0 at first */
KERNEL void inside_rays8(ITEM_ARG u32 n, u32 first, u32 last, u32 run0, u32 chunk,
                         GLOBAL const f64 *run, GLOBAL const u32 *prim, GLOBAL const u32 *corner,
                         u32 corners, GLOBAL const f64 *x, u32 way, GLOBAL const f64 *cell,
                         u32 columns, u32 rows, GLOBAL const u32 *start, GLOBAL const f64 *point,
                         u32 stride, GLOBAL u32 *sum)
{
    if (ITEM >= n)
        return;
    const u32 cells[2] = {columns, rows}, from = first + INSIDE_WIDTH * chunk * ITEM;
    inside_meeting m = {.point = point, .stride = stride, .sum = sum};
    u32 low[2], high[2], axis = inside_ray_axis(way);
    f64 turn = way & 1 ? 1 : -1;
    for (u32 r = 0; r < chunk && from + INSIDE_WIDTH * r < last; r++) {
        u32 begin = from + INSIDE_WIDTH * r, end = u32_min(last, begin + INSIDE_WIDTH);
        if (!inside_run_meets(run + (size_t)6 * (run0 + chunk * ITEM + r), axis, turn, cell))
            continue;
        for (u32 i = begin; i < end; i++) {
            GLOBAL const u32 *at = corner + (size_t)corners * prim[i];
            GLOBAL const f64 *const vertex[3] = {x + (size_t)3 * at[0], x + (size_t)3 * at[1],
                                                 x + (size_t)3 * at[2]};
            inside_meeting_of(&m, vertex, axis, turn);
            if (inside_meets(&m, cell, cells, low, high))
                inside_meet_cells(&m, start, columns, low, high);
        }
    }
}

/* ---- the nearest face */

#define INSIDE_QUERIES 32 /* of an item */

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

/* What a search leaves for the next query: a square that is little above that of the distance, and
 * the leaf of the nearest face, about, which is searched first; INSIDE_NONE: no leaf. */
typedef struct inside_hint {
    f64 most;
    u32 leaf;
} inside_hint;

FN inside_hint inside_nearest_w(INSIDE_TREE_ARGS, const f64 *x, u32 root, inside_hint hint,
                                u32 *count, u32 *face)
{
    f32 unit[3];
    inside_nearest_walk w;
    inside_search s;
    u32 first = hint.leaf == root ? INSIDE_NONE : hint.leaf, begun = first == INSIDE_NONE;
    u32 to = begun ? root : first, place = 0, at;
    inside_hint best = hint;
    inside_unit(x, centre, unit);
    inside_search_begin(&s);
    s.most = hint.most;
    w.height = 0;
    while (place != INSIDE_NONE) {
        f64 most = s.most;
        if (!(child[to] & INSIDE_LEAF))
            inside_nearest_enter(&w, node, to, unit, inside_limit(&s));
        else if (!begun || to != first)
            inside_search_leaf_w(&s, node, child, corner, to, x, unit);
        best.leaf = s.most < most ? to : best.leaf;
        inside_prune(&s);
        place = begun ? inside_nearest_take(&w, inside_limit(&s), &at) : 0;
        to = !begun ? root : place == INSIDE_NONE ? to : child[at] + place;
        begun = 1;
    }
    inside_put(&s, count, face);
    best.most = s.most;
    return best;
}

/* A hint for point y from that for x: the distance is greater by theirs at most. */
FN inside_hint inside_hint_beside(inside_hint hint, const f64 *x, const f64 *y)
{
    f64 a = y[0] - x[0], b = y[1] - x[1], c = y[2] - x[2];
    f64 sum = sqrt(hint.most) + sqrt(a * a + b * b + c * c);
    hint.most = sum * sum * (1 + 0x1p-40) + INSIDE_TINY;
    return hint;
}

KERNEL void inside_nearest8(ITEM_ARG u32 n, u32 queries, INSIDE_TREE_ARGS, GLOBAL const f64 *x,
                            GLOBAL const u32 *root, GLOBAL u32 *count, GLOBAL u32 *face)
{
    if (ITEM >= n)
        return;
    const inside_hint none = {INSIDE_SQUARE_MOST, INSIDE_NONE};
    u32 first = INSIDE_QUERIES * ITEM, last = first;
    inside_hint hint = none;
    for (u32 i = first; i < queries && i < first + INSIDE_QUERIES; i++) {
        GLOBAL const f64 *at = x + (size_t)3 * i;
        count[i] = INSIDE_MANY;
        if (root[i] == INSIDE_NONE)
            continue;
        hint = i > first && root[i] == root[last]
                   ? inside_hint_beside(hint, x + (size_t)3 * last, at)
                   : none;
        hint = inside_nearest_w(node, child, corner, centre, at, root[i], hint, count + i,
                                face + (size_t)INSIDE_NEAR * i);
        last = i;
    }
}

#undef LANE_NAME
#define LANE_NAME(name) name
