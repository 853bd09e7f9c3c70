/* See store_partition.h: slabs of whole objects. */
#include "partition.h"

#include "error.h"
#include "frame.h"
#include "hash64.h"

#include <stdlib.h>
#include <string.h>

#define OBJECT_CLASS 4     /* weights of a class differ by less than this factor */
#define OBJECT_LEVELS 8192 /* about half of the levels along an axis */

/* The objects while they are scanned. */
typedef struct objects_scan {
    partition_build *c;
    int32_t *object; /* [CHUNK_CELLS] ids of a chunk */
    uint32_t *owner; /* [vertices] the object that has last used each */
    /* of each object; NULL: none must be closed */
    uint64_t *edges; /* hash64_edges of its triangles; not 0: it is open */
    uint8_t *faces;  /* it has a tetrahedron or a triangle of three vertices */
} objects_scan;

static int objects_scan_open(partition_build *c, objects_scan *w)
{
    int err = IMP_OK;
    const batch_partition *s = c->s;
    mem *m = s->b->mem;
    const size_t n = s->objects.count, verts = s->cells.shape.mesh.vertices;
    *w = (objects_scan){.c = c};
    TRY(mem_alloc(m, CHUNK_CELLS * sizeof *w->object, &w->object));
    memset(w->object, 0, CHUNK_CELLS * sizeof *w->object);
    TRY(mem_alloc(m, verts * sizeof *w->owner, &w->owner));
    memset(w->owner, 0xff, verts * sizeof *w->owner);
    if (s->def.closed_count) {
        TRY(mem_alloc(m, n * sizeof *w->edges, &w->edges));
        TRY(mem_alloc(m, n, &w->faces));
        memset(w->edges, 0, n * sizeof *w->edges);
        memset(w->faces, 0, n);
    }
out:
    return err;
}

static void objects_scan_close(objects_scan *w)
{
    mem *m = w->c->s->b->mem;
    mem_free(m, w->object);
    mem_free(m, w->owner);
    mem_free(m, w->edges);
    mem_free(m, w->faces);
}

/* Reads a chunk, and the ids of its objects if the frame has any. */
static int objects_scan_read(objects_scan *w, uint64_t chunk)
{
    int err = IMP_OK;
    const batch_partition *s = w->c->s;
    cell_chunks *p = &w->c->s->cells;
    TRY(cell_chunks_read(p, chunk));
    if (!s->object && s->b->objects.name[0])
        TRY(cell_chunks_objects(p, w->object));
out:
    return err;
}

/* ---- sizes */

static uint32_t objects_scan_corners(const cell_chunks *p, uint64_t i)
{
    return p->corner_count ? p->corner_count[i] : p->corners;
}

static void objects_scan_edges(objects_scan *w, uint64_t i, uint32_t object)
{
    const cell_chunks *p = &w->c->s->cells;
    const uint32_t *corner = p->corner + p->corners * i, n = objects_scan_corners(p, i);
    const uint32_t v[3] = {corner[0], corner[n > 1], corner[n > 2 ? 2 : n - 1]};
    if (n < IMP_TETRAHEDRA)
        w->edges[object] += hash64_edges(v);
    w->faces[object] |= n == IMP_TETRAHEDRA || (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]);
}

static void objects_scan_cell(objects_scan *w, uint64_t i, uint32_t object)
{
    batch_partition *s = w->c->s;
    const cell_chunks *p = &s->cells;
    const uint32_t *corner = p->corner + p->corners * i;
    s->objects.primitives[object]++;
    for (uint32_t k = 0; k < p->corners; k++) {
        s->objects.vertices[object] += w->owner[corner[k]] != object;
        w->owner[corner[k]] = object;
    }
    if (w->edges)
        objects_scan_edges(w, i, object);
}

