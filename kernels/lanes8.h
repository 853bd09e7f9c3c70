/* Eight float64 at a time, for the host where it has AVX-512: the same operations in the same order
 * as vec.h and tri.h, so the same bits. Not for OpenCL, whose compilers do this by themselves. */
#ifndef IMP_LANES8_H
#define IMP_LANES8_H
#include "dop.h"
#include "prim.h"
#include "tri.h"

#if !defined(__OPENCL_C_VERSION__) && defined(__AVX512F__) && defined(__AVX512DQ__) &&             \
    defined(__AVX512VL__)
#define IMP_LANES8 1
#include <immintrin.h>

/* without optimisation the intrinsics are macros, whose conversions are not ours */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

typedef struct v3x8 {
    __m512d x, y, z;
} v3x8;

typedef struct trix8 {
    v3x8 a, b, c;
} trix8;

FN __m512i lanes8_times3(__m256i i)
{
    __m512i w = _mm512_cvtepu32_epi64(i);
    return _mm512_add_epi64(w, _mm512_add_epi64(w, w));
}

FN v3x8 v3x8_load(const f64 *x, __m256i vertex)
{
    __m512i i = lanes8_times3(vertex);
    v3x8 v = {_mm512_i64gather_pd(i, x, 8), _mm512_i64gather_pd(i, x + 1, 8),
              _mm512_i64gather_pd(i, x + 2, 8)};
    return v;
}

/* the triangles id[0] .. id[7] */
FN trix8 trix8_load(const f64 *x, const u32 *corner, __m256i id)
{
    __m512i i = lanes8_times3(id);
    trix8 t = {v3x8_load(x, _mm512_i64gather_epi32(i, corner, 4)),
               v3x8_load(x, _mm512_i64gather_epi32(i, corner + 1, 4)),
               v3x8_load(x, _mm512_i64gather_epi32(i, corner + 2, 4))};
    return t;
}

/* the triangles at places id[0] .. id[7] of narrow_copy's */
FN trix8 trix8_take(const f64 *x, __m256i id)
{
    __m512i i = lanes8_times3(id);
    i = _mm512_add_epi64(i, _mm512_add_epi64(i, i));
    trix8 t = {{_mm512_i64gather_pd(i, x, 8), _mm512_i64gather_pd(i, x + 1, 8),
                _mm512_i64gather_pd(i, x + 2, 8)},
               {_mm512_i64gather_pd(i, x + 3, 8), _mm512_i64gather_pd(i, x + 4, 8),
                _mm512_i64gather_pd(i, x + 5, 8)},
               {_mm512_i64gather_pd(i, x + 6, 8), _mm512_i64gather_pd(i, x + 7, 8),
                _mm512_i64gather_pd(i, x + 8, 8)}};
    return t;
}

/* the triangles named by id[0] .. id[7] */
FN trix8 trix8_named(const u32 *id, const u32 *corner, const f64 *x, u32 rules)
{
    __m256i i = _mm256_loadu_si256((const __m256i *)(const void *)id);
    return rules & RULE_PLACES ? trix8_take(x, i) : trix8_load(x, corner, i);
}

FN v3x8 v3x8_sub(v3x8 a, v3x8 b)
{
    v3x8 v = {_mm512_sub_pd(a.x, b.x), _mm512_sub_pd(a.y, b.y), _mm512_sub_pd(a.z, b.z)};
    return v;
}

FN v3x8 v3x8_add(v3x8 a, v3x8 b)
{
    v3x8 v = {_mm512_add_pd(a.x, b.x), _mm512_add_pd(a.y, b.y), _mm512_add_pd(a.z, b.z)};
    return v;
}

FN v3x8 v3x8_min(v3x8 a, v3x8 b)
{
    v3x8 v = {_mm512_min_pd(a.x, b.x), _mm512_min_pd(a.y, b.y), _mm512_min_pd(a.z, b.z)};
    return v;
}

FN v3x8 v3x8_max(v3x8 a, v3x8 b)
{
    v3x8 v = {_mm512_max_pd(a.x, b.x), _mm512_max_pd(a.y, b.y), _mm512_max_pd(a.z, b.z)};
    return v;
}

FN __m512d lanes8_det2(__m512d a, __m512d b, __m512d c, __m512d d)
{
    return _mm512_sub_pd(_mm512_mul_pd(a, d), _mm512_mul_pd(b, c));
}

FN v3x8 v3x8_cross(v3x8 a, v3x8 b)
{
    v3x8 v = {lanes8_det2(a.y, a.z, b.y, b.z), lanes8_det2(a.z, a.x, b.z, b.x),
              lanes8_det2(a.x, a.y, b.x, b.y)};
    return v;
}

FN __m512d v3x8_dot(v3x8 a, v3x8 b)
{
    __m512d xy = _mm512_add_pd(_mm512_mul_pd(a.x, b.x), _mm512_mul_pd(a.y, b.y));
    return _mm512_add_pd(xy, _mm512_mul_pd(a.z, b.z));
}

FN v3x8 trix8_low(trix8 t)
{
    return v3x8_min(v3x8_min(t.a, t.b), t.c);
}

