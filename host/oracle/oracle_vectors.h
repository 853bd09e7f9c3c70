/* Vectors whose coordinates are polynomials of the time of a step. */
#ifndef IMP_ORACLE_VECTORS_H
#define IMP_ORACLE_VECTORS_H

#include "oracle_polynomial.h"

typedef polynomial polynomial_vector[3];

/* Four points, which have coordinates from[0] at the start and from[1] at the end, and
 * `length` as integers of one unit. Both are made. */
void vectors_read(const double from[2][4][3], double length, polynomial_vector out[4],
                  mpz_t in_units);
void vectors_clear(int count, polynomial_vector *v);

/* These make r, which is not one of the others. */
void vectors_between(polynomial_vector r, polynomial_vector from, polynomial_vector to);
void vectors_cross(polynomial_vector r, polynomial_vector a, polynomial_vector b);
void vectors_dot(polynomial *r, polynomial_vector a, polynomial_vector b);

#endif
