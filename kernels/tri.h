/* Triangle against triangle: closed sets, decided where float64 can decide it.
 *
 * The verdict follows Guigue and Devillers 2003: signs of 3x3 determinants only. A determinant is
 * trusted when it exceeds the largest error that rounding can have made; where a needed sign is
 * not certain the answer is TRI_UNDECIDED and exact arithmetic on the host decides (exact.h).
 *
 * The error bound. Every determinant here is w.(u x v) with u, v, w differences of two of the six
 * vertices; |u_x| and so on are at most ex, ey, ez, the extent of the union of both triangles. It
 * has 6 products of at most ex*ey*ez, each with 8 roundings (3 differences, 2 products, one
 * subtraction, 2 additions): |error| <= 48 * 2^-53 * ex*ey*ez (1 + tiny) < TRI_EPSILON * ex*ey*ez.
 * Coordinates are scaled to the frame (frame.cl), so nothing overflows; TRI_TINY covers underflow,
 * also that of the scaling itself. */
#ifndef IMP_TRI_H
#define IMP_TRI_H
#include "vec.h"
#ifdef IMP_FP64

#define TRI_APART 0u
#define TRI_MEET 1u /* in a segment of some length */
#define TRI_UNDECIDED 2u
#define TRI_NEAR 3u /* the first question cannot tell: ask the second */
#define TRI_NO_VERDICT 4u

#define TRI_EPSILON 5.4e-15
#define TRI_PLACE 0x1p27
#define TRI_DOT_EPSILON 1e-15 /* for n.(p - q) over |n_x| ex + |n_y| ey + |n_z| ez: 4 * 2^-53 */
#define TRI_TINY 1e-280

typedef struct tri {
    v3 a, b, c;
} tri;

/* the numbers of its vertices */
typedef struct tri_corners {
    u32 a, b, c;
} tri_corners;

/* three signs, one for each vertex */
typedef struct tri_signs {
    i32 a, b, c;
} tri_signs;

FN v3 v3_load(GLOBAL const f64 *x, u32 i)
{
    GLOBAL const f64 *p = x + (size_t)3 * i;
    return v3_make(p[0], p[1], p[2]);
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

/* the same triangle, same orientation, beginning with its n-th vertex */
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

/* swap the last two vertices if asked: turns the orientation over */
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

FN v3 tri_low(tri t)
{
    return v3_min(v3_min(t.a, t.b), t.c);
}

FN v3 tri_high(tri t)
{
    return v3_max(v3_max(t.a, t.b), t.c);
}

FN v3 tri_normal(tri t)
{
    return v3_cross(v3_sub(t.b, t.a), v3_sub(t.c, t.a));
}

/* the extent of both together */
FN v3 tri_extent(tri p, tri q)
{
    return v3_sub(v3_max(tri_high(p), tri_high(q)), v3_min(tri_low(p), tri_low(q)));
}

/* the largest error of a determinant of their vertices */
FN f64 tri_error(tri p, tri q)
{
    v3 extent = tri_extent(p, q);
    return TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
}

/* heights of the vertices of t over the plane through o with normal n */
FN v3 tri_heights(v3 n, v3 o, tri t)
{
    return v3_make(v3_dot(n, v3_sub(t.a, o)), v3_dot(n, v3_sub(t.b, o)), v3_dot(n, v3_sub(t.c, o)));
}

/* 1 or -1 where certain, else 0 (also for NaN) */
FN i32 sure_sign(f64 d, f64 error)
{
    return (d > error) - (d < -error);
}

FN tri_signs tri_sure_signs(v3 d, f64 error)
{
    tri_signs s;
    s.a = sure_sign(d.x, error);
    s.b = sure_sign(d.y, error);
    s.c = sure_sign(d.z, error);
    return s;
}

FN i32 signs_equal(tri_signs s)
{
    return s.a != 0 && s.a == s.b && s.b == s.c;
}

FN i32 signs_certain(tri_signs s)
{
    return s.a != 0 && s.b != 0 && s.c != 0;
}

/* certain, not all equal: which vertex is alone on its side */
FN u32 signs_lone(tri_signs s)
{
    return s.b == s.c ? 0 : s.a == s.c ? 1 : 2;
}

/* sign of the height of d over the plane a, b, c */
FN i32 orient3d_sure(v3 a, v3 b, v3 c, v3 d, f64 error)
{
    return sure_sign(v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), v3_sub(d, a)), error);
}

