/* Where two triangles meet, decided by exact signs alone.
 *
 * A triangle is the convex hull of its vertices: a triangle, a segment or a point. The
 * intersection of two such hulls is convex; its corners are vertices of one within the other, or
 * points where an edge of one properly crosses the other or an edge of it. Finding those corners,
 * and telling which of them are the same point, takes only signs of determinants; coordinates are
 * computed at the end, for the output. */
#include "exact.h"

#include "exact_farthest.h"

#include "exact_float.h"

#include <math.h>
#include <string.h>

/* ---- hulls */

/* The hull of a triangle's vertices: `dim` + 1 of them span it. */
typedef struct hull {
    int dim;
    int axis; /* dim 2: seen along this axis it keeps its area */
    int turn; /* dim 2: sign of that area */
    const exact_point *v[3];
} hull;

/* The axis is the first along which the area is not 0: any other would do, as signs are exact. */
static hull hull_of(const exact_point p[3])
{
    hull h = {2, 0, 0, {&p[0], &p[1], &p[2]}};
    for (h.axis = 0; h.axis < 3; h.axis++)
        if ((h.turn = exact_orient2d(&p[0], &p[1], &p[2], h.axis)) != 0)
            return h;
    /* on a line: its ends are the least and the greatest point in lexicographic order */
    for (int i = 1; i < 3; i++) {
        if (exact_point_order(&p[i], h.v[0]) < 0)
            h.v[0] = &p[i];
    }
    h.v[1] = &p[0];
    for (int i = 1; i < 3; i++)
        if (exact_point_order(&p[i], h.v[1]) > 0)
            h.v[1] = &p[i];
    h.dim = exact_point_order(h.v[0], h.v[1]) != 0;
    return h;
}

static int hull_edges(const hull *h)
{
    return h->dim == 2 ? 3 : h->dim;
}

/* end 0 or 1 of edge e */
static const exact_point *hull_edge(const hull *h, int e, int end)
{
    return h->v[(e + end) % 3];
}

static int exact_tri_on_line(const exact_point *x, const exact_point *a, const exact_point *b)
{
    return !exact_orient2d(a, b, x, 0) && !exact_orient2d(a, b, x, 1) &&
           !exact_orient2d(a, b, x, 2);
}

/* the closed segment between a and b, in any order, or the point a = b */
static int exact_tri_on_segment(const exact_point *x, const exact_point *a, const exact_point *b)
{
    int ca = exact_point_order(x, a), cb = exact_point_order(x, b);
    return ca == 0 || cb == 0 || (ca != cb && exact_tri_on_line(x, a, b));
}

static int in_hull(const exact_point *x, const hull *h)
{
    if (h->dim < 2)
        return exact_tri_on_segment(x, h->v[0], h->v[h->dim]);
    if (exact_orient3d(h->v[0], h->v[1], h->v[2], x))
        return 0;
    for (int e = 0; e < 3; e++)
        if (exact_orient2d(hull_edge(h, e, 0), hull_edge(h, e, 1), x, h->axis) == -h->turn)
            return 0;
    return 1;
}

int exact_in_triangle(const exact_point *x, const exact_point *a, const exact_point *b,
                      const exact_point *c)
{
    const exact_point t[3] = {*a, *b, *c};
    const hull h = hull_of(t);
    return in_hull(x, &h);
}

/* ---- corners */

/* A vertex (at, and p and q are the same), or the crossing of edge p-q with the other hull, which
 * is `parameter` of the way from p to q; if that crossing is one with an edge r-s in the same
 * plane, r and s are set. */
typedef struct corner {
    const exact_point *at, *p, *q, *r, *s;
    int side; /* of the vertex or edge: 0 or 1 */
    double parameter;
} corner;

/* 6 vertices; an edge crosses a hull at most once (6); 9 pairs of edges: never all at once */
#define CORNERS 24

typedef struct corners {
    int count;
    int flat; /* both hulls are in one plane, seen along `axis` */
    int axis;
    corner c[CORNERS];
} corners;

