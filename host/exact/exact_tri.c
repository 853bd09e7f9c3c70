/* Signs of determinants, exactly: a float64 filter, then integers of any length (exact_number.h).
 */
#include "exact.h"
#include "exact_cut.h"
#include "exact_number.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static void exact_point_bounds(const exact_point *p, int n, int axis, double *lo, double *hi)
{
    *lo = *hi = p[0].x[axis];
    for (int i = 1; i < n; i++) {
        *lo = fmin(*lo, p[i].x[axis]);
        *hi = fmax(*hi, p[i].x[axis]);
    }
}

/* Exact, as comparisons are, and separates most pairs. */
int exact_boxes_apart(const exact_point *p, int n, const exact_point *q, int m)
{
    double lo[2], hi[2];
    for (int k = 0; k < 3; k++) {
        exact_point_bounds(p, n, k, &lo[0], &hi[0]);
        exact_point_bounds(q, m, k, &lo[1], &hi[1]);
        if (hi[0] < lo[1] || hi[1] < lo[0])
            return 1;
    }
    return 0;
}

/* ---- signs */

/* The same for an area; epsilon: 4 roundings. */
static int filter_area(double d, const double size[2])
{
    double bound = 1e-15 * size[0] * size[1];
    int usual = size[0] > FILTER_LEAST && size[0] < FILTER_MOST && size[1] > FILTER_LEAST &&
                size[1] < FILTER_MOST;
    if (usual && fabs(d) > bound)
        return d > 0 ? 1 : -1;
    return size[0] == 0 || size[1] == 0 ? 0 : SIGN_OPEN;
}

/* float64 differences err too; the filter's bound includes that. */
int exact_det(const exact_point *const a[2], const exact_point *const b[2],
              const exact_point *const c[2])
{
    double u[3], v[3], w[3], size[3], det = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = a[1]->x[k] - a[0]->x[k];
        v[k] = b[1]->x[k] - b[0]->x[k];
        w[k] = c[1]->x[k] - c[0]->x[k];
        size[k] = greater(fabs(u[k]), greater(fabs(v[k]), fabs(w[k])));
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += (u[i] * v[j] - u[j] * v[i]) * w[k];
    }
    int sign = filter_det(det, size);
    if (sign == SIGN_OPEN) {
        exact_big r;
        big_det(&r, a, b, c, UNIT(a[0], a[1], b[0], b[1], c[0], c[1]));
        sign = r.sign;
    }
    return sign;
}

int exact_orient3d(const exact_point *a, const exact_point *b, const exact_point *c,
                   const exact_point *d)
{
    return exact_det((const exact_point *const[]){a, b}, (const exact_point *const[]){a, c},
                     (const exact_point *const[]){a, d});
}

/* side: of the plane of t, for the corners of p. A triangle without area has no sides. */
static int edge_passes(const exact_point p[3], const int side[3], int i, const exact_point t[3])
{
    const int j = (i + 1) % 3;
    int above = 0, below = 0;
    if (side[i] * side[j] >= 0)
        return 0;
    for (int k = 0; k < 3; k++) {
        const int turn = exact_orient3d(&p[i], &p[j], &t[k], &t[(k + 1) % 3]);
        above |= turn > 0;
        below |= turn < 0;
    }
    return !(above && below);
}

static int edges_pass(const exact_point p[3], const exact_point t[3])
{
    int side[3];
    for (int k = 0; k < 3; k++)
        side[k] = exact_orient3d(&t[0], &t[1], &t[2], &p[k]);
    return edge_passes(p, side, 0, t) || edge_passes(p, side, 1, t) || edge_passes(p, side, 2, t);
}

int exact_triangles_cross(const exact_point p[3], const exact_point q[3])
{
    return edges_pass(p, q) || edges_pass(q, p);
}

/* Equal points, and points on an axis-parallel line, give exact zeros without integers. */
int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double ui = b->x[i] - a->x[i], uj = b->x[j] - a->x[j];
    double vi = c->x[i] - a->x[i], vj = c->x[j] - a->x[j];
    double size[2] = {greater(fabs(ui), fabs(vi)), greater(fabs(uj), fabs(vj))};
    int sign = filter_area(ui * vj - uj * vi, size);
    if (sign == SIGN_OPEN) {
        exact_big r;
        big_orient2d(&r, a, b, c, axis, UNIT(a, b, c));
        sign = r.sign;
    }
    return sign;
}

