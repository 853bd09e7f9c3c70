/* See exact_measure.h. A plane and a point, or two lines, have the normal N = e x f and feet by
 * Cramer's rule (exact_near.c has the same with polynomials); a line and a point have e.g. Where a
 * foot is not on its feature, an end of an edge or an edge of the face is nearest. */
#include "exact_measure.h"

#include <float.h>

/* ---- vectors */

static void dyad3_init(dyad3 *v)
{
    for (int k = 0; k < 3; k++)
        dyad_init(&v->x[k]);
}

static void dyad3_clear(dyad3 *v)
{
    for (int k = 0; k < 3; k++)
        dyad_clear(&v->x[k]);
}

static void dyad3_set(dyad3 *r, const dyad3 *a)
{
    for (int k = 0; k < 3; k++)
        dyad_set(&r->x[k], &a->x[k]);
}

/* b - a */
static void dyad3_between(dyad3 *r, const exact_point *a, const exact_point *b)
{
    dyad from;
    dyad_init(&from);
    for (int k = 0; k < 3; k++) {
        dyad_set_double(&from, a->x[k]);
        dyad_set_double(&r->x[k], b->x[k]);
        dyad_add(&r->x[k], &r->x[k], &from, -1);
    }
    dyad_clear(&from);
}

static void dyad3_dot(dyad *r, const dyad3 *a, const dyad3 *b)
{
    dyad_set_double(r, 0);
    for (int k = 0; k < 3; k++)
        dyad_add_mul(r, &a->x[k], &b->x[k], 1);
}

static void dyad3_cross(dyad3 *r, const dyad3 *a, const dyad3 *b)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        dyad_mul(&r->x[k], &a->x[i], &b->x[j]);
        dyad_add_mul(&r->x[k], &a->x[j], &b->x[i], -1);
    }
}

static int dyad3_zero(const dyad3 *a)
{
    return !dyad_sign(&a->x[0]) && !dyad_sign(&a->x[1]) && !dyad_sign(&a->x[2]);
}

static void dyad_negate(dyad *x)
{
    mpz_neg(x->m, x->m);
}

/* ---- measures */

static dyad3 *const *measure_vectors(exact_measure *m, dyad3 *out[6])
{
    dyad3 *const all[6] = {&m->way, &m->e, &m->f, &m->g, &m->n, &m->m};
    memcpy(out, all, sizeof all);
    return out;
}

#define MEASURE_NUMBERS 11
static dyad *const *measure_numbers(exact_measure *m, dyad *out[MEASURE_NUMBERS])
{
    dyad *const all[MEASURE_NUMBERS] = {&m->square,
                                        &m->size,
                                        &m->s,
                                        &m->t,
                                        &m->u,
                                        &m->weight[0][0],
                                        &m->weight[0][1],
                                        &m->weight[0][2],
                                        &m->weight[1][0],
                                        &m->weight[1][1],
                                        &m->weight[1][2]};
    memcpy(out, all, sizeof all);
    return out;
}

void exact_measure_init(exact_measure *m)
{
    dyad3 *v[6];
    dyad *x[MEASURE_NUMBERS];
    measure_vectors(m, v);
    measure_numbers(m, x);
    for (int i = 0; i < 6; i++)
        dyad3_init(v[i]);
    for (int i = 0; i < MEASURE_NUMBERS; i++)
        dyad_init(x[i]);
}

void exact_measure_clear(exact_measure *m)
{
    dyad3 *v[6];
    dyad *x[MEASURE_NUMBERS];
    measure_vectors(m, v);
    measure_numbers(m, x);
    for (int i = 0; i < 6; i++)
        dyad3_clear(v[i]);
    for (int i = 0; i < MEASURE_NUMBERS; i++)
        dyad_clear(x[i]);
}

static void measure_swap(exact_measure *a, exact_measure *b)
{
    const exact_measure old = *a;
    *a = *b;
    *b = old;
}

