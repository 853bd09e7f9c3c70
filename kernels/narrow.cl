/* Verdicts on candidates, and the geometry of contacts. a[i], b[i] is the i-th pair.
 *
 * On CPUs the R-tree emits candidates in the order of its leaves. If memory allows, verdicts read
 * copies of the triangles in that order (RULE_RANKS): neighbours in space are then neighbours in
 * memory, however the mesh numbers them.
 *
 * Two triangles take 36 registers of a GPU, and more than 64 leave half of it idle. So a verdict is
 * made in steps, each of which fetches its vertices again, and between two of them the partial
 * verdict is stored: no compiler can then keep a vertex in registers, since a store of bytes might
 * have changed it. The fetches hit the nearest cache. */
#include "distance_code.h"
#include "list.h"
#include "prim.h"
#include "tri_contact.h"
#ifdef IMP_FP64

#ifndef IMP_DEVICE

/* replaces ranks by their triangles */
KERNEL void narrow_to_prims(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    a[ITEM] = id[a[ITEM]];
    b[ITEM] = id[b[ITEM]];
}

#endif

/* Location of the triangles that pairs refer to: with RULE_RANKS x is rtree_copy's, else as in
 * bound.cl. */
typedef struct triangles {
    GLOBAL const u32 *corner;
    GLOBAL const f64 *x;
    u32 rules;
} triangles;

#define TRIANGLES_ARGS GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules
#define TRIANGLES                                                                                  \
    {                                                                                              \
        corner, x, rules                                                                           \
    }

FN tri_corners narrow_corners(const triangles *t, u32 i)
{
    return t->rules & RULE_RANKS ? corners_make(3 * i, 3 * i + 1, 3 * i + 2)
                                 : corners_of(t->corner, i);
}

FN tri narrow_load(const triangles *t, u32 i)
{
    return corners_load(t->x, narrow_corners(t, i));
}

FN f64 narrow_error(const triangles *t, u32 i, u32 j)
{
    return tri_error(tri_extent(narrow_load(t, i), narrow_load(t, j)));
}

FN u32 narrow_side(const triangles *t, u32 i, u32 j, f64 error)
{
    return tri_side(narrow_load(t, i), narrow_load(t, j), error);
}

/* The first test on CPUs (narrow8.cl), which rejects most candidates; GPUs run it in float32
 * (far.cl), and the second test repeats it in float64 for the pairs that remain. verdict[i]:
 * TRI_APART if the plane of either certainly separates them, else TRI_NEAR. Triangles that share a
 * vertex are always near: it is on both planes. */
FN void narrow_decide_far(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    *verdict = TRI_APART;
    f64 error = narrow_error(t, i, j);
    if (narrow_side(t, i, j, error) == SIDE_ONE)
        return;
    *verdict = TRI_NEAR;
    if (narrow_side(t, j, i, error) == SIDE_ONE)
        *verdict = TRI_APART;
}

/* verdict[i]: TRI_APART, TRI_MEET or TRI_UNDECIDED. Triangles that share a vertex are undecided:
 * it is on both planes. */
FN void narrow_decide(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    *verdict = TRI_APART;
    f64 error = narrow_error(t, i, j);
    u32 side_q = narrow_side(t, i, j, error);
    if (side_q == SIDE_ONE)
        return;
    *verdict = TRI_UNDECIDED;
    u32 side_p = narrow_side(t, j, i, error);
    if (side_p == SIDE_ONE)
        *verdict = TRI_APART;
    if (!(side_p & side_q & SIDE_BOTH))
        return;
    *verdict =
        (u8)tri_intervals(t->x, narrow_corners(t, i), narrow_corners(t, j), side_p, side_q, error);
    for (u32 k = 0; k < 2 && *verdict == TRI_MEET; k++) {
        u32 one = k ? i : j, other = k ? j : i;
        f64 height = tri_crossing_height(tri_over(narrow_load(t, one), narrow_load(t, other)));
        *verdict = height > 0 ? TRI_MEET : TRI_UNDECIDED;
        v3 extent = tri_extent(narrow_load(t, one), narrow_load(t, other));
        if (!(height > tri_crossing_least(tri_size(narrow_load(t, one)), extent)))
            *verdict = TRI_UNDECIDED;
    }
}

