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
#define TRI_NEAR 3u /* tri_far cannot tell: ask the whole test */
#define TRI_NO_VERDICT 4u

#define TRI_EPSILON 5.4e-15
#define TRI_PLACE 0x1p27
#define TRI_DOT_EPSILON 1e-15 /* for n.(p - q) over |n_x| ex + |n_y| ey + |n_z| ez: 4 * 2^-53 */
#define TRI_TINY 1e-280

typedef struct tri {
    v3 a, b, c;
} tri;

/* three signs or three determinants, one for each vertex */
typedef struct tri_signs {
    i32 a, b, c;
} tri_signs;

FN v3 v3_load(GLOBAL const f64 *x, u32 i)
{
    GLOBAL const f64 *p = x + (size_t)3 * i;
    return v3_make(p[0], p[1], p[2]);
}

FN tri tri_load(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 i)
{
    GLOBAL const u32 *c = corner + (size_t)3 * i;
    tri t;
    t.a = v3_load(x, c[0]);
    t.b = v3_load(x, c[1]);
    t.c = v3_load(x, c[2]);
    return t;
}

/* the i-th of triangles that lie one after another, corner by corner */
FN tri tri_take(GLOBAL const f64 *x, u32 i)
{
    GLOBAL const f64 *p = x + (size_t)9 * i;
    tri t;
    t.a = v3_make(p[0], p[1], p[2]);
    t.b = v3_make(p[3], p[4], p[5]);
    t.c = v3_make(p[6], p[7], p[8]);
    return t;
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

/* the same triangle, same orientation, beginning with its n-th vertex */
FN tri tri_turn(tri t, u32 n)
{
    tri r;
    r.a = n == 0 ? t.a : n == 1 ? t.b : t.c;
    r.b = n == 0 ? t.b : n == 1 ? t.c : t.a;
    r.c = n == 0 ? t.c : n == 1 ? t.a : t.b;
    return r;
}

/* swap the last two vertices if asked: turns the orientation over */
FN tri tri_flip(tri t, i32 flip)
{
    tri r;
    r.a = t.a;
    r.b = flip ? t.c : t.b;
    r.c = flip ? t.b : t.c;
    return r;
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

/* Is there a separating direction among the edge normals within the planes and the products of
 * edges? This keeps pairs in one plane, as in a flat sheet, from exact arithmetic. */
FN i32 tri_separable(tri p, tri q, v3 extent)
{
    v3 np = tri_normal(p), nq = tri_normal(q);
    for (u32 i = 0; i < 3; i++) {
        tri pi = tri_turn(p, i), qi = tri_turn(q, i);
        v3 u = v3_sub(pi.b, pi.a), v = v3_sub(qi.b, qi.a);
        if (tri_separates(v3_cross(np, u), p, q, extent) ||
            tri_separates(v3_cross(nq, v), p, q, extent))
            return 1;
        for (u32 j = 0; j < 3; j++) {
            tri qj = tri_turn(q, j);
            if (tri_separates(v3_cross(u, v3_sub(qj.b, qj.a)), p, q, extent))
                return 1;
        }
    }
    return 0;
}

/* Triangles meet where their edges cross the other's plane, and an edge does that where the heights
 * of its ends say. Where both are small the edge lies nearly in that plane, and float64 cannot tell
 * the place: at most one of the three may be. `own` is the extent of the triangle whose plane it
 * is: for two of the three factors of a height it replaces that of both, see above. This asks for
 * 1e-9 of the edge; errors as they are, not as they might be, are about a tenth of their bound. */
FN i32 tri_placed(v3 h, v3 own, v3 extent)
{
    f64 a = f64_abs(h.x), b = f64_abs(h.y), c = f64_abs(h.z);
    f64 error = own.y * own.z * extent.x + own.z * own.x * extent.y + own.x * own.y * extent.z;
    return f64_max(f64_min(a, b), f64_min(f64_max(a, b), c)) >
           TRI_PLACE * (TRI_EPSILON / 3 * error + TRI_TINY);
}

/* All six signs certain and mixed on both sides: the planes' common line meets both triangles;
 * do the two intervals on it overlap? With p.a alone above q's plane and q.a alone above p's,
 * they do iff q.b is not above p.a, p.b, q.a and q.a not above p.a, p.c, q.c. */
FN u32 tri_intervals(tri p, tri q, tri_signs sp, tri_signs sq, f64 error)
{
    u32 lp = signs_lone(sp), lq = signs_lone(sq);
    i32 up = (lp == 0 ? sp.a : lp == 1 ? sp.b : sp.c) > 0;
    i32 uq = (lq == 0 ? sq.a : lq == 1 ? sq.b : sq.c) > 0;
    p = tri_flip(tri_turn(p, lp), !uq);
    q = tri_flip(tri_turn(q, lq), !up);
    i32 s = orient3d_sure(p.a, p.b, q.a, q.b, error);
    i32 t = orient3d_sure(p.a, p.c, q.c, q.a, error);
    if (s > 0 || t > 0)
        return TRI_APART;
    return s < 0 && t < 0 ? TRI_MEET : TRI_UNDECIDED;
}

/* Are all vertices of q for certain on one side of the plane of p? */
FN u32 tri_beside(tri p, tri q, f64 error)
{
    v3 h = tri_heights(tri_normal(p), p.a, q);
    return (u32)(f64_min3(h.x, h.y, h.z) > error) | (f64_max3(h.x, h.y, h.z) < -error);
}

/* The first question, which most candidates fail: is there an axis or a plane of either that
 * separates them for certain? Without branches, so that many pairs are asked at a time. Triangles
 * that share a vertex are never far: it is on both planes. */
FN u32 tri_far(tri p, tri q)
{
    v3 plo = tri_low(p), phi = tri_high(p), qlo = tri_low(q), qhi = tri_high(q);
    u32 far = (u32)(phi.x < qlo.x) | (qhi.x < plo.x) | (phi.y < qlo.y) | (qhi.y < plo.y) |
              (phi.z < qlo.z) | (qhi.z < plo.z);
    v3 extent = v3_sub(v3_max(phi, qhi), v3_min(plo, qlo));
    f64 error = TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
    return far | tri_beside(p, q, error) | tri_beside(q, p, error);
}

/* p and q share no vertex by index */
FN u32 tri_tri(tri p, tri q)
{
    v3 plo = tri_low(p), phi = tri_high(p), qlo = tri_low(q), qhi = tri_high(q);
    if (phi.x < qlo.x || qhi.x < plo.x || phi.y < qlo.y || qhi.y < plo.y || phi.z < qlo.z ||
        qhi.z < plo.z)
        return TRI_APART;
    v3 extent = v3_sub(v3_max(phi, qhi), v3_min(plo, qlo));
    f64 error = TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
    v3 hq = tri_heights(tri_normal(p), p.a, q);
    tri_signs sq = tri_sure_signs(hq, error);
    if (signs_equal(sq))
        return TRI_APART;
    v3 hp = tri_heights(tri_normal(q), q.a, p);
    tri_signs sp = tri_sure_signs(hp, error);
    if (signs_equal(sp))
        return TRI_APART;
    u32 verdict = TRI_UNDECIDED;
    if (signs_certain(sp) && signs_certain(sq))
        verdict = tri_intervals(p, q, sp, sq, error);
    if (verdict == TRI_MEET &&
        !(tri_placed(hp, v3_sub(qhi, qlo), extent) && tri_placed(hq, v3_sub(phi, plo), extent)))
        return TRI_UNDECIDED;
    if (verdict == TRI_UNDECIDED && tri_separable(p, q, extent))
        verdict = TRI_APART;
    return verdict;
}

/* sign of the area of a, b, c seen along axis x, y or z (0, 1, 2) */
FN i32 orient2d_sure(v3 a, v3 b, v3 c, u32 axis, v3 extent)
{
    v3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
    f64 yz = extent.y * extent.z, zx = extent.z * extent.x, xy = extent.x * extent.y;
    f64 d = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    /* two products, each with 4 roundings: 8 * 2^-53 */
    return sure_sign(d, 1e-15 * (axis == 0 ? yz : axis == 1 ? zx : xy) + TRI_TINY);
}

/* Seen along an axis, are p.a's two neighbours s and t on the other side of the line a, l than o?
 * Then a fan (a, l, o) and a fan (a, s, t) meet in a only. */
FN i32 fan_split(v3 a, v3 l, v3 o, v3 s, v3 t, u32 axis, v3 extent)
{
    i32 side = orient2d_sure(a, l, o, axis, extent);
    return side && orient2d_sure(a, l, s, axis, extent) == -side &&
           orient2d_sure(a, l, t, axis, extent) == -side;
}

FN i32 tri_fan_separable(tri p, tri q, v3 extent)
{
    for (u32 axis = 0; axis < 3; axis++)
        if (fan_split(p.a, p.b, p.c, q.b, q.c, axis, extent) ||
            fan_split(p.a, p.c, p.b, q.b, q.c, axis, extent) ||
            fan_split(p.a, q.b, q.c, p.b, p.c, axis, extent) ||
            fan_split(p.a, q.c, q.b, p.b, p.c, axis, extent))
            return 1;
    return 0;
}

/* p and q share just their first vertex: do they meet elsewhere? Both meet the common line of
 * their planes in a segment from that vertex; on this line p lies towards np x nq if its second
 * vertex is above q's plane, q the other way if its second vertex is above p's. */
FN u32 tri_fan(tri p, tri q)
{
    v3 extent = v3_sub(v3_max(tri_high(p), tri_high(q)), v3_min(tri_low(p), tri_low(q)));
    f64 error = TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
    tri_signs sq = tri_sure_signs(tri_heights(tri_normal(p), p.a, q), error);
    tri_signs sp = tri_sure_signs(tri_heights(tri_normal(q), q.a, p), error);
    if ((sp.b != 0 && sp.b == sp.c) || (sq.b != 0 && sq.b == sq.c))
        return TRI_APART;
    if (sp.b != 0 && sp.c != 0 && sq.b != 0 && sq.c != 0)
        return sp.b != sq.b ? TRI_MEET : TRI_APART;
    return tri_fan_separable(p, q, extent) ? TRI_APART : TRI_UNDECIDED;
}

/* p and q share their first two vertices. They meet beyond that edge only if they lie in one
 * plane, on the same side of the edge in every view. */
FN u32 tri_hinge(tri p, tri q)
{
    v3 extent = v3_sub(v3_max(tri_high(p), tri_high(q)), v3_min(tri_low(p), tri_low(q)));
    f64 error = TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
    if (orient3d_sure(p.a, p.b, p.c, q.c, error))
        return TRI_APART;
    for (u32 axis = 0; axis < 3; axis++)
        if (orient2d_sure(p.a, p.b, p.c, axis, extent) *
                orient2d_sure(p.a, p.b, q.c, axis, extent) <
            0)
            return TRI_APART;
    return TRI_UNDECIDED;
}

#endif
#endif
