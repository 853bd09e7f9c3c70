/* Drivers of the scan and sort kernels: tiles, passes, and the choice of a device's form. */
#include "parallel.h"

#include "error.h"
#include "group.h"

#define MERGE_MOST (UINT64_C(1) << 31) /* words: kernels number them with 32 bits */
#define SORT_BITS 11 /* bits of a key in a pass, at most, where an item owns a tile */

void scanner_free(device *d, scanner *s)
{
    buffer_free(d, &s->partial);
    buffer_free(d, &s->found);
}

void sorter_free(device *d, sorter *s)
{
    buffer_free(d, &s->key);
    buffer_free(d, &s->value);
    buffer_free(d, &s->histogram);
    buffer_free(d, &s->offset);
    buffer_free(d, &s->total);
    scanner_free(d, &s->scan);
}

/* For n = 1 no bit is needed: the only number is 0. */
uint32_t bits_for(uint64_t n)
{
    uint32_t bits = 0;
    while (n > 1 && (n - 1) >> bits)
        bits++;
    return bits;
}

/* Four tiles for each thread, for load balance; none shorter than `least`. */
static uint64_t tile_length(const device *d, uint64_t n, uint64_t least)
{
    uint64_t length = n / ((uint64_t)d->threads * 4) + 1;
    return length > least ? length : least;
}

#define SCAN_LEAST                                                                                 \
    16384 /* counts of a tile: fewer are summed in the time that waking another thread takes */

static int scan_by_items(device *d, scanner *s, const buffer_u32 *count, uint32_t n,
                         buffer_u64 *offset)
{
    int err = IMP_OK;
    uint32_t tile = (uint32_t)tile_length(d, n, SCAN_LEAST), tiles = n / tile + (n % tile != 0);
    /* One launch suffices. */
    if (tiles <= 1)
        return RUN(d, scan_tile, 1, count, n, offset);
    TRY(buffer_fit(d, &s->partial, tiles));
    TRY(RUN(d, scan_sums, tiles, count, n, tile, &s->partial));
    TRY(RUN(d, scan_partials, 1, tiles, &s->partial, n, offset));
    TRY(RUN(d, scan_write, tiles, count, n, tile, &s->partial, offset));
out:
    return err;
}

static int scan_by_groups(device *d, scanner *s, const buffer_u32 *count, uint32_t n,
                          buffer_u64 *offset)
{
    int err = IMP_OK;
    uint32_t tiles = n / SCAN_TILE + (n % SCAN_TILE != 0);
    /* Groups that sum the tiles before them save a launch. */
    uint32_t summed = !d->queued || tiles > SCAN_BEFORE;
    uint64_t items = (uint64_t)tiles * SCAN_GROUP;
    if (tiles <= SCAN_ALONE)
        return RUN_GROUP(d, scan_alone_group, SCAN_GROUP, SCAN_GROUP, count, n, offset);
    TRY(buffer_fit(d, &s->partial, tiles));
    TRY(RUN_GROUP(d, scan_sums_group, items, SCAN_GROUP, count, n, &s->partial));
    if (summed)
        TRY(RUN_GROUP(d, scan_partials_group, SCAN_GROUP, SCAN_GROUP, tiles, &s->partial));
    TRY(RUN_GROUP(d, scan_write_group, items, SCAN_GROUP, count, n, &s->partial, summed, offset));
out:
    return err;
}

/* offset has one element more, the total, which is read as any other. */
int scan_counts(device *d, scanner *s, const buffer_u32 *count, uint32_t n, buffer_u64 *offset,
                uint64_t *total)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, offset, (size_t)n + 1));
    TRY(d->groups ? scan_by_groups(d, s, count, n, offset) : scan_by_items(d, s, count, n, offset));
    if (total)
        TRY(buffer_read(d, offset, n, total, 1));
out:
    return err;
}

/* One read from the device for all indices. */
int scan_gather(device *d, scanner *s, const buffer_u64 *offset, const buffer_u32 *index,
                uint32_t n, uint64_t *out)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, &s->found, n));
    TRY(RUN(d, scan_gather, n, offset, index, &s->found));
    TRY(buffer_read(d, &s->found, 0, out, n));
out:
    return err;
}

int scan_find(device *d, scanner *s, const buffer_u64 *offset, uint32_t n, uint32_t first,
              uint64_t limit, uint32_t *place, uint64_t *at)
{
    int err = IMP_OK;
    uint64_t found[2];
    TRY(buffer_fit(d, &s->found, 2));
    TRY(RUN(d, scan_find, 1, offset, n, first, limit, &s->found));
    TRY(buffer_read(d, &s->found, 0, found, 2));
    *place = (uint32_t)found[0];
    *at = found[1];
out:
    return err;
}

