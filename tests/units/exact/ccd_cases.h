/* A vertex and a face, or two edges, in linear motion that touch at one known instant or never.
 * They are built from small integers, so that everything holds exactly: the contact is at a
 * rational fraction of the step, in the interior, on a boundary or at a vertex. Then the space is
 * sheared, mirrored and translated linearly, vertices are permuted, time may be reversed, and
 * coordinates are scaled by a power of two. */
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

/* names of the classes, up to NULL */
extern const char *const moving_class_names[];

/* `scale`: coordinates are about 2^scale or somewhat larger */
void moving_case_make(int class, rng *r, int scale, moving_case *out);

/* Four vertices that move between points with integer coordinates from 0 to n - 1: often coplanar,
 * collinear, collapsed or at rest. */
void moving_case_grid(rng *r, uint32_t n, exact_motion *m);

/* Coordinates of all sizes of float64 together, as a diverging simulation leaves them. `how`: 0 a
 * few sizes, often coplanar or collinear; 1 any; 2 vertices thrown far away, each by another power
 * of two; 3 touches as above with errors of a few denormals; 4 grids with another scale along each
 * axis, whose zeros are denormals. */
#define MOVING_MIXED 5
void moving_case_mixed(rng *r, int how, moving_case *out);

#endif
