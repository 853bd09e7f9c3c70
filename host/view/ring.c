/* See ring.h. */
#include "ring.h"

#include "disjoint.h"
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "prim.h"

#include <string.h>

/* ---- the mesh */

uint32_t ring_prim_vertices(const imp_mesh *mesh, uint32_t prim, uint32_t out[4])
{
    const uint32_t n = mesh_corners_of(mesh, prim);
    for (uint32_t k = 0; k < n; k++)
        out[k] = mesh_vertex(mesh, prim, k);
    return n;
}

/* Lists the primitives of each vertex; one that has a vertex twice is listed twice. */
static int ring_mesh_list(mem *m, const imp_mesh *mesh, ring_mesh *r)
{
    int err = IMP_OK;
    const size_t verts = mesh->vertices;
    uint32_t v[4];
    TRY(mem_alloc(m, (verts + 2) * sizeof *r->first, &r->first));
    TRY(mem_alloc(m, (size_t)mesh_corners(mesh) * mesh->primitives * sizeof *r->prim, &r->prim));
    memset(r->first, 0, (verts + 2) * sizeof *r->first);
    for (uint32_t i = 0; i < mesh->primitives; i++)
        for (uint32_t k = ring_prim_vertices(mesh, i, v); k-- > 0;)
            r->first[v[k] + 2]++;
    for (size_t i = 0; i < verts; i++)
        r->first[i + 2] += r->first[i + 1];
    for (uint32_t i = 0; i < mesh->primitives; i++)
        for (uint32_t k = ring_prim_vertices(mesh, i, v); k-- > 0;)
            r->prim[r->first[v[k] + 1]++] = i;
out:
    return err;
}

static void ring_mesh_unite(ring_mesh *r, uint32_t v, uint32_t w)
{
    const uint32_t p = disjoint_root(r->root, v), q = disjoint_root(r->root, w);
    const uint32_t less = r->size[p] < r->size[q] ? p : q, more = less == p ? q : p;
    if (p == q)
        return;
    r->root[less] = more;
    r->size[more] += r->size[less];
}

static int ring_mesh_join(mem *m, const imp_mesh *mesh, ring_mesh *r)
{
    int err = IMP_OK;
    const uint32_t verts = mesh->vertices;
    uint32_t v[4];
    TRY(mem_alloc(m, verts * sizeof *r->root, &r->root));
    TRY(mem_alloc(m, verts * sizeof *r->size, &r->size));
    for (uint32_t i = 0; i < verts; i++) {
        r->root[i] = i;
        r->size[i] = 1;
    }
    for (uint32_t i = 0; i < mesh->primitives; i++)
        for (uint32_t k = ring_prim_vertices(mesh, i, v); k-- > 1;)
            ring_mesh_unite(r, v[0], v[k]);
    for (uint32_t i = 0; i < verts; i++)
        r->root[i] = disjoint_root(r->root, i);
out:
    return err;
}

int ring_mesh_make(mem *m, const imp_mesh *mesh, ring_mesh *r)
{
    int err = IMP_OK;
    if (r->mesh == mesh)
        return IMP_OK;
    ring_mesh_free(m, r);
    TRY(ring_mesh_list(m, mesh, r));
    TRY(ring_mesh_join(m, mesh, r));
    r->mesh = mesh;
out:
    if (err)
        ring_mesh_free(m, r);
    return err;
}

void ring_mesh_free(mem *m, ring_mesh *r)
{
    mem_free(m, r->first);
    mem_free(m, r->prim);
    mem_free(m, r->root);
    mem_free(m, r->size);
    *r = (ring_mesh){0};
}

/* ---- a search */

#define RING_SLOTS_LEAST 256

/* The slot of a vertex, or the one that it would have. */
static ring_slot *ring_search_slot(const ring_search *s, uint32_t v)
{
    size_t at = (v * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->slots - 1);
    while (s->slot[at].stamp == s->stamp && s->slot[at].vertex != v)
        at = (at + 1) & (s->slots - 1);
    return &s->slot[at];
}

static int ring_search_has(const ring_search *s, uint32_t v)
{
    return ring_search_slot(s, v)->stamp == s->stamp;
}

/* Doubles the table, which then has space for half as many vertices. */
static int ring_search_grow(ring_search *s)
{
    int err = IMP_OK;
    const size_t slots = s->slots ? 2 * s->slots : RING_SLOTS_LEAST;
    ring_slot *slot = NULL;
    TRY(mem_alloc(s->mem, slots * sizeof *slot, &slot));
    err = mem_grow(s->mem, s->count * sizeof *s->vertex, slots / 2 * sizeof *s->vertex, &s->vertex);
    if (err) {
        mem_free(s->mem, slot);
        goto out;
    }
    memset(slot, 0, slots * sizeof *slot);
    mem_free(s->mem, s->slot);
    s->slot = slot;
    s->slots = slots;
    s->stamp = 1;
    for (size_t i = 0; i < s->count; i++)
        *ring_search_slot(s, s->vertex[i]) = (ring_slot){s->vertex[i], s->stamp};
out:
    return err;
}

