/* What moved from a frame to the next, and its bounds: kernels/moved.cl. */
#include "keep.h"

#include "error.h"
#include "dop.h"
#include "moved.h"
#include "prim.h"
#include "raw_points.h"
#include "segments.h"
#include "slots.h"

#include <math.h>
#include <string.h>

/* A vertex that no primitive has may move, or be not finite, without any effect. */
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

/* Do primitives use other vertices of the chunk than before? Its box has to be made again even if
 * no vertex moved. */
static uint8_t chunk_renewed(const chunks *v, uint32_t i, const uint8_t *used,
                             const uint8_t *before)
{
    uint32_t n = v->last[i] - v->first[i];
    return memcmp(used + v->first[i], before + v->first[i], n) ? MOVED_USED : 0;
}

/* Marks the vertices that primitives use, if these may have changed, and the chunks in which they
 * did: in the first frame all. */
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
        /* The copy on the host is what the next frame's is compared with. */
        TRY(buffer_put(c->dev64, &k->points.used, used, v->verts));
        mem_free(c->mem, k->points.host_used);
        k->points.host_used = used;
        used = NULL;
    }
    /* Mostly none are, as in the frame before. */
    if (others || !k->points.none)
        TRY(buffer_put(c->dev64, &k->points.renewed, renewed, vertex->count));
    k->points.none = !others;
out:
    mem_free(c->mem, used);
    mem_free(c->mem, renewed);
    return err;
}

/* Compares the points with those before, and replaces those. */
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

/* One wait for all that is read: the box and the number of bad points of each chunk, and what
 * moved. It is also one for the view of the caller's points. */
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
    /* lo > hi: no primitive has a vertex. */
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
    /* In the same unit, about the same centre, what did not move has the same bounds to the last
     * bit (units.c). */
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
out:
    return err;
}
