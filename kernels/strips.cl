/* Pairs that strips found, each in a region of its own, are packed (host/broad/strips.h); and those
 * that queries found while they were counted (queries.h). */
#include "finds.h"

#ifndef IMP_GROUP_FORMS

/* Pairs of strips from their regions to where offset says, contiguously. */
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

#endif

/* The pairs of query query0 + i that were kept from its count, if all of them were. */
KERNEL void queries_early(ITEM_ARG u32 n, u32 query0, u32 early, GLOBAL const u32 *kept,
                          GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n || !finds_kept(early, offset, query0 + ITEM))
        return;
    u32 i = query0 + ITEM;
    GLOBAL const u32 *from = kept + (size_t)2 * EARLY_MOST * i;
    u64 to = offset[i] - base;
    for (u32 k = 0, count = (u32)(offset[i + 1] - offset[i]); k < count; k++) {
        a[to + k] = from[k];
        b[to + k] = from[EARLY_MOST + k];
    }
}
