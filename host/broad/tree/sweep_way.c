/* See sweep.h: the way of each object between the two frames. */
#include "sweep.h"

#include "error.h"
#include "float_env.h"
#include "pose.h"

#include <math.h>
#include <string.h>

/* ---- points of the last frame */

/* A coordinate in the units of the first frame, relative to its centre. By two factors, as
 * units.scale has them: their product may overflow. */
static double in_units(const sweeping *w, double x, int axis)
{
    const units *u = &w->in->bounds->units;
    return x * u->scale[0] * u->scale[1] - u->centre[axis];
}

/* The greatest coordinate of a vertex; NaN if one of its own is not finite. */
static double reach_of(const sweeping *w, size_t v)
{
    double x[DIMENSIONS], most = 0;
    frame_vertex(w->to, v, x);
    for (int k = 0; k < DIMENSIONS; k++) {
        const double far = fabs(in_units(w, x[k], k));
        if (!isfinite(x[k]))
            return NAN;
        most = far > most ? far : most;
    }
    return most;
}

/* The greatest of all corners; *bad: the first corner that is not finite, or as it was. The first
 * one, so that the message is the same with any number of threads. */
static double reach_most(const sweeping *w, const double *reach, int64_t *bad)
{
    const uint32_t *corner = w->s->from.corner;
    const int64_t corners = (int64_t)w->in->view->corners * w->in->view->prims;
    int64_t first = *bad;
    double most = 0;
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(max : most) reduction(min : first) nowait
    for (int64_t i = 0; i < corners; i++) {
        const double here = reach[corner[i]];
        if (!(here == here) && i < first)
            first = i;
        most = here > most ? here : most;
    }
    *bad = first;
    return most;
}

/* Corners of primitives must be finite; vertices that no primitive has may be anything. */
int sweep_last(sweeping *w)
{
    int err = IMP_OK;
    const uint32_t verts = w->in->view->verts;
    int64_t bad = INT64_MAX;
    double *reach = NULL;
    TRY(mem_alloc(w->in->c->mem, verts * sizeof *reach, &reach));
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t v = 0; v < (int64_t)verts; v++)
        reach[v] = reach_of(w, (size_t)v);
    w->most = reach_most(w, reach, &bad);
    if (bad != INT64_MAX)
        FAIL(IMP_ERR_INPUT, "frame %llu: vertex %u is not finite",
             (unsigned long long)w->to->number, w->s->from.corner[bad]);
out:
    mem_free(w->in->c->mem, reach);
    return err;
}

/* ---- soft objects that go */

/* Margins are for BV_EXTENT, and in the units of the first frame the last one may be far from it.
 */
double sweep_slack(const sweeping *w)
{
    return BV_MARGIN + 0x1p-40 * w->most;
}

/* Both positions of each vertex, those of the last frame behind. */
static int both_points(sweeping *w)
{
    int err = IMP_OK;
    const uint32_t verts = w->in->view->verts;
    TRY(mem_alloc(w->in->c->mem, (size_t)6 * verts * sizeof *w->hulls.x, &w->hulls.x));
    memcpy(w->hulls.x, w->s->x, (size_t)3 * verts * sizeof *w->hulls.x);
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t v = 0; v < (int64_t)verts; v++) {
        double x[DIMENSIONS];
        frame_vertex(w->to, (size_t)v, x);
        for (int k = 0; k < DIMENSIONS; k++)
            w->hulls.x[3 * ((int64_t)verts + v) + k] = in_units(w, x[k], k);
    }
out:
    return err;
}

/* The corners of each primitive, followed by those of the last frame: a convex volume of both
 * contains the line between them. */
static int both_corners(sweeping *w)
{
    int err = IMP_OK;
    const view *v = w->in->view;
    const uint32_t corners = v->corners;
    TRY(mem_alloc(w->in->c->mem, (size_t)2 * corners * v->prims * sizeof *w->hulls.corner,
                  &w->hulls.corner));
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < (int64_t)v->prims; i++)
        for (size_t k = 0; k < corners; k++) {
            uint32_t *to = w->hulls.corner + (size_t)2 * corners * (size_t)i + k;
            to[0] = w->s->from.corner[corners * (size_t)i + k];
            to[corners] = v->verts + to[0];
        }
