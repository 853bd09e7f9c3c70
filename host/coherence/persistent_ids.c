/* See persistent_ids.h: ids, stable ids, and the memory of both. */
#include "persistent_ids.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <math.h>
#include <string.h>

/* ---- ids: open addressing, one bucket after another */

/* Terminates, since half of the buckets are free: id_table_mask. */
static uint32_t id_table_find(const persistent_ids *r, int64_t id)
{
    uint32_t b = persistent_ids_hash(id) & r->ids.mask;
    while (r->ids.bucket[b] && r->of.id[r->ids.bucket[b] - 1] != id)
        b = (b + 1) & r->ids.mask;
    return b;
}

/* Moves up the entries behind the gap that a search would no longer find. */
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

/* A free bucket has 0, which gives NO_NUMBER. */
stable_id persistent_ids_find(const persistent_ids *r, int64_t id)
{
    return (stable_id){r->ids.bucket[id_table_find(r, id)] - 1};
}

/* ---- stable ids */

/* Lists each stable id once, so that the list has space for all. */
static void persistent_ids_mark_changed(persistent_ids *r, uint32_t stable)
{
    if (!r->changes.is[stable])
        r->changes.stable[r->changes.count++] = stable;
    r->changes.is[stable] = 1;
}

/* Sets the corners of a primitive to corner[corner_count], or to nowhere if it is NULL. */
static void persistent_ids_set_corners(persistent_ids *r, uint32_t stable, const uint32_t *corner,
                                       uint8_t corner_count)
{
    uint32_t n = (uint32_t)r->of.mesh.corners, nowhere = r->of.mesh.vertices - 1;
    uint32_t *to = r->of.corner + (size_t)n * stable;
    /* The corners of a free stable id are all nowhere and have no uses. */
    for (uint32_t k = 0; k < r->of.corner_count[stable] && to[k] != nowhere; k++)
        r->is_used[to[k]] = --r->uses[to[k]] != 0;
    /* Old uses are removed first: old and new corners may share vertices. */
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

/* Last in, first out; stable ids that were never used are last (persistent_ids.h). */
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

/* The bucket is removed first, since the id is needed to find it. A free stable id has no input. */
void persistent_ids_leave(persistent_ids *r, stable_id stable)
{
    id_table_remove(r, id_table_find(r, r->of.id[stable.n]));
    persistent_ids_alter(r, stable, NULL, 0, 0);
    r->input[stable.n] = (input_no){NO_NUMBER};
    r->free_ids.stable[r->free_ids.count++] = stable;
}

/* Clears by the list: the cost grows with the changes, not with the stable ids. */
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

/* Primitives with a vertex that is nowhere count as bad: they have no bounds and meet nothing. */
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

/* At least two buckets for an id, so that searches are short and terminate. */
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
    /* `corner_count` is written for all meshes; only mixed ones expose it. */
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

/* Makes all stable ids free: all their corners are the last vertex, which is nowhere. */
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

/* ---- Growing. Primitives keep their stable ids, which a model has given to its caller. */

#define PERSISTENT_IDS_MOST INT32_MAX
#define VERTS_MOST (UINT32_MAX - 1)

/* Moves every primitive to the same stable id of a larger set. */
static void move_in(persistent_ids *to, const persistent_ids *from)
{
    uint32_t corners = (uint32_t)from->of.mesh.corners;
    size_t points = from->vertices * frame_point_bytes(&from->of.frame);
    for (uint32_t i = 0; i < from->free_ids.untaken; i++) {
        if (from->input[i].n == NO_NUMBER)
            continue;
        persistent_ids_enter(to, (stable_id){i}, from->of.id[i],
                             from->of.corner + (size_t)corners * i, from->of.corner_count[i],
                             from->of.object[i]);
        to->input[i] = from->input[i];
    }
    if (from->free_ids.count)
        memcpy(to->free_ids.stable, from->free_ids.stable,
               from->free_ids.count * sizeof *to->free_ids.stable);
    if (points)
        memcpy(to->of.point, from->of.point, points);
    to->free_ids.count = from->free_ids.count;
    to->free_ids.untaken = from->free_ids.untaken;
    to->count = from->count;
    to->vertices = from->vertices;
    to->seen = from->seen;
    to->of.frame.number = from->of.frame.number;
    /* Entering has marked all stable ids as changed, although none is new in this frame. */
    persistent_ids_commit(to);
}

int persistent_ids_grow(mem *m, persistent_ids *r, uint64_t count, uint64_t verts, int *grown)
{
    int err = IMP_OK;
    persistent_ids larger = {0};
    uint64_t have = r->of.mesh.primitives, have_verts = r->of.mesh.vertices;
    uint64_t need = have - persistent_ids_vacant(r) + count, need_verts = r->vertices + verts + 1;
    *grown = need > have || need_verts > have_verts;
    if (!*grown)
        return IMP_OK;
    /* a free stable id costs more in each frame than a free vertex */
    uint64_t n =
        need > have ? persistent_ids_with_spare(need, need / 2, PERSISTENT_IDS_MOST) : have;
    uint64_t v = need_verts > have_verts
                     ? persistent_ids_with_spare(need_verts, need_verts, VERTS_MOST)
                     : have_verts;
    if (n < need || v < need_verts)
        FAIL(IMP_ERR_ARGUMENT, "a model has at most %d primitives and %u vertices",
             PERSISTENT_IDS_MOST, VERTS_MOST - 1);
    TRY(persistent_ids_open(m, &larger, (uint32_t)n, (uint32_t)v, r->of.mesh.corners,
                            r->of.frame.type));
    move_in(&larger, r);
    /* All vertices behind the caller's are nowhere. */
    persistent_ids_clear_vertices(&larger, larger.of.mesh.vertices);
    persistent_ids swap = *r;
    *r = larger;
    /* The frame pointed to the mesh in `larger`. */
    r->of.frame.mesh = &r->of.mesh;
    larger = swap;
out:
    persistent_ids_free(&larger);
    return err;
}

/* ---- Matching a mesh: finds the primitives that have stable ids, and which of these are
 * unchanged. Most are, in sequence: threads compare arrays by chunks, and look ids up only in
 * chunks that differ. */

#define PARTS 64u /* parts of a mesh, distributed over threads */
#define ALONE                                                                                      \
    (1u << 15) /* primitives that one thread compares in the time that waking others takes */

/* Some chunks of a mesh, and their old positions. */
typedef struct part {
    uint32_t low, end; /* low: position of the first one, or NO_NUMBER; end: after the last */
    int ordered;
} part;

/* The length of the leading run of consecutive stable ids. */
static uint32_t persistent_ids_run_length(const stable_id *stable, uint32_t most)
{
    uint32_t n = 1;
    while (n < most && stable[n].n == stable[0].n + n)
        n++;
    return n;
}

static int none_of(const int32_t *object, uint32_t n)
{
    int32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= object[i];
    return !any;
}

/* Returns whether n primitives of the mesh equal those of n consecutive stable ids, with all their
 * data. */
static int run_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t stable,
                    uint32_t n)
{
    size_t corners = mesh_corners(m), most = corners * n;
    if (memcmp(r->of.id + stable, m->id + i, n * sizeof *m->id) ||
        memcmp(r->of.corner + corners * stable, m->corner + corners * i,
               most * sizeof *m->corner) ||
        (m->corner_count && memcmp(r->of.corner_count + stable, m->corner_count + i, n)))
        return 0;
    return m->object ? !memcmp(r->of.object + stable, m->object + i, n * sizeof *m->object)
                     : none_of(r->of.object + stable, n);
}

