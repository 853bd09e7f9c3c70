/* Moving features that touch at one known instant, or miss each other by as little as one part in
 * 2^22 of their size. They are built of small integers, so that all of it holds exactly. Then the
 * space is sheared, stretched along its axes, mirrored and moved evenly as a whole, vertices get
 * another order, time may run backwards, and all is scaled by a power of two. */
#ifndef BENCH_TOUCH_H
#define BENCH_TOUCH_H

#include "question.h"

#include <stdint.h>

/* of a class from 0 on; NULL after the last */
const char *touch_name(int class);

#define TOUCH_SCALE 40 /* the largest coordinates are of about 2^-TOUCH_SCALE to 2^TOUCH_SCALE */

/* The same case for the same class and number. Its group is (3 class + instant) TOUCH_GROUPS +
 * scale + TOUCH_SCALE; instant: 0 at the start of the step, 1 later, 2 at its end. */
#define TOUCH_GROUPS 100
void touch_make(int class, uint64_t number, question *out);

#endif
