/* See exact.h; names are those of exact_ccd.h, S is the distance. The nearest points of two closed
 * features are within both, or a vertex and within an edge, or two vertices. So the features are
 * within S when one of these parts is, with F <= 0 for
 *
 *     a plane and a point, two lines:     F = D^2 - S^2 N.N              of degree 6
 *     a line and a point, c = e x g:      F = c.c - S^2 e.e                        4
 *     two points:                         F = g.g - S^2                            2
 *
 * and its feet (nearest points) on both features:
 *
 *     vertex and face:   P.N, Q.N, N.N - P.N - Q.N >= 0;
 *     edges:             0 <= Q.N <= N.N, 0 <= -P.N <= N.N;
 *     point and edge:    0 <= e.g <= e.e.
 *
 * They first are within S at the start, or when F is 0 for a part whose feet are on the features. A
 * part with F = 0 all the time needs no further test: when its feet reach the features, one is at
 * the end of a feature, so that the next smaller part has F = 0, and not all the time unless it did
 * at the start. If N is 0, the face has no area or the edges are parallel, and smaller parts are
 * equally near; so is a vertex if e is 0. */
#include "exact.h"
#include "exact_ccd.h"
#include "exact_form.h"
#include "exact_number.h"
#include "vec3.h"

#include <math.h>

typedef struct near_part {
    form f, size;   /* size: N.N or e.e, or 1; must be above 0 for the part to exist */
    form within[4]; /* nonnegative if the feet are on the features */
    int bounds;     /* number of elements of `within` */
} near_part;

static void near_part_init(near_part *r)
{
    form_init(&r->f);
    form_init(&r->size);
    for (int i = 0; i < 4; i++)
        form_init(&r->within[i]);
}

static void near_part_clear(near_part *r)
{
    form_clear(&r->f);
    form_clear(&r->size);
    for (int i = 0; i < 4; i++)
        form_clear(&r->within[i]);
}

/* f -= S^2 size, whose degree is lower by two */
static void exact_near_subtract_distance(near_part *r, double distance)
{
    form scaled, square; /* square: S^2, of degree 0 */
    form_init(&scaled);
    form_init(&square);
    dyad_set_double(&square.c[0], distance);
    dyad_mul(&square.c[0], &square.c[0], &square.c[0]);
    form_mul(&scaled, &r->size, &square);
    form_raise(&scaled, 2);
    form_add(&r->f, &r->f, &scaled, -1);
    form_clear(&scaled);
    form_clear(&square);
}

/* within[to] = size - within[from] */
static void exact_near_upper_bound(near_part *r, int to, int from)
{
    form_add(&r->within[to], &r->size, &r->within[from], -1);
}

static void exact_near_part_planes(near_part *r, trajectories *w, double distance)
{
    trajectories_make_sides(w);
    form_mul(&r->f, &w->d, &w->d);
    triple_dot(&r->size, &w->n, &w->n);
    triple_dot(&r->within[0], &w->q, &w->n);
    triple_dot(&r->within[1], &w->p, &w->n);
    exact_near_upper_bound(r, 2, 0);
    if (w->kind == EXACT_VERTEX_FACE) {
        form_add(&r->within[2], &r->within[2], &r->within[1], -1);
        r->bounds = 3;
    } else {
        for (int i = 0; i <= r->within[1].degree; i++)
            mpz_neg(r->within[1].c[i].m, r->within[1].c[i].m);
        exact_near_upper_bound(r, 3, 1);
        r->bounds = 4;
    }
    exact_near_subtract_distance(r, distance);
}

