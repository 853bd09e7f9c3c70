/* Instants of a step that are roots of polynomials: exactly, by Sturm chains and halving. */
#ifndef IMP_ORACLE_ROOT_H
#define IMP_ORACLE_ROOT_H

#include "oracle_polynomial.h"

#define ROOTS_MOST 6

/* The number `low`, or the one root of `of`, which is square-free and has `slope` as derivative,
 * between low and high, which are none. */
typedef struct moment {
    int exact;
    dyadic low, high;
    const polynomial *of, *slope;
} moment;

/* The roots of a polynomial in (0, 1], ascending. */
typedef struct roots {
    polynomial of, slope;
    polynomial_chain chain;
    int count;
    moment at[ROOTS_MOST];
} roots;

/* p is of degree 6 at most, and not 0 everywhere. *r stays where it is until it is closed. */
void roots_open(roots *r, const polynomial *p);
void roots_close(roots *r);

/* The number 0 */
void moment_start(moment *t);
void moment_close(moment *t);

/* The sign of a polynomial there, of degree 4 at most. */
int moment_sign(const moment *t, const polynomial *p);

/* The greatest float64 that is not more. */
double moment_rounded_down(const moment *t);

#endif
