/* See oracle.h. The nearest points of two convex hulls are the nearest points of the affine hulls
 * of some corners of each: of those with a positive weight. If the edges of both sets of corners
 * are dependent, both points can be moved along, without change of their distance, until a weight
 * becomes 0. So all pairs of sets with independent edges are tried, at most three edges together:
 * the normal equations give the weights, and a pair counts if none is negative. */
#include "oracle.h"

#include "impinge.h"
#include "oracle_ccd.h"
#include "oracle_number.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SETS 16 /* of four corners, as bits */
#define EDGES_MOST 3

/* The nearest points of the affine hulls of two sets of corners. */
typedef struct simplex_pair {
    int known, independent;
    int holds;          /* they are unique and in the hulls; the rest is set only then */
    mpz_t weight[2][4]; /* of the corners, times the scale */
    mpz_t scale;        /* > 0 */
    fraction square;    /* of the distance, in squares of the unit */
} simplex_pair;

/* A vertex, an edge or a face. */
typedef struct simplex_feature {
    int set;        /* its corners */
    int end;        /* the second end of an edge; others: -1 */
    int64_t number; /* as in imp_contacts */
} simplex_feature;

enum { VERTEX, EDGE, FACE, FEATURE_TYPES };

typedef struct nearest_prim {
    int corners;
    int first[4]; /* the first corner with the same vertex number */
    vector corner[4];
    int count[FEATURE_TYPES];
    simplex_feature feature[FEATURE_TYPES][6];
} nearest_prim;

typedef struct nearest_truth {
    int unit; /* coordinates are integers times 2^unit */
    nearest_prim of[2];
    simplex_pair simplex[SETS][SETS];
} nearest_truth;

/* The nearest points of a pair of features. */
typedef struct nearest_found {
    int kind; /* enum imp_kind; 0: none yet */
    const simplex_feature *feature[2];
    simplex_pair *at;
} nearest_found;

/* ---- features */

static void nearest_add_feature(nearest_prim *p, int type, int set, int end, int64_t number)
{
    p->feature[type][p->count[type]++] = (simplex_feature){set, end, number};
}

static void nearest_find_features(nearest_prim *p, const uint32_t vertex[4])
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                     face[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    for (int v = 0; v < p->corners; v++)
        if (p->first[v] == v)
            nearest_add_feature(p, VERTEX, 1 << v, -1, vertex[v]);
    for (int e = 0; e < 6; e++) {
        const int a = edge[e][0], b = edge[e][1];
        if (a < p->corners && b < p->corners && p->first[a] != p->first[b])
            nearest_add_feature(p, EDGE, 1 << a | 1 << b, b, e);
    }
    for (int f = 0; f < 4; f++) {
        const int a = face[f][0], b = face[f][1], c = face[f][2];
        /* the last face of a tetrahedron has the corners of a triangle */
        if ((p->corners == 4 || (p->corners == 3 && f == 3)) && p->first[a] != p->first[b] &&
            p->first[b] != p->first[c] && p->first[c] != p->first[a])
            nearest_add_feature(p, FACE, 1 << a | 1 << b | 1 << c, -1,
                                p->corners == 4 ? -1 - f : -1);
    }
}

static void nearest_read(nearest_truth *t, const solid_case *c)
{
    mpz_t whole[24];
    *t = (nearest_truth){.unit = oracle_corner_integers(c->corners, c->x, whole)};
    for (int i = 0; i < 24; i++)
        *t->of[i / 12].corner[i / 3 % 4][i % 3] = *whole[i];
    t->of[0].corners = c->corners[0];
    t->of[1].corners = c->corners[1];
}

static void nearest_name_vertices(nearest_truth *t, const nearest_case *c)
{
    for (int s = 0; s < 2; s++) {
        nearest_prim *p = &t->of[s];
        for (int v = 0; v < p->corners; v++)
            while (c->vertex[s][p->first[v]] != c->vertex[s][v])
                p->first[v]++;
        nearest_find_features(p, c->vertex[s]);
    }
}

