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
 * bound.cl. Without RULE_SKIP_ADJACENT verdicts on pairs that share vertices are on whether they
 * meet beyond them. */
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
    u32 first = t->rules & RULE_SKIP_ADJACENT ? 3 * i : 4 * i; /* triangle_words */
    return t->rules & RULE_RANKS ? corners_make(first, first + 1, first + 2)
                                 : corners_of(t->corner, i);
}

/* the numbers of its vertices in the block */
FN tri_corners narrow_vertices(const triangles *t, u32 i)
{
    if (!(t->rules & RULE_RANKS))
        return corners_of(t->corner, i);
    GLOBAL const f64 *v = t->x + (size_t)ADJACENT_WORDS * i + TRIANGLE_WORDS;
    return corners_make((u32)v[0], (u32)v[1], (u32)v[2]);
}

FN tri narrow_load(const triangles *t, u32 i)
{
    return corners_load(t->x, narrow_corners(t, i));
}

FN f64 narrow_error(const triangles *t, u32 i, u32 j)
{
    return tri_error(tri_extent(narrow_load(t, i), narrow_load(t, j)));
}

/* the vertices of triangle j that are also vertices of triangle i */
FN shared_corners narrow_shared(const triangles *t, u32 i, u32 j)
{
    return shared_of(narrow_vertices(t, j), narrow_vertices(t, i));
}

/* The side of triangle j over the plane of triangle i, but for shared vertices. */
FORMULA u32 narrow_side(const triangles *t, u32 i, u32 j, f64 error)
{
    v3 h = tri_over(narrow_load(t, i), narrow_load(t, j));
    if (!(t->rules & RULE_SKIP_ADJACENT))
        h = heights_unshared(h, narrow_shared(t, i, j));
    return signs_side(signs_make(h, error));
}

/* The first test on CPUs (narrow8.cl), which rejects most candidates; GPUs run it in float32
 * (far.cl), and the second test repeats it in float64 for the pairs that remain. verdict[i]:
 * TRI_APART if the plane of either certainly separates them, else TRI_NEAR. */
FORMULA void narrow_decide_far(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    *verdict = TRI_APART;
    f64 error = narrow_error(t, i, j);
    if (narrow_side(t, i, j, error) == SIDE_ONE)
        return;
    *verdict = TRI_NEAR;
    if (narrow_side(t, j, i, error) == SIDE_ONE)
        *verdict = TRI_APART;
}

/* TRI_MEET, if edges cross the planes at certain points, else TRI_UNDECIDED */
FN void narrow_decide_crossing(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    for (u32 k = 0; k < 2 && *verdict == TRI_MEET; k++) {
        u32 one = k ? i : j, other = k ? j : i;
        f64 height = tri_crossing_height(tri_over(narrow_load(t, one), narrow_load(t, other)));
        *verdict = height > 0 ? TRI_MEET : TRI_UNDECIDED;
        v3 extent = tri_extent(narrow_load(t, one), narrow_load(t, other));
        if (!(height > tri_crossing_least(tri_size(narrow_load(t, one)), extent)))
            *verdict = TRI_UNDECIDED;
    }
}

/* verdict[i]: TRI_APART, TRI_MEET or TRI_UNDECIDED. With RULE_SKIP_ADJACENT triangles that share a
 * vertex are undecided: it is on both planes. Otherwise those with vertices on both sides of both
 * planes share just one. */
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
    if (!(t->rules & RULE_SKIP_ADJACENT) && shared_any(narrow_shared(t, i, j))) {
        *verdict = (u8)tri_fan_meet(side_p, side_q);
        return;
    }
    *verdict =
        (u8)tri_intervals(t->x, narrow_corners(t, i), narrow_corners(t, j), side_p, side_q, error);
    narrow_decide_crossing(t, i, j, verdict);
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
    if (!(t->rules & RULE_SKIP_ADJACENT) && shared_any(narrow_shared(t, i, j)))
        return;
    for (u32 k = 0; k < DIRECTIONS && *verdict == TRI_UNDECIDED; k++)
        *verdict = tri_separates(narrow_direction(t, i, j, k), narrow_load(t, i), narrow_load(t, j),
                                 extent)
                       ? TRI_APART
                       : TRI_UNDECIDED;
}

