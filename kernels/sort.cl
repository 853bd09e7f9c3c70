/* One pass of a stable radix sort of (key, value) pairs: histogram of each tile, prefix sum over
 * digit-major histograms (scan.cl), scatter.
 *
 * Two forms: for the host and OpenCL CPU devices an item owns a tile and keeps up to 2048 counters;
 * for other OpenCL devices a work-group does, with up to 256 digits (names end in _group). It sorts
 * its tile in local memory first, so that neighbours read and write neighbours. The sorted arrays
 * are the same: a stable sort has one answer. */
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

#define SORT_TILE (SORT_GROUP * SORT_PER)
#define SORT_ROUND_BITS                                                                            \
    4 /* that a tile is sorted by at once: each item has a counter for each digit */
#define SORT_ROUND_DIGITS (1 << SORT_ROUND_BITS)
#define SORT_BANKS (SORT_TILE + SORT_TILE / 32)

/* Words i, i + SORT_GROUP and so on of n: four loads, one wait. Beyond the last one it is that. */
FN uint4 sort_load(GLOBAL const u32 *word, u32 i, u32 n)
{
    u32 last = n - 1;
    return (uint4)(word[u32_min(i, last)], word[u32_min(i + SORT_GROUP, last)],
                   word[u32_min(i + 2 * SORT_GROUP, last)],
                   word[u32_min(i + 3 * SORT_GROUP, last)]);
}

KERNEL __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
sort_count_group(GLOBAL const u32 *key, u64 keys, u32 shift, u32 bits, GLOBAL u32 *histogram)
{
    __local u32 bin[1 << SORT_GROUP_BITS];
    u32 l = (u32)get_local_id(0), digits = 1u << bits;
    u64 begin = (u64)get_group_id(0) * SORT_TILE;
    u32 n = keys - begin < SORT_TILE ? (u32)(keys - begin) : SORT_TILE;
    for (u32 d = l; d < digits; d += SORT_GROUP)
        bin[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 i = l; i < n; i += 4 * SORT_GROUP) {
        uint4 d = sort_load(key + begin, i, n) >> shift & (digits - 1);
        atomic_inc(&bin[d.s0]);
        if (i + SORT_GROUP < n)
            atomic_inc(&bin[d.s1]);
        if (i + 2 * SORT_GROUP < n)
            atomic_inc(&bin[d.s2]);
        if (i + 3 * SORT_GROUP < n)
            atomic_inc(&bin[d.s3]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 d = l; d < digits; d += SORT_GROUP)
        histogram[d * (u32)get_num_groups(0) + (u32)get_group_id(0)] = bin[d];
}

/* The counters bin[d * SORT_GROUP + l] become sums of all before them. */
FN void sort_sums(__local u32 *bin, __local u32 *part)
{
    u32 l = (u32)get_local_id(0), sum = 0;
    for (u32 k = 0; k < SORT_ROUND_DIGITS; k++)
        sum += bin[bank_of(SORT_ROUND_DIGITS * l + k)];
    u32 all = sum, side = 0;
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 d = 1; d < SORT_GROUP; d *= 2) { /* from one half to the other: one barrier a step */
        all += l >= d ? part[side + l - d] : 0;
        side ^= SORT_GROUP;
        part[side + l] = all;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = all - sum;
    for (u32 k = 0; k < SORT_ROUND_DIGITS; k++) {
        u32 at = bank_of(SORT_ROUND_DIGITS * l + k), c = bin[at];
        bin[at] = sum;
        sum += c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Sorts the tile by the bits of `mask` after `shift`, at most four; stable. Item l moves
 * `per` words from per * l on, at most SORT_PER. from: where a word was at first */
FN void sort_round(__local u32 *word, __local ushort *from, u32 per, u32 shift, u32 mask,
                   __local u32 *bin, __local u32 *part)
{
    u32 l = (u32)get_local_id(0), w[SORT_PER];
    ushort f[SORT_PER];
    for (u32 d = 0; d < SORT_ROUND_DIGITS; d++)
        bin[bank_of(d * SORT_GROUP + l)] = 0;
    for (u32 k = 0; k < per; k++) {
        w[k] = word[bank_of(per * l + k)];
        f[k] = from[bank_of(per * l + k)];
        bin[bank_of((w[k] >> shift & mask) * SORT_GROUP + l)]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sort_sums(bin, part);
    for (u32 k = 0; k < per; k++) {
        u32 to = bank_of(bin[bank_of((w[k] >> shift & mask) * SORT_GROUP + l)]++);
        word[to] = w[k];
        from[to] = f[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Word i of the tile. */
FN void sort_keep(__local u32 *word, __local ushort *from, u32 i, u32 n, u32 w)
{
    word[bank_of(i)] = i < n ? w : 0xffffffffu;
    from[bank_of(i)] = (ushort)i;
}

/* What is missing in the last tile has all bits set, and stays behind all keys. */
KERNEL __attribute__((reqd_work_group_size(SORT_GROUP, 1, 1))) void
sort_scatter_group(GLOBAL const u32 *key, GLOBAL const u32 *value, u64 keys, u32 shift, u32 bits,
                   GLOBAL const u64 *offset, GLOBAL u32 *key_out, GLOBAL u32 *value_out)
{
    __local u32 word[SORT_BANKS], bin[SORT_BANKS], part[2 * SORT_GROUP];
    __local ushort from[SORT_BANKS];
    __local u64 base[1 << SORT_GROUP_BITS]; /* of a digit: its place, less that of its first word */
    u32 l = (u32)get_local_id(0), mask = (1u << bits) - 1;
    u64 begin = (u64)get_group_id(0) * SORT_TILE;
    u32 n = keys - begin < SORT_TILE ? (u32)(keys - begin) : SORT_TILE;
    u32 per = (n + SORT_GROUP - 1) / SORT_GROUP;
    for (u32 i = l; i < per * SORT_GROUP; i += 4 * SORT_GROUP) {
        uint4 w = sort_load(key + begin, i, n);
        sort_keep(word, from, i, n, w.s0);
        sort_keep(word, from, i + SORT_GROUP, n, w.s1);
        sort_keep(word, from, i + 2 * SORT_GROUP, n, w.s2);
        sort_keep(word, from, i + 3 * SORT_GROUP, n, w.s3);
    }
    for (u32 d = l; d <= mask; d += SORT_GROUP)
        base[d] = offset[d * (u32)get_num_groups(0) + (u32)get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 b = 0; b < bits; b += SORT_ROUND_BITS)
        sort_round(word, from, per, shift + b, mask >> b & (SORT_ROUND_DIGITS - 1), bin, part);
    for (u32 i = l; i < n; i += SORT_GROUP) {
        u32 d = word[bank_of(i)] >> shift & mask;
        if (!i || (word[bank_of(i - 1)] >> shift & mask) != d)
            base[d] -= i;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 i = l; i < n; i += SORT_GROUP) {
        u32 w = word[bank_of(i)];
        key_out[base[w >> shift & mask] + i] = w;
    }
    for (u32 i = l; i < n; i += 2 * SORT_GROUP) {
        u32 j = u32_min(i + SORT_GROUP, n - 1);
        u64 to = base[word[bank_of(i)] >> shift & mask] + i;
        u64 to_j = base[word[bank_of(j)] >> shift & mask] + j;
        u32 v = value[begin + from[bank_of(i)]], v_j = value[begin + from[bank_of(j)]];
        value_out[to] = v;
        if (i + SORT_GROUP < n)
            value_out[to_j] = v_j;
    }
}

#endif