static void simplex_pair_clear(simplex_pair *p)
{
    for (int i = 0; i < 8; i++)
        mpz_clear(p->weight[i / 4][i % 4]);
    mpz_clear(p->scale);
    fraction_clear(p->square);
}

static void nearest_close(nearest_truth *t)
{
    for (int i = 0; i < SETS * SETS; i++)
        if (t->simplex[i / SETS][i % SETS].known)
            simplex_pair_clear(&t->simplex[i / SETS][i % SETS]);
    for (int i = 0; i < 8; i++)
        vector_clear(t->of[i / 4].corner[i % 4]);
}

/* ---- pairs of simplices */

/* r = the scale times the vector from the first nearest point to the second. */
static void simplex_pair_between(vector r, const nearest_truth *t, simplex_pair *p)
{
    for (int k = 0; k < 3; k++) {
        mpz_set_ui(r[k], 0);
        for (int v = 0; v < 4; v++) {
            mpz_addmul(r[k], p->weight[1][v], t->of[1].corner[v][k]);
            mpz_submul(r[k], p->weight[0][v], t->of[0].corner[v][k]);
        }
    }
}

static void simplex_pair_measure(const nearest_truth *t, simplex_pair *p)
{
    vector d;
    vector_init(d);
    simplex_pair_between(d, t, p);
    vector_dot(p->square[0], d, d);
    mpz_mul(p->square[1], p->scale, p->scale);
    vector_clear(d);
}

/* The edges from the first corner of each set to its others. */
typedef struct simplex_edges {
    int count, side[EDGES_MOST], corner[EDGES_MOST];
    vector edge[EDGES_MOST]; /* those of side 1 are reversed */
    vector between;          /* the vector between both first corners */
} simplex_edges;

static void simplex_edges_open(simplex_edges *e, nearest_truth *t, const int set[2])
{
    const int first[2] = {__builtin_ctz((unsigned)set[0]), __builtin_ctz((unsigned)set[1])};
    e->count = 0;
    for (int s = 0; s < 2; s++)
        for (int v = first[s] + 1; v < 4; v++) {
            vector *const x = t->of[s].corner;
            if (!(set[s] >> v & 1))
                continue;
            e->side[e->count] = s;
            e->corner[e->count] = v;
            vector_init(e->edge[e->count]);
            vector_subtract(e->edge[e->count++], x[s ? first[s] : v], x[s ? v : first[s]]);
        }
    vector_init(e->between);
    vector_subtract(e->between, t->of[1].corner[first[1]], t->of[0].corner[first[0]]);
}

static void simplex_edges_close(simplex_edges *e)
{
    for (int i = 0; i < e->count; i++)
        vector_clear(e->edge[i]);
    vector_clear(e->between);
}

/* Normal equations: multiples of the edges whose sum is nearest to the vector between the first
 * corners. */
static int simplex_edges_solve(simplex_edges *e, matrix *m)
{
    matrix_init(m, ROWS, ROWS + 1);
    for (int i = 0; i < ROWS; i++) {
        if (i >= e->count) {
            mpz_set_ui(m->at[i][i], 1);
            continue;
        }
        for (int j = 0; j < e->count; j++)
            vector_dot(m->at[i][j], e->edge[i], e->edge[j]);
        vector_dot(m->at[i][ROWS], e->edge[i], e->between);
    }
    return matrix_reduce(m, e->count);
}

