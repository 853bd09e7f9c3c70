/* The distance of two shapes: see shape.h. */
#include "error.h"
#include "shape_hull.h"
#include "shape_parts.h"
#include "vec3.h"

#include <limits.h>

static int64_t feature_of(const shape *s, uint32_t cell, int part)
{
    if (part >= PART_FACE)
        return -1;
    if (part >= PART_EDGE)
        return part - PART_EDGE;
    return s->same[s->corner[3 * (size_t)cell + (size_t)part]];
}

static uint8_t shape_distance_kind(int part)
{
    return part >= PART_FACE ? SHAPE_FACE : part >= PART_EDGE ? SHAPE_EDGE : SHAPE_VERTEX;
}

/* The factor covers downward rounding of units times margins. A distance within the margin counts
 * as 0. */
static void put_distance(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    const double distance = sqrt(f->touch.square), least = fmin(fmax(f->least, 0), distance);
    const int none = f->intersect || distance <= q->margin;
    out->distance = none ? 0 : distance * q->unit;
    out->error = (none ? distance + q->margin : distance - least + q->margin) * q->unit;
    out->error = out->error * (1 + 0x1p-50) + DBL_TRUE_MIN;
}

/* For nonconvex shapes, the direction is only that of the line between the points. */
static void put_direction(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    vec_copy(f->direction, out->direction);
    if (!q->s[0]->hull || !q->s[1]->hull) {
        vec_sub(f->touch.x[1], f->touch.x[0], out->direction);
        vec_unit(out->direction);
    }
    for (int k = 0; k < 3; k++)
        out->direction[k] = out->distance > 0 ? out->direction[k] : 0;
}

static void shape_distance_store(const shape_query *q, const shape_found *f, shape_nearest *out)
{
    put_distance(q, f, out);
    put_direction(q, f, out);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < 3; k++)
            out->point[side][k] = f->touch.x[side][k] * q->unit + q->origin[k];
        out->cell[side] = f->cell[side];
        out->kind[side] = shape_distance_kind(f->touch.part[side]);
        out->feature[side] = feature_of(q->s[side], f->cell[side], f->touch.part[side]);
    }
    out->steps = f->steps;
    out->searched = f->searched;
}

/* Encodes a feature as one number: vertices, then edges, then faces. */
static uint32_t shape_distance_feature_code(const shape_hull *h, hull_feature f)
{
    return f.at + (f.kind == SHAPE_VERTEX ? 0 : h->vertices) +
           (f.kind == SHAPE_FACE ? h->edges : 0);
}

static hull_feature coded(const shape_hull *h, uint32_t code)
{
    if (code < h->vertices)
        return (hull_feature){SHAPE_VERTEX, code};
    code -= h->vertices;
    return code < h->edges ? (hull_feature){SHAPE_EDGE, code}
                           : (hull_feature){SHAPE_FACE, code - h->edges};
}

/* The features where the walk begins: those where the last one ended, or those of nearby
 * triangles. */
static void shape_distance_begin(const shape_query *q, const shape_pair *cache, hull_feature f[2],
                                 uint64_t *steps)
{
    uint32_t cell[2];
    if (!cache->known)
        shape_search_start(q, cell, steps);
    for (int side = 0; side < 2; side++) {
        const shape_hull *h = q->s[side]->hull;
        f[side] = (hull_feature){SHAPE_VERTEX, 0};
        if (!cache->known && h->face_of[cell[side]] != SHAPE_NONE)
            f[side].at = h->edge[h->side[h->side0[h->face_of[cell[side]]]]].vertex[0];
        else if (cache->known && cache->near[side] < h->vertices + h->edges + h->faces)
            f[side] = coded(h, cache->near[side]);
    }
}

static void shape_distance_convex(const shape_query *q, shape_pair *cache, shape_found *out)
{
    hull_feature f[2];
    uint64_t steps = 0;
    shape_distance_begin(q, cache, f, &steps);
    shape_convex(q, f, out);
    out->steps += steps;
    for (int side = 0; side < 2; side++)
        cache->near[side] = shape_distance_feature_code(q->s[side]->hull, f[side]);
}

