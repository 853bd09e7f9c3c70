/* Eight lanes (lane.h), for the forms of kernels that run on CPUs: OpenCL's vectors, and on the
 * host AVX-512. IMP_F64X8 is defined where there are any. Another instruction set is another part
 * here: a vector type of the compiler has the operators, the rest are these functions. */
#ifndef IMP_F64X8_H
#define IMP_F64X8_H
#include "lane.h"

#if defined(__OPENCL_C_VERSION__) && defined(IMP_FP64) && !defined(IMP_GROUP_FORMS)
#define IMP_F64X8 1

typedef double8 lane_x8;
typedef long8 lane_mask_x8;
typedef ulong8 index_x8;

FN lane_x8 lane_all_x8(f64 x)
{
    return (lane_x8)(x);
}

FN lane_x8 lane_load_x8(GLOBAL const f64 *x)
{
    return vload8(0, x);
}

/* the same from private memory */
FN lane_x8 lane_own_x8(const f64 *x)
{
    return vload8(0, x);
}

FN index_x8 index_load_x8(GLOBAL const u32 *i)
{
    return convert_ulong8(vload8(0, i));
}

FN lane_x8 lane_gather_x8(GLOBAL const f64 *x, index_x8 i)
{
    return (lane_x8)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]);
}

FN index_x8 index_gather_x8(GLOBAL const u32 *x, index_x8 i)
{
    return convert_ulong8(
        (uint8)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]));
}

FN lane_mask_x8 lane_less_x8(lane_x8 a, lane_x8 b)
{
    return a < b;
}

FN lane_mask_x8 lane_equal_x8(lane_x8 a, lane_x8 b)
{
    return a == b;
}

FN lane_x8 lane_if_x8(lane_mask_x8 m, lane_x8 a, lane_x8 b)
{
    return select(b, a, m);
}

FN lane_x8 lane_min_x8(lane_x8 a, lane_x8 b)
{
    return select(b, a, a < b);
}

FN lane_x8 lane_max_x8(lane_x8 a, lane_x8 b)
{
    return select(b, a, a > b);
}

FN lane_x8 lane_abs_x8(lane_x8 a)
{
    return fabs(a);
}

FN lane_mask_x8 mask_and_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return a & b;
}

FN lane_mask_x8 mask_or_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return a | b;
}

FN lane_mask_x8 mask_not_x8(lane_mask_x8 a)
{
    return ~a;
}

FN lane_mask_x8 mask_same_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return ~(a ^ b);
}

/* the first six lanes */
FN void lane_store6_x8(lane_x8 v, GLOBAL f64 *out)
{
    vstore4(v.lo, 0, out);
    vstore2(v.hi.lo, 0, out + 4);
}

FN u32 mask_bits_x8(lane_mask_x8 m)
{
    const lane_mask_x8 bit = (lane_mask_x8)(1, 2, 4, 8, 16, 32, 64, 128);
    long4 x = (m & bit).lo | (m & bit).hi;
    long2 y = x.lo | x.hi;
    return (u32)(y.x | y.y);
}

/* lanes of a (0 to 7) and b (8 to 15) */
#define F8_PICK(a, b, ...) shuffle2(a, b, (ulong8)(__VA_ARGS__))

#elif !defined(__OPENCL_C_VERSION__) && defined(__AVX512F__) && defined(__AVX512DQ__) &&           \
    defined(__AVX512VL__)
#define IMP_F64X8 1
#include <immintrin.h>

typedef __m512d lane_x8;
typedef __m256 lane32_x8;
typedef __mmask8 lane_mask_x8;
typedef __m512i index_x8;

/* without optimisation the intrinsics are macros, whose conversions are not ours */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

FN lane_x8 lane_all_x8(f64 x)
{
    return _mm512_set1_pd(x);
}

FN lane_x8 lane_load_x8(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

FN lane_x8 lane_own_x8(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

FN index_x8 index_load_x8(const u32 *i)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)i));
}

FN lane_x8 lane_gather_x8(const f64 *x, index_x8 i)
{
    return _mm512_i64gather_pd(i, x, 8);
}

FN index_x8 index_gather_x8(const u32 *x, index_x8 i)
{
    return _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(i, x, 4));
}

FN lane_mask_x8 lane_less_x8(lane_x8 a, lane_x8 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

FN lane_mask_x8 lane_equal_x8(lane_x8 a, lane_x8 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

FN lane_x8 lane_if_x8(lane_mask_x8 m, lane_x8 a, lane_x8 b)
{
    return _mm512_mask_mov_pd(b, m, a);
}

FN lane_x8 lane_min_x8(lane_x8 a, lane_x8 b)
{
    return _mm512_min_pd(a, b);
}

FN lane_x8 lane_max_x8(lane_x8 a, lane_x8 b)
{
    return _mm512_max_pd(a, b);
}

FN lane_x8 lane_abs_x8(lane_x8 a)
{
    return _mm512_abs_pd(a);
}

FN lane32_x8 lane_down_x8(lane_x8 x)
{
    return _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

FN lane32_x8 lane32_all_x8(f32 x)
{
    return _mm256_set1_ps(x);
}

FN lane32_x8 lane32_if_x8(lane_mask_x8 m, lane32_x8 a, lane32_x8 b)
{
    return _mm256_mask_mov_ps(b, m, a);
}

FN lane_mask_x8 mask_and_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return (lane_mask_x8)(a & b);
}

FN lane_mask_x8 mask_or_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return (lane_mask_x8)(a | b);
}

FN lane_mask_x8 mask_not_x8(lane_mask_x8 a)
{
    return (lane_mask_x8)(~a);
}

FN lane_mask_x8 mask_same_x8(lane_mask_x8 a, lane_mask_x8 b)
{
    return (lane_mask_x8)(~(a ^ b));
}

FN void lane_store6_x8(lane_x8 v, f64 *out)
{
    _mm512_mask_storeu_pd(out, 0x3f, v);
}

FN u32 mask_bits_x8(lane_mask_x8 m)
{
    return m;
}

#pragma GCC diagnostic pop

#define F8_PICK(a, b, ...) __builtin_shuffle(a, b, (__m512i){__VA_ARGS__})

#endif

#ifdef IMP_F64X8

/* row[k] becomes what was lane k of each */
FN void lane_transpose_x8(lane_x8 *row)
{
    lane_x8 s[8], t[8];
    for (u32 k = 0; k < 8; k += 2) {
        s[k] = F8_PICK(row[k], row[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[k + 1] = F8_PICK(row[k], row[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (u32 k = 0; k < 8; k++) {
        u32 i = (k & 4) + (k & 1);
        t[k] = k & 2 ? F8_PICK(s[i], s[i + 2], 2, 3, 10, 11, 6, 7, 14, 15)
                     : F8_PICK(s[i], s[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    }
    for (u32 k = 0; k < 4; k++) {
        row[k] = F8_PICK(t[k], t[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        row[k + 4] = F8_PICK(t[k], t[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif
#endif
