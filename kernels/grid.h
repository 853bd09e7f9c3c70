/* The shape of a sorted grid, for the search (grid.cl) and the host that lays it out. */
#ifndef IMP_GRID_H
#define IMP_GRID_H
#include "segment.h"

#define GRID_REACH 1u    /* cells along y and z that a box of the level may span beyond its first */
#define GRID_REACH_X 4u  /* the same along x */
#define GRID_FINE 120.0f /* parts of a cell along y and z: see grid_cells.h */
#define GRID_FINE_MOST 67108864.0f /* 2^26: their numbers stay whole */
#define GRID_BINS 128              /* of the histogram of sizes, four an octave */
#define GRID_OCTAVES 28            /* below 1, where the bins begin: they end at 16 */
#define GRID_WORDS 12              /* of a level's record */
#define GRID_WORDS_BOX 10          /* of a primitive, as GPUs read it: grid_cells.h */
#define GRID_BEHIND 6              /* words of bounds that a search reads behind all */
#define GRID_WORDS_CORNER 4
#define GRID_PARTS 2                    /* of a frame, at most */
#define GRID_CHUNK (16 * SEGMENT_GROUP) /* cells of a work-group that finds where they start */

#endif
