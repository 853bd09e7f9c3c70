/* See units.h. */
#include "units.h"

#include "error.h"
#include "frame.h"

#include <math.h>

#define FAR 1000 /* scaled coordinates are below 2^FAR */

#define CENTRE_STEP 0.25 /* scaled: a power of two */

/* A power of two 2^-e with half extent * 2^-e at most 1 - CENTRE_STEP / 2 and more than half of
 * that, so that no coordinate is farther than 1 from a centre which is off by half a step; 0 if the
 * frame is a point or empty. Along an axis on which nothing extends the frame may be so far out
 * that this would overflow: then the unit is as small as it can be. */
int normalisation_exponent(const double *lo, const double *hi)
{
    int e = 0, e_far;
    double half = 0, far = 0, mantissa = 0;
    for (int k = 0; k < 3; k++) {
        half = fmax(half, 0.5 * hi[k] - 0.5 * lo[k]);
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    frexp(far, &e_far);
    if (half > 0)
        mantissa = frexp(half, &e);
    e += mantissa > 1 - CENTRE_STEP / 2;
    return e < e_far - FAR ? e_far - FAR : e;
}

/* Unit and centre change in steps. As long as a frame's box makes none, what did not move has the
 * same bounds to the last bit, whatever else moved; and they depend on this frame alone. The unit
 * is a product of two powers of two that are always normal numbers. */
void normalisation_set(normalisation *u, size_t f, const double *lo, const double *hi)
{
    int e = normalisation_exponent(lo, hi), e0 = e / 2, e1 = e - e0;
    double s0 = ldexp(1, -e0), s1 = ldexp(1, -e1);
    u->scale[2 * f] = s0;
    u->scale[2 * f + 1] = s1;
    u->unscale[2 * f] = ldexp(1, e0);
    u->unscale[2 * f + 1] = ldexp(1, e1);
    for (size_t k = 0; k < 3; k++) {
        double middle = (0.5 * lo[k] + 0.5 * hi[k]) * s0 * s1;
        double centre = rint(middle / CENTRE_STEP) * CENTRE_STEP;
        u->centre[3 * f + k] = centre;
        u->reach[3 * f + k] = fmax(hi[k] * s0 * s1 - centre, centre - lo[k] * s0 * s1);
    }
}

void normalisation_grow(normalisation *u, size_t f, double by)
{
    for (size_t k = 0; k < 3; k++)
        u->reach[3 * f + k] += by;
}

int normalisation_same(const normalisation *of, const double lo[3], const double hi[3])
{
    double scale[2], unscale[2], centre[3], reach[3];
    normalisation u = {.scale = scale, .unscale = unscale, .centre = centre, .reach = reach};
    normalisation_set(&u, 0, lo, hi);
    int same = scale[0] == of->scale[0] && scale[1] == of->scale[1];
    for (int k = 0; k < DIMENSIONS; k++)
        same = same && centre[k] == of->centre[k];
    return same;
}

/* Lays the arrays of all frames out in one allocation. */
int normalisation_fit(mem *m, normalisation *u, size_t n)
{
    if (u->memory && u->capacity >= n)
        return IMP_OK;
    mem_free(m, u->memory);
    *u = (normalisation){0};
    int err = mem_alloc(m, n * (10 * sizeof(double) + 2 * sizeof(uint32_t)), &u->memory);
    if (err)
        return err;
    u->capacity = (uint32_t)n;
    u->scale = u->memory;
    u->unscale = u->scale + 2 * n;
    u->centre = u->unscale + 2 * n;
    u->reach = u->centre + 3 * n;
    u->bad = (uint32_t *)(u->reach + 3 * n);
    u->bipartite = u->bad + n;
    return IMP_OK;
}

void normalisation_free(mem *m, normalisation *u)
{
    mem_free(m, u->memory);
    *u = (normalisation){0};
}
