/* Sixteen float32 or u32 that are compared with one, for lanes.h. Only comparisons, so every
 * instruction set gives the same answer. Each instruction set has a section here. */
#ifndef IMP_F32X16_H
#define IMP_F32X16_H
#include "dialect.h"

#if defined(__AVX512F__)
#include <immintrin.h>

typedef __m512 f32x16;
typedef __m512i u32x16;
typedef __mmask16 mask16;

FN f32x16 f32x16_load(const f32 *x)
{
    return _mm512_loadu_ps(x);
}

FN u32x16 u32x16_load(const u32 *x)
{
    return _mm512_loadu_si512(x);
}

FN mask16 f32x16_from(f32x16 v, f32 x)
{
    return _mm512_cmp_ps_mask(v, _mm512_set1_ps(x), _CMP_GE_OQ);
}

FN mask16 f32x16_to(f32x16 v, f32 x)
{
    return _mm512_cmp_ps_mask(v, _mm512_set1_ps(x), _CMP_LE_OQ);
}

FN mask16 u32x16_equal(u32x16 v, u32 x)
{
    return _mm512_cmpeq_epi32_mask(v, _mm512_set1_epi32((i32)x));
}

FN u32x16 u32x16_or(u32x16 v, u32 x)
{
    return _mm512_or_si512(v, _mm512_set1_epi32((i32)x));
}

FN mask16 mask16_and(mask16 a, mask16 b)
{
    return (mask16)(a & b);
}

FN mask16 mask16_or(mask16 a, mask16 b)
{
    return (mask16)(a | b);
}

FN u32 mask16_bits(mask16 m)
{
    return m;
}

#define U32X16_PACK

/* which lanes are < x */
FN mask16 u32x16_below(u32x16 v, u32 x)
{
    return _mm512_cmplt_epu32_mask(v, _mm512_set1_epi32((i32)x));
}

FN u32x16 u32x16_plus(u32x16 v, u32 x)
{
    return _mm512_add_epi32(v, _mm512_set1_epi32((i32)x));
}

/* v where the mask is set, else x */
FN u32x16 u32x16_pick(mask16 m, u32x16 v, u32 x)
{
    return _mm512_mask_mov_epi32(_mm512_set1_epi32((i32)x), m, v);
}

/* x where the mask is set, else v */
FN u32x16 u32x16_fill(mask16 m, u32x16 v, u32 x)
{
    return _mm512_mask_set1_epi32(v, m, (i32)x);
}

/* Stores the lanes of v in `bits` contiguously; the rest of out[16] is undefined. Compressed in a
 * register: compressing to memory is slow on some processors. */
FN void u32x16_pack(u32x16 v, u32 bits, u32 *out)
{
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32((mask16)bits, v));
}

#elif defined(__AVX2__)
#include <immintrin.h>

typedef struct f32x16 {
    __m256 lo, hi;
} f32x16;

typedef struct u32x16 {
    __m256i lo, hi;
} u32x16;

typedef f32x16 mask16; /* all bits of a lane set, or none */

FN f32x16 f32x16_make(__m256 lo, __m256 hi)
{
    f32x16 v;
    v.lo = lo;
    v.hi = hi;
    return v;
}

FN f32x16 f32x16_load(const f32 *x)
{
    return f32x16_make(_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8));
}

FN u32x16 u32x16_load(const u32 *x)
{
    u32x16 v;
    v.lo = _mm256_loadu_si256((const __m256i *)(const void *)x);
    v.hi = _mm256_loadu_si256((const __m256i *)(const void *)(x + 8));
    return v;
}

FN mask16 f32x16_from(f32x16 v, f32 x)
{
    __m256 all = _mm256_set1_ps(x);
    return f32x16_make(_mm256_cmp_ps(v.lo, all, _CMP_GE_OQ), _mm256_cmp_ps(v.hi, all, _CMP_GE_OQ));
}

FN mask16 f32x16_to(f32x16 v, f32 x)
{
    __m256 all = _mm256_set1_ps(x);
    return f32x16_make(_mm256_cmp_ps(v.lo, all, _CMP_LE_OQ), _mm256_cmp_ps(v.hi, all, _CMP_LE_OQ));
}

FN mask16 u32x16_equal(u32x16 v, u32 x)
{
    __m256i all = _mm256_set1_epi32((i32)x);
    return f32x16_make(_mm256_castsi256_ps(_mm256_cmpeq_epi32(v.lo, all)),
                       _mm256_castsi256_ps(_mm256_cmpeq_epi32(v.hi, all)));
}

FN u32x16 u32x16_or(u32x16 v, u32 x)
{
    __m256i all = _mm256_set1_epi32((i32)x);
    v.lo = _mm256_or_si256(v.lo, all);
    v.hi = _mm256_or_si256(v.hi, all);
    return v;
}

FN mask16 mask16_and(mask16 a, mask16 b)
{
    return f32x16_make(_mm256_and_ps(a.lo, b.lo), _mm256_and_ps(a.hi, b.hi));
}

FN mask16 mask16_or(mask16 a, mask16 b)
{
    return f32x16_make(_mm256_or_ps(a.lo, b.lo), _mm256_or_ps(a.hi, b.hi));
}

FN u32 mask16_bits(mask16 m)
{
    return (u32)_mm256_movemask_ps(m.lo) | (u32)_mm256_movemask_ps(m.hi) << 8;
}

#define U32X16_PACK

