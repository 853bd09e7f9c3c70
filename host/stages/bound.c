/* From points to bounds. A frame's own box gives a centre and a power of two that scales it to [-1,
 * 1], both in steps (bounds.h); bounds are float32 in those units, rounded outward. They depend on
 * the frame alone, not on its block. With two instants, a frame's box and the bounds cover both. */
#include "dop.h"
#include "error.h"
#include "far.h"
#include "frame.h"
#include "motion.h"
#include "parallel.h"
#include "persistent_ids.h"
#include "prim.h"
#include "stages.h"

#include <math.h>
#include <string.h>

/* ---- the frame's box, centre and scale */

/* Searched on the host, for the message only. */
int bound_fail_bad(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (uint32_t i = 0; i < m->primitives; i++)
        for (uint32_t c = 0; c < mesh_corners(m); c++) {
            size_t v = mesh_vertex(m, i, c);
            double x[DIMENSIONS];
            frame_vertex(f, v, x);
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
                return imp_fail(
                    IMP_ERR_INPUT, "frame %llu: vertex %zu of %s %u is not finite (%g %g %g)",
                    (unsigned long long)f->number, v, mesh_kind_name(m, i), i, x[0], x[1], x[2]);
        }
    return imp_fail(IMP_ERR_INPUT, "frame %llu: a vertex is not finite",
                    (unsigned long long)f->number);
}

/* A frame's box; empty if no primitive is finite. */
typedef struct frame_reach {
    double lo[3], hi[3];
    int any;
} frame_reach;

/* Adds the chunks' boxes, [BOX_BOUNDS * chunks], to those of their frames. */
static void reach_join(const chunks *c, const double *box, frame_reach *reach)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const double *q = box + (size_t)BOX_BOUNDS * n;
        frame_reach *r = &reach[c->frame[n]];
        /* The box is empty: no primitive of the chunk is finite. */
        if (q[0] > q[3])
            continue;
        for (int k = 0; k < 3; k++) {
            r->lo[k] = r->any && r->lo[k] < q[k] ? r->lo[k] : q[k];
            r->hi[k] = r->any && r->hi[k] > q[3 + k] ? r->hi[k] : q[3 + k];
        }
        r->any = 1;
    }
}

/* Uses the box of the whole frame, so that parts of it have its unit. */
static void reach_whole(const imp_whole *whole, uint32_t frames, frame_reach *reach)
{
    for (uint32_t f = 0; f < frames; f++) {
        memcpy(reach[f].lo, whole->box[0], sizeof reach[f].lo);
        memcpy(reach[f].hi, whole->box[1], sizeof reach[f].hi);
        reach[f].any = 1;
    }
}

/* Counts the bad primitives of an instant; those of a step are counted by bad_of_both. */
static int bad_sum(const context *c, const block_view *v, const imp_frame *frame, bounds *o,
                   const uint32_t *bad)
{
    const chunks *k = &o->prims;
    uint32_t *sum = o->normalisation.bad;
    memset(sum, 0, v->frames * sizeof *sum);
    for (uint32_t n = 0; n < k->count; n++)
        sum[k->frame[n]] += bad[n];
    /* The kernel has counted free stable ids, whose vertices are nowhere (NaN). */
    if (v->ids)
        sum[0] -= persistent_ids_absent(v->ids);
    for (uint32_t f = 0; f < v->frames; f++)
        if (sum[f] && c->opt.on_bad == IMP_BAD_ERROR)
            return bound_fail_bad(&frame[f]);
    return IMP_OK;
}

