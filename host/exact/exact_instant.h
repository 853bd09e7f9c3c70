/* Instants of a step that are roots of forms, exactly: their order, the signs of other forms then,
 * and their fractions of the step as float64. Work grows with the logarithm of how small or how
 * near each other they are. Within host/exact. */
#ifndef IMP_EXACT_INSTANT_H
#define IMP_EXACT_INSTANT_H

#include "exact_form.h"

typedef struct instant {
    const form *root_of;
    ratio from, to; /* an open interval with the instant and no other root, which is a simple one */
    int before;     /* sign of root_of just after `from`; 0: `from` is the instant */
    int bits;       /* that the next refinement tries to find; 0: the exponent */
    double toi;     /* rounded down; set by instant_round */
} instant;

void instant_init(instant *x); /* the start, a root of nothing */
void instant_clear(instant *x);

/* All different roots of a form within [0, 1], ascending. */
typedef struct instants {
    form of[FORM_DEGREE]; /* the form without its roots at 0 and 1, and its derivatives */
    int forms;            /* of these */
    int count;
    instant at[FORM_DEGREE];
} instants;

/* p is not 0. *r stays where it is until it is cleared. */
void instants_find(instants *r, const form *p);
void instants_clear(instants *r);

/* Sets the toi: the greatest float64 that is not above x. And x's interval becomes that between
 * the toi and its successor, so that most signs are seen at once. */
void instant_round(instant *x);

/* of q at x; 0 exactly where q is 0. If it is not 0, q has that sign in all of x's interval. */
int instant_sign(instant *x, const form *q);

#endif
