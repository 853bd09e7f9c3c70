/* The distance of two convex bodies: the walk finds the closest features, and a direction along
 * which the bodies are as far apart as these proves it. If no direction does, the triangles are
 * searched. So an error of the walk only costs time. */
#include "shape_hull.h"
#include "vec3.h"

/* Acceptable gap between the distance and the proven lower bound, in margins: 2^-39 of the size. A
 * smaller gap is common; the promised accuracy is 1e-9. */
#define GAP 64

/* The best direction so far. */
typedef struct proof {
    const shape_query *q;
    shape_found *out;
    uint32_t top[2]; /* the vertices farthest along it */
    double enough;
} proof;

/* Returns whether this direction proves the distance. */
static int try_direction(proof *p, const double d[3])
{
    double u[3];
    vec_copy(d, u);
    if (!vec_unit(u))
        return 0;
    const double least = shape_beyond(p->q, u, p->top, &p->out->steps);
    if (least > p->out->least) {
        p->out->least = least;
        vec_copy(u, p->out->direction);
    }
    return p->out->least >= p->enough;
}

static int try_normal(proof *p, int side, uint32_t face)
{
    double n[3];
    vec_turn(p->q->turn[side], p->q->s[side]->hull->normal + 3 * (size_t)face, n);
    if (side)
        vec_along((const double[3]){0}, -1, n, n);
    return try_direction(p, n);
}

/* The edges of a feature: those around a face, or those at a vertex. */
static const uint32_t *shape_convex_edges(const shape_hull *h, const hull_feature *f, uint32_t *n)
{
    const uint32_t *const from = f->kind == SHAPE_VERTEX ? h->spoke0 : h->side0;
    *n = 1;
    if (f->kind == SHAPE_EDGE)
        return &f->at;
    *n = from[f->at + 1] - from[f->at];
    return (f->kind == SHAPE_VERTEX ? h->spoke : h->side) + from[f->at];
}

/* A feature and its neighbours: rounding may have confused one with another. */
typedef struct nearby {
    const uint32_t *edge, *vertex;
    uint32_t edges, vertices;
} nearby;

static nearby nearby_of(const shape_hull *h, const hull_feature *f)
{
    nearby n = {0};
    n.edge = shape_convex_edges(h, f, &n.edges);
    n.vertices = f->kind == SHAPE_EDGE ? 2 : f->kind == SHAPE_VERTEX;
    n.vertex = f->kind == SHAPE_EDGE ? h->edge[f->at].vertex : &f->at;
    return n;
}

static int try_normals(proof *p, int side, const hull_feature *f)
{
    const shape_hull *h = p->q->s[side]->hull;
    const nearby n = nearby_of(h, f);
    if (f->kind == SHAPE_FACE)
        return try_normal(p, side, f->at);
    for (uint32_t i = 0; i < n.edges; i++)
        for (int k = 0; k < 2; k++)
            if (try_normal(p, side, h->edge[n.edge[i]].face[k]))
                return 1;
    return 0;
}

static int try_vertices(proof *p, const nearby n[2])
{
    double d[3];
    for (uint32_t i = 0; i < n[0].vertices; i++)
        for (uint32_t k = 0; k < n[1].vertices; k++) {
            shape_direct_vertices(p->q, (const uint32_t[]){n[0].vertex[i], n[1].vertex[k]}, d);
            if (try_direction(p, d))
                return 1;
        }
    return 0;
}

static int try_edge(proof *p, int side, const nearby n[2])
{
    double d[3];
    for (uint32_t i = 0; i < n[side].vertices; i++)
        for (uint32_t k = 0; k < n[!side].edges; k++) {
            shape_direct_edge(p->q, side, n[side].vertex[i], n[!side].edge[k], d);
            if (try_direction(p, d))
                return 1;
        }
    return 0;
}

static int try_edges(proof *p, const nearby n[2])
{
    double d[3];
    for (uint32_t i = 0; i < n[0].edges; i++)
        for (uint32_t k = 0; k < n[1].edges; k++) {
            shape_direct_edges(p->q, (const uint32_t[]){n[0].edge[i], n[1].edge[k]}, d);
            if (try_direction(p, d))
                return 1;
            vec_along((const double[3]){0}, -1, d, d);
            if (try_direction(p, d))
                return 1;
        }
    return 0;
}

