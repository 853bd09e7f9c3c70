/* Prefix sums and sorting on a device; sources in kernels/scan.cl and sort.cl. */
#ifndef IMP_PARALLEL_H
#define IMP_PARALLEL_H

#include "device.h"
#include "segment.h"

/* Working memory, reused from call to call. Zero at first. */
typedef struct scanner {
    buffer_u64 partial, found;
} scanner;

typedef struct sorter {
    buffer_u32 key, value, histogram;
    buffer_u64 offset, total; /* total: sums of a digit, by work-groups */
    scanner scan;
} sorter;

void scanner_free(device *d, scanner *s);
void sorter_free(device *d, sorter *s);

/* offset[i] = count[0] + ... + count[i - 1], u64 [n + 1] from u32 [n]; *total = offset[n]. */
int scan_counts(device *d, scanner *s, const buffer_u32 *count, uint32_t n, buffer_u64 *offset,
                uint64_t *total);

/* Values of offset[index[i]], i < n. */
int scan_gather(device *d, scanner *s, const buffer_u64 *offset, const buffer_u32 *index,
                uint32_t n, uint64_t *out);

/* The largest index p with first < p <= n and offset[p] <= limit, or first + 1 if no such p exists;
 * *at = offset[p]. */
int scan_find(device *d, scanner *s, const buffer_u64 *offset, uint32_t n, uint32_t first,
              uint64_t limit, uint32_t *place, uint64_t *at);

/* Sorts n (key, value) pairs of u32 by the low `bits` of the key; stable. The sorted arrays are in
 * *key and *value, whose buffers may have been swapped with the sorter's. */
int sort_by_key(device *d, sorter *s, buffer_u32 *key, buffer_u32 *value, uint64_t n,
                uint32_t bits);

/* Sorts n pairs of numbers below 2^bits by (a, b). Buffers may be swapped as by sort_by_key. */
int sort_pairs(device *d, sorter *s, buffer_u32 *a, buffer_u32 *b, uint64_t n, uint32_t bits);

/* bits needed for numbers below n */
uint32_t bits_for(uint64_t n);

/* ---- Reduction, histogram and compaction over the frames of a block, whose items are numbered one
 * frame after another; sources in kernels/reduce.cl, histogram.cl and compact.cl. Kernels over all
 * items have one work-item or work-group for a tile, not for a frame: a block may have one frame,
 * or many thousands. Results are the same bits on all devices. */

/* Runs a kernel with both forms, which have the same arguments, over n chunks: each chunk is an
 * item's or, in the form NAME_group, a work-group's. */
#define RUN_CHUNKS(d, kernel, n, ...)                                                              \
    ((d)->groups                                                                                   \
         ? RUN_GROUP(d, kernel##_group, (uint64_t)(n)*SEGMENT_GROUP, SEGMENT_GROUP, __VA_ARGS__)   \
         : RUN(d, kernel, n, __VA_ARGS__))

/* The division of items into tiles that do not cross frames, and working memory, reused from call
 * to call. Zero at first. */
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

/* Reduces the items of each frame to *out, [frames]; see kernels/reduce.cl. A box is six numbers,
 * in and out. A sum of f64 is a sum over tiles of fixed length from the frame's first item on, so
 * that its last bits depend on the frame alone. */
int reduce_boxes_f64(device *d, segments *s, const buffer_f64 *in, buffer_f64 *out);
int reduce_sums_f64(device *d, segments *s, const buffer_f64 *in, buffer_f64 *out);
int reduce_sets(device *d, segments *s, const buffer_u8 *in, buffer_u32 *out);

/* out[bins * f + b]: number of items i of frame f with bin[i] = b < bins. */
int histogram(device *d, segments *s, const buffer_u32 *bin, uint32_t bins, buffer_u32 *out);

/* Lists the items with mark[i] = wanted, ascending, in *index. *start and first, both [frames + 1],
 * get the first entry of each frame, then the number of all: so the list is numbered as the items
 * were, and can be divided again. */
int compact(device *d, segments *s, const buffer_u8 *mark, uint8_t wanted, buffer_u32 *index,
            buffer_u32 *start, uint32_t *first);

#endif
