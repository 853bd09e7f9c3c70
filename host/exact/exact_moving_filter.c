/* See exact_moving_filter.h, and exact_moving.c for the method and the names e, f, g, N, P, Q, D.
 * An interval of time with one simple root of D is found by the signs of D's Bernstein
 * coefficients, the root by Newton's method, and the float64 number below it by the signs of D
 * there and at the next one, in double-double numbers.
 *
 * Bounds of errors are relative to S_k, the largest component of e, f and g along axis k at both
 * ends of the step, S = S_0 S_1 S_2, and u = 2^-53. In between components are no larger, as they
 * are linear. So a product of components along i and j is S_i S_j at most, and as a sum of six
 * products |D| <= 6 S. */
#include "exact_moving_filter.h"

#include "exact_float.h"
#include "exact_twofold.h"

#include <math.h>

/* Within these no product over- or underflows in a way that bounds do not cover: S >= 2^-540, and
 * the error of a product that underflows is below 2^-1070, times 2^602 at most in what follows. */
#define SIZE_LEAST 0x1p-150
#define SIZE_MOST 0x1p300

typedef struct paths {
    int is_face;
    double e[2][3], f[2][3], g[2][3]; /* rounded, at both ends */
    double size[3], volume;           /* S_k, S */
} paths;

/* ---- D in float64: all of one sign? */

/* D's coefficients as a form (exact_form.h). With differences that err by u a product of three of
 * them errs by 3 u and 2 u for its products; in the second and third, sums of 18 such products,
 * the longest chain of sums has 7: 18 (3 + 2 + 7) u S = 216 u S, and less than 1 u for terms of
 * second order and for sizes, which are rounded too. The others: 6 (3 + 2 + 3) u S. */
#define COEFFICIENT_ERROR 0x1p-45

static double minor_of(const double u[3], const double v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return u[i] * v[j] - u[j] * v[i];
}

static void float_coefficients(const paths *m, double d[4])
{
    d[0] = d[1] = d[2] = d[3] = 0;
    for (int k = 0; k < 3; k++) {
        double n[3] = {minor_of(m->e[0], m->f[0], k),
                       minor_of(m->e[0], m->f[1], k) + minor_of(m->e[1], m->f[0], k),
                       minor_of(m->e[1], m->f[1], k)};
        d[0] += n[0] * m->g[0][k];
        d[1] += n[0] * m->g[1][k] + n[1] * m->g[0][k];
        d[2] += n[1] * m->g[1][k] + n[2] * m->g[0][k];
        d[3] += n[2] * m->g[1][k];
    }
}

static int all_one_sign(const double d[4], double error)
{
    return (d[0] > error && d[1] > error && d[2] > error && d[3] > error) ||
           (d[0] < -error && d[1] < -error && d[2] < -error && d[3] < -error);
}

/* ---- D in double-double numbers */

/* Differences are exact. In units of S_i S_j and S: a minor is a sum of two products and errs by
 * 2^-98 (loose_minor); the sum of two by 2^-97 and 4 2^-100; a dot product with a vector that is
 * exact by three times that, and 2^-99 of the sum of its products' sizes, 6 or 12; a sum of two
 * such by 2^-100 of 18 besides. All in all less than 29 2^-98 for d[1] and d[2], 6 2^-98 for the
 * others.
 *
 * The value at t: sums of c[i] s^(3-i) t^i err by no more than the largest coefficient does. The
 * four products with |d| <= 18 S, the powers of s and the three sums are 12 operations, whose
 * results are at most 18 S and err by less than 2^-100 of that: 216 2^-100. So 83 2^-98 < 2^-91. */
#define VALUE_ERROR 0x1p-91

typedef struct cubic {
    twofold d[4];
} cubic;

static void two_differences(const exact_point *a, const exact_point *b, twofold out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = sum_of(a->x[k], -b->x[k]);
}

static cubic two_coefficients(int is_face, const exact_motion *motion)
{
    twofold e[2][3], f[2][3], g[2][3], n[3][3];
    for (int end = 0; end < 2; end++) {
        const exact_point *v = motion->at[end];
        two_differences(&v[1], &v[0], e[end]);
        two_differences(&v[is_face ? 2 : 3], &v[is_face ? 0 : 2], f[end]);
        two_differences(&v[is_face ? 3 : 2], &v[0], g[end]);
    }
    for (int k = 0; k < 3; k++) {
        n[0][k] = loose_minor(e[0], f[0], k);
        n[1][k] = two_add(loose_minor(e[0], f[1], k), loose_minor(e[1], f[0], k));
        n[2][k] = loose_minor(e[1], f[1], k);
    }
    return (cubic){{loose_dot(n[0], g[0]), two_add(loose_dot(n[0], g[1]), loose_dot(n[1], g[0])),
                    two_add(loose_dot(n[1], g[1]), loose_dot(n[2], g[0])), loose_dot(n[2], g[1])}};
}