/* ---- The intersection of two triangles, decided by exact signs alone.
 *
 * A triangle is the convex hull of its vertices: a triangle, a segment or a point. The intersection
 * of two such hulls is convex; its corners are vertices of one within the other, or points where an
 * edge of one properly crosses the other or an edge of it. Finding those corners, and deciding
 * which of them coincide, takes only signs of determinants; coordinates are computed at the end,
 * for the output. */

/* ---- hulls */

/* The hull of a triangle's vertices: `dim` + 1 of them span it. */
typedef struct hull {
    int dim;
    int axis; /* dim 2: the area is not 0 when seen along this axis */
    int turn; /* dim 2: sign of that area */
    const exact_point *v[3];
} hull;

/* The axis is the first along which the area is not 0. Any other would do, as signs are exact. */
static hull hull_of(const exact_point p[3])
{
    hull h = {2, 0, 0, {&p[0], &p[1], &p[2]}};
    for (h.axis = 0; h.axis < 3; h.axis++)
        if ((h.turn = exact_orient2d(&p[0], &p[1], &p[2], h.axis)) != 0)
            return h;
    /* collinear: its ends are the least and the greatest point in lexicographic order */
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

/* End 0 or 1 of edge e. */
static const exact_point *hull_edge(const hull *h, int e, int end)
{
    return h->v[(e + end) % 3];
}

static int exact_tri_on_line(const exact_point *x, const exact_point *a, const exact_point *b)
{
    return !exact_orient2d(a, b, x, 0) && !exact_orient2d(a, b, x, 1) &&
           !exact_orient2d(a, b, x, 2);
}

/* Returns whether x is on the closed segment between a and b, in any order, or equal to the point a
 * = b. */
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

/* A vertex (`at`; p and q are the same), or the crossing of edge p-q with the other hull. If it is
 * the crossing with a coplanar edge r-s, r and s are set. */
typedef struct corner {
    const exact_point *at, *p, *q, *r, *s;
    int side; /* that has the vertex or edge: 0 or 1 */
    cut_point from;
} corner;

/* 6 vertices; an edge crosses a hull at most once (6); 9 pairs of edges: never all at once */
#define CORNERS EXACT_CORNERS_MOST

typedef struct corners {
    int count;
    int flat; /* both hulls are coplanar, seen along `axis` */
    int axis;
    corner c[CORNERS];
} corners;

static int corner_is(const corner *c, const exact_point *v)
{
    if (c->at)
        return !exact_point_order(c->at, v);
    return exact_tri_on_segment(v, c->p, c->q) && (!c->r || exact_tri_on_segment(v, c->r, c->s));
}

/* Returns whether they are the same point. Crossings of different edges of one hull differ, as do
 * crossings in one plane. A crossing of an edge of each is one point if and only if the edges'
 * lines meet. */
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

static corner corner_vertex(const exact_point *v, int side)
{
    return (corner){.at = v, .p = v, .q = v, .side = side, .from = {v, v, v, v, v, -1}};
}

static void exact_tri_add_vertices(corners *out, const hull *a, const hull *b, int side)
{
    for (int i = 0; i <= a->dim; i++)
        if (in_hull(a->v[i], b))
            corner_add(out, corner_vertex(a->v[i], side));
}

/* Adds the crossings of edges of a with the plane of b, a triangle, within b. */
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
        const cut_point from = {b->v[0], b->v[1], b->v[2], p, q, -1};
        corner_add(out, (corner){.p = p, .q = q, .side = side, .from = from});
    }
}

static int in_plane(const hull *a, const hull *b)
{
    for (int i = 0; i <= a->dim; i++)
        if (exact_orient3d(b->v[0], b->v[1], b->v[2], a->v[i]))
            return 0;
    return 1;
}

/* Finds out whether both are coplanar, and the axis along which the plane keeps its area. Collinear
 * hulls need no plane: their common corners are vertices. */
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

