/* See patch.h: pairs of features that are locally closest to each other. */
#include "patch.h"

#include "error.h"
#include "shape.h"

#include <math.h>
#include <stdlib.h>

#define CONE 1e-3      /* sine; rounding and gaps of 0 may rotate directions by that */
#define CONE_MOST 0.2  /* greatest sine, including the rotation of the bodies */
#define PARALLEL 1e-16 /* square of the sine between edges that do not cross */

void patch_free(patch *s)
{
    if (!s->mem)
        return;
    patch_overlap_free(s);
    mem_free(s->mem, s->pair);
    mem_free(s->mem, s->found);
    *s = (patch){.mem = s->mem};
}

int patch_add(const patch_context *w, const patch_found *found)
{
    patch *s = w->s;
    int err = mem_fit(s->mem, s->found_count, &s->found_capacity, sizeof *s->found, &s->found);
    if (!err)
        s->found[s->found_count++] = *found;
    return err;
}

/* ---- the triangle that processes a feature */

static uint32_t patch_find_first_triangle(const geom *g, uint32_t edge)
{
    return g->side[g->edge[edge].side0];
}

uint32_t patch_first_vertex(const geom *g, uint32_t cell, int k)
{
    const uint32_t v = g->same[g->corner[(size_t)3 * cell + (size_t)k]];
    int flat = g->star0[v] < g->star0[v + 1];
    for (uint32_t i = g->star0[v]; i < g->star0[v + 1]; i++) {
        if (patch_find_first_triangle(g, g->star[i]) < cell)
            return GEOM_NONE;
        flat &= g->edge[g->star[i]].flat;
    }
    return flat ? GEOM_NONE : v;
}

uint32_t patch_first_edge(const geom *g, uint32_t cell, int k)
{
    const uint32_t e = g->edge_of[(size_t)3 * cell + (size_t)k];
    return e == GEOM_NONE || patch_find_first_triangle(g, e) != cell ? GEOM_NONE : e;
}

/* ---- the surface behind a feature */

/* Unit vector from an edge into one of its triangles, orthogonal to the edge. */
static v3 patch_find_inward(const geom *g, const geom_edge *e, uint32_t cell)
{
    const v3 x = geom_vertex(g, e->vertex[0]), u = v3_sub(geom_vertex(g, e->vertex[1]), x);
    const v3 across = v3_cross(g->plane[cell].n, u);
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double h = v3_dot(across, v3_sub(geom_corner(g, cell, k), x));
        most = fabs(h) > fabs(most) ? h : most;
    }
    return v3_scale(scene_unit(across), most < 0 ? -1 : 1);
}

static int patch_find_has_area(const geom *g, uint32_t cell)
{
    return g->plane[cell].d < INFINITY;
}

int patch_edge_supports(const patch_context *w, int side, uint32_t edge, v3 out, double most)
{
    const geom *g = w->body[side].geom;
    const geom_edge *e = &g->edge[edge];
    const v3 d = pose_turn_back(w->body[side].pose, out);
    double outward = 0;
    for (uint32_t i = e->side0; i < e->side0 + e->sides; i++) {
        if (!patch_find_has_area(g, g->side[i]))
            continue;
        if (v3_dot(patch_find_inward(g, e, g->side[i]), d) > most)
            return 0;
        outward += v3_dot(g->plane[g->side[i]].n, d);
    }
    return !g->closed || outward >= 0;
}

/* Like patch_edge_supports, for a vertex. */
static int patch_vertex_supports(const patch_context *w, int side, uint32_t vertex, v3 out,
                                 double most)
{
    const geom *g = w->body[side].geom;
    const v3 d = pose_turn_back(w->body[side].pose, out);
    double outward = 0;
    for (uint32_t i = g->star0[vertex]; i < g->star0[vertex + 1]; i++) {
        const geom_edge *e = &g->edge[g->star[i]];
        const v3 along =
            v3_sub(geom_vertex(g, e->vertex[e->vertex[0] == vertex]), geom_vertex(g, vertex));
        if (v3_dot(along, d) > most * scene_norm(along))
            return 0;
        for (uint32_t k = e->side0; k < e->side0 + e->sides; k++)
            outward += v3_dot(g->plane[g->side[k]].n, d);
    }
    return !g->closed || outward >= 0;
}

static double cone(const patch_context *w)
{
    return fmin(CONE + w->query->turn, CONE_MOST);
}

/* ---- a vertex and a triangle */

/* The point of a segment nearest to x. *end: 0 or 1 for its ends, else 2. */
static v3 patch_find_nearest_on_segment(v3 a, v3 b, v3 x, int *end)
{
    const v3 u = v3_sub(b, a);
    const double at = v3_dot(v3_sub(x, a), u), whole = v3_dot(u, u);
    *end = !(at > 0) ? 0 : at >= whole ? 1 : 2;
    return *end == 0 ? a : *end == 1 ? b : v3_add(a, v3_scale(u, at / whole));
}