static void find_others(const shape_query *q, shape_pair *cache, shape_found *out)
{
    uint32_t cell[2];
    uint64_t steps = 0;
    if (!cache->known)
        shape_search_start(q, cell, &steps);
    for (int side = 0; side < 2 && cache->known; side++)
        cell[side] = cache->near[side] < q->s[side]->triangles ? cache->near[side] : 0;
    shape_search(q, cell, out);
    out->steps += steps;
    memcpy(cache->near, out->cell, sizeof cache->near);
}

void shape_distance(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                    shape_pair *cache, shape_nearest *out)
{
    shape_query q;
    shape_found f;
    shape_query_make(a, pa, b, pb, &q);
    if (a->hull && b->hull)
        shape_distance_convex(&q, cache, &f);
    else
        find_others(&q, cache, &f);
    cache->known = 1;
    shape_distance_store(&q, &f, out);
}

/* The power of two that brings x near 1, as far as the range of factors allows. */
static double power_for(double x)
{
    int e = 0;
    if (x > 0)
        frexp(x, &e);
    return ldexp(1, e > 1000 ? 1000 : e < -1000 ? -1000 : e);
}

/* The largest coordinate, halved, so that no difference of two overflows. */
static double far_half(const pose_map *a, const pose_map *b)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(b->t[k] / 2 - a->t[k] / 2));
    return most;
}

/* Rounding. u = 2^-53; lengths are in the query's units; a and b are the radii of the shapes, t the
 * distance of their origins, S their sum. All to first order.
 *
 * 1. The true positions are those of the map as given, r x + t. r times a power of two is exact,
 *    and t = tb - ta errs by u along each axis: 1.8 u t.
 * 2. A vertex r x + t: along each axis the absolute terms add up to at most a + t (Cauchy: a row of
 *    r has length 1). Three products and three sums: 4 u (a + t), over three axes 7 u (a + t).
 * 3. Points on edges and faces: two products with parameters and two sums, 4 u along each axis of
 *    lengths up to 2 a + t: at most 14 u (a + t).
 * 4. The length of a difference of two such errs by 4 u of itself: 4 u S. So a distance of two
 *    points errs by at most 1.8 + 2 (7 + 14) + 4 < 48 u S.
 * 5. A height d . x, with a length of d within 4 u of 1: 4 u (a + t) for the length, 5 u (a + t)
 *    for products and sums, 7 u (a + t) for x. A difference of two: 1.8 + 2 (4 + 5 + 7) < 34 u S.
 * 6. The farthest point along r^T d in the coordinates of a shape is the farthest along d, within
 *    the rounding of r^T d, 7 u a; if found by comparing rounded heights, 2 times 5 u a more. With
 *    5.: 34 + 7 + 10 = 51 u S.
 * 7. Boxes in the coordinates of a shape. Entries of r^T r are within 8 u of 0 and 1, which changes
 *    a length by at most 24 u of it. A half diagonal is at most a sqrt(3), which adds 42 u a, and
 *    the distance 12 u. Rounding errors: centres (2 times 7 u S), their difference rotated back (7
 *    u S), and half lengths: 6 u (a + b sqrt(3)) along each axis. Sum: 42 + 12 + 21 + 19 = 94 u S.
 * 8. A vertex in the coordinates of the other shape (shape_make.c): 24 u S for r^T r, 7 u S for the
 *    position and 7 u S for rotating it back: 38 u S.
 *
 * 128 u exceeds the greatest of these. */
#define ROUNDED (128 * 0x1p-53)