/* Exchanges the roles of both features. */
static void measure_turn(exact_measure *m)
{
    const measured_feature part = m->part[0];
    m->part[0] = m->part[1];
    m->part[1] = part;
    for (int k = 0; k < 3; k++) {
        const dyad weight = m->weight[0][k];
        m->weight[0][k] = m->weight[1][k];
        m->weight[1][k] = weight;
        dyad_negate(&m->way.x[k]);
    }
}

static measured_feature measure_vertex(int corner)
{
    return (measured_feature){1, {corner}};
}

static void measure_vertices(const exact_point *p, int i, const exact_point *q, int j,
                             exact_measure *m)
{
    dyad3_between(&m->way, &p[i], &q[j]);
    dyad3_dot(&m->square, &m->way, &m->way);
    dyad_set_double(&m->size, 1);
    dyad_set_double(&m->weight[0][0], 1);
    dyad_set_double(&m->weight[1][0], 1);
    m->part[0] = measure_vertex(i);
    m->part[1] = measure_vertex(j);
}

/* A vertex of p and an edge of q. */
static void measure_vertex_edge(const exact_point *p, int i, const exact_point *q,
                                const measured_feature *edge, exact_measure *m)
{
    const exact_point *a = &q[edge->corner[0]];
    dyad3_between(&m->e, a, &q[edge->corner[1]]);
    dyad3_between(&m->g, a, &p[i]);
    dyad3_dot(&m->size, &m->e, &m->e);
    dyad3_dot(&m->s, &m->e, &m->g);
    if (dyad_sign(&m->s) <= 0 || dyad_compare(&m->s, &m->size) >= 0) {
        measure_vertices(p, i, q, edge->corner[dyad_sign(&m->s) > 0], m);
        return;
    }
    dyad3_cross(&m->n, &m->e, &m->g);
    dyad3_dot(&m->square, &m->n, &m->n);
    for (int k = 0; k < 3; k++) { /* (e.g) e - (e.e) g */
        dyad_mul(&m->way.x[k], &m->s, &m->e.x[k]);
        dyad_add_mul(&m->way.x[k], &m->size, &m->g.x[k], -1);
    }
    dyad_set(&m->weight[0][0], &m->size);
    dyad_add(&m->weight[1][0], &m->size, &m->s, -1);
    dyad_set(&m->weight[1][1], &m->s);
    m->part[0] = measure_vertex(i);
    m->part[1] = *edge;
}

/* N and N.N of the vectors e and f. Returns 0 if N is 0. */
static int measure_plane(exact_measure *m)
{
    dyad3_cross(&m->n, &m->e, &m->f);
    if (dyad3_zero(&m->n))
        return 0;
    dyad3_dot(&m->size, &m->n, &m->n);
    return 1;
}

/* The distance of both planes or lines, which g connects, from N.g; to: 1 if `way` goes along g. */
static void measure_across(exact_measure *m, int to)
{
    dyad3_dot(&m->u, &m->n, &m->g);
    dyad_mul(&m->square, &m->u, &m->u);
    dyad3_set(&m->way, &m->n);
    for (int k = 0; k < 3; k++)
        if (dyad_sign(&m->u) * to < 0)
            dyad_negate(&m->way.x[k]);
}

/* A vertex of p whose foot is on a face of q. Returns 0 if the foot is outside, or the face has no
 * area. */
static int measure_over_face(const exact_point *p, int i, const exact_point *q,
                             const measured_feature *face, exact_measure *m)
{
    const exact_point *a = &q[face->corner[0]];
    dyad3_between(&m->e, a, &q[face->corner[1]]);
    dyad3_between(&m->f, a, &q[face->corner[2]]);
    dyad3_between(&m->g, a, &p[i]);
    if (!measure_plane(m))
        return 0;
    dyad3_cross(&m->m, &m->g, &m->f);
    dyad3_dot(&m->s, &m->m, &m->n);
    dyad3_cross(&m->m, &m->e, &m->g);
    dyad3_dot(&m->t, &m->m, &m->n);
    dyad_add(&m->u, &m->size, &m->s, -1);
    dyad_add(&m->u, &m->u, &m->t, -1);
    if (dyad_sign(&m->s) < 0 || dyad_sign(&m->t) < 0 || dyad_sign(&m->u) < 0)
        return 0;
    dyad_set(&m->weight[0][0], &m->size);
    dyad_set(&m->weight[1][0], &m->u);
    dyad_set(&m->weight[1][1], &m->s);
    dyad_set(&m->weight[1][2], &m->t);
    m->part[0] = measure_vertex(i);
    m->part[1] = *face;
    measure_across(m, -1);
    return 1;
}

