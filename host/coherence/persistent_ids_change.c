/* After persistent_ids_match: primitives that are not in the mesh leave, new ones enter, others are
 * altered. In a model: some leave, others enter.
 *
 * A new primitive often replaces one that leaves: a part of a primitive that was split, or a
 * tetrahedron made by an edge swap. It gets the stable id of one that leaves in the same frame and
 * shares a vertex with it, so that primitives near each other keep stable ids near each other. */
#include "error.h"
#include "float_env.h"
#include "persistent_ids.h"

#include <math.h>
#include <string.h>

/* The stable ids freed in this frame, listed by vertex: r->near[vertex] is the index + 1 of a
 * vertex's first entry, or 0. */
typedef struct entry {
    uint32_t vertex, next; /* next: index + 1 of the vertex's next entry, or 0 */
} entry;

typedef struct freed {
    uint32_t first;   /* start in r->free_ids.stable, in order of inputs; NO_NUMBER: reused */
    uint32_t corners; /* entries of each stable id */
    uint32_t entries; /* 0: too many to be numbered; `near` is not used then */
    entry *at;
} freed;

/* The first input after i, up to n, in another chunk. */
static uint32_t id_chunk_end(uint32_t i, uint32_t n)
{
    return n - i < ID_CHUNK ? n : i + ID_CHUNK;
}

/* ---- leaving */

/* The next n remaining old inputs begin at `at`: lists those before them, which have left, behind
 * the free stable ids. */
static void pass(persistent_ids *r, uint32_t at, uint32_t n, uint32_t *next, uint32_t *listed)
{
    uint32_t count = at - *next;
    if (count)
        memcpy(r->free_ids.stable + r->free_ids.count + *listed, r->stable + *next,
               count * sizeof *r->stable);
    *listed += count;
    *next = at + n;
}

/* Lists all that are not in the mesh; returns their number. */
static uint32_t list_leaving(persistent_ids *r, const imp_mesh *m)
{
    uint32_t listed = 0, next = 0; /* input in the frame before */
    for (uint32_t i = 0, end; i < m->primitives; i = end) {
        uint32_t from = r->chunk[i / ID_CHUNK].from;
        end = id_chunk_end(i, m->primitives);
        if (from != NO_NUMBER)
            pass(r, from, end - i, &next, &listed);
        for (uint32_t k = i; k < end && from == NO_NUMBER; k++)
            if (r->before[k].n != NO_NUMBER)
                pass(r, r->input[r->before[k].n].n, 1, &next, &listed);
    }
    pass(r, r->count, 0, &next, &listed);
    return listed;
}

/* Adds entries from the last to the first, so that the first is found first. */
static void freed_list(persistent_ids *r, freed *l)
{
    for (uint32_t e = l->entries; e-- > 0;) {
        uint32_t stable = r->free_ids.stable[l->first + e / l->corners].n, k = e % l->corners;
        uint32_t vertex = r->of.corner[(size_t)l->corners * stable + k];
        l->at[e] = (entry){vertex, r->near[vertex]};
        r->near[vertex] = e + 1;
    }
}

static int freed_open(mem *m, persistent_ids *r, uint32_t count, freed *l)
{
    int err = IMP_OK;
    uint64_t entries = (uint64_t)count * (uint32_t)r->of.mesh.corners;
    *l = (freed){.first = r->free_ids.count,
                 .corners = (uint32_t)r->of.mesh.corners,
                 .entries = entries < UINT32_MAX ? (uint32_t)entries : 0};
    TRY(mem_alloc(m, l->entries * sizeof *l->at, &l->at));
    freed_list(r, l);
    for (uint32_t i = 0; i < count; i++)
        persistent_ids_leave(r, r->free_ids.stable[l->first + i]);
out:
    return err;
}

/* Closes the gaps of the reused stable ids. */
static void freed_close(mem *m, persistent_ids *r, freed *l)
{
    uint32_t n = l->first < r->free_ids.count ? l->first : r->free_ids.count;
    for (uint32_t i = n; i < r->free_ids.count; i++)
        if (r->free_ids.stable[i].n != NO_NUMBER)
            r->free_ids.stable[n++] = r->free_ids.stable[i];
    r->free_ids.count = n;
    for (uint32_t e = 0; e < l->entries; e++)
        r->near[l->at[e].vertex] = 0;
    mem_free(m, l->at);
}

/* Takes a stable id that was freed by a primitive with a vertex of this one, or returns NO_NUMBER.
 * Removes entries of reused stable ids, so that none is read twice. */
