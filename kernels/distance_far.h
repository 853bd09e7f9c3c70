/* The distance of two triangles in float32: the first tests on devices, and a way that is nearly
 * the shortest, with its features. GPUs have many more lanes of float32 than of float64. A pair
 * that is certain here certainly is; float64 and the host decide all others, and all bits of rows
 * come from them (distance.h).
 *
 * The error bound. u = 2^-24 is the largest relative error of an operation, d = 2^-25 (1 + tiny)
 * that of a stored coordinate (far.h), e the greatest extent of the box of the six stored vertices.
 *
 * Vertices are relative to the first one: each coordinate errs by u e. A way is g + t e_q - s e_p
 * with parameters from 0 to 1, or u e + v f - g with u, v > 0, and u + v < 1, which holds for the
 * exact sum if it holds for the rounded one. Parameters are numbers, of which any belong to points
 * of both triangles. A component has errors of u e for g, 2 u e for each product, and 2 u e and
 * 3 u e for the sums: 10 u e. Relative vertices, and true instead of stored ones, move both ends of
 * the way, each by u e + d at most. In all
 *
 *     c = 12 u e + 2 d
 *
 * The products of a direction n with ways between vertices are differences of two heights n.v. A
 * height errs by 4 u e |n|, where |n| = |n_x| + |n_y| + |n_z|: by its vertex, a product and two
 * sums. Their difference adds 2 u e |n|, and the true vertices 2 d |n|: less than c |n|, too.
 *
 * The constants are at least 4 % above that, which covers the roundings of the bound itself, and
 * denormals, which a device may flush to zero: 2^-123 in all, where |n| is not below 2^-90. */
#ifndef IMP_DISTANCE_FAR_H
#define IMP_DISTANCE_FAR_H
#include "distance_code.h"
#include "far.h"
#include "tri.h"
#ifdef IMP_FP64

#define DISTANCE_FAR_STORED 6.2e-8f   /* 2 d = 5.9605e-8 */
#define DISTANCE_FAR_ROUNDING 7.5e-7f /* 12 u = 7.1526e-7 */
#define DISTANCE_FAR_LEAST 0x1p-90f

/* ---- vectors: components alone, since a fourth one would take a register, too */

typedef struct far3 {
    f32 x, y, z;
} far3;

FN far3 far3_make(f32 x, f32 y, f32 z)
{
    far3 r;
    r.x = x;
    r.y = y;
    r.z = z;
    return r;
}

