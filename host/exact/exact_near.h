/* When do two features that move first come near each other? */
#ifndef IMP_EXACT_NEAR_H
#define IMP_EXACT_NEAR_H

#include "exact_motion.h"

/* Is the distance of two closed features that move (exact_moving.h) at most `distance` at any
 * instant? Not negative, finite; 0: they meet. Returns 1, and as the toi the first such instant,
 * rounded down to float64; or 0. Always exact; for any number of threads. */
int exact_ccd_first_near(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                         double *toi);

/* The same by integers alone: for tests. */
int exact_near_integers(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                        double *toi);

#endif