static manifold_point patch_find_normal_between(v3 x, v3 y, int swap, double of_b)
{
    const v3 d = swap ? v3_sub(x, y) : v3_sub(y, x);
    const double gap = scene_norm(d);
    return (manifold_point){v3_scale(v3_add(x, y), 0.5), v3_scale(d, 1 / gap), gap, of_b};
}

/* A vertex over a face. For a closed surface, only points in front of the face are used. */
static int patch_find_add_face(const patch_context *w, int side, uint32_t vertex, v3 x,
                               uint32_t cell, double above)
{
    const v3 n = patch_normal(w, !side, cell);
    if (fabs(above) > w->query->reach || fabs(above) <= w->tiny ||
        (above < 0 && w->body[!side].geom->closed))
        return IMP_OK;
    const int flip = (above > 0) != side; /* the vertex of a is before b along the normal */
    const manifold_point point = {v3_sub(x, v3_scale(n, above / 2)), v3_scale(n, flip ? -1 : 1),
                                  fabs(above), side ? 0 : 1};
    return patch_add(w, &(patch_found){.kind = side ? PATCH_FACE_VERTEX : PATCH_VERTEX_FACE,
                                       .x = vertex,
                                       .y = cell,
                                       .point = point});
}

static int patch_find_add_edge(const patch_context *w, int side, uint32_t vertex, v3 x,
                               uint32_t edge, v3 y)
{
    const manifold_point point = patch_find_normal_between(x, y, side, 0.5);
    const v3 out = side ? v3_scale(point.normal, -1) : point.normal; /* outward from the vertex */
    if (!(point.gap > w->tiny) || point.gap > w->query->reach ||
        !patch_vertex_supports(w, side, vertex, out, cone(w)) ||
        !patch_edge_supports(w, !side, edge, v3_scale(out, -1), cone(w)))
        return IMP_OK;
    return patch_add(w, &(patch_found){.kind = side ? PATCH_EDGE_VERTEX : PATCH_VERTEX_EDGE,
                                       .x = vertex,
                                       .y = edge,
                                       .point = point});
}

static int patch_find_add_vertex(const patch_context *w, int side, uint32_t vertex, v3 x,
                                 uint32_t other, v3 y)
{
    const manifold_point point = patch_find_normal_between(x, y, side, 0.5);
    const v3 out = side ? v3_scale(point.normal, -1) : point.normal;
    if (!(point.gap > w->tiny) || point.gap > w->query->reach ||
        !patch_vertex_supports(w, side, vertex, out, cone(w)) ||
        !patch_vertex_supports(w, !side, other, v3_scale(out, -1), cone(w)))
        return IMP_OK;
    return patch_add(w, &(patch_found){.kind = PATCH_VERTICES,
                                       .x = side ? other : vertex,
                                       .y = side ? vertex : other,
                                       .point = point});
}

/* By the nearest of the three edges, if the vertex is not over the face. */
static int patch_find_add_border(const patch_context *w, int side, uint32_t vertex, v3 x,
                                 uint32_t cell, const v3 t[3])
{
    const geom *g = w->body[!side].geom;
    double least = INFINITY;
    v3 near = x;
    int edge = 0, end = 0;
    for (int k = 0; k < 3; k++) {
        int at;
        const v3 y = patch_find_nearest_on_segment(t[k], t[(k + 1) % 3], x, &at), d = v3_sub(y, x);
        if (v3_dot(d, d) < least) {
            least = v3_dot(d, d);
            near = y;
            edge = k;
            end = at;
        }
    }
    if (end == 2)
        return patch_find_add_edge(w, side, vertex, x, g->edge_of[(size_t)3 * cell + (size_t)edge],
                                   near);
    const int k = (edge + end) % 3;
    return patch_find_add_vertex(w, side, vertex, x,
                                 g->same[g->corner[(size_t)3 * cell + (size_t)k]], near);
}

static int patch_find_vertex_triangle(const patch_context *w, int side, uint32_t vertex,
                                      uint32_t cell)
{
    v3 t[3];
    const v3 x = patch_vertex_position(w, side, vertex), n = patch_normal(w, !side, cell);
    patch_corners(w, !side, cell, t);
    return patch_find_has_area(w->body[!side].geom, cell) && patch_is_over(w, !side, t, n, x)
               ? patch_find_add_face(w, side, vertex, x, cell, v3_dot(n, v3_sub(x, t[0])))
               : patch_find_add_border(w, side, vertex, x, cell, t);
}

/* ---- two edges */

/* Between their ends, which are tested as vertices. Parallel edges are not closest anywhere
 * else. */