static void buffer_swap(buffer_u32 *a, buffer_u32 *b)
{
    buffer_u32 t = *a;
    *a = *b;
    *b = t;
}

/* The histogram has the counts of all tiles, digit by digit: its prefix sums are the positions of a
 * stable pass. */
static int pass_by_items(device *d, sorter *s, const buffer_u32 *key, const buffer_u32 *value,
                         uint64_t n, uint32_t shift, uint32_t bits)
{
    int err = IMP_OK;
    uint64_t tile = tile_length(d, n, 16384);
    uint32_t tiles = (uint32_t)((n + tile - 1) / tile), digits = 1u << bits;
    TRY(buffer_fit(d, &s->histogram, (size_t)tiles * digits));
    TRY(RUN(d, sort_count, tiles, key, n, tile, shift, bits, &s->histogram));
    TRY(scan_counts(d, &s->scan, &s->histogram, tiles * digits, &s->offset, NULL));
    TRY(RUN(d, sort_scatter, tiles, key, value, n, tile, shift, bits, &s->offset, &s->key,
            &s->value));
out:
    return err;
}

/* The same, but with prefix sums within each digit, in one launch; each tile sums the totals of
 * lower digits itself. */
static int pass_by_groups(device *d, sorter *s, const buffer_u32 *key, const buffer_u32 *value,
                          uint64_t n, uint32_t shift, uint32_t bits)
{
    int err = IMP_OK;
    uint32_t tiles = (uint32_t)((n + SORT_TILE - 1) / SORT_TILE), digits = 1u << bits;
    uint64_t items = (uint64_t)tiles * SORT_GROUP;
    TRY(buffer_fit(d, &s->histogram, (size_t)tiles * digits));
    TRY(buffer_fit(d, &s->offset, (size_t)tiles * digits));
    TRY(buffer_fit(d, &s->total, digits));
    TRY(RUN_GROUP(d, sort_count_group, items, SORT_GROUP, key, n, shift, bits, &s->histogram));
    TRY(RUN_GROUP(d, sort_offsets_group, (uint64_t)digits * SCAN_GROUP, SCAN_GROUP, &s->histogram,
                  tiles, &s->offset, &s->total));
    TRY(RUN_GROUP(d, sort_scatter_group, items, SORT_GROUP, key, value, n, shift, bits, &s->offset,
                  &s->total, &s->key, &s->value));
out:
    return err;
}

/* Bits of a key in a pass: as few passes as possible, with equal numbers of bits. */
static uint32_t pass_bits(const device *d, uint32_t bits)
{
    const uint32_t most = d->groups ? SORT_GROUP_BITS : SORT_BITS;
    const uint32_t passes = (bits + most - 1) / most;
    return (bits + passes - 1) / passes;
}

/* Swaps the sorted arrays of the sorter with the caller's. A pass writes to the sorter's arrays;
 * the next one reads from the caller's. */
static void take_sorted(sorter *s, buffer_u32 *key, buffer_u32 *value, uint64_t n)
{
    buffer_swap(key, &s->key);
    buffer_swap(value, &s->value);
    key->raw.bytes = value->raw.bytes = BUFFER_BYTES(key, n);
}

/* Sorts by bits [first, bits) of the key. */
static int sorter_sort_bits(device *d, sorter *s, buffer_u32 *key, buffer_u32 *value, uint64_t n,
                            uint32_t first, uint32_t bits)
{
    int err = IMP_OK;
    uint32_t step = pass_bits(d, bits - first);
    if (d->groups && n <= SORT_TILE) {
        TRY(RUN_GROUP(d, sort_alone_group, SORT_GROUP, SORT_GROUP, key, value, (uint32_t)n, first,
                      bits, &s->key, &s->value));
        take_sorted(s, key, value, n);
        goto out;
    }
    for (uint32_t shift = first; shift < bits; shift += step) {
        TRY(d->groups ? pass_by_groups(d, s, key, value, n, shift, step)
                      : pass_by_items(d, s, key, value, n, shift, step));
        take_sorted(s, key, value, n);
    }
out:
    return err;
}

int sort_by_key(device *d, sorter *s, buffer_u32 *key, buffer_u32 *value, uint64_t n, uint32_t bits)
{
    int err = IMP_OK;
    /* Already sorted; the buffers are not swapped. */
    if (n < 2 || !bits)
        return IMP_OK;
    TRY(buffer_fit(d, &s->key, n));
    TRY(buffer_fit(d, &s->value, n));
    TRY(sorter_sort_bits(d, s, key, value, n, 0, bits));
out:
    return err;
}

#define SORT_LEAST                                                                                 \
    16384 /* pairs of a tile: fewer are sorted in the time that waking another thread takes */
