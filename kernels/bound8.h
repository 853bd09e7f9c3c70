/* bound_box for eight primitives at a time, for the host where it has AVX-512: the same operations
 * in the same order as bound.cl, so the same bits. */
#ifndef IMP_BOUND8_H
#define IMP_BOUND8_H
#include "dop.h"
#include "tri8.h"

#if !defined(__OPENCL_C_VERSION__) && defined(IMP_F64X8)

/* without optimisation the intrinsics are macros, whose conversions are not ours */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"

/* dop_below and dop_above: the processor rounds the way they want */
FN __m256 bound8_below(f64x8 t)
{
    __m512d s = _mm512_sub_pd(t, _mm512_set1_pd(DOP_SLACK)), tiny = _mm512_set1_pd(DOP_TINY);
    __m256 f = _mm512_cvt_roundpd_ps(s, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(s), tiny, _CMP_LT_OQ);
    __mmask8 negative = _mm512_cmp_pd_mask(s, _mm512_setzero_pd(), _CMP_LT_OQ);
    f = _mm256_mask_mov_ps(f, small, _mm256_setzero_ps());
    return _mm256_mask_mov_ps(f, small & negative, _mm256_set1_ps(-DOP_TINY));
}

FN __m256 bound8_above(f64x8 t)
{
    __m512d minus =
        _mm512_castsi512_pd(_mm512_xor_si512(_mm512_castpd_si512(t), _mm512_set1_epi64(INT64_MIN)));
    return _mm256_xor_ps(bound8_below(minus), _mm256_set1_ps(-0.0f));
}

/* bound_box for the primitives i .. i + 7, all of the frame whose box has this centre */
FN void bound8_box(u32 i, v3 centre, const u32 *corner, const f64 *x, f32 *box)
{
    v3x8 o = v3x8_make(f8_all(centre.x), f8_all(centre.y), f8_all(centre.z));
    index8 eight = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    trix8 t = trix8_load(x, corner, _mm512_add_epi64(_mm512_set1_epi64(i), eight));
    v3x8 lo = v3x8_sub(trix8_low(t), o), hi = v3x8_sub(trix8_high(t), o);
    v3x8 all = v3x8_add(v3x8_add(t.a, t.b), t.c);
    f64x8 sum = all.x + all.y + all.z;
    mask8 bad = f8_differs(sum - sum, f8_all(0));
    __m256 none = _mm256_set1_ps(BOUND_NONE), minus = _mm256_set1_ps(-BOUND_NONE);
    f32 out[6][8];
    _mm256_storeu_ps(out[0], _mm256_mask_mov_ps(bound8_below(lo.x), bad, none));
    _mm256_storeu_ps(out[1], _mm256_mask_mov_ps(bound8_below(lo.y), bad, none));
    _mm256_storeu_ps(out[2], _mm256_mask_mov_ps(bound8_below(lo.z), bad, none));
    _mm256_storeu_ps(out[3], _mm256_mask_mov_ps(bound8_above(hi.x), bad, minus));
    _mm256_storeu_ps(out[4], _mm256_mask_mov_ps(bound8_above(hi.y), bad, minus));
    _mm256_storeu_ps(out[5], _mm256_mask_mov_ps(bound8_above(hi.z), bad, minus));
    for (u32 k = 0; k < 8; k++)
        for (u32 c = 0; c < 6; c++)
            box[(size_t)6 * (i + k) + c] = out[c][k];
}

#pragma GCC diagnostic pop
#endif

#ifndef __OPENCL_C_VERSION__

/* bound_box for the primitives [begin, end). Eight at a time it was measured to take a third of the
 * time; frame by frame, so that the centre is one for all lanes. */
FN void bound_box_span(u32 begin, u32 end, u32 n, u32 frames, const u32 *prim0, const f64 *centre,
                       u32 corners, const u32 *corner, const f64 *x, f32 *box)
{
    for (u32 i = begin; i < end;) {
        u32 f = frame_of(prim0, frames, i), last = u32_min(end, prim0[f + 1]);
#ifdef IMP_F64X8
        for (; corners == 3 && last - i >= 8; i += 8)
            bound8_box(i, v3_load(centre, f), corner, x, box);
#endif
        for (; i < last; i++)
            bound_box(i, n, frames, prim0, centre, corners, corner, x, box);
    }
}

#endif
#endif
