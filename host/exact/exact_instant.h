/* Instants of a step that are roots of forms, exactly: their order, the signs of other forms then,
 * and their shares of the step as float64. Within host/exact. */
#ifndef IMP_EXACT_INSTANT_H
#define IMP_EXACT_INSTANT_H

#include "exact_form.h"

typedef struct instant {
    const form *root_of;
    span in;      /* the instant, or an open interval with it and no other root */
    int before;   /* sign of root_of just after in.from; 0: in is the instant */
    double share; /* rounded down; set by instant_round */
} instant;

void instant_init(instant *x); /* the start, a root of nothing */
void instant_clear(instant *x);

/* All different roots of a form within [0, 1], ascending. */
typedef struct instants {
    form simple; /* has the same roots within (0, 1), each once */
    int count;
    instant at[FORM_DEGREE];
} instants;

void instants_find(instants *r, const form *p); /* p is not 0 */
void instants_clear(instants *r);

/* Sets the share: the greatest float64 that is not above x. And x's interval is that between the
 * share and its successor, so that most signs are seen at once. */
void instant_round(instant *x);

/* of q at x; 0 exactly where q is 0 */
int instant_sign(instant *x, const form *q);

#endif
