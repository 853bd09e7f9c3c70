/* Reduction, histogram and compaction over the frames of a block, whose items are numbered one
 * frame after another; sources in kernels/reduce.cl, histogram.cl and compact.cl. Kernels over all
 * items have one work-item or work-group for a tile, not for a frame: a block may have one frame,
 * or many thousands. Results are the same bits on all devices. */
#ifndef IMP_SEGMENTS_H
#define IMP_SEGMENTS_H

#include "scan.h"
#include "segment.h"

/* A kernel that has both forms, with the same arguments: n stretches, each for an item or, by its
 * form NAME_group, for a work-group. */
#define RUN_CHUNKS(d, kernel, n, ...)                                                              \
    ((d)->groups                                                                                   \
         ? RUN_GROUP(d, kernel##_group, (uint64_t)(n)*SEGMENT_GROUP, SEGMENT_GROUP, __VA_ARGS__)   \
         : RUN(d, kernel, n, __VA_ARGS__))

/* The cut of items into tiles that do not cross frames, and working memory, reused from call to
 * call. All zero at first. */
typedef struct segments {
    uint32_t frames, tiles;
    buffer_u32 item0; /* [tiles + 1] first item of each tile, then the number of all */
    buffer_u32 tile0; /* [frames + 1] first tile of each frame, likewise */
    buffer_u32 part_u32, count;
    buffer_f64 part_f64;
    buffer_u64 offset;
    scanner scan;
} segments;

/* start: [frames + 1] first item of each frame, then the number of all. One call serves all
 * reductions over these frames. */
int segments_cut(device *d, segments *s, const uint32_t *start, uint32_t frames);
void segments_free(device *d, segments *s);

/* Reduces the items of each frame to *out, [frames]; see kernels/reduce.cl. Boxes are six numbers
 * an item and a frame. A sum of f64 is one of tiles, which are of a fixed length from the frame's
 * first item on: its last bits depend on the frame alone. */
int reduce_boxes_f64(device *d, segments *s, const buffer_f64 *in, buffer_f64 *out);
int reduce_sums_f64(device *d, segments *s, const buffer_f64 *in, buffer_f64 *out);
int reduce_sets(device *d, segments *s, const buffer_u8 *in, buffer_u32 *out);

/* out[bins * f + b]: number of items i of frame f with bin[i] = b < bins. */
int histogram(device *d, segments *s, const buffer_u32 *bin, uint32_t bins, buffer_u32 *out);

/* Lists the items with mark[i] = wanted, ascending, in *index. *start and first, both [frames + 1],
 * get the first entry of each frame, and their number after the last frame: so the list is numbered
 * as the items were, and can be cut again. */
int compact(device *d, segments *s, const buffer_u8 *mark, uint8_t wanted, buffer_u32 *index,
            buffer_u32 *start, uint32_t *first);

#endif
