/* See region_mesh.h. Edges are found by their lower vertex: all edges from one vertex are sorted by
 * the other one. */
#include "region_mesh.h"

#include "disjoint.h"
#include "error.h"
#include "frame.h"
#include "region_points.h"

#include <stdlib.h>
#include <string.h>

/* ---- objects */

static int region_object_order(const void *p, const void *q)
{
    const int32_t x = ((const region_object *)p)->object, y = ((const region_object *)q)->object;
    return (x > y) - (x < y);
}

const region_object *region_mesh_object(const region_mesh *s, int32_t object)
{
    const region_object key = {.object = object};
    return s->objects ? bsearch(&key, s->object, s->objects, sizeof key, region_object_order)
                      : NULL;
}

/* Adds those that are missing. */
static int region_add_objects(mem *m, const int32_t *object, size_t objects, region_mesh *s)
{
    int err = IMP_OK;
    const size_t before = s->objects;
    for (size_t i = 0; i < objects; i++) {
        const region_object key = {.object = object[i]};
        if (before && bsearch(&key, s->object, before, sizeof key, region_object_order))
            continue;
        TRY(mem_fit(m, s->objects, &s->object_capacity, sizeof *s->object, &s->object));
        s->object[s->objects++] = key;
    }
    if (s->objects > before)
        qsort(s->object, s->objects, sizeof *s->object, region_object_order);
out:
    return err;
}

/* Lists the faces of each object. */
static int region_mesh_list_faces(mem *m, const imp_mesh *mesh, region_mesh *s)
{
    int err = IMP_OK;
    const region_object *last = NULL;
    TRY(mem_alloc(m, mesh->primitives * sizeof *s->face_of, &s->face_of));
    for (size_t i = 0; i < s->objects; i++)
        s->object[i].first = s->object[i].last = 0;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < mesh->primitives; i++) {
        const int32_t object = mesh_object(mesh, i);
        if (!last || last->object != object)
            last = region_mesh_object(s, object);
        const int counts = last && mesh_corners_of(mesh, i) <= IMP_TRIANGLES;
        s->face_of[i] = counts ? (uint32_t)(last - s->object) : REGION_NONE;
        if (counts)
            s->object[s->face_of[i]].last++;
    }
    for (size_t i = 0; i < s->objects; i++) {
        const uint32_t count = s->object[i].last;
        s->object[i].first = s->object[i].last = sum;
        sum += count;
    }
    s->faces = sum;
    TRY(mem_alloc(m, s->faces * sizeof *s->prim, &s->prim));
    for (uint32_t i = 0; i < mesh->primitives; i++)
        if (s->face_of[i] != REGION_NONE) {
            s->face_of[i] = s->object[s->face_of[i]].last++;
            s->prim[s->face_of[i]] = i;
        }
out:
    return err;
}

/* ---- edges */

/* The use of an edge: its higher vertex, and 3 * face + the first corner. */
typedef struct region_use {
    uint32_t high, slot;
} region_use;

static int region_use_order(const void *p, const void *q)
{
    const region_use *x = p, *y = q;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

/* A vertex has few edges, mostly. */
static void region_sort_uses(region_use *use, size_t n)
{
    if (n > 32) {
        qsort(use, n, sizeof *use, region_use_order);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const region_use x = use[i];
        size_t k = i;
        for (; k > 0 && region_use_order(&use[k - 1], &x) > 0; k--)
            use[k] = use[k - 1];
        use[k] = x;
    }
}

/* Counts the uses by their lower vertex, in first[vertex + 1]; use: lists them. */
static void region_fill_uses(const imp_mesh *mesh, const region_mesh *s, uint32_t *first,
                             region_use *use)
{
    for (uint32_t f = 0; f < s->faces; f++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t v = mesh_vertex(mesh, s->prim[f], k),
                           w = mesh_vertex(mesh, s->prim[f], (k + 1) % 3);
            const uint32_t low = v < w ? v : w;
            if (v == w)
                continue;
            if (use)
                use[first[low]] = (region_use){v < w ? w : v, 3 * f + k};
            first[low + !use]++;
        }
}

static int region_same_object(const region_mesh *s, uint32_t face, uint32_t other)
{
    const region_object *o = s->object;
    size_t low = 0, high = s->objects;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (o[middle].first <= face)
            low = middle;
        else
            high = middle;
    }
    return other < o[low].last;
}