static stable_id persistent_ids_take_near(persistent_ids *r, const freed *l, const uint32_t *corner,
                                          uint32_t corner_count)
{
    for (uint32_t k = 0; k < corner_count; k++) {
        uint32_t *near = &r->near[corner[k]];
        while (*near) {
            const uint32_t e = *near - 1;
            stable_id *vacant = &r->free_ids.stable[l->first + e / l->corners], stable = *vacant;
            *near = l->at[e].next;
            vacant->n = NO_NUMBER;
            if (stable.n != NO_NUMBER)
                return stable;
        }
    }
    return (stable_id){NO_NUMBER};
}

static stable_id persistent_ids_take_any(persistent_ids *r)
{
    while (r->free_ids.count && r->free_ids.stable[r->free_ids.count - 1].n == NO_NUMBER)
        r->free_ids.count--;
    return persistent_ids_take(r);
}

/* ---- entering */

static stable_id persistent_ids_insert(persistent_ids *r, const imp_mesh *m, uint32_t i,
                                       stable_id stable)
{
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
    int32_t object = m->object ? m->object[i] : 0;
    persistent_ids_enter(r, stable, m->id[i], corner, (uint8_t)mesh_corners_of(m, i), object);
    return stable;
}

/* Alters the changed primitives of a chunk, and enters new ones that find a stable id near; returns
 * the bits of the remaining ones. */
static uint64_t id_chunk_change(persistent_ids *r, const imp_mesh *m, uint32_t first,
                                uint64_t others, const freed *l)
{
    uint64_t remain = 0;
    for (uint32_t i = first; others; i++, others >>= 1) {
        const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
        uint8_t corner_count = (uint8_t)mesh_corners_of(m, i);
        int32_t object = m->object ? m->object[i] : 0;
        stable_id stable = r->before[i];
        if (!(others & 1))
            continue;
        if (stable.n != NO_NUMBER) {
            persistent_ids_alter(r, stable, corner, corner_count, object);
            continue;
        }
        stable = persistent_ids_take_near(r, l, corner, corner_count);
        if (stable.n != NO_NUMBER)
            r->before[i] = persistent_ids_insert(r, m, i, stable);
        else
            remain |= UINT64_C(1) << (i - first);
    }
    return remain;
}

/* Then enters the remaining ones into any free stable id. */
static void id_chunk_enter(persistent_ids *r, const imp_mesh *m, uint32_t first, uint64_t others)
{
    for (uint32_t i = first; others; i++, others >>= 1)
        if (others & 1)
            r->before[i] = persistent_ids_insert(r, m, i, persistent_ids_take_any(r));
}

int persistent_ids_change(const context *c, persistent_ids *r, const imp_mesh *m)
{
    int err = IMP_OK;
    freed l;
    stable_id *swap = r->stable;
    TRY(freed_open(c->mem, r, list_leaving(r, m), &l));
    for (uint32_t i = 0; i < m->primitives; i += ID_CHUNK) {
        id_chunk *s = &r->chunk[i / ID_CHUNK];
        if (s->others)
            s->others = id_chunk_change(r, m, i, s->others, &l);
    }
    for (uint32_t i = 0; i < m->primitives; i += ID_CHUNK)
        id_chunk_enter(r, m, i, r->chunk[i / ID_CHUNK].others);
    freed_close(c->mem, r, &l);
    r->stable = r->before;
    r->before = swap;
    r->count = m->primitives;
    r->seen = m;
    persistent_ids_set_inputs(c, r, m);
out:
    return err;
}

int persistent_ids_exchange(mem *m, persistent_ids *r, uint32_t count, const imp_mesh *by)
{
    int err = IMP_OK;
    freed l;
    stable_id *stable = NULL;
    TRY(mem_alloc(m, by->primitives * sizeof *stable, &stable));
    TRY(freed_open(m, r, count, &l));
    for (uint32_t i = 0; i < by->primitives; i++) {
        stable[i] = persistent_ids_take_near(r, &l, by->corner + (size_t)mesh_corners(by) * i,
                                             mesh_corners_of(by, i));
        if (stable[i].n != NO_NUMBER)
            persistent_ids_insert(r, by, i, stable[i]);
    }
    for (uint32_t i = 0; i < by->primitives; i++) {
        if (stable[i].n == NO_NUMBER)
            stable[i] = persistent_ids_insert(r, by, i, persistent_ids_take_any(r));
        r->input[stable[i].n] = (input_no){stable[i].n};
    }
    freed_close(m, r, &l);
    r->count += by->primitives - count;
out:
    mem_free(m, stable);
    return err;
}

/* ---- The stable ids of a frame: its mesh is matched with the one before. */

#define SPARE 8     /* one stable id in this many stays free */
#define PIECE 2048u /* vertices */
#define ALONE 16u   /* pieces: one thread copies fewer in the time that waking others takes */

