/* Eight lanes of f64_wide.h: AVX-512. */
#ifndef IMP_WIDE_AVX512_H
#define IMP_WIDE_AVX512_H
#include "lane.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define WIDE 8
#define WIDE_COMPARES
#include <immintrin.h>

typedef __m512d lane_w;
typedef __m256 lane32_w;
typedef __mmask8 lane_mask_w;
typedef __m512i index_w;

/* without optimisation the intrinsics are macros, whose conversions are not ours */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

FN lane_w lane_all_w(f64 x)
{
    return _mm512_set1_pd(x);
}

FN lane_w lane_load_w(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

FN lane_w lane_own_w(const f64 *x)
{
    return _mm512_loadu_pd(x);
}

/* the first words, three or four, at a and at b, each in four lanes */
FN lane_w lane_pair_w(const f64 *a, const f64 *b, u32 words)
{
    const __mmask8 m = words == 3 ? 7 : 15;
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(m, a)),
                              _mm256_maskz_loadu_pd(m, b), 1);
}

FN index_w index_load_w(const u32 *i)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)i));
}

FN lane_w lane_gather_w(const f64 *x, index_w i)
{
    return _mm512_i64gather_pd(i, x, 8);
}

FN index_w index_triple_w(index_w i)
{
    return _mm512_add_epi64(i, _mm512_add_epi64(i, i));
}

FN lane_mask_w lane_less_w(lane_w a, lane_w b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}

FN lane_mask_w lane_equal_w(lane_w a, lane_w b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}

FN lane_mask_w lane_unless_w(lane_mask_w m, lane_w a, lane_w b)
{
    return _mm512_mask_cmp_pd_mask(m, a, b, _CMP_NLT_UQ);
}

FN lane_w lane_if_w(lane_mask_w m, lane_w a, lane_w b)
{
    return _mm512_mask_mov_pd(b, m, a);
}

FN lane_w lane_min_w(lane_w a, lane_w b)
{
    return _mm512_min_pd(a, b);
}

FN lane_w lane_max_w(lane_w a, lane_w b)
{
    return _mm512_max_pd(a, b);
}

FN lane_w lane_abs_w(lane_w a)
{
    return _mm512_abs_pd(a);
}

FN lane_w lane_sqrt_w(lane_w a)
{
    return _mm512_sqrt_pd(a);
}

FN lane_w lane_power_w(lane_w a)
{
    return _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64(0x7ff0000000000000)));
}

/* lane_twofold.h: with one rounding, which is none if the residue does not underflow */
#define WIDE_FUSED
FN lane_w lane_residue_w(lane_w a, lane_w b, lane_w p)
{
    return _mm512_fmsub_pd(a, b, p);
}

FN void lane_store_w(lane_w v, f64 *out)
{
    _mm512_storeu_pd(out, v);
}

FN lane32_w lane_down_w(lane_w x)
{
    return _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

FN lane32_w lane32_all_w(f32 x)
{
    return _mm256_set1_ps(x);
}

FN lane32_w lane32_if_w(lane_mask_w m, lane32_w a, lane32_w b)
{
    return _mm256_mask_mov_ps(b, m, a);
}

FN void lane_store6_w(lane_w v, f64 *out)
{
    _mm512_mask_storeu_pd(out, 0x3f, v);
}

FN u32 mask_bits_w(lane_mask_w m)
{
    return m;
}

FN lane_mask_w mask_all_w(void)
{
    return 0xff;
}

typedef __m256i bits_w;

FN bits_w bits_none_w(void)
{
    return _mm256_setzero_si256();
}

FN bits_w bits_set_w(bits_w b, lane_mask_w m, u32 bits)
{
    return _mm256_mask_or_epi32(b, m, b, _mm256_set1_epi32((i32)bits));
}

FN bits_w bits_and_w(bits_w a, bits_w b)
{
    return _mm256_and_si256(a, b);
}

FN void bits_put_w(bits_w b, u32 *out)
{
    _mm256_storeu_si256((__m256i *)(void *)out, b);
}

#pragma GCC diagnostic pop

#define F8_PICK(a, b, i0, i1, i2, i3, i4, i5, i6, i7)                                              \
    __builtin_shuffle(a, b, (__m512i){i0, i1, i2, i3, i4, i5, i6, i7})

#endif

#endif
