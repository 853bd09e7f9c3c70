/* Vertices at one position become one vertex. */
#ifndef IMP_WELD_H
#define IMP_WELD_H

#include "file_shape.h"

/* Merges vertices by position. Vertices are taken in order: each joins the first of the vertices
 * kept so far within `tolerance`, else it is kept itself. So no vertex moves
 * further than the tolerance, kept ones do not move at all, and a chain of close vertices does not
 * shrink to a point. With tolerance 0 the coordinates must be equal, where -0 equals 0. Vertices
 * with a NaN are kept; infinite coordinates are near only to their equals.
 *
 * Kept vertices stay in order, also those that no primitive uses. Primitives are renumbered; none
 * is dropped, so that some may now have two equal vertices. The result depends on the order of the
 * vertices, their positions and the tolerance only.
 *
 * *map, unless map is NULL, receives the new number of each old vertex; free() it.
 *
 * Errors: ARGUMENT (tolerance negative, infinite or NaN), MEMORY; *io is then as it was. */
int weld(double tolerance, file_shape *io, uint32_t **map);

/* Merges the vertices of another frame of the same topology as an earlier one was: wherever they
 * are now, so that the topology stays the same. `kept` is how many vertices there were then. */
void weld_again(const uint32_t *map, uint32_t kept, file_shape *io);

#endif
