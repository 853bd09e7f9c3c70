/* How far a point is from a plane. Both may be nearly one, and the point's height then far less
 * than float64 tells: it is computed in double-double, and exactly where that does not do. */
#include "exact.h"

#include "exact_big.h"
#include "exact_float.h"
#include "exact_twofold.h"

#include <float.h>
#include <math.h>

#define LARGE 0x1p300
#define DOWN 700 /* larger ones are scaled by so many powers of two: differences don't overflow */

static int scale_of(const exact_point *const p[4])
{
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            most = greater(most, fabs(p[i]->x[k]));
    return most > LARGE ? DOWN : 0;
}

/* Differences from the first point, in units of 2^*unit: the largest is between 0.5 and 1. */
static void differences(const exact_point *const p[4], int down, twofold out[3][3], int *unit)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k] = sum_of(times_power(p[i + 1]->x[k], -down), -times_power(p[0]->x[k], -down));
            most = greater(most, fabs(out[i][k].hi));
        }
    frexp(most, unit);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k].hi = times_power(out[i][k].hi, -*unit);
            out[i][k].lo = times_power(out[i][k].lo, -*unit);
        }
}

/* The same height exactly, rounded: what two_dot has erred by is below 2^-95. */
static double exact_height(const exact_point *const p[4], int unit)
{
    big h;
    int e, own = UNIT(p[0], p[1], p[2], p[3]);
    big_orient3d(&h, p[0], p[1], p[2], p[3], own);
    double m = big_parts(&h, &e);
    long shift = (long)e + 3L * own - 3L * unit;
    return ldexp(m, shift < -4000 ? -4000 : (int)shift);
}

double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x)
{
    const exact_point *const p[4] = {a, b, c, x};
    twofold d[3][3], n[3];
    int unit, down = scale_of(p);
    double length = 0;
    differences(p, down, d, &unit);
    for (int k = 0; k < 3; k++) {
        n[k] = two_minor(d[0], d[1], k);
        length += n[k].hi * n[k].hi;
    }
    double height = fabs(two_dot(n, d[2]).hi);
    if (height < 0x1p-40)
        height = exact_height(p, unit + down);
    return length > 0 ? times_power(height / sqrt(length), unit + down) : 0;
}