/* The same for the n inputs of the frame before from `next` on; writes their stable ids to
 * r->before. */
static int id_chunk_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t next,
                         uint32_t n)
{
    if (next + n > r->count)
        return 0;
    for (uint32_t k = 0, run; k < n; k += run) {
        const stable_id *stable = r->stable + next + k;
        run = persistent_ids_run_length(stable, n - k);
        if (!run_same(r, m, i + k, stable->n, run))
            return 0;
    }
    memcpy(r->before + i, r->stable + next, n * sizeof *r->before);
    return 1;
}

static int is_same(const persistent_ids *r, const imp_mesh *m, uint32_t i, uint32_t stable)
{
    uint32_t corner_count = mesh_corners_of(m, i);
    const uint32_t *is = r->of.corner + (size_t)r->of.mesh.corners * stable;
    const uint32_t *corner = m->corner + (size_t)r->of.mesh.corners * i;
    int32_t object = m->object ? m->object[i] : 0;
    uint32_t other =
        (r->of.corner_count[stable] ^ corner_count) | (uint32_t)(r->of.object[stable] ^ object);
    for (uint32_t k = 0; k < corner_count && !other; k++)
        other |= is[k] ^ corner[k];
    return !other;
}

/* Compares primitives one by one; returns the bits of new or altered ones. */
static uint64_t id_chunk_match(const persistent_ids *r, const imp_mesh *m, uint32_t first,
                               uint32_t n, part *p)
{
    uint64_t others = 0;
    for (uint32_t i = first; i < first + n; i++) {
        stable_id stable = {p->end < r->count ? r->stable[p->end].n : NO_NUMBER};
        /* Mostly it is the next primitive of the frame before, so ids are seldom looked up. */
        if (stable.n == NO_NUMBER || r->of.id[stable.n] != m->id[i])
            stable = persistent_ids_find(r, m->id[i]);
        r->before[i] = stable;
        if (stable.n == NO_NUMBER || !is_same(r, m, i, stable.n))
            others |= UINT64_C(1) << (i - first);
        if (stable.n == NO_NUMBER)
            continue;
        uint32_t at = r->input[stable.n].n;
        p->ordered &= p->low == NO_NUMBER || at >= p->end;
        p->low = p->low == NO_NUMBER ? at : p->low;
        p->end = at + 1;
    }
    return others;
}

