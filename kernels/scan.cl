/* Exclusive prefix sum of u32 counts into u64 offsets: sums of tiles, their prefix, then each
 * tile from its base. offset has n + 1 elements; the last receives the total.
 *
 * Two forms of the same three steps: for the host and OpenCL CPU devices an item owns a tile; for
 * other OpenCL devices a work-group does (names end in _group). */
#include "dialect.h"
#include "group.h"

#ifndef IMP_GROUP_FORMS

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
KERNEL void scan_take(ITEM_ARG u32 n, GLOBAL const u64 *offset, GLOBAL const u32 *index,
                      GLOBAL u64 *out)
{
    if (ITEM >= n)
        return;
    out[ITEM] = offset[index[ITEM]];
}

/* One item: the largest index p in (first, counts] with offset[p] <= limit, else first + 1; and
 * offset[p]. */
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

#ifdef __OPENCL_C_VERSION__

/* Inclusive sum of x over the work-group; every item must call it. */
FN u64 group_scan(u64 x, __local u64 *sum)
{
    u32 l = (u32)get_local_id(0);
    sum[l] = x;
    for (u32 d = 1; d < SCAN_GROUP; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        u64 y = l >= d ? sum[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[l] += y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum[l];
}

/* A group owns SCAN_GROUP * per counts, item l those from l * per on. */
KERNEL __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void
scan_sums_group(GLOBAL const u32 *count, u32 counts, u32 per, GLOBAL u64 *partial)
{
    __local u64 sum[SCAN_GROUP];
    u64 begin = (u64)get_global_id(0) * per, x = 0;
    for (u64 i = begin; i < begin + per; i++)
        x += i < counts ? count[i] : 0;
    x = group_scan(x, sum);
    if (get_local_id(0) == SCAN_GROUP - 1)
        partial[get_group_id(0)] = x;
}

/* one group: partial becomes exclusive */
KERNEL __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void
scan_partials_group(u32 tiles, GLOBAL u64 *partial, u32 counts, GLOBAL u64 *offset)
{
    __local u64 sum[SCAN_GROUP];
    u64 base = 0;
    for (u32 first = 0; first < tiles; first += SCAN_GROUP) {
        u32 t = first + (u32)get_local_id(0);
        u64 x = t < tiles ? partial[t] : 0;
        u64 y = group_scan(x, sum);
        if (t < tiles)
            partial[t] = base + y - x;
        base += sum[SCAN_GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        offset[counts] = base;
}

KERNEL __attribute__((reqd_work_group_size(SCAN_GROUP, 1, 1))) void
scan_write_group(GLOBAL const u32 *count, u32 counts, u32 per, GLOBAL const u64 *partial,
                 GLOBAL u64 *offset)
{
    __local u64 sum[SCAN_GROUP];
    u64 begin = (u64)get_global_id(0) * per, x = 0;
    for (u64 i = begin; i < begin + per; i++)
        x += i < counts ? count[i] : 0;
    u64 at = partial[get_group_id(0)] + group_scan(x, sum) - x;
    for (u64 i = begin; i < begin + per && i < counts; i++) {
        offset[i] = at;
        at += count[i];
    }
}

#endif
