/* Polynomials with integer coefficients over the time of a step, as forms: with s = 1 - t one of
 * degree n is
 *
 *     c[0] s^n + c[1] s^(n-1) t + ... + c[n] t^n.
 *
 * Forms multiply as polynomials do, c[0] and c[n] are the values at 0 and 1, and c[i] / binomial(n,
 * i) is a Bernstein coefficient: in (0, 1) there are as many roots as the signs of c vary, or an
 * even number fewer (Descartes, with x = t/s). A form that is not 0 may begin or end with zeros:
 * roots at 0 or 1. Within host/exact. */
#ifndef IMP_EXACT_FORM_H
#define IMP_EXACT_FORM_H

#include <gmp.h>

#define FORM_DEGREE 6

typedef struct form {
    int degree;
    mpz_t c[FORM_DEGREE + 1];
} form;

/* An interval of time, or an instant if both ends are one, in units of 2^-bits. */
typedef struct span {
    mpz_t from, to;
    mp_bitcnt_t bits;
} span;

void span_init(span *s); /* 0 to 1 */
void span_clear(span *s);

/* to half of the unit */
void span_finer(span *s);

void form_init(form *p); /* 0 */
void form_clear(form *p);
void form_copy(form *r, const form *p);

int form_is_zero(const form *p);

/* of p's value at s->from */
int form_sign(const form *p, const span *s);

/* How often the signs of c vary. */
int form_variations(const form *p);

/* The sign of the first c that has one: of p just after 0. */
int form_sign_after(const form *p);

/* r = p over the span, whose ends are 0 and 1 of r; times a positive number. */
void form_over(form *r, const form *p, const span *s);

/* r = a b; r = a + sign b, of one degree; r += sign a b, r of degree a + b or still 0. r is neither
 * a nor b, except in sums. */
void form_mul(form *r, const form *a, const form *b);
void form_add(form *r, const form *a, const form *b, int sign);
void form_add_mul(form *r, const form *a, const form *b, int sign);

/* p = p (s + t)^k, which is p, of degree + k */
void form_raise(form *p, int k);

/* ---- common roots within (0, 1); neither a nor b is 0 */

/* r has the roots within (0, 1) that a and b have in common, as often as both have them. */
void form_gcd(form *r, const form *a, const form *b);

/* r has the roots of p within (0, 1), each once. */
void form_square_free(form *r, const form *p);

/* ---- three forms of one degree: a vector that moves */

typedef struct triple {
    form x[3];
} triple;

void triple_init(triple *v);
void triple_clear(triple *v);
void triple_sub(triple *r, const triple *a, const triple *b);
void triple_cross(triple *r, const triple *a, const triple *b);
void triple_dot(form *r, const triple *a, const triple *b);
int triple_is_zero(const triple *v);

#endif
