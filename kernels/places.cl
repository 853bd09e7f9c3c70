/* Where primitives come and go (host/engine/roster.h): places of a mesh become other primitives. */
#include "prim.h"

KERNEL void places_mark(ITEM_ARG u32 n, GLOBAL const u32 *place, GLOBAL u8 *moved)
{
    if (ITEM < n)
        moved[place[ITEM]] = 1;
}

KERNEL void places_corners(ITEM_ARG u32 n, GLOBAL const u32 *place, u32 corners,
                           GLOBAL const u32 *from, GLOBAL u32 *corner)
{
    if (ITEM >= n)
        return;
    for (u32 k = 0; k < corners; k++)
        corner[(size_t)corners * place[ITEM] + k] = from[(size_t)corners * ITEM + k];
}

KERNEL void places_objects(ITEM_ARG u32 n, GLOBAL const u32 *place, GLOBAL const i32 *from,
                           GLOBAL i32 *object)
{
    if (ITEM < n)
        object[place[ITEM]] = from[ITEM];
}

/* Of each pair of places the primitive that comes first in the caller's mesh becomes a: what is
 * made of a pair depends on the order of the two, in last bits. */
KERNEL void places_orient(ITEM_ARG u32 n, GLOBAL const u32 *position, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    u32 one = a[ITEM], other = b[ITEM];
    if (position[one] <= position[other])
        return;
    a[ITEM] = other;
    b[ITEM] = one;
}