static void simplex_pair_find(nearest_truth *t, const int set[2], simplex_pair *p)
{
    simplex_edges e;
    matrix m;
    p->known = 1;
    for (int i = 0; i < 8; i++)
        mpz_init(p->weight[i / 4][i % 4]);
    mpz_init(p->scale);
    fraction_init(p->square);
    simplex_edges_open(&e, t, set);
    p->independent = p->holds = simplex_edges_solve(&e, &m);
    if (p->independent) {
        mpz_set(p->scale, m.at[0][0]);
        for (int s = 0; s < 2; s++)
            mpz_set(p->weight[s][__builtin_ctz((unsigned)set[s])], p->scale);
        for (int i = 0; i < e.count; i++) {
            mpz_t *const w = p->weight[e.side[i]];
            mpz_set(w[e.corner[i]], m.at[i][ROWS]);
            mpz_sub(w[__builtin_ctz((unsigned)set[e.side[i]])],
                    w[__builtin_ctz((unsigned)set[e.side[i]])], m.at[i][ROWS]);
        }
        for (int i = 0; i < 8; i++)
            p->holds &= mpz_sgn(p->weight[i / 4][i % 4]) >= 0;
        if (p->holds)
            simplex_pair_measure(t, p);
    }
    matrix_clear(&m);
    simplex_edges_close(&e);
}

static simplex_pair *nearest_simplices(nearest_truth *t, int a, int b)
{
    simplex_pair *p = &t->simplex[a][b];
    if (!p->known)
        simplex_pair_find(t, (int[2]){a, b}, p);
    return p;
}

/* Returns whether other pairs of sets with independent edges suffice. */
static int nearest_many_edges(int a, int b)
{
    return __builtin_popcount((unsigned)a) + __builtin_popcount((unsigned)b) > EDGES_MOST + 2;
}

/* ---- within a distance */

