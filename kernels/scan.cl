/* Exclusive prefix sum of u32 counts into u64 offsets: sums of tiles, their prefix, then each tile
 * from its base. offset has n + 1 elements; the last receives the total.
 *
 * Two forms of the same three steps: for the host an item owns a tile; for OpenCL devices a
 * work-group does (names end in _group). There a launch costs as much as some thousand sums: where
 * that saves a launch, each group computes the sums of the tiles before it again. */
#include "dialect.h"
#include "group.h"

#ifndef IMP_DEVICE

KERNEL void scan_sums(ITEM_ARG u32 n, GLOBAL const u32 *count, u32 counts, u32 tile,
                      GLOBAL u64 *partial)
{
    if (ITEM >= n)
        return;
    u64 sum = 0, end = (u64)(ITEM + 1) * tile < counts ? (u64)(ITEM + 1) * tile : counts;
    for (u64 i = (u64)ITEM * tile; i < end; i++)
        sum += count[i];
    partial[ITEM] = sum;
}

/* one item: partial becomes exclusive */
KERNEL void scan_partials(ITEM_ARG u32 n, u32 tiles, GLOBAL u64 *partial, u32 counts,
                          GLOBAL u64 *offset)
{
    if (ITEM >= n)
        return;
    u64 sum = 0;
    for (u32 t = 0; t < tiles; t++) {
        u64 p = partial[t];
        partial[t] = sum;
        sum += p;
    }
    offset[counts] = sum;
}

/* all three steps of a single tile: one item */
KERNEL void scan_tile(ITEM_ARG u32 n, GLOBAL const u32 *count, u32 counts, GLOBAL u64 *offset)
{
    if (ITEM >= n)
        return;
    u64 sum = 0;
    for (u32 i = 0; i < counts; i++) {
        offset[i] = sum;
        sum += count[i];
    }
    offset[counts] = sum;
}

KERNEL void scan_write(ITEM_ARG u32 n, GLOBAL const u32 *count, u32 counts, u32 tile,
                       GLOBAL const u64 *partial, GLOBAL u64 *offset)
{
    if (ITEM >= n)
        return;
    u64 sum = partial[ITEM],
        end = (u64)(ITEM + 1) * tile < counts ? (u64)(ITEM + 1) * tile : counts;
    for (u64 i = (u64)ITEM * tile; i < end; i++) {
        offset[i] = sum;
        sum += count[i];
    }
}

#endif

/* out[i] = offset[index[i]] */
KERNEL void scan_gather(ITEM_ARG u32 n, GLOBAL const u64 *offset, GLOBAL const u32 *index,
                        GLOBAL u64 *out)
{
    if (ITEM >= n)
        return;
    out[ITEM] = offset[index[ITEM]];
}

/* One item: finds the largest index p in (first, counts] with offset[p] <= limit, else first + 1,
 * and offset[p]. */
KERNEL void scan_find(ITEM_ARG u32 n, GLOBAL const u64 *offset, u32 counts, u32 first, u64 limit,
                      GLOBAL u64 *out)
{
    if (ITEM >= n)
        return;
    u32 lo = first + 1, hi = counts;
    while (lo < hi) {
        u32 mid = hi - (hi - lo) / 2;
        if (offset[mid] <= limit)
            lo = mid;
        else
            hi = mid - 1;
    }
    out[0] = lo;
    out[1] = offset[lo];
}

#ifdef IMP_DEVICE

/* Item l of a group loads SCAN_PER adjacent counts, from its first one on; the last tile is padded
 * with 0. Returns their sum. */
FN u64 scan_own(GLOBAL const u32 *count, u32 counts, u64 first, u32 *own)
{
    u64 x = 0;
    UNROLLED
    for (u32 k = 0; k < SCAN_PER; k++)
        own[k] = count[first + k < counts ? first + k : counts - 1];
    UNROLLED
    for (u32 k = 0; k < SCAN_PER; k++) {
        own[k] = first + k < counts ? own[k] : 0;
        x += own[k];
    }
    return x;
}