static twofold scaled(twofold a, double t)
{
    return two_mul(a, (twofold){t, 0});
}

/* s = 1 - t is exact. */
static twofold value_at(const cubic *c, double t)
{
    const twofold s = sum_of(1, -t), square = two_mul(s, s);
    twofold value = two_add(scaled(c->d[3], t), two_mul(c->d[2], s));
    value = two_add(scaled(value, t), two_mul(c->d[1], square));
    return two_add(scaled(value, t), two_mul(c->d[0], two_mul(square, s)));
}

/* the sign of value_at, or SIGN_OPEN */
static int sign_of(twofold value, double error)
{
    return value.hi > error ? 1 : value.hi < -error ? -1 : SIGN_OPEN;
}

/* ---- intervals with one root */

/* Bernstein coefficients over [from, to]. They are 6 S at most, rounded from double-double numbers,
 * two of them by a third of these: 6 u S and 12 u S; each halving adds three roundings of averages,
 * 18 u S. */
#define HALVINGS 10
#define BERNSTEIN_ERROR 0x1p-45 /* 12 u + 180 u < 256 u */

typedef struct piece {
    double b[4], from, to;
} piece;

static piece half_of(const piece *p, int second)
{
    double middle = 0.5 * (p->from + p->to), b01 = 0.5 * (p->b[0] + p->b[1]),
           b12 = 0.5 * (p->b[1] + p->b[2]), b23 = 0.5 * (p->b[2] + p->b[3]),
           left = 0.5 * (b01 + b12), right = 0.5 * (b12 + b23), at = 0.5 * (left + right);
    return second ? (piece){{at, right, b23, p->b[3]}, middle, p->to}
                  : (piece){{p->b[0], b01, left, at}, p->from, middle};
}

/* How many roots are within: 0 or 1; or SIGN_OPEN if a halving may tell, or nothing. With ends of
 * different signs there is one if the inner coefficients can vary no more. */
static int roots_within(const piece *p, double error)
{
    int sign[4];
    for (int i = 0; i < 4; i++)
        sign[i] = p->b[i] > error ? 1 : p->b[i] < -error ? -1 : 0;
    if (!sign[0] || !sign[3])
        return SIGN_OPEN;
    if (sign[0] == sign[3])
        return sign[1] == sign[0] && sign[2] == sign[0] ? 0 : SIGN_OPEN;
    return sign[1] == sign[0] || sign[2] == sign[3] ? 1 : SIGN_OPEN;
}

/* ---- the root */

/* Where in the piece, from 0 to 1, D is 0, about; and D's slope there. By Newton's method, halving
 * where it leaves the interval. */
static double root_near(const piece *p, double *slope)
{
    double c1 = 3 * (p->b[1] - p->b[0]), c2 = 3 * (p->b[2] - p->b[1]) - c1,
           c3 = p->b[3] - p->b[0] - c1 - c2, low = 0, high = 1, step = 1;
    *slope = 1;
    double x = p->b[0] / (p->b[0] - p->b[3]);
    for (int i = 0; i < 20 && fabs(step) > 0x1p-30; i++) {
        double value = ((c3 * x + c2) * x + c1) * x + p->b[0];
        *slope = (3 * c3 * x + 2 * c2) * x + c1;
        *((value > 0) == (p->b[0] > 0) ? &low : &high) = x;
        double next = x - value / *slope;
        next = next >= low && next <= high ? next : 0.5 * (low + high);
        step = next - x;
        x = next;
    }
    return x;
}

/* The greatest float64 number below the root in the piece: D has the sign of the piece's begin
 * there, and the other one at the next number. 0: in doubt. */
static int round_root(const cubic *c, const piece *p, double error, double *share)
{
    double slope, t = p->from + (p->to - p->from) * root_near(p, &slope);
    twofold at = sum_of(t, -value_at(c, t).hi / slope * (p->to - p->from));
    double low = at.lo < 0 ? nextafter(at.hi, 0) : at.hi;
    int before = p->b[0] > 0 ? 1 : -1;
    for (int i = 0; i < 3 && low >= p->from && low < p->to; i++) {
        double next = nextafter(low, 1);
        int sign = sign_of(value_at(c, low), error), next_sign = sign_of(value_at(c, next), error);
        *share = low;
        if (sign == SIGN_OPEN || next_sign == SIGN_OPEN)
            return 0;
        if (sign == before && next_sign == -before)
            return 1;
        low = sign == before ? next : nextafter(low, 0);
    }
    return 0;
}

