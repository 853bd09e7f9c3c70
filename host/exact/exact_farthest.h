/* Which two of some points are farthest apart. Within host/exact. */
#ifndef IMP_EXACT_FARTHEST_H
#define IMP_EXACT_FARTHEST_H

#include "exact_cut.h"

/* -1, 0, 1: lexicographic order. */
int exact_point_order(const exact_point *a, const exact_point *b);

/* The two of n > 0 points that are farthest apart, of ties the lexicographically least pair; each
 * pair in order. Distances are compared as float64. */
void exact_farthest(const exact_point *x, int n, double out[6]);

/* What rounds to x[at]. */
typedef struct exact_construction {
    cut from;
    int at;
} exact_construction;

/* The same, exactly: the two that the two farthest points of `of` round to. Each of the n has a
 * construction; more than one may be the same point. At most EXACT_COLLISIONS_MOST of either. */
void exact_farthest_of(const exact_point *x, int n, const exact_construction *of, int constructions,
                       double out[6]);

#endif
