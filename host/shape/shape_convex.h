/* Two convex bodies. Within host/shape. */
#ifndef IMP_SHAPE_CONVEX_H
#define IMP_SHAPE_CONVEX_H

#include "shape_hull.h"
#include "shape_query.h"

/* ---- shape_inside.c */

/* Is a vertex of one side's hull in the other body, but for rounding? Takes time in proportion to
 * the other's faces. */
int shape_inside(const shape_query *q, int side, uint32_t vertex);

#endif
