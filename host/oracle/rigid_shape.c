/* See rigid_shape.h. */
#include "rigid_shape.h"

#include "error.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An edge of a triangle, by positions: `low` and `high` are the lowest vertices there. */
typedef struct rigid_edge {
    uint32_t low, high;
    int up; /* 1: from low to high */
} rigid_edge;

typedef struct rigid_vertex {
    double at[3];
    uint32_t number;
} rigid_vertex;

/* What one shape needs while it is looked at. */
typedef struct rigid_shape_scan {
    mem *mem;
    rigid_shape *s;
    uint32_t *same;      /* [vertices] the lowest with the same position */
    uint32_t *up;        /* [vertices] leads to another one of the part, or the same */
    rigid_vertex *order; /* [vertices] by position */
    rigid_edge *edge;
    size_t edges;
} rigid_shape_scan;

/* ---- vertices at one position */

static int by_position(const void *x, const void *y)
{
    const rigid_vertex *p = x, *q = y;
    for (int c = 0; c < 3; c++)
        if (p->at[c] != q->at[c])
            return p->at[c] < q->at[c] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static void rigid_shape_find_same(const rigid_shape_scan *l)
{
    const rigid_shape *s = l->s;
    const rigid_vertex *first = l->order;
    for (uint32_t i = 0; i < s->vertices; i++) {
        l->order[i].number = i;
        memcpy(l->order[i].at, s->point + 3 * (size_t)i, sizeof l->order[i].at);
    }
    qsort(l->order, s->vertices, sizeof *l->order, by_position);
    for (const rigid_vertex *v = l->order; v < l->order + s->vertices; v++) {
        if (v->at[0] != first->at[0] || v->at[1] != first->at[1] || v->at[2] != first->at[2])
            first = v;
        l->same[v->number] = first->number;
    }
}

/* ---- edges */

static int by_ends(const void *x, const void *y)
{
    const rigid_edge *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static void rigid_shape_list_edges(rigid_shape_scan *l)
{
    l->edges = 0;
    for (uint32_t t = 0; t < l->s->triangles; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t *c = l->s->corner + 3 * (size_t)t;
            const uint32_t a = l->same[c[k]], b = l->same[c[(k + 1) % 3]];
            if (a != b)
                l->edge[l->edges++] = (rigid_edge){a < b ? a : b, a < b ? b : a, a < b};
        }
    if (l->edges)
        qsort(l->edge, l->edges, sizeof *l->edge, by_ends);
}

/* *twice: each edge has exactly one partner, in the other direction. */
static void rigid_shape_scan_edges(rigid_shape_scan *l, int *twice)
{
    rigid_shape *s = l->s;
    s->closed = s->oriented = *twice = l->edges > 0;
    for (size_t i = 0, n; i < l->edges; i += n) {
        size_t up = 0;
        for (n = 0; i + n < l->edges && !by_ends(&l->edge[i], &l->edge[i + n]); n++)
            up += (size_t)l->edge[i + n].up;
        s->closed &= n % 2 == 0;
        s->oriented &= 2 * up == n;
        *twice &= n == 2 && up == 1;
    }
    s->oriented &= s->closed;
}

/* ---- parts */

static uint32_t root(uint32_t *up, uint32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

static int rigid_shape_find_parts(rigid_shape_scan *l)
{
    int err = IMP_OK;
    rigid_shape *s = l->s;
    uint32_t *up = l->up;
    memcpy(up, l->same, s->vertices * sizeof *up);
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        for (int k = 1; k < 3; k++)
            up[root(up, c[0])] = root(up, c[k]);
    }
    for (uint32_t v = 0; v < s->vertices; v++)
        s->parts += up[v] == v;
    TRY(mem_alloc(l->mem, s->parts * sizeof *s->part, &s->part));
    s->parts = 0;
    for (uint32_t v = 0; v < s->vertices; v++)
        if (up[v] == v)
            s->part[s->parts++] = v;
out:
    return err;
}

/* ---- convexity */

/* The sign of the volume of a b c d, in rational numbers. */
static int rigid_shape_exact_side(const double *const x[4])
{
    mpq_t e[3][3], t, sum;
    mpq_inits(t, sum, NULL);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            mpq_init(e[i][k]);
            mpq_set_d(e[i][k], x[i + 1][k]);
            mpq_set_d(t, x[0][k]);
            mpq_sub(e[i][k], e[i][k], t);
        }
    for (int k = 0; k < 6; k++) {
        static const int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                              {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        mpq_mul(t, e[0][permutation[k][0]], e[1][permutation[k][1]]);
        mpq_mul(t, t, e[2][permutation[k][2]]);
        if (k < 3)
            mpq_add(sum, sum, t);
        else
            mpq_sub(sum, sum, t);
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 9; i++)
        mpq_clear(e[i / 3][i % 3]);
    mpq_clears(t, sum, NULL);
    return sign;
}

/* In long double where its rounding cannot matter. */
static int rigid_shape_side(const double *const x[4])
{
    long double e[3][3], size = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            e[i][k] = (long double)x[i + 1][k] - x[0][k];
            size = fabsl(e[i][k]) > size ? fabsl(e[i][k]) : size;
        }
    const long double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                               e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    if (fabsl(volume) > 0x1p-50L * size * size * size)
        return volume > 0 ? 1 : -1;
    return rigid_shape_exact_side(x);
}

/* Are three different corners on a line? Then the triangle has no plane. */
static int on_a_line(const double *const x[3])
{
    for (int k = 0; k < 3; k++) {
        double p[4][3];
        for (int i = 0; i < 3; i++)
            memcpy(p[i], x[i], sizeof p[i]);
        memcpy(p[3], x[0], sizeof p[3]);
        p[3][k] += 1 + fabs(p[3][k]); /* out of its plane, along an axis that is not in it */
        if (rigid_shape_exact_side((const double *const[4]){p[0], p[1], p[2], p[3]}))
            return 0;
    }
    return 1;
}

/* Are all vertices on one side of all faces, or on them? */
static int rigid_shape_is_convex(const rigid_shape_scan *l)
{
    const rigid_shape *s = l->s;
    int inside = 0;
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        const double *x[4];
        if (l->same[c[0]] == l->same[c[1]] || l->same[c[1]] == l->same[c[2]] ||
            l->same[c[2]] == l->same[c[0]])
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = s->point + 3 * (size_t)c[k];
        if (on_a_line((const double *const[3]){x[0], x[1], x[2]}))
            return 0;
        for (uint32_t v = 0; v < s->vertices; v++) {
            x[3] = s->point + 3 * (size_t)v;
            const int sign = rigid_shape_side(x);
            if (sign && inside && sign != inside)
                return 0;
            inside = sign ? sign : inside;
        }
    }
    return inside != 0;
}