FN v3x8 trix8_high(trix8 t)
{
    return v3x8_max(v3x8_max(t.a, t.b), t.c);
}

/* Are all vertices of q for certain on one side of the plane of p? */
FN u32 trix8_beside(trix8 p, trix8 q, __m512d error)
{
    v3x8 n = v3x8_cross(v3x8_sub(p.b, p.a), v3x8_sub(p.c, p.a));
    __m512d a = v3x8_dot(n, v3x8_sub(q.a, p.a)), b = v3x8_dot(n, v3x8_sub(q.b, p.a)),
            c = v3x8_dot(n, v3x8_sub(q.c, p.a));
    __m512d lo = _mm512_min_pd(_mm512_min_pd(a, b), c), hi = _mm512_max_pd(_mm512_max_pd(a, b), c);
    __m512d below = _mm512_sub_pd(_mm512_setzero_pd(), error);
    return (u32)_mm512_cmp_pd_mask(lo, error, _CMP_GT_OQ) |
           _mm512_cmp_pd_mask(hi, below, _CMP_LT_OQ);
}

/* tri_error */
FN __m512d trix8_error(trix8 p, trix8 q)
{
    v3x8 high = v3x8_max(trix8_high(p), trix8_high(q));
    v3x8 extent = v3x8_sub(high, v3x8_min(trix8_low(p), trix8_low(q)));
    __m512d volume = _mm512_mul_pd(_mm512_mul_pd(extent.x, extent.y), extent.z);
    return _mm512_add_pd(_mm512_mul_pd(_mm512_set1_pd(TRI_EPSILON), volume),
                         _mm512_set1_pd(TRI_TINY));
}

/* narrow_far for eight pairs, as bits */
FN u32 lanes8_far(const u32 *a, const u32 *b, const u32 *corner, const f64 *x, u32 rules)
{
    trix8 p = trix8_named(a, corner, x, rules), q = trix8_named(b, corner, x, rules);
    __m512d error = trix8_error(p, q);
    return trix8_beside(p, q, error) | trix8_beside(q, p, error);
}

/* dop_below and dop_above: the processor rounds the way they want */
FN __m256 lanes8_below(__m512d t)
{
    __m512d s = _mm512_sub_pd(t, _mm512_set1_pd(DOP_SLACK)), tiny = _mm512_set1_pd(DOP_TINY);
    __m256 f = _mm512_cvt_roundpd_ps(s, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(s), tiny, _CMP_LT_OQ);
    __mmask8 negative = _mm512_cmp_pd_mask(s, _mm512_setzero_pd(), _CMP_LT_OQ);
    f = _mm256_mask_mov_ps(f, small, _mm256_setzero_ps());
    return _mm256_mask_mov_ps(f, small & negative, _mm256_set1_ps(-DOP_TINY));
}

FN __m256 lanes8_above(__m512d t)
{
    __m512d minus =
        _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(t), _mm512_set1_epi64(INT64_MIN)));
    return _mm256_xor_ps(lanes8_below(minus), _mm256_set1_ps(-0.0f));
}

/* bound_box for the primitives i .. i + 7, all of the frame whose box has this centre */
FN void lanes8_box(u32 i, v3 centre, const u32 *corner, const f64 *x, f32 *box)
{
    v3x8 o = {_mm512_set1_pd(centre.x), _mm512_set1_pd(centre.y), _mm512_set1_pd(centre.z)};
    trix8 t = trix8_load(
        x, corner,
        _mm256_add_epi32(_mm256_set1_epi32((i32)i), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
    v3x8 lo = v3x8_sub(trix8_low(t), o), hi = v3x8_sub(trix8_high(t), o);
    v3x8 all = v3x8_add(v3x8_add(t.a, t.b), t.c);
    __m512d sum = _mm512_add_pd(_mm512_add_pd(all.x, all.y), all.z);
    __mmask8 bad = _mm512_cmp_pd_mask(_mm512_sub_pd(sum, sum), _mm512_setzero_pd(), _CMP_NEQ_UQ);
    __m256 none = _mm256_set1_ps(BOUND_NONE), minus = _mm256_set1_ps(-BOUND_NONE);
    f32 out[6][8];
    _mm256_storeu_ps(out[0], _mm256_mask_mov_ps(lanes8_below(lo.x), bad, none));
    _mm256_storeu_ps(out[1], _mm256_mask_mov_ps(lanes8_below(lo.y), bad, none));
    _mm256_storeu_ps(out[2], _mm256_mask_mov_ps(lanes8_below(lo.z), bad, none));
    _mm256_storeu_ps(out[3], _mm256_mask_mov_ps(lanes8_above(hi.x), bad, minus));
    _mm256_storeu_ps(out[4], _mm256_mask_mov_ps(lanes8_above(hi.y), bad, minus));
    _mm256_storeu_ps(out[5], _mm256_mask_mov_ps(lanes8_above(hi.z), bad, minus));
    for (u32 k = 0; k < 8; k++)
        for (u32 c = 0; c < 6; c++)
            box[(size_t)6 * (i + k) + c] = out[c][k];
}

#pragma GCC diagnostic pop
#endif
#endif
