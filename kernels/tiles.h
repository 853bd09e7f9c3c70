/* Classes of sizes and tables of tiles, for the search (tiles.cl) and the host that lays them out
 * (host/broad/tiles). */
#ifndef IMP_TILES_H
#define IMP_TILES_H

#define TILES_BINS 256   /* of the histogram of sizes, four an octave; 0: no size, or nearly */
#define TILES_OCTAVES 58 /* below 1, where the bins begin; bounds are rounded by 2^-49 and more */
#define TILES_CLASS 4    /* consecutive bins that a class has at most: sizes within a factor of 2 */
#define TILES_PARTS 2    /* of a frame, at most: prim_part */
#define TILES_WORDS 5    /* of a class's record */
#define TILES_NONE 0xffffffffu /* bin of what overlaps nothing */

#endif
