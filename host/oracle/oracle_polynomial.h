/* Polynomials with integer coefficients of any length, and Sturm chains of them: how many roots are
 * between two points, and which signs another polynomial has there. */
#ifndef IMP_ORACLE_POLYNOMIAL_H
#define IMP_ORACLE_POLYNOMIAL_H

#include <gmp.h>

/* The highest degree: of a quartic times the derivative of one of degree 6. */
#define POLYNOMIAL_MOST 9

typedef struct polynomial {
    int degree; /* -1: it is 0 everywhere */
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

/* r + a b, r - a b; r is neither */
void polynomial_add_product(polynomial *r, const polynomial *a, const polynomial *b);
void polynomial_subtract_product(polynomial *r, const polynomial *a, const polynomial *b);

/* r is not p, here and below */
void polynomial_derivative(polynomial *r, const polynomial *p);

/* Has the roots of p, each once. p is not 0 everywhere. */
void polynomial_square_free(polynomial *r, const polynomial *p);

/* m / 2^bits */
typedef struct dyadic {
    mpz_t m;
    mp_bitcnt_t bits;
} dyadic;

void dyadic_init(dyadic *x, unsigned long m, mp_bitcnt_t bits);
void dyadic_clear(dyadic *x);

int polynomial_sign(const polynomial *p, const dyadic *x);

/* p, q, and then the negative remainder of the two before, times a constant > 0. */
typedef struct polynomial_chain {
    int count;
    polynomial p[POLYNOMIAL_MOST + 1];
} polynomial_chain;

/* p is not 0 everywhere, and of degree 6 at most. */
void chain_open(polynomial_chain *c, const polynomial *p, const polynomial *q);
void chain_close(polynomial_chain *c);

/* Changes of sign along the chain at x, zeros left out. For q = p' and p square-free, changes(a) -
 * changes(b) is the number of roots in (a, b] (Sturm). For q = p' f, where neither a nor b is a
 * root of p, it is the sum of the signs of f at the roots of p between (Tarski). */
int chain_changes(const polynomial_chain *c, const dyadic *x);

#endif
