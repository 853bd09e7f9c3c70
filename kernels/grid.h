/* The layout of a sorted grid, for the search (grid.cl) and the host that builds it. */
#ifndef IMP_GRID_H
#define IMP_GRID_H
#include "segment.h"

#define GRID_REACH 1u   /* cells along y and z that a box of the level may span beyond its first */
#define GRID_REACH_X 4u /* the same for x */
#define GRID_FINE 30.0f /* parts of a cell along y and z: see grid_cells.h */
#define GRID_FINE_MOST 67108864.0f /* 2^26: their numbers stay integers */
#define GRID_BINS 128              /* bins of the histogram of sizes, four an octave */
#define GRID_OCTAVES 28            /* octaves below 1, where the bins begin; they end at 16 */
#define GRID_WORDS 12              /* words of a level's record */
#define GRID_WORDS_BOX 9           /* words of a primitive in the GPU layout: grid_cells.h */
#define GRID_BEHIND 7              /* bounds words that a search reads past the end */
#define GRID_WORDS_CORNER 4
#define GRID_PARTS 2                    /* most parts of a frame */
#define GRID_CHUNK (16 * SEGMENT_GROUP) /* cells of a work-group in grid_starts_group */

#endif
