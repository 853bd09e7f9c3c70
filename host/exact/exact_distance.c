/* How far a point is from a plane. The point may be nearly in it, and the plane's own points nearly
 * on a line: it is computed in double-double, and exactly where that does not do. */
#include "exact.h"

#include "exact_big.h"
#include "exact_float.h"
#include "exact_twofold.h"

#include <limits.h>
#include <math.h>

#define LARGE 0x1p300
#define DOWN 700 /* larger ones are scaled by 2^-DOWN, so that differences don't overflow */

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

/* Below these, which rounding is far less than (2^-95), all is computed exactly, and rounded. */
#define HEIGHT_LEAST 0x1p-40
#define SQUARE_LEAST 0x1p-80

/* |(b - a) x (c - a) . (x - a)| / |(b - a) x (c - a)| */
static double rounded_distance(const exact_point *const p[4])
{
    big b;
    double n[3], square = 0;
    int e[3], up, most = INT_MIN, unit = UNIT(p[0], p[1], p[2], p[3]);
    for (int k = 0; k < 3; k++) {
        big_orient2d(&b, p[0], p[1], p[2], k, unit);
        n[k] = big_parts(&b, &e[k]);
        most = n[k] > 0 && e[k] > most ? e[k] : most;
    }
    for (int k = 0; k < 3; k++) {
        double x = n[k] > 0 ? ldexp(n[k], e[k] - most) : 0;
        square += x * x;
    }
    big_orient3d(&b, p[0], p[1], p[2], p[3], unit);
    double height = big_parts(&b, &up);
    return height > 0 && square > 0 ? ldexp(height / sqrt(square), up - most + unit) : 0;
}

/* Scaled so that the largest difference is about 1: limits of exactness are then plain numbers. */
double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x)
{
    const exact_point *const p[4] = {a, b, c, x};
    twofold d[3][3], n[3];
    int unit, down = scale_of(p);
    double square = 0;
    differences(p, down, d, &unit);
    for (int k = 0; k < 3; k++) {
        n[k] = two_minor(d[0], d[1], k);
        square += n[k].hi * n[k].hi;
    }
    double height = fabs(two_dot(n, d[2]).hi);
    return height < HEIGHT_LEAST || square < SQUARE_LEAST
               ? rounded_distance(p)
               : times_power(height / sqrt(square), unit + down);
}