void shape_query_make(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                      shape_query *out)
{
    const double reach = fmax(fmax(a->radius / 2, b->radius / 2), far_half(pa, pb));
    const double unit = power_for(reach), scale = 1 / unit;
    *out = (shape_query){.s = {a, b}, .unit = unit};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out->turn[0][i][k] = pa->r[i][k];
            out->turn[1][i][k] = pb->r[i][k];
            out->r[0][i][k] = pa->r[i][k] * scale;
            out->r[1][i][k] = pb->r[i][k] * scale;
        }
        out->origin[i] = pa->t[i];
        out->t[1][i] = pb->t[i] * scale - pa->t[i] * scale;
    }
    const double far = sqrt(vec_dot(out->t[1], out->t[1]));
    out->margin = ROUNDED * (a->radius * scale + b->radius * scale + far);
}

void shape_query_vertex(const shape_query *q, int side, uint32_t vertex, double out[3])
{
    const double *x = q->s[side]->point[vertex].x;
    for (int i = 0; i < 3; i++)
        out[i] = vec_dot(q->r[side][i], x) + q->t[side][i];
}

void shape_query_other(const shape_query *q, int side, uint32_t vertex, exact_point *out)
{
    double x[3];
    shape_query_vertex(q, side, vertex, x);
    vec_sub(x, q->t[!side], x);
    vec_turn_back(q->turn[!side], x, x);
    for (int k = 0; k < 3; k++)
        out->x[k] = x[k] * q->unit;
}

/* ---- Directions that separate two convex bodies, from their closest features, with twice the
 * digits of float64: in float64, the line between close points and the direction orthogonal to
 * nearly parallel edges are lost in the rounding of coordinates. */

static fine fine_position(const shape_query *q, int side, uint32_t vertex)
{
    const shape *s = q->s[side];
    const double *x = s->point[s->hull->vertex[vertex]].x;
    fine p;
    for (int i = 0; i < 3; i++) {
        p.x[i] = (twofold){q->t[side][i], 0};
        for (int k = 0; k < 3; k++)
            p.x[i] = two_add(p.x[i], product_of(q->r[side][i][k], x[k]));
    }
    return p;
}

static fine fine_edge(const shape_query *q, int side, uint32_t edge)
{
    const hull_edge *e = &q->s[side]->hull->edge[edge];
    const fine head = fine_position(q, side, e->vertex[1]),
               tail = fine_position(q, side, e->vertex[0]);
    return fine_sub(&head, &tail);
}

void shape_direct_vertices(const shape_query *q, const uint32_t vertex[2], double out[3])
{
    const fine a = fine_position(q, 0, vertex[0]), b = fine_position(q, 1, vertex[1]);
    const fine d = fine_sub(&b, &a);
    fine_out(&d, out);
}

/* The component of w, from the edge to the vertex, that is orthogonal to the edge e: e x (w x
 * e). */
void shape_direct_edge(const shape_query *q, int side, uint32_t vertex, uint32_t edge,
                       double out[3])
{
    const uint32_t tail = q->s[!side]->hull->edge[edge].vertex[0];
    const fine x = fine_position(q, side, vertex), y = fine_position(q, !side, tail);
    const fine e = fine_edge(q, !side, edge), w = side ? fine_sub(&x, &y) : fine_sub(&y, &x);
    const fine d = fine_across(&w, &e);
    fine_out(&d, out);
}

void shape_direct_edges(const shape_query *q, const uint32_t edge[2], double out[3])
{
    const fine a = fine_edge(q, 0, edge[0]), b = fine_edge(q, 1, edge[1]);
    const fine c = fine_cross(&a, &b);
    fine_out(&c, out);
}

/* The area vector, summed over triangles from one vertex (Newell). */
void shape_direct_normal(const shape_hull *h, uint32_t face, double out[3])
{
    fine sum = {{{0, 0}}}, p[3] = {sum, sum, sum};
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1]; i++) {
        const hull_edge *e = &h->edge[h->side[i]];
        const double *x = h->x + 3 * (size_t)e->vertex[hull_right(e, face)];
        const int at = i == h->side0[face] ? 0 : 2;
        p[1] = p[2];
        for (int k = 0; k < 3; k++)
            p[at].x[k] = (twofold){x[k], 0};
        if (i < h->side0[face] + 2)
            continue;
        const fine a = fine_sub(&p[1], &p[0]), b = fine_sub(&p[2], &p[0]), c = fine_cross(&a, &b);
        for (int k = 0; k < 3; k++)
            sum.x[k] = two_add(sum.x[k], c.x[k]);
    }
    fine_out(&sum, out);
    vec_unit(out);
}

