/* See exact.h. With the names of exact_ccd.h, the features are coplanar only if D = 0. If N
 * is not 0, then
 *
 *     g = u e + v f, Q = u N, P = v N;                 edges: g = u e - v f, Q = u N, P = -v N,
 *
 * and they meet if
 *
 *     u, v, 1 - u - v >= 0;                            edges: 0 <= u, v <= 1,
 *
 * which signs along an axis with N_k != 0 decide. If N is 0, the face has no area or the edges are
 * parallel or points: they meet if the vertex is on an edge of the face, or an end of an edge on
 * the other edge.
 *
 * If D = 0 all the time, they begin to meet at the start, or when the vertex reaches an edge of the
 * face or an end of an edge reaches the other edge: a point reaches a segment. The point is
 * collinear with the segment when the cross product of the vectors to both ends is 0; if always,
 * they begin to meet when the point reaches an end. */
#include "exact_ccd.h"

#include "exact.h"
#include "exact_form.h"
#include "exact_number.h"

#include <math.h>

/* A point that may reach a segment: the vectors to its ends, and their cross product. */
typedef struct approach {
    triple to[2], cross;
} approach;

/* ---- at a time when D is 0 */

static int agrees(form_root *x, const form *q, int sign)
{
    return sign * form_root_sign(x, q) >= 0;
}

/* `sign`: the sign of N_k. */
static int exact_ccd_impact_on_axis(trajectories *m, form_root *x, int k, int sign)
{
    trajectories_make_sides(m);
    const form *n = &m->n.x[k], *p = &m->p.x[k], *q = &m->q.x[k];
    const int is_face = m->kind == EXACT_VERTEX_FACE;
    form rest;
    if (!agrees(x, p, is_face ? sign : -sign) || !agrees(x, q, sign))
        return 0;
    form_init(&rest);
    form_add(&rest, n, q, -1);
    if (is_face)
        form_add(&rest, &rest, p, -1);
    int yes = agrees(x, &rest, sign);
    if (yes && !is_face) {
        form_add(&rest, n, p, 1);
        yes = agrees(x, &rest, sign);
    }
    form_clear(&rest);
    return yes;
}

static void approach_init(approach *r, const trajectories *m, const point_and_edge *ids)
{
    triple_init(&r->cross);
    for (int end = 0; end < 2; end++) {
        triple_init(&r->to[end]);
        triple_sub(&r->to[end], &m->v[ids->end[end]], &m->v[ids->point]);
    }
    triple_cross(&r->cross, &r->to[0], &r->to[1]);
}

static void approach_clear(approach *r)
{
    triple_clear(&r->to[0]);
    triple_clear(&r->to[1]);
    triple_clear(&r->cross);
}

static int exact_ccd_all_zero(form_root *x, const triple *v)
{
    for (int k = 0; k < 3; k++)
        if (form_root_sign(x, &v->x[k]))
            return 0;
    return 1;
}

/* Returns whether the point is on the segment. A collinear point is if it is between the ends along
 * each axis. */
static int exact_ccd_on_segment(const approach *r, form_root *x)
{
    for (int k = 0; k < 3; k++)
        if (form_root_sign(x, &r->to[0].x[k]) * form_root_sign(x, &r->to[1].x[k]) > 0)
            return 0;
    return exact_ccd_all_zero(x, &r->cross);
}

static int exact_ccd_impact_flat(const trajectories *m, form_root *x)
{
    int yes = 0;
    for (int i = 0; i < point_edge_count[m->kind] && !yes; i++) {
        approach r;
        approach_init(&r, m, &point_edges[m->kind][i]);
        yes = exact_ccd_on_segment(&r, x);
        approach_clear(&r);
    }
    return yes;
}

static int exact_ccd_impact(trajectories *m, form_root *x)
{
    for (int k = 0; k < 3; k++) {
        int sign = form_root_sign(x, &m->n.x[k]);
        if (sign)
            return exact_ccd_impact_on_axis(m, x, k, sign);
    }
    return exact_ccd_impact_flat(m, x);
}

