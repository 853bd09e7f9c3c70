/* Intersections of surfaces: curves of segments, one segment for each pair of triangles that
 * intersect, from a point where an edge of one pierces the other to the next such point. See
 * patch.h. */
#include "error.h"
#include "patch.h"

#include <math.h>
#include <stdlib.h>

#define THIN 1e-9 /* times the square of its length: a curve of smaller area is due to rounding */

void patch_overlap_free(patch *s)
{
    patch_overlap *o = s->overlap;
    if (!o)
        return;
    mem_free(s->mem, o->pierce);
    mem_free(s->mem, o->segment);
    mem_free(s->mem, o->curve);
    mem_free(s->mem, o);
    s->overlap = NULL;
}

/* ---- edges that pass through triangles */

/* Inclusive, so that a curve through a corner or along an edge has no gaps. */
static int patch_curve_edge_pierces(const v3 t[3], v3 n, v3 p, v3 q, v3 *at)
{
    const double from = v3_dot(n, v3_sub(p, t[0])), to = v3_dot(n, v3_sub(q, t[0]));
    const v3 u = v3_sub(q, p);
    int less = 0, more = 0;
    if ((from > 0) == (to > 0))
        return 0;
    for (int k = 0; k < 3; k++) {
        const v3 a = v3_sub(t[k], p), b = v3_sub(t[(k + 1) % 3], p);
        const double turn = v3_dot(u, v3_cross(a, b));
        less |= turn < 0;
        more |= turn > 0;
    }
    *at = v3_add(p, v3_scale(u, from / (from - to)));
    return !(less && more);
}

static int try_pierce(const patch_context *w, int side, uint32_t edge, uint32_t cell)
{
    patch_overlap *o = w->s->overlap;
    const geom_edge *e = &w->body[side].geom->edge[edge];
    const v3 p = patch_vertex_position(w, side, e->vertex[0]),
             q = patch_vertex_position(w, side, e->vertex[1]);
    v3 t[3], at;
    patch_corners(w, !side, cell, t);
    if (!patch_curve_edge_pierces(t, patch_normal(w, !side, cell), p, q, &at))
        return IMP_OK;
    const int err =
        mem_fit(o->mem, o->pierces, &o->pierces_capacity, sizeof *o->pierce, &o->pierce);
    if (err)
        return err;
    o->pierce[o->pierces++] = (patch_pierce){.side = (uint32_t)side,
                                             .edge = edge,
                                             .cell = cell,
                                             .at = at,
                                             .middle = v3_scale(v3_add(p, q), 0.5)};
    return IMP_OK;
}

