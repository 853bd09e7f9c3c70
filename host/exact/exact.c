/* Signs of determinants, exactly: a float64 filter, then integers of any length (exact_big.h). */
#include "exact.h"

#include "exact_big.h"
#include "exact_float.h"

#include <math.h>

static void exact_point_bounds(const exact_point *p, int n, int axis, double *lo, double *hi)
{
    *lo = *hi = p[0].x[axis];
    for (int i = 1; i < n; i++) {
        *lo = fmin(*lo, p[i].x[axis]);
        *hi = fmax(*hi, p[i].x[axis]);
    }
}

/* Exact, as comparisons are, and separates most pairs. */
int exact_boxes_apart(const exact_point *p, int n, const exact_point *q, int m)
{
    double lo[2], hi[2];
    for (int k = 0; k < 3; k++) {
        exact_point_bounds(p, n, k, &lo[0], &hi[0]);
        exact_point_bounds(q, m, k, &lo[1], &hi[1]);
        if (hi[0] < lo[1] || hi[1] < lo[0])
            return 1;
    }
    return 0;
}

/* |a| / (|a| + |b|) */
static double big_parameter(const big *a, const big *b)
{
    int ea, eb;
    double ma = big_parts(a, &ea), mb = big_parts(b, &eb);
    return ma / (ma + ldexp(mb, eb - ea < 1000 ? eb - ea : 1000));
}

/* ---- signs */

/* The same of an area; epsilon: 4 roundings. */
static int filter_area(double d, const double size[2])
{
    double bound = 1e-15 * size[0] * size[1];
    int usual = size[0] > FILTER_LEAST && size[0] < FILTER_MOST && size[1] > FILTER_LEAST &&
                size[1] < FILTER_MOST;
    if (usual && fabs(d) > bound)
        return d > 0 ? 1 : -1;
    return size[0] == 0 || size[1] == 0 ? 0 : SIGN_OPEN;
}

/* float64 differences err too; the filter's bound includes that. */
int exact_det(const exact_point *const a[2], const exact_point *const b[2],
              const exact_point *const c[2])
{
    double u[3], v[3], w[3], size[3], det = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = a[1]->x[k] - a[0]->x[k];
        v[k] = b[1]->x[k] - b[0]->x[k];
        w[k] = c[1]->x[k] - c[0]->x[k];
        size[k] = greater(fabs(u[k]), greater(fabs(v[k]), fabs(w[k])));
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += (u[i] * v[j] - u[j] * v[i]) * w[k];
    }
    int sign = filter_det(det, size);
    if (sign == SIGN_OPEN) {
        big r;
        big_det(&r, a, b, c, UNIT(a[0], a[1], b[0], b[1], c[0], c[1]));
        sign = r.sign;
    }
    return sign;
}

int exact_orient3d(const exact_point *a, const exact_point *b, const exact_point *c,
                   const exact_point *d)
{
    return exact_det((const exact_point *const[]){a, b}, (const exact_point *const[]){a, c},
                     (const exact_point *const[]){a, d});
}

/* Equal points, and points on a line along an axis, give exact zeros without integers. */
int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double ui = b->x[i] - a->x[i], uj = b->x[j] - a->x[j];
    double vi = c->x[i] - a->x[i], vj = c->x[j] - a->x[j];
    double size[2] = {greater(fabs(ui), fabs(vi)), greater(fabs(uj), fabs(vj))};
    int sign = filter_area(ui * vj - uj * vi, size);
    if (sign == SIGN_OPEN) {
        big r;
        big_orient2d(&r, a, b, c, axis, UNIT(a, b, c));
        sign = r.sign;
    }
    return sign;
}

double exact_crossing(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *p, const exact_point *q)
{
    int unit = UNIT(a, b, c, p, q);
    big hp, hq;
    big_orient3d(&hp, a, b, c, p, unit);
    big_orient3d(&hq, a, b, c, q, unit);
    return big_parameter(&hp, &hq);
}

double exact_crossing2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis)
{
    int unit = UNIT(a, b, p, q);
    big hp, hq;
    big_orient2d(&hp, a, b, p, axis, unit);
    big_orient2d(&hq, a, b, q, axis, unit);
    return big_parameter(&hp, &hq);
}
