/* The cells of a grid over a box in which one object lies, as bits: those that its primitives
 * touch. A primitive of another object none of whose cells is set is apart from it. Vertices are
 * rounded down to cells, in order along each axis, so that ranges that overlap have a cell in
 * common. */
#ifndef IMP_OBJECT_CELLS_H
#define IMP_OBJECT_CELLS_H

#include "device.h"
#include "frame.h"

#include <stdint.h>

#define CELLS 64u       /* along each axis; the first and the last one are outside the box */
#define CELL_ROWS 4096u /* CELLS squared */
#define CELL_LAST 63u   /* beyond the box; the last within it is the one before */
#define CELL_EXTREME (1u << 24)

/* The cells of a vertex: byte k has that along axis k. */
typedef uint32_t cell_code;

/* A grid. Along each axis the box has whole cells, which begin with number 1. Coordinates are
 * halved, so that differences do not overflow. */
typedef struct cell_axes {
    double half[DIMENSIONS]; /* half of the box's lower corner */
    double per[DIMENSIONS];  /* cells in 2; 0 if that is no finite number: all is one cell */
    double end[DIMENSIONS];  /* number of the first cell beyond the box, at most CELL_LAST */
    double one[DIMENSIONS];  /* the cell of the lower corner, 1; or where it is moved to */
} cell_axes;

/* A grid over a box whose longest side has `most` cells, at most CELLS - 2. */
cell_axes cell_axes_make(const double *lo, const double *hi, double most);

/* The same for vertices that are moved by `by` along each axis, which is rounded by less than 2^-40
 * of the box's longest side. */
cell_axes cell_axes_moved(const cell_axes *a, double by);

/* Codes of `count` vertices of a frame, from the first one on, by the host's kernels of a device.
 * They are monotone in each coordinate. */
void cell_codes(const device *d, const cell_axes *a, const imp_frame *f, uint32_t first,
                uint32_t count, cell_code *code);

/* Bit x of row[CELLS * z + y] is a cell. */
typedef struct cell_set {
    int full; /* all cells within the box are set, whatever the bits are */
    uint64_t row[CELL_ROWS];
} cell_set;

void cell_set_join(cell_set *s, const cell_set *other);

/* Sets the cells of a range, whose ends are codes. A range of more than `most` rows fills the set.
 */
void cell_set_add(cell_set *s, cell_code lo, cell_code hi, uint32_t most);

/* A set for look-ups: row[i] joins each row with the next one along y (i & 1) and z (i & 2). */
typedef struct cell_lookup {
    cell_code lo, hi; /* a box that contains the cells; lo > hi along an axis if there are none */
    uint64_t row[4][CELL_ROWS];
} cell_lookup;

void cell_lookup_make(const cell_set *s, cell_lookup *out);

/* Primitives with `corners` vertices each, whose codes are least[] and most[]. */
typedef struct cell_prims {
    uint32_t count, corners;
    const uint32_t *corner;
    const cell_code *least, *most;
} cell_prims;

/* The ranges of cells of primitives, and whether each may have a cell of the set; for all but very
 * long ones, whether it has. l: NULL if all may. */
void cell_ranges(const device *d, const cell_prims *p, const cell_lookup *l, cell_code *lo,
                 cell_code *hi, uint8_t *any);

/* The first of any[i .. n - 1] that is not 0, or n. */
uint32_t cell_next(const uint8_t *any, uint32_t i, uint32_t n);

#endif
