/* See region_area.h. */
#include "region_area.h"

#include "exact_number.h"

/* Within these sizes neither squares of products nor sums of them over- or underflow. */
#define REGION_LEAST 1e-70
#define REGION_MOST 1e70

#define HALVED 0x1p1000 /* differences of greater coordinates may overflow */

static int region_area_is_usual(const double d[3])
{
    for (int k = 0; k < 3; k++)
        if (d[k] != 0 && !(fabs(d[k]) > REGION_LEAST && fabs(d[k]) < REGION_MOST))
            return 0;
    return 1;
}

/* Each axis has a unit of its own, then each component of the normal. */
static region_area region_area_scaled(const double p[3], const double q[3], const double r[3])
{
    double u[3], v[3], n[3];
    int unit[3], e[3], most = INT_MIN;
    for (int k = 0; k < 3; k++) {
        const double h = fmax(fmax(fabs(p[k]), fabs(q[k])), fabs(r[k])) > HALVED ? 0.5 : 1;
        u[k] = h * q[k] - h * p[k];
        v[k] = h * r[k] - h * p[k];
        frexp(greater(fabs(u[k]), fabs(v[k])), &unit[k]);
        u[k] = ldexp(u[k], -unit[k]);
        v[k] = ldexp(v[k], -unit[k]);
        unit[k] += h < 1;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = frexp(u[i] * v[j] - u[j] * v[i], &e[k]);
        e[k] += unit[i] + unit[j];
        if (n[k] != 0 && e[k] > most)
            most = e[k];
    }
    if (most == INT_MIN)
        return (region_area){0, 0};
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = n[k] != 0 ? ldexp(n[k], e[k] - most) : 0;
        sum += n[k] * n[k];
    }
    return (region_area){0.5 * sqrt(sum), most};
}

region_area region_area_of(const double p[3], const double q[3], const double r[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = q[k] - p[k];
        v[k] = r[k] - p[k];
    }
    if (!region_area_is_usual(u) || !region_area_is_usual(v))
        return region_area_scaled(p, q, r);
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                 z = u[0] * v[1] - u[1] * v[0];
    return (region_area){0.5 * sqrt(x * x + y * y + z * z), 0};
}