static void ring_search_add(ring_search *s, uint32_t v)
{
    if (2 * s->count >= s->slots && !s->err)
        s->err = ring_search_grow(s);
    if (s->err)
        return;
    ring_slot *to = ring_search_slot(s, v);
    if (to->stamp == s->stamp)
        return;
    *to = (ring_slot){v, s->stamp};
    s->vertex[s->count++] = v;
}

void ring_search_begin(ring_search *s, const uint32_t *vertex, uint32_t n)
{
    s->count = s->open = 0;
    s->level = 0;
    if (s->slots && !++s->stamp) {
        memset(s->slot, 0, s->slots * sizeof *s->slot);
        s->stamp = 1;
    }
    for (uint32_t k = 0; k < n; k++)
        ring_search_add(s, vertex[k]);
}

/* Searches one level more. */
static void ring_search_level(ring_search *s)
{
    const ring_mesh *r = s->of;
    const size_t end = s->count;
    uint32_t v[4];
    for (size_t i = s->open; i < end; i++)
        for (size_t n = r->first[s->vertex[i]]; n < r->first[s->vertex[i] + 1]; n++)
            for (uint32_t k = ring_prim_vertices(r->mesh, r->prim[n], v); k-- > 0;)
                ring_search_add(s, v[k]);
    s->open = end;
    s->level++;
}

int ring_search_reaches(ring_search *s, const uint32_t *vertex, uint32_t n)
{
    const uint32_t *root = s->of->root;
    if (s->err || root[vertex[0]] != root[s->vertex[0]])
        return 0;
    /* no way is longer */
    if (s->ring >= s->of->size[root[vertex[0]]] - 1)
        return 1;
    for (;;) {
        for (uint32_t k = 0; k < n; k++)
            if (ring_search_has(s, vertex[k]))
                return 1;
        if (s->err || s->level == s->ring || s->open == s->count)
            return 0;
        ring_search_level(s);
    }
}

void ring_search_free(ring_search *s)
{
    mem_free(s->mem, s->vertex);
    mem_free(s->mem, s->slot);
}

/* ---- pairs */

/* Sets out[i] to 1 if pair i, of a frame with the mesh of *r, is within the ring. */
static int ring_find(const context *c, const block_view *v, const ring_mesh *r, const uint32_t *a,
                     const uint32_t *b, size_t count, uint8_t *out)
{
    int without = 0; /* threads without memory */
#pragma omp parallel num_threads(c->threads) reduction(+ : without) if (count > 256)
    EACH_IN_FLOAT_ENV
    {
        ring_search s = {.of = r, .mem = c->mem, .ring = c->opt.ring};
        uint32_t from = NO_NUMBER, x[4];
#pragma omp for schedule(dynamic, 128) nowait
        for (size_t i = 0; i < count; i++) {
            if (s.err || atomic_load(c->cancel))
                continue;
            const uint32_t first = v->prim0[frame_of(v->prim0, v->frames, a[i])];
            if (a[i] != from)
                ring_search_begin(&s, x, ring_prim_vertices(r->mesh, a[i] - first, x));
            from = a[i];
            const uint32_t n = ring_prim_vertices(r->mesh, b[i] - first, x);
            out[i] = (uint8_t)ring_search_reaches(&s, x, n);
        }
        without += s.err != IMP_OK;
        ring_search_free(&s);
    }
    if (without) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* The number of leading pairs of frames with the mesh of the first. */
static size_t ring_of_one_mesh(const block_view *v, const uint32_t *a, size_t count,
                               const imp_mesh **mesh)
{
    uint32_t f = frame_of(v->prim0, v->frames, a[0]);
    size_t n = 0;
    *mesh = v->frame[f].mesh;
    while (f + 1 < v->frames && v->frame[f + 1].mesh == *mesh)
        f++;
    while (n < count && a[n] < v->prim0[f + 1])
        n++;
    return n;
}

int ring_leave_out(const context *c, const block_view *v, ring_mesh *r, uint32_t *a, uint32_t *b,
                   size_t *count)
{
    int err = IMP_OK;
    uint8_t *out = NULL;
    const imp_mesh *mesh;
    size_t kept = 0;
    if (!c->opt.ring || !*count)
        return IMP_OK;
    TRY(mem_alloc(c->mem, *count, &out));
    for (size_t at = 0, n; at < *count; at += n) {
        n = ring_of_one_mesh(v, a + at, *count - at, &mesh);
        TRY(ring_mesh_make(c->mem, mesh, r));
        TRY(ring_find(c, v, r, a + at, b + at, n, out + at));
    }
    for (size_t i = 0; i < *count; i++)
        if (!out[i]) {
            a[kept] = a[i];
            b[kept++] = b[i];
        }
    *count = kept;
out:
    mem_free(c->mem, out);
    return err;
}