/* ---- the first toi */

/* Lowers *toi, which is above 1 at first, to x if that is earlier. */
static void exact_ccd_earlier(double *toi, const form_root *x)
{
    if (x->toi < *toi)
        *toi = x->toi;
}

/* The first root of a component of v that is not always 0 at which all components are 0 and, unless
 * r is NULL, the point is on the segment of r. */
static void exact_ccd_first_common_root(const triple *v, const approach *r, double *toi)
{
    form_roots roots;
    int k = 0, found = 0;
    while (form_is_zero(&v->x[k]))
        k++;
    form_roots_find(&roots, &v->x[k]);
    for (int i = 0; i < roots.count && !found; i++) {
        form_root_round(&roots.at[i]);
        found = r ? exact_ccd_on_segment(r, &roots.at[i]) : exact_ccd_all_zero(&roots.at[i], v);
        if (found)
            exact_ccd_earlier(toi, &roots.at[i]);
    }
    form_roots_clear(&roots);
}

/* The point must not be on the segment at the start. */
static void exact_ccd_first_on_segment(const approach *r, double *toi)
{
    if (!triple_is_zero(&r->cross)) {
        exact_ccd_first_common_root(&r->cross, r, toi);
        return;
    }
    exact_ccd_first_common_root(&r->to[0], NULL, toi);
    exact_ccd_first_common_root(&r->to[1], NULL, toi);
}

/* D must be 0 all the time. */
static double exact_ccd_first_in_plane(trajectories *m)
{
    double toi = 2;
    form_root start;
    form_root_init(&start);
    if (exact_ccd_impact(m, &start))
        toi = 0;
    for (int i = 0; i < point_edge_count[m->kind] && toi > 0; i++) {
        approach r;
        approach_init(&r, m, &point_edges[m->kind][i]);
        exact_ccd_first_on_segment(&r, &toi);
        approach_clear(&r);
    }
    form_root_clear(&start);
    return toi;
}

static double exact_ccd_first_through_plane(trajectories *m)
{
    form_roots roots;
    double toi = 2;
    form_roots_find(&roots, &m->d);
    for (int i = 0; i < roots.count && toi > 1; i++) {
        form_root_round(&roots.at[i]);
        if (exact_ccd_impact(m, &roots.at[i]))
            toi = roots.at[i].toi;
    }
    form_roots_clear(&roots);
    return toi;
}

int exact_ccd_first_integers(enum exact_ccd_kind kind, const exact_motion *motion, double *toi)
{
    trajectories m;
    trajectories_init(&m, kind, motion);
    double first =
        form_is_zero(&m.d) ? exact_ccd_first_in_plane(&m) : exact_ccd_first_through_plane(&m);
    trajectories_clear(&m);
    if (first > 1)
        return 0;
    *toi = first;
    return 1;
}

/* ---- the float64 filter first */

int exact_ccd_first(enum exact_ccd_kind kind, const exact_motion *m, double *toi)
{
    const int found = exact_ccd_filter(kind, m, toi);
    if (found != SIGN_OPEN)
        return found;
    return exact_trajectories_apart(kind, m, 0) ? 0 : exact_ccd_first_integers(kind, m, toi);
}

/* ---- See exact_ccd.h for the names e, f, g, N, P, Q, D, and the beginning of this file for the
 * method.
 *
 * Error bounds are relative to S_k, the largest component of e, f and g along axis k at both ends
 * of the step, S = S_0 S_1 S_2, and u = 2^-53. In between, components are no larger, as they are
 * linear. So a product of components along i and j is at most S_i S_j, and |D| <= 6 S as a sum of
 * six products. */

/* Within these limits, no product over- or underflows in a way that bounds do not cover: S >=
 * 2^-540, and the error of a product that underflows is below 2^-1070, times at most 2^602 in the
 * following. */
#define SIZE_LEAST 0x1p-150
#define SIZE_MOST 0x1p300

