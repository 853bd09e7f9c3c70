/* Room 2: from points to bounds. A frame's own box gives a centre and a power of two that scales it
 * to [-1, 1], both in steps (frame_unit); bounds are float32 in those units, rounded outward. They
 * depend on the frame alone, not on the block that it travels in. */
#include "engine.h"
#include "nearby.h"
#include "raw_points.h"
#include "roster.h"

#include "error.h"
#include "dop.h"
#include "prim.h"

#include <math.h>
#include <string.h>

/* ---- topology: corners and objects of all frames */

static int wants_objects(const context *c)
{
    return (c->opt.rules & RULE_OBJECTS) != 0;
}

/* One frame: its mesh is the block's topology as it is. */
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

/* Where triangles and tetrahedra are mixed, a triangle is known by its last corner, repeated: so no
 * tetrahedron may end like that, unless it is a point. */
static void corners_mark(uint32_t corner[4])
{
    uint32_t last = corner[3];
    uint32_t *other = corner[0] != last ? &corner[0] : &corner[1];
    if (corner[2] != last)
        return;
    corner[3] = *other;
    *other = last;
}

void bound_corners_of(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out)
{
    for (uint32_t k = 0; k < corners; k++)
        out[k] = mesh_vertex(m, i, k);
    if (m->own && m->own[i] == corners)
        corners_mark(out);
}

/* The corners of a mesh's primitives, as many each as the block has. Repeating the last changes
 * neither bounds nor which vertices two share. */
