/* Are two features that move surely farther apart than a distance all the time? By float64, for
 * most that are. Within host/exact. */
#ifndef IMP_EXACT_NEAR_APART_H
#define IMP_EXACT_NEAR_APART_H

#include "exact_motion.h"

/* `unit` times a difference of vertices, or the distance, is 1 at most. 0: it is not known. */
int near_apart(enum exact_moving_kind kind, const exact_motion *m, double unit, double distance);

#endif
