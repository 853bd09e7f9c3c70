/* Within turning_pair.h: what is asked of two primitives. */
#ifndef IMP_TURNING_ASK_H
#define IMP_TURNING_ASK_H

#include "turning_way.h"

#include <stdatomic.h>

/* Features of two primitives: a vertex and a face, or two edges. */
typedef struct rigid_couple {
    int kind;                 /* enum imp_kind */
    int64_t feature[2];       /* of either, as in imp_contacts */
    int split;                /* corners of the first feature: 3 of a face, 2 of an edge */
    uint8_t of[4], corner[4]; /* which primitive's, and which of its corners; a face comes first */
} rigid_couple;

#define RIGID_COUPLES 68 /* of two tetrahedra */

/* For turning_phase.c: the most cells into which the next interval is divided, and the number of
 * cells so far that proved nothing. */
typedef struct rigid_tries {
    uint64_t cells, vain;
} rigid_tries;

#define RIGID_CELLS 64 /* at first */

typedef struct toi_pair {
    rigid_prim of[2]; /* in an order that does not depend on their numbers */
    int swapped;      /* is of[0] the second one? */
    int couples;      /* features that share no vertex */
    int shared;       /* some do */
    rigid_couple couple[RIGID_COUPLES];
    double distance, tolerance;
    const atomic_int *cancel;
    uint32_t intervals; /* tested up to now, */
    rigid_tries tries;
    int nearest; /* the couple that was, the last time */
} toi_pair;

/* Were there too many intervals, or was it cancelled? Then nothing more is said. */
static inline int rigid_toi_over(const toi_pair *p)
{
    return p->intervals > RIGID_INTERVALS_MOST || atomic_load(p->cancel);
}

/* Two convex hulls: their corners, and the couples of features of both. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
    const rigid_couple *couple;
    int couples;
} hulls;

/* What is asked of them: when are they first no farther apart than `least`? */
typedef struct toi_query {
    toi_pair *p;
    const trajectories *w;
    hulls h;
    double apart; /* trajectories_apart */
    double least;
    double before; /* only times before that matter */
} toi_query;

#endif