/* Matches a part, beginning at the old position of its first primitive, found by id. */
static part part_match(const persistent_ids *r, const imp_mesh *m, uint32_t first, uint32_t last)
{
    const stable_id stable = {first < last ? persistent_ids_find(r, m->id[first]).n : NO_NUMBER};
    part p = {NO_NUMBER, r->count, 1};
    if (stable.n != NO_NUMBER)
        p.low = p.end = r->input[stable.n].n;
    for (uint32_t i = first; i < last && p.ordered; i += ID_CHUNK) {
        uint32_t n = last - i < ID_CHUNK ? last - i : ID_CHUNK;
        id_chunk *s = &r->chunk[i / ID_CHUNK];
        *s = (id_chunk){id_chunk_same(r, m, i, p.end, n) ? p.end : NO_NUMBER, 0};
        if (s->from == NO_NUMBER)
            s->others = id_chunk_match(r, m, i, n, &p);
        else
            p.end += n;
    }
    return p;
}

/* The first position of part k. */
static uint32_t part_first(const imp_mesh *m, uint32_t k)
{
    uint64_t chunk_count = ((uint64_t)m->primitives + ID_CHUNK - 1) / ID_CHUNK;
    uint64_t first = chunk_count * k / PARTS * ID_CHUNK;
    return first < m->primitives ? (uint32_t)first : m->primitives;
}

/* Parts are compared independently, by several threads; the loop after that checks their mutual
 * order. */
