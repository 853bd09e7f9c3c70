/* One pass of a stable radix sort of (key, value) pairs: histogram of each tile, prefix sum over
 * digit-major histograms (scan.cl), scatter.
 *
 * Two forms: for the host an item owns a tile and keeps up to 2048 counters; for OpenCL devices a
 * work-group does, with up to 256 digits (names end in _group). It sorts its tile in local memory
 * first, so that neighbours read and write neighbours. The sorted arrays are the same: a stable
 * sort has one answer. */
#include "dialect.h"
#include "group.h"

#ifndef IMP_DEVICE

#define SORT_DIGITS 2048 /* most digits of a pass */

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

#ifdef IMP_DEVICE

#define SORT_EACH                                                                                  \
    8 /* counters of a digit, so that items do not wait for each other if keys are equal */
#define SORT_ROUND_BITS                                                                            \
    4 /* bits by which a tile is sorted in one round: each item has a counter for each digit */
#define SORT_ROUND_DIGITS (1 << SORT_ROUND_BITS)

#if SORT_GROUP != SCAN_GROUP || SORT_GROUP != 1 << SORT_GROUP_BITS ||                              \
    SORT_GROUP * SORT_PER != SORT_TILE || SORT_PER != SORT_ROUND_DIGITS / 2
#error "an item has one digit, and as many words of counters as keys"
#endif

/* Loads words i, i + SORT_GROUP and so on of n, with one wait for all; the last word replaces those
 * beyond. */
FN void sort_load(GLOBAL const u32 *word, u32 n, u32 *to)
{
    u32 l = LOCAL_ID;
    UNROLLED
    for (u32 k = 0; k < SORT_PER; k++)
        to[k] = word[u32_min(l + k * SORT_GROUP, n - 1)];
}

/* Number of keys in the group's tile. */
FN u32 sort_length(u64 keys)
{
    return (u32)(keys - GROUP_FIRST(SORT_TILE) < SORT_TILE ? keys - GROUP_FIRST(SORT_TILE)
                                                           : SORT_TILE);
}

/* histogram[d * groups + g]: number of keys with digit d in tile g */
GROUP_KERNEL(SORT_GROUP)
sort_count_group(GLOBAL const u32 *key, u64 keys, u32 shift, u32 bits, GLOBAL u32 *histogram)
{
    SHARED u32 bin[BANK_ROW(SORT_GROUP * SORT_EACH)];
    u32 l = LOCAL_ID, mask = (1u << bits) - 1, n = sort_length(keys), sum = 0;
    u32 k[SORT_PER];
    sort_load(key + GROUP_FIRST(SORT_TILE), n, k);
    UNROLLED
    for (u32 c = 0; c < SORT_EACH; c++)
        bin[bank_of(l) + BANK_ROW(SORT_GROUP) * c] = 0;
    BARRIER();
    UNROLLED
    for (u32 c = 0; c < SORT_PER; c++)
        ATOMIC_ADD(bin + bank_of((k[c] >> shift & mask) * SORT_EACH) + l % SORT_EACH,
                   l + c * SORT_GROUP < n);
    BARRIER();
    UNROLLED
    for (u32 c = 0; c < SORT_EACH; c++)
        sum += bin[bank_of(SORT_EACH * l) + c];
    if (l <= mask)
        histogram[(size_t)l * GROUPS + GROUP_ID] = sum;
}

/* One group for each digit. offset[d * tiles + t]: number of keys with this digit in the tiles
 * before t; total[d]: in all. */
GROUP_KERNEL(SCAN_GROUP)
sort_offsets_group(GLOBAL const u32 *histogram, u32 tiles, GLOBAL u64 *offset, GLOBAL u64 *total)
{
    SHARED u64 sum[GROUP_SUMS];
    size_t row = (size_t)GROUP_ID * tiles;
    u64 all = scan_row(histogram + row, tiles, offset + row, sum);
    if (LOCAL_ID == 0)
        total[GROUP_ID] = all;
}

/* Loads digits of the tile's keys, each with its index in the tile. */
FN_LOCAL void sort_digits(GLOBAL const u32 *key, u32 n, u32 shift, u32 mask, LOCAL u32 *word)
{
    u32 l = LOCAL_ID, x[SORT_PER];
    sort_load(key, n, x);
    UNROLLED
    for (u32 k = 0; k < SORT_PER; k++) {
        u32 i = l + k * SORT_GROUP, d = i < n ? x[k] >> shift & mask : mask;
        word[bank_of(l) + BANK_ROW(SORT_GROUP) * k] = d * SORT_TILE + i;
    }
}

