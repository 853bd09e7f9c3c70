/* Packs the pairs that strips found, each in a region of its own (host/broad/broad.h). */
#include "finds.h"

/* Moves the pairs of strips from their regions to offset[], contiguously. */
KERNEL void strips_pack(ITEM_ARG u32 n, u32 capacity, GLOBAL const u32 *count,
                        GLOBAL const u64 *offset, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    if (ITEM >= n)
        return;
    size_t from = (size_t)ITEM * capacity, to = offset[ITEM];
    const u32 pairs = count[ITEM];
    for (u32 i = 0; i < pairs; i++)
        a_out[to + i] = a[from + i];
    for (u32 i = 0; i < pairs; i++)
        b_out[to + i] = b[from + i];
}
