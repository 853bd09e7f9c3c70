/* Points and closed objects: winding numbers by rays, and the faces that may be nearest to a point.
 * An item is a query, which searches the tree of its object (inside_tree.h). Results in doubt are
 * left to the host, which has exact arithmetic (host/inside). The forms for the host are in
 * inside8.cl. */
#include "inside_walk.h"

#ifdef IMP_FP64

#define INSIDE_TREE_ARGS                                                                           \
    GLOBAL const f32 *node, GLOBAL const u32 *child, GLOBAL const f64 *corner,                     \
        GLOBAL const f64 *centre

/* The first coordinate of a triangle; the next one is INSIDE_GROUP behind it. */
FN GLOBAL const f64 *inside_triangle(GLOBAL const f64 *corner, u32 face)
{
    return corner + (size_t)INSIDE_CORNERS * (face / INSIDE_GROUP) + face % INSIDE_GROUP;
}

/* Corner `of` of a triangle relative to a point, with the axes i, j and k. */
FN v3 inside_corner(GLOBAL const f64 *face, u32 of, GLOBAL const f64 *x, u32 i, u32 j, u32 k)
{
    return v3_make(face[INSIDE_GROUP * (3 * of + i)] - x[i],
                   face[INSIDE_GROUP * (3 * of + j)] - x[j],
                   face[INSIDE_GROUP * (3 * of + k)] - x[k]);
}

/* ---- winding numbers */

/* bits of the boxes of a node that overlap the ray from the point x, in the boxes' coordinates */
FN u32 inside_overlaps(GLOBAL const f32 *box, const f32 *x, u32 way)
{
    u32 bits = 0;
    ROLLED
    for (u32 e = 0; e < INSIDE_WIDTH; e++, box++) {
        u32 near = 1;
        for (u32 k = 0; k < 3; k++) {
            u32 below = box[INSIDE_WIDTH * k] <= x[k], above = box[INSIDE_WIDTH * (3 + k)] >= x[k];
            near &= (below | (way == 2 * k + 1)) & (above | (way == 2 * k));
        }
        bits |= near << e;
    }
    return bits;
}

/* The sum of the crossings of triangles first + e for each bit e; *open: one is not certain. */
FN i32 inside_crossings(GLOBAL const f64 *corner, GLOBAL const f64 *x, u32 way, u32 first, u32 bits,
                        i32 *open)
{
    u32 k = inside_ray_axis(way), i = k == 2 ? 0 : k + 1, j = i == 2 ? 0 : i + 1;
    i32 sum = 0;
    for (; bits; bits &= bits - 1) {
        GLOBAL const f64 *face = inside_triangle(corner, first + bit_lowest(bits));
        inside_crossing r = inside_cross_begin();
        for (u32 a = 2, b = 0, c = 1; b < 3; c = a, a = b, b++) {
            f64 z = face[INSIDE_GROUP * (3 * c + k)] - x[k];
            inside_cross_edge(&r, inside_corner(face, a, x, i, j, k),
                              inside_corner(face, b, x, i, j, k), way & 1 ? z : -z);
        }
        inside_verdict at = inside_cross_end(r);
        sum += at.front - at.back;
        *open |= at.open;
    }
    return sum;
}

/* winding[i]: the winding number of the object whose tree has this root about point i, by a ray
 * along an axis: way = 2 axis + 1 upward, 2 axis downward; or INSIDE_DOUBT, also where the point is
 * on the surface. */
KERNEL void inside_winding(ITEM_ARG u32 n, INSIDE_TREE_ARGS, GLOBAL const f64 *x,
                           GLOBAL const u32 *root, GLOBAL const u32 *way, GLOBAL i32 *winding)
{
    if (ITEM >= n)
        return;
    GLOBAL const f64 *at = x + (size_t)3 * ITEM;
    f32 unit[3];
    inside_walk w;
    i32 sum = 0, open = root[ITEM] == INSIDE_NONE;
    u32 ray = way[ITEM], to = root[ITEM], place = 0;
    inside_unit(at, centre, unit);
    w.bits = w.height = 0;
    while (!open && place != INSIDE_NONE) {
        u32 bits = inside_overlaps(node + (size_t)INSIDE_NODE * to, unit, ray), below = child[to];
        if (below & INSIDE_LEAF)
            sum += inside_crossings(corner, at, ray, INSIDE_WIDTH * (below & ~INSIDE_LEAF), bits,
                                    &open);
        else
            inside_enter(&w, to, bits);
        place = inside_take(&w);
        to = place == INSIDE_NONE ? to : child[w.node] + place;
    }
    winding[ITEM] = open ? INSIDE_DOUBT : ray & 1 ? sum : -sum;
}

/* ---- the nearest face */

