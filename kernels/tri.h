/* Triangle against triangle: closed sets, decided where float64 can decide it.
 *
 * The verdict follows Guigue and Devillers 2003: signs of 3x3 determinants only. A determinant is
 * trusted when it exceeds the error bound of its rounding; where a needed sign is not certain the
 * answer is TRI_UNDECIDED and exact arithmetic on the host decides (exact.h).
 *
 * The formulas for any number of lanes are in lane_tri.h, with the error bound. Here are functions
 * with steps and early outs, for one pair; tri_wide.h takes all steps at once for many pairs. */
#ifndef IMP_TRI_H
#define IMP_TRI_H
#include "vec.h"

#define TRI_APART 0u
#define TRI_MEET 1u /* in a segment of positive length */
#define TRI_UNDECIDED 2u
#define TRI_NEAR 3u /* not decided by the first test */
#define TRI_NO_VERDICT 4u

#ifdef IMP_FP64

#define TRI_DOT_EPSILON 1e-15 /* for n.(p - q) over |n_x| ex + |n_y| ey + |n_z| ez: 4 * 2^-53 */

#include "lane_tri.h"
#include "lane_adjacent.h"

FN v3 v3_load(GLOBAL const f64 *x, u32 i)
{
    GLOBAL const f64 *p = x + (size_t)3 * i;
    return v3_make(p[0], p[1], p[2]);
}

FN void v3_put(v3 v, GLOBAL f64 *out)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

FN tri_corners corners_make(u32 a, u32 b, u32 c)
{
    tri_corners t;
    t.a = a;
    t.b = b;
    t.c = c;
    return t;
}

FN tri_corners corners_of(GLOBAL const u32 *corner, u32 i)
{
    GLOBAL const u32 *c = corner + (size_t)3 * i;
    return corners_make(c[0], c[1], c[2]);
}

/* the n-th vertex */
FN u32 corners_at(tri_corners t, u32 n)
{
    return n == 0 ? t.a : n == 1 ? t.b : t.c;
}

/* t rotated to begin with its n-th vertex; same orientation */
FN tri_corners corners_turn(tri_corners t, u32 n)
{
    return corners_make(corners_at(t, n),
                        n == 0   ? t.b
                        : n == 1 ? t.c
                                 : t.a,
                        n == 0   ? t.c
                        : n == 1 ? t.a
                                 : t.b);
}

/* swaps the last two vertices if `flip`: reverses the orientation */
FN tri_corners corners_flip(tri_corners t, i32 flip)
{
    return corners_make(t.a, flip ? t.c : t.b, flip ? t.b : t.c);
}

FN tri corners_load(GLOBAL const f64 *x, tri_corners c)
{
    tri t;
    t.a = v3_load(x, c.a);
    t.b = v3_load(x, c.b);
    t.c = v3_load(x, c.c);
    return t;
}

FN tri tri_load(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 i)
{
    return corners_load(x, corners_of(corner, i));
}

/* 1 or -1 if certain, else 0 */
FN i32 sure_sign(f64 d, f64 error)
{
    return sure_above(d, error) - sure_below(d, error);
}

/* true if their boxes are disjoint */
FN i32 tri_boxes_apart(tri p, tri q)
{
    v3 plo = tri_low(p), phi = tri_high(p), qlo = tri_low(q), qhi = tri_high(q);
    return phi.x < qlo.x || qhi.x < plo.x || phi.y < qlo.y || qhi.y < plo.y || phi.z < qlo.z ||
           qhi.z < plo.z;
}

/* Returns whether the direction n certainly separates p and q. Any n is allowed: rounding of n
 * itself does not matter, only that of the projections. */
FN i32 tri_separates(v3 n, tri p, tri q, v3 extent)
{
    v3 hp = tri_heights(n, p.a, p), hq = tri_heights(n, p.a, q);
    f64 error = 2 * (TRI_DOT_EPSILON * (lane_abs(n.x) * extent.x + lane_abs(n.y) * extent.y +
                                        lane_abs(n.z) * extent.z) +
                     TRI_TINY);
    return lane_min3(hp.x, hp.y, hp.z) - lane_max3(hq.x, hq.y, hq.z) > error ||
           lane_min3(hq.x, hq.y, hq.z) - lane_max3(hp.x, hp.y, hp.z) > error;
}

/* The certain positions of q's vertices relative to the plane of p: all on one side, or on both; in
 * the latter case with the vertex that is alone on its side (0, 1, 2) and whether it is above. */
#define SIDE_UNSURE 0u
#define SIDE_ONE 8u
#define SIDE_BOTH 16u
#define SIDE_UP 4u
#define SIDE_LONE 3u

/* The index of the lone vertex. A number takes one register of a GPU, where masks take more. */
FN u32 signs_lone(signs s)
{
    return s.lone_a ? 0 : s.lone_b ? 1 : 2;
}

FN u32 signs_side(signs s)
{
    if (signs_equal(s))
        return SIDE_ONE;
    if (!s.certain)
        return SIDE_UNSURE;
    return SIDE_BOTH | (s.up ? SIDE_UP : 0) | signs_lone(s);
}

FN u32 tri_side(tri p, tri q, f64 error)
{
    return signs_side(signs_make(tri_over(p, q), error));
}

/* Each has vertices on both sides of the other's plane, so the planes' common line meets both.
 * Verdict on whether the two intervals on it overlap: with p's first vertex alone above q's plane
 * and q's alone above p's, they do iff q.b is not above p.a, p.b, q.a and q.a not above p.a, p.c,
 * q.c. */
FN u32 tri_intervals(GLOBAL const f64 *x, tri_corners p, tri_corners q, u32 side_p, u32 side_q,
                     f64 error)
{
    p = corners_flip(corners_turn(p, side_p & SIDE_LONE), !(side_q & SIDE_UP));
    q = corners_flip(corners_turn(q, side_q & SIDE_LONE), !(side_p & SIDE_UP));
    v3 a = v3_load(x, p.a), o = v3_load(x, q.a);
    f64 s = tri_orient3d(a, v3_load(x, p.b), o, v3_load(x, q.b));
    f64 t = tri_orient3d(a, v3_load(x, p.c), v3_load(x, q.c), o);
    if (intervals_apart(s, t, error))
        return TRI_APART;
    return intervals_overlap(s, t, error) ? TRI_MEET : TRI_UNDECIDED;
}

/* ---- triangles that share a vertex or an edge */

/* Verdict on whether triangles that share one vertex meet beyond it, if each has its other vertices
 * on both sides of the other's plane (heights_unshared). Both meet the common line of their planes
 * in a segment from it; on this line p lies towards np x nq if its vertex behind the shared one is
 * above q's plane, q the other way if its vertex behind it is above p's. */
FN u32 tri_fan_meet(u32 side_p, u32 side_q)
{
    return (side_p ^ side_q) & SIDE_UP ? TRI_MEET : TRI_APART;
}

#endif
#endif
