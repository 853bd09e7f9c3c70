/* Polynomials with dyadic coefficients over the time of a step, as forms: with s = 1 - t one of
 * degree n is
 *
 *     c[0] s^n + c[1] s^(n-1) t + ... + c[n] t^n.
 *
 * Forms multiply as polynomials do, and c[0] and c[n] are the values at 0 and 1. As polynomials of
 * x = t / s they have as many roots in (0, infinity), which is (0, 1) of t, as the signs of c vary,
 * or an even number fewer (Descartes). A form that is not 0 may begin or end with zeros: roots at 0
 * or 1. Private to host/exact. */
#ifndef IMP_EXACT_FORM_H
#define IMP_EXACT_FORM_H

#include "exact_number.h"

#define FORM_DEGREE 6

typedef struct form {
    int degree;
    dyad c[FORM_DEGREE + 1];
} form;

/* The time t / (s + t) of the step. Neither is negative, and one is not 0. So times near the start
 * or the end of the step are as short as those in the middle. */
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

/* The number of sign variations of c. */
int form_variations(const form *p);

/* The sign of the first nonzero c, and of the last: the signs of p just after 0 and just before
 * 1. */
int form_sign_after(const form *p);
int form_sign_before(const form *p);

/* r = a b; r = a + sign b, of the same degree; r += sign a b, r of degree a + b or still 0. r must
 * be neither a nor b, except that it may be the a of a sum. */
void form_mul(form *r, const form *a, const form *b);
void form_add(form *r, const form *a, const form *b, int sign);
void form_add_mul(form *r, const form *a, const form *b, int sign);

/* p = p (s + t)^k: the same polynomial, with its degree raised by k */
void form_raise(form *p, int k);

/* Removes the roots of p at 0 and 1: then c[0] and c[degree] are not 0, or p is 0 of degree 0. */
void form_drop_ends(form *p);

/* r is the derivative of p along x, without its roots at 0 and 1. */
void form_slope(form *r, const form *p);

/* ---- signs (exact_form.c): in float64 where its error bounds allow */

/* The sign of p at a ratio. */
int form_sign(const form *p, const ratio *at);

/* The value itself, times a positive number. */
void form_value(dyad *r, const form *p, const ratio *at);

/* The sign of a - b as times. */
int ratio_compare(const ratio *a, const ratio *b);

/* The approximate root of p in the interval, in which its sign must change once: a fraction of the
 * step. before: the sign of p at `from`. */
double form_root_float(const form *p, const ratio *from, const ratio *to, int before);

/* r = p over an interval, whose ends become 0 and 1 of r. */
void form_over(form *r, const form *p, const ratio *from, const ratio *to);

/* The sign of p between and at two times; 0: p may have several signs. */
int form_sign_within(const form *p, const ratio *from, const ratio *to);

/* The same in float64 alone, which takes far less time. */
int form_sign_within_float(const form *p, const ratio *from, const ratio *to);

/* ---- common roots (exact_form.c); neither a nor b may be 0 */

/* 0: a and b certainly have no common root in (0, 1). Fast. */
int form_may_share(const form *a, const form *b);

/* r has the common roots of a and b within (0, 1), with the lesser multiplicity. */
void form_gcd(form *r, const form *a, const form *b);

/* ---- three forms of the same degree: a moving vector */

typedef struct triple {
    form x[3];
} triple;

void triple_init(triple *v);
void triple_clear(triple *v);
void triple_sub(triple *r, const triple *a, const triple *b);
void triple_cross(triple *r, const triple *a, const triple *b);
void triple_dot(form *r, const triple *a, const triple *b);
int triple_is_zero(const triple *v);

/* ---- Times of a step that are roots of forms, represented exactly: their order, the signs of
 * other forms at them, and their fractions of the step as float64. The cost grows with the
 * logarithm of how small or how close they are. Private to host/exact. */

typedef struct form_root {
    const form *root_of;
    ratio from, to; /* an open interval whose only root is this one, which is simple */
    int before;     /* sign of root_of just after `from`; 0: `from` is the root */
    int bits;       /* bits that the next refinement tries to find; 0: the exponent */
    double toi;     /* rounded down; set by form_root_round */
} form_root;

void form_root_init(form_root *x); /* the start of the step, without a form */
void form_root_clear(form_root *x);

/* All different roots of a form within [0, 1], ascending. */
typedef struct form_roots {
    form of[FORM_DEGREE]; /* the form without its roots at 0 and 1, and its derivatives */
    int forms;            /* number of elements of `of` */
    int count;
    form_root at[FORM_DEGREE];
} form_roots;

/* p must not be 0. *r must not move until it is cleared. */
void form_roots_find(form_roots *r, const form *p);
void form_roots_clear(form_roots *r);

/* Sets the toi: the greatest float64 not above x. The interval of x becomes that between the toi
 * and its successor, so that most signs are decided at once. */
void form_root_round(form_root *x);

/* The sign of q at x; 0 exactly if q is 0 there. If nonzero, q has that sign in all of x's
 * interval. */
int form_root_sign(form_root *x, const form *q);

/* ---- The first root of a form in (0, 1) at which a predicate holds, in float64 where its error
 * allows a verdict. Private to host/exact. */

#define CURVE_DEGREE 6

typedef struct curve {
    int degree;
    twofold c[CURVE_DEGREE + 1]; /* as in exact_form.h */
    double error;                /* error bound of each coefficient */
    /* The value at t, within *error. */
    twofold (*value)(const void *of, double t, double *error);
    /* Returns whether the predicate holds at the root between t and the next float64: 1, 0 or
     * SIGN_OPEN. */
    int (*holds)(const void *of, double t);
    const void *of;
} curve;

/* Returns 1 and the greatest float64 below the root; 0; or SIGN_OPEN if undecided. */
int curve_first(const curve *c, double *toi);

#endif