typedef struct float_trajectories {
    int is_face;
    double e[2][3], f[2][3], g[2][3]; /* rounded, at both ends */
    double size[3], volume;           /* S_k, S */
} float_trajectories;

/* ---- D in float64: whether its sign is constant */

/* D's coefficients as a form (exact_form.h). With differences that err by u, a product of three of
 * them errs by 3 u plus 2 u for its products; in the second and third coefficient, sums of 18 such
 * products, the longest chain of sums has 7: 18 (3 + 2 + 7) u S = 216 u S, and less than 1 u for
 * second-order terms and the rounding of sizes. The others: 6 (3 + 2 + 3) u S. */
#define COEFFICIENT_ERROR 0x1p-45

static inline double minor_of(const double u[3], const double v[3], int k)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    return u[i] * v[j] - u[j] * v[i];
}

static void ccd_filter_coefficients(const float_trajectories *m, double d[4])
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

static void two_differences(const exact_point *a, const exact_point *b, twofold out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = sum_of(a->x[k], -b->x[k]);
}

/* e, f, g at both ends, exactly. */
typedef struct twofold_trajectories {
    twofold e[2][3], f[2][3], g[2][3];
} twofold_trajectories;

static void twofold_trajectories_make(int is_face, const exact_motion *motion,
                                      twofold_trajectories *m)
{
    for (int end = 0; end < 2; end++) {
        const exact_point *v = motion->at[end];
        two_differences(&v[1], &v[0], m->e[end]);
        two_differences(&v[is_face ? 2 : 3], &v[is_face ? 0 : 2], m->f[end]);
        two_differences(&v[is_face ? 3 : 2], &v[0], m->g[end]);
    }
}

/* In units of S_i S_j and S: a minor is a sum of two products and errs by 2^-98 (loose_minor); the
 * sum of two by 2^-97 and 4 2^-100; a dot product with an exact vector by three times that, and
 * 2^-99 of the sum of its products' sizes, 6 or 12; a sum of two such by another 2^-100 of 18. In
 * total less than 29 2^-98 for d[1] and d[2], 6 2^-98 for the others. */
#define TWOFOLD_ERROR 0x1p-93

static void two_coefficients(const twofold_trajectories *m, twofold d[4])
{
    twofold n[3][3];
    for (int k = 0; k < 3; k++) {
        n[0][k] = loose_minor(m->e[0], m->f[0], k);
        n[1][k] = two_add(loose_minor(m->e[0], m->f[1], k), loose_minor(m->e[1], m->f[0], k));
        n[2][k] = loose_minor(m->e[1], m->f[1], k);
    }
    d[0] = loose_dot(n[0], m->g[0]);
    d[1] = two_add(loose_dot(n[0], m->g[1]), loose_dot(n[1], m->g[0]));
    d[2] = two_add(loose_dot(n[1], m->g[1]), loose_dot(n[2], m->g[0]));
    d[3] = loose_dot(n[2], m->g[1]);
}

/* a s + b t. In units of S_k, with low parts of at most u: products of these with others are
 * rounded by 3 u^2, and one is omitted, u^2; sums of two, three and two of such products, of both,
 * and of the sum's rest are rounded by at most 2 + 3 + 2 + 5 + 6 u^2. With 6 u^2 for cancellation
 * of large parts, that is 28 u^2 < 2^-101. */
static inline twofold loose_between(twofold a, twofold b, twofold s, double t)
{
    const twofold p = product_of(a.hi, s.hi), q = product_of(b.hi, t), sum = sum_of(p.hi, q.hi);
    const double low = (a.hi * s.lo + a.lo * s.hi) + b.lo * t;
    return quick_sum(sum.hi, sum.lo + ((p.lo + q.lo) + low));
}

static inline void two_place(const twofold v[2][3], twofold s, double t, twofold out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = loose_between(v[0][k], v[1][k], s, t);
}

typedef struct volumes {
    const float_trajectories *m;
    twofold_trajectories two;
    curve c;
} volumes;

