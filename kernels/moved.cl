/* What moved from one frame of a block to the next: for methods of the broad phase that keep
 * something of the frame before. */
#include "prim.h"

FN i32 moved_bits(GLOBAL const f32 *a, GLOBAL const f32 *b, u32 n)
{
    i32 other = 0;
    for (u32 i = 0; i < n; i++)
        other |= !(a[i] == b[i]);
    return other;
}

/* moved[i]: 0 if the bounds of primitive i are those of the same primitive in the frame before.
 * anew[f]: frame f cannot be compared with the one before. */
KERNEL void bound_moved(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0, GLOBAL const u8 *anew,
                        GLOBAL const f32 *box, u32 extra, GLOBAL const f32 *slab, GLOBAL u8 *moved)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, ITEM);
    if (anew[f]) {
        moved[ITEM] = 1;
        return;
    }
    u32 before = prim0[f - 1] + (ITEM - prim0[f]);
    size_t own = (size_t)2 * extra * ITEM, other = (size_t)2 * extra * before;
    moved[ITEM] = (u8)(moved_bits(box_at(box, ITEM), box_at(box, before), BOX_BOUNDS) ||
                       (extra && moved_bits(slab + own, slab + other, 2 * extra)));
}