static int patch_find_two_edges(const patch_context *w, const uint32_t edge[2])
{
    v3 p[2], u[2];
    for (int side = 0; side < 2; side++) {
        const geom_edge *e = &w->body[side].geom->edge[edge[side]];
        p[side] = patch_vertex_position(w, side, e->vertex[0]);
        u[side] = v3_sub(patch_vertex_position(w, side, e->vertex[1]), p[side]);
    }
    const v3 n = v3_cross(u[0], u[1]), d = v3_sub(p[1], p[0]);
    const double square = v3_dot(n, n);
    if (!(square > PARALLEL * v3_dot(u[0], u[0]) * v3_dot(u[1], u[1])) ||
        v3_dot(n, d) * v3_dot(n, d) > w->query->reach * w->query->reach * square)
        return IMP_OK;
    const double s = v3_dot(v3_cross(d, u[1]), n) / square;
    const double t = v3_dot(v3_cross(d, u[0]), n) / square;
    if (!(s > 0 && s < 1 && t > 0 && t < 1))
        return IMP_OK;
    manifold_point point = patch_find_normal_between(v3_add(p[0], v3_scale(u[0], s)),
                                                     v3_add(p[1], v3_scale(u[1], t)), 0, 0.5);
    /* the edges have more digits than the line between close points */
    point.normal = v3_scale(scene_unit(n), v3_dot(n, d) < 0 ? -1 : 1);
    if (!(point.gap > w->tiny) || !patch_edge_supports(w, 0, edge[0], point.normal, cone(w)) ||
        !patch_edge_supports(w, 1, edge[1], v3_scale(point.normal, -1), cone(w)))
        return IMP_OK;
    return patch_add(
        w, &(patch_found){.kind = PATCH_EDGES, .x = edge[0], .y = edge[1], .point = point});
}

static int patch_find_pair_edges(const patch_context *w, const patch_pair *p)
{
    int err = IMP_OK;
    uint32_t edge[2];
    for (int i = 0; i < 3; i++) {
        edge[0] = patch_first_edge(w->body[0].geom, p->cell[0], i);
        if (edge[0] == GEOM_NONE || w->body[0].geom->edge[edge[0]].flat)
            continue;
        for (int k = 0; k < 3; k++) {
            edge[1] = patch_first_edge(w->body[1].geom, p->cell[1], k);
            if (edge[1] != GEOM_NONE && !w->body[1].geom->edge[edge[1]].flat)
                TRY(patch_find_two_edges(w, edge));
        }
    }
out:
    return err;
}

/* ---- all pairs */

static int patch_find_add_pair(void *with, const uint32_t cell[2])
{
    patch *s = with;
    int err = patch_check_cancel(s);
    if (!err)
        err = mem_fit(s->mem, s->pairs, &s->pairs_capacity, sizeof *s->pair, &s->pair);
    if (!err)
        s->pair[s->pairs++] = (patch_pair){{cell[0], cell[1]}};
    return err;
}

static int patch_find_add_features(const patch_context *w)
{
    int err = IMP_OK;
    const patch *s = w->s;
    for (const patch_pair *p = s->pair; p < s->pair + s->pairs; p++) {
        TRY(patch_check_cancel(s));
        for (int i = 0; i < 6; i++) {
            const int side = i / 3;
            const uint32_t v = patch_first_vertex(w->body[side].geom, p->cell[side], i % 3);
            if (v != GEOM_NONE)
                TRY(patch_find_vertex_triangle(w, side, v, p->cell[!side]));
        }
        TRY(patch_find_pair_edges(w, p));
    }
out:
    return err;
}

/* By features; for equal ones the least absolute gap is first. */
static int found_order(const void *x, const void *y)
{
    const patch_found *a = x, *b = y;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->curve != b->curve)
        return a->curve < b->curve ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    const double p = fabs(a->point.gap), q = fabs(b->point.gap);
    if (p != q)
        return p < q ? -1 : 1;
    return v3_less(a->point.at, b->point.at) ? -1 : v3_less(b->point.at, a->point.at);
}

static int patch_find_same_features(const patch_found *a, const patch_found *b)
{
    return a->kind == b->kind && a->curve == b->curve && a->x == b->x && a->y == b->y;
}

/* Stores each pair of features once. Points enclosed by a curve are left to that curve. */
static int patch_find_store_points(const patch_context *w, v3 origin, manifold *out)
{
    int err = IMP_OK;
    const patch *s = w->s;
    if (s->found_count)
        qsort(s->found, s->found_count, sizeof *s->found, found_order);
    for (const patch_found *f = s->found; f < s->found + s->found_count; f++) {
        manifold_point point = f->point;
        TRY(patch_check_cancel(s));
        if ((f > s->found && patch_find_same_features(f - 1, f)) ||
            (f->kind < PATCH_CURVE_VERTEX && patch_enclosed(w, point.at)))
            continue;
        point.at = v3_add(point.at, origin);
        TRY(manifold_add(out, &point));
    }
out:
    return err;
}

