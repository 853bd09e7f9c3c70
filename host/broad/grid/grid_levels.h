/* Divides the primitives of a frame into levels of sizes: each has a grid with cells as large as
 * its largest primitive (kernels/grid.cl). */
#ifndef IMP_GRID_LEVELS_H
#define IMP_GRID_LEVELS_H

#include "grid.h"
#include "broad.h"

#define GRID_LEVELS_MOST (GRID_PARTS * GRID_BINS) /* of a frame: as many as there are sizes */

/* Levels of one frame, the largest first; returns how many, which is at least one, also for a frame
 * without primitives. histogram: [GRID_PARTS * GRID_BINS] as grid_sizes or histogram() makes it;
 * out: [GRID_LEVELS_MOST]. */
uint32_t grid_levels(const uint32_t *histogram, uint32_t bipartite, size_class *out);

#endif
