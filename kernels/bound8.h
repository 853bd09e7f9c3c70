/* bound_box for eight primitives at a time, for the host where it has AVX-512. */
#ifndef IMP_BOUND8_H
#define IMP_BOUND8_H
#include "dop.h"
#include "tri8.h"

#if !defined(__OPENCL_C_VERSION__) && defined(IMP_F64X8)

#undef LANE_NAME
#define LANE_NAME(name) name##_x8
#include "lane_dop.h"
#include "lane_bound.h"
#undef LANE_NAME
#define LANE_NAME(name) name

/* bound_box for the primitives i .. i + 7, all of the frame whose box has this centre */
FN void bound8_box(u32 i, v3 centre, const u32 *corner, const f64 *x, f32 *box)
{
    const v3_x8 o = v3_make_x8(lane_all_x8(centre.x), lane_all_x8(centre.y), lane_all_x8(centre.z));
    index_x8 eight = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    eight = _mm512_add_epi64(_mm512_set1_epi64(i), eight);
    tri_box_x8 b = tri_box_of_x8(tri_from_x8(o, tri_load_x8(x, corner, eight)));
    const lane32_x8 row[6] = {b.x0, b.y0, b.z0, b.x1, b.y1, b.z1};
    f32 out[6][8];
    for (u32 c = 0; c < 6; c++)
        _mm256_storeu_ps(out[c], row[c]);
    for (u32 k = 0; k < 8; k++)
        for (u32 c = 0; c < 6; c++)
            box[(size_t)6 * (i + k) + c] = out[c][k];
}

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
