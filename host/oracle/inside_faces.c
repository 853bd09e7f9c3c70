/* The faces of an object's surface, and whether the object is closed: see inside_oracle.h. */
#include "error.h"
#include "frame.h"
#include "inside_oracle.h"

#include <stdlib.h>
#include <string.h>

/* ---- closed: the directed uses of each edge cancel */

typedef struct inside_faces_edge {
    uint32_t low, high;
    int use; /* 1: from low to high, -1: the reverse */
} inside_faces_edge;

static int inside_faces_edge_order(const void *x, const void *y)
{
    const inside_faces_edge *p = x, *q = y;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return (p->high > q->high) - (p->high < q->high);
}

/* Returns whether uses of equal edges, which are sorted, sum up to 0. */
static int inside_faces_cancel(const inside_faces_edge *edge, size_t edges)
{
    int sum = 0;
    for (size_t i = 0; i < edges; i++) {
        if (i && inside_faces_edge_order(&edge[i], &edge[i - 1]) && sum)
            return 0;
        sum += edge[i].use;
    }
    return !sum;
}

static int inside_faces_closed(inside_scene *s, inside_object *o)
{
    int err = IMP_OK;
    const imp_mesh *mesh = s->f->mesh;
    inside_faces_edge *edge;
    size_t edges = 0;
    int face = 0; /* something has three different vertices */
    TRY(mem_alloc(s->mem, 3 * o->prims * sizeof *edge, &edge));
    for (size_t i = 0; i < o->prims; i++)
        for (uint32_t k = 0; k < 3 && mesh_corners_of(mesh, o->prim[i]) != IMP_TETRAHEDRA; k++) {
            const uint32_t a = mesh_vertex(mesh, o->prim[i], k);
            const uint32_t b = mesh_vertex(mesh, o->prim[i], (k + 1) % 3);
            if (a != b)
                edge[edges++] =
                    a < b ? (inside_faces_edge){a, b, 1} : (inside_faces_edge){b, a, -1};
        }
    for (size_t i = 0; i < o->prims && !face; i++) {
        const uint32_t a = mesh_vertex(mesh, o->prim[i], 0), b = mesh_vertex(mesh, o->prim[i], 1),
                       c = mesh_vertex(mesh, o->prim[i], 2);
        face = mesh_corners_of(mesh, o->prim[i]) == IMP_TETRAHEDRA || (a != b && a != c && b != c);
    }
    if (edges)
        qsort(edge, edges, sizeof *edge, inside_faces_edge_order);
    o->closed = o->listed && face && inside_faces_cancel(edge, edges);
    mem_free(s->mem, edge);
out:
    return err;
}

/* ---- tetrahedra */

/* The sign of the volume: positive if the last corner is in front of the others. */
static int inside_faces_volume(const inside_scene *s, uint32_t tet)
{
    inside_face face = {.prim = tet};
    rational_point top;
    double x[3];
    for (uint32_t k = 0; k < 3; k++)
        face.vertex[k] = mesh_vertex(s->f->mesh, tet, k);
    frame_vertex(s->f, mesh_vertex(s->f->mesh, tet, 3), x);
    point_init(&top);
    inside_face_open(s->f, s->unit, &face);
    inside_point_set(&top, x, s->unit);
    const int sign = inside_plane_sign(&face.plane, &top);
    inside_face_close(&face);
    point_clear(&top);
    return sign;
}

/* Returns whether the three corners of a face and then the other one are an even order of 0 1 2 3.
 * All vertices of the tetrahedron differ. */
static int inside_faces_even(const imp_mesh *m, uint32_t tet, const uint32_t vertex[3])
{
    int corner[4] = {0, 0, 0, 6}, even = 1;
    for (int k = 0; k < 3; k++) {
        for (uint32_t c = 0; c < 4; c++)
            if (mesh_vertex(m, tet, c) == vertex[k])
                corner[k] = (int)c;
        corner[3] -= corner[k];
    }
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            even ^= corner[i] > corner[j];
    return even;
}

/* A face with its front outside; its sorted vertices, and whether their order is even. */
typedef struct inside_faces_side {
    uint32_t key[3];
    int even;
    inside_face face;
} inside_faces_side;

static void inside_faces_swap(uint32_t *a, uint32_t *b, int *even)
{
    if (*a < *b)
        return;
    const uint32_t was = *a;
    *a = *b;
    *b = was;
    *even ^= 1;
}

