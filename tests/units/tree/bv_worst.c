/* See bv_worst.h. The derivation of the margin is in bv.h; this file relies only on the axes that
 * it names. */
#include "bv_worst.h"

#include <gmp.h>
#include <string.h>

/* ---- rotations, and errors added to them */

typedef struct turned {
    double axis[3][3], half[3]; /* orthonormal except for rounding */
    double off[3][3];           /* errors of the axes' products: -1, 0 or 1, symmetric */
} turned;

static void bv_worst_rotate(rng *r, turned *out)
{
    double q[4], square = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = rng_unit(r) + rng_unit(r) + rng_unit(r) - 1.5;
        square += q[k] * q[k];
    }
    const double s = 2 / square, w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    *out = (turned){0};
    memcpy(out->axis, m, sizeof m);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->half[i] += BV_EXTENT * fabs(m[i][k]);
}

/* Axes whose products have the errors `amount` times t->off. */
static void bv_worst_spoil(const turned *t, double amount, double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k] = t->axis[i][k];
            for (int n = 0; n < 3; n++)
                out[i][k] += amount / 2 * t->off[i][n] * t->axis[n][k];
        }
}

/* ---- the axis along which they touch, and the corners */

typedef struct touch {
    turned a, b;
    int i, j; /* along axis i of a times axis j of b */
    double s[3], t[3];
} touch;

static double bv_worst_dot(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void bv_worst_cross(const double *x, const double *y, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = x[(k + 1) % 3] * y[(k + 2) % 3] - x[(k + 2) % 3] * y[(k + 1) % 3];
}

static void bv_worst_corners(touch *w, int choice)
{
    double along[3];
    bv_worst_cross(w->a.axis[w->i], w->b.axis[w->j], along);
    for (int k = 0; k < 3; k++) {
        w->s[k] = copysign(w->a.half[k], bv_worst_dot(w->a.axis[k], along));
        w->t[k] = -copysign(w->b.half[k], bv_worst_dot(w->b.axis[k], along));
    }
    w->s[w->i] = choice & 1 ? w->a.half[w->i] : -w->a.half[w->i];
    w->t[w->j] = choice & 2 ? w->b.half[w->j] : -w->b.half[w->j];
}

/* The distance by the test's formula, along this axis alone: in float64, with errors of products so
 * large that rounding is negligible. */
static double bv_worst_gap(const touch *w, double amount)
{
    double a[3][3], b[3][3], d[3] = {0}, t[3], r[3][3];
    const int i1 = (w->i + 1) % 3, i2 = (w->i + 2) % 3, j1 = (w->j + 1) % 3, j2 = (w->j + 2) % 3;
    bv_worst_spoil(&w->a, amount, a);
    bv_worst_spoil(&w->b, amount, b);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 3; n++)
            d[k] += w->s[n] * a[n][k] - w->t[n] * b[n][k];
    for (int i = 0; i < 3; i++) {
        t[i] = bv_worst_dot(a[i], d);
        for (int j = 0; j < 3; j++)
            r[i][j] = bv_worst_dot(a[i], b[j]);
    }
    return fabs(t[i2] * r[i1][w->j] - t[i1] * r[i2][w->j]) - w->a.half[i1] * fabs(r[i2][w->j]) -
           w->a.half[i2] * fabs(r[i1][w->j]) - w->b.half[j1] * fabs(r[w->i][j2]) -
           w->b.half[j2] * fabs(r[w->i][j1]);
}

#define LARGE 1e-5

/* Chooses each product's sign so that the gap is wider. */
static double bv_worst_widen(touch *w)
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++)
            for (int k = i; k < 3; k++) {
                turned *t = side ? &w->b : &w->a;
                t->off[i][k] = t->off[k][i] = -1;
                const double less = bv_worst_gap(w, LARGE);
                t->off[i][k] = t->off[k][i] = 1;
                if (bv_worst_gap(w, LARGE) < less)
                    t->off[i][k] = t->off[k][i] = -1;
            }
    return bv_worst_gap(w, LARGE);
}

/* ---- a common point, in rational numbers */

typedef struct rational {
    mpq_t x[3][4]; /* three equations: columns of a's axes, and the right-hand side */
    mpq_t one, other;
} rational;

static void rational_begin(rational *q)
{
    mpq_inits(q->one, q->other, NULL);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 4; n++)
            mpq_init(q->x[k][n]);
}

static void rational_end(rational *q)
{
    mpq_clears(q->one, q->other, NULL);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 4; n++)
            mpq_clear(q->x[k][n]);
}