/* The sign of square * 2^(2 unit) - x^2. */
static int nearest_compare_square(fraction square, int unit, double x)
{
    int e;
    const double m = frexp(x, &e); /* x = m 2^e */
    mpz_t left, right;
    mpz_init_set(left, square[0]);
    mpz_init_set_d(right, ldexp(m, 53));
    mpz_mul(right, right, right);
    mpz_mul(right, right, square[1]);
    const int shift = 2 * (unit - e + 53);
    if (shift > 0)
        mpz_mul_2exp(left, left, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(right, right, (mp_bitcnt_t)-shift);
    const int order = mpz_cmp(left, right);
    mpz_clear(left);
    mpz_clear(right);
    return order;
}

/* A filter; the answer 0 proves nothing. */
static int nearest_surely_apart(const solid_case *c, double distance)
{
    oracle_ccd_points at[2];
    for (int i = 0; i < 4; i++)
        memcpy(at[i / 2].at[i % 2], c->x[i / 2], sizeof c->x[0]);
    return oracle_ccd_apart(c->corners, &at[0], &at[1], distance);
}

static int nearest_any_within(nearest_truth *t, double distance)
{
    const int sets[2] = {1 << t->of[0].corners, 1 << t->of[1].corners};
    for (int a = 1; a < sets[0]; a++)
        for (int b = 1; b < sets[1]; b++) {
            if (nearest_many_edges(a, b))
                continue;
            simplex_pair *p = nearest_simplices(t, a, b);
            if (p->holds && nearest_compare_square(p->square, t->unit, distance) <= 0)
                return 1;
        }
    return 0;
}

int oracle_prims_within(const solid_case *c, double distance)
{
    nearest_truth t;
    if (nearest_surely_apart(c, distance))
        return 0;
    nearest_read(&t, c);
    const int within = nearest_any_within(&t, distance);
    nearest_close(&t);
    return within;
}

/* ---- the nearest features */

/* The order of a corner's weights in two pairs. */
static int simplex_pair_compare_weights(simplex_pair *p, simplex_pair *q, int s, int v)
{
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    mpz_mul(x, p->weight[s][v], q->scale);
    mpz_mul(y, q->weight[s][v], p->scale);
    const int order = mpz_cmp(x, y);
    mpz_clear(x);
    mpz_clear(y);
    return order;
}

/* The order by distance, then by the parameters of the points on edges. */
static int nearest_compare_points(simplex_pair *p, simplex_pair *q,
                                  const simplex_feature *const f[2])
{
    int order = fraction_compare(p->square, q->square);
    for (int s = 0; s < 2 && !order; s++)
        if (f[s]->end >= 0)
            order = simplex_pair_compare_weights(p, q, s, f[s]->end);
    return order;
}

/* The points of two features are the best ones of their sets of corners. */
static simplex_pair *nearest_of_features(nearest_truth *t, const simplex_feature *const f[2])
{
    simplex_pair *best = NULL;
    for (int a = f[0]->set; a; a = (a - 1) & f[0]->set)
        for (int b = f[1]->set; b; b = (b - 1) & f[1]->set) {
            simplex_pair *p = nearest_simplices(t, a, b);
            if (p->holds && (!best || nearest_compare_points(p, best, f) < 0))
                best = p;
        }
    return best;
}

/* The order by distance, then by kind and numbers. */
static int nearest_compare_found(const nearest_found *p, const nearest_found *q)
{
    int order = fraction_compare(p->at->square, q->at->square);
    if (!order)
        order = p->kind - q->kind;
    for (int s = 0; s < 2 && !order; s++)
        order = (p->feature[s]->number > q->feature[s]->number) -
                (p->feature[s]->number < q->feature[s]->number);
    return order;
}

/* Compares all pairs of a feature of one type of A and of another type of B. */
static void nearest_try(nearest_truth *t, int kind, int type_a, int type_b, nearest_found *best)
{
    for (int i = 0; i < t->of[0].count[type_a]; i++)
        for (int j = 0; j < t->of[1].count[type_b]; j++) {
            nearest_found p = {
                .kind = kind,
                .feature = {&t->of[0].feature[type_a][i], &t->of[1].feature[type_b][j]}};
            p.at = nearest_of_features(t, p.feature);
            if (!best->kind || nearest_compare_found(&p, best) < 0)
                *best = p;
        }
}

/* They must be apart. */
static nearest_found nearest_find(nearest_truth *t)
{
    const int *const a = t->of[0].count, *const b = t->of[1].count;
    nearest_found best = {0};
    nearest_try(t, IMP_KIND_VERTEX_FACE, VERTEX, FACE, &best);
    nearest_try(t, IMP_KIND_VERTEX_FACE, FACE, VERTEX, &best);
    nearest_try(t, IMP_KIND_EDGE_EDGE, EDGE, EDGE, &best);
    if (!a[FACE] && !b[FACE] && !a[EDGE])
        nearest_try(t, IMP_KIND_VERTEX_EDGE, VERTEX, EDGE, &best);
    if (!a[FACE] && !b[FACE] && !b[EDGE])
        nearest_try(t, IMP_KIND_VERTEX_EDGE, EDGE, VERTEX, &best);
    if (!a[EDGE] && !b[EDGE])
        nearest_try(t, IMP_KIND_VERTEX_VERTEX, VERTEX, VERTEX, &best);
    return best;
}

/* The greatest float64 not above the distance: those of one sign are ordered like their bits, which
 * are bisected. */
static double nearest_distance(fraction square, int unit)
{
    double x = INFINITY;
    uint64_t low = 0, high;
    memcpy(&high, &x, sizeof high);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        memcpy(&x, &middle, sizeof x);
        if (nearest_compare_square(square, unit, x) >= 0)
            low = middle;
        else
            high = middle;
    }
    memcpy(&x, &low, sizeof x);
    return x;
}

/* touching: 1 if the primitives may touch. Returns 0 if they do and may not. */
static int nearest_open(nearest_truth *t, const nearest_case *c, int touching, nearest_found *found)
{
    nearest_read(t, &c->of);
    nearest_name_vertices(t, c);
    const int good = touching || nearest_surely_apart(&c->of, 0) || !nearest_any_within(t, 0);
    if (good)
        *found = nearest_find(t);
    return good;
}

int oracle_nearest(const nearest_case *c, nearest_answer *out)
{
    nearest_truth t;
    nearest_found found;
    const int apart = nearest_open(&t, c, 0, &found);
    if (apart)
        *out = (nearest_answer){.kind = found.kind,
                                .feature = {found.feature[0]->number, found.feature[1]->number},
                                .distance = nearest_distance(found.at->square, t.unit)};
    nearest_close(&t);
    return apart;
}