/* Adds the boxes of an instant's frames to `reach` and counts bad primitives, both on the host. */
static int frame_boxes(const context *c, const block_view *v, const imp_frame *frame,
                       const raw_points *r, bounds *o, frame_reach *reach)
{
    int err = IMP_OK;
    device *d = c->dev64;
    size_t n = o->prims.count;
    bound_scratch *t = &o->scratch;
    double *box = NULL;
    uint32_t *bad = NULL;
    /* A part has the unit of its whole frame, so that its bounds have the same bits. object_clip.c
     * has checked that all points are finite. */
    if (v->box) {
        memcpy(reach->lo, v->box[0], sizeof reach->lo);
        memcpy(reach->hi, v->box[1], sizeof reach->hi);
        o->normalisation.bad[0] = 0;
        goto out;
    }
    TRY(buffer_fit(d, &t->box, BOX_BOUNDS * n));
    TRY(buffer_fit(d, &t->bad, n));
    TRY(mem_alloc(c->mem, BOX_BOUNDS * n * sizeof *box, &box));
    TRY(mem_alloc(c->mem, n * sizeof *bad, &bad));
    TRY(RUN_CHUNKS(d, frame_box, n, CHUNKS_OF(&o->prims), v->corners, &o->on64.corner, POINTS_OF(r),
                   &t->box, &t->bad));
    const readout both[] = {READOUT(&t->box, 0, box, BOX_BOUNDS * n), READOUT(&t->bad, 0, bad, n)};
    TRY(device_read_all(d, both, 2));
    TRY(bad_sum(c, v, frame, o, bad));
    reach_join(&o->prims, box, reach);
    if (c->opt.whole)
        reach_whole(c->opt.whole, v->frames, reach);
out:
    mem_free(c->mem, box);
    mem_free(c->mem, bad);
    return err;
}

/* Scales by two factors: their product may not be a normal number (bounds.c). */
static int scale_make(const context *c, const block_view *v, const frame_reach *reach, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    for (uint32_t f = 0; f < v->frames; f++)
        normalisation_set(&o->normalisation, f, reach[f].lo, reach[f].hi);
    TRY(buffer_put(d, &o->scratch.scale, o->normalisation.scale, (size_t)2 * v->frames));
    TRY(buffer_put(d, &o->scratch.centre, o->normalisation.centre, (size_t)DIMENSIONS * v->frames));
    TRY(buffer_put(d, &o->unscale, o->normalisation.unscale, (size_t)2 * v->frames));
    TRY(chunks_make_used(c->mem, d, &o->verts, v->vert0, v->frames, BOUND_CHUNK, v->used));
out:
    return err;
}

/* Scales the points of an instant; also rounds those of the first instant if the narrow phase needs
 * it. */
static int points_scale(const context *c, const block_view *v, const raw_points *r, bounds *o,
                        buffer_f64 *x)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const uint32_t far = x == &o->x && narrow_filters_float(c);
    TRY(buffer_fit(d, x, (size_t)DIMENSIONS * v->verts));
    if (x == &o->x)
        TRY(buffer_fit(d, &o->on64.point, far ? (size_t)FAR_POINT * v->verts : 0));
    TRY(RUN_CHUNKS(d, frame_scale, o->verts.count, FRAME_CHUNKS_OF(&o->verts), POINTS_OF(r),
                   &o->scratch.scale, x, far, &o->scratch.centre, &o->on64.point));
out:
    return err;
}

/* ---- bounds */

/* Bounds of an instant are relative to the centre of the frame, where float32 has the most digits.
 */
static int instant_bounds(const context *c, const block_view *v, bounds *o, const buffer_f64 *x,
                          buffer_f32 *box, buffer_f32 *slab)
{
    int err = IMP_OK;
    device *d = c->dev64;
    const prim_set *s = &o->on64;
    const buffer_f64 *centre = &o->scratch.centre;
    uint32_t k = c->opt.dop_k;
    o->extra = dop_extra_count(k);
    TRY(buffer_fit(d, box, (size_t)BOX_BOUNDS * v->prims));
    TRY(buffer_fit(d, slab, (size_t)2 * o->extra * v->prims));
    TRY(RUN(d, bound_box, v->prims, v->frames, &s->prim0, centre, v->corners, &s->corner, x, box));
    if (o->extra)
        TRY(RUN(d, bound_slabs, v->prims, v->frames, &s->prim0, centre, v->corners, &s->corner, x,
                k, slab));
out:
    return err;
}

static double bound_scaled_half(const normalisation *u, size_t f, double length)
{
    return length / 2 * u->scale[2 * f] * u->scale[2 * f + 1];
}

/* The inflation for this half of a distance: with a margin above the rounding error. */
static double bound_grow_by(double half)
{
    return fmin(half * 1.000001 + 1e-12, BOUND_GROW_MOST);
}

