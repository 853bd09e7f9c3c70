/* Within turning_pair.h: what is asked of two primitives. */
#ifndef IMP_TURNING_ASK_H
#define IMP_TURNING_ASK_H

#include "turning_way.h"

#include <stdatomic.h>

/* Features of two primitives: a vertex and a face, or two edges. */
typedef struct turning_couple {
    int kind;                 /* enum imp_kind */
    int64_t feature[2];       /* of either, as in imp_contacts */
    int split;                /* corners of the first feature: 3 of a face, 2 of an edge */
    uint8_t of[4], corner[4]; /* which primitive's, and which of its corners; a face comes first */
} turning_couple;

#define TURNING_COUPLES 68 /* of two tetrahedra */

/* For turning_phase.c: the most cells into which the next interval is divided, and the number of
 * cells so far that proved nothing. */
typedef struct turning_tries {
    uint64_t cells, vain;
} turning_tries;

#define TURNING_CELLS 64 /* at first */

typedef struct turning_pair {
    turning_prim of[2]; /* in an order that does not depend on their numbers */
    int swapped;        /* is of[0] the second one? */
    int couples;        /* features that share no vertex */
    int shared;         /* some do */
    turning_couple couple[TURNING_COUPLES];
    double distance, tolerance;
    const atomic_int *cancel;
    uint32_t looks; /* at intervals, up to now, */
    turning_tries tries;
    int nearest; /* the couple that was, the last time */
} turning_pair;

/* Were there too many looks, or was it cancelled? Then nothing more is said. */
static inline int turning_pair_over(const turning_pair *p)
{
    return p->looks > TURNING_LOOKS || atomic_load(p->cancel);
}

/* Two convex hulls: their corners, and the couples of features of both. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
    const turning_couple *couple;
    int couples;
} hulls;

/* What is asked of them: when are they first no farther apart than `least`? */
typedef struct asking {
    turning_pair *p;
    const turning_ways *w;
    hulls h;
    double apart; /* turning_ways_apart */
    double least;
    double before; /* only times before that matter */
} asking;

#endif
