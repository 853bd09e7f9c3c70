/* The first root of a form in (0, 1) that something holds at, by float64 where its error leaves no
 * doubt. Within host/exact. */
#ifndef IMP_EXACT_CURVE_H
#define IMP_EXACT_CURVE_H

#include "exact_twofold.h"

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
