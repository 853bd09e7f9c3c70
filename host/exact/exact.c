/* Signs of determinants, exactly: a float64 filter, then integers of any length (exact_big.h). */
#include "exact.h"

#include "exact_big.h"

#include <math.h>

/* |a| / (|a| + |b|) */
static double big_share(const big *a, const big *b)
{
    int ea, eb;
    double ma = big_parts(a, &ea), mb = big_parts(b, &eb);
    return ma / (ma + ldexp(mb, eb - ea < 1000 ? eb - ea : 1000));
}

/* ---- signs */

/* The sign of a determinant computed in float64 if its size proves it, else 2. `size` holds for
 * each axis the largest of the factors, and `epsilon` bounds the error relative to the product of
 * these: see kernels/tri.h. Each size is kept far from the ends of the exponent range, for a
 * product of only some of them must not over- or underflow either. */
static int filtered_sign(double d, const double *size, int axes, double epsilon)
{
    double bound = epsilon;
    for (int k = 0; k < axes; k++) {
        if (size[k] == 0)
            return 0; /* all differences along this axis are 0 */
        if (!(size[k] > 1e-75 && size[k] < 1e75))
            return 2;
        bound *= size[k];
    }
    return d > bound ? 1 : d < -bound ? -1 : 2;
}

static double max_abs3(double a, double b, double c)
{
    a = fabs(a);
    b = fabs(b);
    c = fabs(c);
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

int exact_det(const exact_point *const a[2], const exact_point *const b[2],
              const exact_point *const c[2])
{
    double u[3], v[3], w[3], size[3], det = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = a[1]->x[k] - a[0]->x[k];
        v[k] = b[1]->x[k] - b[0]->x[k];
        w[k] = c[1]->x[k] - c[0]->x[k];
        size[k] = max_abs3(u[k], v[k], w[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += (u[i] * v[j] - u[j] * v[i]) * w[k];
    }
    int sign = filtered_sign(det, size, 3, 5.4e-15);
    if (sign == 2) {
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

int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double ui = b->x[i] - a->x[i], uj = b->x[j] - a->x[j];
    double vi = c->x[i] - a->x[i], vj = c->x[j] - a->x[j];
    double size[2] = {max_abs3(ui, vi, 0), max_abs3(uj, vj, 0)};
    int sign = filtered_sign(ui * vj - uj * vi, size, 2, 1e-15);
    if (sign == 2) {
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
    return big_share(&hp, &hq);
}

double exact_crossing2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis)
{
    int unit = UNIT(a, b, p, q);
    big hp, hq;
    big_orient2d(&hp, a, b, p, axis, unit);
    big_orient2d(&hq, a, b, q, axis, unit);
    return big_share(&hp, &hq);
}