/* Coplanar hulls: adds proper crossings of edges. */
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
            const cut_point from = {r, s, r, p, q, axis};
            corner_add(out, (corner){.p = p, .q = q, .r = r, .s = s, .from = from});
        }
}

/* Returns whether an edge of a has all of b on its outer side, or on its line. */
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

/* Returns whether the corner is on the shared vertex u, or on the shared edge u-v. A crossing is on
 * a shared edge only at its ends: an edge that contains u or v does not properly cross the other
 * hull there. */
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

/* ---- crossing */

/* Returns whether p has vertices strictly on both sides of the plane of t. A triangle without area
 * has no sides. */
static int exact_tri_on_both_sides(const exact_point p[3], const exact_point t[3])
{
    int above = 0, below = 0;
    for (int k = 0; k < 3; k++) {
        const int side = exact_orient3d(&t[0], &t[1], &t[2], &p[k]);
        above |= side > 0;
        below |= side < 0;
    }
    return above && below;
}

/* ---- features at a corner: codes as in imp_contacts */

/* The side of a vertex with respect to what crosses its triangle's edge at the corner: a plane, or
 * an edge of the other triangle in the same plane. pq: the vertex is of the triangle of edge p-q.
 */
static int corner_side(const corner *c, const exact_point *v, int pq)
{
    if (!c->r)
        return exact_orient3d(c->from.a, c->from.b, c->from.c, v);
    return pq ? exact_orient2d(c->r, c->s, v, c->from.axis)
              : exact_orient2d(c->p, c->q, v, c->from.axis);
}

/* The first edge of t on which the crossing of its edge a-b is: of a triangle without area, others
 * are on that line, too. */
static int corner_own_edge(const corner *c, const exact_point t[3], int pq)
{
    const exact_point *a = pq ? c->p : c->r, *b = pq ? c->q : c->s;
    int k = 0;
    while (corner_side(c, &t[k], pq) * corner_side(c, &t[(k + 1) % 3], pq) >= 0 ||
           !exact_tri_on_line(&t[k], a, b) || !exact_tri_on_line(&t[(k + 1) % 3], a, b))
        k++;
    return IMP_END_EDGE + k;
}

/* Returns whether a corner, which is on t and no vertex of it, is on the edge a-b of t. An edge of
 * the other triangle that crosses t is in one plane with an edge of t only if both cross. */
static int corner_on_edge(const corner *c, const exact_point *a, const exact_point *b)
{
    return c->at ? exact_tri_on_segment(c->at, a, b) : !exact_orient3d(c->p, c->q, a, b);
}

/* Returns whether the corner is at vertex v; own: it is the crossing of an edge of the triangle of
 * v with a plane, on which no end of that edge is. */
static int corner_at_vertex(const corner *c, const exact_point *v, int own)
{
    return corner_is(c, v) && !(own && corner_side(c, v, 1));
}

/* The least feature of triangle t, the one or the other (side), that has the corner: the first such
 * vertex, else the first such edge, else the face. */
static int corner_feature(const corner *c, const exact_point t[3], int side)
{
    const int pq = !c->at && c->side == side;
    for (int k = 0; k < 3; k++)
        if (corner_at_vertex(c, &t[k], pq && !c->r))
            return IMP_END_CORNER + k;
    if (pq || c->r)
        return corner_own_edge(c, t, pq);
    for (int k = 0; k < 3; k++)
        if (corner_on_edge(c, &t[k], &t[(k + 1) % 3]))
            return IMP_END_EDGE + k;
    return IMP_END_FACE;
}

/* ---- coordinates */

/* The two corners that are farthest apart. If they round to the same point, they are in the order
 * of the exact points. */