FN far3 far3_add(far3 a, far3 b)
{
    return far3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

FN far3 far3_sub(far3 a, far3 b)
{
    return far3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

FN far3 far3_scale(far3 a, f32 s)
{
    return far3_make(a.x * s, a.y * s, a.z * s);
}

FN f32 far3_dot(far3 a, far3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FN far3 far3_cross(far3 a, far3 b)
{
    return far3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FN f32 far3_size(far3 d)
{
    return far_most(d.x, -d.x) + far_most(d.y, -d.y) + far_most(d.z, -d.z);
}

/* The dot product of a vector with itself, in float64, where it has no denormals. */
FN f64 far3_square(far3 d)
{
    return (f64)d.x * d.x + (f64)d.y * d.y + (f64)d.z * d.z;
}

/* The vector from o to vertex i. */
FN far3 far3_from(GLOBAL const f32 *point, far_vec o, u32 i)
{
    const far_vec v = far_sub(far_get(point, i), o);
    return far3_make(v.x, v.y, v.z);
}

/* ---- two triangles, relative to the first vertex of the first one */

typedef struct far3_triangle {
    far3 a, b, c;
} far3_triangle;

typedef struct far_pair {
    far3_triangle p, q;
} far_pair;

FN far_pair far_pair_of(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 i, u32 j)
{
    GLOBAL const u32 *p = corner + (size_t)3 * i, *q = corner + (size_t)3 * j;
    const far_vec o = far_get(point, p[0]);
    far_pair r;
    r.p.a = far3_make(0, 0, 0);
    r.p.b = far3_from(point, o, p[1]);
    r.p.c = far3_from(point, o, p[2]);
    r.q.a = far3_from(point, o, q[0]);
    r.q.b = far3_from(point, o, q[1]);
    r.q.c = far3_from(point, o, q[2]);
    return r;
}

/* The triangle that begins with the second vertex. */
FN far3_triangle far3_turn(far3_triangle t)
{
    far3_triangle r;
    r.a = t.b;
    r.b = t.c;
    r.c = t.a;
    return r;
}

FN f32 far_extent(f32 a, f32 b, f32 c, f32 d, f32 e)
{
    return far_most(far_most(far_most(a, b), far_most(c, d)), far_most(e, 0.0f)) -
           far_least(far_least(far_least(a, b), far_least(c, d)), far_least(e, 0.0f));
}

/* The bound c of the error of each component of a way. */
FN f32 far_way_error(far_pair r)
{
    const f32 x = far_extent(r.p.b.x, r.p.c.x, r.q.a.x, r.q.b.x, r.q.c.x),
              y = far_extent(r.p.b.y, r.p.c.y, r.q.a.y, r.q.b.y, r.q.c.y),
              z = far_extent(r.p.b.z, r.p.c.z, r.q.a.z, r.q.b.z, r.q.c.z);
    return DISTANCE_FAR_STORED + DISTANCE_FAR_ROUNDING * far_most(far_most(x, y), z);
}

/* Nearly 1 / x for x > 0, by Newton's iteration from a guess of its bits: float32 division does not
 * round correctly in OpenCL. For others any number, or NaN. */
FN f32 far_inverse(f32 x)
{
    f32 y = f32_from_bits(0x7ef311c7u - bits_from_f32(x));
    y = y * (2.0f - x * y);
    y = y * (2.0f - x * y);
    return y * (2.0f - x * y);
}

/* to [0, 1]; NaN to 0 */
FN f32 far_clamp(f32 t)
{
    return far_least(far_most(t, 0.0f), 1.0f);
}

/* ---- along a direction */

typedef struct far_range {
    f32 low, high;
} far_range;

/* The products of n with the vertices of t. */
FN far_range far_along(far3_triangle t, far3 n)
{
    const f32 a = far3_dot(t.a, n), b = far3_dot(t.b, n), c = far3_dot(t.c, n);
    far_range r;
    r.low = far_least(far_least(a, b), c);
    r.high = far_most(far_most(a, b), c);
    return r;
}

/* Returns whether all ways are certainly longer than the distance with this square, by the least
 * product of n with them. */
FN i32 far_beyond(f32 least, far3 n, f32 error, f64 square)
{
    const f32 size = far3_size(n);
    const f64 sure = (f64)least - (f64)error * size;
    return size > DISTANCE_FAR_LEAST && sure > 0 && square * far3_square(n) < sure * sure;
}

/* The same, of ways along n in either sense. */
FN i32 far_beyond_along(far_pair r, far3 n, f32 error, f64 square)
{
    const far_range p = far_along(r.p, n), q = far_along(r.q, n);
    return far_beyond(far_most(q.low - p.high, p.low - q.high), n, error, square);
}

FN far3 far3_normal(far3_triangle t)
{
    return far3_cross(far3_sub(t.b, t.a), far3_sub(t.c, t.a));
}

FN far3 far3_vertex_sum(far3_triangle t)
{
    return far3_add(far3_add(t.a, t.b), t.c);
}

/* Returns whether the direction between their middles, or a normal, certainly separates them by
 * more than the distance with this square. */
FN i32 far_pair_beyond(far_pair r, f64 square)
{
    const f32 error = far_way_error(r);
    return far_beyond_along(r, far3_sub(far3_vertex_sum(r.q), far3_vertex_sum(r.p)), error,
                            square) ||
           far_beyond_along(r, far3_normal(r.p), error, square) ||
           far_beyond_along(r, far3_normal(r.q), error, square);
}

/* ---- the shortest way */

/* `features` is as in distance_code.h. */
typedef struct far_way {
    far3 way;
    f32 square;
    u32 features;
} far_way;

/* Any other way is shorter. */
FN far_way far_way_none(void)
{
    far_way w;
    w.way = far3_make(0, 0, 0);
    w.square = 0x1p100f;
    w.features = DISTANCE_OPEN;
    return w;
}

FN far_way far_way_shorter(far_way best, far3 way, i32 valid, u32 features)
{
    const f32 square = far3_dot(way, way);
    if (valid && square < best.square) {
        best.way = way;
        best.square = square;
        best.features = features;
    }
    return best;
}

typedef struct far_edge {
    far3 at, e;
    f32 square, inverse;
} far_edge;

FN far_edge far_edge_make(far3 from, far3 to)
{
    far_edge r;
    r.at = from;
    r.e = far3_sub(to, from);
    r.square = far3_dot(r.e, r.e);
    r.inverse = far_inverse(r.square);
    return r;
}

/* The formulas of lane_distance.h. */
FN far3 far_edges_way(far_edge p, far_edge q)
{
    const far3 g = far3_sub(q.at, p.at);
    const f32 ef = far3_dot(p.e, q.e), eg = far3_dot(p.e, g), fg = far3_dot(q.e, g);
    const f32 line =
        far_clamp((eg * q.square - ef * fg) * far_inverse(p.square * q.square - ef * ef));
    const f32 t = far_clamp((ef * line - fg) * q.inverse), s = far_clamp((eg + ef * t) * p.inverse);
    return far3_sub(far3_add(g, far3_scale(q.e, t)), far3_scale(p.e, s));
}

FN far_way far_edges_shortest(far_pair r, far_way best)
{
    ROLLED
    for (u32 i = 0; i < 3; i++) {
        const far_edge of_p = far_edge_make(r.p.a, r.p.b);
        ROLLED
        for (u32 j = 0; j < 3; j++) {
            best = far_way_shorter(best, far_edges_way(of_p, far_edge_make(r.q.a, r.q.b)), 1,
                                   DISTANCE_EDGES + 3 * i + j);
            r.q = far3_turn(r.q);
        }
        r.p = far3_turn(r.p);
    }
    return best;
}

/* From the vertices of p to their feet inside q; sign: -1 turns these ways. first: the features of
 * the first vertex. */
FN far_way far_feet_shortest(far3_triangle p, far3_triangle q, f32 sign, u32 first, far_way best)
{
    const far3 e = far3_sub(q.b, q.a), f = far3_sub(q.c, q.a), n = far3_cross(e, f);
    const f32 inverse = far_inverse(far3_dot(n, n));
    const far3 along_e = far3_cross(f, n), along_f = far3_cross(n, e);
    ROLLED
    for (u32 k = 0; k < 3; k++) {
        const far3 g = far3_sub(p.a, q.a);
        const f32 u = far3_dot(g, along_e) * inverse, v = far3_dot(g, along_f) * inverse;
        const far3 way = far3_sub(far3_add(far3_scale(e, u), far3_scale(f, v)), g);
        best = far_way_shorter(best, far3_scale(way, sign), u > 0 && v > 0 && u + v < 1, first + k);
        p = far3_turn(p);
    }
    return best;
}

FN far_way far_shortest(far_pair r)
{
    far_way best = far_edges_shortest(r, far_way_none());
    best = far_feet_shortest(r.p, r.q, 1, DISTANCE_VERTEX, best);
    return far_feet_shortest(r.q, r.p, -1, DISTANCE_FACE, best);
}

/* Returns whether the true way with these features is certainly shorter than the distance with this
 * square. */
FN i32 far_within(far3 way, f32 error, f64 square)
{
    const f64 c = error;
    return far3_square(way) + 2 * c * far3_size(way) + 3 * c * c < square;
}

/* The verdict on a way that is nearly the shortest: TRI_MEET if they certainly are within the
 * distance with square `below`, TRI_APART if certainly beyond that with square `above`, else
 * TRI_UNDECIDED. */
FN u32 far_way_verdict(far_pair r, far3 way, f64 below, f64 above)
{
    const f32 error = far_way_error(r);
    if (far_within(way, error, below))
        return TRI_MEET;
    const f32 least = far_along(r.q, way).low - far_along(r.p, way).high;
    return far_beyond(least, way, error, above) ? TRI_APART : TRI_UNDECIDED;
}

#endif
#endif
