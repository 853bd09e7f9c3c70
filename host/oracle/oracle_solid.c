/* See oracle.h. */
#include "oracle.h"

#include "oracle_number.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* 48 pairs of an edge of one and a face of the other, each with at most three points where the edge
 * is in the plane of the face, and 8 corners. */
#define POINTS_MOST 152

typedef struct solid_truth {
    int unit;
    int corners[2];
    rational_point corner[2][4];
    rational_point point[POINTS_MOST + 1]; /* all common points that a contact lists, each once */
    int points;
    int inside[2][4]; /* the vertex is in the other primitive */
    int solid[2];     /* it is a tetrahedron with a volume */
} solid_truth;

/* ---- common points */

/* Keeps the point after the last one unless it is a duplicate. */
static void keep_point(solid_truth *t)
{
    rational_point *x = &t->point[t->points];
    point_approximate(x, t->unit);
    for (int i = 0; i < t->points; i++)
        if (!point_compare(&t->point[i], x)) {
            point_clear(x);
            return;
        }
    t->points++;
}

/* Weights by which points are means of a simplex's corners, times a common factor > 0: the first
 * `corners` rows, one per corner. With fewer than 4 corners, the other rows have a point's
 * components along axes out of the simplex, which are 0 for points in its plane, line or corner.
 * The column of point v is `first` + v. */
typedef struct weights {
    matrix m;
    int corners, first;
} weights;

static void put_column(matrix *m, int c, const rational_point *p)
{
    for (int r = 0; r < ROWS; r++)
        mpz_set(m->at[r][c], p->v[(r + 3) % 4]); /* the row of ones first: its pivot is 1 */
}

/* Weights of n points p with respect to the corners q in the set. Returns 0 if the corners are
 * dependent, so that weights are not unique. */
static int weights_open(weights *w, const rational_point *q, int set, const rational_point *p,
                        int n)
{
    int c = 0;
    w->corners = __builtin_popcount((unsigned)set);
    w->first = w->corners < 4 ? w->corners + 3 : 4;
    matrix_init(&w->m, w->first, w->first + n);
    for (int v = 0; v < 4; v++)
        if (set >> v & 1)
            put_column(&w->m, c++, &q[v]);
    for (int k = 0; c + k < w->first; k++)
        mpz_set_ui(w->m.at[k + 1][c + k], 1);
    for (int i = 0; i < n; i++)
        put_column(&w->m, w->first + i, &p[i]);
    return matrix_reduce(&w->m, w->corners);
}

static void weights_close(weights *w)
{
    matrix_clear(&w->m);
}

/* Returns whether a number of this sign in row r is possible for a point of the simplex. */
static int good_sign(const weights *w, int r, int sign)
{
    return r < w->corners ? sign >= 0 : !sign;
}

static int in_simplex(const weights *w, int v)
{
    for (int r = 0; r < ROWS; r++)
        if (!good_sign(w, r, mpz_sgn(w->m.at[r][w->first + v])))
            return 0;
    return 1;
}

/* The sign of s a + u b, where s and u are greater than 0. */
static int sign_between(const mpz_t s, const mpz_t a, const mpz_t u, const mpz_t b)
{
    mpz_t x;
    if (mpz_sgn(a) * mpz_sgn(b) >= 0)
        return mpz_sgn(a) ? mpz_sgn(a) : mpz_sgn(b);
    mpz_init(x);
    mpz_mul(x, s, a);
    mpz_addmul(x, u, b);
    const int sign = mpz_sgn(x);
    mpz_clear(x);
    return sign;
}

/* If the number in row `zero` becomes 0 on the edge from corner i to j of side s, keeps that point
 * if it is in the simplex. */
