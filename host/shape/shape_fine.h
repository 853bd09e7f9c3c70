/* Vectors with twice the digits of float64. Within host/shape. */
#ifndef IMP_SHAPE_FINE_H
#define IMP_SHAPE_FINE_H

#include "exact_twofold.h"

typedef struct fine {
    twofold x[3];
} fine;

static inline fine fine_sub(const fine *a, const fine *b)
{
    fine d;
    for (int k = 0; k < 3; k++)
        d.x[k] = two_add(a->x[k], two_minus(b->x[k]));
    return d;
}

static inline fine fine_cross(const fine *a, const fine *b)
{
    fine c;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        c.x[k] = two_add(two_mul(a->x[i], b->x[j]), two_minus(two_mul(a->x[j], b->x[i])));
    }
    return c;
}

static inline void fine_out(const fine *a, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a->x[k].hi;
}

/* From a to b, exactly but for 2^-100. */
static inline fine fine_between(const double a[3], const double b[3])
{
    fine d;
    for (int k = 0; k < 3; k++)
        d.x[k] = sum_of(b[k], -a[k]);
    return d;
}

/* The part of w that is at right angles to e, times the square of e. */
static inline fine fine_across(const fine *w, const fine *e)
{
    const fine c = fine_cross(w, e);
    return fine_cross(e, &c);
}

#endif