/* Counts primitives and vertices of each object; finds the objects of each chunk. */
static int objects_scan_sizes(objects_scan *w)
{
    int err = IMP_OK;
    batch_partition *s = w->c->s;
    partition_objects *o = &s->objects;
    cell_chunks *p = &s->cells;
    uint32_t object = 0;
    memset(o->primitives, 0, o->count * sizeof *o->primitives);
    memset(o->vertices, 0, o->count * sizeof *o->vertices);
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        object_span all = {UINT32_MAX, 0};
        TRY(objects_scan_read(w, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            if (partition_objects_bad(o->bad, corner, p->corners))
                continue;
            object = partition_object_number(s, w->object[i], *corner, object);
            all.first = object < all.first ? object : all.first;
            all.last = object > all.last ? object : all.last;
            objects_scan_cell(w, i, object);
        }
        o->chunk[chunk] = all;
    }
out:
    return err;
}

/* The first object that must be closed and is open, or UINT32_MAX. */
static uint32_t objects_scan_first_open(const objects_scan *w)
{
    const batch_partition *s = w->c->s;
    const partition_objects *o = &s->objects;
    size_t next = 0;
    for (size_t i = 0; i < o->count && w->edges; i++) {
        const int32_t id = o->id ? o->id[i] : (int32_t)i;
        while (next < s->def.closed_count && s->def.closed[next] < id)
            next++;
        if (next < s->def.closed_count && s->def.closed[next] == id && o->primitives[i] &&
            (w->edges[i] || !w->faces[i]))
            return (uint32_t)i;
    }
    return UINT32_MAX;
}

/* ---- boxes */

/* Finds the range of each object along an axis. range: [vertices] */
static int objects_scan_range(objects_scan *w, int axis, level_range *range)
{
    int err = IMP_OK;
    batch_partition *s = w->c->s;
    partition_objects *o = &s->objects;
    cell_chunks *p = &s->cells;
    uint32_t object = 0;
    TRY(partition_level_ranges(w->c, axis, OBJECT_LEVELS, range));
    for (size_t i = 0; i < o->count; i++)
        o->range[axis][i] = (level_range){UINT16_MAX, 0};
    for (uint64_t chunk = 0; chunk < p->count; chunk++) {
        TRY(objects_scan_read(w, chunk));
        for (uint64_t i = 0; i < p->cells; i++) {
            const uint32_t *corner = p->corner + p->corners * i;
            level_range at;
            if (!cell_level_range(range, corner, p->corners, &at))
                continue;
            object = partition_object_number(s, w->object[i], *corner, object);
            level_range *to = &o->range[axis][object];
            to->low = at.low < to->low ? at.low : to->low;
            to->high = at.high > to->high ? at.high : to->high;
        }
    }
out:
    return err;
}

static int objects_scan_boxes(objects_scan *w)
{
    int err = IMP_OK;
    mem *m = w->c->s->b->mem;
    level_range *range = NULL;
    mem_free(m, w->owner);
    w->owner = NULL;
    TRY(mem_alloc(m, w->c->s->cells.shape.mesh.vertices * sizeof *range, &range));
    for (int axis = 0; axis < 3; axis++)
        TRY(objects_scan_range(w, axis, range));
out:
    mem_free(m, range);
    return err;
}

/* ---- order */

/* The axis along which objects are shortest, so that the fewest overlap. */
static int partition_objects_axis(const partition_objects *o)
{
    int axis = 0;
    uint64_t sum[3] = {0};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < o->count; i++)
            sum[k] += o->primitives[i] ? o->range[k][i].high - o->range[k][i].low + 1U : 0;
        axis = sum[k] < sum[axis] ? k : axis;
    }
    return axis;
}

/* An object in a sequence. */
typedef struct object_key {
    uint32_t major, minor, object;
} object_key;

