/* Polynomials with dyadic coefficients over the time of a step, as forms: with s = 1 - t one of
 * degree n is
 *
 *     c[0] s^n + c[1] s^(n-1) t + ... + c[n] t^n.
 *
 * Forms multiply as polynomials do, and c[0] and c[n] are the values at 0 and 1. As polynomials of
 * x = t / s they have as many roots in (0, infinity), which is (0, 1) of t, as the signs of c vary,
 * or an even number fewer (Descartes). A form that is not 0 may begin or end with zeros: roots at 0
 * or 1. Within host/exact. */
#ifndef IMP_EXACT_FORM_H
#define IMP_EXACT_FORM_H

#include "exact_dyad.h"

#define FORM_DEGREE 6

typedef struct form {
    int degree;
    dyad c[FORM_DEGREE + 1];
} form;

/* The instant t / (s + t) of the step. Neither is negative, one is not 0. So what is near the start
 * or near the end of the step is as short as what is in the middle. */
typedef struct ratio {
    dyad s, t;
} ratio;

void ratio_init(ratio *p); /* 0 */
void ratio_clear(ratio *p);
void ratio_set(ratio *r, const ratio *p);

void form_init(form *p); /* 0 */
void form_clear(form *p);
void form_copy(form *r, const form *p);

int form_is_zero(const form *p);

/* How often the signs of c vary. */
int form_variations(const form *p);

/* The sign of the first c that has one, of the last: of p just after 0, just before 1. */
int form_sign_after(const form *p);
int form_sign_before(const form *p);

/* r = a b; r = a + sign b, of one degree; r += sign a b, r of degree a + b or still 0. r is neither
 * a nor b, but may be the a of a sum. */
void form_mul(form *r, const form *a, const form *b);
void form_add(form *r, const form *a, const form *b, int sign);
void form_add_mul(form *r, const form *a, const form *b, int sign);

/* p = p (s + t)^k, which is p, of degree + k */
void form_raise(form *p, int k);

/* p without its roots at 0 and 1: c[0] and c[degree] are not 0, or p is 0, of degree 0. */
void form_drop_ends(form *p);

/* r is the derivative along x of p, without its roots at 0 and 1. */
void form_slope(form *r, const form *p);

/* ---- signs (exact_form_sign.c): by float64 where its error bounds allow */

/* of p's value at a ratio */
int form_sign(const form *p, const ratio *at);

/* The value itself, times a positive number. */
void form_value(dyad *r, const form *p, const ratio *at);

/* The sign of a - b as instants. */
int ratio_compare(const ratio *a, const ratio *b);

/* About where in the interval p, which changes its sign there once, is 0: a fraction of the step.
 * before: the sign of p at `from`. */
double form_root_float(const form *p, const ratio *from, const ratio *to, int before);

/* r = p over an interval, whose ends are 0 and 1 of r. */
void form_over(form *r, const form *p, const ratio *from, const ratio *to);

/* The sign that p has between two places, and there; 0: p may have several. */
int form_sign_within(const form *p, const ratio *from, const ratio *to);

/* The same by float64 alone, which takes far less time. */
int form_sign_within_float(const form *p, const ratio *from, const ratio *to);

/* ---- common roots (exact_form_gcd.c); neither a nor b is 0 */

/* 0: a and b certainly have no root in (0, 1) in common. It takes little time. */
int form_may_share(const form *a, const form *b);

/* r has the roots within (0, 1) that a and b have in common, as often as both have them. */
void form_gcd(form *r, const form *a, const form *b);

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