/* are their boxes disjoint? */
FN i32 tri_boxes_apart(tri p, tri q)
{
    v3 plo = tri_low(p), phi = tri_high(p), qlo = tri_low(q), qhi = tri_high(q);
    return phi.x < qlo.x || qhi.x < plo.x || phi.y < qlo.y || qhi.y < plo.y || phi.z < qlo.z ||
           qhi.z < plo.z;
}

/* Does the direction n separate p and q for certain? Any n may be asked: rounding of n itself
 * does not matter, only that of the projections. */
FN i32 tri_separates(v3 n, tri p, tri q, v3 extent)
{
    v3 hp = tri_heights(n, p.a, p), hq = tri_heights(n, p.a, q);
    f64 error = 2 * (TRI_DOT_EPSILON * (f64_abs(n.x) * extent.x + f64_abs(n.y) * extent.y +
                                        f64_abs(n.z) * extent.z) +
                     TRI_TINY);
    return f64_min3(hp.x, hp.y, hp.z) - f64_max3(hq.x, hq.y, hq.z) > error ||
           f64_min3(hq.x, hq.y, hq.z) - f64_max3(hp.x, hp.y, hp.z) > error;
}

/* Where the vertices of q lie for certain, seen from the plane of p: all on one side, or on both,
 * then with the vertex that is alone on its side (0, 1, 2) and whether that is above. */
#define SIDE_UNSURE 0u
#define SIDE_ONE 8u
#define SIDE_BOTH 16u
#define SIDE_UP 4u
#define SIDE_LONE 3u

FN u32 tri_side(tri p, tri q, f64 error)
{
    tri_signs s = tri_sure_signs(tri_heights(tri_normal(p), p.a, q), error);
    if (signs_equal(s))
        return SIDE_ONE;
    if (!signs_certain(s))
        return SIDE_UNSURE;
    u32 lone = signs_lone(s);
    i32 sign = lone == 0 ? s.a : lone == 1 ? s.b : s.c;
    return SIDE_BOTH | (sign > 0 ? SIDE_UP : 0) | lone;
}

/* Triangles meet where their edges cross the other's plane, and an edge does that where the heights
 * of its ends say. Where both are small the edge lies nearly in that plane, and float64 cannot tell
 * the place: at most one of the three heights of q over the plane of p may be, so the middle one
 * has to be above tri_place_least. */
FN f64 tri_place_height(tri p, tri q)
{
    v3 h = tri_heights(tri_normal(p), p.a, q);
    f64 a = f64_abs(h.x), b = f64_abs(h.y), c = f64_abs(h.z);
    return f64_max(f64_min(a, b), f64_min(f64_max(a, b), c));
}

/* The extent of p replaces that of both for two of the three factors of a height, see above. This
 * asks for 1e-9 of the edge; errors as they are, not as they might be, are about a tenth of their
 * bound. */
FN f64 tri_place_least(tri p, tri q)
{
    v3 own = v3_sub(tri_high(p), tri_low(p)), extent = tri_extent(p, q);
    f64 error = own.y * own.z * extent.x + own.z * own.x * extent.y + own.x * own.y * extent.z;
    return TRI_PLACE * (TRI_EPSILON / 3 * error + TRI_TINY);
}

/* Each has vertices on both sides of the other's plane: the planes' common line meets both; do the
 * two intervals on it overlap? With p's first vertex alone above q's plane and q's alone above
 * p's, they do iff q.b is not above p.a, p.b, q.a and q.a not above p.a, p.c, q.c. */
FN u32 tri_intervals(GLOBAL const f64 *x, tri_corners p, tri_corners q, u32 side_p, u32 side_q,
                     f64 error)
{
    p = corners_flip(corners_turn(p, side_p & SIDE_LONE), !(side_q & SIDE_UP));
    q = corners_flip(corners_turn(q, side_q & SIDE_LONE), !(side_p & SIDE_UP));
    v3 a = v3_load(x, p.a), o = v3_load(x, q.a);
    i32 s = orient3d_sure(a, v3_load(x, p.b), o, v3_load(x, q.b), error);
    i32 t = orient3d_sure(a, v3_load(x, p.c), v3_load(x, q.c), o, error);
    if (s > 0 || t > 0)
        return TRI_APART;
    return s < 0 && t < 0 ? TRI_MEET : TRI_UNDECIDED;
}

