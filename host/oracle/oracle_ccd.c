/* See oracle_ccd.h. */
#include "oracle_ccd.h"

#include "oracle.h"
#include "oracle_number.h"

#include <math.h>
#include <string.h>

/* An edge and a point. They meet where `away` is 0 and `between` is not positive. */
typedef struct on_edge {
    polynomial away; /* the squared cross product of the vectors to the point and along the edge */
    polynomial between; /* the scalar product of the vectors from the point to both ends */
} on_edge;

#define EDGES 4   /* 3 for a face and a vertex, 4 for two edges: the ends of both */
#define WEIGHTS 4 /* 3 for the corners of a face, 4 for the ends of both edges */

/* The signs at one time decide whether the features meet then: `height` is 0, and no weight is
 * negative if `area` is nonzero; otherwise an end of one, or the vertex, is on an edge. */
typedef struct oracle_ccd_pair {
    polynomial_vector at[4];
    polynomial height;
    polynomial area; /* squared normal, a factor of the weights */
    int weights, edges;
    polynomial weight[WEIGHTS];
    on_edge edge[EDGES]; /* made on first use */
} oracle_ccd_pair;

/* ---- polynomials of the definition */

/* For a vertex p and a face: p - a = u e + v f, where e and f are vectors from corner a to the
 * others. For an edge from a along e and one from b along f: a + u e = b + v f. The cross product
 * with f and with e gives u and v times the normal e x f. */
static void oracle_ccd_find_weights(oracle_ccd_pair *m, int vertex_face)
{
    polynomial_vector v[6]; /* e f g, the normal, and the weights times it */
    vectors_between(v[0], m->at[0], m->at[1]);
    vectors_between(v[1], m->at[vertex_face ? 0 : 2], m->at[vertex_face ? 2 : 3]);
    vectors_between(v[2], m->at[0], m->at[vertex_face ? 3 : 2]);
    vectors_cross(v[3], v[0], v[1]);
    vectors_cross(v[4], v[2], v[1]);
    vectors_cross(v[5], v[vertex_face ? 0 : 2], v[vertex_face ? 2 : 0]);
    vectors_dot(&m->height, v[3], v[2]);
    vectors_dot(&m->area, v[3], v[3]);
    vectors_dot(&m->weight[0], v[4], v[3]);
    vectors_dot(&m->weight[1], v[5], v[3]);
    m->weights = vertex_face ? 3 : 4;
    for (int i = 2; i < WEIGHTS; i++)
        polynomial_init(&m->weight[i]);
    polynomial_subtract(&m->weight[2], &m->area, &m->weight[0]);
    polynomial_subtract(&m->weight[m->weights - 1], vertex_face ? &m->weight[2] : &m->area,
                        &m->weight[1]);
    vectors_clear(6, v);
}

static void oracle_ccd_pair_open(oracle_ccd_pair *m, int vertex_face, const oracle_ccd_points *p)
{
    mpz_t none;
    vectors_read(p->at, 0, m->at, none);
    mpz_clear(none);
    m->edges = 0;
    oracle_ccd_find_weights(m, vertex_face);
}

static void oracle_ccd_pair_close(oracle_ccd_pair *m)
{
    vectors_clear(4, m->at);
    polynomial_clear(&m->height);
    polynomial_clear(&m->area);
    for (int i = 0; i < WEIGHTS; i++)
        polynomial_clear(&m->weight[i]);
    for (int i = 0; i < m->edges; i++) {
        polynomial_clear(&m->edge[i].away);
        polynomial_clear(&m->edge[i].between);
    }
}

static void oracle_ccd_make_edge(oracle_ccd_pair *m, int from, int to, int point)
{
    on_edge *e = &m->edge[m->edges++];
    polynomial_vector v[4]; /* along the edge, to both ends, and the cross product */
    vectors_between(v[0], m->at[from], m->at[to]);
    vectors_between(v[1], m->at[point], m->at[from]);
    vectors_between(v[2], m->at[point], m->at[to]);
    vectors_cross(v[3], v[0], v[1]);
    vectors_dot(&e->away, v[3], v[3]);
    vectors_dot(&e->between, v[1], v[2]);
    vectors_clear(4, v);
}