/* to += factor * x * y */
static void bv_worst_add(rational *q, mpq_t to, double factor, double x, double y)
{
    mpq_set_d(q->one, factor * x); /* factor is 1 or -1 */
    mpq_set_d(q->other, y);
    mpq_mul(q->one, q->one, q->other);
    mpq_add(to, to, q->one);
}

/* sum s[n] a->axis[n] = (b->c - a->c) + sum t[n] b->axis[n] */
static void equations(rational *q, const bv_obb *a, const bv_obb *b, const double *t)
{
    for (int k = 0; k < 3; k++) {
        for (int n = 0; n < 3; n++)
            mpq_set_d(q->x[k][n], a->axis[n][k]);
        mpq_set_ui(q->x[k][3], 0, 1);
        bv_worst_add(q, q->x[k][3], 1, b->c[k], 1);
        bv_worst_add(q, q->x[k][3], -1, a->c[k], 1);
        for (int n = 0; n < 3; n++)
            bv_worst_add(q, q->x[k][3], 1, t[n], b->axis[n][k]);
    }
}

/* Subtracts a multiple of row `from` from row `to`, so that its entry in column `from` is 0. */
static void eliminate(rational *q, int from, int to)
{
    mpq_div(q->other, q->x[to][from], q->x[from][from]);
    for (int n = 0; n < 4; n++) {
        mpq_mul(q->one, q->other, q->x[from][n]);
        mpq_sub(q->x[to][n], q->x[to][n], q->one);
    }
}

/* Gauss-Jordan elimination; returns 0 if a pivot is 0. x[k][3] becomes s[k]. */
static int bv_worst_solve(rational *q)
{
    for (int from = 0; from < 3; from++) {
        if (!mpq_sgn(q->x[from][from]))
            return 0;
        for (int to = 0; to < 3; to++)
            if (to != from)
                eliminate(q, from, to);
    }
    for (int k = 0; k < 3; k++)
        mpq_div(q->x[k][3], q->x[k][3], q->x[k][k]);
    return 1;
}

/* The magnitude of a rational, rounded up. */
static double no_less(mpq_t x, mpq_t room)
{
    mpq_abs(x, x);
    double out = mpq_get_d(x);
    mpq_set_d(room, out);
    return mpq_cmp(room, x) < 0 ? nextafter(out, INFINITY) : out;
}

/* Sets the half lengths of a so that it contains the corner t of b. */
static int bv_worst_touch(const double *t, bv_obb *a, const bv_obb *b)
{
    rational q;
    rational_begin(&q);
    equations(&q, a, b, t);
    int solved = bv_worst_solve(&q);
    for (int k = 0; k < 3 && solved; k++)
        a->half[k] = no_less(q.x[k][3], q.one);
    rational_end(&q);
    return solved;
}

/* ---- the whole construction */

/* The criterion by which bv_obb_fit keeps axes. */
static int bv_worst_orthonormal(const bv_obb *b)
{
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            if (!(fabs(vec_dot(b->axis[i], b->axis[k]) - (i == k)) < BV_UNIT))
                return 0;
    return 1;
}

int bv_worst(rng *r, bv_obb *a, bv_obb *b)
{
    touch best = {0}, w = {0};
    double most = -INFINITY;
    bv_worst_rotate(r, &w.a);
    bv_worst_rotate(r, &w.b);
    for (int at = 0; at < 36; at++) {
        w.i = at / 4 % 3;
        w.j = at / 12;
        bv_worst_corners(&w, at % 4);
        const double found = bv_worst_widen(&w);
        if (found > most)
            best = w;
        most = found > most ? found : most;
    }
    *a = *b = (bv_obb){0};
    bv_worst_spoil(&best.a, BV_UNIT * (1 - 0x1p-4), a->axis);
    bv_worst_spoil(&best.b, BV_UNIT * (1 - 0x1p-4), b->axis);
    memcpy(b->half, best.b.half, sizeof b->half);
    for (int k = 0; k < 3; k++)
        for (int n = 0; n < 3; n++)
            b->c[k] += best.s[n] * a->axis[n][k] - best.t[n] * b->axis[n][k];
    return bv_worst_orthonormal(a) && bv_worst_orthonormal(b) && bv_worst_touch(best.t, a, b);
}

double bv_needed(const bv_obb *a, const bv_obb *b)
{
    uint64_t axes = 0;
    double low = 0, high = 1;
    if (bv_obbs_within(a, b, 0, &axes))
        return 0;
    while (high > low * (1 + 0x1p-20)) {
        const double middle = low > 0 ? sqrt(low * high) : high / 2;
        if (bv_obbs_within(a, b, middle, &axes))
            high = middle;
        else
            low = middle;
    }
    return high;
}