static int corner_is(const corner *c, const exact_point *v)
{
    if (c->at)
        return !exact_point_order(c->at, v);
    return exact_tri_on_segment(v, c->p, c->q) && (!c->r || exact_tri_on_segment(v, c->r, c->s));
}

/* The same point? Crossings of edges of one hull differ, so do crossings in one plane. A crossing
 * of an edge of each is one point if and only if the edges' lines meet. */
static int corner_same(const corner *a, const corner *b)
{
    if (a->at)
        return corner_is(b, a->at);
    if (b->at)
        return corner_is(a, b->at);
    return a->side != b->side && !a->r && !b->r && !exact_orient3d(a->p, a->q, b->p, b->q);
}

static void corner_add(corners *out, corner c)
{
    for (int i = 0; i < out->count; i++)
        if (corner_same(&out->c[i], &c))
            return;
    out->c[out->count++] = c;
}

static void exact_tri_add_vertices(corners *out, const hull *a, const hull *b, int side)
{
    for (int i = 0; i <= a->dim; i++)
        if (in_hull(a->v[i], b))
            corner_add(out, (corner){.at = a->v[i], .p = a->v[i], .q = a->v[i], .side = side});
}

/* edges of a that cross the plane of b, a triangle, within b */
static void exact_tri_add_crossings(corners *out, const hull *a, const hull *b, int side)
{
    for (int e = 0; b->dim == 2 && e < hull_edges(a); e++) {
        const exact_point *p = hull_edge(a, e, 0), *q = hull_edge(a, e, 1);
        int sp = exact_orient3d(b->v[0], b->v[1], b->v[2], p);
        int sq = exact_orient3d(b->v[0], b->v[1], b->v[2], q);
        if (sp * sq >= 0)
            continue;
        int s0 = exact_orient3d(p, q, b->v[0], b->v[1]);
        int s1 = exact_orient3d(p, q, b->v[1], b->v[2]);
        int s2 = exact_orient3d(p, q, b->v[2], b->v[0]);
        if (s0 * s1 < 0 || s1 * s2 < 0 || s2 * s0 < 0)
            continue;
        double parameter = exact_crossing(b->v[0], b->v[1], b->v[2], p, q);
        corner_add(out, (corner){.p = p, .q = q, .side = side, .parameter = parameter});
    }
}

static int in_plane(const hull *a, const hull *b)
{
    for (int i = 0; i <= a->dim; i++)
        if (exact_orient3d(b->v[0], b->v[1], b->v[2], a->v[i]))
            return 0;
    return 1;
}

/* Are both in one plane, and along which axis does it keep its area? Nothing is lost where they are
 * on one line: then their common corners are vertices. */
static void find_plane(corners *out, const hull *a, const hull *b)
{
    out->flat = 0;
    if (a->dim == 2 || b->dim == 2) {
        const hull *plane = a->dim == 2 ? a : b;
        out->flat = in_plane(plane == a ? b : a, plane);
        out->axis = plane->axis;
    } else if (a->dim == 1 && b->dim == 1) {
        if (exact_orient3d(a->v[0], a->v[1], b->v[0], b->v[1]))
            return;
        for (out->axis = 0; out->axis < 3; out->axis++)
            if (exact_orient2d(a->v[0], a->v[1], b->v[0], out->axis) ||
                exact_orient2d(a->v[0], a->v[1], b->v[1], out->axis)) {
                out->flat = 1;
                return;
            }
    }
}