/* verdict[i] of pairs that narrow_test left undecided: TRI_APART if a direction certainly separates
 * them, else TRI_UNDECIDED. This keeps coplanar pairs, as in a flat sheet, from exact arithmetic.
 * No direction separates triangles that share a vertex: narrow_flat is for those. */
KERNEL void narrow_separate(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                            TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    narrow_decide_separate(&t, a[ITEM], b[ITEM], verdict + ITEM);
}

/* index of the first shared vertex: see shared_begins */
FN u32 narrow_begin(shared_corners s, i32 two)
{
    return shared_begins(s.a, s.c, two) ? 0 : shared_begins(s.b, s.a, two) ? 1 : 2;
}

/* Vertex v with the axes in another order, so that flat_seen_apart sees along this one. */
FN v3 narrow_vertex_seen(const triangles *t, u32 v, u32 axis)
{
    GLOBAL const f64 *x = t->x + (size_t)3 * v;
    return v3_make(x[axis == 2 ? 0 : axis + 1], x[axis == 0 ? 2 : axis - 1], 0);
}

FN tri narrow_seen(const triangles *t, tri_corners c, u32 axis)
{
    tri r;
    r.a = narrow_vertex_seen(t, c.a, axis);
    r.b = narrow_vertex_seen(t, c.b, axis);
    r.c = narrow_vertex_seen(t, c.c, axis);
    return r;
}

/* Verdict on triangles that share vertices and that planes do not decide: TRI_APART if they
 * certainly do not meet beyond these; others keep theirs. */
FN void narrow_decide_flat(const triangles *t, u32 i, u32 j, GLOBAL u8 *verdict)
{
    shared_corners sp = narrow_shared(t, j, i), sq = narrow_shared(t, i, j);
    if (!shared_any(sp))
        return;
    i32 hinge = shared_two(sp);
    tri_corners p = corners_turn(narrow_corners(t, i), narrow_begin(sp, hinge)),
                q = corners_turn(narrow_corners(t, j), narrow_begin(sq, hinge));
    ROLLED
    for (u32 k = 0; k < 3 && *verdict != TRI_APART; k++)
        if (flat_seen_apart(narrow_seen(t, p, k), narrow_seen(t, q, k), hinge))
            *verdict = TRI_APART;
    v3 extent = tri_extent(corners_load(t->x, p), corners_load(t->x, q));
    ROLLED
    for (u32 k = 0; k < 3 && !hinge && *verdict != TRI_APART; k++) {
        v3 n = fan_direction(k, corners_load(t->x, p), corners_load(t->x, q));
        f64 error = fan_error(n, extent);
        *verdict = fan_above(n, corners_load(t->x, p), error) ? TRI_APART : TRI_UNDECIDED;
        if (!fan_below(n, corners_load(t->x, q), error))
            *verdict = TRI_UNDECIDED;
    }
}

KERNEL void narrow_flat(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b, TRIANGLES_ARGS,
                        GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    narrow_decide_flat(&t, a[ITEM], b[ITEM], verdict + ITEM);
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

/* ---- geometry */

#define GEOMETRY_ARGS                                                                              \
    GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *corner, GLOBAL const f64 *x,       \
        u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *unscale, GLOBAL f64 *point,         \
        GLOBAL u8 *feature

/* point[6 i ..]: the ends of the segment in which pair i intersects; infinite in part if they are
 * in doubt (lane_contact.h). feature[4 i ..]: those of both triangles at the first end, then at the
 * second. Features are stored first, then each end is made from them, axis by axis: three steps
 * with few registers each, see above. CPUs take all steps at once for many pairs (tri_wide.h). */

FN twofold narrow_difference(GLOBAL const f64 *x, u32 v, u32 from, u32 axis)
{
    return sum_of(x[(size_t)3 * v + axis], -x[(size_t)3 * from + axis]);
}

/* The parameter of crossing_point. *error: crossing_error, then twice the error of the parameter.
 */
FN twofold narrow_parameter(GLOBAL const f64 *x, tri_corners face, u32 from, u32 to, f64 *error)
{
    twofold p = product_of(0, 0), q = p, all;
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        u32 i = k == 2 ? 0 : k + 1, j = k == 0 ? 2 : k - 1;
        twofold u[2], v[2], normal;
        u[0] = narrow_difference(x, face.b, face.a, i);
        u[1] = narrow_difference(x, face.b, face.a, j);
        v[0] = narrow_difference(x, face.c, face.a, i);
        v[1] = narrow_difference(x, face.c, face.a, j);
        normal = loose_area(u[0], u[1], v[0], v[1]);
        p = loose_sum(p, normal, narrow_difference(x, from, face.a, k));
        q = loose_sum(q, normal, narrow_difference(x, to, face.a, k));
    }
    p = quick_sum(p.hi, p.lo);
    all = two_less(p, quick_sum(q.hi, q.lo));
    *error = crossing_doubt(*error, all);
    return loose_div(p, all);
}

