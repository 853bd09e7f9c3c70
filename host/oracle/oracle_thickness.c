/* See oracle.h: distances compared with half of the sum of two thicknesses, in integers of any
 * length, and triangles that pass through each other. */
#include "oracle.h"

#include "oracle_number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- lengths */

/* A length m 2^unit, m of any sign. */
typedef struct oracle_length {
    mpz_t m;
    int unit;
} oracle_length;

/* The sum of n numbers, each times its factor. */
static void oracle_length_init(oracle_length *r, int n, const double *x, const long *factor)
{
    mpz_t part[3];
    for (int i = 0; i < n; i++)
        mpz_init(part[i]);
    r->unit = oracle_integers(n, x, part);
    mpz_init(r->m);
    for (int i = 0; i < n; i++) {
        mpz_mul_si(part[i], part[i], factor[i]);
        mpz_add(r->m, r->m, part[i]);
        mpz_clear(part[i]);
    }
}

/* Half of the sum of both thicknesses, minus x. */
static void oracle_length_rest(oracle_length *r, const double thickness[2], double x)
{
    oracle_length_init(r, 3, (double[]){thickness[0], thickness[1], x}, (long[]){1, 1, -2});
    r->unit--;
}

/* The sign of the distance minus a length. */
static int oracle_length_compare(const oracle_distance *d, const oracle_length *x)
{
    mpz_t left, right;
    if (mpz_sgn(x->m) < 0)
        return 1;
    mpz_init_set(left, d->square[0]);
    mpz_init(right);
    mpz_mul(right, x->m, x->m);
    mpz_mul(right, right, d->square[1]);
    const int shift = 2 * (d->unit - x->unit);
    mpz_t *const longer = shift > 0 ? &left : &right;
    mpz_mul_2exp(*longer, *longer, (mp_bitcnt_t)(shift > 0 ? shift : -shift));
    const int order = mpz_cmp(left, right);
    mpz_clear(left);
    mpz_clear(right);
    return order;
}

/* ---- within half of the sum */

int oracle_within_thickness(const solid_case *c, const double thickness[2])
{
    oracle_distance d;
    oracle_length limit;
    const double most = nextafter(thickness[0] / 2 + thickness[1] / 2, INFINITY);
    oracle_distance_init(&d);
    oracle_length_rest(&limit, thickness, 0);
    const int within = oracle_distance_find(c, most, &d) && oracle_length_compare(&d, &limit) <= 0;
    mpz_clear(limit.m);
    oracle_distance_clear(&d);
    return within;
}

/* ---- the depth */

/* The distance does not exceed the limit minus x. */
static int oracle_depth_reaches(const oracle_distance *d, const double thickness[2], double x)
{
    oracle_length rest;
    oracle_length_rest(&rest, thickness, x);
    const int reaches = oracle_length_compare(d, &rest) <= 0;
    mpz_clear(rest.m);
    return reaches;
}

/* The distance does not exceed the limit times 1 - x. */
static int oracle_relative_reaches(const oracle_distance *d, const double thickness[2], double x)
{
    oracle_length all, share;
    oracle_length_rest(&all, thickness, 0);
    oracle_length_init(&share, 2, (double[]){1, x}, (long[]){1, -1});
    mpz_mul(all.m, all.m, share.m);
    all.unit += share.unit;
    const int reaches = oracle_length_compare(d, &all) <= 0;
    mpz_clear(all.m);
    mpz_clear(share.m);
    return reaches;
}

typedef int oracle_reaches(const oracle_distance *d, const double thickness[2], double x);

/* The greatest float64 in [0, most] that is reached, by bisection of bits; 0 is. */
static double oracle_depth_bisect(const oracle_distance *d, const double thickness[2], double most,
                                  oracle_reaches *reaches)
{
    uint64_t low = 0, high;
    double x = nextafter(most, INFINITY);
    memcpy(&high, &x, sizeof high);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        memcpy(&x, &middle, sizeof x);
        if (reaches(d, thickness, x))
            low = middle;
        else
            high = middle;
    }
    memcpy(&x, &low, sizeof x);
    return x;
}

