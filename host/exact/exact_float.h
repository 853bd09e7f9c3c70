/* float64: what the C library does by calls, in line; signs where an error bound allows. Within
 * host/exact. */
#ifndef IMP_EXACT_FLOAT_H
#define IMP_EXACT_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* of numbers */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

/* x 2^e, rounded once as ldexp does */
static inline double times_power(double x, int e)
{
    double power;
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    if (e < -1000 || e > 1000)
        return ldexp(x, e);
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

/* ---- signs */

#define SIGN_OPEN 2 /* float64 cannot decide */

/* Of determinants: relative to the product of the largest factors along each axis. See
 * kernels/tri.h. */
#define DET_EPSILON 5.4e-15

/* In between no product of sizes over- or underflows, nor one of only some of them. */
#define FILTER_LEAST 1e-75
#define FILTER_MOST 1e75

/* The sign of a determinant d, whose largest factor along each axis is size[k]. */
static inline int filter_det(double d, const double size[3])
{
    double bound = DET_EPSILON * size[0] * size[1] * size[2];
    int usual = size[0] > FILTER_LEAST && size[0] < FILTER_MOST && size[1] > FILTER_LEAST &&
                size[1] < FILTER_MOST && size[2] > FILTER_LEAST && size[2] < FILTER_MOST;
    if (usual && fabs(d) > bound)
        return d > 0 ? 1 : -1;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        return 0; /* all differences along this axis are 0 */
    return SIGN_OPEN;
}

#endif
