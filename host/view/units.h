/* The coordinates that kernels compute with, frame by frame: points times a power of two. */
#ifndef IMP_UNITS_H
#define IMP_UNITS_H

#include "mem.h"

typedef struct normalisation {
    double *scale, *unscale; /* [2 * frames] two powers of two each, and their inverses */
    double *centre, *reach;  /* [3 * frames] near the middle of the frame's box, scaled: bounds are
                                within reach of the centre, but for rounding */
    uint32_t *bad;           /* [frames] primitives with a vertex that is not finite */
    uint32_t *bipartite;     /* [frames] just two objects, and only pairs between them are wanted */
    uint32_t capacity;       /* frames that there is memory for */
    void *memory;            /* holds all these arrays */
} normalisation;

/* Errors: MEMORY. */
int normalisation_fit(mem *m, normalisation *u, size_t frames);
void normalisation_free(mem *m, normalisation *u);

/* The unit of a frame with this box is 2 to the power of this. */
int normalisation_exponent(const double *lo, const double *hi);

/* Sets the unit and the centre of frame f by its box. */
void normalisation_set(normalisation *u, size_t f, const double *lo, const double *hi);

/* Bounds of frame f grow, none by more than that to each side. */
void normalisation_grow(normalisation *u, size_t f, double by);

/* Has a frame with this box the unit and centre of the first frame of `of`? */
int normalisation_same(const normalisation *of, const double lo[3], const double hi[3]);

#endif
