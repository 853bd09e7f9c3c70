/* The tests of solid.cl with directions, for CPUs: an item processes eight pairs, WIDE of them side
 * by side, and the remainder one by one. Included after solid.cl. */
#include "solid_wide.h"

KERNEL void solid_far8(ITEM_ARG u32 n, u32 pairs, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        solids_w s = solids_load_w(x, corner, a + first, b + first);
        u32 far = solid_far_w(&s);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
    }
    for (u32 i = first; i < last; i++)
        verdict[i] = solid_decide_far(solid_pair_of(corner, x, a[i], b[i]));
}

KERNEL void solid_separate8(ITEM_ARG u32 n, u32 pairs, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        solids_w s = solids_load_w(x, corner, a + first, b + first);
        u32 far = solid_across_w(&s);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_UNDECIDED;
    }
    for (u32 i = first; i < last; i++)
        verdict[i] = solid_decide_across(solid_pair_of(corner, x, a[i], b[i]));
}
