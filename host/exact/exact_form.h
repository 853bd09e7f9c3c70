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

#include "exact_number.h"

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

/* ---- signs (exact_form.c): by float64 where its error bounds allow */

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

/* ---- common roots (exact_form.c); neither a nor b is 0 */

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

/* ---- Instants of a step that are roots of forms, exactly: their order, the signs of other forms
 * then, and their fractions of the step as float64. Work grows with the logarithm of how small or
 * how near each other they are. Within host/exact. */

typedef struct form_root {
    const form *root_of;
    ratio from, to; /* an open interval with the instant and no other root, which is a simple one */
    int before;     /* sign of root_of just after `from`; 0: `from` is the instant */
    int bits;       /* that the next refinement tries to find; 0: the exponent */
    double toi;     /* rounded down; set by form_root_round */
} form_root;

void form_root_init(form_root *x); /* the start, a root of nothing */
void form_root_clear(form_root *x);

/* All different roots of a form within [0, 1], ascending. */
typedef struct form_roots {
    form of[FORM_DEGREE]; /* the form without its roots at 0 and 1, and its derivatives */
    int forms;            /* of these */
    int count;
    form_root at[FORM_DEGREE];
} form_roots;

/* p is not 0. *r stays where it is until it is cleared. */
void form_roots_find(form_roots *r, const form *p);
void form_roots_clear(form_roots *r);

/* Sets the toi: the greatest float64 that is not above x. And x's interval becomes that between
 * the toi and its successor, so that most signs are seen at once. */
void form_root_round(form_root *x);

/* of q at x; 0 exactly where q is 0. If it is not 0, q has that sign in all of x's interval. */
int form_root_sign(form_root *x, const form *q);

/* ---- The first root of a form in (0, 1) that something holds at, by float64 where its error
 * leaves no doubt. Within host/exact. */

#define CURVE_DEGREE 6

typedef struct curve {
    int degree;
    twofold c[CURVE_DEGREE + 1]; /* as in exact_form.h */
    double error;                /* of each of c */
    /* The value at t, which may be off by *error. */
    twofold (*value)(const void *of, double t, double *error);
    /* Does it hold at the root between t and the next float64 number? 1, 0 or SIGN_OPEN. */
    int (*holds)(const void *of, double t);
    const void *of;
} curve;

/* 1 and the greatest float64 number below the root; 0; or SIGN_OPEN if it cannot decide. */
int curve_first(const curve *c, double *toi);

#endif
