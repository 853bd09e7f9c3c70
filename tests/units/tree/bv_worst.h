/* Pairs of oriented boxes whose test errs by as much as it can: their axes are as far from
 * orthonormal as BV_UNIT allows, in the directions that add up, and they touch in one point. */
#ifndef IMP_BV_WORST_H
#define IMP_BV_WORST_H

#include "bv.h"
#include "testlib.h"

/* a and b have a point in common: that is proven in rational arithmetic. Turned by chance; their
 * sizes are those of boxes around the cube of half edge BV_EXTENT. Returns 0 if rounding took the
 * axes beyond BV_UNIT, which happens to one pair in forty. */
int bv_worst(rng *r, bv_obb *a, bv_obb *b);

/* How far the point that they have in common is outside of what the test takes them for: the least
 * margin with which it does not deny that they overlap. */
double bv_needed(const bv_obb *a, const bv_obb *b);

#endif
