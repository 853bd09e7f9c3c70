/* See slots.h: ids, stable ids, and the memory of both. */
#include "slots.h"

#include "error.h"

#include <math.h>
#include <string.h>

/* ---- ids: open addressing, one bucket after another */

/* Ends, since half of the buckets are free: id_table_mask. */
static uint32_t id_table_find(const persistent_ids *r, int64_t id)
{
    uint32_t b = persistent_ids_hash(id) & r->ids.mask;
    while (r->ids.bucket[b] && r->of.id[r->ids.bucket[b] - 1] != id)
        b = (b + 1) & r->ids.mask;
    return b;
}

/* Entries behind it that a search would not find across the gap move up. */
static void id_table_remove(persistent_ids *r, uint32_t gap)
{
    r->ids.bucket[gap] = 0;
    for (uint32_t b = (gap + 1) & r->ids.mask; r->ids.bucket[b]; b = (b + 1) & r->ids.mask) {
        uint32_t home = persistent_ids_hash(r->of.id[r->ids.bucket[b] - 1]) & r->ids.mask;
        if (((b - home) & r->ids.mask) < ((b - gap) & r->ids.mask))
            continue;
        r->ids.bucket[gap] = r->ids.bucket[b];
        r->ids.bucket[b] = 0;
        gap = b;
    }
}

/* A free bucket has 0, which becomes NO_NUMBER. */
stable_id persistent_ids_find(const persistent_ids *r, int64_t id)
{
    return (stable_id){r->ids.bucket[id_table_find(r, id)] - 1};
}

/* ---- stable ids */

/* Each stable id once, so that the list has space for all. */
static void persistent_ids_mark_changed(persistent_ids *r, uint32_t stable)
{
    if (!r->changes.is[stable])
        r->changes.stable[r->changes.count++] = stable;
    r->changes.is[stable] = 1;
}

/* Sets the corners of a primitive: corner[own], or nowhere if it is NULL. */
static void persistent_ids_set_corners(persistent_ids *r, uint32_t stable, const uint32_t *corner,
                                       uint8_t corner_count)
{
    uint32_t n = (uint32_t)r->of.mesh.corners, nowhere = r->of.mesh.vertices - 1;
    uint32_t *to = r->of.corner + (size_t)n * stable;
    /* The corners of a free stable id are all nowhere, and no use is counted for them. */
    for (uint32_t k = 0; k < r->of.corner_count[stable] && to[k] != nowhere; k++)
        r->is_used[to[k]] = --r->uses[to[k]] != 0;
    /* Old uses are taken back first: old and new corners may share vertices. */
    r->of.corner_count[stable] = corner ? corner_count : (uint8_t)n;
    for (uint32_t k = 0; k < n; k++)
        to[k] = corner ? corner[k < corner_count ? k : corner_count - 1u] : nowhere;
    for (uint32_t k = 0; k < r->of.corner_count[stable] && corner; k++) {
        r->uses[to[k]]++;
        r->is_used[to[k]] = 1;
    }
}

void persistent_ids_alter(persistent_ids *r, stable_id stable, const uint32_t *corner,
                          uint8_t corner_count, int32_t object)
{
    persistent_ids_set_corners(r, stable.n, corner, corner_count);
    r->of.object[stable.n] = object;
    persistent_ids_mark_changed(r, stable.n);
}

/* The one left last comes first, and stable ids that were never taken come last (slots.h). */
stable_id persistent_ids_take(persistent_ids *r)
{
    return r->free_ids.count ? r->free_ids.stable[--r->free_ids.count]
                             : (stable_id){r->free_ids.untaken++};
}

void persistent_ids_enter(persistent_ids *r, stable_id stable, int64_t id, const uint32_t *corner,
                          uint8_t corner_count, int32_t object)
{
    r->of.id[stable.n] = id;
    r->ids.bucket[id_table_find(r, id)] = stable.n + 1;
    persistent_ids_alter(r, stable, corner, corner_count, object);
}

/* The id is still needed to find its bucket. A free stable id has no input. */
void persistent_ids_leave(persistent_ids *r, stable_id stable)
{
    id_table_remove(r, id_table_find(r, r->of.id[stable.n]));
    persistent_ids_alter(r, stable, NULL, 0, 0);
    r->input[stable.n] = (input_no){NO_NUMBER};
    r->free_ids.stable[r->free_ids.count++] = stable;
}

/* By the list: the cost grows with the changes, not with the stable ids. */
void persistent_ids_commit(persistent_ids *r)
{
    for (uint32_t i = 0; i < r->changes.count; i++)
        r->changes.is[r->changes.stable[i]] = 0;
    r->changes.count = 0;
}

void persistent_ids_used_vertices(const persistent_ids *r, uint8_t *used)
{
    memcpy(used, r->is_used, r->of.mesh.vertices);
}

