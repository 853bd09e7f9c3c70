/* The float32 test for whether two primitives are apart: the first test of a pair on devices. GPUs
 * have many more lanes of float32 than of float64, some 64 times, and a vertex is one load of 16
 * bytes. A pair found apart here certainly is, and float64 would say the same (narrow.cl,
 * solid.cl); all others are tested again in float64.
 *
 * A vertex is x y z 0, float32, relative to the frame's centre: no coordinate is beyond 1
 * (bounds.h).
 *
 * The error bound. u = 2^-24 is the largest relative error of an operation; ex, ey, ez is the
 * computed extent of both. A height is w.(s x t), with s, t, w differences from one of four
 * vertices: a volume of these four. If they are in a box of x y z, a component of s x t is twice
 * the area of a triangle in a rectangle, at most y z; and the volume is at most 2 x y z.
 *
 * Stored vertices instead of true ones: each coordinate is off by d = 2^-25 (1 + tiny), which is
 * the rounding to float32 and, before it, the subtraction of the centre in float64. Move the four
 * one after another: each changes the volume by at most d (fx fy + fy fz + fz fx), where all of
 * them, true or stored, are in a box of fx = ex + 2 d and so on. In all 4 d (fx fy + fy fz + fz
 * fx).
 *
 * Rounding, in units of u fx fy fz: 9 by differences, as above with u fx for d, of three of them; 6
 * and 3 by the products and subtractions of s x t, 3 by the products with w, 4 by the two sums. In
 * all 25.
 *
 * Both constants are at least 2 % above that. The margin covers the roundings of the bound itself,
 * tiny, the error of float64's own test, and denormals, which a device may flush to zero: 2^-121 in
 * all, where the bound is not below 2^-70. */
#ifndef IMP_FAR_H
#define IMP_FAR_H
#include "dialect.h"

#define FAR_POINT 4          /* words of a vertex */
#define FAR_PAD 0x1p-24f     /* 2 d */
#define FAR_VERTEX 1.22e-7f  /* 4 d = 1.1921e-7 */
#define FAR_ROUNDING 1.6e-6f /* 25 u = 1.4901e-6 */
#define FAR_GAP 2.5f         /* errors of two heights, and 4 u for their difference */

/* A vertex or a difference of two. In OpenCL it is a built-in vector: compilers split a load of one
 * into three where only its components are used, but not where whole vectors are subtracted. */
#ifdef __OPENCL_C_VERSION__

typedef f32x4 far_vec;

/* Buffers are aligned for every type. */
FN far_vec far_get(GLOBAL const f32 *point, u32 i)
{
    return ((GLOBAL const f32x4 *)point)[i];
}

FN void far_put(GLOBAL f32 *point, u32 i, f32 x, f32 y, f32 z)
{
    ((GLOBAL f32x4 *)point)[i] = F32X4(x, y, z, 0);
}

FN far_vec far_sub(far_vec a, far_vec b)
{
    return a - b;
}

FN far_vec far_min(far_vec a, far_vec b)
{
    return fmin(a, b);
}

FN far_vec far_max(far_vec a, far_vec b)
{
    return fmax(a, b);
}

#define far_least(a, b) fmin(a, b)
#define far_most(a, b) fmax(a, b)

#else

typedef struct far_vec {
    f32 x, y, z;
} far_vec;

FN far_vec far_get(GLOBAL const f32 *point, u32 i)
{
    GLOBAL const f32 *p = point + (size_t)FAR_POINT * i;
    const far_vec v = {p[0], p[1], p[2]};
    return v;
}

FN void far_put(GLOBAL f32 *point, u32 i, f32 x, f32 y, f32 z)
{
    const f32 p[FAR_POINT] = {x, y, z, 0};
    memcpy(point + (size_t)FAR_POINT * i, p, sizeof p);
}

