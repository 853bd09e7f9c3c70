/* Room 2: from points to bounds. A frame's own box gives its centre and a power of two that scales
 * it to about [-1, 1]; bounds are float32 in those units, rounded outward. They depend on the frame
 * alone, not on the block that it travels in. */
#include "engine.h"

#include "error.h"
#include "dop.h"
#include "prim.h"

#include <math.h>
#include <string.h>

#define CHUNK 4096

/* ---- topology: corners and objects of all frames */

static int wants_objects(const imp *p)
{
    return (p->bounds.rules & RULE_OBJECTS) != 0;
}

/* One frame: its mesh is the block's topology as it is. */
static int topology_single(imp *p)
{
    int err = IMP_OK;
    const imp_mesh *m = p->block.frame->mesh;
    prim_set *s = &p->bounds.made;
    int32_t *none = NULL;
    TRY(buffer_wrap(p->dev64, &s->corner, m->triangle, (size_t)12 * m->triangles));
    if (!wants_objects(p))
        goto out;
    if (m->object) {
        TRY(buffer_wrap(p->dev64, &s->object, m->object, (size_t)4 * m->triangles));
        goto out;
    }
    TRY(mem_alloc(&p->mem, (size_t)4 * m->triangles, &none));
    memset(none, 0, (size_t)4 * m->triangles);
    TRY(buffer_put(p->dev64, &s->object, none, (size_t)4 * m->triangles));
out:
    mem_free(&p->mem, none);
    return err;
}

/* Triangles, and objects if asked for, of each different mesh of the block, one after another. */
static void topology_stage(const imp *p, uint32_t *triangle, int32_t *object)
{
    const block *b = &p->block;
    size_t done = 0;
    for (uint32_t f = 0; f < b->frames; f++) {
        const imp_mesh *m = b->frame[f].mesh;
        if (b->tri0[f] < done)
            continue; /* the mesh of the frame before */
        if (m->triangles)
            memcpy(triangle + 3 * done, m->triangle, (size_t)12 * m->triangles);
        for (uint32_t i = 0; object && i < m->triangles; i++)
            object[done + i] = m->object ? m->object[i] : 0;
        done += m->triangles;
    }
}

static int topology_expand(imp *p, const buffer *prim0, const uint32_t *triangle,
                           const int32_t *object)
{
    int err = IMP_OK;
    const block *b = &p->block;
    prim_set *s = &p->bounds.made;
    device *d = p->dev64;
    size_t n = b->tri_total;
    buffer vert0 = {0}, tri0 = {0}, from = {0};
    TRY(buffer_put(d, &vert0, b->vert0, b->frames * sizeof(uint32_t)));
    TRY(buffer_put(d, &tri0, b->tri0, b->frames * sizeof(uint32_t)));
    TRY(buffer_wrap(d, &from, triangle, 12 * n));
    TRY(buffer_fit(d, &s->corner, (size_t)12 * b->prims));
    TRY(RUN(d, bound_corners, b->prims, U32(b->frames), BUF(prim0), BUF(&vert0), BUF(&tri0),
            BUF(&from), BUF(&s->corner)));
    if (!wants_objects(p))
        goto out;
    TRY(buffer_wrap(d, &from, object, 4 * n));
    TRY(buffer_fit(d, &s->object, (size_t)4 * b->prims));
    TRY(RUN(d, bound_objects, b->prims, U32(b->frames), BUF(prim0), BUF(&tri0), BUF(&from),
            BUF(&s->object)));
out:
    buffer_free(d, &vert0);
    buffer_free(d, &tri0);
    buffer_free(d, &from);
    return err;
}