/* ---- do they meet then? */

/* Components of e, f and g at the share: each end errs by u, s by u, products and their sum by 2 u;
 * from the share to the root, less than u apart, they change by 2 u S_k at most: 6 u S_k and terms
 * of second order: 7 u. So a minor of two errs by 2 (7 + 7 + 2) u S_i S_j = 32 u, and a sum of
 * three by 96 u and 3 u for the sums, of 6 at most. Less than 128 u S_i S_j = 2^-46. */
#define SIDE_ERROR 0x1p-46

typedef struct sides {
    double n[3], p[3], q[3];
} sides;

static void place(const double v[2][3], double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * v[0][k] + t * v[1][k];
}

static void sides_at(const paths *m, double t, sides *out)
{
    double e[3], f[3], g[3];
    place(m->e, t, e);
    place(m->f, t, f);
    place(m->g, t, g);
    for (int k = 0; k < 3; k++) {
        out->n[k] = minor_of(e, f, k);
        out->p[k] = minor_of(e, g, k);
        out->q[k] = minor_of(g, f, k);
    }
}

/* The same along one axis, whose N_k is not 0 for certain: 0, 1 or SIGN_OPEN. */
static int meet_along(const paths *m, const sides *s, int k, double error)
{
    double sign = s->n[k] > 0 ? 1 : -1, n = fabs(s->n[k]), u = sign * s->q[k];
    double v = m->is_face ? sign * s->p[k] : -sign * s->p[k];
    double least = fmin(u, v);
    least = fmin(least, m->is_face ? n - u - v : n - fmax(u, v));
    return least > error ? 1 : least < -error ? 0 : SIGN_OPEN;
}

static int meet_at(const paths *m, double t)
{
    sides s;
    int answer = SIGN_OPEN;
    sides_at(m, t, &s);
    for (int k = 0; k < 3 && answer == SIGN_OPEN; k++) {
        double error = SIDE_ERROR * m->size[(k + 1) % 3] * m->size[(k + 2) % 3];
        if (fabs(s.n[k]) > error)
            answer = meet_along(m, &s, k, error);
    }
    return answer;
}

/* ---- all of it */

typedef struct search {
    const paths *m;
    cubic c;
} search;

/* Within the piece, in the order of time: what is not decided ends it. */
static int first_within(const search *q, const piece *p, int halvings, double *share)
{
    double volume = q->m->volume;
    int roots = roots_within(p, BERNSTEIN_ERROR * volume), found = 0;
    if (!roots)
        return 0;
    if (roots == 1)
        return round_root(&q->c, p, VALUE_ERROR * volume, share) ? meet_at(q->m, *share)
                                                                 : SIGN_OPEN;
    if (!halvings)
        return SIGN_OPEN;
    for (int second = 0; second < 2 && !found; second++) {
        piece half = half_of(p, second);
        found = first_within(q, &half, halvings - 1, share);
    }
    return found;
}

/* 0: too large or too small for float64, or flat along an axis. */
static int paths_make(int is_face, const exact_motion *motion, paths *m)
{
    m->is_face = is_face;
    m->volume = 1;
    for (int k = 0; k < 3; k++) {
        m->size[k] = 0;
        for (int end = 0; end < 2; end++) {
            const exact_point *v = motion->at[end];
            m->e[end][k] = v[1].x[k] - v[0].x[k];
            m->f[end][k] = v[is_face ? 2 : 3].x[k] - v[is_face ? 0 : 2].x[k];
            m->g[end][k] = v[is_face ? 3 : 2].x[k] - v[0].x[k];
            double size = greater(fabs(m->e[end][k]), fabs(m->f[end][k]));
            m->size[k] = greater(m->size[k], greater(size, fabs(m->g[end][k])));
        }
        if (!(m->size[k] > SIZE_LEAST && m->size[k] < SIZE_MOST))
            return 0;
        m->volume *= m->size[k];
    }
    return 1;
}

int moving_filter(enum exact_moving_kind kind, const exact_motion *motion, double *share)
{
    paths m;
    double d[4], first;
    if (!paths_make(kind == EXACT_VERTEX_FACE, motion, &m))
        return SIGN_OPEN;
    float_coefficients(&m, d);
    if (all_one_sign(d, COEFFICIENT_ERROR * m.volume))
        return 0;
    search q = {&m, two_coefficients(m.is_face, motion)};
    piece all = {{q.c.d[0].hi, q.c.d[1].hi / 3, q.c.d[2].hi / 3, q.c.d[3].hi}, 0, 1};
    int found = first_within(&q, &all, HALVINGS, &first);
    if (found == 1)
        *share = first;
    return found;
}
