/* Motions for tests of pcs, and the points that they move: by sines, in long double. */
#ifndef IMP_MOTION_LONG_H
#define IMP_MOTION_LONG_H

#include "pcs_motion.h"
#include "testlib.h"

/* The position at a time of a point in body coordinates; speed: its velocity, may be NULL. */
void motion_long(const spin_motion *m, long double time, const double p[3], long double out[3],
                 long double speed[3]);

/* A random pose within `far`, with a speed up to `fast` and a rotation of up to `angle` per second,
 * or none. */
spin_motion motion_random(rng *r, double far, double fast, double angle);

#endif
