/* bound_box for WIDE primitives at a time (f64_wide.h), for the host. */
#ifndef IMP_BOUND_WIDE_H
#define IMP_BOUND_WIDE_H
#include "dop.h"
#include "tri_wide.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_dop.h"
#include "lane_bound.h"
#undef LANE_NAME
#define LANE_NAME(name) name

/* bound_box for the primitives i .. i + WIDE - 1, all of the frame whose box has this centre */
FORMULA void bound_wide_box(u32 i, v3 centre, const u32 *corner, const f64 *x, f32 *box)
{
    const v3_w o = v3_make_w(lane_all_w(centre.x), lane_all_w(centre.y), lane_all_w(centre.z));
    u32 id[WIDE];
    for (u32 k = 0; k < WIDE; k++)
        id[k] = i + k;
    tri_box_w b = tri_box_of_w(tri_from_w(o, tri_load_w(x, corner, id)));
    const lane32_w row[6] = {b.x0, b.y0, b.z0, b.x1, b.y1, b.z1};
    f32 out[6][WIDE];
    for (u32 c = 0; c < 6; c++)
        memcpy(out[c], &row[c], sizeof out[c]);
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 6; c++)
            box[(size_t)6 * (i + k) + c] = out[c][k];
}

/* bound_box for the primitives [begin, end). Eight at a time took a third of the time in
 * measurements. The loop goes frame by frame, so that all lanes have the same centre. */
FN void bound_box_span(u32 begin, u32 end, u32 n, u32 frames, const u32 *prim0, const f64 *centre,
                       u32 corners, const u32 *corner, const f64 *x, f32 *box)
{
    for (u32 i = begin; i < end;) {
        u32 f = frame_of(prim0, frames, i), last = u32_min(end, prim0[f + 1]);
        for (; corners == 3 && last - i >= WIDE; i += WIDE)
            bound_wide_box(i, v3_load(centre, f), corner, x, box);
        for (; i < last; i++)
            bound_box(i, n, frames, prim0, centre, corners, corner, x, box);
    }
}

#endif