static int object_key_order(const void *p, const void *q)
{
    const object_key *x = p, *y = q;
    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    if (x->minor != y->minor)
        return x->minor < y->minor ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

static void partition_objects_sort_along(partition_objects *o, object_key *key)
{
    for (size_t i = 0; i < o->count; i++)
        key[i] = (object_key){o->range[o->axis][i].low, 0, (uint32_t)i};
    qsort(key, o->count, sizeof *key, object_key_order);
    for (size_t i = 0; i < o->count; i++)
        o->along[i] = key[i].object;
}

static int partition_objects_overlap(const partition_objects *o, uint32_t x, uint32_t y)
{
    for (int k = 0; k < 3; k++)
        if (o->range[k][x].low > o->range[k][y].high || o->range[k][y].low > o->range[k][x].high)
            return 0;
    return 1;
}

/* Objects that have begun along the axis and may not have ended. */
typedef struct active_objects {
    uint32_t *object;
    size_t count;
} active_objects;

/* The primitives of each object and of all that overlap it. */
static void partition_objects_weigh(partition_objects *o, uint64_t *weight)
{
    active_objects active = {o->active[0], 0};
    memcpy(weight, o->primitives, o->count * sizeof *weight);
    for (size_t i = 0; i < o->count; i++) {
        const uint32_t x = o->along[i];
        size_t kept = 0;
        for (size_t k = 0; k < active.count && o->primitives[x]; k++) {
            const uint32_t y = active.object[k];
            if (o->range[o->axis][y].high < o->range[o->axis][x].low)
                continue;
            active.object[kept++] = y;
            if (partition_objects_overlap(o, x, y)) {
                weight[x] += o->primitives[y];
                weight[y] += o->primitives[x];
            }
        }
        if (!o->primitives[x])
            continue;
        active.count = kept;
        active.object[active.count++] = x;
    }
}

/* Objects of about the same weight are one after another along the axis. */
static void partition_objects_sort(const partition_objects *o, uint32_t first_open,
                                   const uint64_t *weight, object_key *key)
{
    for (size_t i = 0; i < o->count; i++) {
        const level_range at = o->range[o->axis][i];
        uint32_t of_class = 1;
        for (uint64_t n = weight[i]; n; n /= OBJECT_CLASS)
            of_class++;
        key[i] =
            (object_key){i == first_open ? 0 : of_class, at.low + (uint32_t)at.high, (uint32_t)i};
    }
    qsort(key, o->count, sizeof *key, object_key_order);
}

/* An object belongs to the slab in which its middle is, in the sequence of all primitives. */
static void partition_objects_divide(batch_partition *s, const object_key *key)
{
    partition_objects *o = &s->objects;
    uint64_t all = 0, before = 0;
    for (size_t i = 0; i < o->count; i++)
        all += o->primitives[i];
    for (size_t i = 0; i < o->count; i++) {
        const uint64_t n = o->primitives[key[i].object], twice = 2 * before + n;
        o->slab[key[i].object] =
            n ? (uint32_t)((twice - 1) / 2 * s->def.slabs / all) : s->def.slabs;
        before += n;
    }
}

/* ---- slabs */

/* Compares x with those of the other kind: of an object of the slab and a later one that overlap
 * the later one is in the slab, too. Removes those that end before x begins, since all that follow
 * x begin there or later, and later ones that are in the slab already. */
static void partition_objects_meet(partition_objects *o, active_objects *others, uint32_t x)
{
    size_t kept = 0;
    for (size_t i = 0; i < others->count; i++) {
        const uint32_t y = others->object[i];
        if (o->range[o->axis][y].high < o->range[o->axis][x].low || o->in[y] == OBJECT_CARRIED)
            continue;
        others->object[kept++] = y;
        if (o->in[x] != OBJECT_CARRIED && partition_objects_overlap(o, x, y))
            o->in[o->in[x] == OBJECT_OWN ? y : x] = OBJECT_CARRIED;
    }
    others->count = kept;
}

void partition_objects_select(batch_partition *s, uint32_t slab)
{
    partition_objects *o = &s->objects;
    active_objects own = {o->active[0], 0}, later = {o->active[1], 0};
    memset(o->in, OBJECT_OUT, o->count);
    for (size_t i = 0; i < o->count; i++) {
        const uint32_t x = o->along[i];
        if (o->slab[x] < slab || !o->primitives[x])
            continue;
        const int mine = o->slab[x] == slab;
        o->in[x] = mine ? OBJECT_OWN : OBJECT_OUT;
        partition_objects_meet(o, mine ? &later : &own, x);
        active_objects *to = mine ? &own : &later;
        to->object[to->count++] = x;
    }
    o->before[0] = 0;
    for (size_t i = 0; i < o->count; i++)
        o->before[i + 1] = o->before[i] + (o->in[i] != OBJECT_OUT);
}

static void partition_objects_count(batch_partition *s, uint32_t slab)
{
    partition_objects *o = &s->objects;
    uint64_t primitives = 0, vertices = 0;
    partition_objects_select(s, slab);
    for (size_t i = 0; i < o->count; i++) {
        primitives += o->in[i] == OBJECT_OUT ? 0 : o->primitives[i];
        vertices += o->in[i] == OBJECT_OUT ? 0 : o->vertices[i];
    }
    s->count[slab] = primitives;
    s->info.largest = primitives > s->info.largest ? primitives : s->info.largest;
    o->largest = vertices > o->largest ? vertices : o->largest;
}

/* ---- all */

static int partition_objects_open(partition_build *c)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    partition_objects *o = &s->objects;
    mem *m = s->b->mem;
    const size_t n = o->count = (size_t)s->info.objects;
    TRY(mem_alloc(m, n * sizeof *o->primitives, &o->primitives));
    TRY(mem_alloc(m, n * sizeof *o->vertices, &o->vertices));
    for (int k = 0; k < 3; k++)
        TRY(mem_alloc(m, n * sizeof *o->range[k], &o->range[k]));
    TRY(mem_alloc(m, n * sizeof *o->slab, &o->slab));
    TRY(mem_alloc(m, n * sizeof *o->along, &o->along));
    TRY(mem_alloc(m, n, &o->in));
    TRY(mem_alloc(m, (n + 1) * sizeof *o->before, &o->before));
    for (int k = 0; k < 2; k++)
        TRY(mem_alloc(m, n * sizeof *o->active[k], &o->active[k]));
    TRY(mem_alloc(m, s->cells.count * sizeof *o->chunk, &o->chunk));
    o->bad = c->bad_vertices ? c->bad : NULL;
out:
    return err;
}