/* Half of the separation in the unit of each frame. */
static void put_separation(const context *c, const block_view *v, const normalisation *u,
                           double *grow)
{
    for (size_t f = 0; f < v->frames; f++) {
        const double half = bound_scaled_half(u, f, c->opt.separation);
        grow[f] = half > 0 ? bound_grow_by(half) : 0;
    }
}

/* The largest margin of a frame. */
static double margin_most(const block_view *v, uint32_t f, const double *margin)
{
    double most = 0;
    for (uint32_t i = v->prim0[f]; i < v->prim0[f + 1]; i++)
        most = fmax(most, margin[i]);
    return most;
}

/* Uploads the margins of primitives of rotating bodies; without such bodies the buffer is not
 * read. */
static int put_margins(const context *c, const block_view *v, bound_margins *margins, bounds *o,
                       double *most)
{
    int err = IMP_OK;
    double *margin = NULL;
    memset(most, 0, v->frames * sizeof *most);
    if (!v->rigid)
        return buffer_fit(c->dev64, &o->scratch.margin, 0);
    TRY(mem_alloc(c->mem, v->prims * sizeof *margin, &margin));
    margins(v->rigid, &o->normalisation, c->threads, margin);
    for (uint32_t f = 0; f < v->frames; f++)
        most[f] = margin_most(v, f, margin);
    TRY(buffer_put(c->dev64, &o->scratch.margin, margin, v->prims));
out:
    mem_free(c->mem, margin);
    return err;
}

/* Inflates the bounds of each primitive by half of its thickness. */
static int bound_thicknesses(const context *c, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    prim_set *s = &o->on64;
    double *margin = NULL, *grow = NULL;
    TRY(mem_alloc(c->mem, v->prims * sizeof *margin, &margin));
    TRY(mem_alloc(c->mem, v->frames * sizeof *grow, &grow));
    memset(grow, 0, v->frames * sizeof *grow);
    for (uint32_t f = 0; f < v->frames; f++) {
        const double *t = v->frame[f].mesh->thickness;
        for (uint32_t i = v->prim0[f]; i < v->prim0[f + 1]; i++, t++)
            margin[i] = *t > 0 ? bound_grow_by(bound_scaled_half(&o->normalisation, f, *t)) : 0;
        normalisation_grow(&o->normalisation, f, margin_most(v, f, margin));
    }
    TRY(buffer_put(d, &o->scratch.margin, margin, v->prims));
    TRY(buffer_put(d, &o->scratch.grow, grow, v->frames));
    TRY(RUN(d, bound_grow, v->prims, v->frames, &s->prim0, &o->scratch.grow, 1, &o->scratch.margin,
            o->extra, &s->box, &s->slab));
out:
    mem_free(c->mem, margin);
    mem_free(c->mem, grow);
    return err;
}

/* Inflates bounds by the separation, and by the distance of vertices of rotating bodies from linear
 * motion. */
static int grown_bounds(const context *c, const block_view *v, bound_margins *margins, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    prim_set *s = &o->on64;
    double *grow = NULL, *most;
    TRY(mem_alloc(c->mem, (size_t)2 * v->frames * sizeof *grow, &grow));
    most = grow + v->frames;
    put_separation(c, v, &o->normalisation, grow);
    TRY(put_margins(c, v, margins, o, most));
    for (size_t f = 0; f < v->frames; f++)
        normalisation_grow(&o->normalisation, f, fmin(grow[f] + most[f], BOUND_GROW_MOST));
    TRY(buffer_put(d, &o->scratch.grow, grow, v->frames));
    TRY(RUN(d, bound_grow, v->prims, v->frames, &s->prim0, &o->scratch.grow, v->rigid != NULL,
            &o->scratch.margin, o->extra, &s->box, &s->slab));
out:
    mem_free(c->mem, grow);
    return err;
}

/* Bounds of both instants, rounded outward, contain all times between, since vertices move
 * linearly. */
static int step_bounds(const context *c, const block_view *v, bound_margins *margins, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    prim_set *s = &o->on64;
    bound_scratch *t = &o->scratch;
    TRY(instant_bounds(c, v, o, &o->x_to, &t->box_to, &t->slab_to));
    TRY(RUN(d, bound_join, v->prims, &t->box_to, o->extra, &t->slab_to, &s->box, &s->slab));
    if (c->opt.separation > 0 || v->rigid)
        TRY(grown_bounds(c, v, margins, o));
out:
    return err;
}