static uint32_t persistent_ids_with_eighth(uint64_t n, uint64_t most)
{
    return (uint32_t)persistent_ids_with_spare(n, n / SPARE, most);
}

/* ---- points */

/* Returns whether the points [first, last) are finite: x - x is then 0, a form that compilers
 * vectorise. */
static int finite_points(const imp_frame *f, size_t first, size_t last)
{
    const double *wide = f->point;
    const float *narrow = f->point;
    int bad = 0;
    if (f->type == IMP_FLOAT32)
        for (size_t i = DIMENSIONS * first; i < DIMENSIONS * last; i++)
            bad |= !(narrow[i] - narrow[i] == 0);
    else
        for (size_t i = DIMENSIONS * first; i < DIMENSIONS * last; i++)
            bad |= !(wide[i] - wide[i] == 0);
    return !bad;
}

/* The same for the vertices that primitives have. */
static int finite_used(const persistent_ids *r, size_t first, size_t last)
{
    for (size_t v = first; v < last; v++)
        if (r->uses[v] && !finite_points(&r->of.frame, v, v + 1))
            return 0;
    return 1;
}

/* Copies the points, piece by piece; returns 0 if a vertex of a primitive is not finite. */
static int persistent_ids_copy_points(const context *c, persistent_ids *r, const imp_frame *from)
{
    uint32_t n = from->mesh->vertices, before = r->vertices;
    size_t bytes = frame_point_bytes(from);
    uint32_t pieces = n / PIECE + 1, bad = 0;
    r->vertices = n;
    r->of.frame.number = from->number;
    if (n < before) /* also true in the first frame */
        persistent_ids_clear_vertices(r,
                                      before < r->of.mesh.vertices ? before : r->of.mesh.vertices);
#pragma omp parallel num_threads(c->threads) if (pieces > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(| : bad) nowait
    for (uint32_t k = 0; k < pieces; k++) {
        size_t first = (size_t)PIECE * k, last = k + 1 < pieces ? first + PIECE : n;
        if (last > first)
            memcpy((char *)r->of.point + bytes * first, (const char *)from->point + bytes * first,
                   bytes * (last - first));
        bad |= !finite_points(&r->of.frame, first, last) && !finite_used(r, first, last);
    }
    return !bad;
}

/* ---- reassignment of all stable ids */

static int persistent_ids_assign(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK;
    const imp_mesh *m = from->mesh;
    uint32_t corners = mesh_corners(m);
    TRY(persistent_ids_open(c->mem, r, persistent_ids_with_eighth(m->primitives, INT32_MAX),
                            persistent_ids_with_eighth((uint64_t)m->vertices + 1, UINT32_MAX - 1),
                            (int)corners, from->type));
    r->vertices = NO_NUMBER;
    r->of.mesh.corner_count =
        m->corner_count ? r->of.corner_count : NULL; /* corners in the same order for kernels */
    for (uint32_t i = 0; i < m->primitives; i++) {
        const stable_id stable = persistent_ids_take(r);
        persistent_ids_enter(r, stable, m->id[i], m->corner + (size_t)corners * i,
                             (uint8_t)mesh_corners_of(m, i), m->object ? m->object[i] : 0);
        r->input[stable.n] = (input_no){i};
        r->stable[i] = stable;
    }
    r->count = m->primitives;
    r->seen = m;
    persistent_ids_commit(r);
out:
    return err;
}

int persistent_ids_reassign(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK;
    r->used = 0;
    TRY(persistent_ids_assign(c, r, from));
    r->used = persistent_ids_copy_points(c, r, from);
    r->reassigned = 1;
out:
    return err;
}

/* ---- from one mesh to the next */

/* Returns whether all vertices fit, and all primitives even before others leave. */
static int has_memory(const persistent_ids *r, const imp_frame *f)
{
    return r->seen && f->type == r->of.frame.type && f->mesh->vertices < r->of.mesh.vertices &&
           mesh_corners(f->mesh) == (uint32_t)r->of.mesh.corners &&
           !f->mesh->corner_count == !r->of.mesh.corner_count &&
           f->mesh->primitives <= r->of.mesh.primitives;
}

int persistent_ids_frame(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK, other = from->mesh != r->seen;
    if (!r->used || !has_memory(r, from) || (other && !persistent_ids_match(c, r, from->mesh)))
        return persistent_ids_reassign(c, r, from);
    r->reassigned = 0;
    if (other)
        TRY(persistent_ids_change(c, r, from->mesh));
    r->used = persistent_ids_copy_points(c, r, from);
out:
    return err;
}
