/* See shape_query.h. */
#include "shape_query.h"

#include "vec3.h"

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
 * distance of their origins, S their sum. All to first order.
 *
 * 1. The true places are those of the map as it is, r x + t. r times a power of two is exact, and
 *    t = tb - ta errs by u along each axis: 1.8 u t.
 * 2. A vertex r x + t: along each axis the amounts of the terms are at most a + t in sum (Cauchy:
 *    a row of r has length 1). Three products and three sums: 4 u (a + t), over three axes
 *    7 u (a + t).
 * 3. Points on edges and faces: two products with parameters and two sums, 4 u along each axis of
 *    lengths up to 2 a + t: at most 14 u (a + t).
 * 4. The length of a difference of two such errs by 4 u of itself: 4 u S.
 *    So a distance of two points errs by at most 1.8 + 2 (7 + 14) + 4 < 48 u S.
 * 5. A height d . x, with a length of d within 4 u of 1: 4 u (a + t) for the length, 5 u (a + t)
 *    for products and sums, 7 u (a + t) for x. A difference of two: 1.8 + 2 (4 + 5 + 7) < 34 u S.
 * 6. What is farthest along r^T d in the coordinates of a shape is farthest along d but for the
 *    rounding of r^T d, 7 u a; where it was found by comparing rounded heights, 2 times 5 u a more.
 *    With 5.: 34 + 7 + 10 = 51 u S.
 * 7. Boxes in the coordinates of a shape. Entries of r^T r are within 8 u of 0 and 1: that does
 *    at most 24 u of a length. A half diagonal is at most a sqrt(3), which makes 42 u a, and 12 u
 *    the distance. Rounded are middles (2 times 7 u S), their difference turned back (7 u S), and
 *    half lengths: 6 u (a + b sqrt(3)) along each axis. Sum: 42 + 12 + 21 + 19 = 94 u S.
 * 8. A vertex in the coordinates of the other shape (shape_inside.c, shape_nested.c): 24 u S for
 * r^T r, 7 u S for the place and 7 u S for turning it back: 38 u S.
 *
 * 128 u is more than the greatest. */
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

void shape_query_other(const shape_query *q, int side, uint32_t vertex, exact_point *out)
{
    double x[3];
    shape_query_vertex(q, side, vertex, x);
    vec_sub(x, q->t[!side], x);
    vec_turn_back(q->turn[!side], x, x);
    for (int k = 0; k < 3; k++)
        out->x[k] = x[k] * q->unit;
}
