/* The points of curves: signed gaps along their normals, of what they enclose. See patch.h. */
#include "error.h"
#include "patch_curve.h"

#include <math.h>

#define ALONG 1e-6       /* cosine, of planes that are parallel to the normal */
#define SUPPORT_SINE 0.3 /* sine, as of patch_edge_supports */
#define PARALLEL 1e-16   /* square of the sine between edges, as seen along the normal */

/* ---- what a curve encloses, as seen along its normal */

/* The distance from a point to a segment in the plane, and whether a ray from it in the direction
 * of the first axis crosses the segment. */
static double patch_points_distance_2d(const double p[2], const double q[2], const double x[2],
                                       int *crosses)
{
    const double u[2] = {q[0] - p[0], q[1] - p[1]}, d[2] = {x[0] - p[0], x[1] - p[1]};
    const double whole = u[0] * u[0] + u[1] * u[1];
    const double at = whole > 0 ? fmin(fmax((u[0] * d[0] + u[1] * d[1]) / whole, 0), 1) : 0;
    const double e[2] = {d[0] - at * u[0], d[1] - at * u[1]};
    *crosses = (p[1] > x[1]) != (q[1] > x[1]) && d[0] < u[0] * d[1] / u[1];
    return sqrt(e[0] * e[0] + e[1] * e[1]);
}

/* A curve that ends at the border of a sheet encloses its extent. */
int patch_encloses(const patch_context *w, const patch_curve *c, v3 at)
{
    const patch_overlap *o = w->s->overlap;
    const double slack = w->query->slack;
    double x[2];
    int inside = 0;
    for (int k = 0; k < 2; k++) {
        x[k] = v3_dot(c->axis[k], v3_sub(at, c->middle));
        if (x[k] < c->low[k] - slack || x[k] > c->high[k] + slack)
            return 0;
    }
    for (size_t i = c->first; i < c->end && c->closed; i++) {
        double p[2][2];
        int crosses;
        for (int k = 0; k < 4; k++)
            p[k / 2][k % 2] = v3_dot(c->axis[k % 2], v3_sub(o->segment[i].end[k / 2], c->middle));
        if (patch_points_distance_2d(p[0], p[1], x, &crosses) <= slack)
            return 1;
        inside ^= crosses;
    }
    return inside || !c->closed;
}

/* ---- signed gaps along the normal */

static int patch_points_add(const patch_context *w, patch_curve *c, enum patch_kind kind,
                            const uint32_t of[2], const manifold_point *point)
{
    const uint32_t number = (uint32_t)(c - w->s->overlap->curve);
    if (fabs(point->gap) > w->query->reach || !patch_encloses(w, c, point->at))
        return IMP_OK;
    c->holds |= point->gap <= 0;
    return patch_add(w, &(patch_found){kind, of[0], of[1], number, *point});
}

/* From a vertex along the normal to a triangle, whose front is towards it. */
static int patch_points_add_vertex(const patch_context *w, patch_curve *c, int side,
                                   uint32_t vertex, uint32_t cell)
{
    v3 t[3];
    const v3 x = patch_vertex_position(w, side, vertex), n = patch_normal(w, !side, cell);
    const v3 ray = side ? v3_scale(c->normal, -1) : c->normal;
    const double along = v3_dot(n, ray);
    if (w->body[!side].geom->closed ? !(along < -ALONG) : !(fabs(along) > ALONG))
        return IMP_OK;
    patch_corners(w, !side, cell, t);
    const double gap = v3_dot(n, v3_sub(t[0], x)) / along;
    const v3 pierced = v3_add(x, v3_scale(ray, gap));
    if (!patch_is_over(w, !side, t, n, pierced))
        return IMP_OK;
    const manifold_point point = {v3_scale(v3_add(x, pierced), 0.5), c->normal, gap, side ? 0 : 1};
    return patch_points_add(w, c, side ? PATCH_CURVE_OTHER : PATCH_CURVE_VERTEX,
                            (const uint32_t[2]){vertex, 0}, &point);
}

/* Two edges that cross as seen along the normal, and look at each other. */
static int patch_points_add_edges(const patch_context *w, patch_curve *c, const uint32_t edge[2])
{
    v3 p[2], u[2];
    for (int side = 0; side < 2; side++) {
        const geom_edge *e = &w->body[side].geom->edge[edge[side]];
        p[side] = patch_vertex_position(w, side, e->vertex[0]);
        u[side] = v3_sub(patch_vertex_position(w, side, e->vertex[1]), p[side]);
    }
    const double area = v3_dot(v3_cross(u[0], u[1]), c->normal);
    if (!(area * area > PARALLEL * v3_dot(u[0], u[0]) * v3_dot(u[1], u[1])))
        return IMP_OK;
    const v3 d = v3_sub(p[1], p[0]);
    const double s = v3_dot(v3_cross(d, u[1]), c->normal) / area;
    const double t = v3_dot(v3_cross(d, u[0]), c->normal) / area;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1) ||
        !patch_edge_supports(w, 0, edge[0], c->normal, SUPPORT_SINE) ||
        !patch_edge_supports(w, 1, edge[1], v3_scale(c->normal, -1), SUPPORT_SINE))
        return IMP_OK;
    const v3 x = v3_add(p[0], v3_scale(u[0], s)), y = v3_add(p[1], v3_scale(u[1], t));
    const manifold_point point = {v3_scale(v3_add(x, y), 0.5), c->normal,
                                  v3_dot(c->normal, v3_sub(y, x)), 0.5};
    return patch_points_add(w, c, PATCH_CURVE_EDGES, edge, &point);
}

static int patch_points_pair_edges(const patch_context *w, patch_curve *c, const patch_pair *p)
{
    int err = IMP_OK;
    for (int i = 0; i < 9; i++) {
        const uint32_t edge[2] = {patch_first_edge(w->body[0].geom, p->cell[0], i / 3),
                                  patch_first_edge(w->body[1].geom, p->cell[1], i % 3)};
        if (edge[0] != GEOM_NONE && edge[1] != GEOM_NONE && !w->body[0].geom->edge[edge[0]].flat &&
            !w->body[1].geom->edge[edge[1]].flat)
            TRY(patch_points_add_edges(w, c, edge));
    }
out:
    return err;
}

static int pair_points(const patch_context *w, patch_curve *c, const patch_pair *p)
{
    int err = IMP_OK;
    for (int i = 0; i < 6; i++) {
        const int side = i / 3;
        const uint32_t v = patch_first_vertex(w->body[side].geom, p->cell[side], i % 3);
        if (v != GEOM_NONE)
            TRY(patch_points_add_vertex(w, c, side, v, p->cell[!side]));
    }
    TRY(patch_points_pair_edges(w, c, p));
out:
    return err;
}

/* A curve of which nothing was found holds its middle. */
int patch_curve_points(const patch_context *w)
{
    int err = IMP_OK;
    patch_overlap *o = w->s->overlap;
    for (size_t i = 0; o && i < o->curves; i++) {
        patch_curve *c = &o->curve[i];
        const manifold_point middle = {c->middle, c->normal, 0, 0.5};
        for (const patch_pair *p = w->s->pair; p < w->s->pair + w->s->pairs; p++) {
            TRY(patch_check_cancel(w->s));
            TRY(pair_points(w, c, p));
        }
        if (!c->holds && !c->hole)
            TRY(patch_points_add(w, c, PATCH_CURVE_EDGES, (const uint32_t[2]){GEOM_NONE, 0},
                                 &middle));
    }
out:
    return err;
}
