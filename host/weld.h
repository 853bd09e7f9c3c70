/* Vertices at one place become one vertex. */
#ifndef IMP_WELD_H
#define IMP_WELD_H

#include "obj.h"

/* Merges vertices by position. Vertices are taken in order: each joins the first of the vertices
 * kept so far whose distance is at most `tolerance`, else it is kept itself. So no vertex moves
 * further than the tolerance, kept ones do not move at all, and a chain of close vertices does not
 * shrink to a point. With tolerance 0 the coordinates must be equal, where -0 equals 0. Vertices
 * with a NaN are kept; infinite coordinates are near only to their equals.
 *
 * Kept vertices stay in order, also those that no triangle uses. Triangles are renumbered; none is
 * dropped, so that some may now have two equal vertices. The result depends on the order of the
 * vertices, their positions and the tolerance only.
 *
 * Errors: ARGUMENT (tolerance negative, infinite or NaN), MEMORY; *io is then as it was. */
int weld(double tolerance, obj *io);

#endif