static void cross_edge(solid_truth *t, const weights *w, int s, int i, int j, int zero)
{
    mpz_t p, q; /* weights of both ends there */
    int good = 1;
    mpz_init(p);
    mpz_init(q);
    mpz_abs(p, w->m.at[zero][w->first + j]);
    mpz_abs(q, w->m.at[zero][w->first + i]);
    for (int r = 0; r < ROWS && good; r++)
        good =
            r == zero ||
            good_sign(w, r, sign_between(p, w->m.at[r][w->first + i], q, w->m.at[r][w->first + j]));
    if (good) {
        rational_point *x = &t->point[t->points];
        point_init(x);
        for (int k = 0; k < 4; k++) {
            mpz_mul(x->v[k], p, t->corner[s][i].v[k]);
            mpz_addmul(x->v[k], q, t->corner[s][j].v[k]);
        }
        keep_point(t);
    }
    mpz_clear(p);
    mpz_clear(q);
}

/* Weights change linearly along an edge. An extreme common point is a vertex of one in the other,
 * or one of the simplex's numbers changes its sign there. */
static void cross_edges(solid_truth *t, const weights *w, int s)
{
    for (int i = 0; i < t->corners[s]; i++)
        for (int j = i + 1; j < t->corners[s]; j++)
            for (int r = 0; r < ROWS; r++)
                if (mpz_sgn(w->m.at[r][w->first + i]) * mpz_sgn(w->m.at[r][w->first + j]) < 0)
                    cross_edge(t, w, s, i, j, r);
}

static void keep_corners(solid_truth *t, const weights *w, int s)
{
    for (int v = 0; v < t->corners[s]; v++)
        if (!t->inside[s][v] && in_simplex(w, v)) {
            rational_point *x = &t->point[t->points];
            t->inside[s][v] = 1;
            point_init(x);
            for (int k = 0; k < 4; k++)
                mpz_set(x->v[k], t->corner[s][v].v[k]);
            keep_point(t);
        }
}

/* Tests the vertices and edges of side s against the hull of some corners of the other. Returns 1
 * if that is a simplex. Otherwise it is the union of the hulls without one of the corners
 * (Caratheodory). */
static int meet_hull(solid_truth *t, int s, int set)
{
    weights w;
    const int simplex = weights_open(&w, t->corner[!s], set, t->corner[s], t->corners[s]);
    if (simplex) {
        keep_corners(t, &w, s);
        cross_edges(t, &w, s);
    }
    weights_close(&w);
    for (int v = 0; v < 4 && !simplex; v++)
        if (set >> v & 1)
            meet_hull(t, s, set & ~(1 << v));
    return simplex;
}

/* Reads the corners as integers and moves them to their destinations. */
static void truth_init(solid_truth *t, const solid_case *c)
{
    mpz_t whole[24];
    *t = (solid_truth){.unit = oracle_corner_integers(c->corners, c->x, whole)};
    for (int i = 0; i < 24; i++) {
        rational_point *p = &t->corner[i / 12][i / 3 % 4];
        *p->v[i % 3] = *whole[i];
        if (i % 3 == 2)
            mpz_init_set_ui(p->v[3], 1);
    }
}

/* Finds all common points and the vertices inside the other; `any`: stops after some of them. */
static void truth_open(solid_truth *t, const solid_case *c, int any)
{
    truth_init(t, c);
    t->corners[0] = c->corners[0];
    t->corners[1] = c->corners[1];
    for (int s = 0; s < 2 && !(any && t->points); s++) {
        const int corners = c->corners[!s];
        t->solid[!s] = meet_hull(t, s, (1 << corners) - 1) && corners == 4;
    }
}

static void truth_close(solid_truth *t)
{
    for (int i = 0; i < t->points; i++)
        point_clear(&t->point[i]);
    for (int i = 0; i < 8; i++)
        point_clear(&t->corner[i / 4][i % 4]);
}

/* ---- interiors, points, ends */

/* Returns whether x is a mean of all corners of side s with positive weights only. s must have a
 * volume. */
static int is_within(const solid_truth *t, int s, const rational_point *x)
{
    weights w;
    int positive = weights_open(&w, t->corner[s], 15, x, 1);
    for (int r = 0; r < ROWS; r++)
        positive &= mpz_sgn(w.m.at[r][w.first]) > 0;
    weights_close(&w);
    return positive;
}

/* A mean of all common points with positive weights: it is in each interior that contains any of
 * the intersection. */