KERNEL void narrow_test(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b, TRIANGLES_ARGS,
                        GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    narrow_decide(&t, a[ITEM], b[ITEM], verdict + ITEM);
}

#ifdef IMP_DEVICE

/* narrow_test for a list. */
GROUP_KERNEL(SCAN_GROUP)
narrow_test_group(GLOBAL const u32 *a, GLOBAL const u32 *b, TRIANGLES_ARGS, GLOBAL u8 *verdict,
                  u32 room, GLOBAL u32 *counts, GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    SHARED list_shared shared;
    const triangles t = TRIANGLES;
#define NARROW_DECIDE(i) narrow_decide(&t, a[i], b[i], verdict + (i))
    LIST_SPLIT(&shared, room, a, b, NARROW_DECIDE, verdict, counts, a_out, b_out);
}

#endif

/* the edge from vertex k of triangle i to the next */
FN v3 narrow_edge(const triangles *t, u32 i, u32 k)
{
    tri_corners c = narrow_corners(t, i);
    return v3_sub(v3_load(t->x, corners_at(c, k == 2 ? 0 : k + 1)),
                  v3_load(t->x, corners_at(c, k)));
}

/* Directions that may separate two triangles: the products of their edges, then the normals of
 * edges within the planes. */
#define DIRECTIONS 15
FN v3 narrow_direction(const triangles *t, u32 i, u32 j, u32 k)
{
    if (k < 9)
        return v3_cross(narrow_edge(t, i, k / 3), narrow_edge(t, j, k % 3));
    u32 of = k < 12 ? i : j;
    return v3_cross(tri_normal(narrow_load(t, of)), narrow_edge(t, of, k % 3));
}

FN void narrow_decide_separate(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    v3 extent = tri_extent(narrow_load(t, i), narrow_load(t, j));
    *verdict = tri_boxes_apart(narrow_load(t, i), narrow_load(t, j)) ? TRI_APART : TRI_UNDECIDED;
    for (u32 k = 0; k < DIRECTIONS && *verdict == TRI_UNDECIDED; k++)
        *verdict = tri_separates(narrow_direction(t, i, j, k), narrow_load(t, i), narrow_load(t, j),
                                 extent)
                       ? TRI_APART
                       : TRI_UNDECIDED;
}

/* verdict[i] of pairs that narrow_test left undecided: TRI_APART if a direction certainly separates
 * them, else TRI_UNDECIDED. This keeps coplanar pairs, as in a flat sheet, from exact arithmetic.
 * No direction separates triangles that share a vertex: narrow_adjacent is for those. */
KERNEL void narrow_separate(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                            TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    narrow_decide_separate(&t, a[ITEM], b[ITEM], verdict + ITEM);
}

/* ---- pairs within a distance whose nearest features are not certain (distance_code.h): a verdict
 * on their intersection. code[i] becomes OPEN + verdict. */

KERNEL void narrow_open(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b, TRIANGLES_ARGS,
                        GLOBAL u8 *code)
{
    if (ITEM >= n || code[ITEM] != DISTANCE_OPEN)
        return;
    const triangles t = TRIANGLES;
    narrow_decide(&t, a[ITEM], b[ITEM], code + ITEM);
    code[ITEM] += DISTANCE_OPEN;
}

/* As narrow_separate. */
KERNEL void narrow_open_separate(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                                 TRIANGLES_ARGS, GLOBAL u8 *code)
{
    if (ITEM >= n || code[ITEM] != DISTANCE_OPEN + TRI_UNDECIDED)
        return;
    const triangles t = TRIANGLES;
    narrow_decide_separate(&t, a[ITEM], b[ITEM], code + ITEM);
    code[ITEM] += DISTANCE_OPEN;
}