double oracle_features_distance(const nearest_case *c)
{
    nearest_truth t;
    nearest_found found;
    (void)nearest_open(&t, c, 1, &found);
    const double distance = nearest_distance(found.at->square, t.unit);
    nearest_close(&t);
    return distance;
}

/* ---- distances of several pairs */

void oracle_distance_init(oracle_distance *d)
{
    fraction_init(d->square);
    d->unit = 0;
}

void oracle_distance_clear(oracle_distance *d)
{
    fraction_clear(d->square);
}

int oracle_distance_find(const solid_case *c, double most, oracle_distance *out)
{
    nearest_truth t;
    int any = 0;
    if (nearest_surely_apart(c, most))
        return 0;
    nearest_read(&t, c);
    out->unit = t.unit;
    for (int a = 1; a < 1 << c->corners[0]; a++)
        for (int b = 1; b < 1 << c->corners[1]; b++) {
            if (nearest_many_edges(a, b))
                continue;
            simplex_pair *p = nearest_simplices(&t, a, b);
            if (!p->holds || (any && fraction_compare(p->square, out->square) >= 0))
                continue;
            fraction_set(out->square, p->square);
            any = 1;
        }
    nearest_close(&t);
    return 1;
}

int oracle_distance_compare(oracle_distance *x, oracle_distance *y)
{
    fraction scaled;
    const int shift = 2 * (x->unit - y->unit);
    oracle_distance *const coarse = shift > 0 ? x : y, *const fine = shift > 0 ? y : x;
    fraction_init(scaled);
    fraction_set(scaled, coarse->square);
    mpz_mul_2exp(scaled[0], scaled[0], (mp_bitcnt_t)abs(shift));
    const int order = fraction_compare(scaled, fine->square);
    fraction_clear(scaled);
    return shift > 0 ? order : -order;
}

double oracle_distance_rounded(oracle_distance *d)
{
    return nearest_distance(d->square, d->unit);
}

int oracle_distance_is_zero(oracle_distance *d)
{
    return mpz_sgn(d->square[0]) == 0;
}

/* ---- a claim */

/* r = x / scale, times 2^unit */
static void nearest_rational(mpq_t r, const mpz_t x, const mpz_t scale, int unit)
{
    mpq_set_num(r, x);
    mpq_set_den(r, scale);
    mpq_canonicalize(r);
    if (unit > 0)
        mpq_mul_2exp(r, r, (mp_bitcnt_t)unit);
    else
        mpq_div_2exp(r, r, (mp_bitcnt_t)-unit);
}

/* Returns whether x differs from `exact` by at most `slack`. */
static int nearest_close_to(double x, const mpq_t exact, const mpq_t slack)
{
    mpq_t d;
    mpq_init(d);
    mpq_set_d(d, x);
    mpq_sub(d, d, exact);
    mpq_abs(d, d);
    const int good = mpq_cmp(d, slack) <= 0;
    mpq_clear(d);
    return good;
}

static int nearest_is_plain(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || (x[i] == 0 && signbit(x[i])))
            return 0;
    return 1;
}

/* r = the extent of primitive s along axis k */
static void nearest_axis_extent(mpq_t r, const solid_case *c, int s, int k)
{
    double low = c->x[s][0][k], high = low;
    mpq_t other;
    for (int v = 1; v < c->corners[s]; v++) {
        low = fmin(low, c->x[s][v][k]);
        high = fmax(high, c->x[s][v][k]);
    }
    mpq_init(other);
    mpq_set_d(r, high);
    mpq_set_d(other, low);
    mpq_sub(r, r, other);
    mpq_clear(other);
}

/* Coordinate k of the nearest point of primitive s. */
static void nearest_coordinate(mpq_t r, const nearest_truth *t, simplex_pair *p, int s, int k)
{
    mpz_t sum;
    mpz_init(sum);
    for (int v = 0; v < 4; v++)
        mpz_addmul(sum, p->weight[s][v], t->of[s].corner[v][k]);
    nearest_rational(r, sum, p->scale, t->unit);
    mpz_clear(sum);
}