static int topology(imp *p)
{
    int err = IMP_OK;
    const block *b = &p->block;
    prim_set *s = &p->bounds.made;
    uint32_t *triangle = NULL;
    int32_t *object = NULL;
    TRY(buffer_put(p->dev64, &s->prim0, b->prim0, (b->frames + 1) * sizeof(uint32_t)));
    TRY(buffer_put(p->dev64, &s->list, p->object_pair, p->bounds.listed * sizeof(uint64_t)));
    if (!wants_objects(p))
        TRY(buffer_fit(p->dev64, &s->object, 0));
    if (b->frames == 1) {
        TRY(topology_single(p));
        goto out;
    }
    TRY(mem_alloc(&p->mem, (size_t)12 * b->tri_total, &triangle));
    if (wants_objects(p))
        TRY(mem_alloc(&p->mem, (size_t)4 * b->tri_total, &object));
    topology_stage(p, triangle, object);
    TRY(topology_expand(p, &s->prim0, triangle, object));
out:
    mem_free(&p->mem, triangle);
    mem_free(&p->mem, object);
    return err;
}

/* ---- points */

/* The block's points as the caller has them: one array of one type. */
typedef struct raw_points {
    buffer buf;
    uint32_t wide; /* float64 */
    void *staged;  /* what buf is a view of, if the frames did not lie side by side */
} raw_points;

static size_t point_size(const imp_frame *f)
{
    return f->type == IMP_FLOAT32 ? 12 : 24;
}

static int side_by_side(const block *b)
{
    for (uint32_t f = 1; f < b->frames; f++) {
        const imp_frame *last = &b->frame[f - 1], *next = &b->frame[f];
        const char *end = (const char *)last->point + point_size(last) * last->mesh->vertices;
        if (next->type != last->type || (const char *)next->point != end)
            return 0;
    }
    return 1;
}

static void stage_points(const block *b, double *out)
{
    for (uint32_t f = 0; f < b->frames; f++) {
        size_t n = (size_t)3 * b->frame[f].mesh->vertices;
        const float *narrow = b->frame[f].point;
        double *to = out + (size_t)3 * b->vert0[f];
        if (b->frame[f].type != IMP_FLOAT32 && n)
            memcpy(to, b->frame[f].point, n * sizeof *to);
        else
            for (size_t i = 0; i < n; i++)
                to[i] = narrow[i];
    }
}

static int raw_open(imp *p, raw_points *r)
{
    int err = IMP_OK;
    const block *b = &p->block;
    const void *from = b->frame->point;
    r->wide = 1;
    if (side_by_side(b)) {
        r->wide = b->frame->type != IMP_FLOAT32;
    } else {
        TRY(mem_alloc(&p->mem, (size_t)24 * b->verts, &r->staged));
        stage_points(b, r->staged);
        from = r->staged;
    }
    TRY(buffer_wrap(p->dev64, &r->buf, from, (size_t)(r->wide ? 24 : 12) * b->verts));
out:
    return err;
}

static void raw_close(imp *p, raw_points *r)
{
    buffer_free(p->dev64, &r->buf);
    mem_free(&p->mem, r->staged);
}

/* ---- the frame's box, centre and scale */

/* Which vertex of the first bad primitive is not finite. */
static int bad_fail(const imp_frame *f)
{
    const imp_mesh *m = f->mesh;
    for (uint32_t i = 0; i < m->triangles; i++)
        for (uint32_t c = 0; c < 3; c++) {
            size_t v = m->triangle[(size_t)3 * i + c];
            double x[3];
            frame_vertex(f, v, x);
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
                return imp_fail(IMP_ERR_INPUT,
                                "frame %llu: vertex %zu of triangle %u is not finite (%g %g %g)",
                                (unsigned long long)f->number, v, i, x[0], x[1], x[2]);
        }
    return imp_fail(IMP_ERR_INPUT, "frame %llu: a vertex is not finite",
                    (unsigned long long)f->number);
}

#define FAR 1000 /* scaled coordinates are below 2^FAR */

/* A power of two 2^-e with half extent * 2^-e in [0.5, 1), as a product of two that are always
 * normal numbers; 1 if the frame is a point or empty. Along an axis on which nothing extends the
 * frame may lie so far out that this would overflow: then the unit is as small as it can be. */