/* A face without area is the union of its edges (Caratheodory). If edges on one line meet, an end
 * of one is on the other. */
static void oracle_ccd_make_edges(oracle_ccd_pair *m)
{
    static const int ends[2][EDGES][3] = {{{2, 3, 0}, {2, 3, 1}, {0, 1, 2}, {0, 1, 3}},
                                          {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    const int face = m->weights == 3;
    for (int i = m->edges; i < m->weights && i < EDGES; i++)
        oracle_ccd_make_edge(m, ends[face][i][0], ends[face][i][1], ends[face][i][2]);
}

/* ---- first toi */

static int oracle_ccd_meet_at(oracle_ccd_pair *m, const oracle_root *t)
{
    if (oracle_root_sign(t, &m->height))
        return 0;
    const int flat = !oracle_root_sign(t, &m->area);
    for (int i = 0; i < m->weights && !flat; i++)
        if (oracle_root_sign(t, &m->weight[i]) < 0)
            return 0;
    if (!flat)
        return 1;
    oracle_ccd_make_edges(m);
    for (int i = 0; i < m->edges; i++)
        if (!oracle_root_sign(t, &m->edge[i].away) && oracle_root_sign(t, &m->edge[i].between) <= 0)
            return 1;
    return 0;
}

/* *toi becomes the first root of p at which they meet, if earlier. Rounding preserves the order. */
static void oracle_ccd_try_roots(oracle_ccd_pair *m, const polynomial *p, double *toi)
{
    oracle_roots r;
    if (p->degree < 1)
        return;
    oracle_roots_open(&r, p);
    int i = 0;
    while (i < r.count && !oracle_ccd_meet_at(m, &r.at[i]))
        i++;
    if (i < r.count) {
        const double x = oracle_root_rounded_down(&r.at[i]);
        *toi = x < *toi ? x : *toi;
    }
    oracle_roots_close(&r);
}

/* The times at which they meet are a closed set, which begins where a sign changes: at a root of
 * one of the polynomials that is not identically 0. */
static void oracle_ccd_try_all(oracle_ccd_pair *m, double *toi)
{
    oracle_ccd_make_edges(m);
    oracle_ccd_try_roots(m, &m->area, toi);
    for (int i = 0; i < m->weights; i++)
        oracle_ccd_try_roots(m, &m->weight[i], toi);
    for (int i = 0; i < m->edges; i++) {
        oracle_ccd_try_roots(m, &m->edge[i].away, toi);
        oracle_ccd_try_roots(m, &m->edge[i].between, toi);
    }
}

int oracle_ccd_first(int vertex_face, const oracle_ccd_points *p, double *toi)
{
    oracle_ccd_pair m;
    oracle_root start;
    double first = 2; /* after the end */
    oracle_ccd_pair_open(&m, vertex_face, p);
    oracle_root_start(&start);
    if (oracle_ccd_meet_at(&m, &start))
        first = 0;
    else if (m.height.degree >= 0)
        oracle_ccd_try_roots(&m, &m.height, &first);
    else
        oracle_ccd_try_all(&m, &first);
    oracle_root_close(&start);
    oracle_ccd_pair_close(&m);
    if (first <= 1)
        *toi = first;
    return first <= 1;
}

/* ---- oracle_ccd_apart of oracle_ccd.h. A direction separates two hulls at a time if the
 * components along it of all differences from a corner of one to a corner of the other exceed the
 * distance. These heights change linearly with time: if they exceed it at both ends of a part of
 * the step, they do between. */

#define VECTORS 16
#define HALVINGS 12
#define APART_PARTS 100 /* greatest number of parts of the step that are tried */
#define TURNS 8         /* iterations of a search for a direction */

typedef struct differences {
    int count;
    double difference[2][VECTORS]
                     [3]; /* from a corner of y to one of x, at the start and at the end */
    double most;          /* greatest absolute coordinate */
    double distance;
    int parts; /* number of parts tried */
} differences;

static void oracle_ccd_apart_motions(differences *w, const int corners[2],
                                     const oracle_ccd_points *x, const oracle_ccd_points *y,
                                     double distance)
{
    *w = (differences){.count = corners[0] * corners[1], .distance = distance};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < w->count; i++)
            for (int k = 0; k < 3; k++) {
                const double d = x->at[e][i / corners[1]][k] - y->at[e][i % corners[1]][k];
                w->difference[e][i][k] = d;
                w->most = fmax(w->most, fabs(d));
            }
}

static double oracle_ccd_apart_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* v becomes the point nearest to 0 on the segment from v to p. */
static void oracle_ccd_apart_move_to(double v[3], const double p[3])
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = p[k] - v[k];
    const double size = oracle_ccd_apart_dot(d, d),
                 t = size > 0 ? fmin(1, -oracle_ccd_apart_dot(v, d) / size) : 0;
    for (int k = 0; k < 3; k++)
        v[k] += t * d[k];
}