static void exact_near_part_edge(near_part *r, const trajectories *w, const point_and_edge *ids,
                                 double distance)
{
    triple e, g, c;
    triple_init(&e);
    triple_init(&g);
    triple_init(&c);
    triple_sub(&e, &w->v[ids->end[1]], &w->v[ids->end[0]]);
    triple_sub(&g, &w->v[ids->point], &w->v[ids->end[0]]);
    triple_cross(&c, &e, &g);
    triple_dot(&r->f, &c, &c);
    triple_dot(&r->size, &e, &e);
    triple_dot(&r->within[0], &e, &g);
    exact_near_upper_bound(r, 1, 0);
    r->bounds = 2;
    exact_near_subtract_distance(r, distance);
    triple_clear(&e);
    triple_clear(&g);
    triple_clear(&c);
}

static void exact_near_part_points(near_part *r, const trajectories *w, int i, int j,
                                   double distance)
{
    triple g;
    triple_init(&g);
    triple_sub(&g, &w->v[i], &w->v[j]);
    triple_dot(&r->f, &g, &g);
    r->size.degree = 0;
    dyad_set_power(&r->size.c[0], 0);
    r->bounds = 0;
    exact_near_subtract_distance(r, distance);
    triple_clear(&g);
}

/* ---- the first toi */

static int exact_near_has_feet(const near_part *r, form_root *x)
{
    int yes = form_root_sign(x, &r->size) > 0;
    for (int i = 0; i < r->bounds && yes; i++)
        yes = form_root_sign(x, &r->within[i]) >= 0;
    return yes;
}

static int exact_near_at_start(const near_part *r)
{
    form_root start;
    form_root_init(&start);
    int yes = form_root_sign(&start, &r->f) <= 0 && exact_near_has_feet(r, &start);
    form_root_clear(&start);
    return yes;
}

/* Lowers *toi to that of the part if earlier. */
static void exact_near_first_toi(const near_part *r, double *toi)
{
    form_roots roots;
    if (exact_near_at_start(r))
        *toi = 0;
    if (*toi == 0 || form_is_zero(&r->f))
        return;
    form_roots_find(&roots, &r->f);
    for (int i = 0; i < roots.count; i++) {
        form_root_round(&roots.at[i]);
        if (roots.at[i].toi >= *toi)
            break;
        if (exact_near_has_feet(r, &roots.at[i]))
            *toi = roots.at[i].toi;
    }
    form_roots_clear(&roots);
}

/* For two edges, all four pairs of their vertices; for a vertex and a face, three. */
static double exact_near_first_of_all(trajectories *w, double distance)
{
    const int is_face = w->kind == EXACT_VERTEX_FACE;
    double toi = 2;
    near_part r;
    near_part_init(&r);
    exact_near_part_planes(&r, w, distance);
    exact_near_first_toi(&r, &toi);
    for (int i = 0; i < point_edge_count[w->kind]; i++) {
        exact_near_part_edge(&r, w, &point_edges[w->kind][i], distance);
        exact_near_first_toi(&r, &toi);
    }
    for (int i = 0; i < (is_face ? 3 : 4); i++) {
        exact_near_part_points(&r, w, is_face ? i : i / 2, is_face ? 3 : 2 + i % 2, distance);
        exact_near_first_toi(&r, &toi);
    }
    near_part_clear(&r);
    return toi;
}

int exact_near_integers(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                        double *toi)
{
    trajectories w;
    trajectories_init(&w, kind, m);
    double first = exact_near_first_of_all(&w, distance);
    trajectories_clear(&w);
    if (first > 1)
        return 0;
    *toi = first;
    return 1;
}

int exact_ccd_first_near(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                         double *toi)
{
    if (!(distance > 0))
        return exact_ccd_first(kind, m, toi);
    if (exact_trajectories_apart(kind, m, distance))
        return 0;
    int found = exact_near_filter(kind, m, distance, toi);
    return found == SIGN_OPEN ? exact_near_integers(kind, m, distance, toi) : found;
}

