/* Within turning_pair.h: a body that makes many turns in an interval of time is proven to be apart
 * from another primitive in all of them at once.
 *
 * Time and the phase of its turn count as independent there: where the body is apart at all times
 * with all phases, it is apart at all times with its own. That is found by dividing time and phases
 * as turning_pair.c divides time, and takes as long for a thousand turns as for one. The converse
 * is not true: two bodies that turn need not have the two phases at one time with which they meet.
 * So it says nothing then, and each turn is looked at. */
#ifndef IMP_TURNING_PHASE_H
#define IMP_TURNING_PHASE_H

#include "turning_apart.h"

/* Are they apart in an interval in which one of them makes many turns? 0 also if that is not known,
 * or neither does. */
int rigid_phases_separated(const toi_query *q, double from, double to);

#endif