/* ---- triangles that share vertices */

/* index of the first vertex of p (0, 1, 2) that is, or is not, a vertex of q */
FN u32 corners_find(tri_corners p, tri_corners q, i32 shared)
{
    for (u32 k = 0; k < 2; k++) {
        u32 c = corners_at(p, k);
        if ((c == q.a || c == q.b || c == q.c) == shared)
            return k;
    }
    return 2;
}

FN u32 corners_repeat(tri_corners p)
{
    return (u32)(p.a == p.b) | (p.b == p.c) | (p.c == p.a);
}

/* p rotated to begin with the first vertex that is also one of q */
FN tri_corners corners_fan(tri_corners p, tri_corners q)
{
    return corners_turn(p, corners_find(p, q, 1));
}

/* p rotated to end with the first vertex that is none of q */
FN tri_corners corners_hinge(tri_corners p, tri_corners q)
{
    return corners_turn(p, (corners_find(p, q, 0) + 1) % 3);
}

/* Verdict on triangles that share just one vertex: whether they meet elsewhere. */
FN void narrow_fan(GLOBAL const f64 *x, tri_corners p, tri_corners q, GLOBAL u8 *verdict)
{
    *verdict = TRI_APART;
    u32 side_q = tri_fan_side(corners_load(x, p), corners_load(x, q));
    if (side_q == SIDE_ONE)
        return;
    *verdict = TRI_UNDECIDED;
    u32 side_p = tri_fan_side(corners_load(x, q), corners_load(x, p));
    if (side_p == SIDE_ONE)
        *verdict = TRI_APART;
    else if (side_p & side_q & SIDE_BOTH)
        *verdict = (u8)tri_fan_meet(side_p, side_q);
    for (u32 axis = 0; axis < 3 && *verdict == TRI_UNDECIDED; axis++)
        if (projection_fan_apart(projection_load(x, p, axis), projection_load(x, q, axis)))
            *verdict = TRI_APART;
}

/* Verdict on triangles that share an edge: whether they meet beyond it. */
FN void narrow_hinge(GLOBAL const f64 *x, tri_corners p, tri_corners q, GLOBAL u8 *verdict)
{
    *verdict = tri_hinge_bent(corners_load(x, p), corners_load(x, q)) ? TRI_APART : TRI_UNDECIDED;
    for (u32 axis = 0; axis < 3 && *verdict == TRI_UNDECIDED; axis++)
        if (projection_hinge_apart(projection_load(x, p, axis), projection_load(x, q, axis)))
            *verdict = TRI_APART;
}

/* verdict[i] of pairs that share vertices: whether they meet beyond the shared vertices. Others
 * keep their verdict. Duplicate faces and triangles that repeat a vertex are left to the host. */
KERNEL void narrow_adjacent(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                            GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    tri_corners p = corners_of(corner, a[ITEM]), q = corners_of(corner, b[ITEM]);
    u32 shared = prim_shared(corner, a[ITEM], b[ITEM]);
    if (!shared || (u32)(shared == 3) | corners_repeat(p) | corners_repeat(q))
        return;
    if (shared == 2)
        narrow_hinge(x, corners_hinge(p, q), corners_hinge(q, p), verdict + ITEM);
    else
        narrow_fan(x, corners_fan(p, q), corners_fan(q, p), verdict + ITEM);
}

/* ---- geometry */

#define GEOMETRY_ARGS                                                                              \
    GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *corner, GLOBAL const f64 *x,       \
        u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *unscale, GLOBAL f64 *point

/* point[6 i ..]: the ends of the segment in which pair i, which meets and shares no vertex,
 * intersects; infinite in part if they are in doubt (lane_contact.h). */
