/* See shape_hull.h. Made of a skin (shape_skin.c): faces by flooding over flat edges, then the
 * sides of each face, then edges and vertices. */

#include "error.h"
#include "shape_hull.h"
#include "vec3.h"

typedef struct build {
    const shape_skin *k;
    shape_hull *h;
    uint32_t *face;   /* [skin.count] */
    uint32_t *edge;   /* [3 * skin.count] of the hull, or SHAPE_NONE */
    uint32_t *number; /* [vertices of the shape] of the hull, or SHAPE_NONE */
    uint32_t *stack;  /* [skin.count] */
} build;

static void fill_none(uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = SHAPE_NONE;
}

static int build_open(mem *m, build *b, const shape_skin *k, shape_hull *h)
{
    int err = 0;
    const size_t n = k->count;
    *b = (build){.k = k, .h = h};
    TRY(mem_alloc(m, sizeof *b->face * n, &b->face));
    TRY(mem_alloc(m, sizeof *b->edge * 3 * n, &b->edge));
    TRY(mem_alloc(m, sizeof *b->number * k->s->vertices, &b->number));
    TRY(mem_alloc(m, sizeof *b->stack * n, &b->stack));
    TRY(mem_alloc(m, sizeof *h->face_of * k->s->triangles, &h->face_of));
    TRY(mem_alloc(m, sizeof *h->cell0 * (n + 1), &h->cell0));
    TRY(mem_alloc(m, sizeof *h->cell * n, &h->cell));
    TRY(mem_alloc(m, sizeof *h->side0 * (n + 1), &h->side0));
    TRY(mem_alloc(m, sizeof *h->side * 3 * n, &h->side));
    TRY(mem_alloc(m, sizeof *h->edge * (3 * n / 2), &h->edge));
    TRY(mem_alloc(m, sizeof *h->edge_part0 * (3 * n / 2 + 1), &h->edge_part0));
    TRY(mem_alloc(m, sizeof *h->edge_part * (3 * n / 2), &h->edge_part));
    fill_none(b->face, n);
    fill_none(b->edge, 3 * n);
    fill_none(b->number, k->s->vertices);
    fill_none(h->face_of, k->s->triangles);
out:
    return err;
}

static void build_close(mem *m, build *b)
{
    mem_free(m, b->face);
    mem_free(m, b->edge);
    mem_free(m, b->number);
    mem_free(m, b->stack);
}

/* ---- faces */

/* All triangles that are reached from t over flat edges. */
static void flood(build *b, uint32_t t)
{
    const shape_skin *k = b->k;
    shape_hull *h = b->h;
    uint32_t depth = 0, at = h->cell0[h->faces];
    b->stack[depth++] = t;
    b->face[t] = h->faces;
    while (depth) {
        const uint32_t from = b->stack[--depth];
        h->cell[at++] = k->cell[from];
        h->face_of[k->cell[from]] = h->faces;
        for (uint32_t e = 3 * from; e < 3 * from + 3; e++) {
            const uint32_t to = k->twin[e] / 3;
            if (!k->flat[e] || b->face[to] != SHAPE_NONE)
                continue;
            b->face[to] = h->faces;
            b->stack[depth++] = to;
        }
    }
    h->cell0[++h->faces] = at;
}

static void find_faces(build *b)
{
    b->h->cell0[0] = 0;
    for (uint32_t t = 0; t < b->k->count; t++)
        if (b->face[t] == SHAPE_NONE)
            flood(b, t);
}

/* ---- sides of faces */

static uint32_t shape_hull_opposite_face(const build *b, uint32_t e)
{
    return b->face[b->k->twin[e] / 3];
}

/* The next edge around the face after e, which is on its border. */
static uint32_t border_next(const build *b, uint32_t e)
{
    e = skin_next(e);
    while (b->k->flat[e])
        e = skin_next(b->k->twin[e]);
    return e;
}

static uint32_t shape_hull_index(build *b, uint32_t vertex)
{
    if (b->number[vertex] == SHAPE_NONE)
        b->number[vertex] = b->h->vertices++;
    return b->number[vertex];
}

/* From e to before `end`: edges with the same face on the other side, so on one line. Whichever of
 * both faces comes first makes the edge. */
static uint32_t shape_hull_side_length(build *b, uint32_t e, uint32_t end)
{
    shape_hull *h = b->h;
    const shape_skin *k = b->k;
    if (b->edge[e] != SHAPE_NONE)
        return b->edge[e];
    h->edge[h->edges] = (hull_edge){.face = {b->face[e / 3], shape_hull_opposite_face(b, e)}};
    h->edge[h->edges].vertex[0] = shape_hull_index(b, k->corner[e]);
    h->edge[h->edges].vertex[1] = shape_hull_index(b, k->corner[end]);
    uint32_t at = h->edge_part0[h->edges];
    for (uint32_t i = e; i != end; i = border_next(b, i)) {
        h->edge_part[at++] = i;
        b->edge[i] = b->edge[k->twin[i]] = h->edges;
    }
    h->edge_part0[h->edges + 1] = at;
    return h->edges++;
}

/* An edge of the face where one of its sides begins; `from` is on the border. */
static uint32_t side_begin(const build *b, uint32_t from)
{
    uint32_t e = from;
    while (shape_hull_opposite_face(b, e) == shape_hull_opposite_face(b, from))
        e = border_next(b, e);
    return e;
}