static int pierce_order(const void *x, const void *y)
{
    const patch_pierce *a = x, *b = y;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    if (a->edge != b->edge)
        return a->edge < b->edge ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static int find_pierces(const patch_context *w)
{
    int err = IMP_OK;
    patch_overlap *o = w->s->overlap;
    for (const patch_pair *p = w->s->pair; p < w->s->pair + w->s->pairs; p++) {
        TRY(patch_check_cancel(w->s));
        for (int i = 0; i < 6; i++) {
            const int side = i / 3;
            const uint32_t e = patch_first_edge(w->body[side].geom, p->cell[side], i % 3);
            if (e != GEOM_NONE)
                TRY(try_pierce(w, side, e, p->cell[!side]));
        }
    }
    if (o->pierces)
        qsort(o->pierce, o->pierces, sizeof *o->pierce, pierce_order);
    for (size_t i = 0; i < o->pierces; i++)
        o->pierce[i].root = (uint32_t)i;
out:
    return err;
}

/* ---- segments and their connections */

static uint32_t root_of(patch_overlap *o, uint32_t i)
{
    while (o->pierce[i].root != i)
        i = o->pierce[i].root = o->pierce[o->pierce[i].root].root;
    return i;
}

static int add_segment(const patch_context *w, const patch_pair *p, const patch_pierce *from,
                       const patch_pierce *to)
{
    patch_overlap *o = w->s->overlap;
    const v3 across = v3_cross(patch_normal(w, 0, p->cell[0]), patch_normal(w, 1, p->cell[1]));
    const int back = v3_dot(across, v3_sub(to->at, from->at)) < 0;
    const int err =
        mem_fit(o->mem, o->segments, &o->segments_capacity, sizeof *o->segment, &o->segment);
    if (!err)
        o->segment[o->segments++] =
            (patch_segment){{back ? to->at : from->at, back ? from->at : to->at}, from->root};
    return err;
}

/* The two ends of the segment of a pair of triangles. In degenerate positions there may be more
 * points: uses the one farthest from the first, and the one farthest from that. */
static int patch_curve_segment(const patch_context *w, const patch_pair *p)
{
    patch_overlap *o = w->s->overlap;
    patch_pierce *end[6];
    int count = 0, far = 0;
    for (int i = 0; i < 6; i++) {
        const uint32_t side = (uint32_t)i / 3, c = p->cell[side];
        const uint32_t e = w->body[side].geom->edge_of[(size_t)3 * c + (size_t)(i % 3)];
        const patch_pierce key = {.side = side, .edge = e, .cell = p->cell[!side]};
        patch_pierce *found =
            e == GEOM_NONE ? NULL
                           : bsearch(&key, o->pierce, o->pierces, sizeof *o->pierce, pierce_order);
        if (found)
            end[count++] = found;
    }
    for (int i = 1; i < count; i++) {
        const v3 d = v3_sub(end[i]->at, end[0]->at), f = v3_sub(end[far]->at, end[0]->at);
        o->pierce[root_of(o, (uint32_t)(end[i] - o->pierce))].root =
            root_of(o, (uint32_t)(end[0] - o->pierce));
        far = v3_dot(d, d) > v3_dot(f, f) ? i : far;
    }
    return far ? add_segment(w, p, end[0], end[far]) : IMP_OK;
}

static int segment_order(const void *x, const void *y)
{
    const patch_segment *a = x, *b = y;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    const double p[6] = {a->end[0].x, a->end[0].y, a->end[0].z,
                         a->end[1].x, a->end[1].y, a->end[1].z};
    const double q[6] = {b->end[0].x, b->end[0].y, b->end[0].z,
                         b->end[1].x, b->end[1].y, b->end[1].z};
    for (int k = 0; k < 6; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

static int find_segments(const patch_context *w)
{
    int err = IMP_OK;
    patch_overlap *o = w->s->overlap;
    if (!o->pierces)
        return IMP_OK;
    for (const patch_pair *p = w->s->pair; p < w->s->pair + w->s->pairs; p++)
        TRY(patch_curve_segment(w, p));
    for (patch_segment *g = o->segment; g < o->segment + o->segments; g++)
        g->root = root_of(o, g->root);
    for (size_t i = 0; i < o->pierces; i++)
        o->pierce[i].root = root_of(o, (uint32_t)i);
    if (o->segments)
        qsort(o->segment, o->segments, sizeof *o->segment, segment_order);
out:
    return err;
}

/* ---- normals */

/* The mean side of the piercing edges: the middle of an edge that has just passed through is on the
 * side from which it approached. Along `normal`, those of a should be behind and those of b in
 * front. */
static double bulk(const patch_overlap *o, const patch_curve *c, v3 normal)
{
    double sum = 0;
    for (const patch_pierce *p = o->pierce; p < o->pierce + o->pierces; p++)
        if (p->root == c->root)
            sum += (p->side ? 1 : -1) * v3_dot(normal, v3_sub(p->middle, p->at));
    return sum;
}

/* For closed bodies the area gives the direction from a to b. An open body has no inside. */
static void set_normal(const patch_context *w, patch_curve *c, v3 area, double length)
{
    const patch_overlap *o = w->s->overlap;
    const v3 last = w->query->normal;
    if (!c->closed || !(scene_norm(area) > THIN * length * length)) {
        c->normal = last;
        return;
    }
    c->normal = scene_unit(area);
    if (w->body[0].geom->closed && w->body[1].geom->closed)
        return;
    const double side = bulk(o, c, c->normal);
    if (side < 0 || (side == 0 && v3_dot(c->normal, last) < 0))
        c->normal = v3_scale(c->normal, -1);
}

static void set_extent(const patch_overlap *o, patch_curve *c)
{
    c->axis[0] = patch_across(c->normal);
    c->axis[1] = v3_cross(c->normal, c->axis[0]);
    for (int k = 0; k < 2; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
        for (size_t i = 2 * c->first; i < 2 * c->end; i++) {
            const v3 x = v3_sub(o->segment[i / 2].end[i % 2], c->middle);
            c->low[k] = fmin(c->low[k], v3_dot(c->axis[k], x));
            c->high[k] = fmax(c->high[k], v3_dot(c->axis[k], x));
        }
    }
}

static void patch_curve_measure(const patch_context *w, patch_curve *c)
{
    const patch_overlap *o = w->s->overlap;
    v3 area = {0, 0, 0}, around = {0, 0, 0}, sum = {0, 0, 0};
    double length = 0;
    for (size_t i = c->first; i < c->end; i++)
        sum = v3_add(sum, v3_add(o->segment[i].end[0], o->segment[i].end[1]));
    c->middle = v3_scale(sum, 0.5 / (double)(c->end - c->first));
    for (size_t i = c->first; i < c->end; i++) {
        const v3 p = v3_sub(o->segment[i].end[0], c->middle);
        const v3 q = v3_sub(o->segment[i].end[1], c->middle);
        area = v3_add(area, v3_scale(v3_cross(p, q), 0.5));
        around = v3_add(around, v3_sub(q, p));
        length += scene_norm(v3_sub(q, p));
    }
    c->closed = scene_norm(around) <= THIN * length;
    c->area = scene_norm(area);
    set_normal(w, c, area, length);
    set_extent(o, c);
}

/* ---- all curves */

/* Returns whether it is a hole of another one, such as the inner rim of a pipe that presses on a
 * plate, or the exit of a thorn through a plate, whose area vector is opposite to the separating
 * direction. For curves of equal area, the last normal decides. */
static int is_hole(const patch_context *w, const patch_curve *c, const patch_curve *other)
{
    const patch_overlap *o = w->s->overlap;
    const int as_large = fabs(other->area - c->area) <= 1e-6 * c->area;
    return v3_dot(c->normal, other->normal) < -0.5 &&
           (as_large ? v3_dot(c->normal, w->query->normal) < 0 : other->area > c->area) &&
           patch_encloses(w, other, o->segment[c->first].end[0]);
}

static void find_holes(const patch_context *w)
{
    patch_overlap *o = w->s->overlap;
    for (patch_curve *c = o->curve; c < o->curve + o->curves; c++)
        for (const patch_curve *other = o->curve; other < o->curve + o->curves && !c->hole; other++)
            c->hole = c != other && !other->hole && is_hole(w, c, other);
    for (patch_curve *c = o->curve; c < o->curve + o->curves; c++)
        if (c->hole) {
            c->normal = v3_scale(c->normal, -1);
            set_extent(o, c);
        }
}

static int find_curves(const patch_context *w)
{
    int err = IMP_OK;
    patch_overlap *o = w->s->overlap;
    for (size_t i = 0; i < o->segments;) {
        patch_curve c = {.root = o->segment[i].root, .first = i};
        while (i < o->segments && o->segment[i].root == c.root)
            i++;
        c.end = i;
        patch_curve_measure(w, &c);
        TRY(mem_fit(o->mem, o->curves, &o->curves_capacity, sizeof *o->curve, &o->curve));
        o->curve[o->curves++] = c;
    }
out:
    return err;
}

int patch_curves(const patch_context *w)
{
    int err = IMP_OK;
    patch *s = w->s;
    patch_overlap *o = s->overlap;
    if (o)
        o->pierces = o->segments = o->curves = 0;
    if (!w->query->overlap)
        return IMP_OK;
    if (!o) {
        TRY(mem_alloc(s->mem, sizeof *o, &o));
        *o = (patch_overlap){.mem = s->mem};
        s->overlap = o;
    }
    TRY(find_pierces(w));
    TRY(find_segments(w));
    TRY(find_curves(w));
    find_holes(w);
out:
    return err;
}

int patch_enclosed(const patch_context *w, v3 at)
{
    const patch_overlap *o = w->s->overlap;
    for (size_t i = 0; o && i < o->curves; i++) {
        const patch_curve *c = &o->curve[i];
        if (fabs(v3_dot(c->normal, v3_sub(at, c->middle))) <= w->query->reach &&
            patch_encloses(w, c, at))
            return 1;
    }
    return 0;
}

/* ---- The points of curves: signed gaps along their normals, for enclosed features. See
 * patch.h. */

#define ALONG 1e-6       /* cosine; planes below it are parallel to the normal */
#define SUPPORT_SINE 0.3 /* sine, for patch_edge_supports */
#define PARALLEL 1e-16   /* square of the sine between edges, as seen along the normal */

/* ---- the area enclosed by a curve, as seen along its normal */

/* The distance from a point to a segment in the plane, and whether a ray from it along the first
 * axis crosses the segment. */
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

/* From a vertex along the normal to a triangle facing it. */
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

/* Two edges that cross as seen along the normal, and face each other. */
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

/* A curve without any point gets its middle as a point. */
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
