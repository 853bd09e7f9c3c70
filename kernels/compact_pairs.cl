/* Compacts pairs by their verdicts (narrow.cl, solid.cl): the number of each verdict in every
 * chunk, a prefix sum (scan.cl), then each chunk writes its own. Pairs stay in order.
 *
 * Two forms: for the host an item owns a chunk, of any length; for OpenCL devices a work-group does
 * (names end in _group), of SEGMENT_TILE pairs. */
#include "segment.h"
#include "tri.h"

#ifndef IMP_DEVICE

/* Chunk c of pairs: count[c] with verdict `one`, count[chunks + c] with verdict `two`. */
KERNEL void narrow_count(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict, u32 one,
                         u32 two, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 ones = 0, twos = 0, first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    for (u32 i = first; i < last; i++) {
        ones += verdict[i] == one;
        twos += verdict[i] == two;
    }
    count[ITEM] = ones;
    count[n + ITEM] = twos;
}

/* Writes the pairs [first, last) of one verdict, in order, from `to` on. They are listed first,
 * without a branch that cannot be predicted. */
FN void narrow_take(u32 first, u32 last, GLOBAL const u8 *verdict, u32 one, u64 to,
                    GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    u32 mine[64], end;
    for (; first < last; first = end) {
        u32 count = 0;
        end = u32_min(last, first + 64);
        for (u32 i = first; i < end; i++) {
            mine[count] = i;
            count += verdict[i] == one;
        }
        for (u32 k = 0; k < count; k++, to++) {
            a_out[to] = a[mine[k]];
            b_out[to] = b[mine[k]];
        }
    }
}

/* Writes all pairs of verdict `one`, then all of verdict `two`, each in order, by the scanned
 * counts. */
KERNEL void narrow_compact(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict, u32 one,
                           u32 two, GLOBAL const u64 *offset, GLOBAL const u32 *a,
                           GLOBAL const u32 *b, GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    if (ITEM >= n)
        return;
    u32 first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    narrow_take(first, last, verdict, one, offset[ITEM], a, b, a_out, b_out);
    if (two != TRI_NO_VERDICT)
        narrow_take(first, last, verdict, two, offset[n + ITEM], a, b, a_out, b_out);
}

#endif

#ifdef IMP_DEVICE

/* Counts a work-item's pairs, which are adjacent: the number of verdict `one`, plus 2^32 times that
 * of verdict `two`. */
FN u64 compact_own_pairs(u32 pairs, GLOBAL const u8 *verdict, u32 one, u32 two)
{
    u64 x = 0, first = (u64)ITEM * SEGMENT_PER;
    for (u64 i = first; i < first + SEGMENT_PER && i < pairs; i++)
        x += (u64)(verdict[i] == one) + ((u64)(verdict[i] == two) << 32);
    return x;
}

GROUP_KERNEL(SEGMENT_GROUP)
narrow_count_group(u32 pairs, GLOBAL const u8 *verdict, u32 one, u32 two, GLOBAL u32 *count)
{
    SHARED u64 sum[GROUP_SUMS];
    u32 k = GROUP_ID;
    u64 x = group_prefix(compact_own_pairs(pairs, verdict, one, two), sum);
    if (LOCAL_ID < SEGMENT_GROUP - 1)
        return;
    count[k] = (u32)x;
    count[GROUPS + k] = (u32)(x >> 32);
}

GROUP_KERNEL(SEGMENT_GROUP)
narrow_compact_group(u32 pairs, GLOBAL const u8 *verdict, u32 one, u32 two,
                     GLOBAL const u64 *offset, GLOBAL const u32 *a, GLOBAL const u32 *b,
                     GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    SHARED u64 sum[GROUP_SUMS];
    u64 own = compact_own_pairs(pairs, verdict, one, two), before = group_prefix(own, sum) - own;
    u64 first = (u64)ITEM * SEGMENT_PER;
    u64 to = offset[GROUP_ID] + (u32)before;
    u64 to_two = offset[GROUPS + GROUP_ID] + (before >> 32);
    for (u64 i = first; i < first + SEGMENT_PER && i < pairs; i++) {
        if (verdict[i] != one && (verdict[i] != two || two == TRI_NO_VERDICT))
            continue;
        u64 at = verdict[i] == one ? to++ : to_two++;
        a_out[at] = a[i];
        b_out[at] = b[i];
    }
}

/* The same for feature pairs, which are numbers: ccd_compact. */
GROUP_KERNEL(SEGMENT_GROUP)
feature_compact_group(u32 pairs, GLOBAL const u8 *verdict, u32 one, u32 two,
                      GLOBAL const u64 *offset, GLOBAL const u32 *which, GLOBAL u32 *out)
{
    SHARED u64 sum[GROUP_SUMS];
    u64 own = compact_own_pairs(pairs, verdict, one, two), before = group_prefix(own, sum) - own;
    u64 first = (u64)ITEM * SEGMENT_PER;
    u64 to = offset[GROUP_ID] + (u32)before;
    u64 to_two = offset[GROUPS + GROUP_ID] + (before >> 32);
    for (u64 i = first; i < first + SEGMENT_PER && i < pairs; i++)
        if (verdict[i] == one || (verdict[i] == two && two != TRI_NO_VERDICT))
            out[verdict[i] == one ? to++ : to_two++] = which[i];
}

#endif
