/* See shape_query.h. */
#include "shape_query.h"

#include "shape_vec.h"

#include <limits.h>

/* The power of two that makes x a number near 1, or as near as a factor can be. */
static double power_for(double x)
{
    int e = 0;
    if (x > 0)
        frexp(x, &e);
    return ldexp(1, e > 1000 ? 1000 : e < -1000 ? -1000 : e);
}

/* The largest coordinate, halved: no difference of two such overflows. */
static double far_half(const pose_map *a, const pose_map *b)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(b->t[k] / 2 - a->t[k] / 2));
    return most;
}

/* Rounding. u = 2^-53; lengths are in the query's units; a and b are the radii of the shapes, t the
 * distance of their origins. Everything is to first order, and the factor 2 at the end is more than
 * what follows.
 *
 * 1. r is a rotation within 2^-51 times a power of two, and t = unit (tb - ta) errs by 2 u |t|: two
 *    products, one difference (|t| sqrt(3) along the axes: 3.5 u t).
 * 2. A vertex r x + t: three products and three sums of terms of at most a along each axis: 4 u a
 *    and, with t, u (a + t); along three axes times sqrt(3): at most 9 u (a + t).
 * 3. Points on edges and faces: sums of two or three corners with shares: 6 u a further, along
 * three axes 11 u a.
 * 4. The length of a difference of two such: 4 u of itself, at most 4 u (a + b + t).
 * So a distance of two points errs by at most (3.5 + 2 (9 + 11) + 4) u (a + b + t) < 48 u (...).
 * 5. A height d . x along a unit vector, which has a length within 4 u of 1: 3 u (a + t) for the
 * sum and 9 u (a + t) for the point; of a direction in the coordinates of a shape, r^T d: 5 u along
 *    each axis, 9 u a. A difference of two heights: at most (3.5 + 2 (3 + 9 + 9) + 5) u (a + b + t)
 *    < 51 u (...).
 *
 * 128 u is more than twice that. The sum itself, and radii, round upward by 2^-49. */
#define ROUNDED (128 * 0x1p-53)

void shape_query_make(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                      shape_query *out)
{
    const double reach = fmax(fmax(a->radius / 2, b->radius / 2), far_half(pa, pb));
    const double unit = power_for(reach), scale = 1 / unit;
    *out = (shape_query){.s = {a, b}, .unit = unit};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out->turn[0][i][k] = pa->r[i][k];
            out->turn[1][i][k] = pb->r[i][k];
            out->r[0][i][k] = pa->r[i][k] * scale;
            out->r[1][i][k] = pb->r[i][k] * scale;
        }
        out->origin[i] = pa->t[i];
        out->t[1][i] = pb->t[i] * scale - pa->t[i] * scale;
    }
    const double far = sqrt(vec_dot(out->t[1], out->t[1]));
    out->margin = ROUNDED * (a->radius * scale + b->radius * scale + far);
}

void shape_query_vertex(const shape_query *q, int side, uint32_t vertex, double out[3])
{
    const double *x = q->s[side]->point[vertex].x;
    for (int i = 0; i < 3; i++)
        out[i] = vec_dot(q->r[side][i], x) + q->t[side][i];
}