/* The end with these features of p and of q: an edge of one, and the face of the other. */
FN void narrow_end(GLOBAL const f64 *x, tri_corners p, tri_corners q, GLOBAL const u8 *feature,
                   f64 error, GLOBAL const f64 *unscale, GLOBAL f64 *out)
{
    i32 of_q = feature[0] == END_FACE;
    tri_corners edge = corners_turn(of_q ? q : p, feature[of_q] - END_EDGE), face = of_q ? p : q;
    twofold t = narrow_parameter(x, face, edge.a, edge.b, &error);
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        GLOBAL const f64 *at = x + k;
        f64 y = crossing_coordinate(at[(size_t)3 * edge.a], at[(size_t)3 * edge.b],
                                    at[(size_t)3 * face.a], at[(size_t)3 * face.b],
                                    at[(size_t)3 * face.c], t, error);
        out[k] = crossing_unscaled(y, y * unscale[0] * unscale[1] + 0);
    }
}

/* Puts the ends in lexicographic order; which is in doubt if they are equal. */
FN void narrow_order(GLOBAL f64 *point, GLOBAL u8 *feature)
{
    v3 a = v3_load(point, 0), b = v3_load(point, 1);
    if (v3_less(b, a)) {
        u8 of_p = feature[0], of_q = feature[1];
        v3_put(b, point);
        v3_put(a, point + 3);
        feature[0] = feature[2];
        feature[1] = feature[3];
        feature[2] = of_p;
        feature[3] = of_q;
    } else if (!v3_less(a, b)) {
        point[0] = INFINITY;
    }
}

/* Stores the features at the ends, in the order of segment_crossing, and point[0] and point[3]:
 * crossing_error, or infinity if the features are in doubt. Steps end with a store, see above. */
FN void narrow_cross(GLOBAL const f64 *x, tri_corners p, tri_corners q, GLOBAL f64 *point,
                     GLOBAL u8 *feature)
{
    v3 extent = tri_extent(corners_load(x, p), corners_load(x, q));
    point[0] = crossing_error(extent);
    point[1] = tri_error(extent);
    u32 side = tri_side(corners_load(x, q), corners_load(x, p), 0);
    feature[0] = (u8)side;
    side = tri_side(corners_load(x, p), corners_load(x, q), 0);
    feature[1] = (u8)side;
    end_form f, g;
    f.lone = feature[0] & SIDE_LONE;
    f.flipped = !(side & SIDE_UP);
    g.lone = side & SIDE_LONE;
    g.flipped = !(feature[0] & SIDE_UP);
    p = corners_flip(corners_turn(p, f.lone), (i32)f.flipped);
    q = corners_flip(corners_turn(q, g.lone), (i32)g.flipped);
    f64 h = tri_orient3d(v3_load(x, p.a), v3_load(x, p.b), v3_load(x, q.c), v3_load(x, q.a));
    point[2] = h;
    f64 l = tri_orient3d(v3_load(x, p.a), v3_load(x, p.c), v3_load(x, q.b), v3_load(x, q.a));
    h = point[2];
    ends_put(f, g, h > 0, l < 0, 0, feature);
    if (!(lane_min(lane_abs(h), lane_abs(l)) > point[1]))
        point[0] = INFINITY;
    point[3] = point[0];
}

