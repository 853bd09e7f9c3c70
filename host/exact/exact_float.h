/* float64: what the C library does by calls, in line; signs where an error bound allows. Within
 * host/exact. */
#ifndef IMP_EXACT_FLOAT_H
#define IMP_EXACT_FLOAT_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* of numbers */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
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

/* x = m * 2^e with m an odd integer; m = 0 and e = INT_MAX for zero. From the bits, because every
 * exact sign begins here. */
static inline int64_t float_parts(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent)
        m |= UINT64_C(1) << 52;
    *e = INT_MAX;
    if (!m)
        return 0;
    int zeros = __builtin_ctzll(m);
    *e = (exponent ? exponent : 1) - 1075 + zeros;
    m >>= zeros;
    return bits >> 63 ? -(int64_t)m : (int64_t)m;
}

/* ---- signs */

#define SIGN_OPEN 2 /* float64 cannot decide */

/* Of determinants: relative to the product of the largest factors along each axis. See
 * kernels/tri.h. */
#define DET_EPSILON 5.4e-15

/* In between no product of sizes over- or underflows, nor one of only some of them. */
#define FILTER_LEAST 1e-75
#define FILTER_MOST 1e75

/* The sign of a determinant d with the largest factors size[k] along the axes. */
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
