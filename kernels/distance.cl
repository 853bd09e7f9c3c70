/* Verdicts on candidates of a distance, and the nearest features of pairs within it. README.md,
 * "Within a distance", describes the method. a[i], b[i] is the i-th pair; limit: DISTANCE_LIMITS of
 * each frame, or DISTANCE_HALVES. */
#include "distance.h"
#include "distance_far.h"
#include "list.h"
#ifdef IMP_FP64

#define DISTANCE_ARGS                                                                              \
    GLOBAL const u32 *a, GLOBAL const u32 *b, u32 corners, GLOBAL const u32 *corner,               \
        GLOBAL const f64 *x, u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *limit

FN distance_limit distance_limits(GLOBAL const f64 *limit, u32 frames, GLOBAL const u32 *prim0,
                                  u32 i, u32 j)
{
    return distance_limit_at(limit, limit[0] < 0 ? 0 : frame_of(prim0, frames, i), i, j);
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

/* *verdict is stored after each direction, as in narrow.cl. */
FN void distance_decide_far(distance_pair r, f64 above, GLOBAL u8 *verdict)
{
    *verdict = TRI_NEAR;
    ROLLED
    for (u32 k = 0; k < 3 && *verdict == TRI_NEAR; k++) {
        v3 n = k ? distance_normal(r, k == 1 ? r.p : r.q) : distance_middles(r);
        if (distance_far_along(r, n, above))
            *verdict = TRI_APART;
    }
}

/* From the shortest way, which is noted. */
FN void distance_decide(distance_pair r, distance_limit limit, GLOBAL const f64 *note,
                        GLOBAL u8 *verdict)
{
    *verdict = TRI_MEET;
    if (note[DISTANCE_SQUARE] < limit.below)
        return;
    v3 way = distance_note_way(note);
    *verdict =
        distance_beyond(distance_least(r, way), way, limit.above) ? TRI_APART : TRI_UNDECIDED;
}

#ifdef IMP_DEVICE

/* ---- triangles in float32: distance_far.h */

#define DISTANCE_FAR_ARGS                                                                          \
    GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *corner, GLOBAL const f32 *point,   \
        u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *limit

/* All are near unless a direction certainly separates them by more than the distance. */
GROUP_KERNEL(SCAN_GROUP)
distance_beyond_group(u32 room, DISTANCE_FAR_ARGS, GLOBAL u32 *counts, GLOBAL u32 *a_out,
                      GLOBAL u32 *b_out)
{
    SHARED list_shared shared;
#define DISTANCE_NOT_BEYOND(i)                                                                     \
    !far_pair_beyond(far_pair_of(corner, point, a[i], b[i]),                                       \
                     distance_limits(limit, frames, prim0, a[i], b[i]).above)
    LIST_FILTER(&shared, room, a, b, DISTANCE_NOT_BEYOND, counts, a_out, b_out);
}

/* *verdict is stored between both steps, as in narrow.cl. */
FN void distance_decide_way(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 i, u32 j,
                            GLOBAL const f64 *limit, u32 frames, GLOBAL const u32 *prim0,
                            GLOBAL u8 *verdict)
{
    far3 way = far_shortest(far_pair_of(corner, point, i, j)).way;
    *verdict = TRI_UNDECIDED;
    distance_limit of = distance_limits(limit, frames, prim0, i, j);
    *verdict = (u8)far_way_verdict(far_pair_of(corner, point, i, j), way, of.below, of.above);
}

/* Lists those that certainly are within the distance as pairs that meet, and those that are not
 * certainly beyond it as undecided. */
GROUP_KERNEL(SCAN_GROUP)
distance_ways_group(DISTANCE_FAR_ARGS, GLOBAL u8 *verdict, u32 room, GLOBAL u32 *counts,
                    GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    SHARED list_shared shared;
#define DISTANCE_WAY(i)                                                                            \
    distance_decide_way(corner, point, a[i], b[i], limit, frames, prim0, verdict + (i))
    LIST_SPLIT(&shared, room, a, b, DISTANCE_WAY, verdict, counts, a_out, b_out);
}

/* ---- in float64 */

/* All are near unless a direction certainly separates them by more than the distance. verdict: of
 * all pairs. */
GROUP_KERNEL(SCAN_GROUP)
distance_far_group(u32 room, DISTANCE_ARGS, GLOBAL u8 *verdict, GLOBAL u32 *counts,
                   GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    SHARED list_shared shared;
#define DISTANCE_NEAR(i)                                                                           \
    (distance_decide_far(distance_pair_of(corners, corner, x, a[i], b[i]),                         \
                         distance_limits(limit, frames, prim0, a[i], b[i]).above, verdict + (i)),  \
     verdict[i] == TRI_NEAR)
    LIST_FILTER(&shared, room, a, b, DISTANCE_NEAR, counts, a_out, b_out);
}

/* verdict[i], of a list of counts[which] pairs: TRI_MEET if they certainly are within the distance,
 * TRI_APART if certainly not, else TRI_UNDECIDED: primitives that intersect far from their features
 * are undecided, too. note: [DISTANCE_NOTE] of each item. A kernel that also appends to lists would
 * have no registers for that. */
GROUP_KERNEL(SCAN_GROUP)
distance_test_group(DISTANCE_ARGS, GLOBAL f64 *note, GLOBAL const u32 *counts, u32 which,
                    GLOBAL u8 *verdict)
{
    for (u32 i = ITEM; i < counts[which]; i += ITEMS) {
        distance_shortest(distance_pair_of(corners, corner, x, a[i], b[i]),
                          note + (size_t)DISTANCE_NOTE * ITEM);
        distance_decide(distance_pair_of(corners, corner, x, a[i], b[i]),
                        distance_limits(limit, frames, prim0, a[i], b[i]),
                        note + (size_t)DISTANCE_NOTE * ITEM, verdict + i);
    }
}

GROUP_KERNEL(SCAN_GROUP)
distance_split_group(GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u8 *verdict, u32 room,
                     GLOBAL u32 *counts, GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    SHARED list_shared shared;
#define DISTANCE_DECIDED(i) ((void)0)
    LIST_SPLIT(&shared, room, a, b, DISTANCE_DECIDED, verdict, counts, a_out, b_out);
}

#endif

/* ---- feature pairs, as ccd.cl lists them */

/* The limits of a pair of features, by the primitives that list it. */
FN distance_limit distance_limits_named(GLOBAL const f64 *limit, GLOBAL const f64 *ends, ccd_four v,
                                        u32 pair, GLOBAL const u32 *a, GLOBAL const u32 *b)
{
    return distance_limit_at(limit, (u32)ends[(size_t)CCD_ROW * v.a + CCD_FRAME], a[pair], b[pair]);
}

FN void distance_decide_pair(GLOBAL const f64 *ends, ccd_four v, distance_limit of,
                             GLOBAL f64 *note, GLOBAL u8 *verdict)
{
    distance_shortest_of(ends, v, note);
    *verdict = TRI_MEET;
    if (note[DISTANCE_SQUARE] < of.below)
        return;
    v3 way = distance_note_way(note);
    *verdict =
        distance_beyond(distance_least_of(ends, v, way), way, of.above) ? TRI_APART : TRI_UNDECIDED;
}

/* verdict[i]: as distance_test, for two features. */
KERNEL void distance_pairs(ITEM_ARG u32 n, FEATURES_ARGS, GLOBAL const f64 *limit, GLOBAL f64 *note,
                           GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    ccd_four v = ccd_named(&m, which[ITEM], a, b, pair0);
    distance_decide_pair(
        ends, v,
        distance_limits_named(limit, ends, v, pair0 + (which[ITEM] >> CCD_NUMBER_BITS), a, b),
        note + (size_t)DISTANCE_NOTE * ITEM, verdict + ITEM);
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

/* *bits: the vertices that may be at an end of the shortest way: those of p that are foremost along
 * it, or, of the second triangle, along the other direction. */
FN void distance_foremost(distance_pair r, GLOBAL const u32 *p, v3 along, f64 drift,
                          GLOBAL u8 *bits)
{
    f64 most = distance_along(r, p, along, v3_load(r.x, p[0])).hi, edge = distance_longest(r, p);
    *bits = 0;
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        f64 at = v3_dot(v3_sub(v3_load(r.x, p[k]), v3_load(r.x, p[0])), along);
        if (!distance_behind(most - at, along, edge, drift))
            *bits |= (u8)(1u << k);
    }
}

/* *off: whether vertex i of p and the way certainly end at no vertex of q. */
FN void distance_vertices_off(distance_pair r, u32 i, v3 way, f64 drift, GLOBAL u8 *off)
{
    *off = 1;
    ROLLED
    for (u32 k = 0; k < 3; k++)
        *off &= (u8)distance_off_point(v3_load(r.x, r.p[i]), way, v3_load(r.x, r.q[k]), drift);
}

/* Whether p + way is certainly not on the line of edge e of q. */
FN u32 distance_line_off(distance_pair r, u32 p, v3 way, GLOBAL const u32 *q, u32 e, f64 drift)
{
    v3 at = v3_load(r.x, q[edge_corner(e, 0)]);
    return (u32)distance_off_line(v3_load(r.x, p), way, at,
                                  v3_sub(v3_load(r.x, q[edge_corner(e, 1)]), at), drift);
}

/* Edges i of p and j of q. *off: stored after each line. */
FN void distance_lines_off(distance_pair r, u32 i, u32 j, v3 way, f64 drift, GLOBAL u8 *off)
{
    *off = 1;
    ROLLED
    for (u32 end = 0; end < 2; end++) {
        *off &= (u8)distance_line_off(r, r.p[edge_corner(i, end)], way, r.q, j, drift);
        *off &=
            (u8)distance_line_off(r, r.q[edge_corner(j, end)], v3_scale(way, -1), r.p, i, drift);
    }
}

/* From a way w that is nearly the shortest. *code is stored after each step, as in narrow.cl. */
FN void distance_decide_features(distance_pair r, distance_way w, GLOBAL u8 *code)
{
    *code = DISTANCE_OPEN;
    if (!distance_corners_differ(r.p) || !distance_corners_differ(r.q))
        return;
    f64 least = distance_least(r, w.way);
    if (!(DISTANCE_EPSILON * distance_size(w.way) < least))
        return;
    f64 drift = distance_drift(w, least);
    distance_foremost(r, r.p, w.way, drift, code);
    u32 in_p = *code;
    distance_foremost(r, r.q, v3_scale(w.way, -1), drift, code);
    u32 in_q = *code, vertices = 0;
    if (bit_count(in_p) == 1) {
        distance_vertices_off(r, bit_lowest(in_p), w.way, drift, code);
        vertices = *code;
    }
    distance_lines_off(r, distance_edge_of(in_p), distance_edge_of(in_q), w.way, drift, code);
    *code = (u8)distance_code(in_p, in_q, vertices, *code);
}

/* code[i]: in float32, the features of a way that is nearly the shortest. */
KERNEL void distance_nearly(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                            GLOBAL const u32 *corner, GLOBAL const f32 *point, GLOBAL u8 *code)
{
    if (ITEM >= n)
        return;
    code[ITEM] = (u8)far_shortest(far_pair_of(corner, point, a[ITEM], b[ITEM])).features;
}

/* code[i]: first as distance_nearly, then the nearest features. Both steps in one kernel would take
 * too many registers. */
KERNEL void distance_features(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                              GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL u8 *code)
{
    if (ITEM >= n)
        return;
    distance_pair r = distance_pair_of(3, corner, x, a[ITEM], b[ITEM]);
    distance_decide_features(r, distance_way_of(r, code[ITEM]), code + ITEM);
}

#endif
