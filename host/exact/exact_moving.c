/* See exact_moving.h. With the names of exact_ways.h, the features lie in one plane only when D =
 * 0. If N is not 0 then,
 *
 *     g = u e + v f, Q = u N, P = v N;                 edges: g = u e - v f, Q = u N, P = -v N,
 *
 * and they meet if
 *
 *     u, v, 1 - u - v >= 0;                            edges: 0 <= u, v <= 1,
 *
 * which signs along an axis with N_k != 0 tell. If N is 0, the face has no area or the edges are
 * parallel or points: they meet if the vertex is on an edge of the face, or an end of an edge on
 * the other edge.
 *
 * Where D = 0 all the time, they begin to meet at the start or when the vertex comes to an edge of
 * the face, an end of an edge to the other edge: a point comes to a segment. They are in a line
 * when the cross product of the vectors to both ends is 0; or all the time, and then they begin to
 * meet when the point comes to an end. */
#include "exact_moving.h"

#include "exact_float.h"
#include "exact_instant.h"
#include "exact_moving_filter.h"
#include "exact_ways.h"

/* A point that may be on a segment: the vectors to its ends, and their cross product. */
typedef struct approach {
    triple to[2], cross;
} approach;

/* ---- at an instant when D is 0 */

static int agrees(form_root *x, const form *q, int sign)
{
    return sign * form_root_sign(x, q) >= 0;
}

/* `sign` is that of N_k. */
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

/* Is the point on the segment? Of points in a line it is if it is between the ends along each axis.
 */
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

/* ---- the first instant */

/* An earlier one than the toi so far, which is above 1 at first. */
static void exact_ccd_earlier(double *toi, const form_root *x)
{
    if (x->toi < *toi)
        *toi = x->toi;
}

/* The first root of one of the components of v that is not 0 all the time, at which all are 0 and
 * the point is on the segment of r, if there is an r. */
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

/* The point is not on the segment at the start. */
static void exact_ccd_first_on_segment(const approach *r, double *toi)
{
    if (!triple_is_zero(&r->cross)) {
        exact_ccd_first_common_root(&r->cross, r, toi);
        return;
    }
    exact_ccd_first_common_root(&r->to[0], NULL, toi);
    exact_ccd_first_common_root(&r->to[1], NULL, toi);
}

/* D is 0 all the time. */
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

/* ---- float64 first */

int exact_ccd_first(enum exact_ccd_kind kind, const exact_motion *m, double *toi)
{
    const int found = exact_ccd_filter(kind, m, toi);
    if (found != SIGN_OPEN)
        return found;
    return exact_trajectories_apart(kind, m, 0) ? 0 : exact_ccd_first_integers(kind, m, toi);
}