/* Searches a direction along which the least of some differences exceeds the distance: the point of
 * their hull nearest to 0, or a point near it (Gilbert). Returns 0 if none was found. */
static int oracle_ccd_apart_find_direction(const differences *w, double difference[VECTORS][3],
                                           double v[3])
{
    memcpy(v, difference[0], 3 * sizeof *v);
    for (int turn = 0; turn < TURNS; turn++) {
        double least = INFINITY;
        int low = 0;
        for (int i = 0; i < w->count; i++) {
            const double h = oracle_ccd_apart_dot(difference[i], v);
            low = h < least ? i : low;
            least = fmin(least, h);
        }
        const double size = oracle_ccd_apart_dot(v, v), need = w->distance * sqrt(size);
        if (least - need > 0.1 * fmax(size - need, 0))
            return 1;
        if (turn == TURNS - 1)
            return least > need;
        oracle_ccd_apart_move_to(v, difference[low]);
    }
    return 0;
}

/* Rounding of heights along v. Let m be the greatest coordinate of the differences and l the sum of
 * those of v, which is at least the length of v: differences and the scalar product are at most (1
 * + 3) 2^-53 l m off, their means at a time another 2 of it. The distance times v is at most 4
 * 2^-53 of l and it off. */
static int oracle_ccd_apart_separates(const differences *w, const double v[3], double from,
                                      double to)
{
    const double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]),
                 need = w->distance * sqrt(oracle_ccd_apart_dot(v, v)),
                 sure = need + 0x1p-49 * (w->most + w->distance) * size;
    for (int i = 0; i < w->count; i++) {
        const double a = oracle_ccd_apart_dot(w->difference[0][i], v),
                     b = oracle_ccd_apart_dot(w->difference[1][i], v);
        if (!((1 - from) * a + from * b > sure && (1 - to) * a + to * b > sure))
            return 0;
    }
    return 1;
}

/* Scales v so that its greatest coordinate is between 1 and 2: then no product is so small that it
 * loses bits. */
static int oracle_ccd_apart_scale(double v[3])
{
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0 && isfinite(most)))
        return 0;
    const int e = ilogb(most);
    for (int k = 0; k < 3; k++)
        v[k] = scalbn(v[k], -e);
    return 1;
}

/* The normal of the plane of the first three differences. If these are all differences of a vertex
 * and a face, or of two edges, and nearly in a plane through 0, there is no other direction. */
