/* Sixteen primitives that look for others together, for the forms that run on CPUs: they lie in
 * one row of cells, so one walk along the cells nearby serves them all. Only comparisons and
 * integers, so every way of writing this has the same answer: bit i of a mask is lane i. Sorted
 * arrays have 16 places to spare at their end. */
#ifndef IMP_LANES_H
#define IMP_LANES_H
#include "dialect.h"
#include "dop.h"

#define LANES 16
#define SWEEP 64 /* others at a time */

/* Lanes from `count` on have bounds that overlap nothing. */
typedef struct team {
    f32 lo[3][LANES], hi[3][LANES];
    u32 corner[3][LANES], id[LANES], name[LANES];
    i32 object[LANES];
    u32 place, count; /* in sorted order */
    f32 low[3], high[3];
} team;

/* number of the lowest bit, how many bits; x is not 0 */
#ifdef __OPENCL_C_VERSION__
#define bit_lowest(x) (31 - clz((x) & (0 - (x))))
#define bit_lowest64(x) ((u32)(63 - clz((x) & (0 - (x)))))
#define bit_count(x) popcount(x)
#else
#define bit_lowest(x) ((u32)__builtin_ctz(x))
#define bit_lowest64(x) ((u32)__builtin_ctzll(x))
#define bit_count(x) ((u32)__builtin_popcount(x))
#endif

#ifdef __OPENCL_C_VERSION__

FN u32 lanes_bits(int16 mask)
{
    const int16 bit =
        (int16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768);
    long8 x = as_long8(mask & bit); /* of 16 Oclgrind takes some for never written */
    long4 y = x.lo | x.hi;
    long2 z = y.lo | y.hi;
    long w = z.x | z.y;
    return (u32)(w | w >> 32);
}

/* mask[k]: which lanes overlap the box at lo[k], whose six bounds are `stride` apart, and, if asked
 * for, begin no later along x. Returns a bit for every k of the n <= SWEEP that has any. */
FN u64 team_sweep(const team *t, GLOBAL const f32 *lo, size_t stride, u32 first, u32 n, u16 *mask)
{
    GLOBAL const f32 *hi = lo + 3 * stride, *reach = first ? lo : hi;
    float16 lx = vload16(0, t->lo[0]), ly = vload16(0, t->lo[1]), lz = vload16(0, t->lo[2]);
    float16 hx = vload16(0, t->hi[0]), hy = vload16(0, t->hi[1]), hz = vload16(0, t->hi[2]);
    u64 some = 0;
    for (u32 k = 0; k < n; k++) {
        int16 m = (hx >= lo[k]) & (lx <= reach[k]) & (hy >= lo[stride + k]) &
                  (ly <= hi[stride + k]) & (hz >= lo[2 * stride + k]) & (lz <= hi[2 * stride + k]);
        if (any(m)) {
            mask[k] = (u16)lanes_bits(m);
            some |= (u64)1 << k;
        }
    }
    return some;
}

/* which lanes begin at x */
FN u32 team_begin(const team *t, f32 x)
{
    return lanes_bits(vload16(0, t->lo[0]) == x);
}

/* which lanes are of that object */
FN u32 team_of(const team *t, i32 object)
{
    return lanes_bits(vload16(0, t->object) == object);
}

/* which lanes share a vertex with the triangle a, b, c */
FN u32 team_share(const team *t, u32 a, u32 b, u32 c)
{
    uint16 p = vload16(0, t->corner[0]), q = vload16(0, t->corner[1]), r = vload16(0, t->corner[2]);
    return lanes_bits((p == a) | (p == b) | (p == c) | (q == a) | (q == b) | (q == c) | (r == a) |
                      (r == b) | (r == c));
}

#elif defined(__AVX512F__)
#include <immintrin.h>

/* All 64 masks are looked at together; those from n on were never written, and do not count. Not
 * inlined: its loop wants all registers. */
