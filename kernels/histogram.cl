/* Histograms of frames: the number of a frame's items with value 0, 1, .. bins - 1. Other values
 * are not counted. Tiles are those of host/device/parallel.h: tile t has items item0[t] .. item0[t
 * + 1], frame f has tiles tile0[f] .. tile0[f + 1].
 *
 * Two forms: for the host an item owns a tile and its counters, which are added up afterwards; for
 * OpenCL devices a work-group does (names end in _group), and adds its counters to those of the
 * frame. Counters are integers: the order does not matter. */
#include "group.h"
#include "prim.h"
#include "segment.h"

#define BIN_NONE 0xffffffffu /* not counted */

/* bin[i] of primitive i by its size (prim.h): `bins` bins for each part; BIN_NONE for empty bounds.
 */
KERNEL void size_bins(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                      GLOBAL const u32 *bipartite, GLOBAL const i32 *object, u32 octaves, u32 bins,
                      GLOBAL u32 *bin)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    u32 f = frame_of(prim0, frames, ITEM), part = prim_part(bipartite[f], object, prim0[f], ITEM);
    bin[ITEM] =
        box_enters(b) ? bins * (part >> 1) + size_bin(box_size(b), octaves, bins) : BIN_NONE;
}

#ifndef IMP_DEVICE

/* part[bins * t ..]: the histogram of tile t */
KERNEL void histogram_tiles(ITEM_ARG u32 n, GLOBAL const u32 *item0, GLOBAL const u32 *bin,
                            u32 bins, GLOBAL u32 *part)
{
    if (ITEM >= n)
        return;
    GLOBAL u32 *count = part + (size_t)bins * ITEM;
    for (u32 b = 0; b < bins; b++)
        count[b] = 0;
    for (size_t i = item0[ITEM], end = item0[ITEM + 1]; i < end; i++)
        if (bin[i] < bins)
            count[bin[i]]++;
}

/* out[bins * f ..]: the histogram of frame f */
KERNEL void histogram_frames(ITEM_ARG u32 n, GLOBAL const u32 *tile0, GLOBAL const u32 *part,
                             u32 bins, GLOBAL u32 *out)
{
    if (ITEM >= n)
        return;
    GLOBAL u32 *count = out + (size_t)bins * ITEM;
    for (u32 b = 0; b < bins; b++)
        count[b] = 0;
    for (size_t t = tile0[ITEM], end = tile0[ITEM + 1]; t < end; t++)
        for (u32 b = 0; b < bins; b++)
            count[b] += part[bins * t + b];
}

#endif

#ifdef IMP_DEVICE

#define HISTOGRAM_COUNTERS 4096 /* counters in local memory: bins that are counted at a time */
#define HISTOGRAM_EACH 16       /* most counters of a bin */

/* one work-group for each frame */
GROUP_KERNEL(SEGMENT_GROUP)
histogram_clear_group(u32 bins, GLOBAL u32 *out)
{
    for (size_t b = LOCAL_ID; b < bins; b += SEGMENT_GROUP)
        out[(size_t)bins * GROUP_ID + b] = 0;
}

/* Adds the item's bins of [first, first + some), each of which has `each` counters. Equal bins of
 * an item are added at once, at the first of them, since neighbours are often equal. The
 * duplicates, and bins outside the range, go to an unused counter of the item's own: no branch, and
 * nothing waits for it. */
FN void histogram_add(const u32 *bin, u32 first, u32 some, u32 each, LOCAL u32 *count)
{
    u32 l = LOCAL_ID;
    UNROLLED
    for (u32 k = 0; k < SEGMENT_PER; k++) {
        u32 same = 1, b = bin[k] - first, at = b * each + l % each;
        for (u32 j = 0; j < k; j++)
            b = bin[j] == bin[k] ? BIN_NONE : b;
        for (u32 j = k + 1; j < SEGMENT_PER; j++)
            same += bin[j] == bin[k];
        ATOMIC_ADD(count + (b < some ? at : HISTOGRAM_COUNTERS + l), same);
    }
}

/* The count of bin b. */
FN u32 histogram_sum(LOCAL const u32 *count, u32 b, u32 each)
{
    u32 sum = 0;
    UNROLLED_4
    for (u32 c = 0; c < each; c++)
        sum += count[b * each + (b + c) % each];
    return sum;
}

/* A work-group owns a tile. If there are more bins than fit, it counts some at a time; if fewer,
 * each has several counters, for most items may have the same number and would wait for each other.
 */
GROUP_KERNEL(SEGMENT_GROUP)
histogram_tiles_group(u32 frames, GLOBAL const u32 *tile0, GLOBAL const u32 *item0,
                      GLOBAL const u32 *bin, u32 bins, GLOBAL u32 *out)
{
    SHARED u32 count[HISTOGRAM_COUNTERS + SEGMENT_GROUP];
    u32 l = LOCAL_ID, t = GROUP_ID, own[SEGMENT_PER];
    u32 some = u32_min(bins, HISTOGRAM_COUNTERS), each = 1, n = item0[t + 1] - item0[t];
    while (2 * each * some <= HISTOGRAM_COUNTERS && each < HISTOGRAM_EACH)
        each *= 2;
    GLOBAL u32 *to = out + (size_t)bins * frame_of(tile0, frames, t);
    UNROLLED
    for (u32 k = 0; k < SEGMENT_PER; k++)
        own[k] = bin[item0[t] + u32_min(l + k * SEGMENT_GROUP, n - 1)];
    UNROLLED
    for (u32 k = 0; k < SEGMENT_PER; k++)
        own[k] = l + k * SEGMENT_GROUP < n && own[k] < bins ? own[k] : BIN_NONE;
    for (size_t first = 0; first < bins; first += some) {
        UNROLLED
        for (u32 c = 0; c < HISTOGRAM_COUNTERS / SEGMENT_GROUP; c++)
            count[c * SEGMENT_GROUP + l] = 0;
        count[HISTOGRAM_COUNTERS + l] = 0;
        BARRIER();
        histogram_add(own, (u32)first, some, each, count);
        BARRIER();
        for (u32 b = l; b < some; b += SEGMENT_GROUP) {
            u32 sum = histogram_sum(count, b, each);
            if (sum)
                ATOMIC_ADD(to + first + b, sum);
        }
        BARRIER();
    }
}

#endif