#define GROUP_PAIRS 3072 /* approximate pairs of a group: its words and counters fit in a cache */

/* The number of highest bits that separate groups: so many that groups are small and the rest of a
 * pair fits in a 32-bit word, at most as many as a pass can sort by. */
static uint32_t group_bits(uint64_t n, uint32_t bits)
{
    uint32_t want = bits_for(n / GROUP_PAIRS + 1), least = 2 * bits > 32 ? 2 * bits - 32 : 0;
    want = want < SORT_BITS ? want : SORT_BITS;
    want = want > least ? want : least;
    return want < bits ? want : bits;
}

/* Sorts pairs as words, group by group: kernels/sort_pairs.cl. A group is small enough to be sorted
 * within a cache. */
static int sort_by_group(device *d, sorter *s, buffer_u32 *a, buffer_u32 *b, uint64_t n,
                         uint32_t bits, uint32_t of_group)
{
    int err = IMP_OK;
    uint64_t tile = tile_length(d, n, SORT_LEAST);
    uint32_t tiles = (uint32_t)((n + tile - 1) / tile), groups = 1u << of_group;
    TRY(buffer_fit(d, &s->histogram, (size_t)tiles * groups));
    TRY(RUN(d, sort_count, tiles, a, n, tile, bits - of_group, of_group, &s->histogram));
    TRY(scan_counts(d, &s->scan, &s->histogram, tiles * groups, &s->offset, NULL));
    TRY(RUN(d, sort_words, tiles, a, b, n, tile, bits, of_group, &s->offset, &s->key));
    TRY(RUN(d, sort_groups, groups, n, tiles, bits, of_group, &s->offset, &s->key, &s->value, a,
            b));
out:
    return err;
}

static int merge_pairs(device *d, sorter *s, buffer_u32 *a, buffer_u32 *b, uint32_t n)
{
    int err = IMP_OK;
    const uint64_t items = ((uint64_t)n + MERGE_TILE - 1) / MERGE_TILE * MERGE_GROUP;
    TRY(RUN_GROUP(d, merge_tiles_group, items, MERGE_GROUP, a, b, n, &s->key, &s->value));
    take_sorted(s, a, b, n);
    for (uint32_t run = MERGE_TILE_BITS; bits_for(n) > run; run += MERGE_WAY_BITS) {
        TRY(RUN_GROUP(d, merge_runs_group, items, MERGE_GROUP, a, b, n, run, &s->key, &s->value));
        take_sorted(s, a, b, n);
    }
out:
    return err;
}

int sort_pairs(device *d, sorter *s, buffer_u32 *a, buffer_u32 *b, uint64_t n, uint32_t bits)
{
    int err = IMP_OK;
    uint32_t of_group = group_bits(n, bits);
    if (n < 2 || !bits)
        return IMP_OK;
    TRY(buffer_fit(d, &s->key, n));
    TRY(buffer_fit(d, &s->value, n));
    /* If the rest of a pair has more bits than a word, both numbers are sorted one after the
     * other. */
    if (!d->groups && of_group <= SORT_BITS) {
        TRY(sort_by_group(d, s, a, b, n, bits, of_group));
        goto out;
    }
    if (d->groups && n <= MERGE_MOST) {
        TRY(merge_pairs(d, s, a, b, (uint32_t)n));
        goto out;
    }
    /* The second number first, since passes are stable. */
    TRY(sorter_sort_bits(d, s, b, a, n, 0, bits));
    TRY(sorter_sort_bits(d, s, a, b, n, 0, bits));
out:
    return err;
}

/* ---- Drivers of the kernels over frames: tiles, steps, and the choice of a device's form. */

void segments_free(device *d, segments *s)
{
    buffer *all[] = {&s->item0.raw, &s->tile0.raw,    &s->part_u32.raw,
                     &s->count.raw, &s->part_f64.raw, &s->offset.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
    scanner_free(d, &s->scan);
    s->frames = s->tiles = 0;
}

/* Avoids the usual sum for rounding up, which could overflow. */
static uint32_t segments_tiles(uint32_t items)
{
    return items / SEGMENT_TILE + (items % SEGMENT_TILE != 0);
}

/* Tiles begin at each frame's first item, so that a frame's sum does not depend on the frames
 * before it. */
int segments_cut(device *d, segments *s, const uint32_t *start, uint32_t frames)
{
    int err = IMP_OK;
    uint32_t *item0 = NULL, *tile0 = NULL, tiles = 0;
    TRY(mem_alloc(d->mem, ((size_t)frames + 1) * sizeof *tile0, &tile0));
    for (uint32_t f = 0; f < frames; f++) {
        tile0[f] = tiles;
        tiles += segments_tiles(start[f + 1] - start[f]);
    }
    tile0[frames] = tiles;
    TRY(mem_alloc(d->mem, ((size_t)tiles + 1) * sizeof *item0, &item0));
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t t = tile0[f]; t < tile0[f + 1]; t++)
            item0[t] = start[f] + (t - tile0[f]) * SEGMENT_TILE;
    item0[tiles] = start[frames];
    TRY(buffer_put(d, &s->item0, item0, (size_t)tiles + 1));
    TRY(buffer_put(d, &s->tile0, tile0, (size_t)frames + 1));
    s->frames = frames;
    s->tiles = tiles;
out:
    mem_free(d->mem, item0);
    mem_free(d->mem, tile0);
    return err;
}

