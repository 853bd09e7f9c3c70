/* See frame_cache.h: the choice of frames to cache, and the reuse of their contacts. */
#include "frame_cache.h"

#include "bounds.h"
#include "dop.h"
#include "error.h"
#include "frame.h"
#include "moved.h"
#include "parallel.h"
#include "persistent_ids.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define SHARE 4 /* caching pays if at most 1 / SHARE of the vertices moves */
#define NOT_KEPT "no frame before it was kept"

/* Compares some vertices with those of the frame before and replaces the sample; returns the number
 * that moved. If vertices were added, it compares the numbers that both frames have; if there are
 * fewer, or far more, all count as moved. A sample is enough: it only tells whether caching pays,
 * not which primitives are dirty. */
static uint32_t frame_cache_sample_dirty(frame_cache_sample *k, const imp_frame *f)
{
    uint32_t n = f->mesh->vertices, dirty = 0;
    if (n < k->vertices || n / 2 > k->vertices)
        k->vertices = n;
    n = k->vertices;
    for (uint32_t i = 0; i < FRAME_CACHE_SAMPLE && i < n; i++) {
        double x[DIMENSIONS], *old = k->x[i];
        frame_vertex(f, n < FRAME_CACHE_SAMPLE ? i : (size_t)i * n / FRAME_CACHE_SAMPLE, x);
        dirty += x[0] != old[0] || x[1] != old[1] || x[2] != old[2];
        memcpy(old, x, sizeof x);
    }
    return dirty;
}

/* Returns whether all frames have one mesh. Compares pointers: sums of primitives would not show a
 * mesh without any. */
static int one_mesh(const block_view *v)
{
    uint32_t f = 1;
    while (f < v->frames && v->frame[f].mesh == v->frame->mesh)
        f++;
    return f >= v->frames;
}

/* The reason why the frame cannot continue from the one before; "": it can. had: the mesh of that
 * one. */
static const char *full_reason(const context *c, const frame_cache *k, const block_view *v,
                               int follows, const imp_mesh *had)
{
    if (c->opt.update == IMP_UPDATE_REBUILD)
        return "update is rebuild";
    if (v->frames > 1)
        return "frames of a block are computed together";
    if (!v->prims)
        return "no primitives";
    if (c->dev != c->dev64)
        return "another device has float64";
    if (!follows)
        return had ? "the mesh changed" : NOT_KEPT;
    if (!k->coherent)
        return "many vertices moved";
    return k->ready ? "" : NOT_KEPT;
}

/* Updates the number of the mesh and the sample in every frame, even if nothing will be cached.
 * Stable ids cost memory and comparisons, so they are used from the first change of the mesh on, or
 * from the first frame on with imp_def.update KEEP. */
const char *frame_cache_compare(const context *c, frame_cache *k, const block_view *v,
                                int same_call, const char *never)
{
    const imp_mesh *mesh = v->frame->mesh, *const had = k->mesh;
    const int one = v->frames == 1, update = c->opt.update;
    uint32_t n = mesh->vertices < FRAME_CACHE_SAMPLE ? mesh->vertices : FRAME_CACHE_SAMPLE;
    int named = c->opt.ids && mesh->id && one;
    int follows = mesh == k->mesh || (named && k->mesh), other = k->mesh && mesh != k->mesh;
    const int sure = same_call || update != IMP_UPDATE_REBUILD; /* an equal pointer is the mesh */
    k->follows = one && mesh == k->mesh && sure;
    k->number += !k->follows;
    k->mesh = one ? mesh : NULL;
    k->topology += mesh != k->every || !sure;
    k->every = one_mesh(v) ? mesh : NULL;
    /* On a GPU a full pass is faster: an incremental one takes many small launches, and waits for
     * their counts. */
    if (never || c->dev->groups) {
        k->ready = k->coherent = k->by_id = 0;
        return never ? never : "on this device it is sooner done anew";
    }
    k->coherent = update == IMP_UPDATE_KEEP;
    if (update == IMP_UPDATE_AUTO && one) {
        uint32_t dirty = frame_cache_sample_dirty(&k->sample, v->frame);
        k->coherent = follows && dirty <= n / SHARE;
    }
    /* Cached bounds are updated in place, which needs them on one device. */
    k->coherent = k->coherent && one && v->prims && c->dev == c->dev64;
    k->ready = k->ready && k->coherent && follows;
    k->by_id = named && k->coherent && (k->by_id || update == IMP_UPDATE_KEEP || other);
    return full_reason(c, k, v, follows, had);
}

int frame_cache_by_id(const frame_cache *k)
{
    return k->by_id;
}

int frame_cache_fits(const frame_cache *k, const block_view *v)
{
    return k->ready && v->frames == 1;
}