/* ---- triangles that share a vertex or an edge */

/* p and q share just their first vertex: the sides of the others of q, as tri_side has it */
FN u32 tri_fan_side(tri p, tri q)
{
    tri_signs s = tri_sure_signs(tri_heights(tri_normal(p), p.a, q), tri_error(p, q));
    if (s.b == 0 || s.c == 0)
        return SIDE_UNSURE;
    return s.b == s.c ? SIDE_ONE : SIDE_BOTH | (s.b > 0 ? SIDE_UP : 0);
}

/* Both have others on both sides: do they meet beyond that vertex? Both meet the common line of
 * their planes in a segment from it; on this line p lies towards np x nq if its second vertex is
 * above q's plane, q the other way if its second vertex is above p's. */
FN u32 tri_fan_meet(u32 side_p, u32 side_q)
{
    return (side_p ^ side_q) & SIDE_UP ? TRI_MEET : TRI_APART;
}

/* p and q share their first two vertices: are they in two planes for certain? */
FN i32 tri_hinge_bent(tri p, tri q)
{
    return orient3d_sure(p.a, p.b, p.c, q.c, tri_error(p, q)) != 0;
}

/* A triangle seen along axis x, y or z (0, 1, 2). */
typedef struct v2 {
    f64 x, y;
} v2;

typedef struct view {
    v2 a, b, c;
} view;

FN v2 v2_load(GLOBAL const f64 *x, u32 i, u32 axis)
{
    GLOBAL const f64 *p = x + (size_t)3 * i;
    v2 v;
    v.x = p[axis == 2 ? 0 : axis + 1];
    v.y = p[axis == 0 ? 2 : axis - 1];
    return v;
}

FN view view_load(GLOBAL const f64 *x, tri_corners c, u32 axis)
{
    view t;
    t.a = v2_load(x, c.a, axis);
    t.b = v2_load(x, c.b, axis);
    t.c = v2_load(x, c.c, axis);
    return t;
}

/* the largest error of an area: two products, each with 4 roundings: 8 * 2^-53 */
FN f64 view_error(view p, view q)
{
    f64 x = f64_max(f64_max3(p.a.x, p.b.x, p.c.x), f64_max3(q.a.x, q.b.x, q.c.x)) -
            f64_min(f64_min3(p.a.x, p.b.x, p.c.x), f64_min3(q.a.x, q.b.x, q.c.x));
    f64 y = f64_max(f64_max3(p.a.y, p.b.y, p.c.y), f64_max3(q.a.y, q.b.y, q.c.y)) -
            f64_min(f64_min3(p.a.y, p.b.y, p.c.y), f64_min3(q.a.y, q.b.y, q.c.y));
    return 1e-15 * (x * y) + TRI_TINY;
}

/* sign of the area of a, b, c */
FN i32 orient2d_sure(v2 a, v2 b, v2 c, f64 error)
{
    return sure_sign((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x), error);
}

/* Are a's two neighbours s and t on the other side of the line a, l than o? Then a fan (a, l, o)
 * and a fan (a, s, t) meet in a only. */
FN i32 fan_split(v2 a, v2 l, v2 o, v2 s, v2 t, f64 error)
{
    i32 side = orient2d_sure(a, l, o, error);
    return side && orient2d_sure(a, l, s, error) == -side && orient2d_sure(a, l, t, error) == -side;
}

/* p and q share just their first vertex: do they surely meet in it only? */
FN i32 view_fan_apart(view p, view q)
{
    f64 error = view_error(p, q);
    return fan_split(p.a, p.b, p.c, q.b, q.c, error) || fan_split(p.a, p.c, p.b, q.b, q.c, error) ||
           fan_split(p.a, q.b, q.c, p.b, p.c, error) || fan_split(p.a, q.c, q.b, p.b, p.c, error);
}

/* p and q share their first two vertices: are they surely on two sides of that edge? If they lie in
 * one plane, they meet beyond it only if they are on one side in every view. */
FN i32 view_hinge_apart(view p, view q)
{
    f64 error = view_error(p, q);
    return orient2d_sure(p.a, p.b, p.c, error) * orient2d_sure(p.a, p.b, q.c, error) < 0;
}

#endif
#endif