int patch_find(patch *s, const patch_body body[2], const patch_query *query, manifold *out)
{
    int err = IMP_OK;
    const shape_pair_sink to = {patch_find_add_pair, s};
    const double *t[2] = {body[0].pose->t, body[1].pose->t};
    patch_context w = {.s = s, .body = body, .query = query};
    w.offset[0] = v3_make(0, 0, 0);
    w.offset[1] = v3_make(t[1][0] - t[0][0], t[1][1] - t[0][1], t[1][2] - t[0][2]);
    w.tiny = 1e-14 * (shape_radius(body[0].shape) + shape_radius(body[1].shape));
    s->pairs = s->found_count = 0;
    out->count = 0;
    out->normal = query->normal;
    TRY(shape_near(body[0].shape, body[0].pose, body[1].shape, body[1].pose, query->reach, &to));
    TRY(patch_curves(&w));
    TRY(patch_find_add_features(&w));
    TRY(patch_curve_points(&w));
    TRY(patch_find_store_points(&w, v3_make(t[0][0], t[0][1], t[0][2]), out));
    TRY(patch_reduce(out, query->slack));
out:
    return err;
}

/* ---- Reduction to few points: see patch.h. */

#define GROUP 0.9 /* cosine of 26 degrees */
#define DIRECTIONS 8

/* A point during the selection. */
typedef struct few_point {
    double gap;
    size_t number; /* index in the manifold */
    int grouped, chosen;
} few_point;

static int gap_order(const void *x, const void *y)
{
    const few_point *a = x, *b = y;
    if (a->gap != b->gap)
        return a->gap < b->gap ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static int number_order(const void *x, const void *y)
{
    const few_point *a = x, *b = y;
    return a->number < b->number ? -1 : 1;
}

/* Selects the point of group `group` (from 1) that is farthest along a direction; of ties the
 * first. */
static void choose_extreme(const manifold *m, few_point *p, size_t count, int group, v3 direction)
{
    few_point *best = NULL;
    double most = -INFINITY;
    for (few_point *x = p; x < p + count; x++) {
        const double far = v3_dot(direction, m->point[x->number].at);
        if (x->grouped == group && far > most) {
            most = far;
            best = x;
        }
    }
    if (best)
        best->chosen = 1;
}

static void patch_few_choose(const manifold *m, few_point *p, size_t count)
{
    static const double direction[DIRECTIONS][2] = {
        {1, 0},  {0.7071067811865476, 0.7071067811865476},
        {0, 1},  {-0.7071067811865476, 0.7071067811865476},
        {-1, 0}, {-0.7071067811865476, -0.7071067811865476},
        {0, -1}, {0.7071067811865476, -0.7071067811865476}};
    int groups = 0;
    for (few_point *first = p; first < p + count; first++) {
        if (first->grouped)
            continue;
        const v3 n = m->point[first->number].normal, u = patch_across(n), v = v3_cross(n, u);
        groups++;
        first->chosen = 1;
        for (few_point *x = first; x < p + count; x++)
            if (!x->grouped && v3_dot(m->point[x->number].normal, n) > GROUP)
                x->grouped = groups;
        for (int k = 0; k < DIRECTIONS; k++)
            choose_extreme(m, p, count, groups,
                           v3_add(v3_scale(u, direction[k][0]), v3_scale(v, direction[k][1])));
    }
}

static size_t count_near(const few_point *p, size_t count, double near)
{
    size_t n = 0;
    while (n < count && p[n].gap <= near)
        n++;
    return n;
}

static void choose_all(few_point *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        p[i].chosen = 1;
}

int patch_reduce(manifold *m, double near)
{
    int err = IMP_OK;
    few_point *p = NULL;
    size_t remaining = 0;
    if (m->count <= PATCH_MANY)
        return IMP_OK;
    TRY(mem_alloc(m->mem, m->count * sizeof *p, &p));
    for (size_t i = 0; i < m->count; i++)
        p[i] = (few_point){m->point[i].gap, i, 0, 0};
    qsort(p, m->count, sizeof *p, gap_order);
    const size_t first = count_near(p, m->count, near);
    const size_t part[2][2] = {{0, first}, {first, m->count - first}};
    for (int i = 0; i < 2; i++)
        (part[i][1] > PATCH_MANY ? patch_few_choose(m, p + part[i][0], part[i][1])
                                 : choose_all(p + part[i][0], part[i][1]));
    qsort(p, m->count, sizeof *p, number_order);
    for (size_t i = 0; i < m->count; i++)
        if (p[i].chosen)
            m->point[remaining++] = m->point[i];
    m->count = remaining;
out:
    mem_free(m->mem, p);
    return err;
}