void frame_cache_invalidate(frame_cache *k)
{
    k->ready = k->recording = 0;
}

void frame_cache_free(const context *c, frame_cache *k)
{
    buffer *mine[] = {&k->points.used.raw,  &k->points.renewed.raw, &k->points.before.raw,
                      &k->points.moved.raw, &k->points.any.raw,     &k->points.box.raw,
                      &k->points.bad.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
    raw_free(c, &k->points.raw);
    dirty_set_free(c, &k->dirty);
    device_ids_free(c, &k->ids);
    contact_rows_free(&k->rows);
    contact_rows_free(&k->added);
    contact_rows_free(&k->next);
    mem_free(c->mem, k->undecided.a);
    mem_free(c->mem, k->undecided.b);
    mem_free(c->mem, k->points.host_used);
    /* Keeps the numbers: a later mesh must not get a number that was used before. */
    *k = (frame_cache){.number = k->number, .topology = k->topology};
}

/* ---- caching a frame of a full pass */

/* An error here is no error of the frame: it only means that nothing is cached. */
void frame_cache_record(void *user, const imp_contacts *rows)
{
    frame_cache *k = user;
    if (k->recording && contact_rows_add(&k->rows, rows))
        k->recording = 0;
}

void frame_cache_record_begin(const context *c, frame_cache *k)
{
    k->ready = 0;
    k->recording = k->coherent;
    k->undecided.count = 0;
    contact_rows_open(c->mem, c->opt.columns, &k->rows);
}

/* Makes space for n more pairs, and half as many again. */
static int undecided_fit(mem *m, frame_cache_undecided *u, uint64_t n)
{
    int err = IMP_OK;
    const uint64_t need = u->count + n, capacity = need + need / 2;
    if (need <= u->capacity)
        return IMP_OK;
    u->capacity = 0;
    TRY(mem_grow(m, u->count * sizeof *u->a, capacity * sizeof *u->a, &u->a));
    TRY(mem_grow(m, u->count * sizeof *u->b, capacity * sizeof *u->b, &u->b));
    u->capacity = capacity;
out:
    return err;
}

int frame_cache_add_undecided(const context *c, frame_cache *k, const pairs *added)
{
    int err = IMP_OK;
    frame_cache_undecided *u = &k->undecided;
    TRY(undecided_fit(c->mem, u, added->count));
    TRY(buffer_read(c->dev64, &added->a, 0, u->a + u->count, added->count));
    TRY(buffer_read(c->dev64, &added->b, 0, u->b + u->count, added->count));
    u->count += added->count;
out:
    return err;
}

void frame_cache_record_undecided(const context *c, frame_cache *k, const pairs *undecided)
{
    if (k->recording && frame_cache_add_undecided(c, k, undecided))
        k->recording = 0;
}

void frame_cache_record_end(const context *c, frame_cache *k, const block_view *v, const bounds *o,
                            uint64_t found)
{
    k->candidates = found;
    k->found_known = 0;
    k->ready = k->recording && !o->normalisation.bad[0] && !frame_cache_points_first(c, v, o, k);
    k->recording = 0;
}

/* ---- the frame after */

/* Removes pairs with a dirty primitive; static pairs stay undecided. Without a branch, which
 * processors could not predict. */
static void undecided_filter(frame_cache_undecided *u, const uint8_t *dirty)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < u->count; i++) {
        u->a[n] = u->a[i];
        u->b[n] = u->b[i];
        n += !dirty[u->a[i]] && !dirty[u->b[i]];
    }
    u->count = n;
}

/* The number of leading rows without a dirty primitive or, if `gone`, with one. */
static size_t cache_rows_static(const imp_contacts *x, size_t most, const uint8_t *dirty, int gone)
{
    size_t n = 0;
    while (n < most && (dirty[x->a[n]] || dirty[x->b[n]]) == gone)
        n++;
    return n;
}

/* Returns whether every row has a dirty primitive. */
static int cache_rows_all_dirty(const contact_rows *r, const uint8_t *dirty)
{
    contact_cursor at = contact_first(r);
    for (; contact_more(&at); at.rest.count = 0)
        if (cache_rows_static(&at.rest, at.rest.count, dirty, 1) < at.rest.count)
            return 0;
    return 1;
}

static void cache_rows_swap(contact_rows *x, contact_rows *y)
{
    contact_rows swap = *x;
    *x = *y;
    *y = swap;
}

