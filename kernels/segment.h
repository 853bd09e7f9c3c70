/* Tiles of the items of a block's frames, for reduce.cl, histogram.cl and compact.cl, and for the
 * host (host/device/parallel.h), which launches them. */
#ifndef IMP_SEGMENT_H
#define IMP_SEGMENT_H

#define SEGMENT_GROUP 256 /* work-items of a work-group; lanes of a sum of f64 */
#define SEGMENT_PER 8     /* items of a tile per work-item: a million fill a GPU of 132 units */
#define SEGMENT_TILE (SEGMENT_GROUP * SEGMENT_PER)

#endif