#define SET_BUFFERS 7
/* The buffers of a set in a fixed order, so that sets can be copied and freed in loops. */
static void set_buffers(prim_set *s, buffer *out[SET_BUFFERS])
{
    buffer *all[SET_BUFFERS] = {&s->corner.raw, &s->object.raw, &s->list.raw, &s->prim0.raw,
                                &s->box.raw,    &s->slab.raw,   &s->point.raw};
    memcpy(out, all, sizeof all);
}

/* Copies the bounds from the host, which made them, if the device of the broad phase lacks float64.
 * Else both sets are the same buffers, and bound_free frees them once. */
static int bound_to_broad_device(const context *c, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    buffer *from[SET_BUFFERS], *to[SET_BUFFERS];
    set_buffers(&o->on64, from);
    set_buffers(&o->broad, to);
    if (c->dev == c->dev64) {
        o->broad = o->on64;
        o->broad_prims = o->prims;
        return IMP_OK;
    }
    TRY(chunks_make(c->mem, c->dev, &o->broad_prims, v->prim0, v->frames, BOUND_CHUNK));
    for (int i = 0; i < SET_BUFFERS; i++)
        TRY(bytes_put(c->dev, to[i], from[i]->data, from[i]->bytes));
out:
    return err;
}

static void scratch_free(const context *c, bound_scratch *t)
{
    buffer *bound[] = {&t->vert0.raw, &t->mesh0.raw,  &t->bad.raw,    &t->box.raw,
                       &t->scale.raw, &t->centre.raw, &t->box_to.raw, &t->slab_to.raw,
                       &t->grow.raw,  &t->margin.raw};
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        bytes_free(c->dev64, bound[i]);
}

void bound_free_points(const context *c, bounds *o)
{
    raw_free(c, &o->scratch.raw);
    raw_free(c, &o->scratch.raw_to);
    raw_free(c, &o->scratch.prefetched);
}

void bound_free(const context *c, bounds *o)
{
    buffer *wide[SET_BUFFERS], *copy[SET_BUFFERS];
    set_buffers(&o->on64, wide);
    set_buffers(&o->broad, copy);
    for (int i = 0; i < SET_BUFFERS; i++) {
        if (c->dev != c->dev64)
            bytes_free(c->dev, copy[i]);
        bytes_free(c->dev64, wide[i]);
    }
    scratch_free(c, &o->scratch);
    bound_free_points(c, o);
    buffer_free(c->dev64, &o->x);
    buffer_free(c->dev64, &o->x_to);
    buffer_free(c->dev64, &o->unscale);
    if (c->dev != c->dev64)
        chunks_free(c->mem, c->dev, &o->broad_prims);
    chunks_free(c->mem, c->dev64, &o->prims);
    chunks_free(c->mem, c->dev64, &o->verts);
    normalisation_free(c->mem, &o->normalisation);
    *o = (bounds){0};
}

/* Returns whether a vertex of primitive i is not finite. */
static int prim_bad(const imp_frame *f, uint32_t i)
{
    for (uint32_t k = 0; k < mesh_corners(f->mesh); k++) {
        double x[DIMENSIONS];
        frame_vertex(f, mesh_vertex(f->mesh, i, k), x);
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
            return 1;
    }
    return 0;
}

int bound_bad_in(const block_view *v, uint32_t f, uint32_t i)
{
    return prim_bad(&v->frame[f], i) || (v->to && prim_bad(&v->to[f], i));
}

/* Counts bad primitives of steps: one that is bad at both instants counts once. on_bad is SKIP, and
 * few frames have any. */
static void bad_of_both(const block_view *v, bounds *o, const uint32_t *bad_from)
{
    for (uint32_t f = 0; f < v->frames; f++) {
        if (!bad_from[f] && !o->normalisation.bad[f])
            continue;
        o->normalisation.bad[f] = 0;
        for (uint32_t i = 0; i < v->frame[f].mesh->primitives; i++)
            o->normalisation.bad[f] += (uint32_t)bound_bad_in(v, f, i);
    }
}