/* Tolerance: 2^-48 of the extent, 2^-52 of the coordinate, and the least float64. */
static int nearest_point_good(const nearest_truth *t, const solid_case *c, simplex_pair *p, int s,
                              const double point[3])
{
    int good = 1;
    mpq_t exact, slack, more;
    mpq_init(exact);
    mpq_init(slack);
    mpq_init(more);
    for (int k = 0; k < 3 && good; k++) {
        nearest_coordinate(exact, t, p, s, k);
        nearest_axis_extent(slack, c, s, k);
        mpq_div_2exp(slack, slack, 48);
        mpq_abs(more, exact);
        mpq_div_2exp(more, more, 52);
        mpq_add(slack, slack, more);
        mpq_set_d(more, 0x1p-1074);
        mpq_add(slack, slack, more);
        good = nearest_close_to(point[k], exact, slack);
    }
    mpq_clear(exact);
    mpq_clear(slack);
    mpq_clear(more);
    return good;
}

/* The corners of a feature, each by the first corner with its vertex. */
static int nearest_first_corners(const nearest_prim *p, const simplex_feature *f)
{
    int set = 0;
    for (int v = 0; v < p->corners; v++)
        set |= (f->set >> v & 1) << p->first[v];
    return set;
}

/* Each weight is within 2^-48 of the exact one. */
static int nearest_weights_near(const nearest_prim *p, simplex_pair *at, int s,
                                const double weight[4])
{
    int good = 1;
    mpz_t sum;
    mpq_t exact, slack;
    mpz_init(sum);
    mpq_init(exact);
    mpq_init(slack);
    mpq_set_d(slack, 0x1p-48);
    for (int v = 0; v < 4 && good; v++) {
        mpz_set_ui(sum, 0);
        for (int u = 0; u < p->corners; u++)
            if (p->first[u] == v)
                mpz_add(sum, sum, at->weight[s][u]);
        nearest_rational(exact, sum, at->scale, 0);
        good = nearest_close_to(weight[v], exact, slack);
    }
    mpz_clear(sum);
    mpq_clear(exact);
    mpq_clear(slack);
    return good;
}

/* A face without area has several means with the same position. Returns whether the weights are
 * those of one: their sum is 1 within 2^-46, and they give coordinate k within 2^-46 of the
 * extent. */
static int nearest_mean_good(const nearest_truth *t, const solid_case *c, simplex_pair *p, int s,
                             int k, const double weight[4])
{
    mpq_t one, sum, mean, w, x, slack;
    mpq_inits(one, sum, mean, w, x, slack, NULL);
    mpq_set_ui(one, 1, 1);
    for (int v = 0; v < c->corners[s]; v++) {
        mpq_set_d(w, weight[v]);
        mpq_add(sum, sum, w);
        mpq_set_d(x, c->x[s][v][k]);
        mpq_mul(w, w, x);
        mpq_add(mean, mean, w);
    }
    /* as if the first corner had the rest of the weights */
    mpq_sub(w, one, sum);
    mpq_set_d(x, c->x[s][0][k]);
    mpq_mul(w, w, x);
    mpq_add(mean, mean, w);
    nearest_axis_extent(slack, c, s, k);
    mpq_div_2exp(slack, slack, 46);
    nearest_coordinate(x, t, p, s, k);
    mpq_sub(x, x, mean);
    mpq_abs(x, x);
    int good = mpq_cmp(x, slack) <= 0;
    mpq_set_d(slack, 0x1p-46);
    good &= nearest_close_to(1, sum, slack);
    mpq_clears(one, sum, mean, w, x, slack, NULL);
    return good;
}

