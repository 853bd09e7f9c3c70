/* Moving features that touch at one known instant, or miss each other by as little as one part in
 * 2^22 of their size. They are built of small integers, so that everything holds exactly. Then the
 * space is sheared, stretched along its axes, mirrored and moved linearly as a whole, vertices are
 * permuted, time may be reversed, and everything is scaled by a power of two. */
#ifndef BENCH_TOUCH_H
#define BENCH_TOUCH_H

#include "question.h"

#include <stdint.h>

/* The name of a class, from 0 on; NULL after the last. */
const char *touch_name(int class);

#define TOUCH_SCALE 40 /* the largest coordinates are about 2^-TOUCH_SCALE to 2^TOUCH_SCALE */

/* The same case for the same class and number. Its group is (3 class + instant) TOUCH_GROUPS +
 * scale + TOUCH_SCALE; instant: 0 at the start of the step, 1 later, 2 at its end. */
#define TOUCH_GROUPS 100
void touch_make(int class, uint64_t number, question *out);

#endif