/* Numbers the edges of one vertex; `use` is sorted. An edge that two objects have is two. */
static void region_number_edges(region_mesh *s, const region_use *use, size_t n, uint32_t low,
                                uint32_t *uses)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t face = use[i].slot / 3;
        const int known = i && use[i].high == use[i - 1].high;
        const uint32_t last = known ? use[i - 1].slot / 3 : REGION_NONE;
        if (known && last == face)
            continue;
        if (!known || !region_same_object(s, last, face)) {
            s->end[2 * (size_t)s->edges] = low;
            s->end[2 * (size_t)s->edges + 1] = use[i].high;
            s->first[s->edges++] = *uses;
        }
        s->face[(*uses)++] = face;
        s->edge[use[i].slot] = s->edges - 1;
    }
}

static int region_find_edges(mem *m, const imp_mesh *mesh, region_mesh *s)
{
    int err = IMP_OK;
    uint32_t *first = NULL;
    region_use *use = NULL;
    const size_t slots = 3 * (size_t)s->faces;
    if (slots >= UINT32_MAX)
        FAIL(IMP_ERR_MEMORY, "more edges of objects than 32 bits can number");
    TRY(mem_alloc(m, ((size_t)mesh->vertices + 1) * sizeof *first, &first));
    memset(first, 0, ((size_t)mesh->vertices + 1) * sizeof *first);
    TRY(mem_alloc(m, slots * sizeof *use, &use));
    TRY(mem_alloc(m, slots * sizeof *s->edge, &s->edge));
    TRY(mem_alloc(m, 2 * slots * sizeof *s->end, &s->end));
    TRY(mem_alloc(m, (slots + 1) * sizeof *s->first, &s->first));
    TRY(mem_alloc(m, slots * sizeof *s->face, &s->face));
    memset(s->edge, 0xff, slots * sizeof *s->edge);
    region_fill_uses(mesh, s, first, NULL);
    for (uint32_t v = 0; v < mesh->vertices; v++)
        first[v + 1] += first[v];
    region_fill_uses(mesh, s, first, use);
    uint32_t at = 0, uses = 0;
    for (uint32_t v = 0; v < mesh->vertices; v++) {
        region_sort_uses(use + at, first[v] - at);
        region_number_edges(s, use + at, first[v] - at, v, &uses);
        at = first[v];
    }
    s->first[s->edges] = uses;
out:
    mem_free(m, first);
    mem_free(m, use);
    return err;
}

/* ---- connected surfaces */

static int region_find_surfaces(mem *m, region_mesh *s)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, s->faces * sizeof *s->surface, &s->surface));
    for (uint32_t f = 0; f < s->faces; f++)
        s->surface[f] = f;
    for (uint32_t e = 0; e < s->edges; e++)
        for (uint32_t i = s->first[e] + 1; i < s->first[e + 1]; i++) {
            const uint32_t a = disjoint_root(s->surface, s->face[i - 1]),
                           b = disjoint_root(s->surface, s->face[i]);
            s->surface[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t f = 0; f < s->faces; f++)
        s->surface[f] = s->surface[s->surface[f]];
out:
    return err;
}

/* Lists the faces of each surface. */
static int region_list_surfaces(mem *m, region_mesh *s)
{
    int err = IMP_OK;
    const size_t n = s->faces;
    TRY(mem_alloc(m, (n + 2) * sizeof *s->start, &s->start));
    TRY(mem_alloc(m, n * sizeof *s->of, &s->of));
    memset(s->start, 0, (n + 2) * sizeof *s->start);
    for (size_t f = 0; f < n; f++)
        s->start[s->surface[f] + 2]++;
    for (size_t f = 0; f < n; f++)
        s->start[f + 2] += s->start[f + 1];
    for (uint32_t f = 0; f < n; f++)
        s->of[s->start[s->surface[f] + 1]++] = f;
out:
    return err;
}