/* Destination of this tile's first key with digit l. */
FN_LOCAL u64 sort_base(GLOBAL const u64 *offset, GLOBAL const u64 *total, u32 mask, LOCAL u64 *sum)
{
    u32 l = LOCAL_ID, d = u32_min(l, mask);
    u64 before = offset[(size_t)d * GROUPS + GROUP_ID], all = total[d];
    return before + group_prefix(l < mask ? all : 0, sum) - (l < mask ? all : 0);
}

/* Replaces the counters in bin, two to a word in rows of SORT_GROUP, by their exclusive prefix
 * sums; upper counters also include all lower ones. No sum exceeds SORT_TILE. */
FN_LOCAL void sort_sums(LOCAL u32 *bin, LOCAL u64 *sum)
{
    u32 mine = bank_of(SORT_PER * LOCAL_ID), x = 0, c[SORT_PER];
    UNROLLED
    for (u32 k = 0; k < SORT_PER; k++) {
        c[k] = bin[mine + k];
        x += c[k];
    }
    x = (u32)group_prefix(x, sum) - x + ((u32)sum[SCAN_GROUP - 1] << 16);
    UNROLLED
    for (u32 k = 0; k < SORT_PER; k++) {
        bin[mine + k] = x;
        x += c[k];
    }
    BARRIER();
}

/* Sorts the tile by the bits of `mask` after `shift`, at most four; stable. An item has its own
 * counters: digits d and d + 8 share a word, in row d. */
FN_LOCAL void sort_round(LOCAL const u32 *word, LOCAL u32 *to, u32 shift, u32 mask, LOCAL u32 *bin,
                         LOCAL u64 *sum)
{
    u32 l = LOCAL_ID, mine = bank_of(SORT_PER * l);
    UNROLLED
    for (u32 k = 0; k < SORT_ROUND_DIGITS / 2; k++)
        bin[bank_of(l) + BANK_ROW(SORT_GROUP) * k] = 0;
    UNROLLED_4
    for (u32 k = 0; k < SORT_PER; k++) {
        u32 d = word[mine + k] >> shift & mask;
        bin[bank_of(l) + BANK_ROW(SORT_GROUP) * (d & 7)] += 1u << (d >> 3) * 16;
    }
    BARRIER();
    sort_sums(bin, sum);
    UNROLLED_4
    for (u32 k = 0; k < SORT_PER; k++) {
        u32 w = word[mine + k], d = w >> shift & mask;
        u32 at = bank_of(l) + BANK_ROW(SORT_GROUP) * (d & 7), x = bin[at];
        bin[at] = x + (1u << (d >> 3) * 16);
        to[bank_of(x >> (d >> 3) * 16 & 0xffff)] = w;
    }
    BARRIER();
}

/* base[d]: the destination of the first key with digit d, less the index of that key in the sorted
 * tile. to: destination for digit l. */
FN_LOCAL void sort_places(LOCAL const u32 *word, u64 to, LOCAL u64 *base)
{
    u32 l = LOCAL_ID;
    UNROLLED
    for (u32 k = 0; k < SORT_PER; k++) {
        u32 i = l + k * SORT_GROUP, d = word[bank_of(i)] / SORT_TILE;
        if (!i || word[bank_of(i - (i > 0))] / SORT_TILE != d)
            base[d] = i;
    }
    BARRIER();
    base[l] = to - base[l];
    BARRIER();
}

/* Copies the tile's words to local memory; one wait for four. */
FN_LOCAL void sort_stage(GLOBAL const u32 *key, GLOBAL const u32 *value, u32 n, LOCAL u32 *key_to,
                         LOCAL u32 *value_to)
{
    ROLLED
    for (u32 i = LOCAL_ID; i < n; i += 4 * SORT_GROUP) {
        u32 k[4], v[4];
        UNROLLED
        for (u32 c = 0; c < 4; c++) {
            k[c] = key[u32_min(i + c * SORT_GROUP, n - 1)];
            v[c] = value[u32_min(i + c * SORT_GROUP, n - 1)];
        }
        UNROLLED
        for (u32 c = 0; c < 4; c++) {
            key_to[bank_of(i) + BANK_ROW(SORT_GROUP) * c] = k[c];
            value_to[bank_of(i) + BANK_ROW(SORT_GROUP) * c] = v[c];
        }
    }
}