static void corners_ends(const corner *c, int n, const exact_point p[3], const exact_point q[3],
                         exact_contact *out)
{
    exact_point x[CORNERS];
    exact_construction of[CORNERS];
    int end[2];
    for (int i = 0; i < n; i++) {
        of[i] = (exact_construction){c[i].from, i};
        x[i] = exact_cut_rounded(&c[i].from);
    }
    exact_farthest_of(x, n, of, n, out->point, end);
    const int same = end[0] != end[1] && !exact_point_order(&x[end[0]], &x[end[1]]);
    const int turn = same && exact_construction_order(&of[end[0]], &of[end[1]]) > 0;
    for (size_t k = 0; k < 2; k++) {
        const corner *at = &c[end[turn ? 1 - k : k]];
        out->feature[2 * k] = (uint8_t)corner_feature(at, p, 0);
        out->feature[2 * k + 1] = (uint8_t)corner_feature(at, q, 1);
    }
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

static void corners_find(const hull *a, const hull *b, corners *out)
{
    find_plane(out, a, b);
    exact_tri_add_vertices(out, a, b, 0);
    exact_tri_add_vertices(out, b, a, 1);
    exact_tri_add_crossings(out, a, b, 0);
    exact_tri_add_crossings(out, b, a, 1);
    if (out->flat)
        add_edge_crossings(out, a, b);
}

int exact_triangle_corners(const exact_point p[3], const exact_point q[3],
                           exact_corner out[EXACT_CORNERS_MOST])
{
    corners all = {0};
    const hull a = hull_of(p), b = hull_of(q);
    corners_find(&a, &b, &all);
    for (int i = 0; i < all.count; i++) {
        const exact_point x = exact_cut_rounded(&all.c[i].from);
        memcpy(out[i].x, x.x, sizeof out[i].x);
        out[i].feature[0] = (uint8_t)corner_feature(&all.c[i], p, 0);
        out[i].feature[1] = (uint8_t)corner_feature(&all.c[i], q, 1);
    }
    return all.count;
}

void exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared, const int sp[3],
                   exact_contact *out)
{
    corners all = {0};
    memset(out, 0, sizeof *out);
    if (shared == 3) {
        for (int i = 0; i < 3; i++)
            all.c[i] = corner_vertex(&p[i], 0);
        out->kind = IMP_KIND_DUPLICATE;
        corners_ends(all.c, 3, p, q, out);
        return;
    }
    if (exact_boxes_apart(p, 3, q, 3))
        return;
    const hull a = hull_of(p), b = hull_of(q);
    corners_find(&a, &b, &all);
    if (!any_beyond(&all, p, shared, sp))
        return;
    out->kind = contact_kind(&all, &a, &b);
    out->crossing = out->kind == IMP_KIND_SEGMENT && exact_tri_on_both_sides(p, q) &&
                    exact_tri_on_both_sides(q, p);
    corners_ends(all.c, all.count, p, q, out);
}

/* ---- See exact.h: in float64, and by integers if it is in doubt which pair of points it was. */

int exact_point_order(const exact_point *a, const exact_point *b)
{
    for (int k = 0; k < 3; k++)
        if (a->x[k] != b->x[k])
            return a->x[k] < b->x[k] ? -1 : 1;
    return 0;
}

/* ---- as float64 */

/* a - b in units of 2^unit, even if a - b overflows */
static double farthest_difference(double a, double b, int unit)
{
    double d = a - b;
    return isfinite(d) ? times_power(d, -unit) : ldexp(0.5 * a - 0.5 * b, 1 - unit);
}

/* The squared distance, in units that fit the points' extent. */
static double farthest_distance(const exact_point *a, const exact_point *b, int unit)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = farthest_difference(a->x[k], b->x[k], unit);
        sum += d * d;
    }
    return sum;
}

/* No coordinate differs from the first point's by more than 2^unit. */
static int farthest_unit(const exact_point *x, int n)
{
    double size = 0;
    int unit;
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++)
            size = greater(size, fabs(x[i].x[k] - x[0].x[k]));
    frexp(fmin(size, DBL_MAX), &unit);
    return unit;
}

static int pair_less(const exact_point *const a[2], const exact_point *const b[2])
{
    int first = exact_point_order(a[0], b[0]);
    return first ? first < 0 : exact_point_order(a[1], b[1]) < 0;
}

/* x[end[0]] and x[end[1]], in order */
static void put_ends(const exact_point *x, int end[2], double out[6])
{
    if (exact_point_order(&x[end[0]], &x[end[1]]) > 0) {
        const int first = end[1];
        end[1] = end[0];
        end[0] = first;
    }
    memcpy(out, x[end[0]].x, sizeof x->x);
    memcpy(out + 3, x[end[1]].x, sizeof x->x);
}