FN f32 inside_box_square(GLOBAL const f32 *box, const f32 *x)
{
    f32 a = inside_gap(box[0], box[3 * INSIDE_WIDTH], x[0]),
        b = inside_gap(box[INSIDE_WIDTH], box[4 * INSIDE_WIDTH], x[1]),
        c = inside_gap(box[2 * INSIDE_WIDTH], box[5 * INSIDE_WIDTH], x[2]);
    return a * a + b * b + c * c;
}

/* bits of the boxes of a node that are not too far */
FN u32 inside_close(GLOBAL const f32 *box, const f32 *x, f32 limit)
{
    u32 bits = 0;
    ROLLED
    for (u32 e = 0; e < INSIDE_WIDTH; e++)
        bits |= (u32)(inside_box_square(box + e, x) <= limit) << e;
    return bits;
}

/* The nearest child of the nearest child and so on. */
FN u32 inside_descend(GLOBAL const f32 *node, GLOBAL const u32 *child, u32 at, const f32 *x)
{
    while (!(child[at] & INSIDE_LEAF)) {
        GLOBAL const f32 *box = node + (size_t)INSIDE_NODE * at;
        f32 least = inside_box_square(box, x);
        u32 best = 0;
        ROLLED
        for (u32 e = 1; e < INSIDE_WIDTH; e++) {
            f32 square = inside_box_square(box + e, x);
            best = square < least ? e : best;
            least = square < least ? square : least;
        }
        at = child[at] + best;
    }
    return at;
}

/* Coordinates are read again for the second step, since few registers are left for them. */
FN inside_bounds inside_face_bounds(GLOBAL const f64 *face, GLOBAL const f64 *x)
{
    inside_gram g = inside_gram_begin();
    inside_foot f = inside_foot_begin();
    inside_reach r = inside_reach_begin();
    ROLLED
    for (u32 k = 0; k < 3; k++)
        inside_gram_add(&g, face[INSIDE_GROUP * k] - x[k], face[INSIDE_GROUP * (3 + k)] - x[k],
                        face[INSIDE_GROUP * (6 + k)] - x[k]);
    ROLLED
    for (u32 step = 0; step < 4; step++)
        inside_foot_step(&f, g, step);
    ROLLED
    for (u32 k = 0; k < 3; k++)
        inside_reach_add(&r, f, face[INSIDE_GROUP * k] - x[k], face[INSIDE_GROUP * (3 + k)] - x[k],
                         face[INSIDE_GROUP * (6 + k)] - x[k]);
    return inside_bounds_of(r);
}

/* Triangles first, first + 1 .. with these boxes. */
FN void inside_search_leaf(inside_search *s, GLOBAL const f32 *box, GLOBAL const f64 *corner,
                           u32 first, GLOBAL const f64 *x, const f32 *unit)
{
    ROLLED
    for (u32 e = 0; e < INSIDE_WIDTH; e++) {
        if (inside_box_square(box + e, unit) > inside_limit(s))
            continue;
        inside_bounds b = inside_face_bounds(inside_triangle(corner, first + e), x);
        inside_add(s, first + e, b.least, b.most);
    }
}

/* count[i]: the number of faces of the object that may be nearest to point i, in
 * face[INSIDE_NEAR i ..], or INSIDE_MANY. */
KERNEL void inside_nearest(ITEM_ARG u32 n, INSIDE_TREE_ARGS, GLOBAL const f64 *x,
                           GLOBAL const u32 *root, GLOBAL u32 *count, GLOBAL u32 *face)
{
    if (ITEM >= n)
        return;
    GLOBAL const f64 *at = x + (size_t)3 * ITEM;
    f32 unit[3];
    inside_walk w;
    inside_search s;
    if (root[ITEM] == INSIDE_NONE) {
        count[ITEM] = INSIDE_MANY;
        return;
    }
    inside_unit(at, centre, unit);
    inside_search_begin(&s);
    w.bits = w.height = 0;
    /* Before the search the first leaf gives a bound; the search leaves it out. */
    u32 first = inside_descend(node, child, root[ITEM], unit), to = first, place = 0;
    for (u32 begun = 0; place != INSIDE_NONE; begun = 1) {
        GLOBAL const f32 *box = node + (size_t)INSIDE_NODE * to;
        if (!(child[to] & INSIDE_LEAF))
            inside_enter(&w, to, inside_close(box, unit, inside_limit(&s)));
        else if (to != first || !begun)
            inside_search_leaf(&s, box, corner, INSIDE_WIDTH * (child[to] & ~INSIDE_LEAF), at,
                               unit);
        inside_prune(&s);
        place = begun ? inside_take(&w) : 0;
        to = !begun ? root[ITEM] : place == INSIDE_NONE ? to : child[w.node] + place;
    }
    inside_put(&s, count + ITEM, face + (size_t)INSIDE_NEAR * ITEM);
}

#endif