out:
    return err;
}

/* The trees of those that go, which w->hulls.of numbers: start[hulls + 1], prim[..]. */
static uint32_t hull_parts(sweeping *w, uint32_t *start, uint32_t *prim)
{
    const tree_set *soft = &w->s->soft;
    uint32_t hulls = 0;
    start[0] = 0;
    for (uint32_t i = 0; i < soft->tree.trees; i++) {
        const uint32_t n = soft->start[i + 1] - soft->start[i];
        if (w->going[i] != GOES)
            continue;
        memcpy(prim + start[hulls], soft->prim + soft->start[i], n * sizeof *prim);
        w->hulls.of[i] = hulls++;
        start[hulls] = start[hulls - 1] + n;
    }
    return hulls;
}

int sweep_hulls(sweeping *w)
{
    int err = IMP_OK;
    const tree_set *soft = &w->s->soft;
    mem *m = w->in->c->mem;
    uint32_t *start = NULL, *prim = NULL;
    TRY(mem_alloc(m, (soft->tree.trees + (size_t)1) * sizeof *start, &start));
    TRY(mem_alloc(m, soft->tree.items * sizeof *prim, &prim));
    TRY(mem_alloc(m, soft->tree.trees * sizeof *w->hulls.of, &w->hulls.of));
    const uint32_t hulls = hull_parts(w, start, prim);
    if (!hulls)
        goto out;
    TRY(both_points(w));
    TRY(both_corners(w));
    w->hulls.from = w->s->from;
    w->hulls.from.corner = w->hulls.corner;
    w->hulls.from.corners = 2 * w->in->view->corners;
    w->hulls.from.x = w->hulls.x;
    TRY(tree_make(m, &soft->tree.def, &w->hulls.from, hulls, start, prim, &w->hulls.trees));
out:
    mem_free(m, start);
    mem_free(m, prim);
    return err;
}

/* ---- rigid bodies */

/* How far points may be from where the way has them: those of the last frame from its pose, and all
 * this is rounded. */
static double way_slack(const sweeping *w, uint32_t i, const body_way *way)
{
    const tree_bodies *b = &w->s->bodies;
    const double *scale = b->scale;
    const imp_pose *last = w->to->pose + b->body[i];
    double out = b->place[i].slack;
    out += POSE_ROUNDED * pose_tolerance(last, b->of.radius[b->body[i]], w->to->type) * scale[0] *
           scale[1];
    out += 0x1p-44 * (w->most + b->of.radius[b->body[i]] * scale[0] * scale[1]);
    for (int k = 0; k < 3; k++)
        out += 0x1p-44 * (fabs(way->pivot[k]) + fabs(way->centre[0][k]) + fabs(way->centre[1][k]));
    return out;
}

static body_way way_of(const sweeping *w, uint32_t i)
{
    const tree_bodies *b = &w->s->bodies;
    const double *scale = b->scale, *middle = b->middle + (size_t)3 * i;
    const imp_pose *pose[2] = {w->from->pose + b->body[i], w->to->pose + b->body[i]};
    body_way out = {.either = 0};
    way_turn(&out, pose[0], pose[1], w->to->time - w->from->time);
    for (int k = 0; k < 3; k++) {
        /* The body turns about its origin; trees have theirs in its middle. */
        out.pivot[k] = -middle[k] * scale[0] * scale[1];
        for (int e = 0; e < 2; e++)
            out.centre[e][k] = in_units(w, pose[e]->centre[k], k);
    }
    out.slack = way_slack(w, i, &out);
    return out;
}

/* The trees of bodies are not touched: a way is all that differs from one sweep to the next. */
int sweep_ways(sweeping *w)
{
    int err = IMP_OK;
    const trees *s = w->s;
    const uint32_t n = s->rigid.tree.trees;
    if (!n)
        return IMP_OK;
    TRY(mem_alloc(w->in->c->mem, n * sizeof *w->way, &w->way));
    for (uint32_t i = 0; i < n; i++)
        w->way[i] = way_of(w, i);
    w->bodies = s->from;
    w->bodies.x = s->bodies.x;
out:
    return err;
}