__attribute__((noinline)) static u64 team_sweep(const team *t, const f32 *lo, size_t stride,
                                                u32 first, u32 n, u16 *mask)
{
    const f32 *hi = lo + 3 * stride, *reach = first ? lo : hi;
    __m512 lx = _mm512_loadu_ps(t->lo[0]), ly = _mm512_loadu_ps(t->lo[1]),
           lz = _mm512_loadu_ps(t->lo[2]);
    __m512 hx = _mm512_loadu_ps(t->hi[0]), hy = _mm512_loadu_ps(t->hi[1]),
           hz = _mm512_loadu_ps(t->hi[2]);
    for (u32 k = 0; k < n; k++) {
        __mmask16 m = _mm512_cmp_ps_mask(hx, _mm512_set1_ps(lo[k]), _CMP_GE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, lx, _mm512_set1_ps(reach[k]), _CMP_LE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, hy, _mm512_set1_ps(lo[stride + k]), _CMP_GE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, ly, _mm512_set1_ps(hi[stride + k]), _CMP_LE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, hz, _mm512_set1_ps(lo[2 * stride + k]), _CMP_GE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, lz, _mm512_set1_ps(hi[2 * stride + k]), _CMP_LE_OQ);
        mask[k] = m;
    }
    __mmask32 low = _mm512_test_epi16_mask(_mm512_loadu_si512(mask), _mm512_set1_epi16(-1));
    __mmask32 high = _mm512_test_epi16_mask(_mm512_loadu_si512(mask + 32), _mm512_set1_epi16(-1));
    u64 some = (u64)low | (u64)high << 32;
    return n < SWEEP ? some & (((u64)1 << n) - 1) : some;
}

FN u32 team_begin(const team *t, f32 x)
{
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(t->lo[0]), _mm512_set1_ps(x), _CMP_EQ_OQ);
}

FN u32 team_of(const team *t, i32 object)
{
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(t->object), _mm512_set1_epi32(object));
}

FN u32 team_share(const team *t, u32 a, u32 b, u32 c)
{
    __m512i va = _mm512_set1_epi32((i32)a), vb = _mm512_set1_epi32((i32)b),
            vc = _mm512_set1_epi32((i32)c);
    u32 m = 0;
    for (u32 k = 0; k < 3; k++) {
        __m512i v = _mm512_loadu_si512(t->corner[k]);
        m |= (u32)_mm512_cmpeq_epi32_mask(v, va) | _mm512_cmpeq_epi32_mask(v, vb) |
             _mm512_cmpeq_epi32_mask(v, vc);
    }
    return m;
}

#elif defined(__AVX2__)
#include <immintrin.h>

FN u32 team_overlap8(const team *t, u32 lane, const f32 *lo, size_t stride, u32 first)
{
    __m256 m = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (u32 k = 0; k < 3; k++) {
        const f32 *low = lo + k * stride, *reach = first && k == 0 ? lo : low + 3 * stride;
        __m256 below = _mm256_loadu_ps(t->lo[k] + lane), above = _mm256_loadu_ps(t->hi[k] + lane);
        m = _mm256_and_ps(m, _mm256_cmp_ps(above, _mm256_set1_ps(*low), _CMP_GE_OQ));
        m = _mm256_and_ps(m, _mm256_cmp_ps(below, _mm256_set1_ps(*reach), _CMP_LE_OQ));
    }
    return (u32)_mm256_movemask_ps(m);
}

FN u64 team_sweep(const team *t, const f32 *lo, size_t stride, u32 first, u32 n, u16 *mask)
{
    u64 some = 0;
    for (u32 k = 0; k < n; k++) {
        mask[k] = (u16)(team_overlap8(t, 0, lo + k, stride, first) |
                        team_overlap8(t, 8, lo + k, stride, first) << 8);
        some |= (u64)(mask[k] != 0) << k;
    }
    return some;
}

FN u32 lanes_bits8(__m256i m)
{
    return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(m));
}

FN __m256i lanes_load8(const void *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

FN u32 team_begin(const team *t, f32 x)
{
    __m256 v = _mm256_set1_ps(x);
    return (u32)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(t->lo[0]), v, _CMP_EQ_OQ)) |
           (u32)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(t->lo[0] + 8), v, _CMP_EQ_OQ))
               << 8;
}

FN u32 team_of(const team *t, i32 object)
{
    __m256i v = _mm256_set1_epi32(object);
    return lanes_bits8(_mm256_cmpeq_epi32(v, lanes_load8(t->object))) |
           lanes_bits8(_mm256_cmpeq_epi32(v, lanes_load8(t->object + 8))) << 8;
}