int persistent_ids_match(const context *c, persistent_ids *r, const imp_mesh *m)
{
    part parts[PARTS];
    uint32_t next = 0;
    int ordered = 1;
#pragma omp parallel num_threads(c->threads) if (m->primitives > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (uint32_t k = 0; k < PARTS; k++)
        parts[k] = part_match(r, m, part_first(m, k), part_first(m, k + 1));
    for (uint32_t k = 0; k < PARTS; k++) {
        ordered &= parts[k].ordered && (parts[k].low == NO_NUMBER || parts[k].low >= next);
        if (parts[k].low != NO_NUMBER)
            next = parts[k].end;
    }
    return ordered;
}

static void persistent_ids_part_inputs(persistent_ids *r, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i += ID_CHUNK) {
        uint32_t end = last - i < ID_CHUNK ? last : i + ID_CHUNK;
        if (r->chunk[i / ID_CHUNK].from == i)
            continue;
        for (uint32_t k = i; k < end; k++)
            r->input[r->stable[k].n] = (input_no){k};
    }
}

void persistent_ids_set_inputs(const context *c, persistent_ids *r, const imp_mesh *m)
{
#pragma omp parallel num_threads(c->threads) if (m->primitives > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic) nowait
    for (uint32_t k = 0; k < PARTS; k++)
        persistent_ids_part_inputs(r, part_first(m, k), part_first(m, k + 1));
}

/* ---- Stable ids on the device: kernels/persistent_ids.cl. */

/* The list stays on the device for persistent_ids_write. */
int persistent_ids_mark(const context *c, const persistent_ids *r, device_ids *d, buffer_u8 *dirty)
{
    int err = IMP_OK;
    if (!r->changes.count)
        return IMP_OK;
    TRY(buffer_put(c->dev64, &d->changed, r->changes.stable, r->changes.count));
    TRY(RUN(c->dev64, persistent_ids_mark, r->changes.count, &d->changed, dirty));
out:
    return err;
}

/* Copies only the changes to the device, so that the cost grows with them. */
int persistent_ids_write(const context *c, device_ids *d, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    device *on = c->dev64;
    const persistent_ids *r = v->ids;
    uint32_t n = v->corners, *corner = NULL;
    int32_t *object = NULL;
    if (!r->changes.count)
        return IMP_OK;
    TRY(mem_alloc(c->mem, (size_t)n * r->changes.count * sizeof *corner, &corner));
    TRY(mem_alloc(c->mem, r->changes.count * sizeof *object, &object));
    for (uint32_t i = 0; i < r->changes.count; i++) {
        block_view_corners(&r->of.mesh, r->changes.stable[i], n, corner + (size_t)n * i);
        object[i] = r->of.object[r->changes.stable[i]];
    }
    TRY(buffer_put(on, &d->corner, corner, (size_t)n * r->changes.count));
    TRY(RUN(on, persistent_ids_corners, r->changes.count, &d->changed, n, &d->corner,
            &o->on64.corner));
    if (!(c->opt.rules & RULE_OBJECTS))
        goto out;
    TRY(buffer_put(on, &d->object, object, r->changes.count));
    TRY(RUN(on, persistent_ids_objects, r->changes.count, &d->changed, &d->object,
            &o->on64.object));
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}

/* Rows depend on the order of a pair in their last bits. A full pass has the caller's order, so an
 * incremental one needs it, too. */
int persistent_ids_orient(const context *c, const persistent_ids *r, device_ids *d, pairs *p)
{
    int err = IMP_OK;
    if (!p->count || !r->seen) /* the inputs of a model are its stable ids */
        return IMP_OK;
    TRY(buffer_wrap(c->dev64, &d->input, &r->input->n, r->of.mesh.primitives));
    TRY(RUN(c->dev64, persistent_ids_orient, p->count, &d->input, &p->a, &p->b));
    TRY(device_finish(c->dev64)); /* the array may be replaced before the device is next used */
out:
    bytes_free(c->dev64, &d->input.raw);
    return err;
}

void device_ids_free(const context *c, device_ids *d)
{
    buffer *mine[] = {&d->changed.raw, &d->corner.raw, &d->input.raw, &d->object.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
}