/* Moves the copied words to the positions that their digits' bases give. */
FN_LOCAL void sort_move(LOCAL const u32 *word, LOCAL const u64 *base, u32 n, LOCAL const u32 *key,
                        LOCAL const u32 *value, GLOBAL u32 *key_out, GLOBAL u32 *value_out)
{
    ROLLED
    for (u32 i = LOCAL_ID; i < n; i += 4 * SORT_GROUP) {
        u64 to[4];
        u32 k[4], v[4];
        UNROLLED
        for (u32 c = 0; c < 4; c++) {
            u32 w = word[bank_of(i) + BANK_ROW(SORT_GROUP) * c], from = bank_of(w % SORT_TILE);
            to[c] = base[w / SORT_TILE] + (i + c * SORT_GROUP);
            k[c] = key[from];
            v[c] = value[from];
        }
        UNROLLED
        for (u32 c = 0; c < 4; c++)
            if (i + c * SORT_GROUP < n) {
                key_out[to[c]] = k[c];
                value_out[to[c]] = v[c];
            }
    }
}

/* Sorts digits in local memory, each with its index in the tile in the low bits: keys and values
 * then move only once. They are loaded again, since a GPU has few registers to keep them in.
 * Padding of the last tile has the last digit and, as sorting is stable, stays after all keys. */
GROUP_KERNEL(SORT_GROUP)
sort_scatter_group(GLOBAL const u32 *key, GLOBAL const u32 *value, u64 keys, u32 shift, u32 bits,
                   GLOBAL const u64 *offset, GLOBAL const u64 *total, GLOBAL u32 *key_out,
                   GLOBAL u32 *value_out)
{
    SHARED u32 room[2][BANK_ROW(SORT_TILE)], bin[BANK_ROW(SORT_TILE)];
    SHARED u64 base[GROUP_SUMS];
    u64 first = GROUP_FIRST(SORT_TILE);
    u32 mask = (1u << bits) - 1, n = sort_length(keys), side = 0;
    sort_digits(key + first, n, shift, mask, room[0]);
    u64 to = sort_base(offset, total, mask, base);
    for (u32 b = 0; b < bits; b += SORT_ROUND_BITS, side ^= 1)
        sort_round(room[side], room[side ^ 1], SORT_TILE_BITS + b,
                   mask >> b & (SORT_ROUND_DIGITS - 1), bin, base);
    sort_places(room[side], to, base);
    sort_stage(key + first, value + first, n, bin, room[side ^ 1]);
    BARRIER();
    sort_move(room[side], base, n, bin, room[side ^ 1], key_out, value_out);
}

/* Loads the digits of words that carry their indices, in any order. */
FN_LOCAL void sort_digits_of(GLOBAL const u32 *key, u32 n, u32 shift, u32 mask, LOCAL u32 *word)
{
    u32 l = LOCAL_ID;
    ROLLED
    for (u32 k = 0; k < SORT_PER; k++) {
        u32 at = bank_of(l) + BANK_ROW(SORT_GROUP) * k, i = word[at] % SORT_TILE;
        u32 x = key[u32_min(i, n - 1)] >> shift & mask;
        word[at] = (i < n ? x : mask) * SORT_TILE + i;
    }
    BARRIER();
}

/* Sorts all keys, if they are one tile, by bits [first, bits): one launch for all digits. */
GROUP_KERNEL(SORT_GROUP)
sort_alone_group(GLOBAL const u32 *key, GLOBAL const u32 *value, u32 n, u32 first, u32 bits,
                 GLOBAL u32 *key_out, GLOBAL u32 *value_out)
{
    SHARED u32 room[2][BANK_ROW(SORT_TILE)], bin[BANK_ROW(SORT_TILE)];
    SHARED u64 sum[GROUP_SUMS];
    u32 l = LOCAL_ID, side = 0;
    for (u32 k = 0; k < SORT_PER; k++)
        room[0][bank_of(l) + BANK_ROW(SORT_GROUP) * k] = l + SORT_GROUP * k;
    ROLLED
    for (u32 shift = first; shift < bits; shift += SORT_GROUP_BITS) {
        u32 wide = u32_min(bits - shift, SORT_GROUP_BITS), mask = (1u << wide) - 1;
        sort_digits_of(key, n, shift, mask, room[side]);
        ROLLED
        for (u32 b = 0; b < wide; b += SORT_ROUND_BITS, side ^= 1)
            sort_round(room[side], room[side ^ 1], SORT_TILE_BITS + b,
                       mask >> b & (SORT_ROUND_DIGITS - 1), bin, sum);
    }
    ROLLED
    for (u32 i = l; i < n; i += SORT_GROUP) {
        u32 from = room[side][bank_of(i)] % SORT_TILE;
        key_out[i] = key[from];
        value_out[i] = value[from];
    }
}

#endif