FN u32 team_share8(const team *t, u32 lane, u32 a, u32 b, u32 c)
{
    __m256i va = _mm256_set1_epi32((i32)a), vb = _mm256_set1_epi32((i32)b),
            vc = _mm256_set1_epi32((i32)c), m = _mm256_setzero_si256();
    for (u32 k = 0; k < 3; k++) {
        __m256i v = lanes_load8(t->corner[k] + lane);
        m = _mm256_or_si256(m, _mm256_cmpeq_epi32(v, va));
        m = _mm256_or_si256(m, _mm256_cmpeq_epi32(v, vb));
        m = _mm256_or_si256(m, _mm256_cmpeq_epi32(v, vc));
    }
    return lanes_bits8(m);
}

FN u32 team_share(const team *t, u32 a, u32 b, u32 c)
{
    return team_share8(t, 0, a, b, c) | team_share8(t, 8, a, b, c) << 8;
}

#else

FN u32 team_overlap(const team *t, const f32 *lo, size_t stride, u32 first)
{
    u32 bits = 0;
    for (u32 i = 0; i < LANES; i++) {
        u32 hit = (u32)(!first | (t->lo[0][i] <= lo[0]));
        for (u32 k = 0; k < 3; k++)
            hit &= (u32)(t->hi[k][i] >= lo[k * stride]) & (t->lo[k][i] <= lo[(k + 3) * stride]);
        bits |= hit << i;
    }
    return bits;
}

FN u64 team_sweep(const team *t, const f32 *lo, size_t stride, u32 first, u32 n, u16 *mask)
{
    u64 some = 0;
    for (u32 k = 0; k < n; k++) {
        mask[k] = (u16)team_overlap(t, lo + k, stride, first);
        some |= (u64)(mask[k] != 0) << k;
    }
    return some;
}

FN u32 team_begin(const team *t, f32 x)
{
    u32 bits = 0;
    for (u32 i = 0; i < LANES; i++)
        bits |= (u32)(t->lo[0][i] == x) << i;
    return bits;
}

FN u32 team_of(const team *t, i32 object)
{
    u32 bits = 0;
    for (u32 i = 0; i < LANES; i++)
        bits |= (u32)(t->object[i] == object) << i;
    return bits;
}

FN u32 team_share(const team *t, u32 a, u32 b, u32 c)
{
    u32 bits = 0;
    for (u32 i = 0; i < LANES; i++) {
        u32 p = t->corner[0][i], q = t->corner[1][i], r = t->corner[2][i];
        u32 hit = (u32)(p == a) | (p == b) | (p == c) | (q == a) | (q == b) | (q == c) | (r == a) |
                  (r == b) | (r == c);
        bits |= hit << i;
    }
    return bits;
}

#endif

/* Writes the pairs of primitive `one` and every lane in bits side by side, by their names: that of
 * the lower primitive to a. */
#if !defined(__OPENCL_C_VERSION__) && defined(__AVX512F__)

FN void team_put(const team *t, u32 bits, u32 one, u32 one_name, u32 *a, u32 *b)
{
    __mmask16 m = (__mmask16)bits, first = (__mmask16)((1u << bit_count(bits)) - 1);
    __m512i v = _mm512_loadu_si512(t->name), w = _mm512_set1_epi32((i32)one_name);
    __mmask16 lower =
        _mm512_cmplt_epu32_mask(_mm512_loadu_si512(t->id), _mm512_set1_epi32((i32)one));
    /* compressed in a register: to memory it is slow on some processors */
    _mm512_mask_storeu_epi32(a, first,
                             _mm512_maskz_compress_epi32(m, _mm512_mask_mov_epi32(w, lower, v)));
    _mm512_mask_storeu_epi32(b, first,
                             _mm512_maskz_compress_epi32(m, _mm512_mask_mov_epi32(v, lower, w)));
}

#else

FN void team_put(const team *t, u32 bits, u32 one, u32 one_name, GLOBAL u32 *a, GLOBAL u32 *b)
{
    for (; bits; bits &= bits - 1) {
        u32 i = bit_lowest(bits), lower = t->id[i] < one;
        *a++ = lower ? t->name[i] : one_name;
        *b++ = lower ? one_name : t->name[i];
    }
}

#endif

#endif
