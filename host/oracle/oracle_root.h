/* Instants of a step that are roots of polynomials: exactly, by Sturm chains and halving. */
#ifndef IMP_ORACLE_ROOT_H
#define IMP_ORACLE_ROOT_H

#include "oracle_polynomial.h"

#define ROOTS_MOST 6

/* The number `low`, or the one root of `of`, which is square-free and has `slope` as derivative,
 * between low and high, which are none. */
typedef struct oracle_root {
    int exact;
    dyadic low, high;
    const polynomial *of, *slope;
} oracle_root;

/* The roots of a polynomial in (0, 1], ascending. */
typedef struct oracle_roots {
    polynomial of, slope;
    polynomial_chain chain;
    int count;
    oracle_root at[ROOTS_MOST];
} oracle_roots;

/* p is of degree 6 at most, and not 0 everywhere. *r stays where it is until it is closed. */
void oracle_roots_open(oracle_roots *r, const polynomial *p);
void oracle_roots_close(oracle_roots *r);

/* The number 0 */
void oracle_root_start(oracle_root *t);
void oracle_root_close(oracle_root *t);

/* The sign of a polynomial there, of degree 4 at most. */
int oracle_root_sign(const oracle_root *t, const polynomial *p);

/* The greatest float64 that is not more. */
double oracle_root_rounded_down(const oracle_root *t);

#endif