/* ---- From features of hulls to triangles: an edge may consist of the edges of several triangles,
 * a face of many triangles. */

/* Ends of an edge. */
static void ends_of(const shape_query *q, int side, uint32_t edge, double out[2][3])
{
    const hull_edge *e = &q->s[side]->hull->edge[edge];
    for (int end = 0; end < 2; end++)
        hull_position(q, side, e->vertex[end], out[end]);
}

/* The triangle of the part of an edge that contains a point. */
static uint32_t cell_of_edge(const shape_query *q, int side, uint32_t edge, const double x[3])
{
    const shape *s = q->s[side];
    const shape_hull *h = s->hull;
    const uint32_t last = h->edge_part0[edge + 1] - 1;
    double along[3], y[3];
    vec_turn(q->turn[side], h->edge[edge].along, along);
    for (uint32_t i = h->edge_part0[edge]; i < last; i++) {
        /* start of the next part */
        const uint32_t e = h->edge_part[i], f = h->turned ? e : e % 3 == 2 ? e - 2 : e + 1;
        shape_query_vertex(q, side, s->corner[f], y);
        vec_sub(y, x, y);
        if (vec_dot(y, along) >= 0)
            return e / 3;
    }
    return h->edge_part[last] / 3;
}

/* The signed depth of a point within a triangle of a face: the least height over its edges,
 * negative outside. */
static double shape_cells_inside_height(const shape_query *q, int side, uint32_t cell,
                                        const double x[3])
{
    double p[3][3], e[3], n[3], d[3], c[3], least = INFINITY;
    for (size_t i = 0; i < 3; i++)
        shape_query_vertex(q, side, q->s[side]->corner[3 * (size_t)cell + i], p[i]);
    vec_sub(p[1], p[0], d);
    vec_sub(p[2], p[0], e);
    vec_cross(d, e, n);
    vec_unit(n);
    for (int i = 0; i < 3; i++) {
        vec_sub(p[(i + 1) % 3], p[i], e);
        vec_sub(x, p[i], d);
        vec_unit(e);
        vec_cross(e, d, c);
        least = fmin(least, vec_dot(c, n));
    }
    return least;
}

static uint32_t cell_of_face(const shape_query *q, int side, uint32_t face, const double x[3])
{
    const shape_hull *h = q->s[side]->hull;
    uint32_t best = h->cell[h->cell0[face]];
    double most = -INFINITY;
    if (h->cell0[face + 1] - h->cell0[face] == 1)
        return best;
    for (uint32_t i = h->cell0[face]; i < h->cell0[face + 1] && most < 0; i++) {
        const double in = shape_cells_inside_height(q, side, h->cell[i], x);
        if (in > most) {
            most = in;
            best = h->cell[i];
        }
    }
    return best;
}

static uint32_t shape_cells_find(const shape_query *q, int side, hull_feature f, const double x[3])
{
    if (f.kind == SHAPE_VERTEX)
        return q->s[side]->hull->corner[f.at] / 3;
    return f.kind == SHAPE_EDGE ? cell_of_edge(q, side, f.at, x) : cell_of_face(q, side, f.at, x);
}

/* The parameter at which an edge meets the plane of a face, or is nearest to it. */
static double parameter_at_face(const shape_query *q, int side, const double x[2][3], uint32_t face)
{
    const shape_hull *h = q->s[!side]->hull;
    double n[3], y[3], d[3], height[2];
    vec_turn(q->turn[!side], h->normal + 3 * (size_t)face, n);
    hull_position(q, !side, h->edge[h->side[h->side0[face]]].vertex[0], y);
    for (int end = 0; end < 2; end++) {
        vec_sub(x[end], y, d);
        height[end] = vec_dot(n, d);
    }
    if ((height[0] > 0) != (height[1] > 0))
        return height[0] / (height[0] - height[1]);
    return fabs(height[1]) < fabs(height[0]);
}