static void frame_unit(block *b, size_t f, const double *lo, const double *hi)
{
    int e = 0, e_far;
    double half = 0, far = 0;
    for (int k = 0; k < 3; k++) {
        half = fmax(half, 0.5 * hi[k] - 0.5 * lo[k]);
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    frexp(far, &e_far);
    if (half > 0)
        frexp(half, &e);
    if (e < e_far - FAR)
        e = e_far - FAR;
    int e0 = e / 2, e1 = e - e0;
    b->scale[2 * f] = ldexp(1, -e0);
    b->scale[2 * f + 1] = ldexp(1, -e1);
    b->unscale[2 * f] = ldexp(1, e0);
    b->unscale[2 * f + 1] = ldexp(1, e1);
    for (size_t k = 0; k < 3; k++) {
        double s0 = b->scale[2 * f], s1 = b->scale[2 * f + 1];
        double centre = (0.5 * lo[k] + 0.5 * hi[k]) * s0 * s1;
        b->centre[3 * f + k] = centre;
        b->half[3 * f + k] = fmax(hi[k] * s0 * s1 - centre, centre - lo[k] * s0 * s1);
    }
}

/* Joins the chunks' boxes, [6 * chunks], frame by frame. */
static void frame_units(imp *p, const double *box)
{
    const chunks *c = &p->bounds.prims;
    uint32_t n = 0;
    for (uint32_t f = 0; f < p->block.frames; f++) {
        double lo[3] = {0}, hi[3] = {0};
        int any = 0;
        for (; n < c->count && c->frame[n] == f; n++) {
            const double *q = box + (size_t)6 * n;
            if (q[0] > q[3])
                continue;
            for (int k = 0; k < 3; k++) {
                lo[k] = any && lo[k] < q[k] ? lo[k] : q[k];
                hi[k] = any && hi[k] > q[3 + k] ? hi[k] : q[3 + k];
            }
            any = 1;
        }
        frame_unit(&p->block, f, lo, hi);
    }
}

static int bad_sum(imp *p, const uint32_t *bad)
{
    const chunks *c = &p->bounds.prims;
    memset(p->block.bad, 0, p->block.frames * sizeof *p->block.bad);
    for (uint32_t n = 0; n < c->count; n++)
        p->block.bad[c->frame[n]] += bad[n];
    for (uint32_t f = 0; f < p->block.frames; f++)
        if (p->block.bad[f] && p->def.on_bad == IMP_BAD_ERROR)
            return bad_fail(&p->block.frame[f]);
    return IMP_OK;
}

static int frame_boxes(imp *p, const raw_points *r)
{
    int err = IMP_OK;
    device *d = p->dev64;
    const chunks *c = &p->bounds.prims;
    size_t n = c->count;
    buffer box_buf = {0}, bad_buf = {0};
    double *box = NULL;
    uint32_t *bad = NULL;
    TRY(buffer_fit(d, &box_buf, 6 * n * sizeof *box));
    TRY(buffer_fit(d, &bad_buf, n * sizeof *bad));
    TRY(mem_alloc(&p->mem, 6 * n * sizeof *box, &box));
    TRY(mem_alloc(&p->mem, n * sizeof *bad, &bad));
    TRY(RUN(d, frame_box, n, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&p->bounds.made.corner),
            BUF(&r->buf), BUF(&r->buf), U32(r->wide), BUF(&box_buf), BUF(&bad_buf)));
    TRY(buffer_read(d, &box_buf, 0, box, 6 * n * sizeof *box));
    TRY(buffer_read(d, &bad_buf, 0, bad, n * sizeof *bad));
    TRY(bad_sum(p, bad));
    frame_units(p, box);
out:
    mem_free(&p->mem, box);
    mem_free(&p->mem, bad);
    buffer_free(d, &box_buf);
    buffer_free(d, &bad_buf);
    return err;
}

static int frame_scaled(imp *p, const raw_points *r)
{
    int err = IMP_OK;
    device *d = p->dev64;
    const block *b = &p->block;
    bounds *o = &p->bounds;
    buffer scale = {0};
    TRY(buffer_put(d, &scale, b->scale, (size_t)2 * b->frames * sizeof *b->scale));
    TRY(buffer_put(d, &o->unscale, b->unscale, (size_t)2 * b->frames * sizeof *b->unscale));
    TRY(chunks_make(&p->mem, d, &o->verts, b->vert0, b->frames, CHUNK));
    TRY(buffer_fit(d, &o->x, (size_t)24 * b->verts));
    TRY(RUN(d, frame_scale, o->verts.count, BUF(&o->verts.first_buf), BUF(&o->verts.last_buf),
            BUF(&o->verts.frame_buf), BUF(&r->buf), BUF(&r->buf), U32(r->wide), BUF(&scale),
            BUF(&o->x)));
out:
    buffer_free(d, &scale);
    return err;
}