static void common_middle(const solid_truth *t, rational_point *middle)
{
    point_init(middle);
    for (int i = 0; i < t->points; i++)
        for (int k = 0; k < 4; k++)
            mpz_add(middle->v[k], middle->v[k], t->point[i].v[k]);
}

/* Returns whether x, a point of triangle s, is a mean of all its corners with positive weights
 * only. A triangle without area has no such point. */
static int is_within_triangle(const solid_truth *t, int s, const rational_point *x)
{
    weights w;
    int positive = weights_open(&w, t->corner[s], 7, x, 1);
    for (int r = 0; r < 3; r++)
        positive &= mpz_sgn(w.m.at[r][w.first]) > 0;
    weights_close(&w);
    return positive;
}

/* Returns whether both triangles are in one plane, or the first one has no area. */
static int in_one_plane(const solid_truth *t)
{
    weights w;
    int same = 1;
    if (weights_open(&w, t->corner[0], 7, t->corner[1], 3))
        for (int v = 0; v < 3; v++)
            same &= !mpz_sgn(w.m.at[3][w.first + v]);
    weights_close(&w);
    return same;
}

/* Returns whether the interiors of two triangles in two planes meet. */
static int triangles_meet_within(const solid_truth *t)
{
    rational_point middle;
    if (!t->points || in_one_plane(t))
        return 0;
    common_middle(t, &middle);
    const int within = is_within_triangle(t, 0, &middle) && is_within_triangle(t, 1, &middle);
    point_clear(&middle);
    return within;
}

/* A triangle is its own interior. */
static int meet_within(const solid_truth *t)
{
    rational_point middle;
    int within = t->points > 0;
    common_middle(t, &middle);
    for (int s = 0; s < 2; s++)
        if (t->corners[s] == 4)
            within = within && t->solid[s] && is_within(t, s, &middle);
    point_clear(&middle);
    return within;
}

/* Each common point must be claimed, and each claimed point must be common: rounding may make two
 * of them equal. */
static const char *oracle_solid_points_fault(const solid_truth *t, const solid_claim *claim)
{
    int used[POINTS_MOST] = {0};
    if (claim->count > POINTS_MOST)
        return "a collision point too many";
    for (int i = 0; i < t->points; i++) {
        int at = 0;
        while (at < claim->count &&
               !point_rounds_to(&t->point[i], t->unit, claim->point + 3 * (ptrdiff_t)at))
            at++;
        if (at == claim->count)
            return "a collision point is missing, or rounded wrong";
        used[at] = 1;
    }
    for (int i = 0; i < claim->count; i++) {
        if (!used[i])
            return "a collision point too many";
        for (int k = 0; k < 3; k++)
            if (claim->point[3 * i + k] == 0 && signbit(claim->point[3 * i + k]))
                return "-0";
    }
    return NULL;
}

