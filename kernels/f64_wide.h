/* WIDE lanes (lane.h) in parallel, for the host: eight with AVX-512, four with AVX2, and two with
 * the compiler's vectors on any other processor: SSE2, NEON.
 *
 * To support another instruction set, add a file wide_*.h: the operators are those of a vector type
 * of the compiler, the rest are functions. Each function gives the bits of the one of that name in
 * lane.h. */
#ifndef IMP_F64_WIDE_H
#define IMP_F64_WIDE_H
#include "lane.h"
/* in order of preference */
#include "wide_avx512.h"
#include "wide_vector.h"

/* ---- masks: integers, bits or whole lanes; operators combine all of these alike */

#ifndef WIDE_COMPARES /* by operators, unless a file defines its own */
FORMULA lane_mask_w lane_less_w(lane_w a, lane_w b)
{
    return a < b;
}

FORMULA lane_mask_w lane_equal_w(lane_w a, lane_w b)
{
    return a == b;
}

FORMULA lane_mask_w lane_unless_w(lane_mask_w m, lane_w a, lane_w b)
{
    return m & ~(a < b);
}
#endif

FORMULA lane_mask_w mask_and_w(lane_mask_w a, lane_mask_w b)
{
    return (lane_mask_w)(a & b);
}

FORMULA lane_mask_w mask_or_w(lane_mask_w a, lane_mask_w b)
{
    return (lane_mask_w)(a | b);
}

FORMULA lane_mask_w mask_not_w(lane_mask_w a)
{
    return (lane_mask_w)(~a);
}

FORMULA lane_mask_w mask_same_w(lane_mask_w a, lane_mask_w b)
{
    return (lane_mask_w)(~(a ^ b));
}

FORMULA lane_mask_w mask_if_w(lane_mask_w m, lane_mask_w a, lane_mask_w b)
{
    return (lane_mask_w)((m & a) | (~m & b));
}

/* Numbers of 32 bits, such as those of vertices, are float64 here, which holds them exactly. */
typedef lane_w lane_number_w;

FORMULA lane_mask_w number_equal_w(lane_number_w a, lane_number_w b)
{
    return lane_equal_w(a, b);
}

/* ---- rows of memory to lanes, and back */

#ifdef F8_PICK

/* Transposes: row[k] becomes lane k of every row. */
FORMULA void lane_transpose_w(lane_w *row)
{
    lane_w s[8], t[8];
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

/* v[c], lane k: word c of the nine that begin at x + 9 id[k] */
FORMULA void lane_rows9_w(GLOBAL const f64 *x, GLOBAL const u32 *id, lane_w *v)
{
    for (u32 k = 0; k < WIDE; k++)
        v[k] = lane_load_w(x + (size_t)9 * id[k]);
    lane_transpose_w(v);
    v[8] = lane_gather_w(x + 8, index_triple_w(index_triple_w(index_load_w(id))));
}

/* v[c], lane k: word c of the three or four that begin at x + stride id[k] */
FORMULA void lane_rows_w(GLOBAL const f64 *x, size_t stride, u32 words, const u32 *id, lane_w *v)
{
    lane_w r[4], s[4];
    for (u32 k = 0; k < 4; k++)
        r[k] = lane_pair_w(x + stride * id[k], x + stride * id[k + 4], words);
    for (u32 k = 0; k < 4; k += 2) {
        s[k] = F8_PICK(r[k], r[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        s[k + 1] = F8_PICK(r[k], r[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    v[0] = F8_PICK(s[0], s[2], 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = F8_PICK(s[1], s[3], 0, 1, 8, 9, 4, 5, 12, 13);
    v[2] = F8_PICK(s[0], s[2], 2, 3, 10, 11, 6, 7, 14, 15);
    if (words == 4)
        v[3] = F8_PICK(s[1], s[3], 2, 3, 10, 11, 6, 7, 14, 15);
}

/* lane_rows9_w for twelve words */
FORMULA void lane_rows12_w(GLOBAL const f64 *x, GLOBAL const u32 *id, lane_w *v)
{
    for (u32 k = 0; k < WIDE; k++)
        v[k] = lane_load_w(x + (size_t)12 * id[k]);
    lane_transpose_w(v);
    lane_rows_w(x + 8, 12, 4, id, v + 8);
}

/* the reverse: stores six words of each lane k to out + 6 k */
FORMULA void lane_put6_w(lane_w *v, GLOBAL f64 *out)
{
    v[6] = v[7] = lane_all_w(0);
    lane_transpose_w(v);
    for (u32 k = 0; k < WIDE; k++)
        lane_store6_w(v[k], out + (size_t)6 * k);
}

#elif WIDE == 4

/* [a0 a1 b0 b1] */
FORMULA lane_w lane_halves_w(const f64 *a, const f64 *b)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}

/* v[c] for c < words, an even number: word c of each row, in its lane */
FORMULA void lane_columns_w(const f64 *const *row, u32 words, lane_w *v)
{
    for (u32 c = 0; c < words; c += 2) {
        lane_w even = lane_halves_w(row[0] + c, row[2] + c);
        lane_w odd = lane_halves_w(row[1] + c, row[3] + c);
        v[c] = _mm256_unpacklo_pd(even, odd);
        v[c + 1] = _mm256_unpackhi_pd(even, odd);
    }
}

FORMULA void lane_rows_w(const f64 *x, size_t stride, u32 words, const u32 *id, lane_w *v)
{
    const f64 *row[4];
    for (u32 k = 0; k < 4; k++)
        row[k] = x + stride * id[k];
    lane_columns_w(row, words / 2 * 2, v);
    if (words % 2)
        v[words - 1] =
            (lane_w){row[0][words - 1], row[1][words - 1], row[2][words - 1], row[3][words - 1]};
}

FORMULA void lane_rows9_w(const f64 *x, const u32 *id, lane_w *v)
{
    lane_rows_w(x, 9, 9, id, v);
}

FORMULA void lane_rows12_w(const f64 *x, const u32 *id, lane_w *v)
{
    lane_rows_w(x, 12, 12, id, v);
}

FORMULA void lane_put6_w(const lane_w *v, f64 *out)
{
    for (u32 c = 0; c < 6; c += 2) {
        lane_w even = _mm256_unpacklo_pd(v[c], v[c + 1]), odd = _mm256_unpackhi_pd(v[c], v[c + 1]);
        _mm_storeu_pd(out + c, _mm256_castpd256_pd128(even));
        _mm_storeu_pd(out + c + 6, _mm256_castpd256_pd128(odd));
        _mm_storeu_pd(out + c + 12, _mm256_extractf128_pd(even, 1));
        _mm_storeu_pd(out + c + 18, _mm256_extractf128_pd(odd, 1));
    }
}

#elif defined(WIDE)

FORMULA void lane_rows_w(const f64 *x, size_t stride, u32 words, const u32 *id, lane_w *v)
{
    for (u32 c = 0; c < words; c++) {
        lane_w one = {0};
        for (u32 k = 0; k < WIDE; k++)
            one[k] = x[stride * id[k] + c];
        v[c] = one;
    }
}

FORMULA void lane_rows9_w(const f64 *x, const u32 *id, lane_w *v)
{
    lane_rows_w(x, 9, 9, id, v);
}

FORMULA void lane_rows12_w(const f64 *x, const u32 *id, lane_w *v)
{
    lane_rows_w(x, 12, 12, id, v);
}

FORMULA void lane_put6_w(const lane_w *v, f64 *out)
{
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 6; c++)
            out[6 * k + c] = v[c][k];
}

#endif
#endif
