/* Eight pairs of triangles at a time, for CPUs: the same operations in the same order as tri.h and
 * tri_contact.h, so the same bits. */
#ifndef IMP_TRI8_H
#define IMP_TRI8_H
#include "f64x8.h"
#include "prim.h"
#include "tri_contact.h"

#ifdef IMP_F64X8

/* ---- vectors */

typedef struct v3x8 {
    f64x8 x, y, z;
} v3x8;

FN v3x8 v3x8_make(f64x8 x, f64x8 y, f64x8 z)
{
    v3x8 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

FN v3x8 v3x8_sub(v3x8 a, v3x8 b)
{
    return v3x8_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

FN v3x8 v3x8_add(v3x8 a, v3x8 b)
{
    return v3x8_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

FN v3x8 v3x8_scale(v3x8 a, f64x8 s)
{
    return v3x8_make(a.x * s, a.y * s, a.z * s);
}

FN v3x8 v3x8_min(v3x8 a, v3x8 b)
{
    return v3x8_make(f8_min(a.x, b.x), f8_min(a.y, b.y), f8_min(a.z, b.z));
}

FN v3x8 v3x8_max(v3x8 a, v3x8 b)
{
    return v3x8_make(f8_max(a.x, b.x), f8_max(a.y, b.y), f8_max(a.z, b.z));
}

FN v3x8 v3x8_cross(v3x8 a, v3x8 b)
{
    return v3x8_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FN f64x8 v3x8_dot(v3x8 a, v3x8 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FN v3x8 v3x8_if(mask8 m, v3x8 a, v3x8 b)
{
    return v3x8_make(f8_if(m, a.x, b.x), f8_if(m, a.y, b.y), f8_if(m, a.z, b.z));
}

/* ---- triangles */

typedef struct trix8 {
    v3x8 a, b, c;
} trix8;

/* the vertices i */
FN v3x8 v3x8_load(GLOBAL const f64 *x, index8 i)
{
    i = i + i + i;
    return v3x8_make(f8_gather(x, i), f8_gather(x + 1, i), f8_gather(x + 2, i));
}

/* the triangles i */
FN trix8 trix8_load(GLOBAL const f64 *x, GLOBAL const u32 *corner, index8 i)
{
    trix8 t;
    i = i + i + i;
    t.a = v3x8_load(x, index8_gather(corner, i));
    t.b = v3x8_load(x, index8_gather(corner + 1, i));
    t.c = v3x8_load(x, index8_gather(corner + 2, i));
    return t;
}

/* the triangles at places id[0] .. id[7] of narrow_copy's */
FN trix8 trix8_take(GLOBAL const f64 *x, GLOBAL const u32 *id)
{
    f64x8 v[8];
    trix8 t;
    index8 i = index8_load(id);
    i = i + i + i;
    for (u32 k = 0; k < 8; k++)
        v[k] = f8_load(x + (size_t)9 * id[k]);
    f8_transpose(v);
    t.a = v3x8_make(v[0], v[1], v[2]);
    t.b = v3x8_make(v[3], v[4], v[5]);
    t.c = v3x8_make(v[6], v[7], f8_gather(x + 8, i + i + i));
    return t;
}

FN trix8 trix8_named(GLOBAL const u32 *id, GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules)
{
    return rules & RULE_PLACES ? trix8_take(x, id) : trix8_load(x, corner, index8_load(id));
}

FN v3x8 trix8_low(trix8 t)
{
    return v3x8_min(v3x8_min(t.a, t.b), t.c);
}

FN v3x8 trix8_high(trix8 t)
{
    return v3x8_max(v3x8_max(t.a, t.b), t.c);
}

FN v3x8 trix8_normal(trix8 t)
{
    return v3x8_cross(v3x8_sub(t.b, t.a), v3x8_sub(t.c, t.a));
}

FN v3x8 trix8_extent(trix8 p, trix8 q)
{
    return v3x8_sub(v3x8_max(trix8_high(p), trix8_high(q)), v3x8_min(trix8_low(p), trix8_low(q)));
}

FN f64x8 trix8_error(v3x8 extent)
{
    return TRI_EPSILON * (extent.x * extent.y * extent.z) + TRI_TINY;
}

FN v3x8 trix8_heights(v3x8 n, v3x8 o, trix8 t)
{
    return v3x8_make(v3x8_dot(n, v3x8_sub(t.a, o)), v3x8_dot(n, v3x8_sub(t.b, o)),
                     v3x8_dot(n, v3x8_sub(t.c, o)));
}

/* ---- verdicts */

/* Are all vertices of q for certain on one side of the plane of p? */
FN mask8 trix8_beside(trix8 p, trix8 q, f64x8 error)
{
    v3x8 h = trix8_heights(trix8_normal(p), p.a, q);
    f64x8 lo = f8_min(f8_min(h.x, h.y), h.z), hi = f8_max(f8_max(h.x, h.y), h.z);
    return (mask8)(f8_less(error, lo) | f8_less(hi, -error));
}

/* narrow_far for eight pairs: bits of those that are apart */
FN u32 trix8_far(trix8 p, trix8 q)
{
    f64x8 error = trix8_error(trix8_extent(p, q));
    return mask8_bits((mask8)(trix8_beside(p, q, error) | trix8_beside(q, p, error)));
}

/* Signs of three heights, each surely above or surely below (where neither, neither lane). */
typedef struct signs8 {
    mask8 a, b, c;      /* above */
    mask8 certain;      /* all three */
    mask8 lone0, lone1; /* the first, or the second, is alone on its side; else the third */
    mask8 up;           /* the lone one is above */
} signs8;

FN signs8 signs8_make(v3x8 h, f64x8 error)
{
    signs8 s;
    s.a = f8_less(error, h.x);
    s.b = f8_less(error, h.y);
    s.c = f8_less(error, h.z);
    s.certain = (mask8)((s.a | f8_less(h.x, -error)) & (s.b | f8_less(h.y, -error)) &
                        (s.c | f8_less(h.z, -error)));
    s.lone0 = (mask8)(~(s.b ^ s.c));
    s.lone1 = (mask8)(~s.lone0 & ~(s.a ^ s.c));
    s.up = (mask8)((s.lone0 & s.a) | (s.lone1 & s.b) | (~(s.lone0 | s.lone1) & s.c));
    return s;
}

FN mask8 signs8_equal(signs8 s)
{
    return (mask8)(s.certain & ~(s.a ^ s.b) & ~(s.a ^ s.c));
}

/* beginning with the lone vertex */
FN trix8 trix8_turn(trix8 t, signs8 s)
{
    trix8 r;
    r.a = v3x8_if(s.lone0, t.a, v3x8_if(s.lone1, t.b, t.c));
    r.b = v3x8_if(s.lone0, t.b, v3x8_if(s.lone1, t.c, t.a));
    r.c = v3x8_if(s.lone0, t.c, v3x8_if(s.lone1, t.a, t.b));
    return r;
}

FN v3x8 heights8_turn(v3x8 h, signs8 s)
{
    return v3x8_make(f8_if(s.lone0, h.x, f8_if(s.lone1, h.y, h.z)),
                     f8_if(s.lone0, h.y, f8_if(s.lone1, h.z, h.x)),
                     f8_if(s.lone0, h.z, f8_if(s.lone1, h.x, h.y)));
}

FN trix8 trix8_flip(trix8 t, mask8 flip)
{
    trix8 r;
    r.a = t.a;
    r.b = v3x8_if(flip, t.c, t.b);
    r.c = v3x8_if(flip, t.b, t.c);
    return r;
}

/* the determinant of orient3d_sure */
FN f64x8 trix8_orient3d(v3x8 a, v3x8 b, v3x8 c, v3x8 d)
{
    return v3x8_dot(v3x8_cross(v3x8_sub(b, a), v3x8_sub(c, a)), v3x8_sub(d, a));
}

/* is tri_place_height above tri_place_least? */
FN mask8 trix8_placed(v3x8 h, v3x8 own, v3x8 extent)
{
    f64x8 a = f8_abs(h.x), b = f8_abs(h.y), c = f8_abs(h.z);
    f64x8 e = own.y * own.z * extent.x + own.z * own.x * extent.y + own.x * own.y * extent.z;
    f64x8 middle = f8_max(f8_min(a, b), f8_min(f8_max(a, b), c));
    return f8_less(TRI_PLACE * (TRI_EPSILON / 3 * e + TRI_TINY), middle);
}

/* The heights of each over the other's plane. */
typedef struct heights8 {
    v3x8 p, q, np, nq; /* and the planes' normals */
} heights8;

FN heights8 heights8_make(trix8 p, trix8 q)
{
    heights8 h;
    h.np = trix8_normal(p);
    h.nq = trix8_normal(q);
    h.q = trix8_heights(h.np, p.a, q);
    h.p = trix8_heights(h.nq, q.a, p);
    return h;
}

/* narrow_test for eight pairs: bits of those that meet, and that are apart */
FN u32 trix8_meet(trix8 p, trix8 q, u32 *apart)
{
    heights8 h = heights8_make(p, q);
    v3x8 own_p = v3x8_sub(trix8_high(p), trix8_low(p)),
         own_q = v3x8_sub(trix8_high(q), trix8_low(q));
    v3x8 extent = trix8_extent(p, q);
    f64x8 error = trix8_error(extent);
    signs8 sq = signs8_make(h.q, error), sp = signs8_make(h.p, error);
    p = trix8_flip(trix8_turn(p, sp), (mask8)(~sq.up));
    q = trix8_flip(trix8_turn(q, sq), (mask8)(~sp.up));
    f64x8 s = trix8_orient3d(p.a, p.b, q.a, q.b), t = trix8_orient3d(p.a, p.c, q.c, q.a);
    mask8 certain = (mask8)(sp.certain & sq.certain);
    mask8 outside = (mask8)(f8_less(error, s) | f8_less(error, t));
    mask8 inside = (mask8)(f8_less(s, -error) & f8_less(t, -error));
    mask8 away = (mask8)(signs8_equal(sp) | signs8_equal(sq) | (certain & outside));
    *apart = mask8_bits(away);
    return mask8_bits((mask8)(certain & inside & ~away & trix8_placed(h.p, own_q, extent) &
                              trix8_placed(h.q, own_p, extent)));
}

/* ---- segments */

typedef struct segmentx8 {
    v3x8 a, b;
} segmentx8;

FN v3x8 v3x8_between(v3x8 o, v3x8 t, f64x8 s, v3x8 r)
{
    return v3x8_add(v3x8_sub(o, r), v3x8_scale(v3x8_sub(t, o), s));
}

/* tri_crossing of triangles that begin with the lone vertex */
FN segmentx8 trix8_crossing(trix8 t, v3x8 h, v3x8 r)
{
    segmentx8 s;
    s.a = v3x8_between(t.a, t.b, h.x / (h.x - h.y), r);
    s.b = v3x8_between(t.a, t.c, h.x / (h.x - h.z), r);
    return s;
}

FN segmentx8 segmentx8_turn(segmentx8 s, mask8 turn)
{
    segmentx8 r;
    r.a = v3x8_if(turn, s.b, s.a);
    r.b = v3x8_if(turn, s.a, s.b);
    return r;
}

FN segmentx8 segmentx8_along(segmentx8 s, v3x8 direction)
{
    return segmentx8_turn(s, f8_less(v3x8_dot(direction, s.b), v3x8_dot(direction, s.a)));
}

/* segment_common */
FN segmentx8 segmentx8_common(segmentx8 s, segmentx8 t, v3x8 d, v3x8 r)
{
    segmentx8 c;
    s = segmentx8_along(s, d);
    t = segmentx8_along(t, d);
    mask8 a = f8_less(v3x8_dot(d, s.a), v3x8_dot(d, t.a));
    mask8 b = f8_less(v3x8_dot(d, t.b), v3x8_dot(d, s.b));
    c.a = v3x8_add(v3x8_if(a, t.a, s.a), r);
    c.b = v3x8_add(v3x8_if(b, t.b, s.b), r);
    return c;
}

/* narrow_segment for eight pairs, in the block's scale */
FN segmentx8 trix8_segment(trix8 p, trix8 q)
{
    heights8 h = heights8_make(p, q);
    signs8 sp = signs8_make(h.p, f8_all(0)), sq = signs8_make(h.q, f8_all(0));
    segmentx8 s = trix8_crossing(trix8_turn(p, sp), heights8_turn(h.p, sp), p.a);
    segmentx8 t = trix8_crossing(trix8_turn(q, sq), heights8_turn(h.q, sq), p.a);
    return segmentx8_common(s, t, v3x8_cross(h.np, h.nq), p.a);
}

FN mask8 v3x8_less(v3x8 a, v3x8 b)
{
    mask8 x = f8_differs(a.x, b.x), y = f8_differs(a.y, b.y);
    return (mask8)((x & f8_less(a.x, b.x)) | (~x & y & f8_less(a.y, b.y)) |
                   (~x & ~y & f8_less(a.z, b.z)));
}

/* segment_store for eight, each with the scale of its frame */
FN void segmentx8_store(segmentx8 s, f64x8 scale0, f64x8 scale1, GLOBAL f64 *out)
{
    const f64x8 none = f8_all(0);
    const v3x8 zero = v3x8_make(none, none, none);
    s.a = v3x8_add(v3x8_scale(v3x8_scale(s.a, scale0), scale1), zero);
    s.b = v3x8_add(v3x8_scale(v3x8_scale(s.b, scale0), scale1), zero);
    s = segmentx8_turn(s, v3x8_less(s.b, s.a));
    f64x8 v[8] = {s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z, none, none};
    f8_transpose(v);
    for (u32 k = 0; k < 8; k++)
        f8_store6(v[k], out + (size_t)6 * k);
}

#endif
#endif