int oracle_depth(const solid_case *c, const double thickness[2], double *depth, double *relative)
{
    oracle_distance d;
    oracle_distance_init(&d);
    *depth = *relative = 0;
    const int within =
        oracle_distance_find(c, INFINITY, &d) && oracle_depth_reaches(&d, thickness, 0);
    if (within && (thickness[0] > 0 || thickness[1] > 0)) {
        const double most = fmax(thickness[0], thickness[1]);
        *depth = oracle_depth_bisect(&d, thickness, most, oracle_depth_reaches);
        *relative = oracle_depth_bisect(&d, thickness, 1, oracle_relative_reaches);
    }
    oracle_distance_clear(&d);
    return within;
}

/* ---- triangles that pass through each other */

/* r = a x - b y */
static void oracle_cross_combine(vector r, const mpz_t a, vector x, const mpz_t b, vector y)
{
    for (int k = 0; k < 3; k++) {
        mpz_mul(r[k], a, x[k]);
        mpz_submul(r[k], b, y[k]);
    }
}

/* The heights h[0] and h[1] of the ends of an edge, of different signs, over the plane of t with
 * the normal n: whether the point in the plane, h[0] q - h[1] p over h[0] - h[1], is in the closed
 * triangle. */
static int oracle_cross_inside(vector n, vector *t, mpz_t h[2], vector p, vector q)
{
    mpz_t all, side;
    vector at, e, g, m;
    int above = 0, below = 0;
    mpz_init(all);
    mpz_init(side);
    vector_init(at);
    vector_init(e);
    vector_init(g);
    vector_init(m);
    mpz_sub(all, h[0], h[1]);
    oracle_cross_combine(at, h[0], q, h[1], p);
    for (int k = 0; k < 3; k++) {
        vector_subtract(e, t[(k + 1) % 3], t[k]);
        for (int i = 0; i < 3; i++) {
            mpz_mul(g[i], all, t[k][i]);
            mpz_sub(g[i], at[i], g[i]);
        }
        vector_cross(m, e, g);
        vector_dot(side, m, n);
        above |= mpz_sgn(side) > 0;
        below |= mpz_sgn(side) < 0;
    }
    mpz_clear(all);
    mpz_clear(side);
    vector_clear(at);
    vector_clear(e);
    vector_clear(g);
    vector_clear(m);
    return !(above && below);
}

static int oracle_cross_edge(vector n, vector *t, vector p, vector q)
{
    mpz_t h[2];
    vector d;
    mpz_init(h[0]);
    mpz_init(h[1]);
    vector_init(d);
    vector_subtract(d, p, t[0]);
    vector_dot(h[0], n, d);
    vector_subtract(d, q, t[0]);
    vector_dot(h[1], n, d);
    const int through = mpz_sgn(h[0]) * mpz_sgn(h[1]) < 0 && oracle_cross_inside(n, t, h, p, q);
    mpz_clear(h[0]);
    mpz_clear(h[1]);
    vector_clear(d);
    return through;
}

/* Whether an edge of the first triangle passes through the second. */
static int oracle_cross_one(vector *p, vector *t)
{
    vector e, f, n;
    int through = 0;
    vector_init(e);
    vector_init(f);
    vector_init(n);
    vector_subtract(e, t[1], t[0]);
    vector_subtract(f, t[2], t[0]);
    vector_cross(n, e, f);
    for (int k = 0; k < 3 && !through; k++)
        through = oracle_cross_edge(n, t, p[k], p[(k + 1) % 3]);
    vector_clear(e);
    vector_clear(f);
    vector_clear(n);
    return through;
}

int oracle_triangles_cross(const solid_case *c)
{
    mpz_t whole[24];
    vector x[2][4];
    (void)oracle_corner_integers(c->corners, c->x, whole);
    for (int i = 0; i < 24; i++)
        *x[i / 12][i / 3 % 4][i % 3] = *whole[i];
    const int through = oracle_cross_one(x[0], x[1]) || oracle_cross_one(x[1], x[0]);
    for (int i = 0; i < 8; i++)
        vector_clear(x[i / 4][i % 4]);
    return through;
}