static inside_faces_side inside_faces_side_of(const imp_mesh *m, uint32_t tet, int volume, int side)
{
    inside_faces_side out = {.even = 1, .face = {.prim = tet, .side = side}};
    uint32_t *v = out.face.vertex;
    feature_face_vertices(m, tet, side, v);
    if (inside_faces_even(m, tet, v) == (volume > 0)) { /* the tetrahedron is in front */
        const uint32_t was = v[1];
        v[1] = v[2];
        v[2] = was;
    }
    memcpy(out.key, v, sizeof out.key);
    inside_faces_swap(&out.key[0], &out.key[1], &out.even);
    inside_faces_swap(&out.key[1], &out.key[2], &out.even);
    inside_faces_swap(&out.key[0], &out.key[1], &out.even);
    return out;
}

static int inside_faces_key_order(const inside_faces_side *p, const inside_faces_side *q)
{
    for (int k = 0; k < 3; k++)
        if (p->key[k] != q->key[k])
            return p->key[k] < q->key[k] ? -1 : 1;
    return 0;
}

static int inside_faces_side_order(const void *x, const void *y)
{
    const inside_faces_side *p = x, *q = y;
    const int order = inside_faces_key_order(p, q);
    if (order || p->even != q->even)
        return order ? order : p->even - q->even;
    return (p->face.prim > q->face.prim) - (p->face.prim < q->face.prim);
}

/* Of equal faces as many as those of the other order remain over, the first ones. */
static void inside_faces_rest(const inside_faces_side *side, size_t sides, inside_surface *out)
{
    for (size_t first = 0, last; first < sides; first = last) {
        size_t odd = 0;
        last = first;
        while (last < sides && !inside_faces_key_order(&side[first], &side[last]))
            odd += !side[last++].even;
        const size_t even = last - first - odd;
        const size_t from = odd > even ? first : first + odd;
        for (size_t i = 0; i < (odd > even ? odd - even : even - odd); i++)
            out->face[out->faces++] = side[from + i].face;
    }
}

static int inside_faces_tets(inside_scene *s, const inside_object *o, inside_surface *out)
{
    int err = IMP_OK;
    const imp_mesh *mesh = s->f->mesh;
    inside_faces_side *side;
    size_t sides = 0;
    TRY(mem_alloc(s->mem, 4 * o->prims * sizeof *side, &side));
    for (size_t i = 0; i < o->prims; i++) {
        const uint32_t tet = o->prim[i];
        const int volume =
            mesh_corners_of(mesh, tet) == IMP_TETRAHEDRA ? inside_faces_volume(s, tet) : 0;
        for (int k = 0; k < 4 && volume; k++)
            side[sides++] = inside_faces_side_of(mesh, tet, volume, k);
    }
    if (sides)
        qsort(side, sides, sizeof *side, inside_faces_side_order);
    inside_faces_rest(side, sides, out);
    mem_free(s->mem, side);
out:
    return err;
}

/* ---- an object */

static int inside_faces_order(const void *x, const void *y)
{
    const inside_face *p = x, *q = y;
    if (p->prim != q->prim)
        return p->prim < q->prim ? -1 : 1;
    return (p->side > q->side) - (p->side < q->side);
}

int inside_scene_faces(inside_scene *s, inside_object *o)
{
    int err = IMP_OK;
    const imp_mesh *mesh = s->f->mesh;
    inside_surface *surface = &o->surface;
    TRY(inside_faces_closed(s, o));
    TRY(mem_alloc(s->mem, 4 * o->prims * sizeof *surface->face, &surface->face));
    TRY(inside_faces_tets(s, o, surface));
    for (size_t i = 0; i < o->prims; i++)
        if (mesh_corners_of(mesh, o->prim[i]) != IMP_TETRAHEDRA) {
            inside_face *face = &surface->face[surface->faces++];
            *face = (inside_face){.prim = o->prim[i]};
            for (uint32_t k = 0; k < 3; k++)
                face->vertex[k] = mesh_vertex(mesh, o->prim[i], k);
        }
    if (surface->faces)
        qsort(surface->face, surface->faces, sizeof *surface->face, inside_faces_order);
    surface->object = o->object;
    surface->closed = o->closed;
    TRY(inside_surface_open(s->mem, s->f, s->unit, surface));
out:
    return err;
}