/* in one plane: edges that properly cross */
static void add_edge_crossings(corners *out, const hull *a, const hull *b)
{
    int axis = out->axis;
    for (int e = 0; e < hull_edges(a); e++)
        for (int f = 0; f < hull_edges(b); f++) {
            const exact_point *p = hull_edge(a, e, 0), *q = hull_edge(a, e, 1);
            const exact_point *r = hull_edge(b, f, 0), *s = hull_edge(b, f, 1);
            if (exact_orient2d(p, q, r, axis) * exact_orient2d(p, q, s, axis) >= 0 ||
                exact_orient2d(r, s, p, axis) * exact_orient2d(r, s, q, axis) >= 0)
                continue;
            double parameter = exact_crossing2d(r, s, p, q, axis);
            corner_add(out, (corner){.p = p, .q = q, .r = r, .s = s, .parameter = parameter});
        }
}

/* does an edge of a have all of b on its outer side, or on its line? */
static int edge_separates(const hull *a, const hull *b)
{
    for (int e = 0; e < 3; e++) {
        int inside = 0;
        for (int i = 0; i < 3; i++)
            inside |=
                exact_orient2d(hull_edge(a, e, 0), hull_edge(a, e, 1), b->v[i], a->axis) == a->turn;
        if (!inside)
            return 1;
    }
    return 0;
}

/* ---- beyond shared vertices */

/* Is the corner on the shared vertex u, or on the shared edge u-v? A crossing is on a shared edge
 * only at its ends: an edge that holds u or v does not properly cross the other hull there. */
static int corner_shared(const corner *c, const exact_point *u, const exact_point *v)
{
    return c->at ? exact_tri_on_segment(c->at, u, v) : corner_is(c, u) || corner_is(c, v);
}

static int any_beyond(const corners *all, const exact_point p[3], int shared, const int sp[3])
{
    if (!shared)
        return all->count > 0;
    const exact_point *u = &p[sp[0]], *v = &p[sp[shared - 1]];
    for (int i = 0; i < all->count; i++)
        if (!corner_shared(&all->c[i], u, v))
            return 1;
    return 0;
}

/* ---- coordinates */

/* From the nearer end, so that the error is small against the edge; the sum of products where the
 * difference of the ends would overflow. */
static exact_point corner_point(const corner *c)
{
    exact_point x;
    for (int k = 0; k < 3; k++) {
        double p = c->p->x[k], q = c->q->x[k], t = c->parameter;
        x.x[k] = t <= 0.5 ? p + t * (q - p) : q + (1 - t) * (p - q);
        if (!isfinite(x.x[k]))
            x.x[k] = (1 - t) * p + t * q;
        x.x[k] += 0.0; /* -0 becomes 0 */
    }
    return x;
}

/* ---- the verdict */

static int contact_kind(const corners *all, const hull *a, const hull *b)
{
    if (all->count == 1)
        return IMP_KIND_POINT;
    int area =
        all->flat && a->dim == 2 && b->dim == 2 && !edge_separates(a, b) && !edge_separates(b, a);
    return area ? IMP_KIND_AREA : IMP_KIND_SEGMENT;
}

void exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared, const int sp[3],
                   exact_contact *out)
{
    corners all = {0};
    exact_point x[CORNERS];
    memset(out, 0, sizeof *out);
    if (shared == 3) {
        for (int i = 0; i < 3; i++)
            x[i] = corner_point(&(corner){.at = &p[i], .p = &p[i], .q = &p[i]});
        out->kind = IMP_KIND_DUPLICATE;
        exact_farthest(x, 3, out->point);
        return;
    }
    if (exact_boxes_apart(p, 3, q, 3))
        return;
    hull a = hull_of(p), b = hull_of(q);
    find_plane(&all, &a, &b);
    exact_tri_add_vertices(&all, &a, &b, 0);
    exact_tri_add_vertices(&all, &b, &a, 1);
    exact_tri_add_crossings(&all, &a, &b, 0);
    exact_tri_add_crossings(&all, &b, &a, 1);
    if (all.flat)
        add_edge_crossings(&all, &a, &b);
    if (!any_beyond(&all, p, shared, sp))
        return;
    for (int i = 0; i < all.count; i++)
        x[i] = corner_point(&all.c[i]);
    out->kind = contact_kind(&all, &a, &b);
    exact_farthest(x, all.count, out->point);
}
