/* How far one convex body is beyond another one along a direction: a proof that they are apart.
 *
 * A vertex of a convex body that none of its neighbours is beyond is the farthest of all. That
 * holds for exact signs only: by wrong ones of a short edge, a body could go on far beyond it. So
 * signs are exact, for the direction after rounding; which is one direction for all of the body. */
#include "shape_convex.h"
#include "vec3.h"

#include "exact_twofold.h"

/* Multiples of 2^-60: products with multiples of 2^-900 do not vanish. Changes d by
 * less than 2^-60. */
static void round_direction(double d[3])
{
    const double much = 1.5 * 0x1p-8;
    for (int k = 0; k < 3; k++)
        if (fabs(d[k]) < 0x1p-8)
            d[k] = (d[k] + much) - much;
}

/* Adds x to a sum of numbers that do not overlap, the smallest first (Shewchuk 1997, grow). */
static void shape_support_grow_sum(double sum[], int n, double x)
{
    for (int i = 0; i < n; i++) {
        const twofold s = sum_of(x, sum[i]);
        sum[i] = s.lo;
        x = s.hi;
    }
    sum[n] = x;
}

static int shape_support_exact_sign(const double d[3], const double a[3], const double b[3])
{
    double sum[12];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        const twofold p = product_of(d[k], a[k]), m = product_of(d[k], -b[k]);
        const double terms[4] = {p.lo, m.lo, p.hi, m.hi};
        for (int i = 0; i < 4; i++, n++)
            shape_support_grow_sum(sum, n, terms[i]);
    }
    while (n-- > 0)
        if (sum[n] != 0)
            return sum[n] > 0 ? 1 : -1;
    return 0;
}

/* The filter: a difference, a product and two sums err by less than 4 u of the sum of all amounts,
 * and what vanishes by less than 2^-1000. */
int shape_dot_sign(const double d[3], const double a[3], const double b[3])
{
    double sum = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        const double x = d[k] * (a[k] - b[k]);
        sum += x;
        size += fabs(x);
    }
    if (fabs(sum) > size * 0x1p-50 + 0x1p-1000)
        return sum > 0 ? 1 : -1;
    return shape_support_exact_sign(d, a, b);
}

static const double *shape_support_position(const shape_hull *h, uint32_t vertex)
{
    return h->x + 3 * (size_t)vertex;
}

/* A neighbour that is farther along d, as far as float64 sees the farthest; or v. */
static uint32_t farther(const shape_hull *h, const double d[3], uint32_t v)
{
    double most = -INFINITY;
    uint32_t best = v;
    for (uint32_t i = h->spoke0[v]; i < h->spoke0[v + 1]; i++) {
        const uint32_t w = hull_other_end(&h->edge[h->spoke[i]], v);
        const double far = vec_dot(d, shape_support_position(h, w));
        if (far > most &&
            shape_dot_sign(d, shape_support_position(h, w), shape_support_position(h, v)) > 0) {
            most = far;
            best = w;
        }
    }
    return best;
}

/* Of bodies with coordinates that are too small beside their size for exact products: all are
 * compared. What rounding does is then in the margin. */
static uint32_t farthest_of_all(const shape_hull *h, const double d[3])
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < h->vertices; v++)
        if (vec_dot(d, shape_support_position(h, v)) > vec_dot(d, shape_support_position(h, best)))
            best = v;
    return best;
}

static uint32_t shape_support_climb(const shape_hull *h, const double d[3], uint32_t from,
                                    uint64_t *steps)
{
    if (!h->fine)
        return farthest_of_all(h, d);
    for (uint32_t next = farther(h, d, from); next != from; next = farther(h, d, from)) {
        from = next;
        ++*steps;
    }
    return from;
}

double shape_beyond(const shape_query *q, const double d[3], uint32_t from[2], uint64_t *steps)
{
    double height[2];
    for (int side = 0; side < 2; side++) {
        double own[3], x[3];
        vec_turn_back(q->turn[side], d, own);
        for (int k = 0; k < 3; k++)
            own[k] = side ? -own[k] : own[k];
        round_direction(own);
        from[side] = shape_support_climb(q->s[side]->hull, own, from[side], steps);
        hull_position(q, side, from[side], x);
        height[side] = vec_dot(d, x);
    }
    return height[1] - height[0];
}
