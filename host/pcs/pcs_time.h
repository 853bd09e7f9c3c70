/* The earliest time at which two bodies can be as near as that: a lower bound, while velocities
 * stay as they are. */
#ifndef IMP_PCS_TIME_H
#define IMP_PCS_TIME_H

#include "pcs_motion.h"

/* What is known of two bodies at an instant. */
typedef struct pcs_gap {
    double distance, error; /* which is at least |distance - the true one| */
    double unit[3]; /* from a to b. Of convex bodies: all of b is at least distance - error beyond
                       all of a along it. 0 0 0: not known */
} pcs_gap;

/* From where two bodies are closest. moved: at least how far their points are from where the
 * motions take them. */
pcs_gap pcs_gap_of(const shape_nearest *near, double moved);

static inline int pcs_gap_is_directed(const pcs_gap *g)
{
    return g->unit[0] != 0 || g->unit[1] != 0 || g->unit[2] != 0;
}

/* Seconds, rounded down, before which the distance of a and b does not fall to `keep`:
 *     (distance - keep) / ((va - vb) unit + ra |wa| + rb |wb|)       both convex
 *     (distance - keep) / (|va - vb| + ra |wa| + rb |wb|)            otherwise
 * of the distance that they have at least. 0: it may be that already. INFINITY: they do not come
 * nearer. */
double pcs_time_least(const pcs_gap *g, double keep, const pcs_motion *a, const pcs_motion *b);

/* A longer time of the same meaning, if there is one between `least`, which is above 0 and of that
 * meaning, and `most`; INFINITY: it is not before `most`. By the planes across the direction u, of
 * length 1, from a to b, that stay as they are or turn with a body, and the trajectories of all
 * points: see pcs_reach.c. error: at least how far points are from where the motions take them.
 * now: in the time of the motions. */
double pcs_time_longer(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                       double error, double keep, double least, double most);

/* At least the speed at which their distance can change. */
double pcs_speed_most(const pcs_motion *a, const pcs_motion *b);

#endif
