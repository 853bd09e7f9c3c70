/* Coordinates as integers of one unit, as long as they are. */
#ifndef IMP_ORACLE_INTEGERS_H
#define IMP_ORACLE_INTEGERS_H

#include <gmp.h>

/* out[0 .. n - 1], which are initialised: x in units of 2^u, where u is returned. x is finite. */
int oracle_integers(int n, const double *x, mpz_t *out);

#endif
