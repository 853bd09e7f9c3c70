/* A step of a result of simulated bodies, and what is found of it. */
#ifndef IMP_RIGID_STEP_H
#define IMP_RIGID_STEP_H

#include "rigid_motion.h"

/* A row of the result. */
typedef struct rigid_claim {
    double time;   /* seconds since the frame began */
    uint32_t a, b; /* primitives */
    int kind;
    int64_t feature[2];
    const double *point; /* six */
} rigid_claim;

typedef struct rigid_step {
    const rigid_shapes *shapes;
    const rigid_motion *motion;
    const imp_mesh *mesh;
    const matter *matter;
    double epsilon;
    double overlap;        /* the most that two convex bodies may be in each other at a contact */
    const uint8_t *wanted; /* [bodies] only pairs of these, with all others; NULL: all */
    const rigid_claim *claim; /* in the order of rows */
    size_t claims;
    int threads;
} rigid_step;

/* What was looked at. */
typedef struct rigid_found {
    uint64_t claims;          /* of wanted pairs */
    uint64_t proven, sampled; /* intervals of a pair that lack no contact: by a bound of their
                                 speed; as far as the distances at their ends say */
    double deepest;           /* the greatest overlap at a contact */
    uint64_t unmeasured; /* contacts at which bodies that are not both convex were in each other */
} rigid_found;

#endif
