/* The second question and the segments for eight pairs at a time, for the host where it has
 * AVX-512: the same operations in the same order as tri.h and tri_contact.h, so the same bits. */
#ifndef IMP_LANES8_MEET_H
#define IMP_LANES8_MEET_H
#include "lanes8.h"
#include "prim.h"
#include "tri_contact.h"

#ifdef IMP_LANES8

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

FN v3x8 v3x8_if(__mmask8 m, v3x8 a, v3x8 b)
{
    v3x8 v = {_mm512_mask_mov_pd(b.x, m, a.x), _mm512_mask_mov_pd(b.y, m, a.y),
              _mm512_mask_mov_pd(b.z, m, a.z)};
    return v;
}

FN v3x8 v3x8_scale(v3x8 a, __m512d s)
{
    v3x8 v = {_mm512_mul_pd(a.x, s), _mm512_mul_pd(a.y, s), _mm512_mul_pd(a.z, s)};
    return v;
}

FN v3x8 trix8_normal(trix8 t)
{
    return v3x8_cross(v3x8_sub(t.b, t.a), v3x8_sub(t.c, t.a));
}

FN v3x8 trix8_heights(v3x8 n, v3x8 o, trix8 t)
{
    v3x8 h = {v3x8_dot(n, v3x8_sub(t.a, o)), v3x8_dot(n, v3x8_sub(t.b, o)),
              v3x8_dot(n, v3x8_sub(t.c, o))};
    return h;
}

/* Signs of three heights, each surely above or surely below (where neither, neither bit). */
typedef struct signs8 {
    __mmask8 a, b, c;      /* above */
    __mmask8 certain;      /* all three */
    __mmask8 lone0, lone1; /* the first, or the second, is alone on its side; else the third */
    __mmask8 up;           /* the lone one is above */
} signs8;

FN signs8 signs8_make(v3x8 h, __m512d error)
{
    __m512d minus = _mm512_sub_pd(_mm512_setzero_pd(), error);
    signs8 s;
    s.a = _mm512_cmp_pd_mask(h.x, error, _CMP_GT_OQ);
    s.b = _mm512_cmp_pd_mask(h.y, error, _CMP_GT_OQ);
    s.c = _mm512_cmp_pd_mask(h.z, error, _CMP_GT_OQ);
    s.certain = (__mmask8)((s.a | _mm512_cmp_pd_mask(h.x, minus, _CMP_LT_OQ)) &
                           (s.b | _mm512_cmp_pd_mask(h.y, minus, _CMP_LT_OQ)) &
                           (s.c | _mm512_cmp_pd_mask(h.z, minus, _CMP_LT_OQ)));
    s.lone0 = (__mmask8) ~(s.b ^ s.c);
    s.lone1 = (__mmask8)(~s.lone0 & ~(s.a ^ s.c));
    s.up = (__mmask8)((s.lone0 & s.a) | (s.lone1 & s.b) | (~(s.lone0 | s.lone1) & s.c));
    return s;
}

FN __mmask8 signs8_equal(signs8 s)
{
    return (__mmask8)(s.certain & ~(s.a ^ s.b) & ~(s.a ^ s.c));
}

/* beginning with the lone vertex */
FN trix8 trix8_turn(trix8 t, signs8 s)
{
    trix8 r = {v3x8_if(s.lone0, t.a, v3x8_if(s.lone1, t.b, t.c)),
               v3x8_if(s.lone0, t.b, v3x8_if(s.lone1, t.c, t.a)),
               v3x8_if(s.lone0, t.c, v3x8_if(s.lone1, t.a, t.b))};
    return r;
}

FN v3x8 heights8_turn(v3x8 h, signs8 s)
{
    trix8 t = {{h.x, h.x, h.x}, {h.y, h.y, h.y}, {h.z, h.z, h.z}};
    t = trix8_turn(t, s);
    v3x8 r = {t.a.x, t.b.x, t.c.x};
    return r;
}

FN trix8 trix8_flip(trix8 t, __mmask8 flip)
{
    trix8 r = {t.a, v3x8_if(flip, t.c, t.b), v3x8_if(flip, t.b, t.c)};
    return r;
}

/* the determinant of orient3d_sure */
FN __m512d lanes8_orient3d(v3x8 a, v3x8 b, v3x8 c, v3x8 d)
{
    return v3x8_dot(v3x8_cross(v3x8_sub(b, a), v3x8_sub(c, a)), v3x8_sub(d, a));
}

