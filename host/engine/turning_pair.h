/* Two primitives between two instants, one or both of which turn: when do they meet first, or come
 * as near as a distance?
 *
 * Conservative advancement by halves, in order of time. In an interval of time all vertices are
 * near the straight ways between their places at its ends; how near is known by the angle of the
 * turn. A direction that is linear in time, too, shows by three numbers that the primitives are
 * apart all the time (turning_apart.h). Where they are not farther apart than vertices may be from
 * straight ways, the interval is halved, until nothing moves by more than an eighth of the
 * tolerance: then the pair may meet from the beginning of the interval on. So nothing that meets is
 * missed, what is reported comes as near as the tolerance, and the toi is a number with few
 * binary digits, not after the true one.
 *
 * It ends: what is away from straight ways falls with the square of the length of an interval, so a
 * pair that stays just beyond the tolerance takes about turns * sqrt(size / tolerance) intervals;
 * and of a pair that takes more than RIGID_INTERVALS_MOST nothing is said. */
#ifndef IMP_TURNING_PAIR_H
#define IMP_TURNING_PAIR_H

#include "turning_ask.h"

/* Primitives a and b of frame f. distance: in units of the frame. */
void rigid_toi_open(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t a, uint32_t b,
                    double distance, const atomic_int *cancel, toi_pair *out);

/* Do they come as near as the distance? *toi: not before that. 0 if it is over. */
int rigid_toi_find(toi_pair *p, double *toi);

/* The features that are nearest at a fraction of the step: of several, within rounding, the least
 * by (kind, feature of a, feature of b); and where. */
typedef struct rigid_closest {
    int kind;
    int64_t feature[2]; /* of a, and of b */
    uint32_t vertex[4]; /* of a face and a vertex, or of two edges */
    double point[6];    /* in lexicographic order */
} rigid_closest;
void rigid_toi_closest(const toi_pair *p, double toi, rigid_closest *out);

#endif
