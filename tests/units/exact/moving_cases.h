/* A vertex and a face, or two edges, that move evenly and touch at one known instant or never. They
 * are built of small integers, so that all of it holds exactly: what touches does so at a rational
 * fraction of the step, inside, on a boundary or at a vertex. Then the space is sheared, mirrored
 * and moved evenly as a whole, vertices get another order, time may run backwards, and all is
 * scaled by a power of two. */
#ifndef IMP_MOVING_CASES_H
#define IMP_MOVING_CASES_H

#include "exact.h"
#include "testlib.h"

typedef struct moving_case {
    enum exact_ccd_kind kind;
    exact_motion m;
    int meet;
    double toi; /* the first instant, rounded down */
} moving_case;

/* names of the classes; ends with NULL */
extern const char *const moving_class_names[];

/* `scale`: coordinates are of about 2^scale or some more */
void moving_case_make(int class, rng *r, int scale, moving_case *out);

/* Four vertices that move between points whose coordinates are integers from 0 to n - 1: often
 * flat, in line, collapsed or not moving. */
void moving_case_grid(rng *r, uint32_t n, exact_motion *m);

/* Coordinates of all sizes that float64 has, together, as an exploded simulation leaves them.
 * `how`: 0 a few sizes, often flat or in line; 1 any; 2 vertices that are thrown far away, each by
 * another power of two; 3 touches as above that are off by denormals; 4 grids of other units along
 * each axis, whose zeros are denormals. */
#define MOVING_MIXED 5
void moving_case_mixed(rng *r, int how, moving_case *out);

#endif
