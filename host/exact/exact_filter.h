/* Signs in float64 where an error bound allows. Within host/exact. */
#ifndef IMP_EXACT_FILTER_H
#define IMP_EXACT_FILTER_H

#include "exact_float.h"

#define SIGN_OPEN 2 /* float64 cannot tell */

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

/* The same of the height of d over the plane a, b, c. */
static inline int filter_orient(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], size[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
        size[k] = greater(greater(fabs(u[k]), fabs(v[k])), fabs(w[k]));
    }
    return filter_det((u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
                          (u[0] * v[1] - u[1] * v[0]) * w[2],
                      size);
}

#endif
