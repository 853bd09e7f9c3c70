/* Dyadic rationals: m 2^(64 e) with integers of any length. Coordinates of very different sizes,
 * and products of them, stay as short as their significant limbs, and most sums need no shift.
 * Within host/exact. */
#ifndef IMP_EXACT_DYAD_H
#define IMP_EXACT_DYAD_H

#include <gmp.h>

typedef struct dyad {
    mpz_t m; /* its lowest limb is not 0, or m is */
    long e;  /* 0 where m is 0 */
} dyad;

void dyad_init(dyad *x); /* 0 */
void dyad_clear(dyad *x);
void dyad_set(dyad *r, const dyad *x);
void dyad_set_double(dyad *r, double x); /* finite */
void dyad_set_power(dyad *r, long e);    /* 2^e */

/* x 2^e */
void dyad_set_integer(dyad *r, const mpz_t x, long e);

static inline int dyad_sign(const dyad *x)
{
    return mpz_sgn(x->m);
}

/* r = a + sign b, r = a b, r += sign a b; sign: 1 or -1. r may be a, but b only in products. */
void dyad_add(dyad *r, const dyad *a, const dyad *b, int sign);
void dyad_mul(dyad *r, const dyad *a, const dyad *b);
void dyad_add_mul(dyad *r, const dyad *a, const dyad *b, int sign);

/* The sign of a - b. */
int dyad_compare(const dyad *a, const dyad *b);

/* x = d 2^*e with 0.5 <= |d| < 1, truncated: d errs by less than 2^-52 of itself; 0 for 0. */
double dyad_top(const dyad *x, long *e);

#endif