/* Adds the rows of a run that have no dirty primitive. */
static int cache_rows_add_static(frame_cache *k, const imp_contacts *run, const uint8_t *dirty)
{
    int err = IMP_OK;
    imp_contacts rest = *run;
    while (rest.count) {
        imp_contacts part = rest;
        part.count = cache_rows_static(&rest, rest.count, dirty, 0);
        if (part.count)
            TRY(contact_rows_add(&k->next, &part));
        else
            part.count = cache_rows_static(&rest, rest.count, dirty, 1);
        columns_skip(&contact_table, &rest, part.count);
        rest.count -= part.count;
    }
out:
    return err;
}

/* Merges, in order, the static rows of the last frame and the added ones. */
static int cache_rows_merge(frame_cache *k, const uint8_t *dirty)
{
    int err = IMP_OK;
    contact_cursor old = contact_first(&k->rows), added = contact_first(&k->added);
    imp_contacts run;
    int from_old;
    contact_rows_open(k->rows.mem, k->rows.set, &k->next);
    while (contact_merge(&old, &added, &run, &from_old))
        TRY(from_old ? cache_rows_add_static(k, &run, dirty) : contact_rows_add(&k->next, &run));
    cache_rows_swap(&k->rows, &k->next);
out:
    return err;
}

/* If nothing moved, or every row has a dirty primitive, no row is copied. */
int frame_cache_merge(frame_cache *k)
{
    const uint8_t *dirty = k->dirty.host_flag;
    if (!k->dirty.count)
        return IMP_OK;
    undecided_filter(&k->undecided, dirty);
    if (!cache_rows_all_dirty(&k->rows, dirty))
        return cache_rows_merge(k, dirty);
    /* The added rows are all rows. */
    cache_rows_swap(&k->rows, &k->added);
    return IMP_OK;
}

int frame_cache_take_rows(void *user, const block_view *v, column_rows *rows)
{
    (void)v;
    frame_cache *k = user;
    imp_contacts all = {.count = rows->count};
    columns_as_rows(rows, &all);
    return contact_rows_add(&k->added, &all);
}

/* ---- The dirty set of a frame, and its bounds: kernels/moved.cl. */

/* Marks the vertices that primitives have: any other may move, or be not finite, without any
 * effect. */
static void frame_cache_points_find_used(const block_view *v, uint8_t *used)
{
    const imp_mesh *m = v->frame->mesh;
    memset(used, 0, v->verts);
    if (v->ids)
        persistent_ids_used_vertices(v->ids, used);
    for (uint32_t i = 0; i < m->primitives && !v->ids; i++)
        for (uint32_t n = mesh_corners(m), vertex = 0; vertex < n; vertex++)
            used[mesh_vertex(m, i, vertex)] = 1;
}

/* Returns whether primitives use other vertices of the chunk than before: its box must then be
 * recomputed even if no vertex moved. */
static uint8_t chunk_renewed(const chunks *v, uint32_t i, const uint8_t *used,
                             const uint8_t *before)
{
    uint32_t n = v->last[i] - v->first[i];
    return memcmp(used + v->first[i], before + v->first[i], n) ? MOVED_USED : 0;
}

/* Marks the vertices that primitives use, if these may have changed, and the chunks in which they
 * did; in the first frame all of both. */
static int frame_cache_points_put_used(const context *c, const block_view *v, const bounds *o,
                                       int first, frame_cache *k)
{
    int err = IMP_OK, others = first || (v->ids && v->ids->changes.count);
    const chunks *vertex = &o->verts;
    uint8_t *used = NULL, *renewed = NULL;
    TRY(mem_alloc(c->mem, vertex->count, &renewed));
    memset(renewed, first ? MOVED_FIRST : 0, vertex->count);
    if (others) {
        TRY(mem_alloc(c->mem, v->verts, &used));
        frame_cache_points_find_used(v, used);
        for (uint32_t i = 0; i < vertex->count && !first; i++)
            renewed[i] = chunk_renewed(vertex, i, used, k->points.host_used);
        /* The host's copy is kept for comparison with the next frame's. */
        TRY(buffer_put(c->dev64, &k->points.used, used, v->verts));
        mem_free(c->mem, k->points.host_used);
        k->points.host_used = used;
        used = NULL;
    }
    /* Mostly none is renewed, as in the frame before, and the copy is saved. */
    if (others || !k->points.none)
        TRY(buffer_put(c->dev64, &k->points.renewed, renewed, vertex->count));
    k->points.none = !others;
out:
    mem_free(c->mem, used);
    mem_free(c->mem, renewed);
    return err;
}

/* Compares the points with those of the frame before and replaces the latter. */
static int compare_points(const context *c, const bounds *o, frame_cache *k)
{
    return RUN(c->dev64, moved_points, o->verts.count, CHUNKS_OF(&o->verts),
               POINTS_OF(&k->points.raw), &k->points.used, &k->points.renewed, &k->points.before,
               &k->points.moved, &k->points.any, &k->points.box, &k->points.bad);
}

