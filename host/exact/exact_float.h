/* What the C library does with float64 by calls, in line. Within host/exact. */
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

#endif