FN far_vec far_sub(far_vec a, far_vec b)
{
    const far_vec v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

FN f32 far_least(f32 a, f32 b)
{
    return a < b ? a : b;
}

FN f32 far_most(f32 a, f32 b)
{
    return a > b ? a : b;
}

FN far_vec far_min(far_vec a, far_vec b)
{
    const far_vec v = {far_least(a.x, b.x), far_least(a.y, b.y), far_least(a.z, b.z)};
    return v;
}

FN far_vec far_max(far_vec a, far_vec b)
{
    const far_vec v = {far_most(a.x, b.x), far_most(a.y, b.y), far_most(a.z, b.z)};
    return v;
}

#endif

#ifdef IMP_FP64

/* Rounds vertex v of the scaled coordinates x[3 v ..] in a frame with this centre. */
FN void far_round(GLOBAL f32 *point, u32 v, GLOBAL const f64 *x, GLOBAL const f64 *centre)
{
    const size_t i = (size_t)3 * v;
    far_put(point, v, (f32)(x[i] - centre[0]), (f32)(x[i + 1] - centre[1]),
            (f32)(x[i + 2] - centre[2]));
}

#endif

/* Bound on the error of a height of vertices in this box. */
FN f32 far_error(far_vec low, far_vec high)
{
    const far_vec extent = far_sub(high, low);
    const f32 x = extent.x + FAR_PAD, y = extent.y + FAR_PAD, z = extent.z + FAR_PAD;
    return FAR_VERTEX * (x * y + y * z + z * x) + FAR_ROUNDING * (x * y * z);
}

/* The height w.(s x t). */
FN f32 far_height(far_vec s, far_vec t, far_vec w)
{
    return w.x * (s.y * t.z - s.z * t.y) + w.y * (s.z * t.x - s.x * t.z) +
           w.z * (s.x * t.y - s.y * t.x);
}

/* ---- triangles */

typedef struct far_triangle {
    far_vec a, b, c;
} far_triangle;

FN far_triangle far_triangle_of(GLOBAL const u32 *corner, GLOBAL const f32 *point, u32 i)
{
    GLOBAL const u32 *c = corner + (size_t)3 * i;
    far_triangle t;
    t.a = far_get(point, c[0]);
    t.b = far_get(point, c[1]);
    t.c = far_get(point, c[2]);
    return t;
}

/* Bits of the vertices of q that are also vertices of p, by number. */
FN u32 far_shared(GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    u32 all = 0;
    for (u32 k = 0; k < 3; k++)
        all |= (u32)(q[k] == p[0] || q[k] == p[1] || q[k] == p[2]) << k;
    return all;
}

/* Returns whether q is certainly on one side of the plane of p, but for the shared vertices: as
 * heights_unshared (lane_adjacent.h). */
FN i32 far_beside(far_triangle p, far_triangle q, u32 shared, f32 error)
{
    const far_vec s = far_sub(p.b, p.a), t = far_sub(p.c, p.a);
    f32 a = far_height(s, t, far_sub(q.a, p.a)), b = far_height(s, t, far_sub(q.b, p.a)),
        c = far_height(s, t, far_sub(q.c, p.a));
    a = shared & 1 ? shared & 4 ? b : c : a;
    b = shared & 2 ? a : b;
    c = shared & 4 ? b : c;
    return far_least(far_least(a, b), c) > error || far_most(far_most(a, b), c) < -error;
}

/* Returns whether the plane of either certainly separates them, but for the vertices that are
 * shared: of_p of p, of_q of q. */
FN i32 far_triangles_apart(far_triangle p, far_triangle q, u32 of_p, u32 of_q)
{
    const far_vec low = far_min(far_min(far_min(p.a, p.b), p.c), far_min(far_min(q.a, q.b), q.c));
    const far_vec high = far_max(far_max(far_max(p.a, p.b), p.c), far_max(far_max(q.a, q.b), q.c));
    const f32 error = far_error(low, high);
    return far_beside(p, q, of_q, error) || far_beside(q, p, of_p, error);
}

/* ---- tetrahedra, or triangles that repeat their last vertex, as in solid.h */

typedef struct far_solid {
    far_vec a, b, c, d;
} far_solid;

FN far_vec far_solid_low(far_solid s)
{
    return far_min(far_min(s.a, s.b), far_min(s.c, s.d));
}

FN far_vec far_solid_high(far_solid s)
{
    return far_max(far_max(s.a, s.b), far_max(s.c, s.d));
}

/* Returns whether the face a b c of a primitive with the other vertex d certainly separates it from
 * q. */
FN i32 far_face(far_vec a, far_vec b, far_vec c, far_vec d, far_solid q, f32 gap)
{
    const far_vec s = far_sub(b, a), t = far_sub(c, a);
    const f32 own = far_height(s, t, far_sub(d, a));
    const f32 i = far_height(s, t, far_sub(q.a, a)), j = far_height(s, t, far_sub(q.b, a));
    const f32 k = far_height(s, t, far_sub(q.c, a)), l = far_height(s, t, far_sub(q.d, a));
    return far_least(far_least(i, j), far_least(k, l)) - far_most(own, 0.0f) > gap ||
           far_least(own, 0.0f) - far_most(far_most(i, j), far_most(k, l)) > gap;
}

/* Returns whether a face of p certainly separates them. */
FN i32 far_faces(far_solid p, far_solid q, f32 gap)
{
    return far_face(p.a, p.b, p.c, p.d, q, gap) || far_face(p.b, p.c, p.d, p.a, q, gap) ||
           far_face(p.c, p.d, p.a, p.b, q, gap) || far_face(p.d, p.a, p.b, p.c, q, gap);
}

/* Returns whether a face of either certainly separates them. */
FN i32 far_solids_apart(far_solid p, far_solid q)
{
    const f32 gap = FAR_GAP * far_error(far_min(far_solid_low(p), far_solid_low(q)),
                                        far_max(far_solid_high(p), far_solid_high(q)));
    return far_faces(p, q, gap) || far_faces(q, p, gap);
}

#endif