/* The common part for one instant and for two. */
static int bound_begin(const context *c, const block_view *v, bounds *o, frame_reach **reach)
{
    int err = IMP_OK;
    raw_points *raw = &o->scratch.raw;
    TRY(normalisation_fit(c->mem, &o->normalisation, v->frames));
    TRY(mem_alloc(c->mem, v->frames * sizeof **reach, reach));
    memset(*reach, 0, v->frames * sizeof **reach);
    TRY(chunks_make(c->mem, c->dev64, &o->prims, v->prim0, v->frames, BOUND_CHUNK));
    TRY(topology_put(c, v, o));
    /* The first instant of a step was the second one of the step before. */
    TRY(raw_open(c, v, v->frame, raw, v->to ? &o->scratch.raw_to : &o->scratch.prefetched));
    TRY(frame_boxes(c, v, v->frame, raw, o, *reach));
out:
    return err;
}

int bound_block(const context *c, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    frame_reach *reach = NULL;
    TRY(bound_begin(c, v, o, &reach));
    TRY(scale_make(c, v, reach, o));
    /* The last read of the caller's points. */
    TRY(points_scale(c, v, &o->scratch.raw, o, &o->x));
    TRY(instant_bounds(c, v, o, &o->x, &o->on64.box, &o->on64.slab));
    if (c->opt.rows && c->opt.separation > 0)
        TRY(grown_bounds(c, v, NULL, o));
    if (c->opt.thickness)
        TRY(bound_thicknesses(c, v, o));
    TRY(bound_to_broad_device(c, v, o));
out:
    mem_free(c->mem, reach);
    raw_close(c, &o->scratch.raw);
    return err;
}

int bound_step(const context *c, const block_view *v, bound_margins *margins, bounds *o)
{
    int err = IMP_OK;
    raw_points *raw = &o->scratch.raw, *raw_to = &o->scratch.raw_to;
    frame_reach *reach = NULL;
    uint32_t *bad_from = NULL;
    TRY(bound_begin(c, v, o, &reach));
    TRY(mem_alloc(c->mem, v->frames * sizeof *bad_from, &bad_from));
    memcpy(bad_from, o->normalisation.bad, v->frames * sizeof *bad_from);
    TRY(raw_open(c, v, v->to, raw_to, &o->scratch.prefetched));
    TRY(frame_boxes(c, v, v->to, raw_to, o, reach));
    bad_of_both(v, o, bad_from);
    TRY(scale_make(c, v, reach, o));
    TRY(points_scale(c, v, raw, o, &o->x));
    TRY(points_scale(c, v, raw_to, o, &o->x_to));
    TRY(instant_bounds(c, v, o, &o->x, &o->on64.box, &o->on64.slab));
    TRY(step_bounds(c, v, margins, o));
    TRY(bound_to_broad_device(c, v, o));
out:
    mem_free(c->mem, bad_from);
    mem_free(c->mem, reach);
    raw_close(c, raw);
    raw_close(c, raw_to);
    return err;
}

static int wants_objects(const context *c)
{
    return (c->opt.rules & RULE_OBJECTS) != 0;
}

/* The topology of a single frame is its mesh's, whose arrays are used directly: the caller keeps
 * them until the block is done. */
static int topology_single(const context *c, const imp_mesh *m, prim_set *s)
{
    int err = IMP_OK;
    int32_t *none = NULL;
    TRY(buffer_wrap(c->dev64, &s->corner, m->corner, mesh_corner_count(m)));
    if (!wants_objects(c))
        goto out;
    if (m->object) {
        TRY(buffer_wrap(c->dev64, &s->object, m->object, m->primitives));
        goto out;
    }
    TRY(mem_alloc(c->mem, m->primitives * sizeof *none, &none));
    memset(none, 0, m->primitives * sizeof *none);
    TRY(buffer_put(c->dev64, &s->object, none, m->primitives));
out:
    mem_free(c->mem, none);
    return err;
}

/* The corners of a mesh's primitives, each with the number of corners of the view. Repeating the
 * last one changes neither bounds nor which vertices two share. */
