/* From features of hulls to triangles: an edge may consist of several triangles' edges, a face of
 * many triangles. */
#include "shape_convex.h"
#include "vec3.h"

/* Ends of an edge. */
static void ends_of(const shape_query *q, int side, uint32_t edge, double out[2][3])
{
    const hull_edge *e = &q->s[side]->hull->edge[edge];
    for (int end = 0; end < 2; end++)
        hull_position(q, side, e->vertex[end], out[end]);
}

/* The triangle of the part of an edge that has a point. */
static uint32_t cell_of_edge(const shape_query *q, int side, uint32_t edge, const double x[3])
{
    const shape *s = q->s[side];
    const shape_hull *h = s->hull;
    const uint32_t last = h->edge_part0[edge + 1] - 1;
    double along[3], y[3];
    vec_turn(q->turn[side], h->edge[edge].along, along);
    for (uint32_t i = h->edge_part0[edge]; i < last; i++) {
        /* where the next part begins */
        const uint32_t e = h->edge_part[i], f = h->turned ? e : e % 3 == 2 ? e - 2 : e + 1;
        shape_query_vertex(q, side, s->corner[f], y);
        vec_sub(y, x, y);
        if (vec_dot(y, along) >= 0)
            return e / 3;
    }
    return h->edge_part[last] / 3;
}

/* How far a point is within a triangle of a face: the least height over its edges, which is
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

/* Where an edge meets the plane of a face, or comes nearest to it. */
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

/* Of two features, where is the closest point of `side`? Of faces: where the other's is. */
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
        if (f[from].kind == SHAPE_FACE) /* both: walks do not end so */
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

/* Of both triangles at it an edge has the parts of one only: so vertices are compared. */
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

/* Has an edge of the hull that vertex of the shape as an end? */
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
