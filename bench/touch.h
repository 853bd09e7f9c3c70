/* Moving features that touch at one known instant, or miss each other by as little as one part in
 * 2^22 of their size. They are built of small integers, so that all of it holds exactly. Then the
 * space is sheared, stretched along its axes, mirrored and moved evenly as a whole, vertices get
 * another order, time may run backwards, and all is scaled by a power of two. */
#ifndef BENCH_TOUCH_H
#define BENCH_TOUCH_H

#include "question.h"

#include <stdint.h>

/* names of the classes; ends with NULL */
extern const char *const touch_names[];

#define TOUCH_SCALE 40 /* the largest coordinates are of about 2^-TOUCH_SCALE to 2^TOUCH_SCALE */

/* The same case for the same class and number. Its group is TOUCH_GROUPS class + scale +
 * TOUCH_SCALE. */
#define TOUCH_GROUPS 100
void touch_make(int class, uint64_t number, question *out);

#endif