static void oracle_ccd_apart_normal(double difference[VECTORS][3], double v[3])
{
    double e[3], f[3];
    for (int k = 0; k < 3; k++) {
        e[k] = difference[1][k] - difference[0][k];
        f[k] = difference[2][k] - difference[0][k];
    }
    for (int k = 0; k < 3; k++)
        v[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    const double side = oracle_ccd_apart_dot(v, difference[0]) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        v[k] *= side;
}

/* Returns whether they are apart from `from` to `to`, a part of length 2^-level. */
static int oracle_ccd_apart_part(differences *w, double from, double to, int level)
{
    double at[VECTORS][3] = {{0}}, v[3];
    const double middle = 0.5 * (from + to);
    for (int i = 0; i < w->count; i++)
        for (int k = 0; k < 3; k++)
            at[i][k] = (1 - middle) * w->difference[0][i][k] + middle * w->difference[1][i][k];
    if (oracle_ccd_apart_find_direction(w, at, v) && oracle_ccd_apart_scale(v) &&
        oracle_ccd_apart_separates(w, v, from, to))
        return 1;
    oracle_ccd_apart_normal(at, v);
    if (oracle_ccd_apart_scale(v) && oracle_ccd_apart_separates(w, v, from, to))
        return 1;
    return w->parts++ < APART_PARTS && level < HALVINGS &&
           oracle_ccd_apart_part(w, from, middle, level + 1) &&
           oracle_ccd_apart_part(w, middle, to, level + 1);
}

int oracle_ccd_apart(const int corners[2], const oracle_ccd_points *x, const oracle_ccd_points *y,
                     double distance)
{
    differences w;
    oracle_ccd_apart_motions(&w, corners, x, y, distance);
    if (!(w.most > 0x1p-300 && w.most < 0x1p300 && w.distance < 0x1p300))
        return 0;
    return oracle_ccd_apart_part(&w, 0, 1, 0);
}

/* ---- oracle_ccd_first_near of oracle_ccd.h. The distance of two features is that of 0 from the
 * hull of all vectors from a corner of one to a corner of the other: a triangle for a vertex and a
 * face, a parallelogram for two edges. The nearest point of such a polygon to 0 is inside it, on a
 * side, or a corner. That part holds if its plane, line or point is near enough and the nearest
 * point of that to 0 lies in the part. A polygon without area is the union of its sides; a side
 * without length is a corner. */

#define CORNERS 4
#define NEAR_PARTS (2 * CORNERS + 1)

typedef struct part {
    polynomial away;            /* (squared distance - distance^2) * size; must be <= 0 */
    polynomial size;            /* must be > 0 */
    polynomial within[CORNERS]; /* must be >= 0 */
    int bounds;                 /* number of elements of `within` */
} part;

typedef struct polygon {
    int corners;
    polynomial_vector at[4]; /* corners of the features */
    mpz_t distance;
    polynomial_vector edge[CORNERS], side[CORNERS], area[CORNERS]; /* to the next corner, and with
                                                                    * it */
    polynomial_vector normal;
    int parts;
    part part[NEAR_PARTS];
} polygon;

/* ---- the parts */

/* Subtracts the square of the distance times r->size from r->away. */
static void oracle_near_subtract_distance(part *r, const polygon *p)
{
    polynomial square;
    polynomial_init(&square);
    mpz_mul(square.c[0], p->distance, p->distance);
    square.degree = 0;
    polynomial_subtract_product(&r->away, &square, &r->size);
    polynomial_clear(&square);
}

static void negate(polynomial *p)
{
    for (int i = 0; i <= p->degree; i++)
        mpz_neg(p->c[i], p->c[i]);
}

/* 0 is over the inside if it is on the same side of all sides. */
static void oracle_near_add_inside(polygon *p)
{
    part *r = &p->part[p->parts++];
    polynomial height;
    vectors_dot(&height, p->edge[0], p->normal);
    polynomial_init(&r->away);
    polynomial_add_product(&r->away, &height, &height);
    polynomial_clear(&height);
    vectors_dot(&r->size, p->normal, p->normal);
    r->bounds = p->corners;
    for (int i = 0; i < p->corners; i++)
        vectors_dot(&r->within[i], p->area[i], p->normal);
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_add_side(polygon *p, int i)
{
    part *r = &p->part[p->parts++];
    vectors_dot(&r->away, p->area[i], p->area[i]);
    vectors_dot(&r->size, p->side[i], p->side[i]);
    r->bounds = 2;
    vectors_dot(&r->within[0], p->edge[i], p->side[i]);
    negate(&r->within[0]);
    vectors_dot(&r->within[1], p->edge[(i + 1) % p->corners], p->side[i]);
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_add_corner(polygon *p, int i)
{
    part *r = &p->part[p->parts++];
    vectors_dot(&r->away, p->edge[i], p->edge[i]);
    polynomial_init(&r->size);
    mpz_set_ui(r->size.c[0], 1);
    r->size.degree = 0;
    r->bounds = 0;
    oracle_near_subtract_distance(r, p);
}

static void oracle_near_polygon_open(polygon *p, int vertex_face, const oracle_ccd_points *points,
                                     double distance)
{
    static const int ends[2][CORNERS][2] = {{{0, 2}, {1, 2}, {1, 3}, {0, 3}},
                                            {{0, 3}, {1, 3}, {2, 3}}};
    p->corners = vertex_face ? 3 : 4;
    p->parts = 0;
    vectors_read(points->at, distance, p->at, p->distance);
    for (int i = 0; i < p->corners; i++)
        vectors_between(p->edge[i], p->at[ends[vertex_face][i][1]], p->at[ends[vertex_face][i][0]]);
    for (int i = 0; i < p->corners; i++) {
        vectors_between(p->side[i], p->edge[i], p->edge[(i + 1) % p->corners]);
        vectors_cross(p->area[i], p->edge[i], p->edge[(i + 1) % p->corners]);
    }
    vectors_cross(p->normal, p->side[0], p->side[1]);
    oracle_near_add_inside(p);
    for (int i = 0; i < p->corners; i++) {
        oracle_near_add_side(p, i);
        oracle_near_add_corner(p, i);
    }
}

static void oracle_near_polygon_close(polygon *p)
{
    vectors_clear(4, p->at);
    vectors_clear(p->corners, p->edge);
    vectors_clear(p->corners, p->side);
    vectors_clear(p->corners, p->area);
    vectors_clear(1, &p->normal);
    mpz_clear(p->distance);
    for (int i = 0; i < p->parts; i++) {
        polynomial_clear(&p->part[i].away);
        polynomial_clear(&p->part[i].size);
        for (int k = 0; k < p->part[i].bounds; k++)
            polynomial_clear(&p->part[i].within[k]);
    }
}

/* ---- first toi */

/* Returns whether the nearest point of its plane, line or point lies in the part. */
static int oracle_near_part_holds(const part *r, const oracle_root *t)
{
    if (oracle_root_sign(t, &r->size) <= 0)
        return 0;
    for (int i = 0; i < r->bounds; i++)
        if (oracle_root_sign(t, &r->within[i]) < 0)
            return 0;
    return 1;
}

/* *toi becomes the first root of `of` at which the part holds, if earlier. */
static void oracle_near_try_roots(const part *r, const polynomial *of, double *toi)
{
    oracle_roots all;
    if (of->degree < 1)
        return;
    oracle_roots_open(&all, of);
    int i = 0;
    while (i < all.count && !oracle_near_part_holds(r, &all.at[i]))
        i++;
    if (i < all.count) {
        const double x = oracle_root_rounded_down(&all.at[i]);
        *toi = x < *toi ? x : *toi;
    }
    oracle_roots_close(&all);
}

static int oracle_near_at_start(const polygon *p)
{
    oracle_root start;
    int near = 0;
    oracle_root_start(&start);
    for (int i = 0; i < p->parts && !near; i++)
        near = oracle_root_sign(&start, &p->part[i].away) <= 0 &&
               oracle_near_part_holds(&p->part[i], &start);
    oracle_root_close(&start);
    return near;
}

/* Distances are continuous: at the first toi after the start, some part that holds then has exactly
 * the distance. If that part has it at all times, it did not hold before, so the sign of one of its
 * bounds changes. */
static double oracle_near_first_toi(const polygon *p)
{
    double toi = 2; /* after the end */
    if (oracle_near_at_start(p))
        return 0;
    for (int i = 0; i < p->parts; i++) {
        const part *r = &p->part[i];
        oracle_near_try_roots(r, &r->away, &toi);
        for (int k = 0; k < r->bounds && r->away.degree < 0; k++)
            oracle_near_try_roots(r, &r->within[k], &toi);
    }
    return toi;
}

int oracle_ccd_first_near(int vertex_face, const oracle_ccd_points *p, double distance, double *toi)
{
    polygon difference;
    oracle_near_polygon_open(&difference, vertex_face, p, distance);
    const double first = oracle_near_first_toi(&difference);
    oracle_near_polygon_close(&difference);
    if (first <= 1)
        *toi = first;
    return first <= 1;
}