/* Writes the exclusive prefix sum of the item's counts, from `at` on. */
FN void scan_put(GLOBAL u64 *offset, u32 counts, u64 first, const u32 *own, u64 at)
{
    UNROLLED
    for (u32 k = 0; k < SCAN_PER; k++) {
        if (first + k < counts)
            offset[first + k] = at;
        at += own[k];
    }
}

/* All steps for a row of tiles, one after another, by one group. Returns the sum. */
FN_LOCAL u64 scan_row(GLOBAL const u32 *count, u32 counts, GLOBAL u64 *offset, LOCAL u64 *sum)
{
    u32 own[SCAN_PER];
    u64 base = 0;
    for (u64 tile = 0; tile < counts; tile += SCAN_TILE) {
        u64 first = tile + (u64)LOCAL_ID * SCAN_PER, x = scan_own(count, counts, first, own);
        u64 before = base + group_prefix(x, sum) - x;
        base += sum[SCAN_GROUP - 1];
        scan_put(offset, counts, first, own, before);
        BARRIER();
    }
    return base;
}

GROUP_KERNEL(SCAN_GROUP)
scan_alone_group(GLOBAL const u32 *count, u32 counts, GLOBAL u64 *offset)
{
    SHARED u64 sum[GROUP_SUMS];
    u64 all = scan_row(count, counts, offset, sum);
    if (LOCAL_ID == 0)
        offset[counts] = all;
}

/* one group for each tile of SCAN_TILE counts */
GROUP_KERNEL(SCAN_GROUP)
scan_sums_group(GLOBAL const u32 *count, u32 counts, GLOBAL u64 *partial)
{
    SHARED u64 sum[GROUP_SUMS];
    u32 own[SCAN_PER];
    u64 x = scan_own(count, counts, (u64)ITEM * SCAN_PER, own);
    x = group_prefix(x, sum);
    if (LOCAL_ID == SCAN_GROUP - 1)
        partial[GROUP_ID] = x;
}

/* one group: partial becomes exclusive */
GROUP_KERNEL(SCAN_GROUP)
scan_partials_group(u32 tiles, GLOBAL u64 *partial)
{
    SHARED u64 sum[GROUP_SUMS];
    u64 base = 0;
    for (u64 first = 0; first < tiles; first += SCAN_GROUP) {
        u64 t = first + LOCAL_ID;
        u64 x = t < tiles ? partial[t] : 0;
        u64 y = group_prefix(x, sum);
        if (t < tiles)
            partial[t] = base + y - x;
        base += sum[SCAN_GROUP - 1];
        BARRIER();
    }
}

/* The sum of the first n of `partial`; every item must call it. */
FN u64 scan_before(GLOBAL const u64 *partial, u32 n, LOCAL u64 *sum)
{
    u64 x = 0;
    for (u32 t = LOCAL_ID; t < n; t += 2 * SCAN_GROUP) {
        u64 one = partial[t], two = partial[u32_min(t + SCAN_GROUP, n - 1)];
        x += one + (t + SCAN_GROUP < n ? two : 0);
    }
    group_prefix(x, sum);
    x = sum[SCAN_GROUP - 1];
    BARRIER();
    return x;
}

/* summed: partial is exclusive; otherwise it has the sums of the tiles */
GROUP_KERNEL(SCAN_GROUP)
scan_write_group(GLOBAL const u32 *count, u32 counts, GLOBAL const u64 *partial, u32 summed,
                 GLOBAL u64 *offset)
{
    SHARED u64 sum[GROUP_SUMS];
    u32 own[SCAN_PER], tile = GROUP_ID;
    u64 first = (u64)ITEM * SCAN_PER, x = scan_own(count, counts, first, own);
    u64 base = summed ? partial[tile] : scan_before(partial, tile, sum);
    u64 end = base + group_prefix(x, sum);
    scan_put(offset, counts, first, own, end - x);
    if (ITEM == ITEMS - 1)
        offset[counts] = end;
}

#endif