/* ---- reduction: items to tiles, then tiles to frames by kernel `again`; both have `numbers`
 * values of `to` */

#define REDUCE(kernel, again, from, to, numbers)                                                   \
    int kernel(device *d, segments *s, const buffer_##from *in, buffer_##to *out)                  \
    {                                                                                              \
        int err = IMP_OK;                                                                          \
        TRY(buffer_fit(d, &s->part_##to, (size_t)(numbers)*s->tiles));                             \
        TRY(buffer_fit(d, out, (size_t)(numbers)*s->frames));                                      \
        TRY(RUN_CHUNKS(d, kernel, s->tiles, &s->item0, in, &s->part_##to));                        \
        TRY(RUN_CHUNKS(d, again, s->frames, &s->tile0, &s->part_##to, out));                       \
    out:                                                                                           \
        return err;                                                                                \
    }

REDUCE(reduce_boxes_f64, reduce_boxes_f64, f64, f64, 6)
REDUCE(reduce_sums_f64, reduce_sums_f64, f64, f64, 1)
REDUCE(reduce_sets, reduce_masks, u8, u32, 1)

/* ---- histogram */

static int histogram_by_items(device *d, segments *s, const buffer_u32 *bin, uint32_t bins,
                              buffer_u32 *out)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, &s->part_u32, (size_t)bins * s->tiles));
    TRY(RUN(d, histogram_tiles, s->tiles, &s->item0, bin, bins, &s->part_u32));
    TRY(RUN(d, histogram_frames, s->frames, &s->tile0, &s->part_u32, bins, out));
out:
    return err;
}

/* Groups add to the bins of a frame by atomics, so the bins begin at 0. The sums are integers, so
 * the order makes no difference. */
static int histogram_by_groups(device *d, segments *s, const buffer_u32 *bin, uint32_t bins,
                               buffer_u32 *out)
{
    int err = IMP_OK;
    uint64_t frames = (uint64_t)s->frames * SEGMENT_GROUP,
             tiles = (uint64_t)s->tiles * SEGMENT_GROUP;
    TRY(RUN_GROUP(d, histogram_clear_group, frames, SEGMENT_GROUP, bins, out));
    TRY(RUN_GROUP(d, histogram_tiles_group, tiles, SEGMENT_GROUP, s->frames, &s->tile0, &s->item0,
                  bin, bins, out));
out:
    return err;
}

int histogram(device *d, segments *s, const buffer_u32 *bin, uint32_t bins, buffer_u32 *out)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, out, (size_t)bins * s->frames));
    if (!bins)
        goto out;
    TRY(d->groups ? histogram_by_groups(d, s, bin, bins, out)
                  : histogram_by_items(d, s, bin, bins, out));
out:
    return err;
}

/* ---- compaction */

/* Counts and writes in two launches: a tile knows its first position only when all tiles are
 * counted. */
int compact(device *d, segments *s, const buffer_u8 *mark, uint8_t wanted, buffer_u32 *index,
            buffer_u32 *start, uint32_t *first)
{
    int err = IMP_OK;
    uint32_t frames = s->frames;
    TRY(buffer_fit(d, &s->count, s->tiles));
    TRY(RUN_CHUNKS(d, compact_count, s->tiles, &s->item0, mark, wanted, &s->count));
    TRY(scan_counts(d, &s->scan, &s->count, s->tiles, &s->offset, NULL));
    TRY(buffer_fit(d, start, (size_t)frames + 1));
    TRY(RUN(d, compact_starts, (uint64_t)frames + 1, &s->tile0, &s->offset, start));
    /* The host needs the total number before it can allocate the list. */
    TRY(buffer_read(d, start, 0, first, (size_t)frames + 1));
    TRY(buffer_fit(d, index, first[frames]));
    TRY(RUN_CHUNKS(d, compact_write, s->tiles, &s->item0, mark, wanted, &s->offset, index));
out:
    return err;
}