static int region_fill(mem *m, size_t n, int byte, uint32_t **out)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, n * sizeof **out, out));
    memset(*out, byte, n * sizeof **out);
out:
    return err;
}

static int region_make_marks(mem *m, uint32_t vertices, region_mesh *s)
{
    int err = IMP_OK;
    TRY(region_fill(m, s->edges, 0xff, &s->edge_at));
    TRY(region_fill(m, s->faces, 0xff, &s->face_at));
    TRY(region_fill(m, s->faces, 0xff, &s->slot));
    TRY(region_fill(m, s->faces, 0xff, &s->on));
    TRY(region_fill(m, vertices, 0, &s->vertex));
out:
    return err;
}

/* ---- use in other frames */

static int region_copy(mem *m, const void *from, size_t bytes, void *out)
{
    int err = IMP_OK;
    void *copy = NULL;
    if (from) {
        TRY(mem_alloc(m, bytes, &copy));
        memcpy(copy, from, bytes);
    }
    memcpy(out, &copy, sizeof copy);
out:
    return err;
}

static int region_same(const void *a, const void *b, size_t bytes)
{
    return !a == !b && (!a || !memcmp(a, b, bytes));
}

static int region_mesh_same(const region_mesh *s, const imp_mesh *m)
{
    const size_t n = m->primitives;
    return s->mesh.primitives == m->primitives && s->mesh.vertices == m->vertices &&
           mesh_corners(&s->mesh) == mesh_corners(m) &&
           region_same(s->corner, m->corner, mesh_corner_count(m) * sizeof *m->corner) &&
           region_same(s->object_of, m->object, n * sizeof *m->object) &&
           region_same(s->corner_count, m->corner_count, n);
}

static int region_mesh_remember(mem *m, const imp_mesh *mesh, region_mesh *s)
{
    int err = IMP_OK;
    const size_t n = mesh->primitives;
    TRY(region_copy(m, mesh->corner, mesh_corner_count(mesh) * sizeof *mesh->corner, &s->corner));
    TRY(region_copy(m, mesh->object, n * sizeof *mesh->object, &s->object_of));
    TRY(region_copy(m, mesh->corner_count, n, &s->corner_count));
    s->mesh = *mesh;
out:
    return err;
}

static void region_mesh_drop(mem *m, region_mesh *s)
{
    void *const all[] = {s->prim,  s->face_of, s->edge,   s->end,       s->first,       s->face,
                         s->start, s->surface, s->of,     s->edge_at,   s->face_at,     s->slot,
                         s->on,    s->vertex,  s->corner, s->object_of, s->corner_count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    *s = (region_mesh){
        .object = s->object, .objects = s->objects, .object_capacity = s->object_capacity};
}

void region_mesh_free(mem *m, region_mesh *s)
{
    region_mesh_drop(m, s);
    mem_free(m, s->object);
    *s = (region_mesh){0};
}

int region_mesh_make(mem *m, const imp_mesh *mesh, const int32_t *object, size_t objects,
                     region_mesh *s)
{
    int err = IMP_OK;
    const int same = s->vertex && region_mesh_same(s, mesh);
    const size_t before = s->objects;
    if (!same)
        s->objects = 0;
    TRY(region_add_objects(m, object, objects, s));
    if (same && s->objects == before)
        return IMP_OK;
    region_mesh_drop(m, s);
    TRY(region_mesh_list_faces(m, mesh, s));
    TRY(region_find_edges(m, mesh, s));
    TRY(region_mesh_remember(m, mesh, s));
    TRY(region_find_surfaces(m, s));
    TRY(region_list_surfaces(m, s));
    TRY(region_make_marks(m, mesh->vertices, s));
out:
    if (err)
        region_mesh_free(m, s);
    return err;
}
