/* The depths of contacts of closed objects: see truth.h. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "inside_oracle.h"

#include <math.h>
#include <stdlib.h>

/* A vertex of a contact, and the solid of the other primitive. */
typedef struct contact_vertex {
    size_t solid;
    uint32_t vertex;
    double depth; /* 0: it is not inside */
} contact_vertex;

typedef struct contact_depths {
    inside_scene scene;
    size_t count;
    contact_vertex *vertex; /* sorted, each once */
} contact_depths;

/* ---- vertices */

static int contact_vertex_order(const void *x, const void *y)
{
    const contact_vertex *p = x, *q = y;
    if (p->solid != q->solid)
        return p->solid < q->solid ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* The positions of the objects of a pair; returns whether one of them may be inside the other. */
static int contact_objects(const inside_scene *s, const truth_row *row, size_t of[2])
{
    of[0] = inside_scene_position(s, row->a);
    of[1] = inside_scene_position(s, row->b);
    return of[0] != of[1] && (s->object[of[0]].closed || s->object[of[1]].closed);
}

static int contact_depths_list(contact_depths *c, const truth *t)
{
    int err = IMP_OK;
    const imp_mesh *m = c->scene.f->mesh;
    size_t n = 0;
    TRY(mem_alloc(c->scene.mem, (8 * t->count + 1) * sizeof *c->vertex, &c->vertex));
    for (size_t i = 0; i < t->count; i++) {
        const uint32_t prim[2] = {t->row[i].a, t->row[i].b};
        size_t of[2];
        if (!contact_objects(&c->scene, &t->row[i], of))
            continue;
        for (int k = 0; k < 2; k++)
            for (uint32_t v = 0; v < 4 && c->scene.object[of[1 - k]].closed; v++)
                c->vertex[n++] = (contact_vertex){of[1 - k], mesh_vertex(m, prim[k], v), 0};
    }
    if (n)
        qsort(c->vertex, n, sizeof *c->vertex, contact_vertex_order);
    for (size_t i = 0; i < n; i++)
        if (!i || contact_vertex_order(&c->vertex[i - 1], &c->vertex[i]))
            c->vertex[c->count++] = c->vertex[i];
out:
    return err;
}

static int contact_depths_open(mem *m, const imp_frame *f, const imp_def *def, int threads,
                               const truth *t, contact_depths *c)
{
    int err = IMP_OK;
    *c = (contact_depths){0};
    TRY(inside_scene_open(m, f, def, threads, &c->scene));
    TRY(contact_depths_list(c, t));
    for (size_t i = 0; i < c->count; i++) {
        inside_surface *s = &c->scene.object[c->vertex[i].solid].surface;
        if (!s->differs)
            TRY(inside_surface_differ(m, def, threads, s));
    }
    const int64_t n = (int64_t)c->count;
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++) {
            inside_answer answer;
            contact_vertex *v = &c->vertex[i];
            inside_vertex(&c->scene, &c->scene.object[v->solid], v->vertex, 1, &answer);
            v->depth = answer.inside ? answer.depth : 0;
        }
    }
out:
    return err;
}

static void contact_depths_close(contact_depths *c)
{
    mem_free(c->scene.mem, c->vertex);
    inside_scene_close(&c->scene);
}

static double contact_vertices(const contact_depths *c, uint32_t prim, size_t solid)
{
    double depth = 0;
    for (uint32_t v = 0; v < 4; v++) {
        const contact_vertex key = {solid, mesh_vertex(c->scene.f->mesh, prim, v), 0};
        const contact_vertex *at =
            bsearch(&key, c->vertex, c->count, sizeof key, contact_vertex_order);
        depth = at ? fmax(depth, at->depth) : depth;
    }
    return depth;
}

/* ---- edges */

static int contact_cell_order(const void *x, const void *y)
{
    const inside_cell *p = x, *q = y;
    return point_compare(&p->corner[0], &q->corner[0]);
}

/* Puts the cells of a segment, and the ends of each, in order. */
static void contact_cells_sort(inside_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        rational_point *end = cells->cell[i].corner;
        if (point_compare(&end[0], &end[1]) > 0) {
            const rational_point was = end[0];
            end[0] = end[1];
            end[1] = was;
        }
    }
    if (cells->count)
        qsort(cells->cell, cells->count, sizeof *cells->cell, contact_cell_order);
}

/* Returns whether the points of a cell of a segment are inside the solid, all but few. Faces
 * without area have no points here. */