/* D from e, f and g at t; s = 1 - t is exact. They err by 2^-101, so a minor errs by 4 times that
 * and 2^-98 of its own; D by three times that, 6 2^-101 from g, and 6 2^-99 of its own: less than 9
 * 2^-98. */
#define VALUE_ERROR 0x1p-94

static twofold ccd_filter_value_at(const void *of, double t, double *error)
{
    const volumes *q = of;
    const twofold s = sum_of(1, -t);
    twofold e[3], f[3], g[3], n[3];
    two_place(q->two.e, s, t, e);
    two_place(q->two.f, s, t, f);
    two_place(q->two.g, s, t, g);
    for (int k = 0; k < 3; k++)
        n[k] = loose_minor(e, f, k);
    *error = VALUE_ERROR * q->m->volume;
    return loose_dot(n, g);
}

/* ---- the verdict at the root */

/* Components of e, f and g at the toi: each end errs by u, s by u, products and their sum by 2 u;
 * from the toi to the root, which are less than u apart, they change by 2 u S_k at most: 6 u S_k
 * and second-order terms: 7 u. So a minor of two errs by 2 (7 + 7 + 2) u S_i S_j = 32 u, and a sum
 * of three by 96 u plus 3 u for the sums, of at most 6. Less than 128 u S_i S_j = 2^-46. */
#define SIDE_ERROR 0x1p-46

typedef struct sides {
    double n[3], p[3], q[3];
} sides;

static inline void ccd_filter_point_at(const double v[2][3], double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * v[0][k] + t * v[1][k];
}

static void sides_at(const float_trajectories *m, double t, sides *out)
{
    double e[3], f[3], g[3];
    ccd_filter_point_at(m->e, t, e);
    ccd_filter_point_at(m->f, t, f);
    ccd_filter_point_at(m->g, t, g);
    for (int k = 0; k < 3; k++) {
        out->n[k] = minor_of(e, f, k);
        out->p[k] = minor_of(e, g, k);
        out->q[k] = minor_of(g, f, k);
    }
}

/* The same along one axis, whose N_k is certainly not 0: 0, 1 or SIGN_OPEN. */
static int ccd_filter_impact_on_axis(const float_trajectories *m, const sides *s, int k,
                                     double error)
{
    double sign = s->n[k] > 0 ? 1 : -1, n = fabs(s->n[k]), u = sign * s->q[k];
    double v = m->is_face ? sign * s->p[k] : -sign * s->p[k];
    double least = lesser(lesser(u, v), m->is_face ? n - u - v : n - greater(u, v));
    return least > error ? 1 : least < -error ? 0 : SIGN_OPEN;
}

static int ccd_filter_impact_at(const void *of, double t)
{
    const float_trajectories *m = ((const volumes *)of)->m;
    sides s;
    int answer = SIGN_OPEN;
    sides_at(m, t, &s);
    for (int k = 0; k < 3 && answer == SIGN_OPEN; k++) {
        double error = SIDE_ERROR * m->size[(k + 1) % 3] * m->size[(k + 2) % 3];
        if (fabs(s.n[k]) > error)
            answer = ccd_filter_impact_on_axis(m, &s, k, error);
    }
    return answer;
}

/* ---- all of it */

/* Returns 0 if too large or too small for float64, or flat along an axis. */
static int float_trajectories_make(int is_face, const exact_motion *motion, float_trajectories *m)
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

/* From D's coefficients, each within `error`. */
static int ccd_filter_first_impact(volumes *q, double error, double *toi)
{
    double first;
    q->c.error = error * q->m->volume;
    const int found = curve_first(&q->c, &first);
    if (found == 1)
        *toi = first;
    return found;
}

