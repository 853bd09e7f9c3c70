/* The questions and the segments of narrow.cl for CPUs: an item does eight pairs side by side, and
 * what remains at the end one by one. To follow narrow.cl. */
#include "tri8.h"
#if defined(IMP_FP64) && !defined(IMP_GROUP_FORMS)

KERNEL void narrow_far8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
#ifdef IMP_F64X8
    if (last - first == 8) {
        u32 far = tri_far_x8(tri_named_x8(a + first, corner, x, rules),
                             tri_named_x8(b + first, corner, x, rules));
        for (u32 k = 0; k < 8; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_decide_far(&t, a[i], b[i], verdict + i);
}

KERNEL void narrow_test8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                         TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
#ifdef IMP_F64X8
    if (last - first == 8) {
        u32 apart, meet = tri_meet_x8(tri_named_x8(a + first, corner, x, rules),
                                      tri_named_x8(b + first, corner, x, rules), &apart);
        for (u32 k = 0; k < 8; k++)
            verdict[first + k] = meet >> k & 1    ? TRI_MEET
                                 : apart >> k & 1 ? TRI_APART
                                                  : TRI_UNDECIDED;
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_decide(&t, a[i], b[i], verdict + i);
}

KERNEL void narrow_segment8(ITEM_ARG u32 n, u32 pairs, GEOMETRY_ARGS)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
#ifdef IMP_F64X8
    if (last - first == 8) {
        f64 scale[2][8];
        for (u32 k = 0; k < 8; k++) {
            u32 f = frame_of(prim0, frames, a[first + k]);
            scale[0][k] = unscale[2 * f];
            scale[1][k] = unscale[2 * f + 1];
        }
        segment_x8 s = tri_segment_x8(tri_load_x8(x, corner, index_load_x8(a + first)),
                                      tri_load_x8(x, corner, index_load_x8(b + first)));
        s = segment_unscaled_x8(s, lane_own_x8(scale[0]), lane_own_x8(scale[1]));
        segment_put_x8(s, point + (size_t)6 * first);
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_cross(corners_of(corner, a[i]), corners_of(corner, b[i]), x,
                     unscale + 2 * frame_of(prim0, frames, a[i]), point + (size_t)6 * i);
}

#endif