/* With more pairs, the search is faster than trying them. */
#define PAIRS 256

static int try_nearby(proof *p, const hull_feature f[2])
{
    const nearby n[2] = {nearby_of(p->q->s[0]->hull, &f[0]), nearby_of(p->q->s[1]->hull, &f[1])};
    if ((uint64_t)n[0].edges * n[1].edges > PAIRS)
        return 0;
    return try_vertices(p, n) || try_edge(p, 0, n) || try_edge(p, 1, n) || try_edges(p, n);
}

static uint32_t some_vertex(const shape_hull *h, const hull_feature *f)
{
    uint32_t n;
    if (f->kind == SHAPE_VERTEX)
        return f->at;
    return h->edge[*shape_convex_edges(h, f, &n)].vertex[0];
}

/* Sets out->least and the direction. Between close points, the direction of their difference is
 * inaccurate; those of faces and edges are accurate. */
static int prove(const shape_query *q, const hull_feature f[2], shape_found *out)
{
    const double distance = sqrt(out->touch.square);
    proof p = {.q = q, .out = out, .enough = fmax(distance - GAP * q->margin, 0)};
    double d[3];
    for (int side = 0; side < 2; side++)
        p.top[side] = some_vertex(q->s[side]->hull, &f[side]);
    out->least = -INFINITY;
    vec_sub(out->touch.x[1], out->touch.x[0], d);
    return distance <= q->margin || try_direction(&p, d) || try_normals(&p, 0, &f[0]) ||
           try_normals(&p, 1, &f[1]) || try_nearby(&p, f);
}

/* ---- */

static void touch_cells(const shape_query *q, shape_found *out)
{
    double x[2][3][3];
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < 3; i++)
            shape_query_vertex(q, side, q->s[side]->corner[3 * (size_t)out->cell[side] + i],
                               x[side][i]);
    shape_triangles((const double(*)[3])x[0], (const double(*)[3])x[1], &out->touch);
}

/* A vertex of one side is proven to be in the other body, so it belongs to both. */
static void shape_convex_contact_at(const shape_query *q, int side, uint32_t vertex,
                                    shape_found *out)
{
    const uint32_t corner = q->s[side]->hull->corner[vertex];
    out->intersect = 1;
    out->cell[side] = corner / 3;
    out->touch = (shape_touch){.square = 0};
    out->touch.part[side] = (int)(corner % 3);
    out->touch.part[!side] = PART_FACE;
    for (int i = 0; i < 2; i++)
        hull_position(q, side, vertex, out->touch.x[i]);
}

/* The trees give the distance of the surfaces; even so, one body may be in the other. If no
 * direction proves that distance, none is known. */
static void search(const shape_query *q, hull_feature f[2], shape_found *out)
{
    const uint32_t cell[2] = {out->cell[0], out->cell[1]};
    const uint64_t steps = out->steps;
    shape_search(q, cell, out);
    out->steps += steps;
    out->searched = 1;
    for (int side = 0; side < 2; side++)
        f[side] = shape_cell_feature(q->s[side], out->cell[side], out->touch.part[side]);
    if (sqrt(out->touch.square) <= q->margin)
        return;
    for (int side = 0; side < 2; side++)
        if (shape_inside(q, side, 0)) {
            shape_convex_contact_at(q, side, 0, out);
            return;
        }
    const double least = out->least;
    if (prove(q, f, out) || out->least >= least)
        return;
    out->least = least;
    out->direction[0] = out->direction[1] = out->direction[2] = 0;
}

void shape_convex(const shape_query *q, hull_feature f[2], shape_found *out)
{
    *out = (shape_found){0};
    const enum v_clip_end end = shape_v_clip(q, f, &out->steps);
    const int side = f[0].kind != SHAPE_VERTEX; /* the one with the vertex, for V_CLIP_INSIDE */
    shape_cells(q, f, out->cell);
    if (end == V_CLIP_INSIDE && shape_inside(q, side, f[side].at)) {
        shape_convex_contact_at(q, side, f[side].at, out);
        return;
    }
    touch_cells(q, out);
    if (!prove(q, f, out))
        search(q, f, out);
}
