/* Random scenes of objects that are sets of cells of a lattice: they meet themselves, and are not
 * manifolds. */
#ifndef IMP_SOLID_CELLS_H
#define IMP_SOLID_CELLS_H

#include "solid_scenes.h"

#define CELLS 3
#define CELLS_AT 4 /* points are multiples of 1 / CELLS_AT */

/* Two sets of cells of a lattice in one object, the second of which may be turned over. */
typedef struct solid_cells_pair {
    char full[2][CELLS * CELLS * CELLS + 1];
    int turned;
} solid_cells_pair;

#define CELL_POINTS 200
#define FINE (CELLS * CELLS_AT)

/* Object 0 of cells at the origin, and points in units of 1 / CELLS_AT: object 1 has them as
 * triangles with one vertex, at most CELL_POINTS. */
void solid_cells_make(solid_scene *s, rng *r, solid_cells_pair *p, int (*at)[3], int points);

/* Adds multiples of y and z to x: winding numbers stay. */
void solid_cells_shear(solid_scene *s);

/* Two objects of cells, at `from` in units of 1 / CELLS_AT. */
void solid_cells_objects(solid_scene *s, rng *r, solid_cells_pair p[2], int from[2][3]);

/* Object 0 of cells at the origin, and object 1 a right-angled sheet: x and y of its lower corner,
 * then of the other one, and z, in units of 1 / CELLS_AT. */
void solid_sheet_make(solid_scene *s, rng *r, solid_cells_pair *p, int sheet[5]);

#endif
