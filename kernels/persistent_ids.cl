/* Primitives created and deleted between frames (host/coherence/persistent_ids.h): assigns other
 * primitives to the stable ids of a mesh. */
#include "prim.h"

KERNEL void persistent_ids_mark(ITEM_ARG u32 n, GLOBAL const u32 *stable, GLOBAL u8 *dirty)
{
    if (ITEM < n)
        dirty[stable[ITEM]] = 1;
}

KERNEL void persistent_ids_corners(ITEM_ARG u32 n, GLOBAL const u32 *stable, u32 corners,
                                   GLOBAL const u32 *from, GLOBAL u32 *corner)
{
    if (ITEM >= n)
        return;
    for (u32 k = 0; k < corners; k++)
        corner[(size_t)corners * stable[ITEM] + k] = from[(size_t)corners * ITEM + k];
}

KERNEL void persistent_ids_objects(ITEM_ARG u32 n, GLOBAL const u32 *stable, GLOBAL const i32 *from,
                                   GLOBAL i32 *object)
{
    if (ITEM < n)
        object[stable[ITEM]] = from[ITEM];
}

/* Makes the primitive that is earlier in the caller's mesh the first of each pair: the last bits of
 * a row depend on the order of the two. */
KERNEL void persistent_ids_orient(ITEM_ARG u32 n, GLOBAL const u32 *input, GLOBAL u32 *a,
                                  GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    u32 one = a[ITEM], other = b[ITEM];
    if (input[one] <= input[other])
        return;
    a[ITEM] = other;
    b[ITEM] = one;
}
