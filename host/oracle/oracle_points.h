/* Points of rational coordinates: integers with a common denominator. Fractions are never
 * shortened, as that takes longer than all else. */
#ifndef IMP_ORACLE_POINTS_H
#define IMP_ORACLE_POINTS_H

#include "oracle_integers.h"

/* Coordinate k is v[k] / v[3] in units of 2^unit, the same for all points of a pair. v[3] > 0. */
typedef struct rational_point {
    mpz_t v[4];
    double near[3]; /* the coordinates, not in units: so exact that most comparisons need no more */
} rational_point;

void point_init(rational_point *p);
void point_clear(rational_point *p);

/* Sets near: after each change of v. */
void point_approximate(rational_point *p, int unit);

/* Lexicographic: less than 0 if a is before b, 0 if they are equal. */
int point_compare(const rational_point *a, const rational_point *b);

/* Is each coordinate of x the float64 nearest to that of p, of two the even one? */
int point_rounds_to(const rational_point *p, int unit, const double x[3]);

/* r = (b - a) times both denominators */
void point_between(vector r, const rational_point *a, const rational_point *b);

/* The two of n different points that are farthest apart, the lesser first; of ties the least pair,
 * compared exactly. */
void points_farthest(const rational_point *p, int n, int end[2]);

#endif
