/* One pass of a stable radix sort of (key, value) pairs: histogram of each tile, prefix sum over
 * digit-major histograms (scan.cl), scatter.
 *
 * Two forms: for the host and OpenCL CPU devices an item owns a tile and keeps up to 2048 counters;
 * for other OpenCL devices a work-group does, with 16 digits a pass (names end in _group). The
 * sorted arrays are the same: a stable sort has one answer. */
#include "dialect.h"
#include "group.h"

#ifndef IMP_GROUP_FORMS

#define SORT_DIGITS 2048 /* of a pass, at most */

KERNEL void sort_count(ITEM_ARG u32 n, GLOBAL const u32 *key, u64 keys, u64 tile, u32 shift,
                       u32 bits, GLOBAL u32 *histogram)
{
    if (ITEM >= n)
        return;
    u32 bin[SORT_DIGITS], digits = 1u << bits;
    for (u32 d = 0; d < digits; d++)
        bin[d] = 0;
    u64 end = (ITEM + 1) * tile < keys ? (ITEM + 1) * tile : keys;
    for (u64 i = ITEM * tile; i < end; i++)
        bin[key[i] >> shift & (digits - 1)]++;
    for (u32 d = 0; d < digits; d++)
        histogram[d * n + ITEM] = bin[d];
}

KERNEL void sort_scatter(ITEM_ARG u32 n, GLOBAL const u32 *key, GLOBAL const u32 *value, u64 keys,
                         u64 tile, u32 shift, u32 bits, GLOBAL const u64 *offset,
                         GLOBAL u32 *key_out, GLOBAL u32 *value_out)
{
    if (ITEM >= n)
        return;
    u64 next[SORT_DIGITS];
    u32 digits = 1u << bits;
    for (u32 d = 0; d < digits; d++)
        next[d] = offset[d * n + ITEM];
    u64 end = (ITEM + 1) * tile < keys ? (ITEM + 1) * tile : keys;
    for (u64 i = ITEM * tile; i < end; i++) {
        u64 to = next[key[i] >> shift & (digits - 1)]++;
        key_out[to] = key[i];
        value_out[to] = value[i];
    }
}

#endif

#ifdef __OPENCL_C_VERSION__

#define SORT_GROUP_DIGITS (1 << SORT_GROUP_BITS)

/* bin[d * SORT_GROUP + l]: how many of item l's keys have digit d */
FN void group_histogram(GLOBAL const u32 *key, u64 keys, u32 shift, __local u32 *bin)
{
    u32 l = (u32)get_local_id(0);
    u64 begin = (u64)get_global_id(0) * SORT_PER;
    for (u32 d = 0; d < SORT_GROUP_DIGITS; d++)
        bin[d * SORT_GROUP + l] = 0;
    for (u64 i = begin; i < begin + SORT_PER && i < keys; i++)
        bin[(key[i] >> shift & (SORT_GROUP_DIGITS - 1)) * SORT_GROUP + l]++;
    barrier(CLK_LOCAL_MEM_FENCE);
}

KERNEL __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
sort_count_group(GLOBAL const u32 *key, u64 keys, u32 shift, GLOBAL u32 *histogram)
{
    __local u32 bin[SORT_GROUP_DIGITS * SORT_GROUP];
    u32 l = (u32)get_local_id(0);
    group_histogram(key, keys, shift, bin);
    if (l < SORT_GROUP_DIGITS) {
        u32 sum = 0;
        for (u32 i = 0; i < SORT_GROUP; i++)
            sum += bin[l * SORT_GROUP + i];
        histogram[l * (u32)get_num_groups(0) + (u32)get_group_id(0)] = sum;
    }
}

/* Item l < 16 turns digit l's row of counters into positions within the group's run of that digit.
 */
KERNEL __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
sort_scatter_group(GLOBAL const u32 *key, GLOBAL const u32 *value, u64 keys, u32 shift,
                   GLOBAL const u64 *offset, GLOBAL u32 *key_out, GLOBAL u32 *value_out)
{
    __local u32 bin[SORT_GROUP_DIGITS * SORT_GROUP];
    __local u64 base[SORT_GROUP_DIGITS];
    u32 l = (u32)get_local_id(0);
    group_histogram(key, keys, shift, bin);
    if (l < SORT_GROUP_DIGITS) {
        u32 sum = 0;
        for (u32 i = 0; i < SORT_GROUP; i++) {
            u32 c = bin[l * SORT_GROUP + i];
            bin[l * SORT_GROUP + i] = sum;
            sum += c;
        }
        base[l] = offset[l * (u32)get_num_groups(0) + (u32)get_group_id(0)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    u64 begin = (u64)get_global_id(0) * SORT_PER;
    for (u64 i = begin; i < begin + SORT_PER && i < keys; i++) {
        u32 d = key[i] >> shift & (SORT_GROUP_DIGITS - 1);
        u64 to = base[d] + bin[d * SORT_GROUP + l]++;
        key_out[to] = key[i];
        value_out[to] = value[i];
    }
}

#endif
