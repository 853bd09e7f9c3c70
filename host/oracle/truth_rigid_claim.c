/* See truth_rigid_claim.h. */
#include "truth_rigid_claim.h"

#include <math.h>
#include <stdio.h>

#define EDGES 16384 /* pairs of edges: with more overlaps are by faces, as in simulations */

int rigid_fault(rigid_workspace *w, double time, const char *what)
{
    const int32_t *object = w->s->mesh->body;
    snprintf(w->text, sizeof w->text, "objects %d and %d, %.17g s after the frame: %s",
             (int)object[w->a], (int)object[w->b], time, what);
    return IMP_ERR_DIFFERS;
}

/* ---- distances */

static void place_at(rigid_workspace *w, double time)
{
    const rigid_step *s = w->s;
    const rigid_pose pa = rigid_motion_pose(s->motion, w->a, time),
                     pb = rigid_motion_pose(s->motion, w->b, time);
    rigid_pair_place(&w->at, &s->shapes->shape[w->a], &pa, &s->shapes->shape[w->b], &pb);
}

/* 0: one is in the other, too. */
double rigid_gap_at(rigid_workspace *w, double time, double most)
{
    place_at(w, time);
    const double apart = (double)rigid_distance(&w->at, most);
    return apart > 0 && rigid_nested(&w->at) ? 0 : apart;
}

/* A row's primitives and points as those of the bodies 0 and 1 of the pair. */
typedef struct claimed {
    const rigid_claim *c;
    uint32_t triangle[2];
    int64_t feature[2];
    real x[2][3]; /* in the order of the row, which says nothing of the bodies */
} claimed;

static int is_vertex(const rigid_workspace *w, int body, int64_t vertex, const real x[3])
{
    const rigid_placed *p = &w->at.body[body];
    for (uint32_t v = 0; v < p->shape->vertices; v++)
        if (p->shape->vertex[v] == vertex) {
            const real d[3] = {p->at[v][0] - x[0], p->at[v][1] - x[1], p->at[v][2] - x[2]};
            return oracle_rigid_length(d) <= w->point_error;
        }
    return 0;
}

/* The feature of one body: is the point on it? A vertex and an edge may have one number. */
static int feature_fits(const rigid_workspace *w, const claimed *c, int body, const real x[3],
                        int *vertex)
{
    const int64_t f = c->feature[body];
    *vertex = c->c->kind == IMP_KIND_VERTEX_FACE && is_vertex(w, body, f, x);
    if (f == -1 || *vertex)
        return 1;
    return c->c->kind != IMP_KIND_AREA && f >= 0 && f <= 2 &&
           rigid_edge_distance(&w->at, body, c->triangle[body], (int)f, x) <= w->point_error;
}

static int features_fit(const rigid_workspace *w, const claimed *c, int turned)
{
    int vertex[2];
    for (int i = 0; i < 2; i++)
        if (!feature_fits(w, c, i, c->x[i ^ turned], &vertex[i]))
            return 0;
    switch (c->c->kind) {
    case IMP_KIND_AREA:
        return 1;
    case IMP_KIND_EDGE_EDGE:
        return c->feature[0] != -1 || c->feature[1] != -1;
    default:
        return c->c->kind == IMP_KIND_VERTEX_FACE && (vertex[0] || vertex[1]);
    }
}

/* Are the points, in one of both orders, on these triangles, and on these features? */
static const char *fault_points(const rigid_workspace *w, const claimed *c)
{
    const char *fault = "the points are not those of the primitives";
    for (int turned = 0; turned < 2; turned++) {
        if (rigid_point_distance(&w->at, 0, c->triangle[0], c->x[turned]) > w->point_error ||
            rigid_point_distance(&w->at, 1, c->triangle[1], c->x[!turned]) > w->point_error)
            continue;
        if (features_fit(w, c, turned))
            return NULL;
        fault = "other features, or another kind";
    }
    return fault;
}

/* Of a body of the pair: is the point in it, or on it? */
static int is_in(const rigid_workspace *w, int body, uint32_t triangle, const real x[3])
{
    const rigid_placed *p = &w->at.body[body];
    if (rigid_point_distance(&w->at, body, triangle, x) <= w->point_error)
        return 1;
    if (p->shape->closed && rigid_inside(&w->at, body, x))
        return 1;
    for (uint32_t t = 0; t < p->shape->triangles; t++)
        if (rigid_point_distance(&w->at, body, t, x) <= w->point_error)
            return 1;
    return 0;
}

static real points_apart(const claimed *c)
{
    const real offset[3] = {c->x[0][0] - c->x[1][0], c->x[0][1] - c->x[1][1],
                            c->x[0][2] - c->x[1][2]};
    return oracle_rigid_length(offset);
}

/* Bodies that are in each other: both points are one, of both. */
static const char *fault_inside(rigid_workspace *w, const claimed *c)
{
    if (!(points_apart(c) <= w->point_error))
        return "they are in each other, and the points are not the same";
    if (!is_in(w, 0, c->triangle[0], c->x[0]) || !is_in(w, 1, c->triangle[1], c->x[0]))
        return "they are in each other, and the point is not in both";
    if (!w->at.body[0].shape->convex || !w->at.body[1].shape->convex) {
        w->found.unmeasured++;
        return NULL;
    }
    const double depth = (double)rigid_depth(&w->at, EDGES);
    w->found.deepest = fmax(w->found.deepest, depth);
    return depth > w->s->overlap + w->point_error
               ? "they are deeper in each other than /impinge/velocity_changes says (overlap)"
               : NULL;
}

static const char *fault_apart(const rigid_workspace *w, const claimed *c, double gap)
{
    if (gap > w->s->epsilon + w->point_error)
        return "no contact: they are farther apart than epsilon";
    if (rigid_triangles_distance(&w->at, c->triangle[0], c->triangle[1]) > gap + w->point_error)
        return "not the closest primitives";
    const char *fault = fault_points(w, c);
    return !fault && !(fabsl(points_apart(c) - gap) <= w->point_error)
               ? "the points are not the closest"
               : fault;
}

int rigid_claim_measure(rigid_workspace *w, const rigid_claim *c, double *gap)
{
    const rigid_step *s = w->s;
    claimed of = {.c = c};
    const int turned = s->shapes->body[c->a] != w->a;
    const uint32_t cell[2] = {c->a, c->b}, body[2] = {w->a, w->b};
    *gap = rigid_gap_at(w, c->time, 2 * s->epsilon);
    for (int i = 0; i < 2; i++) {
        of.triangle[i] = rigid_triangle(&s->shapes->shape[body[i]], cell[i ^ turned]);
        of.feature[i] = c->feature[i ^ turned];
    }
    for (int i = 0; i < 6; i++)
        of.x[i / 3][i % 3] = c->point[i] - w->at.origin[i % 3];
    const char *what = *gap > w->point_error ? fault_apart(w, &of, *gap) : fault_inside(w, &of);
    w->found.claims++;
    return what ? rigid_fault(w, c->time, what) : IMP_OK;
}
