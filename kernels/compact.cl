/* Compaction: the numbers of the items that have the wanted mark, in ascending order. Each tile is
 * counted, a prefix sum goes over the tiles (scan.cl), then each tile writes its own. Tiles are
 * those of host/device/parallel.h: tile t has items item0[t] .. item0[t + 1], frame f has tiles
 * tile0[f] .. tile0[f + 1].
 *
 * Two forms: for the host an item owns a tile; for OpenCL devices a work-group does (names end in
 * _group). Both keep the order of the items. */
#include "dialect.h"
#include "segment.h"

/* start[f]: number of marked items in the frames before f; start[frames]: in all frames */
KERNEL void compact_starts(ITEM_ARG u32 n, GLOBAL const u32 *tile0, GLOBAL const u64 *offset,
                           GLOBAL u32 *start)
{
    if (ITEM >= n)
        return;
    start[ITEM] = (u32)offset[tile0[ITEM]];
}

#ifndef IMP_DEVICE

KERNEL void compact_count(ITEM_ARG u32 n, GLOBAL const u32 *item0, GLOBAL const u8 *mark,
                          u32 wanted, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 x = 0;
    for (size_t i = item0[ITEM], end = item0[ITEM + 1]; i < end; i++)
        x += mark[i] == wanted;
    count[ITEM] = x;
}

KERNEL void compact_write(ITEM_ARG u32 n, GLOBAL const u32 *item0, GLOBAL const u8 *mark,
                          u32 wanted, GLOBAL const u64 *offset, GLOBAL u32 *index)
{
    if (ITEM >= n)
        return;
    size_t to = offset[ITEM];
    for (size_t i = item0[ITEM], end = item0[ITEM + 1]; i < end; i++)
        if (mark[i] == wanted)
            index[to++] = (u32)i;
}

#endif

#ifdef IMP_DEVICE

#if SEGMENT_GROUP != SCAN_GROUP
#error "group_prefix is for work-groups of SCAN_GROUP"
#endif

/* First item of a work-item's range of the tile; the range is contiguous. */
FN size_t compact_begin(GLOBAL const u32 *item0)
{
    return (size_t)item0[GROUP_ID] + (size_t)LOCAL_ID * SEGMENT_PER;
}

FN size_t compact_end(GLOBAL const u32 *item0)
{
    size_t end = compact_begin(item0) + SEGMENT_PER, last = item0[GROUP_ID + 1];
    return end < last ? end : last;
}

FN u32 compact_own(GLOBAL const u32 *item0, GLOBAL const u8 *mark, u32 wanted)
{
    u32 x = 0;
    for (size_t i = compact_begin(item0), end = compact_end(item0); i < end; i++)
        x += mark[i] == wanted;
    return x;
}

GROUP_KERNEL(SEGMENT_GROUP)
compact_count_group(GLOBAL const u32 *item0, GLOBAL const u8 *mark, u32 wanted, GLOBAL u32 *count)
{
    SHARED u64 sum[GROUP_SUMS];
    u64 x = group_prefix(compact_own(item0, mark, wanted), sum);
    if (LOCAL_ID == SEGMENT_GROUP - 1)
        count[GROUP_ID] = (u32)x;
}

GROUP_KERNEL(SEGMENT_GROUP)
compact_write_group(GLOBAL const u32 *item0, GLOBAL const u8 *mark, u32 wanted,
                    GLOBAL const u64 *offset, GLOBAL u32 *index)
{
    SHARED u64 sum[GROUP_SUMS];
    u32 own = compact_own(item0, mark, wanted);
    size_t to = offset[GROUP_ID] + group_prefix(own, sum) - own;
    for (size_t i = compact_begin(item0), end = compact_end(item0); i < end; i++)
        if (mark[i] == wanted)
            index[to++] = (u32)i;
}

#endif
