/* Instants of a step that are roots of forms, exactly: their order, the signs of other forms then,
 * and their fractions of the step as float64. Work grows with the logarithm of how small or how
 * near each other they are. Within host/exact. */
#ifndef IMP_EXACT_INSTANT_H
#define IMP_EXACT_INSTANT_H

#include "exact_form.h"

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

#endif