/* Coefficients in float64 give the interval of the root, unless one of them is nearly 0. */
int exact_ccd_filter(enum exact_ccd_kind kind, const exact_motion *motion, double *toi)
{
    float_trajectories m;
    double d[4];
    if (!float_trajectories_make(kind == EXACT_VERTEX_FACE, motion, &m))
        return SIGN_OPEN;
    ccd_filter_coefficients(&m, d);
    if (all_one_sign(d, COEFFICIENT_ERROR * m.volume))
        return 0;
    volumes q;
    q.m = &m;
    q.c.degree = 3;
    q.c.value = ccd_filter_value_at;
    q.c.holds = ccd_filter_impact_at;
    q.c.of = &q;
    twofold_trajectories_make(m.is_face, motion, &q.two);
    for (int i = 0; i < 4; i++)
        q.c.c[i] = (twofold){d[i], 0};
    const int found = ccd_filter_first_impact(&q, COEFFICIENT_ERROR, toi);
    if (found != SIGN_OPEN)
        return found;
    two_coefficients(&q.two, q.c.c);
    return ccd_filter_first_impact(&q, TWOFOLD_ERROR, toi);
}

const point_and_edge point_edges[2][4] = {
    [EXACT_VERTEX_FACE] = {{3, {0, 1}}, {3, {1, 2}}, {3, {2, 0}}},
    [EXACT_EDGE_EDGE] = {{0, {2, 3}}, {1, {2, 3}}, {2, {0, 1}}, {3, {0, 1}}},
};
const int point_edge_count[2] = {[EXACT_VERTEX_FACE] = 3, [EXACT_EDGE_EDGE] = 4};

/* The bounds of some points along an axis, over both ends. */
static void exact_motion_bounds(const exact_motion *m, int from, int to, int axis, double *low,
                                double *high)
{
    *low = *high = m->at[0][from].x[axis];
    for (int i = 2 * from + 1; i < 2 * to; i++) {
        double x = m->at[i % 2][i / 2].x[axis];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

/* A rounded difference is above a float64 number only if the exact one is. */
int exact_trajectories_apart(enum exact_ccd_kind kind, const exact_motion *m, double distance)
{
    const int second = kind == EXACT_VERTEX_FACE ? 3 : 2;
    for (int k = 0; k < 3; k++) {
        double low[2], high[2];
        exact_motion_bounds(m, 0, second, k, &low[0], &high[0]);
        exact_motion_bounds(m, second, 4, k, &low[1], &high[1]);
        if (low[1] - high[0] > distance || low[0] - high[1] > distance)
            return 1;
    }
    return 0;
}

void trajectories_init(trajectories *w, enum exact_ccd_kind kind, const exact_motion *m)
{
    triple *const all[] = {&w->e, &w->f, &w->g, &w->n, &w->p, &w->q};
    const int is_face = kind == EXACT_VERTEX_FACE;
    w->kind = kind;
    w->sides = 0;
    for (int i = 0; i < 12; i++) {
        form *x = &w->v[i / 3].x[i % 3];
        form_init(x);
        x->degree = 1;
        for (int end = 0; end < 2; end++)
            dyad_set_double(&x->c[end], m->at[end][i / 3].x[i % 3]);
    }
    for (int i = 0; i < 6; i++)
        triple_init(all[i]);
    form_init(&w->d);
    triple_sub(&w->e, &w->v[1], &w->v[0]);
    triple_sub(&w->f, &w->v[is_face ? 2 : 3], &w->v[is_face ? 0 : 2]);
    triple_sub(&w->g, &w->v[is_face ? 3 : 2], &w->v[0]);
    triple_cross(&w->n, &w->e, &w->f);
    triple_dot(&w->d, &w->n, &w->g);
}

void trajectories_make_sides(trajectories *w)
{
    if (w->sides)
        return;
    w->sides = 1;
    triple_cross(&w->p, &w->e, &w->g);
    triple_cross(&w->q, &w->g, &w->f);
}

void trajectories_clear(trajectories *w)
{
    triple *const all[] = {&w->e, &w->f, &w->g, &w->n, &w->p, &w->q};
    for (int i = 0; i < 4; i++)
        triple_clear(&w->v[i]);
    for (int i = 0; i < 6; i++)
        triple_clear(all[i]);
    form_clear(&w->d);
}
