/* What moved from a frame to the next, and its bounds: kernels/moved.cl. */
#include "keep.h"

#include "engine.h"
#include "error.h"
#include "dop.h"
#include "prim.h"
#include "raw_points.h"
#include "roster.h"

#include <math.h>
#include <string.h>

static int put_used(const context *c, const block *b, keep *k)
{
    int err = IMP_OK;
    const imp_mesh *m = b->frame->mesh;
    uint8_t *used = NULL;
    TRY(mem_alloc(c->mem, b->verts, &used));
    memset(used, 0, b->verts);
    if (b->roster)
        roster_used(b->roster, used);
    for (uint32_t i = 0; i < m->primitives && !b->roster; i++)
        for (uint32_t n = mesh_corners(m), v = 0; v < n; v++)
            used[mesh_vertex(m, i, v)] = 1;
    TRY(buffer_put(c->dev64, &k->used, used, b->verts));
out:
    mem_free(c->mem, used);
    return err;
}

/* Compares the points with those before, and takes their place. */
static int take_points(const context *c, const block *b, const bounds *o, uint32_t anew, keep *k)
{
    int err = IMP_OK;
    device *d = c->dev64;
    raw_points raw = {0};
    TRY(raw_open(c, b, b->frame, &raw));
    TRY(RUN(d, moved_points, o->verts.count, CHUNKS_OF(&o->verts), POINTS_OF(&raw), &k->used, anew,
            &k->before, &k->moved_point, &k->box, &k->bad));
    TRY(device_finish(d)); /* of the caller's points */
out:
    raw_close(c, &raw);
    return err;
}

int keep_points_first(const context *c, const block *b, const bounds *o, keep *k)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(put_used(c, b, k));
    TRY(buffer_fit(d, &k->before, (size_t)DIMENSIONS * b->verts));
    TRY(buffer_fit(d, &k->moved_point, b->verts));
    TRY(buffer_fit(d, &k->moved, b->prims));
    TRY(buffer_fit(d, &k->box, (size_t)BOX_BOUNDS * o->verts.count));
    TRY(buffer_fit(d, &k->bad, o->verts.count));
    TRY(take_points(c, b, o, 1, k));
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
    return !wrong && lo[0] <= hi[0];
}

int keep_points_next(const context *c, const block *b, const bounds *o, keep *k, int *same)
{
    int err = IMP_OK;
    device *d = c->dev64;
    uint32_t n = o->verts.count;
    double *box = NULL, lo[3], hi[3];
    uint32_t *bad = NULL;
    TRY(mem_alloc(c->mem, (size_t)BOX_BOUNDS * n * sizeof *box, &box));
    TRY(mem_alloc(c->mem, n * sizeof *bad, &bad));
    if (b->roster && b->roster->changes)
        TRY(put_used(c, b, k));
    TRY(take_points(c, b, o, 0, k));
    TRY(buffer_read(d, &k->box, 0, box, (size_t)BOX_BOUNDS * n));
    TRY(buffer_read(d, &k->bad, 0, bad, n));
    *same = points_box(box, bad, n, lo, hi) && bound_same_unit(&o->units, lo, hi);
    if (!*same)
        goto out;
    TRY(RUN(d, moved_prims, b->prims, b->corners, &o->wide.corner, &k->moved_point, &k->moved));
    if (b->roster)
        TRY(roster_mark(c, b->roster, &k->places, &k->moved));
out:
    mem_free(c->mem, box);
    mem_free(c->mem, bad);
    return err;
}

int keep_bounds(const context *c, const block *b, bounds *o, const keep *k)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const bound_scratch *t = &o->scratch;
    TRY(RUN(d, frame_scale, o->verts.count, FRAME_CHUNKS_OF(&o->verts), &k->none, &k->before, 1u,
            &t->scale, &o->x));
    TRY(RUN(d, moved_bounds, b->prims, &k->moved, &t->centre, b->corners, &o->wide.corner, &o->x,
            c->opt.dop_k, &o->wide.box, &o->wide.slab));
out:
    return err;
}
