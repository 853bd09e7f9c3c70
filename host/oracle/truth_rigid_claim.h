/* A row of simulated bodies, for truth_rigid.c. */
#ifndef IMP_TRUTH_RIGID_CLAIM_H
#define IMP_TRUTH_RIGID_CLAIM_H

#include "rigid_step.h"

/* One thread's: a pair of bodies. */
typedef struct rigid_workspace {
    const rigid_step *s;
    rigid_pair at;
    uint32_t a, b; /* a < b */
    double point_error;
    double floor; /* the distance must be that, or more */
    rigid_found found;
    char text[300]; /* of the last fault */
} rigid_workspace;

/* Returns DIFFERS. */
int rigid_fault(rigid_workspace *w, double time, const char *what);

/* Places both, and says how far they are from each other, 0 where one is in the other; more than
 * `most` may be any number of more than `most`. */
double rigid_gap_at(rigid_workspace *w, double time, double most);

/* Is it a contact of these primitives, with these points and features? *gap: their distance. */
int rigid_claim_measure(rigid_workspace *w, const rigid_claim *c, double *gap);

#endif