/* ---- See the beginning of this file for the method and the parts, and exact_ccd.h for the names.
 *
 * For every part, F = A.A - S^2 B.B, with A and B forms of degree n and n - 1:
 *
 *     a plane and a point, two lines: A = D, B = N, n = 3;
 *     a line and a point:             A = c, B = e, n = 2;
 *     two points:                     A = g, B = 1, n = 1.
 *
 * All lengths are divided by a power of two, so that no component of a difference, nor S, is above
 * 1. Let u = 2^-53 and w = 2^-100, the relative error of an operation with double-double numbers. A
 * sum of m products without other errors errs by (m + 1) w of the sum of their sizes. Differences
 * are exact. */

typedef twofold vector[3][4]; /* forms of degree 3 at most */

typedef struct lengths {
    enum exact_ccd_kind kind;
    const exact_motion *m;
    double unit, distance; /* in scaled units: lengths up to 1 */
} lengths;

typedef struct filter_part {
    int degree, count[2]; /* n; number of components of A and B */
    twofold of[2][3][4];  /* A, B */
    double error[2];      /* error of the values of A and B */
    double distance;
    vector e, f, g; /* for feet; f only for planes */
    int planes, is_face;
} filter_part;

/* ---- forms in double-double numbers */

static void near_filter_difference(const lengths *l, int i, int j, vector out)
{
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++) {
            twofold d = sum_of(l->m->at[end][i].x[k], -l->m->at[end][j].x[k]);
            out[k][end] = (twofold){d.hi * l->unit, d.lo * l->unit};
        }
}

/* r += sign a b */
static void add_product(twofold *r, const twofold *a, int a_degree, const twofold *b, int b_degree,
                        int sign)
{
    for (int i = 0; i <= a_degree; i++)
        for (int j = 0; j <= b_degree; j++) {
            twofold product = two_mul(a[i], b[j]);
            r[i + j] = two_add(r[i + j], sign > 0 ? product : two_minus(product));
        }
}

/* For two lines: sums of at most 4 products, which err by 20 w and are at most 2, 4 and 2. */
static void near_filter_cross(vector u, vector v, vector out)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k][0] = out[k][1] = out[k][2] = (twofold){0, 0};
        add_product(out[k], u[i], 1, v[j], 1, 1);
        add_product(out[k], u[j], 1, v[i], 1, -1);
    }
}

/* ---- F as a form. Its coefficients err, in units of w:
 *
 *     n = 2: c by 20; c.c is a sum of 9 products, whose sizes add up to 72: 10 72, and the error of
 * c, 3 3 8 20; e.e by 7 6, times S^2 by 6, and (s + t)^2 adds four of these, with three sums of 18:
 * 4 48 + 3 18. The sum and the difference, of 90: less than 2^12. n = 1: g.g is a sum of 6
 * products, of size 6: 42, the rest less than 2^5. n = 3: N by 20, D is a sum of 6 products, of
 * size 18, and the error of N: 7 18 + 6 20 = 246. D D: 4 products, of size 720: 5 720, and the
 * error of D: 4 36 246; N.N as c.c above, times S^2 and (s + t)^2: 4 (720 + 1440 + 72) + 3 240. The
 * sum and the difference, of 960: less than 2^16.
 *
 * With float64 numbers the same holds in units of u, but differences err by u too: sums of m
 * products by (m + 3) u of their sizes instead, which is less than twice as much. */
static const double form_error[4] = {0, 0x1p7, 0x1p12, 0x1p16};
#define TWOFOLD 0x1p-100
#define FLOAT64 0x1p-52 /* twice u */

/* r += a b */
static void add_float(double *r, const double *a, int a_degree, const double *b, int b_degree)
{
    for (int i = 0; i <= a_degree; i++)
        for (int j = 0; j <= b_degree; j++)
            r[i + j] += a[i] * b[j];
}

/* From A.A and B.B: whether all coefficients of F are above 0. */
static int near_filter_all_above(int degree, const double *a, const double *b, double distance)
{
    double error = form_error[degree] * FLOAT64;
    int last = 2 * degree, all = 1;
    for (int i = 0; i <= last; i++) {
        double raised = (i <= last - 2 ? b[i] : 0) + (i && i < last ? 2 * b[i - 1] : 0) +
                        (i > 1 ? b[i - 2] : 0);
        all &= a[i] - distance * distance * raised > error;
    }
    return all;
}

