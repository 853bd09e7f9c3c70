/* How near moving features come by float64, where its error leaves no doubt. Within host/exact. */
#ifndef IMP_EXACT_NEAR_FILTER_H
#define IMP_EXACT_NEAR_FILTER_H

#include "exact_motion.h"

/* As exact_ccd_first_near with a distance above 0, or SIGN_OPEN if it cannot decide. */
int exact_near_filter(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                      double *toi);

#endif