void partition_objects_free(mem *m, partition_objects *o)
{
    void *all[] = {o->id,       o->primitives, o->vertices,  o->range[0], o->range[1],
                   o->range[2], o->slab,       o->along,     o->chunk,    o->bad,
                   o->in,       o->before,     o->active[0], o->active[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(m, all[i]);
    *o = (partition_objects){0};
}

int partition_objects_cut(partition_build *c)
{
    int err = IMP_OK;
    batch_partition *s = c->s;
    mem *m = s->b->mem;
    object_key *key = NULL;
    uint64_t *weight = NULL;
    objects_scan w = {.c = c};
    TRY(partition_objects_open(c));
    TRY(objects_scan_open(c, &w));
    TRY(objects_scan_sizes(&w));
    TRY(objects_scan_boxes(&w));
    s->objects.axis = partition_objects_axis(&s->objects);
    TRY(mem_alloc(m, s->objects.count * sizeof *key, &key));
    TRY(mem_alloc(m, s->objects.count * sizeof *weight, &weight));
    partition_objects_sort_along(&s->objects, key);
    partition_objects_weigh(&s->objects, weight);
    partition_objects_sort(&s->objects, objects_scan_first_open(&w), weight, key);
    partition_objects_divide(s, key);
    for (uint32_t k = 0; k < s->def.slabs; k++)
        partition_objects_count(s, k);
out:
    /* partition_level_ranges still needed its own */
    if (s->objects.bad == c->bad)
        c->bad = NULL;
    objects_scan_close(&w);
    mem_free(m, key);
    mem_free(m, weight);
    return err;
}
