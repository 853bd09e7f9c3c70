/* What tests of swept queries share: their pairs in memory, and what of them is to be. */
#ifndef IMP_SWEPT_H
#define IMP_SWEPT_H

#include "crowd.h"

typedef struct swept_list {
    uint32_t *a, *b;
    double *time;
    size_t count;
    int order; /* all were in order so far: 1 at first */
} swept_list;

imp_swept_sink swept_sink; /* of a swept_list */
void swept_free(swept_list *l);
int swept_same(const swept_list *x, const swept_list *y);

/* Is the pair there, and not later than t? */
int swept_has(const swept_list *l, uint32_t a, uint32_t b, double t);

/* From one frame of a crowd to another, and how many tests of volumes that took. */
void swept_frames(imp *p, const crowd *c, int from, int to, swept_list *out);
uint64_t swept_tests(const imp *p);

/* Of objects that stand still in a step those pairs are told, at once, that the frame has. */
int swept_as_frame(const swept_list *l, const contact_list *frame, const int still[OBJECTS]);

/* Turned as far as the share t of the shorter arc, by sines, which the product does without. */
void turned(const double a[4], const double b[4], double t, double out[4]);

#endif