static int oracle_solid_point_order(const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static const char *order_fault(const solid_claim *claim)
{
    for (int i = 1; i < claim->count; i++)
        if (oracle_solid_point_order(claim->point + 3 * (ptrdiff_t)(i - 1),
                                     claim->point + 3 * (ptrdiff_t)i) >= 0)
            return "collision points are out of order";
    return NULL;
}

static const char *ends_fault(const solid_truth *t, const solid_claim *claim)
{
    int end[2];
    const double *a = claim->ends, *b = claim->ends + 3;
    if (oracle_solid_point_order(a, b) > 0)
        return "the ends are out of order";
    points_farthest(t->point, t->points, end);
    for (int turn = 0; turn < 2; turn++)
        if (point_rounds_to(&t->point[end[turn]], t->unit, a) &&
            point_rounds_to(&t->point[end[!turn]], t->unit, b))
            return NULL;
    return "the ends are not the two that are farthest apart";
}

/* ---- depth */

/* The squared distance of x, three coordinates and their denominator, from the plane of three
 * points, which are not collinear. */
static void plane_distance(fraction out, mpz_t *x, mpz_t *const f[3])
{
    vector u, v, n;
    vector_init(u);
    vector_init(v);
    vector_init(n);
    vector_subtract(u, f[1], f[0]);
    vector_subtract(v, f[2], f[0]);
    vector_cross(n, u, v);
    for (int k = 0; k < 3; k++) {
        mpz_set(u[k], x[k]);
        mpz_submul(u[k], x[3], f[0][k]);
    }
    vector_dot(out[0], u, n);
    vector_dot(out[1], n, n);
    mpz_mul(out[0], out[0], out[0]);
    mpz_mul(out[1], out[1], x[3]);
    mpz_mul(out[1], out[1], x[3]);
    vector_clear(u);
    vector_clear(v);
    vector_clear(n);
}

/* The square of the least distance of a point from the planes of the faces of side s. */
static void point_depth(solid_truth *t, int s, rational_point *x, fraction least)
{
    rational_point *q = t->corner[s];
    fraction d;
    fraction_init(d);
    for (int f = 0; f < 4; f++) {
        mpz_t *const face[3] = {q[f == 0].v, q[f < 2 ? 2 : 1].v, q[f < 3 ? 3 : 2].v};
        plane_distance(d, x->v, face);
        if (!f || fraction_compare(d, least) < 0)
            fraction_set(least, d);
    }
    fraction_clear(d);
}

/* The interval of the parameters, from 0 to 1, at which no weight is negative on the edge from
 * corner i to j. Returns 0 if it has no inner point, or a weight is 0 throughout. */
static int edge_inside(const weights *w, int i, int j, mpq_t low, mpq_t high)
{
    mpq_t at;
    int some = 1;
    mpq_init(at);
    mpq_set_ui(low, 0, 1);
    mpq_set_ui(high, 1, 1);
    for (int r = 0; r < ROWS; r++) {
        const int from = mpz_sgn(w->m.at[r][w->first + i]), to = mpz_sgn(w->m.at[r][w->first + j]);
        some &= from > 0 || to > 0;
        if (from * to >= 0)
            continue;
        mpz_set(mpq_numref(at), w->m.at[r][w->first + i]);
        mpz_sub(mpq_denref(at), w->m.at[r][w->first + i], w->m.at[r][w->first + j]);
        mpq_canonicalize(at);
        if (from < 0 ? mpq_cmp(at, low) > 0 : mpq_cmp(at, high) < 0)
            mpq_set(from < 0 ? low : high, at);
    }
    mpq_clear(at);
    return some && mpq_cmp(low, high) < 0;
}

/* The point at the middle of two parameters on the edge from a to b. */
static void edge_middle(rational_point *a, rational_point *b, mpq_t low, mpq_t high,
                        rational_point *out)
{
    mpq_t at;
    mpz_t rest;
    mpq_init(at);
    mpz_init(rest);
    mpq_add(at, low, high);
    mpq_div_2exp(at, at, 1);
    mpz_sub(rest, mpq_denref(at), mpq_numref(at));
    for (int k = 0; k < 4; k++) {
        mpz_mul(out->v[k], rest, a->v[k]);
        mpz_addmul(out->v[k], mpq_numref(at), b->v[k]);
    }
    mpq_clear(at);
    mpz_clear(rest);
}

/* Raises the squared depth to that of the middles of the parts of edges of side s inside the other,
 * which has a volume. */
static void edges_depth(solid_truth *t, int s, fraction out)
{
    weights w;
    mpq_t low, high;
    rational_point middle;
    fraction d;
    mpq_init(low);
    mpq_init(high);
    point_init(&middle);
    fraction_init(d);
    weights_open(&w, t->corner[!s], 15, t->corner[s], t->corners[s]);
    for (int i = 0; i < t->corners[s]; i++)
        for (int j = i + 1; j < t->corners[s]; j++) {
            if (!edge_inside(&w, i, j, low, high))
                continue;
            edge_middle(&t->corner[s][i], &t->corner[s][j], low, high, &middle);
            point_depth(t, !s, &middle, d);
            if (fraction_compare(d, out) > 0)
                fraction_set(out, d);
        }
    weights_close(&w);
    mpq_clear(low);
    mpq_clear(high);
    point_clear(&middle);
    fraction_clear(d);
}

/* The squared depth, in squares of the unit. Edges count only where no vertex is within. */
static void find_depth(solid_truth *t, fraction out)
{
    fraction d;
    fraction_init(d);
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < t->corners[s]; v++) {
            if (!t->inside[s][v] || !t->solid[!s])
                continue;
            point_depth(t, !s, &t->corner[s][v], d);
            if (fraction_compare(d, out) > 0)
                fraction_set(out, d);
        }
    fraction_clear(d);
    const int within = mpz_sgn(out[0]) > 0;
    for (int s = 0; s < 2 && !within; s++)
        if (t->solid[!s])
            edges_depth(t, s, out);
}