/* The square of the greatest distance; *next: that of the second greatest, or -1. */
static double farthest_pair(const exact_point *x, int n, int unit, double *next, int end[2])
{
    const exact_point *best[2] = {&x[0], &x[0]};
    double most = -1;
    *next = -1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double d = farthest_distance(&x[i], &x[j], unit);
            *next = d < most ? greater(d, *next) : most;
            if (d < most)
                continue;
            int turn = exact_point_order(&x[i], &x[j]) > 0;
            const exact_point *pair[2] = {turn ? &x[j] : &x[i], turn ? &x[i] : &x[j]};
            if (d > most || pair_less(pair, best)) {
                most = d;
                memcpy(best, pair, sizeof best);
            }
        }
    end[0] = (int)(best[0] - x);
    end[1] = (int)(best[1] - x);
    return most;
}

/* ---- exactly */

/* Upper limit of the difference between the distances of rounded points and of the points
 * themselves. Rounding moved coordinates by 2^-53 of them, or half of the least denormal; with
 * 2^-53 of a difference, which is at most 2 units, and both ends' e, that is off by E = 2e + 2^-52
 * units, its square by E (4 + E), and a sum of three such squares, each at most 4, has five
 * roundings. No coordinate is more than a unit above those of the first point. */
static double distance_error(const exact_point *x, int unit)
{
    double most = greater(fabs(x->x[0]), greater(fabs(x->x[1]), fabs(x->x[2])));
    double least = unit < -900 ? ldexp(1, -1075 - unit) : 0x1p-175;
    double off = 2 * (0x1p-53 * (times_power(most, -unit) + 1) + least) + 0x1p-52;
    return 3 * off * (4 + off) + 0x1p-46;
}

/* A point as x / w. */
typedef struct parts {
    exact_big x[3], w;
} parts;

/* Limbs of a_x b_w - b_x a_w, of the sum of three of its squares, and of the product of that and
 * one. */
#define ACROSS_LIMBS (2 * BIG_LIMBS + 1)
#define SQUARE_LIMBS (2 * ACROSS_LIMBS + 2)
#define PRODUCT_LIMBS (2 * SQUARE_LIMBS)

/* (a - b) a_w b_w along axis k */
static big_view farthest_axis_term(mp_limb_t work[3][ACROSS_LIMBS], const parts *a, const parts *b,
                                   int k)
{
    const big_view p = view_mul(work[0], big_seen(&a->x[k]), big_seen(&b->w));
    const big_view q = view_mul(work[1], big_seen(&b->x[k]), big_seen(&a->w));
    return view_add(work[2], p, q, -1);
}

/* Lexicographic order, exactly. */
static int parts_order(const parts *a, const parts *b)
{
    mp_limb_t work[3][ACROSS_LIMBS];
    int sign = 0;
    for (int k = 0; k < 3 && !sign; k++)
        sign = farthest_axis_term(work, a, b, k).sign * a->w.sign * b->w.sign;
    return sign;
}

static int farthest_order(const exact_construction *a, const exact_construction *b, int unit)
{
    parts p, q;
    exact_cut_parts(&a->from, unit, p.x, &p.w);
    exact_cut_parts(&b->from, unit, q.x, &q.w);
    return parts_order(&p, &q);
}

/* Two points, and their squared distance as square / weight. */
typedef struct reach {
    const exact_construction *end[2]; /* in order */
    big_view square, weight;
    mp_limb_t square_limb[SQUARE_LIMBS], weight_limb[SQUARE_LIMBS];
} reach;