static int contact_cell_inside(const inside_scene *s, const inside_surface *of,
                               const inside_cell *cell)
{
    int w[2];
    rational_point x;
    vector any; /* off all faces, the sides of any plane are the same */
    point_init(&x);
    vector_init(any);
    mpz_set_ui(any[0], 1);
    inside_cell_point(cell, 0, s->unit, &x);
    const int inside = inside_sides(of, &x, any, w) == INSIDE_OFF && inside_by(s->def, w[0]);
    point_clear(&x);
    vector_clear(any);
    return inside;
}

static int contact_on_prim(const inside_surface *of, uint32_t prim, const rational_point *x)
{
    int on = 0;
    const inside_face *face;
    const size_t faces = inside_surface_of_prim(of, prim, &face);
    for (size_t i = 0; i < faces; i++)
        on |= face[i].area && !inside_plane_sign(&face[i].plane, x) &&
              inside_face_where(&face[i], x) >= 0;
    return on;
}

/* The depth of the middle of a part of an edge that begins or ends on primitive `on`. */
static double contact_part(const inside_scene *s, const inside_object *solid, uint32_t on,
                           const rational_point *from, const rational_point *to)
{
    double x[3];
    inside_answer answer;
    if (!contact_on_prim(&solid->surface, on, from) && !contact_on_prim(&solid->surface, on, to))
        return 0;
    inside_point_middle(from, to, s->unit, x);
    inside_at(s, solid, x, 1, &answer);
    return answer.inside ? answer.depth : 0;
}

static int contact_edge(const inside_scene *s, const inside_object *solid, uint32_t on,
                        const uint32_t end[2], double *depth)
{
    int err = IMP_OK;
    inside_cells cells = {.mem = s->mem};
    inside_face edge = {.vertex = {end[0], end[1], end[1]}};
    size_t first = 0; /* of the part */
    inside_face_open(s->f, s->unit, &edge);
    if (point_compare(&edge.corner[0], &edge.corner[1]))
        TRY(inside_cells_open(s->mem, &edge,
                              (const inside_surface *const[2]){&solid->surface, NULL}, &cells));
    contact_cells_sort(&cells);
    for (size_t i = 0; i <= cells.count; i++) {
        if (i < cells.count && contact_cell_inside(s, &solid->surface, &cells.cell[i]))
            continue;
        if (first < i)
            *depth = fmax(*depth, contact_part(s, solid, on, &cells.cell[first].corner[0],
                                               &cells.cell[i - 1].corner[1]));
        first = i + 1;
    }
out:
    inside_cells_close(&cells);
    inside_face_close(&edge);
    return err;
}

static int contact_edges(const inside_scene *s, uint32_t prim, size_t solid, uint32_t on,
                         double *depth)
{
    int err = IMP_OK;
    const imp_mesh *m = s->f->mesh;
    const uint32_t corners = mesh_corners_of(m, prim);
    for (uint32_t i = 0; i < corners; i++)
        for (uint32_t k = i + 1; k < corners; k++) {
            const uint32_t end[2] = {mesh_vertex(m, prim, i), mesh_vertex(m, prim, k)};
            TRY(contact_edge(s, &s->object[solid], on, end, depth));
        }
out:
    return err;
}

/* ---- rows */

static int contact_depth(const contact_depths *c, truth_row *row)
{
    int err = IMP_OK;
    const inside_scene *s = &c->scene;
    const uint32_t prim[2] = {row->a, row->b};
    size_t of[2];
    if (!contact_objects(s, row, of))
        return IMP_OK;
    for (int k = 0; k < 2; k++)
        row->depth = fmax(row->depth, contact_vertices(c, prim[k], of[1 - k]));
    const int within = row->depth > 0;
    for (int k = 0; k < 2 && !within; k++)
        if (s->object[of[1 - k]].closed)
            TRY(contact_edges(s, prim[k], of[1 - k], prim[1 - k], &row->depth));
out:
    return err;
}

int truth_inside_contacts(mem *m, const imp_frame *f, const imp_def *def, int threads, truth *t)
{
    int err = IMP_OK, failed = 0;
    contact_depths c;
    const int64_t n = (int64_t)t->count;
    TRY(contact_depths_open(m, f, def, threads, t, &c));
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = 0; i < n; i++)
            failed += contact_depth(&c, &t->row[i]) != 0;
    }
    err = failed ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
out:
    contact_depths_close(&c);
    return err;
}