/* is tri_place_height above tri_place_least? */
FN __mmask8 lanes8_placed(v3x8 h, v3x8 own, v3x8 extent)
{
    __m512d a = _mm512_abs_pd(h.x), b = _mm512_abs_pd(h.y), c = _mm512_abs_pd(h.z);
    __m512d e = _mm512_mul_pd(_mm512_mul_pd(own.y, own.z), extent.x);
    e = _mm512_add_pd(e, _mm512_mul_pd(_mm512_mul_pd(own.z, own.x), extent.y));
    e = _mm512_add_pd(e, _mm512_mul_pd(_mm512_mul_pd(own.x, own.y), extent.z));
    e = _mm512_add_pd(_mm512_mul_pd(_mm512_set1_pd(TRI_EPSILON / 3), e), _mm512_set1_pd(TRI_TINY));
    __m512d middle = _mm512_max_pd(_mm512_min_pd(a, b), _mm512_min_pd(_mm512_max_pd(a, b), c));
    return _mm512_cmp_pd_mask(middle, _mm512_mul_pd(_mm512_set1_pd(TRI_PLACE), e), _CMP_GT_OQ);
}

/* Eight pairs of triangles, their normals, and the heights of each over the other's plane. */
typedef struct pairx8 {
    trix8 p, q;
    v3x8 np, nq, hp, hq;
} pairx8;

FN pairx8 pairx8_load(const u32 *a, const u32 *b, const u32 *corner, const f64 *x, u32 rules)
{
    pairx8 w;
    w.p = trix8_named(a, corner, x, rules);
    w.q = trix8_named(b, corner, x, rules);
    w.np = trix8_normal(w.p);
    w.nq = trix8_normal(w.q);
    w.hq = trix8_heights(w.np, w.p.a, w.q);
    w.hp = trix8_heights(w.nq, w.q.a, w.p);
    return w;
}

/* narrow_test for eight pairs: bits of those that meet, and that are apart. */
FN u32 lanes8_meet(const u32 *a, const u32 *b, const u32 *corner, const f64 *x, u32 rules,
                   u32 *apart)
{
    pairx8 w = pairx8_load(a, b, corner, x, rules);
    v3x8 plo = trix8_low(w.p), phi = trix8_high(w.p), qlo = trix8_low(w.q), qhi = trix8_high(w.q);
    v3x8 extent = v3x8_sub(v3x8_max(phi, qhi), v3x8_min(plo, qlo));
    __m512d error = trix8_error(w.p, w.q);
    signs8 sq = signs8_make(w.hq, error), sp = signs8_make(w.hp, error);
    __mmask8 certain = sp.certain & sq.certain;
    trix8 p = trix8_flip(trix8_turn(w.p, sp), (__mmask8)~sq.up);
    trix8 q = trix8_flip(trix8_turn(w.q, sq), (__mmask8)~sp.up);
    __m512d s = lanes8_orient3d(p.a, p.b, q.a, q.b), t = lanes8_orient3d(p.a, p.c, q.c, q.a);
    __m512d minus = _mm512_sub_pd(_mm512_setzero_pd(), error);
    u32 outside =
        (u32)_mm512_cmp_pd_mask(s, error, _CMP_GT_OQ) | _mm512_cmp_pd_mask(t, error, _CMP_GT_OQ);
    u32 inside =
        (u32)_mm512_cmp_pd_mask(s, minus, _CMP_LT_OQ) & _mm512_cmp_pd_mask(t, minus, _CMP_LT_OQ);
    u32 beside = (u32)signs8_equal(sp) | signs8_equal(sq);
    *apart = beside | (certain & outside);
    return certain & inside & ~*apart & lanes8_placed(w.hp, v3x8_sub(qhi, qlo), extent) &
           lanes8_placed(w.hq, v3x8_sub(phi, plo), extent);
}

/* ---- segments */

typedef struct segmentx8 {
    v3x8 a, b;
} segmentx8;

FN v3x8 lanes8_between(v3x8 o, v3x8 t, __m512d s, v3x8 r)
{
    return v3x8_add(v3x8_sub(o, r), v3x8_scale(v3x8_sub(t, o), s));
}

/* tri_crossing of triangles that begin with the lone vertex */
FN segmentx8 lanes8_crossing(trix8 t, v3x8 h, v3x8 r)
{
    segmentx8 s = {lanes8_between(t.a, t.b, _mm512_div_pd(h.x, _mm512_sub_pd(h.x, h.y)), r),
                   lanes8_between(t.a, t.c, _mm512_div_pd(h.x, _mm512_sub_pd(h.x, h.z)), r)};
    return s;
}

