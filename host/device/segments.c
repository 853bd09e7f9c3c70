/* Drivers of the kernels over frames: tiles, steps, and which form a device runs. */
#include "segments.h"

#include "error.h"

void segments_free(device *d, segments *s)
{
    buffer *all[] = {&s->item0.raw, &s->tile0.raw,    &s->part_u32.raw,
                     &s->count.raw, &s->part_f64.raw, &s->offset.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(d, all[i]);
    scanner_free(d, &s->scan);
    s->frames = s->tiles = 0;
}

/* Without the sum that rounds up, which could overflow. */
static uint32_t segments_tiles(uint32_t items)
{
    return items / SEGMENT_TILE + (items % SEGMENT_TILE != 0);
}

/* Tiles begin at each frame's first item: a sum of a frame does not depend on the frames before it.
 */
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

/* Groups add to the bins of a frame by atomics, so these begin at 0. The sums are integers: their
 * order makes no difference. */
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

/* Counted and written in two launches: a tile knows its first position only when all are counted.
 */
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
    /* The host needs the number of all before it can make space for them. */
    TRY(buffer_read(d, start, 0, first, (size_t)frames + 1));
    TRY(buffer_fit(d, index, first[frames]));
    TRY(RUN_CHUNKS(d, compact_write, s->tiles, &s->item0, mark, wanted, &s->offset, index));
out:
    return err;
}
