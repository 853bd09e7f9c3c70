/* See topology_put.h. */
#include "topology_put.h"

#include "error.h"
#include "frame.h"
#include "prim.h"

#include <string.h>

static int wants_objects(const context *c)
{
    return (c->opt.rules & RULE_OBJECTS) != 0;
}

/* One frame: its mesh is the block's topology as it is. Its arrays are used directly: the caller
 * keeps them until the block is done. */
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
    /* As the view needs them already. */
    if (mesh_corners(m) == corners && m->primitives && !m->corner_count) {
        memcpy(out, m->corner, mesh_corner_count(m) * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < m->primitives; i++, out += corners)
        block_view_corners(m, i, corners, out);
}

/* Corners, and objects if asked for, of each different mesh of the block, one after another. */
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

/* Frames mostly share a mesh: it goes to the device once, and a kernel writes the corners of each
 * frame. */
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

/* One frame whose mesh is the view's topology as it is. */
static int is_single(const block_view *v)
{
    return v->frames == 1 && v->corners == mesh_corners(v->frame->mesh) &&
           !v->frame->mesh->corner_count && !v->ids;
}

/* What a view leaves on the device: nothing that others may use, if its primitives are slots or a
 * part of a frame, or if it is no copy. */
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
    /* The list is of the block: turning.c. */
    TRY(buffer_put(c->dev64, &s->list, c->opt.list, c->opt.listed));
    if (held_same(held, o->held))
        goto out;
    o->held = (held_mesh){0};
    TRY(buffer_put(c->dev64, &s->prim0, v->prim0, v->frames + 1));
    if (!wants_objects(c))
        /* Kernels take the buffer in any case; they read it only if the rules ask for objects. */
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