static int near_filter_never_near(const filter_part *p)
{
    double squares[2][7] = {{0}};
    for (int which = 0; which < 2; which++)
        for (int k = 0; k < p->count[which]; k++) {
            double c[4];
            for (int i = 0; i <= p->degree - which; i++)
                c[i] = p->of[which][k][i].hi;
            add_float(squares[which], c, p->degree - which, c, p->degree - which);
        }
    return near_filter_all_above(p->degree, squares[0], squares[1], p->distance);
}

static void float_difference(const lengths *l, int i, int j, double out[3][2])
{
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
            out[k][end] = (l->m->at[end][i].x[k] - l->m->at[end][j].x[k]) * l->unit;
}

/* The same for planes and lines, in float64 from the beginning: most features are that far
 * apart. */
static int near_filter_planes_never_near(const lengths *l)
{
    const int is_face = l->kind == EXACT_VERTEX_FACE;
    double e[3][2], f[3][2], g[3][2], d[4] = {0}, a[7] = {0}, b[5] = {0};
    float_difference(l, 1, 0, e);
    float_difference(l, is_face ? 2 : 3, is_face ? 0 : 2, f);
    float_difference(l, is_face ? 3 : 2, 0, g);
    for (int k = 0; k < 3; k++) {
        const double *u[2] = {e[(k + 1) % 3], e[(k + 2) % 3]},
                     *v[2] = {f[(k + 1) % 3], f[(k + 2) % 3]};
        double n[3] = {u[0][0] * v[1][0] - u[1][0] * v[0][0],
                       (u[0][0] * v[1][1] - u[1][0] * v[0][1]) +
                           (u[0][1] * v[1][0] - u[1][1] * v[0][0]),
                       u[0][1] * v[1][1] - u[1][1] * v[0][1]};
        add_float(d, n, 2, g[k], 1);
        add_float(b, n, 2, n, 2);
    }
    add_float(a, d, 3, d, 3);
    return near_filter_all_above(3, a, b, l->distance);
}

static void near_filter_set_curve(const filter_part *p, curve *c)
{
    twofold b[5] = {{0, 0}}, square = product_of(p->distance, p->distance);
    c->degree = 2 * p->degree;
    c->error = form_error[p->degree] * TWOFOLD;
    for (int i = 0; i <= c->degree; i++)
        c->c[i] = (twofold){0, 0};
    for (int k = 0; k < p->count[0]; k++)
        add_product(c->c, p->of[0][k], p->degree, p->of[0][k], p->degree, 1);
    for (int k = 0; k < p->count[1]; k++)
        add_product(b, p->of[1][k], p->degree - 1, p->of[1][k], p->degree - 1, 1);
    for (int i = 0; i <= c->degree - 2; i++) {
        twofold less = two_minus(two_mul(square, b[i]));
        c->c[i] = two_add(c->c[i], less);
        c->c[i + 1] = two_add(c->c[i + 1], (twofold){2 * less.hi, 2 * less.lo});
        c->c[i + 2] = two_add(c->c[i + 2], less);
    }
}

/* ---- the value of F. A and B by Horner's rule err, in units of w: lines by 3; c and N, of size 4,
 * by 20 and 6 operations, 44; D, of size 18, by 246 and 12 operations, 462. Squares, sums, S^2 and
 * the difference err by less than 8 w of all squares. One percent is added for the rounding of
 * these bounds themselves. */
static twofold near_filter_form_at(const twofold *c, int degree, twofold s, double t)
{
    twofold value = c[degree], power = {1, 0};
    for (int i = degree - 1; i >= 0; i--) {
        power = two_mul(power, s);
        value = two_add(two_mul(value, (twofold){t, 0}), two_mul(c[i], power));
    }
    return value;
}

