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
        u32 far = trix8_far(trix8_named(a + first, corner, x, rules),
                            trix8_named(b + first, corner, x, rules));
        for (u32 k = 0; k < 8; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_ask_far(&t, a[i], b[i], verdict + i);
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
        u32 apart, meet = trix8_meet(trix8_named(a + first, corner, x, rules),
                                     trix8_named(b + first, corner, x, rules), &apart);
        for (u32 k = 0; k < 8; k++)
            verdict[first + k] = meet >> k & 1    ? TRI_MEET
                                 : apart >> k & 1 ? TRI_APART
                                                  : TRI_UNDECIDED;
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_ask(&t, a[i], b[i], verdict + i);
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
        segmentx8_store(trix8_segment(trix8_load(x, corner, index8_load(a + first)),
                                      trix8_load(x, corner, index8_load(b + first))),
                        f8_own(scale[0]), f8_own(scale[1]), point + (size_t)6 * first);
        return;
    }
#endif
    for (u32 i = first; i < last; i++)
        narrow_cross(corners_of(corner, a[i]), corners_of(corner, b[i]), x,
                     unscale + 2 * frame_of(prim0, frames, a[i]), point + (size_t)6 * i);
}

#endif
