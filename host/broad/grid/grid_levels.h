/* Divides the primitives of a frame into levels by size: each level has a grid whose cells are as
 * large as its largest primitive (kernels/grid.cl). */
#ifndef IMP_GRID_LEVELS_H
#define IMP_GRID_LEVELS_H

#include "grid.h"
#include "broad.h"

#define GRID_LEVELS_MOST (GRID_PARTS * GRID_BINS) /* per frame: one for each size */

/* Writes the levels of one frame to out, the largest first, and returns their number: at least one,
 * even for a frame without primitives. histogram: [GRID_PARTS * GRID_BINS] as made by grid_sizes or
 * histogram(); out: [GRID_LEVELS_MOST]. */
uint32_t grid_levels(const uint32_t *histogram, uint32_t bipartite, size_class *out);

#endif
