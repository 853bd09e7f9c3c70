/* What is asked of the hulls of a few points beside signs. Within host/exact. */
#ifndef IMP_EXACT_HULL_H
#define IMP_EXACT_HULL_H

#include "exact.h"

/* Is x on the triangle a, b, c, which may have no area? */
int exact_in_triangle(const exact_point *x, const exact_point *a, const exact_point *b,
                      const exact_point *c);

#endif
