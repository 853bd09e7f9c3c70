/* See exact_near.h; names are those of exact_ways.h, S is the distance. What is nearest of two
 * closed features is within both, or a vertex and within an edge, or two vertices. So they are as
 * near as S when one of these parts is, with F <= 0 of
 *
 *     a plane and a point, two lines:     F = D^2 - S^2 N.N              of degree 6
 *     a line and a point, c = e x g:      F = c.c - S^2 e.e                        4
 *     two points:                         F = g.g - S^2                            2
 *
 * and its feet on both features:
 *
 *     vertex and face:   P.N, Q.N, N.N - P.N - Q.N >= 0;
 *     edges:             0 <= Q.N <= N.N, 0 <= -P.N <= N.N;
 *     point and edge:    0 <= e.g <= e.e.
 *
 * They become as near as S at the start or when F is 0 of a part whose feet are there. A part with
 * F = 0 all the time needs no further look: when its feet come to be there, one is at the end of a
 * feature, so that the next smaller part has F = 0, and not all the time unless it did at the
 * start. Where N is 0, the face has no area or the edges are parallel, and smaller parts are as
 * near; so is a vertex where e is 0. */
#include "exact_near.h"

#include "exact_float.h"
#include "exact_instant.h"
#include "exact_moving.h"
#include "exact_near_filter.h"
#include "exact_ways.h"

typedef struct near_part {
    form f, size;   /* size: N.N or e.e, or 1; above 0 or there is no such part */
    form within[4]; /* not negative: its feet are there */
    int bounds;     /* of these */
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

/* f -= S^2 size, of two degrees less */
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

/* within[to] = size - within[from], of the first call all are kept */
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

/* ---- the first instant */

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

/* *toi becomes that of the part if it is less. */
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

/* Of two edges all four pairs of their vertices, of a vertex and a face three. */
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