static twofold near_filter_squares_at(const filter_part *p, int which, twofold s, double t,
                                      double *error)
{
    twofold sum = {0, 0};
    int degree = p->degree - which;
    double off = p->error[which];
    *error = 0;
    for (int k = 0; k < p->count[which]; k++) {
        twofold value = near_filter_form_at(p->of[which][k], degree, s, t);
        *error += off * (2 * fabs(value.hi) + off);
        sum = two_add(sum, two_mul(value, value));
    }
    *error += 8 * TWOFOLD * sum.hi;
    return sum;
}

static twofold near_filter_value_at(const void *of, double t, double *error)
{
    const filter_part *p = of;
    double errors[2];
    twofold s = sum_of(1, -t), square = product_of(p->distance, p->distance);
    twofold a = near_filter_squares_at(p, 0, s, t, &errors[0]),
            b = near_filter_squares_at(p, 1, s, t, &errors[1]);
    *error = 1.01 * (errors[0] + square.hi * errors[1]);
    return two_add(a, two_minus(two_mul(square, b)));
}

/* ---- feet. Components of e, f and g from the toi to the next float64 err by 7 u, minors by 32 u
 * (exact_ccd.c). In a dot product, each factor's error is multiplied by the other factor: with the
 * sums n, p and q of the sizes of N, P and Q, N.N - P.N - Q.N errs by 32 u (4 n + p + q) and less
 * than 20 u n for its own operations: less than 256 u (n + p + q). e.e - e.g by 7 u (3 e + g) and
 * 10 u e: less than that with e and g. */
#define FEET_ERROR 0x1p-45

static void near_filter_vector_at(const vector v, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * v[k][0].hi + t * v[k][1].hi;
}

static double near_filter_magnitude(const double u[3])
{
    return fabs(u[0]) + fabs(u[1]) + fabs(u[2]);
}

static int near_filter_plane_feet(const filter_part *p, const double e[3], const double g[3],
                                  double t)
{
    double f[3], n[3], u[3], v[3];
    near_filter_vector_at(p->f, t, f);
    vec_cross(e, f, n);
    vec_cross(g, f, u);
    vec_cross(e, g, v);
    double size = vec_dot(n, n), first = vec_dot(u, n),
           second = p->is_face ? vec_dot(v, n) : -vec_dot(v, n);
    double error = FEET_ERROR *
                   (near_filter_magnitude(n) + near_filter_magnitude(u) + near_filter_magnitude(v)),
           least = fmin(first, second);
    least = fmin(least, p->is_face ? size - first - second : size - fmax(first, second));
    return least < -error ? 0 : least > error && size > error ? 1 : SIGN_OPEN;
}

static int near_filter_has_feet(const void *of, double t)
{
    const filter_part *p = of;
    double e[3], g[3];
    if (p->degree == 1)
        return 1;
    near_filter_vector_at(p->e, t, e);
    near_filter_vector_at(p->g, t, g);
    if (p->planes)
        return near_filter_plane_feet(p, e, g, t);
    double along = vec_dot(e, g),
           error = FEET_ERROR * (near_filter_magnitude(e) + near_filter_magnitude(g));
    double least = fmin(along, vec_dot(e, e) - along);
    return least < -error ? 0 : least > error ? 1 : SIGN_OPEN;
}

/* ---- parts */

static void near_filter_part_planes(const lengths *l, filter_part *p)
{
    const int is_face = l->kind == EXACT_VERTEX_FACE;
    *p = (filter_part){.degree = 3,
                       .count = {1, 3},
                       .error = {462 * TWOFOLD, 44 * TWOFOLD},
                       .distance = l->distance,
                       .planes = 1,
                       .is_face = is_face};
    near_filter_difference(l, 1, 0, p->e);
    near_filter_difference(l, is_face ? 2 : 3, is_face ? 0 : 2, p->f);
    near_filter_difference(l, is_face ? 3 : 2, 0, p->g);
    near_filter_cross(p->e, p->f, p->of[1]);
    for (int k = 0; k < 3; k++)
        add_product(p->of[0][0], p->of[1][k], 2, p->g[k], 1, 1);
}

