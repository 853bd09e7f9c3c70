/* Verdicts on candidates of a distance, and the nearest features of pairs within it. README.md,
 * "Within a distance", describes the method. a[i], b[i] is the i-th pair; limit: DISTANCE_LIMITS of
 * each frame. */
#include "distance.h"
#ifdef IMP_FP64

#define DISTANCE_ARGS                                                                              \
    GLOBAL const u32 *a, GLOBAL const u32 *b, u32 corners, GLOBAL const u32 *corner,               \
        GLOBAL const f64 *x, u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *limit

FN GLOBAL const f64 *distance_limits(GLOBAL const f64 *limit, u32 frames, GLOBAL const u32 *prim0,
                                     u32 i)
{
    return limit + DISTANCE_LIMITS * frame_of(prim0, frames, i);
}

/* The sum of the vertices of q minus that of p. */
FN v3 distance_middles(distance_pair r)
{
    v3 d = v3_sub(v3_load(r.x, r.q[0]), v3_load(r.x, r.p[0]));
    ROLLED
    for (u32 k = 1; k < r.corners; k++)
        d = v3_add(d, v3_sub(v3_load(r.x, r.q[k]), v3_load(r.x, r.p[k])));
    return d;
}

FN v3 distance_normal(distance_pair r, GLOBAL const u32 *p)
{
    v3 o = v3_load(r.x, p[0]);
    return v3_cross(v3_sub(v3_load(r.x, p[1]), o), v3_sub(v3_load(r.x, p[2]), o));
}

/* Returns whether all ways along n, in either sense, are certainly too long. */
FN i32 distance_far_along(distance_pair r, v3 n, f64 above)
{
    v3 from = v3_load(r.x, r.p[0]);
    distance_range p = distance_along(r, r.p, n, from), q = distance_along(r, r.q, n, from);
    return distance_beyond(lane_max(q.lo - p.hi, p.lo - q.hi), n, above);
}

FN u8 distance_decide_far(distance_pair r, GLOBAL const f64 *limit)
{
    f64 above = limit[DISTANCE_ABOVE];
    return distance_far_along(r, distance_middles(r), above) ||
                   distance_far_along(r, distance_normal(r, r.p), above) ||
                   distance_far_along(r, distance_normal(r, r.q), above)
               ? TRI_APART
               : TRI_NEAR;
}

/* verdict[i]: TRI_APART if a direction certainly separates them by more than the distance, else
 * TRI_NEAR. */
KERNEL void distance_far(ITEM_ARG u32 n, DISTANCE_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    verdict[ITEM] = distance_decide_far(distance_pair_of(corners, corner, x, a[ITEM], b[ITEM]),
                                        distance_limits(limit, frames, prim0, a[ITEM]));
}

FN u8 distance_decide(distance_pair r, GLOBAL const f64 *limit)
{
    distance_way w = distance_shortest(r);
    if (w.square < limit[DISTANCE_BELOW])
        return TRI_MEET;
    return distance_beyond(distance_least(r, w.way), w.way, limit[DISTANCE_ABOVE]) ? TRI_APART
                                                                                   : TRI_UNDECIDED;
}

/* verdict[i]: TRI_MEET if they certainly are within the distance, TRI_APART if certainly not, else
 * TRI_UNDECIDED: primitives that intersect far from their features are undecided, too. */
KERNEL void distance_test(ITEM_ARG u32 n, DISTANCE_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    verdict[ITEM] = distance_decide(distance_pair_of(corners, corner, x, a[ITEM], b[ITEM]),
                                    distance_limits(limit, frames, prim0, a[ITEM]));
}

/* ---- feature pairs, as ccd.cl lists them */

