/* Moving features by float64, where its error leaves no doubt. Within host/exact. */
#ifndef IMP_EXACT_MOVING_FILTER_H
#define IMP_EXACT_MOVING_FILTER_H

#include "exact_motion.h"

/* As exact_ccd_first, or SIGN_OPEN if it cannot decide. */
int exact_ccd_filter(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

#endif
