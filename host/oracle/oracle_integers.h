/* Coordinates as integers of one unit, as long as they are, and vectors of these. */
#ifndef IMP_ORACLE_INTEGERS_H
#define IMP_ORACLE_INTEGERS_H

#include <gmp.h>

/* out[0 .. n - 1], which are initialised: x in units of 2^u, where u is returned. x is finite. */
int oracle_integers(int n, const double *x, mpz_t *out);

typedef mpz_t vector[3];

void vector_init(vector v);
void vector_clear(vector v);
void vector_subtract(vector r, vector a, vector b);

/* r is neither a nor b */
void vector_cross(vector r, vector a, vector b);
void vector_dot(mpz_t r, vector a, vector b);

/* f[0] / f[1], with f[1] > 0, not shortened */
typedef mpz_t fraction[2];

void fraction_init(fraction f); /* 0 */
void fraction_clear(fraction f);
void fraction_set(fraction r, fraction a);
int fraction_compare(fraction a, fraction b); /* the sign of a - b */

#endif