static void find_sides(build *b, uint32_t from)
{
    shape_hull *h = b->h;
    const uint32_t face = b->face[from / 3], begin = side_begin(b, from);
    uint32_t e = begin, at = h->side0[face];
    do {
        const uint32_t end = side_begin(b, e);
        h->side[at++] = shape_hull_side_length(b, e, end);
        e = end;
    } while (e != begin);
    h->side0[face + 1] = at;
}

static void shape_hull_find_edges(build *b)
{
    uint32_t *border =
        b->stack; /* an edge of each face, as there are no more faces than triangles */
    for (uint32_t e = 3 * b->k->count; e-- > 0;)
        if (!b->k->flat[e])
            border[b->face[e / 3]] = e;
    b->h->side0[0] = b->h->edge_part0[0] = 0;
    for (uint32_t f = 0; f < b->h->faces; f++)
        find_sides(b, border[f]);
}

/* ---- vertices */

/* In the shape's numbers of edges: they were other ones while triangles were turned. */
static uint32_t given_edge(const shape_skin *k, uint32_t e)
{
    return 3 * k->cell[e / 3] + (k->turned ? 2 - e % 3 : e % 3);
}

static void shape_hull_find_corners(build *b)
{
    const shape *s = b->k->s;
    shape_hull *h = b->h;
    for (uint32_t i = 0; i < h->edge_part0[h->edges]; i++)
        h->edge_part[i] = given_edge(b->k, h->edge_part[i]);
    for (uint32_t i = 3 * s->triangles; i-- > 0;) {
        const uint32_t v = s->same[s->corner[i]], n = b->number[v];
        if (n != SHAPE_NONE && h->face_of[i / 3] != SHAPE_NONE) {
            h->vertex[n] = v;
            h->corner[n] = i;
        }
    }
}

static int find_vertices(mem *m, build *b)
{
    int err = 0;
    shape_hull *h = b->h;
    TRY(mem_alloc(m, 3 * sizeof *h->x * h->vertices, &h->x));
    TRY(mem_alloc(m, sizeof *h->vertex * h->vertices, &h->vertex));
    TRY(mem_alloc(m, sizeof *h->corner * h->vertices, &h->corner));
    TRY(mem_alloc(m, sizeof *h->spoke0 * (h->vertices + (size_t)2), &h->spoke0));
    TRY(mem_alloc(m, 2 * sizeof *h->spoke * h->edges, &h->spoke));
    shape_hull_find_corners(b);
    memset(h->spoke0, 0, sizeof *h->spoke0 * (h->vertices + (size_t)2));
    for (uint32_t i = 0; i < 2 * h->edges; i++)
        h->spoke0[h->edge[i / 2].vertex[i % 2] + 2]++;
    for (uint32_t v = 1; v <= h->vertices; v++)
        h->spoke0[v + 1] += h->spoke0[v];
    for (uint32_t i = 0; i < 2 * h->edges; i++)
        h->spoke[h->spoke0[h->edge[i / 2].vertex[i % 2] + 1]++] = i / 2;
out:
    return err;
}

/* ---- numbers */

/* Coordinates in a unit such that the largest are near 1, and whether they are multiples of
 * 2^-900 then. */
static void shape_hull_scale_points(shape_hull *h, const shape *s)
{
    int e = 0;
    frexp(s->radius, &e);
    h->unit = ldexp(1, e > 1023 ? 1023 : e < -1022 ? -1022 : e);
    h->fine = 1;
    for (size_t i = 0; i < 3 * (size_t)h->vertices; i++) {
        const double given = s->point[h->vertex[i / 3]].x[i % 3], x = given / h->unit;
        const double whole = x * 0x1p900;
        h->x[i] = x;
        h->fine &= x * h->unit == given && fabs(x) <= 2 && floor(whole) == whole;
    }
}

static const double *shape_hull_position(const shape_hull *h, uint32_t vertex)
{
    return h->x + 3 * (size_t)vertex;
}

static int find_directions(mem *m, shape_hull *h)
{
    int err = 0;
    TRY(mem_alloc(m, 3 * sizeof *h->normal * h->faces, &h->normal));
    for (uint32_t f = 0; f < h->faces; f++)
        shape_direct_normal(h, f, h->normal + 3 * (size_t)f);
    for (uint32_t e = 0; e < h->edges; e++) {
        hull_edge *at = &h->edge[e];
        vec_sub(shape_hull_position(h, at->vertex[1]), shape_hull_position(h, at->vertex[0]),
                at->along);
        vec_unit(at->along);
    }
out:
    return err;
}

int shape_hull_make(mem *m, shape *s)
{
    int err = 0, convex;
    shape_skin k;
    build b = {0};
    TRY(shape_skin_make(m, s, &k, &convex));
    if (!convex)
        goto out;
    TRY(mem_alloc(m, sizeof *s->hull, &s->hull));
    *s->hull = (shape_hull){.turned = k.turned};
    TRY(build_open(m, &b, &k, s->hull));
    find_faces(&b);
    shape_hull_find_edges(&b);
    TRY(find_vertices(m, &b));
    shape_hull_scale_points(s->hull, s);
    TRY(find_directions(m, s->hull));
out:
    build_close(m, &b);
    shape_skin_free(m, &k);
    return err;
}

void shape_hull_free(mem *m, shape_hull *h)
{
    if (!h)
        return;
    void *const all[] = {h->x,    h->vertex,     h->corner,    h->spoke0, h->spoke,
                         h->edge, h->edge_part0, h->edge_part, h->normal, h->side0,
                         h->side, h->cell0,      h->cell,      h->face_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    mem_free(m, h);
}