FN u8 distance_decide_pair(GLOBAL const f64 *ends, ccd_four v, GLOBAL const f64 *limit)
{
    GLOBAL const f64 *of = limit + DISTANCE_LIMITS * (u32)ends[(size_t)CCD_ROW * v.a + CCD_FRAME];
    distance_way w = distance_shortest_of(ends, v);
    if (w.square < of[DISTANCE_BELOW])
        return TRI_MEET;
    return distance_beyond(distance_least_of(ends, v, w.way), w.way, of[DISTANCE_ABOVE])
               ? TRI_APART
               : TRI_UNDECIDED;
}

/* verdict[i]: as distance_test, for two features. */
KERNEL void distance_pairs(ITEM_ARG u32 n, FEATURES_ARGS, GLOBAL const f64 *limit,
                           GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    verdict[ITEM] = distance_decide_pair(ends, ccd_named(&m, which[ITEM], a, b, pair0), limit);
}

/* ---- nearest features, of triangles alone */

/* The square of the longest edge. */
FN f64 distance_longest(distance_pair r, GLOBAL const u32 *p)
{
    f64 most = 0;
    ROLLED
    for (u32 e = 0; e < 3; e++)
        most = lane_max(distance_load_edge(r, p, e).square, most);
    return most;
}

/* Bits of the vertices that may be at an end of the shortest way: those of p that are foremost
 * along d. */
FN u32 distance_foremost(distance_pair r, GLOBAL const u32 *p, v3 d, f64 drift)
{
    v3 from = v3_load(r.x, p[0]);
    f64 most = distance_along(r, p, d, from).hi, edge = distance_longest(r, p);
    u32 bits = 0;
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        f64 at = v3_dot(v3_sub(v3_load(r.x, p[k]), from), d);
        bits |= distance_behind(most - at, d, edge, drift) ? 0 : 1u << k;
    }
    return bits;
}

FN u32 distance_vertices_off(distance_pair r, u32 i, v3 way, f64 drift)
{
    u32 off = 1;
    v3 p = v3_load(r.x, r.p[i]);
    ROLLED
    for (u32 k = 0; k < 3; k++)
        off &= (u32)distance_off_point(p, way, v3_load(r.x, r.q[k]), drift);
    return off;
}

/* Edges i of p and j of q. */
FN u32 distance_lines_off(distance_pair r, u32 i, u32 j, v3 way, f64 drift)
{
    u32 off = 1;
    distance_edge p = distance_load_edge(r, r.p, i), q = distance_load_edge(r, r.q, j);
    v3 back = v3_scale(way, -1);
    ROLLED
    for (u32 end = 0; end < 2; end++) {
        v3 at = v3_load(r.x, r.p[edge_corner(i, end)]), to = v3_load(r.x, r.q[edge_corner(j, end)]);
        off &= (u32)distance_off_line(at, way, q.at, q.e, drift) &
               (u32)distance_off_line(to, back, p.at, p.e, drift);
    }
    return off;
}

FN u32 distance_decide_features(distance_pair r)
{
    distance_way w = distance_shortest(r);
    f64 least = distance_least(r, w.way), drift = distance_drift(w, least);
    if (!(DISTANCE_EPSILON * distance_size(w.way) < least) || !distance_corners_differ(r.p) ||
        !distance_corners_differ(r.q))
        return DISTANCE_OPEN;
    u32 in_p = distance_foremost(r, r.p, w.way, drift);
    u32 in_q = distance_foremost(r, r.q, v3_scale(w.way, -1), drift);
    u32 vertices =
        bit_count(in_p) == 1 ? distance_vertices_off(r, bit_lowest(in_p), w.way, drift) : 0;
    u32 lines = distance_lines_off(r, distance_edge_of(in_p), distance_edge_of(in_q), w.way, drift);
    return distance_code(in_p, in_q, vertices, lines);
}

/* code[i]: the nearest features. */
KERNEL void distance_features(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                              GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL u8 *code)
{
    if (ITEM >= n)
        return;
    code[ITEM] = (u8)distance_decide_features(distance_pair_of(3, corner, x, a[ITEM], b[ITEM]));
}

#endif