static void near_filter_part_edge(const lengths *l, const point_and_edge *ids, filter_part *p)
{
    *p = (filter_part){.degree = 2,
                       .count = {3, 3},
                       .error = {44 * TWOFOLD, 3 * TWOFOLD},
                       .distance = l->distance};
    near_filter_difference(l, ids->end[1], ids->end[0], p->e);
    near_filter_difference(l, ids->point, ids->end[0], p->g);
    near_filter_cross(p->e, p->g, p->of[0]);
    for (int k = 0; k < 3; k++)
        for (int end = 0; end < 2; end++)
            p->of[1][k][end] = p->e[k][end];
}

static void near_filter_part_points(const lengths *l, int i, int j, filter_part *p)
{
    *p = (filter_part){
        .degree = 1, .count = {3, 1}, .error = {3 * TWOFOLD, 0}, .distance = l->distance};
    near_filter_difference(l, i, j, p->of[0]);
    p->of[1][0][0] = (twofold){1, 0};
}

/* Returns 0 if in doubt. Lowers *toi to that of the part if earlier. */
static int near_filter_test_part(const filter_part *p, double *toi)
{
    double first = 0;
    if (near_filter_never_near(p))
        return 1;
    curve c = {.value = near_filter_value_at, .holds = near_filter_has_feet, .of = p};
    near_filter_set_curve(p, &c);
    int found = fabs(c.c[0].hi) > c.error ? 0 : SIGN_OPEN;
    if (c.c[0].hi < -c.error)
        found = near_filter_has_feet(p, 0);
    if (!found)
        found = curve_first(&c, &first);
    if (found == 1)
        *toi = fmin(*toi, first);
    return found != SIGN_OPEN;
}

static int near_filter_add_boundary(const lengths *l, double *toi)
{
    const int is_face = l->kind == EXACT_VERTEX_FACE;
    filter_part p;
    for (int i = 0; i < point_edge_count[l->kind]; i++) {
        near_filter_part_edge(l, &point_edges[l->kind][i], &p);
        if (!near_filter_test_part(&p, toi))
            return 0;
    }
    for (int i = 0; i < (is_face ? 3 : 4); i++) {
        near_filter_part_points(l, is_face ? i : i / 2, is_face ? 3 : 2 + i % 2, &p);
        if (!near_filter_test_part(&p, toi))
            return 0;
    }
    return 1;
}

/* A power of two that makes all lengths at most 1; 0 if one is too large or too small for this: S^2
 * is exact, and underflow is far below w. */
static double near_filter_unit(const exact_motion *m, double distance)
{
    double most = distance;
    int e;
    for (int k = 0; k < 3; k++) {
        double low = m->at[0][0].x[k], high = low;
        for (int i = 1; i < 8; i++) {
            low = fmin(low, m->at[i / 4][i % 4].x[k]);
            high = fmax(high, m->at[i / 4][i % 4].x[k]);
        }
        most = fmax(most, high - low);
    }
    frexp(most, &e);
    return most <= 0x1p1000 && most >= 0x1p-1000 && distance > 0x1p-300 * most ? ldexp(1, -e) : 0;
}

/* Features that are apart as planes and lines are apart in all parts. */
int exact_near_filter(enum exact_ccd_kind kind, const exact_motion *m, double distance, double *toi)
{
    lengths l = {kind, m, near_filter_unit(m, distance), 0};
    double first = 2;
    filter_part p;
    if (l.unit == 0)
        return SIGN_OPEN;
    l.distance = distance * l.unit;
    if (near_filter_planes_never_near(&l))
        return 0;
    near_filter_part_planes(&l, &p);
    if (!near_filter_test_part(&p, &first) || !near_filter_add_boundary(&l, &first))
        return SIGN_OPEN;
    if (first > 1)
        return 0;
    *toi = first;
    return 1;
}