static int frame_cache_points_take_first(const context *c, const block_view *v, const bounds *o,
                                         frame_cache *k)
{
    int err = IMP_OK;
    TRY(raw_open(c, v, v->frame, &k->points.raw, NULL));
    TRY(compare_points(c, o, k));
    TRY(device_finish(c->dev64)); /* raw_close ends the view of the caller's points */
out:
    raw_close(c, &k->points.raw);
    return err;
}

/* Reads the box and the number of bad points of each chunk, and the dirty set, with a single wait,
 * which also ends the access to the caller's points. */
static int frame_cache_points_take_next(const context *c, const block_view *v, const bounds *o,
                                        frame_cache *k, double *box, uint32_t *bad)
{
    int err = IMP_OK;
    const uint32_t n = o->verts.count;
    readout list[4] = {READOUT(&k->points.box, 0, box, (size_t)BOX_BOUNDS * n),
                       READOUT(&k->points.bad, 0, bad, n)};
    TRY(raw_open(c, v, v->frame, &k->points.raw, NULL));
    TRY(compare_points(c, o, k));
    TRY(dirty_set_find(c, v, o, &k->points.any, &k->points.moved, &k->ids, &k->dirty, &list[2]));
    TRY(device_read_all(c->dev64, list, 4));
out:
    raw_close(c, &k->points.raw);
    return err;
}

int frame_cache_points_first(const context *c, const block_view *v, const bounds *o, frame_cache *k)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(frame_cache_points_put_used(c, v, o, 1, k));
    TRY(buffer_fit(d, &k->points.before, (size_t)DIMENSIONS * v->verts));
    TRY(buffer_fit(d, &k->points.moved, v->verts));
    TRY(buffer_fit(d, &k->points.any, o->verts.count));
    TRY(buffer_fit(d, &k->points.box, (size_t)BOX_BOUNDS * o->verts.count));
    TRY(buffer_fit(d, &k->points.bad, o->verts.count));
    TRY(frame_cache_points_take_first(c, v, o, k));
    TRY(dirty_set_first(c, v, o, &k->dirty));
out:
    return err;
}

/* The box of all chunks; 0 if a point that counts is not finite. */
static int points_box(const double *box, const uint32_t *bad, uint32_t n, double lo[3],
                      double hi[3])
{
    uint32_t wrong = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < n; i++) {
        wrong += bad[i];
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], box[BOX_BOUNDS * (size_t)i + (size_t)k]);
            hi[k] = fmax(hi[k], box[BOX_BOUNDS * (size_t)i + 3 + (size_t)k]);
        }
    }
    /* lo > hi if no primitive has a vertex. */
    return !wrong && lo[0] <= hi[0];
}

int frame_cache_points_next(const context *c, const block_view *v, const bounds *o, frame_cache *k,
                            int *same)
{
    int err = IMP_OK;
    uint32_t n = o->verts.count;
    double *box = NULL, lo[3], hi[3];
    uint32_t *bad = NULL;
    TRY(mem_alloc(c->mem, (size_t)BOX_BOUNDS * n * sizeof *box, &box));
    TRY(mem_alloc(c->mem, n * sizeof *bad, &bad));
    TRY(frame_cache_points_put_used(c, v, o, 0, k));
    TRY(frame_cache_points_take_next(c, v, o, k, box, bad));
    /* With the same unit and centre, unmoved primitives have the same bounds to the last bit
     * (bounds.c). */
    *same = points_box(box, bad, n, lo, hi) && normalisation_same(&o->normalisation, lo, hi);
    if (*same)
        TRY(dirty_set_read(c, &k->dirty));
out:
    mem_free(c->mem, box);
    mem_free(c->mem, bad);
    return err;
}

/* Only chunks with a vertex that moved are scaled. */
int frame_cache_update_bounds(const context *c, const block_view *v, bounds *o, frame_cache *k)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const bound_scratch *t = &o->scratch;
    TRY(dirty_set_update_spans(c, v, o, &k->dirty));
    TRY(RUN(d, moved_scale, o->verts.count, CHUNKS_OF(&o->verts), &k->points.any, &k->points.before,
            &t->scale, &o->x));
    TRY(RUN(d, dirty_bounds, k->dirty.count, &k->dirty.prim, &t->centre, v->corners,
            &o->on64.corner, &o->x, c->opt.dop_k, &o->on64.box, &o->on64.slab));
    if (c->opt.rows && c->opt.separation > 0)
        TRY(RUN(d, dirty_grow, k->dirty.count, &k->dirty.prim, &t->grow, o->extra, &o->on64.box,
                &o->on64.slab));
out:
    return err;
}