static void measure_vertex_face(const exact_point *p, int i, const exact_point *q,
                                const measured_feature *face, exact_measure *m,
                                exact_measure *spare)
{
    if (measure_over_face(p, i, q, face, m))
        return;
    for (int k = 0; k < 3; k++) {
        const measured_feature edge = {2, {face->corner[k], face->corner[(k + 1) % 3]}};
        measure_vertex_edge(p, i, q, &edge, k ? spare : m);
        if (k && exact_measure_compare(spare, m) < 0)
            measure_swap(spare, m);
    }
}

/* Two edges whose lines' nearest points are on both. Returns 0 if one is outside, or the edges are
 * parallel. */
static int measure_between_edges(const exact_point *p, const measured_feature *i,
                                 const exact_point *q, const measured_feature *j, exact_measure *m)
{
    const exact_point *a = &p[i->corner[0]], *c = &q[j->corner[0]];
    dyad3_between(&m->e, a, &p[i->corner[1]]);
    dyad3_between(&m->f, c, &q[j->corner[1]]);
    dyad3_between(&m->g, a, c);
    if (!measure_plane(m))
        return 0;
    dyad3_cross(&m->m, &m->g, &m->f);
    dyad3_dot(&m->s, &m->m, &m->n);
    dyad3_cross(&m->m, &m->g, &m->e);
    dyad3_dot(&m->t, &m->m, &m->n);
    if (dyad_sign(&m->s) < 0 || dyad_sign(&m->t) < 0 || dyad_compare(&m->s, &m->size) > 0 ||
        dyad_compare(&m->t, &m->size) > 0)
        return 0;
    dyad_add(&m->weight[0][0], &m->size, &m->s, -1);
    dyad_set(&m->weight[0][1], &m->s);
    dyad_add(&m->weight[1][0], &m->size, &m->t, -1);
    dyad_set(&m->weight[1][1], &m->t);
    m->part[0] = *i;
    m->part[1] = *j;
    measure_across(m, 1);
    return 1;
}

/* The sign of the difference of two points' parameters on an edge: of the point of a minus that of
 * b, both on feature `which`. */
static int measure_parameters(const exact_measure *a, const exact_measure *b, int which,
                              const measured_feature *edge)
{
    dyad x[2];
    const exact_measure *const both[2] = {a, b};
    for (int n = 0; n < 2; n++) {
        const measured_feature *part = &both[n]->part[which];
        dyad_init(&x[n]);
        if (part->vertices == 2)
            dyad_set(&x[n], &both[n]->weight[which][1]);
        else if (part->corner[0] == edge->corner[1])
            dyad_set(&x[n], &both[n]->size);
        dyad_mul(&x[n], &x[n], &both[!n]->size);
    }
    const int order = dyad_compare(&x[0], &x[1]);
    dyad_clear(&x[0]);
    dyad_clear(&x[1]);
    return order;
}

/* Returns whether a is nearer than b, or as near with a lesser parameter on the first edge, then on
 * the second. */
static int measure_before(const exact_measure *a, const exact_measure *b, const measured_feature *i,
                          const measured_feature *j)
{
    int order = exact_measure_compare(a, b);
    order = order ? order : measure_parameters(a, b, 0, i);
    return (order ? order : measure_parameters(a, b, 1, j)) < 0;
}