FN segmentx8 segmentx8_along(segmentx8 s, v3x8 direction)
{
    __mmask8 turn =
        _mm512_cmp_pd_mask(v3x8_dot(direction, s.a), v3x8_dot(direction, s.b), _CMP_GT_OQ);
    segmentx8 r = {v3x8_if(turn, s.b, s.a), v3x8_if(turn, s.a, s.b)};
    return r;
}

/* segment_common */
FN segmentx8 segmentx8_common(segmentx8 s, segmentx8 t, v3x8 d, v3x8 r)
{
    s = segmentx8_along(s, d);
    t = segmentx8_along(t, d);
    __mmask8 a = _mm512_cmp_pd_mask(v3x8_dot(d, s.a), v3x8_dot(d, t.a), _CMP_GE_OQ);
    __mmask8 b = _mm512_cmp_pd_mask(v3x8_dot(d, s.b), v3x8_dot(d, t.b), _CMP_LE_OQ);
    segmentx8 c = {v3x8_add(v3x8_if(a, s.a, t.a), r), v3x8_add(v3x8_if(b, s.b, t.b), r)};
    return c;
}

FN __mmask8 v3x8_less(v3x8 a, v3x8 b)
{
    __mmask8 x = _mm512_cmp_pd_mask(a.x, b.x, _CMP_NEQ_UQ),
             y = _mm512_cmp_pd_mask(a.y, b.y, _CMP_NEQ_UQ);
    u32 z = (u32)_mm512_cmp_pd_mask(a.z, b.z, _CMP_LT_OQ);
    return (__mmask8)((x & _mm512_cmp_pd_mask(a.x, b.x, _CMP_LT_OQ)) |
                      (~x & y & _mm512_cmp_pd_mask(a.y, b.y, _CMP_LT_OQ)) | (~x & ~y & z));
}

/* segment_store for eight, each with the scale of its frame */
FN void segmentx8_store(segmentx8 s, __m512d scale0, __m512d scale1, f64 *out)
{
    v3x8 zero = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};
    v3x8 a = v3x8_add(v3x8_scale(v3x8_scale(s.a, scale0), scale1), zero);
    v3x8 b = v3x8_add(v3x8_scale(v3x8_scale(s.b, scale0), scale1), zero);
    __mmask8 turn = v3x8_less(b, a);
    v3x8 low = v3x8_if(turn, b, a), high = v3x8_if(turn, a, b);
    __m512i place = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
    _mm512_i64scatter_pd(out, place, low.x, 8);
    _mm512_i64scatter_pd(out + 1, place, low.y, 8);
    _mm512_i64scatter_pd(out + 2, place, low.z, 8);
    _mm512_i64scatter_pd(out + 3, place, high.x, 8);
    _mm512_i64scatter_pd(out + 4, place, high.y, 8);
    _mm512_i64scatter_pd(out + 5, place, high.z, 8);
}

/* narrow_segment for eight pairs that share no vertex */
FN void lanes8_segment(const u32 *a, const u32 *b, const u32 *corner, const f64 *x, u32 frames,
                       const u32 *prim0, const f64 *unscale, f64 *point)
{
    pairx8 w = pairx8_load(a, b, corner, x, 0);
    signs8 sp = signs8_make(w.hp, _mm512_setzero_pd()), sq = signs8_make(w.hq, _mm512_setzero_pd());
    segmentx8 s = lanes8_crossing(trix8_turn(w.p, sp), heights8_turn(w.hp, sp), w.p.a);
    segmentx8 t = lanes8_crossing(trix8_turn(w.q, sq), heights8_turn(w.hq, sq), w.p.a);
    s = segmentx8_common(s, t, v3x8_cross(w.np, w.nq), w.p.a);
    f64 scale[2][8];
    for (u32 k = 0; k < 8; k++) {
        u32 f = frames > 1 ? frame_of(prim0, frames, a[k]) : 0;
        scale[0][k] = unscale[2 * f];
        scale[1][k] = unscale[2 * f + 1];
    }
    segmentx8_store(s, _mm512_loadu_pd(scale[0]), _mm512_loadu_pd(scale[1]), point);
}

#pragma GCC diagnostic pop
#endif
#endif
