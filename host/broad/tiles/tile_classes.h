/* Divides the primitives of a frame into classes by their bounding cubes (kernels/tiles.cl). */
#ifndef IMP_TILE_CLASSES_H
#define IMP_TILE_CLASSES_H

#include "size_classes.h"
#include "tiles.h"

/* Of a frame: each begins with a size that occurs, and holds TILES_CLASS bins. */
#define TILE_CLASSES_MOST (TILES_PARTS * (TILES_BINS / TILES_CLASS))

/* Classes of one frame, the largest first; returns how many: none for a frame without primitives.
 * A part has at most log2(R) + 2, R its largest cube by its smallest one that has a size. Cubes
 * of a class differ by less than a factor of two. `most` is the edge of a class's tiles.
 * histogram: [TILES_PARTS * TILES_BINS], as size_bins numbers sizes; out: [TILE_CLASSES_MOST]. */
uint32_t tile_classes(const uint32_t *histogram, uint32_t bipartite, size_class *out);

/* log2 of the buckets of a class with that many primitives, of a frame that has `all` and a view
 * that has `view`. */
uint32_t tile_bits(uint32_t prims, uint32_t all, uint32_t view);

#endif