/* Primitives with such a vertex count as bad: they have no bounds, and meet nothing. */
void persistent_ids_clear_vertices(persistent_ids *r, uint32_t last)
{
    size_t end = (size_t)DIMENSIONS * last;
    for (size_t i = (size_t)DIMENSIONS * r->vertices; i < end; i++)
        if (r->of.frame.type == IMP_FLOAT32)
            ((float *)r->of.point)[i] = NAN;
        else
            ((double *)r->of.point)[i] = NAN;
}

/* ---- memory */

static void persistent_ids_free_arrays(persistent_ids *r)
{
    void *all[] = {r->of.corner, r->of.corner_count, r->of.object,
                   r->of.id,     r->of.point,        r->uses,
                   r->near,      r->is_used,         r->input,
                   r->stable,    r->before,          r->free_ids.stable,
                   r->chunk,     r->changes.stable,  r->changes.is,
                   r->ids.bucket};
    for (size_t i = 0; i < sizeof all / sizeof *all && r->mem; i++)
        mem_free(r->mem, all[i]);
    *r = (persistent_ids){.mem = r->mem};
}

void persistent_ids_free(persistent_ids *r)
{
    persistent_ids_free_arrays(r);
    r->mem = NULL;
}

/* At least two buckets for an id: searches are short, and end. */
static uint32_t id_table_mask(uint32_t count)
{
    uint32_t n = 16;
    while (n / 2 < count)
        n *= 2;
    return n - 1;
}

static int frame_open(mem *m, persistent_frame *f, uint32_t count, uint32_t verts, int corners,
                      int type)
{
    int err = IMP_OK;
    const size_t n = count;
    TRY(mem_alloc(m, (size_t)corners * n * sizeof *f->corner, &f->corner));
    TRY(mem_alloc(m, n, &f->corner_count));
    TRY(mem_alloc(m, n * sizeof *f->object, &f->object));
    TRY(mem_alloc(m, n * sizeof *f->id, &f->id));
    /* `corner_count` is written for all meshes; only mixed ones show it. */
    f->mesh = (imp_mesh){.vertices = verts,
                         .primitives = count,
                         .corner = f->corner,
                         .object = f->object,
                         .corners = corners,
                         .corner_count = corners == IMP_TETRAHEDRA ? f->corner_count : NULL,
                         .id = f->id};
    f->frame = (imp_frame){.mesh = &f->mesh, .type = type};
    TRY(mem_alloc(m, verts * frame_point_bytes(&f->frame), &f->point));
    f->frame.point = f->point;
out:
    return err;
}

static int arrays_open(mem *m, persistent_ids *r, size_t n, size_t v)
{
    int err = IMP_OK;
    TRY(mem_alloc(m, v * sizeof *r->uses, &r->uses));
    TRY(mem_alloc(m, v, &r->is_used));
    TRY(mem_alloc(m, v * sizeof *r->near, &r->near));
    TRY(mem_alloc(m, n * sizeof *r->input, &r->input));
    TRY(mem_alloc(m, n * sizeof *r->stable, &r->stable));
    TRY(mem_alloc(m, n * sizeof *r->before, &r->before));
    TRY(mem_alloc(m, (n / ID_CHUNK + 1) * sizeof *r->chunk, &r->chunk));
    TRY(mem_alloc(m, n * sizeof *r->free_ids.stable, &r->free_ids.stable));
    TRY(mem_alloc(m, ((size_t)r->ids.mask + 1) * sizeof *r->ids.bucket, &r->ids.bucket));
    TRY(mem_alloc(m, n * sizeof *r->changes.stable, &r->changes.stable));
    TRY(mem_alloc(m, n, &r->changes.is));
out:
    return err;
}

/* The last vertex is nowhere: free stable ids have it as each of their corners. */
static void all_free(persistent_ids *r)
{
    const uint32_t n = r->of.mesh.primitives, verts = r->of.mesh.vertices;
    const size_t corners = (size_t)r->of.mesh.corners;
    memset(r->uses, 0, verts * sizeof *r->uses);
    memset(r->is_used, 0, verts);
    memset(r->near, 0, verts * sizeof *r->near);
    memset(r->ids.bucket, 0, ((size_t)r->ids.mask + 1) * sizeof *r->ids.bucket);
    memset(r->changes.is, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        r->of.corner_count[i] = (uint8_t)corners;
        r->of.object[i] = 0;
        r->input[i] = (input_no){NO_NUMBER};
        for (size_t k = 0; k < corners; k++)
            r->of.corner[corners * i + k] = verts - 1;
    }
}

int persistent_ids_open(mem *m, persistent_ids *r, uint32_t count, uint32_t verts, int corners,
                        int type)
{
    int err = IMP_OK;
    r->mem = m;
    persistent_ids_free_arrays(r);
    r->ids.mask = id_table_mask(count);
    TRY(frame_open(m, &r->of, count, verts, corners, type));
    TRY(arrays_open(m, r, count, verts));
    all_free(r);
out:
    return err;
}