/* which lanes are < x */
FN mask16 u32x16_below(u32x16 v, u32 x)
{
    const u32 top = 0x80000000; /* only signed comparisons exist */
    __m256i flip = _mm256_set1_epi32((i32)top), all = _mm256_set1_epi32((i32)(x ^ top));
    return f32x16_make(_mm256_castsi256_ps(_mm256_cmpgt_epi32(all, _mm256_xor_si256(v.lo, flip))),
                       _mm256_castsi256_ps(_mm256_cmpgt_epi32(all, _mm256_xor_si256(v.hi, flip))));
}

FN u32x16 u32x16_plus(u32x16 v, u32 x)
{
    __m256i all = _mm256_set1_epi32((i32)x);
    v.lo = _mm256_add_epi32(v.lo, all);
    v.hi = _mm256_add_epi32(v.hi, all);
    return v;
}

/* v where the mask is set, else x */
FN u32x16 u32x16_pick(mask16 m, u32x16 v, u32 x)
{
    __m256i all = _mm256_set1_epi32((i32)x);
    v.lo = _mm256_blendv_epi8(all, v.lo, _mm256_castps_si256(m.lo));
    v.hi = _mm256_blendv_epi8(all, v.hi, _mm256_castps_si256(m.hi));
    return v;
}

/* x where the mask is set, else v */
FN u32x16 u32x16_fill(mask16 m, u32x16 v, u32 x)
{
    __m256i all = _mm256_set1_epi32((i32)x);
    v.lo = _mm256_blendv_epi8(v.lo, all, _mm256_castps_si256(m.lo));
    v.hi = _mm256_blendv_epi8(v.hi, all, _mm256_castps_si256(m.hi));
    return v;
}

/* for each mask of four bits, its lanes, contiguously */
static const i32 pack4[16][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0},
                                 {2, 0, 0, 0}, {0, 2, 0, 0}, {1, 2, 0, 0}, {0, 1, 2, 0},
                                 {3, 0, 0, 0}, {0, 3, 0, 0}, {1, 3, 0, 0}, {0, 1, 3, 0},
                                 {2, 3, 0, 0}, {0, 2, 3, 0}, {1, 2, 3, 0}, {0, 1, 2, 3}};

FN u32 u32x4_pack(__m128i v, u32 bits, u32 *out)
{
    __m128i lanes = _mm_loadu_si128((const __m128i *)(const void *)pack4[bits & 15]);
    __m128 packed = _mm_permutevar_ps(_mm_castsi128_ps(v), lanes);
    _mm_storeu_si128((__m128i *)(void *)out, _mm_castps_si128(packed));
    return (u32)__builtin_popcount(bits & 15);
}

/* Stores the lanes of v in `bits` contiguously; the rest of out[16] is undefined. */
FN void u32x16_pack(u32x16 v, u32 bits, u32 *out)
{
    out += u32x4_pack(_mm256_castsi256_si128(v.lo), bits, out);
    out += u32x4_pack(_mm256_extracti128_si256(v.lo, 1), bits >> 4, out);
    out += u32x4_pack(_mm256_castsi256_si128(v.hi), bits >> 8, out);
    u32x4_pack(_mm256_extracti128_si256(v.hi, 1), bits >> 12, out);
}

#else

/* four by four, with the vector types that gcc and clang have for any processor */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef f32 f32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef i32 mask4 __attribute__((vector_size(16))); /* all bits of a lane set, or none */

typedef struct f32x16 {
    f32x4 of[4];
} f32x16;

typedef struct u32x16 {
    u32x4 of[4];
} u32x16;

typedef struct mask16 {
    mask4 of[4];
} mask16;

FN f32x16 f32x16_load(const f32 *x)
{
    f32x16 v;
    memcpy(&v, x, sizeof v);
    return v;
}

FN u32x16 u32x16_load(const u32 *x)
{
    u32x16 v;
    memcpy(&v, x, sizeof v);
    return v;
}

FN mask16 f32x16_from(f32x16 v, f32 x)
{
    const f32x4 all = {x, x, x, x};
    mask16 m;
    for (u32 i = 0; i < 4; i++)
        m.of[i] = v.of[i] >= all;
    return m;
}

FN mask16 f32x16_to(f32x16 v, f32 x)
{
    const f32x4 all = {x, x, x, x};
    mask16 m;
    for (u32 i = 0; i < 4; i++)
        m.of[i] = v.of[i] <= all;
    return m;
}

FN mask16 u32x16_equal(u32x16 v, u32 x)
{
    const u32x4 all = {x, x, x, x};
    mask16 m;
    for (u32 i = 0; i < 4; i++)
        m.of[i] = v.of[i] == all;
    return m;
}

FN u32x16 u32x16_or(u32x16 v, u32 x)
{
    const u32x4 all = {x, x, x, x};
    for (u32 i = 0; i < 4; i++)
        v.of[i] |= all;
    return v;
}

FN mask16 mask16_and(mask16 a, mask16 b)
{
    for (u32 i = 0; i < 4; i++)
        a.of[i] &= b.of[i];
    return a;
}

FN mask16 mask16_or(mask16 a, mask16 b)
{
    for (u32 i = 0; i < 4; i++)
        a.of[i] |= b.of[i];
    return a;
}

#ifdef __SSE2__
FN u32 mask16_bits(mask16 m)
{
    __m128i low = _mm_packs_epi32((__m128i)m.of[0], (__m128i)m.of[1]);
    __m128i high = _mm_packs_epi32((__m128i)m.of[2], (__m128i)m.of[3]);
    return (u32)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}

#else
FN u32 mask16_bits(mask16 m)
{
    const mask4 bit = {1, 2, 4, 8};
    mask4 x = (m.of[0] & bit) | (m.of[1] & bit << 4) | (m.of[2] & bit << 8) | (m.of[3] & bit << 12);
    return (u32)(x[0] | x[1] | x[2] | x[3]);
}

#endif

#endif
#endif