/* The sign of ((x + y) / 2)^2 - square, where square is in units of 2^(2 unit). */
static int oracle_solid_compare_middle(double x, double y, fraction square, int unit)
{
    fraction s;
    mpq_t sum, other;
    fraction_init(s);
    mpq_init(sum);
    mpq_init(other);
    mpq_set_d(sum, x);
    mpq_set_d(other, y);
    mpq_add(sum, sum, other);
    mpz_mul(s[0], mpq_numref(sum), mpq_numref(sum));
    mpz_mul(s[1], mpq_denref(sum), mpq_denref(sum));
    mpz_mul_2exp(s[1], s[1], 2);
    mpz_mul_2exp(s[unit > 0], s[unit > 0], (mp_bitcnt_t)(2 * abs(unit)));
    const int order = fraction_compare(s, square);
    fraction_clear(s);
    mpq_clear(sum);
    mpq_clear(other);
    return order;
}

/* Returns whether `claim` is the float64 nearest to the root of `square`, ties to even. */
static int depth_good(fraction square, int unit, double claim)
{
    uint64_t bits;
    if (!(claim >= 0) || !(claim < DBL_MAX) || signbit(claim))
        return 0;
    memcpy(&bits, &claim, sizeof bits);
    const int odd = (int)(bits & 1);
    if (claim == 0 && mpz_sgn(square[0]) == 0)
        return 1;
    return oracle_solid_compare_middle(claim, nextafter(claim, INFINITY), square, unit) >= odd &&
           (claim == 0 ||
            oracle_solid_compare_middle(nextafter(claim, 0), claim, square, unit) <= -odd);
}

/* ---- answers */

int oracle_solids_intersect(const solid_case *c, int within)
{
    solid_truth t;
    if (oracle_apart(c->corners, c->x, within))
        return 0;
    truth_open(&t, c, !within);
    const int meet = within ? meet_within(&t) : t.points > 0;
    truth_close(&t);
    return meet;
}

int oracle_interiors_cross(const solid_case *c)
{
    solid_truth t;
    truth_open(&t, c, 0);
    const int solid = c->corners[0] == 4 || c->corners[1] == 4;
    const int meet = solid ? meet_within(&t) : triangles_meet_within(&t);
    truth_close(&t);
    return meet;
}

static const char *where_fault(solid_truth *t, const solid_claim *claim)
{
    const char *fault = claim->ends ? ends_fault(t, claim) : NULL;
    if (fault || claim->count < 0)
        return fault;
    fault = oracle_solid_points_fault(t, claim);
    fault = fault ? fault : order_fault(claim);
    if (claim->any_depth)
        return fault;
    fraction depth;
    fraction_init(depth);
    find_depth(t, depth);
    if (!fault && !depth_good(depth, t->unit, claim->depth))
        fault = "another depth";
    fraction_clear(depth);
    return fault;
}

const char *oracle_solids_fault(const solid_case *c, const solid_claim *claim)
{
    solid_truth t;
    const char *fault = NULL;
    const int solid = c->corners[0] == 4 || c->corners[1] == 4;
    truth_open(&t, c, 0);
    if ((t.points && oracle_apart(c->corners, c->x, 0)) ||
        (solid && oracle_apart(c->corners, c->x, 1) && meet_within(&t)))
        fault = "the oracle contradicts itself";
    else if (claim->meet != (t.points > 0))
        fault = t.points ? "they do meet" : "they do not meet";
    else if (solid && claim->within >= 0 && claim->within != meet_within(&t))
        fault = claim->within ? "they do not meet within" : "they do meet within";
    else if (claim->meet)
        fault = where_fault(&t, claim);
    truth_close(&t);
    return fault;
}
