/* Areas beyond the range of float64: m 2^e. */
#ifndef IMP_REGION_AREA_H
#define IMP_REGION_AREA_H

#include <math.h>

typedef struct region_area {
    double m; /* not negative; usually the area itself, as e is 0 */
    int e;
} region_area;

static inline int region_area_exponent(region_area a)
{
    int e = 0;
    frexp(a.m, &e);
    return e + a.e;
}

static inline region_area region_area_add(region_area a, region_area b)
{
    if (a.e == b.e)
        return (region_area){a.m + b.m, a.e};
    if (a.m == 0 || b.m == 0)
        return a.m == 0 ? b : a;
    const int less = region_area_exponent(a) < region_area_exponent(b);
    const region_area big = less ? b : a, small = less ? a : b;
    return (region_area){big.m + ldexp(small.m, small.e - big.e), big.e};
}

/* -1, 0, 1 */
static inline int region_area_order(region_area a, region_area b)
{
    if (a.e != b.e && a.m > 0 && b.m > 0) {
        const int x = region_area_exponent(a), y = region_area_exponent(b);
        if (x != y)
            return x < y ? -1 : 1;
        int e;
        a.m = frexp(a.m, &e);
        b.m = frexp(b.m, &e);
    }
    return (a.m > b.m) - (a.m < b.m);
}

static inline double region_area_value(region_area a)
{
    return a.e ? ldexp(a.m, a.e) : a.m;
}

/* Of a triangle. */
region_area region_area_of(const double p[3], const double q[3], const double r[3]);

#endif