/* ---- one shape */

static int rigid_shape_inspect(rigid_shape_scan *l)
{
    int err = IMP_OK, twice;
    rigid_shape *s = l->s;
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->same, &l->same));
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->order, &l->order));
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->up, &l->up));
    TRY(mem_alloc(l->mem, (size_t)3 * s->triangles * sizeof *l->edge, &l->edge));
    rigid_shape_find_same(l);
    rigid_shape_list_edges(l);
    rigid_shape_scan_edges(l, &twice);
    TRY(rigid_shape_find_parts(l));
    s->convex = twice && s->parts == 1 && rigid_shape_is_convex(l);
    for (uint32_t v = 0; v < s->vertices; v++) {
        const double *p = s->point + 3 * (size_t)v;
        s->radius = fmax(s->radius, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * (1 + 0x1p-50));
    }
out:
    mem_free(l->mem, l->same);
    mem_free(l->mem, l->order);
    mem_free(l->mem, l->up);
    mem_free(l->mem, l->edge);
    return err;
}

/* ---- the bodies of a mesh */

static uint32_t rigid_shape_body_of(const imp_mesh *mesh, uint32_t p)
{
    const int32_t object = mesh->object ? mesh->object[p] : 0;
    for (uint32_t low = 0, high = mesh->bodies; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (mesh->body[middle] == object)
            return middle;
        if (mesh->body[middle] < object)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* How much each has, and room for it. owner[vertices]: the body of each, or UINT32_MAX. */
static int rigid_shape_count(rigid_shapes *r, const imp_mesh *mesh, uint32_t *owner)
{
    int err = IMP_OK;
    memset(owner, 0xff, mesh->vertices * sizeof *owner);
    for (uint32_t p = 0; p < mesh->primitives; p++) {
        const uint32_t b = r->body[p] = rigid_shape_body_of(mesh, p);
        if (b == UINT32_MAX)
            FAIL(IMP_ERR_INPUT, "cell %u belongs to no rigid body", p);
        r->shape[b].triangles++;
        for (int k = 0; k < 3; k++)
            owner[mesh->corner[3 * (size_t)p + (size_t)k]] = b;
    }
    for (uint32_t v = 0; v < mesh->vertices; v++)
        if (owner[v] != UINT32_MAX)
            r->shape[owner[v]].vertices++;
    for (rigid_shape *s = r->shape; s < r->shape + r->bodies; s++) {
        TRY(mem_alloc(r->mem, (size_t)3 * s->vertices * sizeof *s->point, &s->point));
        TRY(mem_alloc(r->mem, s->vertices * sizeof *s->vertex, &s->vertex));
        TRY(mem_alloc(r->mem, (size_t)3 * s->triangles * sizeof *s->corner, &s->corner));
        TRY(mem_alloc(r->mem, s->triangles * sizeof *s->cell, &s->cell));
        r->most_vertices = s->vertices > r->most_vertices ? s->vertices : r->most_vertices;
        r->most_triangles = s->triangles > r->most_triangles ? s->triangles : r->most_triangles;
        s->vertices = s->triangles = 0;
    }
out:
    return err;
}

/* owner[v] becomes the vertex's number in its body. */
static void fill_all(rigid_shapes *r, const imp_mesh *mesh, uint32_t *owner)
{
    for (uint32_t v = 0; v < mesh->vertices; v++) {
        if (owner[v] == UINT32_MAX)
            continue;
        rigid_shape *s = &r->shape[owner[v]];
        for (int k = 0; k < 3; k++) /* + 0: without -0 */
            s->point[3 * (size_t)s->vertices + (size_t)k] =
                mesh->rest[3 * (size_t)v + (size_t)k] + 0.0;
        s->vertex[s->vertices] = v;
        owner[v] = s->vertices++;
    }
    for (uint32_t p = 0; p < mesh->primitives; p++) {
        rigid_shape *s = &r->shape[r->body[p]];
        for (int k = 0; k < 3; k++)
            s->corner[3 * (size_t)s->triangles + (size_t)k] =
                owner[mesh->corner[3 * (size_t)p + (size_t)k]];
        s->cell[s->triangles++] = p;
    }
}

int rigid_shapes_make(mem *m, const imp_mesh *mesh, rigid_shapes *out)
{
    int err = IMP_OK;
    uint32_t *owner = NULL;
    *out = (rigid_shapes){.mem = m};
    TRY(mem_alloc(m, mesh->bodies * sizeof *out->shape, &out->shape));
    memset(out->shape, 0, mesh->bodies * sizeof *out->shape);
    out->bodies = mesh->bodies;
    TRY(mem_alloc(m, mesh->primitives * sizeof *out->body, &out->body));
    TRY(mem_alloc(m, mesh->vertices * sizeof *owner, &owner));
    TRY(rigid_shape_count(out, mesh, owner));
    fill_all(out, mesh, owner);
    for (uint32_t b = 0; b < out->bodies; b++) {
        rigid_shape_scan l = {.mem = m, .s = &out->shape[b]};
        TRY(rigid_shape_inspect(&l));
    }
out:
    mem_free(m, owner);
    if (err)
        rigid_shapes_free(out);
    return err;
}

void rigid_shapes_free(rigid_shapes *r)
{
    for (uint32_t b = 0; r->shape && b < r->bodies; b++) {
        mem_free(r->mem, r->shape[b].point);
        mem_free(r->mem, r->shape[b].vertex);
        mem_free(r->mem, r->shape[b].corner);
        mem_free(r->mem, r->shape[b].cell);
        mem_free(r->mem, r->shape[b].part);
    }
    if (r->mem) {
        mem_free(r->mem, r->shape);
        mem_free(r->mem, r->body);
    }
    *r = (rigid_shapes){0};
}

uint32_t rigid_triangle(const rigid_shape *s, uint32_t cell)
{
    uint32_t low = 0, high = s->triangles;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->cell[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}
