/* Eight float64 at a time, for the forms of kernels that run on CPUs: OpenCL's vectors, and on the
 * host AVX-512. Operators + - * / are the compilers' own. IMP_F64X8 is defined where there are any.
 * A mask8 has a lane set or not; combine masks with & | ^ ~ and cast the result back, since on the
 * host they are small integers. */
#ifndef IMP_F64X8_H
#define IMP_F64X8_H
#include "dialect.h"

#if defined(__OPENCL_C_VERSION__) && defined(IMP_FP64) && !defined(IMP_GROUP_FORMS)
#define IMP_F64X8 1

typedef double8 f64x8;
typedef long8 mask8;
typedef ulong8 index8;

FN f64x8 f8_all(f64 x)
{
    return (f64x8)(x);
}

FN f64x8 f8_load(GLOBAL const f64 *x)
{
    return vload8(0, x);
}

/* the same from private memory */
FN f64x8 f8_own(const f64 *x)
{
    return vload8(0, x);
}

FN index8 index8_load(GLOBAL const u32 *i)
{
    return convert_ulong8(vload8(0, i));
}

FN f64x8 f8_gather(GLOBAL const f64 *x, index8 i)
{
    return (f64x8)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]);
}

FN index8 index8_gather(GLOBAL const u32 *x, index8 i)
{
    return convert_ulong8(
        (uint8)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]));
}

FN mask8 f8_less(f64x8 a, f64x8 b)
{
    return a < b;
}

FN mask8 f8_differs(f64x8 a, f64x8 b)
{
    return a != b;
}

FN f64x8 f8_if(mask8 m, f64x8 a, f64x8 b)
{
    return select(b, a, m);
}

FN f64x8 f8_min(f64x8 a, f64x8 b)
{
    return select(b, a, a < b);
}

FN f64x8 f8_max(f64x8 a, f64x8 b)
{
    return select(b, a, a > b);
}

FN f64x8 f8_abs(f64x8 a)
{
    return fabs(a);
}

/* the first six lanes */
FN void f8_store6(f64x8 v, GLOBAL f64 *out)
{
    vstore4(v.lo, 0, out);
    vstore2(v.hi.lo, 0, out + 4);
}

FN u32 mask8_bits(mask8 m)
{
    const mask8 bit = (mask8)(1, 2, 4, 8, 16, 32, 64, 128);
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

typedef __m512d f64x8;
typedef __mmask8 mask8;
typedef __m512i index8;

FN f64x8 f8_all(f64 x)
{
    return _mm512_set1_pd(x);
}

FN f64x8 f8_load(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

FN f64x8 f8_own(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

FN index8 index8_load(const u32 *i)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)i));
}

FN f64x8 f8_gather(const f64 *x, index8 i)
{
    return _mm512_i64gather_pd(i, x, 8);
}

FN index8 index8_gather(const u32 *x, index8 i)
{
    return _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(i, x, 4));
}

FN mask8 f8_less(f64x8 a, f64x8 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

FN mask8 f8_differs(f64x8 a, f64x8 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ);
}

FN f64x8 f8_if(mask8 m, f64x8 a, f64x8 b)
{
    return _mm512_mask_mov_pd(b, m, a);
}

/* f64_min and f64_max to the last bit */
FN f64x8 f8_min(f64x8 a, f64x8 b)
{
    return _mm512_min_pd(a, b);
}

FN f64x8 f8_max(f64x8 a, f64x8 b)
{
    return _mm512_max_pd(a, b);
}

FN f64x8 f8_abs(f64x8 a)
{
    return _mm512_abs_pd(a);
}

FN void f8_store6(f64x8 v, f64 *out)
{
    _mm512_mask_storeu_pd(out, 0x3f, v);
}

FN u32 mask8_bits(mask8 m)
{
    return m;
}

#define F8_PICK(a, b, ...) __builtin_shuffle(a, b, (__m512i){__VA_ARGS__})

#endif

#ifdef IMP_F64X8

/* row[k] becomes what was lane k of each */
FN void f8_transpose(f64x8 *row)
{
    f64x8 s[8], t[8];
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
