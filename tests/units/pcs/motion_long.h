/* Motions for tests of pcs, and where they take points: by sines, in long double. */
#ifndef IMP_MOTION_LONG_H
#define IMP_MOTION_LONG_H

#include "pcs_motion.h"
#include "testlib.h"

/* Where a point of the body's coordinates is at a time; speed, if it is not NULL: how fast. */
void motion_long(const spin_motion *m, long double time, const double p[3], long double out[3],
                 long double speed[3]);

/* Anywhere within `far`, of a speed up to `fast`, that turns by up to `angle` a second, or not at
 * all. */
spin_motion motion_random(rng *r, double far, double fast, double angle);

#endif
