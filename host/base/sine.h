/* Sine and cosine of small angles by sums and products alone, so that they are the same bits on
 * every machine; those of libm are not. */
#ifndef IMP_SINE_H
#define IMP_SINE_H

/* Taylor series, for |x| <= pi / 4: the first term left out is below 2^-54. */
static inline double sine_near(double x)
{
    const double y = x * x;
    double s = -1.0 / 1307674368000;
    s = s * y + 1.0 / 6227020800;
    s = s * y - 1.0 / 39916800;
    s = s * y + 1.0 / 362880;
    s = s * y - 1.0 / 5040;
    s = s * y + 1.0 / 120;
    s = s * y - 1.0 / 6;
    return x + x * y * s;
}

static inline double cosine_near(double x)
{
    const double y = x * x;
    double s = 1.0 / 20922789888000;
    s = s * y - 1.0 / 87178291200;
    s = s * y + 1.0 / 479001600;
    s = s * y - 1.0 / 3628800;
    s = s * y + 1.0 / 40320;
    s = s * y - 1.0 / 720;
    s = s * y + 1.0 / 24;
    return 1 - y * 0.5 + y * y * s;
}

#endif