static void measure_edges(const exact_point *p, const measured_feature *i, const exact_point *q,
                          const measured_feature *j, exact_measure *m, exact_measure *spare)
{
    if (measure_between_edges(p, i, q, j, m))
        return;
    for (int k = 0; k < 4; k++) {
        exact_measure *to = k ? spare : m;
        if (k < 2) {
            measure_vertex_edge(p, i->corner[k], q, j, to);
        } else {
            measure_vertex_edge(q, j->corner[k - 2], p, i, to);
            measure_turn(to);
        }
        if (k && measure_before(spare, m, i, j))
            measure_swap(spare, m);
    }
}

void exact_measure_features(const exact_point *p, const measured_feature *i, const exact_point *q,
                            const measured_feature *j, exact_measure *out, exact_measure *spare)
{
    if (i->vertices > j->vertices) {
        exact_measure_features(q, j, p, i, out, spare);
        measure_turn(out);
    } else if (i->vertices == 2) {
        measure_edges(p, i, q, j, out, spare);
    } else if (j->vertices == 3) {
        measure_vertex_face(p, i->corner[0], q, j, out, spare);
    } else if (j->vertices == 2) {
        measure_vertex_edge(p, i->corner[0], q, j, out);
    } else {
        measure_vertices(p, i->corner[0], q, j->corner[0], out);
    }
}

/* ---- results */

int exact_measure_compare(const exact_measure *a, const exact_measure *b)
{
    dyad x, y;
    dyad_init(&x);
    dyad_init(&y);
    dyad_mul(&x, &a->square, &b->size);
    dyad_mul(&y, &b->square, &a->size);
    const int order = dyad_compare(&x, &y);
    dyad_clear(&x);
    dyad_clear(&y);
    return order;
}

/* The sign of the distance minus x, which is not negative. */
static int measure_beyond(const exact_measure *m, const dyad *x)
{
    dyad square;
    dyad_init(&square);
    dyad_mul(&square, x, x);
    dyad_mul(&square, &square, &m->size);
    const int order = dyad_compare(&m->square, &square);
    dyad_clear(&square);
    return order;
}

static void measure_limit(const exact_limit *limit, dyad *out)
{
    dyad other;
    dyad_init(&other);
    dyad_set_double(out, limit->of[0]);
    dyad_set_double(&other, limit->of[1]);
    dyad_add(out, out, &other, 1);
    dyad_set_double(&other, 0.5);
    dyad_mul(out, out, &other);
    dyad_clear(&other);
}

int exact_measure_beyond(const exact_measure *m, const exact_limit *limit)
{
    dyad x;
    dyad_init(&x);
    measure_limit(limit, &x);
    const int order = measure_beyond(m, &x);
    dyad_clear(&x);
    return order;
}

/* The same for a number. */
static int measure_beyond_number(const exact_measure *m, double distance)
{
    dyad x;
    dyad_init(&x);
    dyad_set_double(&x, distance);
    const int order = measure_beyond(m, &x);
    dyad_clear(&x);
    return order;
}

static double measure_distance(const exact_measure *m)
{
    long e, of_size;
    if (!dyad_sign(&m->square))
        return 0;
    double d = dyad_top(&m->square, &e) / dyad_top(&m->size, &of_size);
    e -= of_size;
    if (e % 2) {
        d *= 2;
        e--;
    }
    d = ldexp(sqrt(d), (int)(e / 2));
    d = lesser(d, DBL_MAX);
    while (d < DBL_MAX && measure_beyond_number(m, nextafter(d, INFINITY)) >= 0)
        d = nextafter(d, INFINITY);
    while (measure_beyond_number(m, d) < 0)
        d = nextafter(d, 0);
    return d;
}

/* ---- the depth below a limit */

/* A limit c that the distance d does not exceed. c - d = (c^2 - d^2) / (c + d) has no cancellation
 * in float64. */
typedef struct measured_depth {
    const exact_measure *m;
    dyad limit;
} measured_depth;

/* Returns whether the depth, in units of `unit`, is at least x: d <= c - x unit. */
static int measured_depth_reaches(const measured_depth *r, const dyad *unit, double x)
{
    dyad step, rest;
    dyad_init(&step);
    dyad_init(&rest);
    dyad_set_double(&step, x);
    dyad_mul(&step, &step, unit);
    dyad_add(&rest, &r->limit, &step, -1);
    const int reaches = dyad_sign(&rest) >= 0 && measure_beyond(r->m, &rest) <= 0;
    dyad_clear(&step);
    dyad_clear(&rest);
    return reaches;
}