FN void narrow_cross(tri_corners p, tri_corners q, GLOBAL const f64 *x, GLOBAL const f64 *unscale,
                     GLOBAL f64 *out)
{
    signs of_p = signs_make(tri_over(corners_load(x, q), corners_load(x, p)), 0),
          of_q = signs_make(tri_over(corners_load(x, p), corners_load(x, q)), 0);
    p = corners_flip(corners_turn(p, signs_lone(of_p)), !of_q.up);
    q = corners_flip(corners_turn(q, signs_lone(of_q)), !of_p.up);
    segment s = segment_crossing(corners_load(x, p), corners_load(x, q));
    segment_put(segment_unscaled(s, unscale[0], unscale[1]), out);
}

KERNEL void narrow_segment(ITEM_ARG u32 n, GEOMETRY_ARGS)
{
    if (ITEM >= n)
        return;
    narrow_cross(corners_of(corner, a[ITEM]), corners_of(corner, b[ITEM]), x,
                 unscale + 2 * frame_of(prim0, frames, a[ITEM]), point + (size_t)6 * ITEM);
}

/* the same for the pairs that share a vertex */
KERNEL void narrow_segment_fan(ITEM_ARG u32 n, GEOMETRY_ARGS)
{
    if (ITEM >= n || !prim_shared(corner, a[ITEM], b[ITEM]))
        return;
    tri_corners q = corners_of(corner, b[ITEM]), p = corners_fan(corners_of(corner, a[ITEM]), q);
    q = corners_fan(q, p);
    segment s = segment_crossing_fan(corners_load(x, p), corners_load(x, q));
    u32 f = frame_of(prim0, frames, a[ITEM]);
    segment_put(segment_unscaled(s, unscale[2 * f], unscale[2 * f + 1]), point + (size_t)6 * ITEM);
}

/* ---- candidates: the ends are the centroids of both */

#define CENTROID_ARGS                                                                              \
    u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 frames,                        \
        GLOBAL const u32 *prim0, GLOBAL const f64 *unscale, GLOBAL const u32 *kind

/* Centroid of primitive i; kind[f]: number of corners of the primitives of frame f; 0: three or
 * four. */
FN v3 narrow_centroid(u32 i, CENTROID_ARGS)
{
    u32 f = frame_of(prim0, frames, i);
    return point_unscaled(prim_centroid(x, corner + (size_t)corners * i, kind[f]), unscale[2 * f],
                          unscale[2 * f + 1]);
}

FN void narrow_ends_put(v3 a, v3 b, GLOBAL f64 *out)
{
    segment s;
    s.a = a;
    s.b = b;
    segment_put(segment_turn(s, v3_less(b, a)), out);
}

KERNEL void narrow_centroids(ITEM_ARG u32 n, CENTROID_ARGS, GLOBAL f64 *centroid)
{
    if (ITEM < n)
        v3_put(narrow_centroid(ITEM, corners, corner, x, frames, prim0, unscale, kind),
               centroid + (size_t)3 * ITEM);
}

/* point[6 i ..]: the ends of pair first + i */
KERNEL void narrow_ends(ITEM_ARG u32 n, u64 first, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        GLOBAL const f64 *centroid, GLOBAL f64 *point)
{
    if (ITEM >= n)
        return;
    size_t i = (size_t)(first + ITEM);
    narrow_ends_put(v3_load(centroid, a[i]), v3_load(centroid, b[i]), point + (size_t)6 * ITEM);
}

/* The same for few pairs, without stored centroids. */
KERNEL void narrow_ends_alone(ITEM_ARG u32 n, u64 first, GLOBAL const u32 *a, GLOBAL const u32 *b,
                              CENTROID_ARGS, GLOBAL f64 *point)
{
    if (ITEM >= n)
        return;
    size_t i = (size_t)(first + ITEM);
    narrow_ends_put(narrow_centroid(a[i], corners, corner, x, frames, prim0, unscale, kind),
                    narrow_centroid(b[i], corners, corner, x, frames, prim0, unscale, kind),
                    point + (size_t)6 * ITEM);
}

#endif
