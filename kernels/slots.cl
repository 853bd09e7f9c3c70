/* Where primitives come and go (host/view/slots.h): slots of a mesh get other primitives. */
#include "prim.h"

KERNEL void slots_mark(ITEM_ARG u32 n, GLOBAL const u32 *slot, GLOBAL u8 *moved)
{
    if (ITEM < n)
        moved[slot[ITEM]] = 1;
}

KERNEL void slots_corners(ITEM_ARG u32 n, GLOBAL const u32 *slot, u32 corners,
                          GLOBAL const u32 *from, GLOBAL u32 *corner)
{
    if (ITEM >= n)
        return;
    for (u32 k = 0; k < corners; k++)
        corner[(size_t)corners * slot[ITEM] + k] = from[(size_t)corners * ITEM + k];
}

KERNEL void slots_objects(ITEM_ARG u32 n, GLOBAL const u32 *slot, GLOBAL const i32 *from,
                          GLOBAL i32 *object)
{
    if (ITEM < n)
        object[slot[ITEM]] = from[ITEM];
}

/* Of each pair, the primitive that comes first in the caller's mesh becomes a: a row depends on the
 * order of the two, in the last bits. */
KERNEL void slots_orient(ITEM_ARG u32 n, GLOBAL const u32 *cell, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    u32 one = a[ITEM], other = b[ITEM];
    if (cell[one] <= cell[other])
        return;
    a[ITEM] = other;
    b[ITEM] = one;
}