/* (c^2 - d^2) / (c^2 (1 + d / c)), the depth divided by the limit, as *out 2^e. */
static double measured_depth_guess(const measured_depth *r, long *e)
{
    long e_rest, e_most, e_square;
    dyad most, rest;
    dyad_init(&most);
    dyad_init(&rest);
    dyad_mul(&most, &r->limit, &r->limit);
    dyad_mul(&most, &most, &r->m->size);
    dyad_add(&rest, &most, &r->m->square, -1);
    const double a = dyad_top(&rest, &e_rest), b = dyad_top(&most, &e_most);
    const double square = dyad_top(&r->m->square, &e_square) / b;
    const long down = e_square - e_most < -2000 ? -2000 : e_square - e_most;
    dyad_clear(&most);
    dyad_clear(&rest);
    *e = e_rest - e_most;
    return a / b / (1 + sqrt(ldexp(square, (int)down)));
}

static double measured_depth_round(const measured_depth *r, const dyad *unit, double guess, long e)
{
    double x = ldexp(guess, (int)(e < -5000 ? -5000 : e > 5000 ? 5000 : e));
    x = lesser(x, DBL_MAX);
    while (x < DBL_MAX && measured_depth_reaches(r, unit, nextafter(x, INFINITY)))
        x = nextafter(x, INFINITY);
    while (x > 0 && !measured_depth_reaches(r, unit, x))
        x = nextafter(x, 0);
    return x;
}

static exact_depth measure_depth(const exact_measure *m, const exact_limit *limit)
{
    measured_depth r = {.m = m};
    exact_depth out = {0, 0};
    dyad one;
    long e, e_limit;
    dyad_init(&r.limit);
    dyad_init(&one);
    measure_limit(limit, &r.limit);
    dyad_set_double(&one, 1);
    if (dyad_sign(&r.limit)) {
        const double guess = measured_depth_guess(&r, &e), c = dyad_top(&r.limit, &e_limit);
        out.depth = measured_depth_round(&r, &one, guess * c, e + e_limit);
        out.relative = measured_depth_round(&r, &r.limit, guess, e);
    }
    dyad_clear(&one);
    dyad_clear(&r.limit);
    return out;
}

static double measure_weight(const exact_measure *m, int i, int k)
{
    long e, of_size;
    if (m->part[i].vertices == 1)
        return 1;
    if (!dyad_sign(&m->weight[i][k]))
        return 0;
    const double d = dyad_top(&m->weight[i][k], &e) / dyad_top(&m->size, &of_size);
    return lesser(ldexp(d, (int)(e - of_size < -2000 ? -2000 : e - of_size)), 1);
}

static void measure_normal(const exact_measure *m, double out[3])
{
    long e[3], most = LONG_MIN;
    double square = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = dyad_top(&m->way.x[k], &e[k]);
        if (out[k] != 0 && e[k] > most)
            most = e[k];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = out[k] != 0 && most - e[k] < 200 ? ldexp(out[k], (int)(e[k] - most)) : 0;
        square += out[k] * out[k];
    }
    for (int k = 0; k < 3 && square > 0; k++)
        out[k] = out[k] / sqrt(square) + 0.0;
}

void exact_measure_results(const exact_measure *m, const exact_limit *limit, exact_measured *out)
{
    for (int i = 0; i < 2; i++) {
        out->part[i] = m->part[i];
        for (int k = 0; k < m->part[i].vertices; k++)
            out->weight[i][k] = measure_weight(m, i, k);
    }
    out->distance = measure_distance(m);
    if (limit)
        out->depth = measure_depth(m, limit);
    if (dyad_sign(&m->square))
        measure_normal(m, out->normal);
    else /* planes and lines that meet have a direction */
        memset(out->normal, 0, sizeof out->normal);
}