/* The closest point of `side` for two features. On a face it is the other feature's point. */
static void nearest_on(const shape_query *q, int side, const hull_feature f[2], double out[3])
{
    double own[2][3], other[2][3], parameter[2] = {0};
    if (f[side].kind == SHAPE_VERTEX) {
        hull_position(q, side, f[side].at, out);
        return;
    }
    ends_of(q, side, f[side].at, own);
    if (f[!side].kind == SHAPE_FACE) {
        parameter[0] = parameter_at_face(q, side, (const double(*)[3])own, f[!side].at);
    } else {
        if (f[!side].kind == SHAPE_EDGE)
            ends_of(q, !side, f[!side].at, other);
        else
            for (int end = 0; end < 2; end++)
                hull_position(q, !side, f[!side].at, other[end]);
        shape_segments((const double(*)[3])own, (const double(*)[3])other, parameter);
    }
    for (int k = 0; k < 3; k++)
        out[k] = own[0][k] + parameter[0] * (own[1][k] - own[0][k]);
}

void shape_cells(const shape_query *q, const hull_feature f[2], uint32_t cell[2])
{
    for (int side = 0; side < 2; side++) {
        const int from = f[side].kind == SHAPE_FACE ? !side : side;
        double x[3] = {0};
        if (f[from].kind == SHAPE_FACE) /* both are faces: walks do not end so */
            hull_position(q, !side, q->s[!side]->hull->edge[0].vertex[0], x);
        else
            nearest_on(q, from, f, x);
        cell[side] = shape_cells_find(q, side, f[side], x);
    }
}

/* ---- from triangles to features */

/* The vertices of an edge of a triangle. */
static void shape_cells_part_ends(const shape *s, uint32_t edge_part, uint32_t out[2])
{
    out[0] = s->same[s->corner[edge_part]];
    out[1] = s->same[s->corner[edge_part % 3 == 2 ? edge_part - 2 : edge_part + 1]];
}

/* An edge lists the parts of only one of its two triangles, so vertices are compared. */
static int shape_cells_has_part(const shape *s, uint32_t edge, uint32_t edge_part)
{
    const shape_hull *h = s->hull;
    uint32_t own[2], e[2];
    shape_cells_part_ends(s, edge_part, own);
    for (uint32_t i = h->edge_part0[edge]; i < h->edge_part0[edge + 1]; i++) {
        shape_cells_part_ends(s, h->edge_part[i], e);
        if ((e[0] == own[0] && e[1] == own[1]) || (e[0] == own[1] && e[1] == own[0]))
            return 1;
    }
    return 0;
}

/* Returns whether a vertex of the shape is an end of an edge of the hull. */
static int has_end(const shape_hull *h, uint32_t edge, uint32_t vertex, uint32_t *out)
{
    for (int end = 0; end < 2; end++) {
        *out = h->edge[edge].vertex[end];
        if (h->vertex[*out] == vertex)
            return 1;
    }
    return 0;
}

hull_feature shape_cell_feature(const shape *s, uint32_t cell, int part)
{
    const shape_hull *h = s->hull;
    const uint32_t face = h->face_of[cell];
    if (face == SHAPE_NONE)
        return (hull_feature){SHAPE_VERTEX, 0};
    for (uint32_t i = h->side0[face]; i < h->side0[face + 1] && part < PART_FACE; i++) {
        const uint32_t edge = h->side[i], edge_part = 3 * cell + (uint32_t)(part % 3);
        uint32_t vertex;
        if (part < PART_EDGE && has_end(h, edge, s->same[s->corner[edge_part]], &vertex))
            return (hull_feature){SHAPE_VERTEX, vertex};
        if (part >= PART_EDGE && shape_cells_has_part(s, edge, edge_part))
            return (hull_feature){SHAPE_EDGE, edge};
    }
    return (hull_feature){SHAPE_FACE, face};
}