static void corners_stage(const imp_mesh *m, uint32_t corners, uint32_t *out)
{
    /* The mesh already has them in the view's form. */
    if (mesh_corners(m) == corners && m->primitives && !m->corner_count) {
        memcpy(out, m->corner, mesh_corner_count(m) * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < m->primitives; i++, out += corners)
        block_view_corners(m, i, corners, out);
}

/* Corners, and objects if needed, of each different mesh of the block, one after another. */
static void topology_stage(const block_view *v, uint32_t *corner, int32_t *object)
{
    size_t done = 0;
    for (uint32_t f = 0; f < v->frames; f++) {
        const imp_mesh *m = v->frame[f].mesh;
        if (v->mesh0[f] < done)
            continue; /* the mesh of the frame before */
        corners_stage(m, v->corners, corner + v->corners * done);
        for (uint32_t i = 0; object && i < m->primitives; i++)
            object[done + i] = m->object ? m->object[i] : 0;
        done += m->primitives;
    }
}

/* Frames mostly share a mesh: it is copied to the device once, and a kernel writes the corners of
 * each frame. */
static int topology_expand(const context *c, const block_view *v, const uint32_t *corner,
                           const int32_t *object, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    size_t n = v->mesh_prims;
    prim_set *s = &o->on64;
    bound_scratch *t = &o->scratch;
    buffer_u32 from = {0};
    buffer_i32 from_object = {0};
    TRY(buffer_put(d, &t->vert0, v->vert0, v->frames));
    TRY(buffer_put(d, &t->mesh0, v->mesh0, v->frames));
    TRY(buffer_wrap(d, &from, corner, v->corners * n));
    TRY(buffer_fit(d, &s->corner, (size_t)v->corners * v->prims));
    TRY(RUN(d, bound_corners, v->prims, v->frames, &s->prim0, &t->vert0, &t->mesh0, v->corners,
            &from, &s->corner));
    if (!wants_objects(c))
        goto out;
    TRY(buffer_wrap(d, &from_object, object, n));
    TRY(buffer_fit(d, &s->object, v->prims));
    TRY(RUN(d, bound_objects, v->prims, v->frames, &s->prim0, &t->mesh0, &from_object, &s->object));
out:
    buffer_free(d, &from);
    buffer_free(d, &from_object);
    return err;
}

/* Returns whether the view is one frame whose mesh has the topology in the view's form. */
static int is_single(const block_view *v)
{
    return v->frames == 1 && v->corners == mesh_corners(v->frame->mesh) &&
           !v->frame->mesh->corner_count && !v->ids;
}

/* The mesh that a view leaves on the device for other views: none if its primitives are stable ids
 * or a part of a frame, or if the device uses the caller's arrays. */
static held_mesh held_by(const context *c, const block_view *v)
{
    const int none = !block_view_whole(v) || (c->dev64->host_memory && is_single(v));
    return none ? (held_mesh){0}
                : (held_mesh){v->topology, v->frames, v->corners, wants_objects(c)};
}

static int held_same(held_mesh a, held_mesh b)
{
    return a.topology && a.topology == b.topology && a.frames == b.frames &&
           a.corners == b.corners && a.objects == b.objects;
}

int topology_put(const context *c, const block_view *v, bounds *o)
{
    int err = IMP_OK;
    prim_set *s = &o->on64;
    uint32_t *corner = NULL;
    int32_t *object = NULL;
    const held_mesh held = held_by(c, v);
    /* The list differs from block to block: rigid_ccd.c. */
    TRY(buffer_put(c->dev64, &s->list, c->opt.list, c->opt.listed));
    if (held_same(held, o->held))
        goto out;
    o->held = (held_mesh){0};
    TRY(buffer_put(c->dev64, &s->prim0, v->prim0, v->frames + 1));
    if (!wants_objects(c))
        /* Kernels always have the buffer as an argument; they read it only if the rules need
         * objects. */
        TRY(buffer_fit(c->dev64, &s->object, 0));
    if (is_single(v)) {
        TRY(topology_single(c, v->frame->mesh, s));
        o->held = held;
        goto out;
    }
    TRY(mem_alloc(c->mem, (size_t)v->corners * v->mesh_prims * sizeof *corner, &corner));
    if (wants_objects(c))
        TRY(mem_alloc(c->mem, v->mesh_prims * sizeof *object, &object));
    topology_stage(v, corner, object);
    TRY(topology_expand(c, v, corner, object, o));
    o->held = held;
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}
