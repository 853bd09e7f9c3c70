/* Numbers for the oracles: integers of any length, fractions, polynomials and their roots. */
#ifndef IMP_ORACLE_NUMBER_H
#define IMP_ORACLE_NUMBER_H

#include <gmp.h>

/* ---- Coordinates as integers in one unit, of any length, and vectors of these. */

/* Sets out[0 .. n - 1], which must be initialised, to x in units of 2^u and returns u. x must be
 * finite. */
int oracle_integers(int n, const double *x, mpz_t *out);

/* The same for the corners of two primitives; out is initialised here. The first corner stands for
 * those that a triangle lacks. */
int oracle_corner_integers(const int corners[2], const double (*x)[4][3], mpz_t out[24]);

typedef mpz_t vector[3];

void vector_init(vector v);
void vector_clear(vector v);
void vector_subtract(vector r, vector a, vector b);

/* r is neither a nor b */
void vector_cross(vector r, vector a, vector b);
void vector_dot(mpz_t r, vector a, vector b);

/* f[0] / f[1] with f[1] > 0, not reduced */
typedef mpz_t fraction[2];

void fraction_init(fraction f); /* 0 */
void fraction_clear(fraction f);
void fraction_set(fraction r, fraction a);
int fraction_compare(fraction a, fraction b); /* the sign of a - b */

/* ---- Polynomials with integer coefficients of any length, and Sturm chains of them, which give
 * the number of roots between two points and the signs of another polynomial there. */

/* Highest degree: that of a quartic times the derivative of a polynomial of degree 6. */
#define POLYNOMIAL_MOST 9

typedef struct polynomial {
    int degree; /* -1: identically 0 */
    mpz_t c[POLYNOMIAL_MOST + 1];
} polynomial;

void polynomial_init(polynomial *p); /* 0 */
void polynomial_clear(polynomial *p);
void polynomial_set(polynomial *r, const polynomial *a);

/* from + (to - from) t */
void polynomial_line(polynomial *r, const mpz_t from, const mpz_t to);

/* r may be a or b */
void polynomial_add(polynomial *r, const polynomial *a, const polynomial *b);
void polynomial_subtract(polynomial *r, const polynomial *a, const polynomial *b);

/* r + a b, r - a b; r must differ from both */
void polynomial_add_product(polynomial *r, const polynomial *a, const polynomial *b);
void polynomial_subtract_product(polynomial *r, const polynomial *a, const polynomial *b);

/* r must differ from p, here and below */
void polynomial_derivative(polynomial *r, const polynomial *p);

/* Has the roots of p, each once. p must not be identically 0. */
void polynomial_square_free(polynomial *r, const polynomial *p);

/* m / 2^bits */
typedef struct dyadic {
    mpz_t m;
    mp_bitcnt_t bits;
} dyadic;

void dyadic_init(dyadic *x, unsigned long m, mp_bitcnt_t bits);
void dyadic_clear(dyadic *x);

int polynomial_sign(const polynomial *p, const dyadic *x);

/* p, q, and then the negative remainder of the previous two, times a constant > 0. */
typedef struct polynomial_chain {
    int count;
    polynomial p[POLYNOMIAL_MOST + 1];
} polynomial_chain;

/* p must not be identically 0 and has degree 6 at most. */
void chain_open(polynomial_chain *c, const polynomial *p, const polynomial *q);
void chain_close(polynomial_chain *c);

/* Changes of sign along the chain at x, zeros left out. For q = p' and p square-free, changes(a) -
 * changes(b) is the number of roots in (a, b] (Sturm). For q = p' f, where neither a nor b is a
 * root of p, it is the sum of the signs of f at the roots of p between (Tarski). */
int chain_changes(const polynomial_chain *c, const dyadic *x);

/* ---- Times that are roots of polynomials, represented exactly by Sturm chains and bisection. */

#define ROOTS_MOST 6

/* The number `low`, or the only root between low and high of `of`, which is square-free and has the
 * derivative `slope`. low and high are not roots. */
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

/* p has degree 6 at most and must not be identically 0. *r must not move until it is closed. */
void oracle_roots_open(oracle_roots *r, const polynomial *p);
void oracle_roots_close(oracle_roots *r);

/* The number 0 */
void oracle_root_start(oracle_root *t);
void oracle_root_close(oracle_root *t);

/* The sign of a polynomial of degree 4 at most at the root. */
int oracle_root_sign(const oracle_root *t, const polynomial *p);

/* The greatest float64 not above the root. */
double oracle_root_rounded_down(const oracle_root *t);

#endif