KERNEL void narrow_segment(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                           GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL f64 *point,
                           GLOBAL u8 *feature)
{
    if (ITEM < n)
        narrow_cross(x, corners_of(corner, a[ITEM]), corners_of(corner, b[ITEM]),
                     point + (size_t)6 * ITEM, feature + (size_t)4 * ITEM);
}

/* Then each end, of which there are two for a pair, as an item of its own. */
FN void narrow_make_end(GLOBAL const f64 *x, tri_corners p, tri_corners q, GLOBAL const u8 *feature,
                        GLOBAL const f64 *unscale, GLOBAL f64 *point)
{
    f64 error = point[0];
    narrow_end(x, p, q, feature, error, unscale, point);
    if (!(error < INFINITY))
        point[0] = INFINITY;
}

KERNEL void narrow_segment_ends(ITEM_ARG u32 n, GEOMETRY_ARGS)
{
    if (ITEM >= n)
        return;
    u32 i = ITEM / 2;
    narrow_make_end(x, corners_of(corner, a[i]), corners_of(corner, b[i]),
                    feature + (size_t)2 * ITEM, unscale + 2 * frame_of(prim0, frames, a[i]),
                    point + (size_t)3 * ITEM);
}

/* Then their order. */
KERNEL void narrow_segment_order(ITEM_ARG u32 n, GLOBAL f64 *point, GLOBAL u8 *feature)
{
    if (ITEM < n)
        narrow_order(point + (size_t)6 * ITEM, feature + (size_t)4 * ITEM);
}

/* The same for the pairs that share a vertex: one end is that vertex. The other one is where the
 * edge opposite to it, of one triangle, crosses the plane of the other one: the edge that is nearer
 * to the vertex, which is then on the same side of a plane along both edges as the other edge. p
 * and q begin with the shared vertex. */
FN f64 narrow_cross_fan(GLOBAL const f64 *x, tri_corners p, tri_corners q, i32 *of_q)
{
    v3 o = v3_load(x, p.b);
    v3 across = v3_cross(v3_sub(v3_load(x, p.c), o), v3_sub(v3_load(x, q.c), v3_load(x, q.b)));
    f64 other = v3_dot(across, v3_sub(v3_load(x, q.b), o)),
        shared = v3_dot(across, v3_sub(v3_load(x, p.a), o));
    v3 extent = tri_extent(corners_load(x, p), corners_load(x, q));
    *of_q = (other > 0) == (shared > 0);
    return lane_min(lane_abs(other), lane_abs(shared)) > tri_error(extent) ? crossing_error(extent)
                                                                           : INFINITY;
}

/* index of the first vertex of p (0, 1, 2) that is a vertex of q */
FN u32 corners_find(tri_corners p, tri_corners q)
{
    return corners_have(q, p.a) ? 0 : corners_have(q, p.b) ? 1 : 2;
}

KERNEL void narrow_segment_fan(ITEM_ARG u32 n, GEOMETRY_ARGS)
{
    if (ITEM >= n || !prim_shared(corner, a[ITEM], b[ITEM]))
        return;
    tri_corners p = corners_of(corner, a[ITEM]), q = corners_of(corner, b[ITEM]);
    u32 at_p = corners_find(p, q), at_q = corners_find(q, p);
    i32 of_q;
    f64 error = narrow_cross_fan(x, corners_turn(p, at_p), corners_turn(q, at_q), &of_q);
    unscale += 2 * frame_of(prim0, frames, a[ITEM]);
    point += (size_t)6 * ITEM;
    feature += (size_t)4 * ITEM;
    feature[0] = (u8)at_p;
    feature[1] = (u8)at_q;
    end_put((u32)of_q, ((of_q ? at_q : at_p) + 1) % 3, feature + 2);
    for (u32 k = 0; k < 3; k++) {
        f64 y = x[(size_t)3 * corners_at(p, at_p) + k];
        point[k] = crossing_unscaled(y, y * unscale[0] * unscale[1] + 0);
    }
    narrow_end(x, p, q, feature + 2, error, unscale, point + 3);
    narrow_order(point, feature);
    if (!(error < INFINITY))
        point[0] = INFINITY;
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