static void farthest_reach(const exact_construction *a, const exact_construction *b, int unit,
                           reach *out)
{
    parts p, q;
    mp_limb_t work[3][ACROSS_LIMBS], term[SQUARE_LIMBS], sum[SQUARE_LIMBS];
    exact_cut_parts(&a->from, unit, p.x, &p.w);
    exact_cut_parts(&b->from, unit, q.x, &q.w);
    out->square = (big_view){0, 0, out->square_limb};
    for (int k = 0; k < 3; k++) {
        const big_view d = farthest_axis_term(work, &p, &q, k);
        const big_view all = view_add(sum, out->square, view_mul(term, d, d), 1);
        memcpy(out->square_limb, sum, (size_t)all.limbs * sizeof *sum);
        out->square = (big_view){all.sign, all.limbs, out->square_limb};
    }
    const big_view w = view_mul(work[0], big_seen(&p.w), big_seen(&q.w));
    out->weight = view_mul(out->weight_limb, w, w);
    const int turn = parts_order(&p, &q) > 0;
    out->end[0] = turn ? b : a;
    out->end[1] = turn ? a : b;
}

/* Returns whether those of a are farther apart than those of b, or equally far and a lesser
 * pair. */
static int reach_better(const reach *a, const reach *b, int unit)
{
    mp_limb_t work[2][PRODUCT_LIMBS], less[PRODUCT_LIMBS + 1];
    const big_view p = view_mul(work[0], a->square, b->weight);
    const big_view q = view_mul(work[1], b->square, a->weight);
    const int farther = view_add(less, p, q, -1).sign;
    if (farther)
        return farther > 0;
    const int first = farthest_order(a->end[0], b->end[0], unit);
    return first ? first < 0 : farthest_order(a->end[1], b->end[1], unit) < 0;
}

/* Lists the different constructions of points in doubt; returns their number. */
static int different(const exact_construction *of, int constructions, const char *in_doubt,
                     int unit, const exact_construction **out)
{
    int n = 0;
    for (int i = 0; i < constructions; i++) {
        int known = !in_doubt[of[i].at];
        for (int j = 0; j < n && !known; j++)
            known = out[j]->at == of[i].at && !farthest_order(out[j], &of[i], unit);
        if (!known)
            out[n++] = &of[i];
    }
    return n;
}

/* The farthest of the pairs whose rounded points are at least `least` apart. */
static void farthest_exactly(const exact_point *x, const exact_construction *const *of, int n,
                             int unit, double least, int scale, int end[2])
{
    reach work[2], *best = NULL, *next = &work[0];
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            if (!(farthest_distance(&x[of[i]->at], &x[of[j]->at], scale) >= least))
                continue;
            farthest_reach(of[i], of[j], unit, next);
            if (best && !reach_better(next, best, unit))
                continue;
            best = next;
            next = &work[best == &work[0]];
        }
    for (int k = 0; k < 2 && best; k++)
        end[k] = best->end[k]->at;
}

static int constructions_unit(const exact_construction *of, int constructions)
{
    int unit = INT_MAX;
    for (int i = 0; i < constructions; i++) {
        const cut_point *c = &of[i].from;
        const int one = UNIT(c->a, c->b, c->c, c->p, c->q);
        unit = one < unit ? one : unit;
    }
    return unit;
}

int exact_construction_order(const exact_construction *a, const exact_construction *b)
{
    const exact_construction both[2] = {*a, *b};
    return farthest_order(a, b, constructions_unit(both, 2));
}

/* Finds it, exactly where float64 leaves a doubt. */
static void farthest_find(const exact_point *x, int n, const exact_construction *of,
                          int constructions, int end[2])
{
    char in_doubt[EXACT_COLLISIONS_MOST] = {0};
    const exact_construction *some[EXACT_COLLISIONS_MOST];
    const int scale = farthest_unit(x, n);
    double next;
    const double most = farthest_pair(x, n, scale, &next, end);
    const double least = most - 2 * distance_error(x, scale);
    if (n < 2 || next < least)
        return;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (!(farthest_distance(&x[i], &x[j], scale) < least))
                in_doubt[i] = in_doubt[j] = 1;
    const int unit = constructions_unit(of, constructions);
    const int count = different(of, constructions, in_doubt, unit, some);
    farthest_exactly(x, some, count, unit, least, scale, end);
}

/* The farthest pair is usually clear in float64; only pairs within its error are computed
 * exactly. */
void exact_farthest_of(const exact_point *x, int n, const exact_construction *of, int constructions,
                       double out[6], int end[2])
{
    int found[2];
    farthest_find(x, n, of, constructions, found);
    put_ends(x, found, out);
    if (end)
        memcpy(end, found, sizeof found);
}