/* ---- bounds */

static int primitive_bounds(imp *p)
{
    int err = IMP_OK;
    device *d = p->dev64;
    const block *b = &p->block;
    prim_set *s = &p->bounds.made;
    uint32_t k = (uint32_t)p->def.dop_k;
    buffer centre = {0};
    p->bounds.extra = dop_extra_count(k);
    TRY(buffer_put(d, &centre, b->centre, (size_t)3 * b->frames * sizeof *b->centre));
    TRY(buffer_fit(d, &s->box, (size_t)24 * b->prims));
    TRY(buffer_fit(d, &s->slab, (size_t)8 * p->bounds.extra * b->prims));
    TRY(RUN(d, bound_box, b->prims, U32(b->frames), BUF(&s->prim0), BUF(&centre), BUF(&s->corner),
            BUF(&p->bounds.x), BUF(&s->box)));
    if (p->bounds.extra)
        TRY(RUN(d, bound_slabs, b->prims, U32(b->frames), BUF(&s->prim0), BUF(&centre),
                BUF(&s->corner), BUF(&p->bounds.x), U32(k), BUF(&s->slab)));
out:
    buffer_free(d, &centre);
    return err;
}

#define SET_BUFFERS 6
static void set_buffers(prim_set *s, buffer *out[SET_BUFFERS])
{
    buffer *all[SET_BUFFERS] = {&s->corner, &s->object, &s->list, &s->prim0, &s->box, &s->slab};
    memcpy(out, all, sizeof all);
}

/* Where the device of the broad phase lacks float64, the host made the bounds: copy them over. */
static int bring_near(imp *p)
{
    int err = IMP_OK;
    buffer *from[SET_BUFFERS], *to[SET_BUFFERS];
    set_buffers(&p->bounds.made, from);
    set_buffers(&p->bounds.near, to);
    if (p->dev == p->dev64) {
        p->bounds.near = p->bounds.made;
        p->bounds.prims_near = p->bounds.prims;
        return IMP_OK;
    }
    TRY(chunks_make(&p->mem, p->dev, &p->bounds.prims_near, p->block.prim0, p->block.frames,
                    CHUNK));
    for (int i = 0; i < SET_BUFFERS; i++)
        TRY(buffer_put(p->dev, to[i], from[i]->data, from[i]->bytes));
out:
    return err;
}

void bound_free(imp *p)
{
    buffer *made[SET_BUFFERS], *near[SET_BUFFERS];
    set_buffers(&p->bounds.made, made);
    set_buffers(&p->bounds.near, near);
    if (!p->dev)
        return;
    for (int i = 0; i < SET_BUFFERS; i++) {
        if (p->dev != p->dev64)
            buffer_free(p->dev, near[i]);
        buffer_free(p->dev64, made[i]);
    }
    buffer_free(p->dev64, &p->bounds.x);
    buffer_free(p->dev64, &p->bounds.unscale);
    if (p->dev != p->dev64)
        chunks_free(&p->mem, p->dev, &p->bounds.prims_near);
    chunks_free(&p->mem, p->dev64, &p->bounds.prims);
    chunks_free(&p->mem, p->dev64, &p->bounds.verts);
    p->bounds.near = (prim_set){0};
    p->bounds.prims_near = (chunks){0};
}

int bound(imp *p)
{
    int err = IMP_OK;
    raw_points raw = {0};
    TRY(chunks_make(&p->mem, p->dev64, &p->bounds.prims, p->block.prim0, p->block.frames, CHUNK));
    TRY(topology(p));
    TRY(raw_open(p, &raw));
    TRY(frame_boxes(p, &raw));
    TRY(frame_scaled(p, &raw));
    TRY(primitive_bounds(p));
    TRY(bring_near(p));
out:
    raw_close(p, &raw);
    return err;
}
