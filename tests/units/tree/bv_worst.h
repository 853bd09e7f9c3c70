/* Pairs of oriented boxes with the greatest error of their overlap test: their axes are as far from
 * orthonormal as BV_UNIT allows, in the directions that add up, and they touch in one point. */
#ifndef IMP_BV_WORST_H
#define IMP_BV_WORST_H

#include "bv.h"
#include "testlib.h"

/* a and b have a common point, proven in rational arithmetic. Their rotations are random; their
 * sizes are those of boxes around the cube of half edge BV_EXTENT. Returns 0 if rounding took the
 * axes beyond BV_UNIT, which happens to one pair in forty. */
int bv_worst(rng *r, bv_obb *a, bv_obb *b);

/* The distance of the common point from the boxes as the test sees them: the least margin with
 * which it does not deny the overlap. */
double bv_needed(const bv_obb *a, const bv_obb *b);

#endif
