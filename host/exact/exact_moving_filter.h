/* Moving features by float64, where its error leaves no doubt. Within host/exact. */
#ifndef IMP_EXACT_MOVING_FILTER_H
#define IMP_EXACT_MOVING_FILTER_H

#include "exact_motion.h"

/* As exact_moving, or SIGN_OPEN if it cannot decide. */
int moving_filter(enum exact_moving_kind kind, const exact_motion *m, double *toi);

#endif