static void corners_stage(const imp_mesh *m, uint32_t corners, uint32_t *out)
{
    if (mesh_corners(m) == corners && m->primitives && !m->own) {
        memcpy(out, m->corner, mesh_corner_count(m) * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < m->primitives; i++, out += corners)
        bound_corners_of(m, i, corners, out);
}

/* Corners, and objects if asked for, of each different mesh of the block, one after another. */
static void topology_stage(const block *b, uint32_t *corner, int32_t *object)
{
    size_t done = 0;
    for (uint32_t f = 0; f < b->frames; f++) {
        const imp_mesh *m = b->frame[f].mesh;
        if (b->mesh0[f] < done)
            continue; /* the mesh of the frame before */
        corners_stage(m, b->corners, corner + b->corners * done);
        for (uint32_t i = 0; object && i < m->primitives; i++)
            object[done + i] = m->object ? m->object[i] : 0;
        done += m->primitives;
    }
}

static int topology_expand(const context *c, const block *b, const uint32_t *corner,
                           const int32_t *object, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    size_t n = b->mesh_prims;
    prim_set *s = &o->wide;
    bound_scratch *t = &o->scratch;
    buffer_u32 from = {0};
    buffer_i32 from_object = {0};
    TRY(buffer_put(d, &t->vert0, b->vert0, b->frames));
    TRY(buffer_put(d, &t->mesh0, b->mesh0, b->frames));
    TRY(buffer_wrap(d, &from, corner, b->corners * n));
    TRY(buffer_fit(d, &s->corner, (size_t)b->corners * b->prims));
    TRY(RUN(d, bound_corners, b->prims, b->frames, &s->prim0, &t->vert0, &t->mesh0, b->corners,
            &from, &s->corner));
    if (!wants_objects(c))
        goto out;
    TRY(buffer_wrap(d, &from_object, object, n));
    TRY(buffer_fit(d, &s->object, b->prims));
    TRY(RUN(d, bound_objects, b->prims, b->frames, &s->prim0, &t->mesh0, &from_object, &s->object));
out:
    buffer_free(d, &from);
    buffer_free(d, &from_object);
    return err;
}

static int topology(const context *c, const block *b, bounds *o)
{
    int err = IMP_OK;
    prim_set *s = &o->wide;
    uint32_t *corner = NULL;
    int32_t *object = NULL;
    TRY(buffer_put(c->dev64, &s->prim0, b->prim0, b->frames + 1));
    TRY(buffer_put(c->dev64, &s->list, c->opt.list, c->opt.listed));
    if (!wants_objects(c))
        TRY(buffer_fit(c->dev64, &s->object, 0));
    if (b->frames == 1 && b->corners == mesh_corners(b->frame->mesh) && !b->frame->mesh->own &&
        !b->roster) {
        TRY(topology_single(c, b->frame->mesh, s));
        goto out;
    }
    TRY(mem_alloc(c->mem, (size_t)b->corners * b->mesh_prims * sizeof *corner, &corner));
    if (wants_objects(c))
        TRY(mem_alloc(c->mem, b->mesh_prims * sizeof *object, &object));
    topology_stage(b, corner, object);
    TRY(topology_expand(c, b, corner, object, o));
out:
    mem_free(c->mem, corner);
    mem_free(c->mem, object);
    return err;
}

/* ---- the frame's box, centre and scale */

/* Which vertex of the first bad primitive is not finite. */
static int bad_fail(const imp_frame *f)
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

#define FAR 1000 /* scaled coordinates are below 2^FAR */

#define CENTRE_STEP 0.25 /* scaled: a power of two */

/* A power of two 2^-e with half extent * 2^-e at most 1 - CENTRE_STEP / 2 and more than half of
 * that, so that no coordinate is farther than 1 from a centre which is off by half a step; 0 if the
 * frame is a point or empty. Along an axis on which nothing extends the frame may lie so far out
 * that this would overflow: then the unit is as small as it can be. */
int bound_exponent(const double *lo, const double *hi)
{
    int e = 0, e_far;
    double half = 0, far = 0, mantissa = 0;
    for (int k = 0; k < 3; k++) {
        half = fmax(half, 0.5 * hi[k] - 0.5 * lo[k]);
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    frexp(far, &e_far);
    if (half > 0)
        mantissa = frexp(half, &e);
    e += mantissa > 1 - CENTRE_STEP / 2;
    return e < e_far - FAR ? e_far - FAR : e;
}

/* Unit and centre go in steps, so that as long as a frame's box makes none, what did not move since
 * the frame before has the same bounds to the last bit, whatever else moved; and they depend on
 * this frame alone. The unit is a product of two powers of two that are always normal numbers. */
static void frame_unit(units *u, size_t f, const double *lo, const double *hi)
{
    int e = bound_exponent(lo, hi), e0 = e / 2, e1 = e - e0;
    double s0 = ldexp(1, -e0), s1 = ldexp(1, -e1);
    u->scale[2 * f] = s0;
    u->scale[2 * f + 1] = s1;
    u->unscale[2 * f] = ldexp(1, e0);
    u->unscale[2 * f + 1] = ldexp(1, e1);
    for (size_t k = 0; k < 3; k++) {
        double middle = (0.5 * lo[k] + 0.5 * hi[k]) * s0 * s1;
        double centre = rint(middle / CENTRE_STEP) * CENTRE_STEP;
        u->centre[3 * f + k] = centre;
        u->half[3 * f + k] = fmax(hi[k] * s0 * s1 - centre, centre - lo[k] * s0 * s1);
    }
}

int bound_same_unit(const units *of, const double lo[3], const double hi[3])
{
    double scale[2], unscale[2], centre[3], half[3];
    units u = {.scale = scale, .unscale = unscale, .centre = centre, .half = half};
    frame_unit(&u, 0, lo, hi);
    int same = scale[0] == of->scale[0] && scale[1] == of->scale[1];
    for (int k = 0; k < DIMENSIONS; k++)
        same = same && centre[k] == of->centre[k];
    return same;
}

/* Joins the chunks' boxes, [BOX_BOUNDS * chunks], frame by frame. */
static void frame_units(const block *b, bounds *o, const double *box)
{
    const chunks *c = &o->prims;
    uint32_t n = 0;
    for (uint32_t f = 0; f < b->frames; f++) {
        double lo[3] = {0}, hi[3] = {0};
        int any = 0;
        for (; n < c->count && c->frame[n] == f; n++) {
            const double *q = box + (size_t)BOX_BOUNDS * n;
            if (q[0] > q[3])
                continue;
            for (int k = 0; k < 3; k++) {
                lo[k] = any && lo[k] < q[k] ? lo[k] : q[k];
                hi[k] = any && hi[k] > q[3 + k] ? hi[k] : q[3 + k];
            }
            any = 1;
        }
        frame_unit(&o->units, f, lo, hi);
    }
}

static int bad_sum(const context *c, const block *b, bounds *o, const uint32_t *bad)
{
    const chunks *k = &o->prims;
    uint32_t *sum = o->units.bad;
    memset(sum, 0, b->frames * sizeof *sum);
    for (uint32_t n = 0; n < k->count; n++)
        sum[k->frame[n]] += bad[n];
    if (b->roster)
        sum[0] -= roster_absent(b->roster);
    for (uint32_t f = 0; f < b->frames; f++)
        if (sum[f] && c->opt.on_bad == IMP_BAD_ERROR)
            return bad_fail(&o->frame[f]);
    return IMP_OK;
}

static int frame_boxes(const context *c, const block *b, const raw_points *r, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    size_t n = o->prims.count;
    bound_scratch *t = &o->scratch;
    double *box = NULL;
    uint32_t *bad = NULL;
    if (b->near) {
        frame_unit(&o->units, 0, b->near->lo, b->near->hi);
        o->units.bad[0] = 0;
        goto out;
    }
    TRY(buffer_fit(d, &t->box, BOX_BOUNDS * n));
    TRY(buffer_fit(d, &t->bad, n));
    TRY(mem_alloc(c->mem, BOX_BOUNDS * n * sizeof *box, &box));
    TRY(mem_alloc(c->mem, n * sizeof *bad, &bad));
    TRY(RUN(d, frame_box, n, CHUNKS_OF(&o->prims), b->corners, &o->wide.corner, POINTS_OF(r),
            &t->box, &t->bad));
    TRY(buffer_read(d, &t->box, 0, box, BOX_BOUNDS * n));
    TRY(buffer_read(d, &t->bad, 0, bad, n));
    TRY(bad_sum(c, b, o, bad));
    frame_units(b, o, box);
out:
    mem_free(c->mem, box);
    mem_free(c->mem, bad);
    return err;
}

static int frame_scaled(const context *c, const block *b, const raw_points *r, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    buffer_f64 *scale = &o->scratch.scale;
    TRY(buffer_put(d, scale, o->units.scale, (size_t)2 * b->frames));
    TRY(buffer_put(d, &o->unscale, o->units.unscale, (size_t)2 * b->frames));
    TRY(chunks_make(c->mem, d, &o->verts, b->vert0, b->frames, BOUND_CHUNK));
    TRY(buffer_fit(d, &o->x, (size_t)DIMENSIONS * b->verts));
    TRY(RUN(d, frame_scale, o->verts.count, FRAME_CHUNKS_OF(&o->verts), POINTS_OF(r), scale,
            &o->x));
out:
    return err;
}

/* ---- bounds */

static int primitive_bounds(const context *c, const block *b, bounds *o)
{
    int err = IMP_OK;
    device *d = c->dev64;
    prim_set *s = &o->wide;
    uint32_t k = c->opt.dop_k;
    buffer_f64 *centre = &o->scratch.centre;
    o->extra = dop_extra_count(k);
    TRY(buffer_put(d, centre, o->units.centre, (size_t)DIMENSIONS * b->frames));
    TRY(buffer_fit(d, &s->box, (size_t)BOX_BOUNDS * b->prims));
    TRY(buffer_fit(d, &s->slab, (size_t)2 * o->extra * b->prims));
    TRY(RUN(d, bound_box, b->prims, b->frames, &s->prim0, centre, b->corners, &s->corner, &o->x,
            &s->box));
    if (o->extra)
        TRY(RUN(d, bound_slabs, b->prims, b->frames, &s->prim0, centre, b->corners, &s->corner,
                &o->x, k, &s->slab));
out:
    return err;
}

#define SET_BUFFERS 6
static void set_buffers(prim_set *s, buffer *out[SET_BUFFERS])
{
    buffer *all[SET_BUFFERS] = {&s->corner.raw, &s->object.raw, &s->list.raw,
                                &s->prim0.raw,  &s->box.raw,    &s->slab.raw};
    memcpy(out, all, sizeof all);
}

/* Where the device of the broad phase lacks float64, the host made the bounds: copy them over. */
static int bring_broad(const context *c, const block *b, bounds *o)
{
    int err = IMP_OK;
    buffer *from[SET_BUFFERS], *to[SET_BUFFERS];
    set_buffers(&o->wide, from);
    set_buffers(&o->broad, to);
    if (c->dev == c->dev64) {
        o->broad = o->wide;
        o->broad_prims = o->prims;
        return IMP_OK;
    }
    TRY(chunks_make(c->mem, c->dev, &o->broad_prims, b->prim0, b->frames, BOUND_CHUNK));
    for (int i = 0; i < SET_BUFFERS; i++)
        TRY(bytes_put(c->dev, to[i], from[i]->data, from[i]->bytes));
out:
    return err;
}

static void scratch_free(const context *c, bound_scratch *t)
{
    buffer *bound[] = {&t->vert0.raw, &t->mesh0.raw, &t->bad.raw,
                       &t->box.raw,   &t->scale.raw, &t->centre.raw};
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        bytes_free(c->dev64, bound[i]);
}

void bound_free(const context *c, bounds *o)
{
    buffer *wide[SET_BUFFERS], *copy[SET_BUFFERS];
    set_buffers(&o->wide, wide);
    set_buffers(&o->broad, copy);
    for (int i = 0; i < SET_BUFFERS; i++) {
        if (c->dev != c->dev64)
            bytes_free(c->dev, copy[i]);
        bytes_free(c->dev64, wide[i]);
    }
    scratch_free(c, &o->scratch);
    buffer_free(c->dev64, &o->x);
    buffer_free(c->dev64, &o->unscale);
    if (c->dev != c->dev64)
        chunks_free(c->mem, c->dev, &o->broad_prims);
    chunks_free(c->mem, c->dev64, &o->prims);
    chunks_free(c->mem, c->dev64, &o->verts);
    mem_free(c->mem, o->units.memory);
    *o = (bounds){0};
}

/* Lays the arrays of all frames out in one allocation. */
static int units_fit(mem *m, units *u, size_t n)
{
    if (u->memory && u->capacity >= n)
        return IMP_OK;
    mem_free(m, u->memory);
    *u = (units){0};
    int err = mem_alloc(m, n * (10 * sizeof(double) + 2 * sizeof(uint32_t)), &u->memory);
    if (err)
        return err;
    u->capacity = (uint32_t)n;
    u->scale = u->memory;
    u->unscale = u->scale + 2 * n;
    u->centre = u->unscale + 2 * n;
    u->half = u->centre + 3 * n;
    u->bad = (uint32_t *)(u->half + 3 * n);
    u->bipartite = u->bad + n;
    return IMP_OK;
}

int bound(const context *c, const block *b, const imp_frame *frame, bounds *o)
{
    int err = IMP_OK;
    raw_points raw = {0};
    o->frame = frame;
    TRY(units_fit(c->mem, &o->units, b->frames));
    TRY(chunks_make(c->mem, c->dev64, &o->prims, b->prim0, b->frames, BOUND_CHUNK));
    TRY(topology(c, b, o));
    TRY(raw_open(c, b, frame, &raw));
    TRY(frame_boxes(c, b, &raw, o));
    TRY(frame_scaled(c, b, &raw, o));
    TRY(primitive_bounds(c, b, o));
    TRY(bring_broad(c, b, o));
out:
    raw_close(c, &raw);
    return err;
}