static const char *nearest_weights_fault(nearest_truth *t, const solid_case *c,
                                         const nearest_found *found, int s, const double weight[4])
{
    const nearest_prim *p = &t->of[s];
    const int set = nearest_first_corners(p, found->feature[s]);
    simplex_pair *whole = nearest_simplices(t, found->feature[0]->set, found->feature[1]->set);
    for (int v = 0; v < 4; v++)
        if (!(weight[v] >= 0 && weight[v] <= (set >> v & 1)))
            return "a weight is out of range";
    if (found->kind == IMP_KIND_VERTEX_FACE && !whole->independent) {
        for (int k = 0; k < 3; k++)
            if (!nearest_mean_good(t, c, found->at, s, k, weight))
                return "the weights give another point";
        return NULL;
    }
    return nearest_weights_near(p, found->at, s, weight) ? NULL : "another weight";
}

/* The sign of d / sqrt(size) - x, by the squares of both. */
static int nearest_compare_unit(const mpz_t d, const mpz_t size, const mpq_t x)
{
    mpz_t left, right, factor;
    mpz_inits(left, right, factor, NULL);
    mpz_abs(left, d);
    mpz_mul(left, left, d);
    mpz_abs(factor, mpq_numref(x));
    mpz_mul(right, factor, mpq_numref(x));
    mpz_mul(right, right, size);
    mpz_mul(factor, mpq_denref(x), mpq_denref(x));
    mpz_mul(left, left, factor);
    const int order = mpz_cmp(left, right);
    mpz_clears(left, right, factor, NULL);
    return order;
}

/* Each component is within 2^-48 of the exact one; all are 0 if the features touch. */
static int nearest_normal_good(const nearest_truth *t, simplex_pair *p, const double normal[3])
{
    int good = 1;
    vector d;
    mpz_t size;
    mpq_t x, slack;
    vector_init(d);
    mpz_init(size);
    mpq_inits(x, slack, NULL);
    mpq_set_d(slack, 0x1p-48);
    simplex_pair_between(d, t, p);
    vector_dot(size, d, d);
    for (int k = 0; k < 3; k++) {
        good &= mpz_sgn(size) || normal[k] == 0;
        mpq_set_d(x, normal[k]);
        mpq_sub(x, x, slack);
        good &= nearest_compare_unit(d[k], size, x) >= 0;
        mpq_set_d(x, normal[k]);
        mpq_add(x, x, slack);
        good &= nearest_compare_unit(d[k], size, x) <= 0;
    }
    vector_clear(d);
    mpz_clear(size);
    mpq_clears(x, slack, NULL);
    return good;
}

static const char *nearest_fault_of(nearest_truth *t, const nearest_case *c,
                                    const nearest_found *found, const nearest_claim *claim)
{
    if (claim->kind != found->kind)
        return "another kind";
    for (int s = 0; s < 2; s++)
        if (claim->feature[s] != found->feature[s]->number)
            return "another feature";
    if (!(claim->distance == nearest_distance(found->at->square, t->unit)) ||
        signbit(claim->distance))
        return "another distance";
    if (!nearest_is_plain(6, claim->point) || !nearest_is_plain(4, claim->weight[0]) ||
        !nearest_is_plain(4, claim->weight[1]) || !nearest_is_plain(3, claim->normal))
        return "-0, or a number that is not finite";
    for (int s = 0; s < 2; s++) {
        const char *fault = nearest_weights_fault(t, &c->of, found, s, claim->weight[s]);
        if (fault)
            return fault;
        if (!nearest_point_good(t, &c->of, found->at, s, claim->point + 3 * (ptrdiff_t)s))
            return "another nearest point";
    }
    return nearest_normal_good(t, found->at, claim->normal) ? NULL : "another normal";
}

static const char *nearest_fault(const nearest_case *c, int touching, const nearest_claim *claim)
{
    nearest_truth t;
    nearest_found found;
    const char *fault = "they touch";
    if (nearest_open(&t, c, touching, &found))
        fault = nearest_fault_of(&t, c, &found, claim);
    nearest_close(&t);
    return fault;
}

const char *oracle_nearest_fault(const nearest_case *c, const nearest_claim *claim)
{
    return nearest_fault(c, 0, claim);
}

const char *oracle_features_fault(const nearest_case *c, const nearest_claim *claim)
{
    return nearest_fault(c, 1, claim);
}
