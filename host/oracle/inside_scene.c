/* The objects of a frame: see inside_oracle.h. */
#include "error.h"
#include "frame.h"
#include "inside_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct inside_scene_key {
    int32_t object;
    uint32_t vertex, prim;
} inside_scene_key;

static int inside_scene_order(const void *x, const void *y)
{
    const inside_scene_key *p = x, *q = y;
    if (p->object != q->object)
        return p->object < q->object ? -1 : 1;
    if (p->vertex != q->vertex)
        return p->vertex < q->vertex ? -1 : 1;
    return (p->prim > q->prim) - (p->prim < q->prim);
}

/* Returns whether all coordinates are finite, or a bad primitive is left out. */
static int inside_scene_finite(const imp_frame *f, uint32_t prim)
{
    int finite = 1;
    for (uint32_t k = 0; k < mesh_corners_of(f->mesh, prim); k++)
        for (size_t axis = 0; axis < 3; axis++)
            finite &= isfinite(frame_coordinate(f, mesh_vertex(f->mesh, prim, k), axis)) != 0;
    return finite;
}

/* Sorts the primitives by their objects, and finds the unit. */
static void inside_scene_prims(inside_scene *s, inside_scene_key *key)
{
    const imp_mesh *m = s->f->mesh;
    for (uint32_t i = 0; i < m->primitives; i++) {
        if (!inside_scene_finite(s->f, i))
            continue;
        const uint32_t corners = mesh_corners_of(m, i);
        const int unit = inside_unit(s->f, &m->corner[(size_t)mesh_corners(m) * i], corners);
        s->unit = !s->prims || unit < s->unit ? unit : s->unit;
        key[s->prims++] = (inside_scene_key){m->object ? m->object[i] : 0, 0, i};
    }
    if (s->prims)
        qsort(key, s->prims, sizeof *key, inside_scene_order);
    for (size_t i = 0; i < s->prims; i++) {
        s->prim[i] = key[i].prim;
        if (!i || key[i].object != key[i - 1].object)
            s->object[s->objects++] = (inside_object){.object = key[i].object, .prim = &s->prim[i]};
        s->object[s->objects - 1].prims++;
    }
}

static int inside_scene_listed(const imp_def *def, int32_t object)
{
    int listed = !def->inside_object;
    for (size_t i = 0; i < def->inside_objects && def->inside_object; i++)
        listed |= def->inside_object[i] == object;
    return listed;
}

/* Lists the vertices of an object, with their first primitives. */
static int inside_scene_uses(inside_scene *s, inside_object *o)
{
    int err = IMP_OK;
    const imp_mesh *m = s->f->mesh;
    inside_scene_key *key = NULL;
    size_t keys = 0;
    truth_box box = truth_box_empty(0);
    TRY(mem_alloc(s->mem, 4 * o->prims * sizeof *key, &key));
    TRY(mem_alloc(s->mem, 4 * o->prims * sizeof *o->use, &o->use));
    for (size_t i = 0; i < o->prims; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, o->prim[i]); k++)
            key[keys++] = (inside_scene_key){o->object, mesh_vertex(m, o->prim[i], k), o->prim[i]};
    qsort(key, keys, sizeof *key, inside_scene_order);
    for (size_t i = 0; i < keys; i++)
        if (!i || key[i].vertex != key[i - 1].vertex) {
            double x[3];
            frame_vertex(s->f, key[i].vertex, x);
            truth_box_extend(&box, x);
            o->use[o->uses++] = (inside_use){key[i].vertex, key[i].prim};
        }
    memcpy(o->lo, box.lo, sizeof o->lo);
    memcpy(o->hi, box.hi, sizeof o->hi);
out:
    mem_free(s->mem, key);
    return err;
}

static int inside_scene_make(inside_scene *s)
{
    int err = IMP_OK;
    for (size_t i = 0; i < s->objects; i++) {
        inside_object *o = &s->object[i];
        o->listed = inside_scene_listed(s->def, o->object);
        TRY(inside_scene_uses(s, o));
        TRY(inside_scene_faces(s, o));
        s->closed += (uint32_t)o->closed;
        s->open += s->def->inside_object && o->listed && !o->closed;
    }
out:
    return err;
}

int inside_scene_open(mem *m, const imp_frame *f, const imp_def *def, int threads,
                      inside_scene *out)
{
    int err = IMP_OK;
    inside_scene_key *key = NULL;
    *out = (inside_scene){.mem = m, .f = f, .def = def, .threads = threads};
    const size_t most = f->mesh->primitives;
    TRY(mem_alloc(m, most * sizeof *key, &key));
    TRY(mem_alloc(m, most * sizeof *out->prim, &out->prim));
    TRY(mem_alloc(m, most * sizeof *out->object, &out->object));
    inside_scene_prims(out, key);
    TRY(inside_scene_make(out));
out:
    mem_free(m, key);
    return err;
}

void inside_scene_close(inside_scene *s)
{
    for (size_t i = 0; i < s->objects; i++) {
        inside_face *face = s->object[i].surface.face;
        inside_surface_close(s->mem, &s->object[i].surface);
        mem_free(s->mem, face);
        mem_free(s->mem, s->object[i].use);
    }
    mem_free(s->mem, s->prim);
    mem_free(s->mem, s->object);
    *s = (inside_scene){0};
}

size_t inside_scene_position(const inside_scene *s, uint32_t prim)
{
    const int32_t object = s->f->mesh->object ? s->f->mesh->object[prim] : 0;
    size_t lo = 0, hi = s->objects;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        *(s->object[middle].object <= object ? &lo : &hi) = middle;
    }
    return lo;
}

int inside_pair_wanted(const inside_scene *s, const inside_object *a, const inside_object *b)
{
    const truth_case c = {.f = {s->f}, .frames = 1, .def = s->def};
    return a != b && truth_objects_wanted(&c, a->object, b->object);
}

int inside_boxes_apart(const inside_object *a, const inside_object *b)
{
    int apart = 0;
    for (int k = 0; k < 3; k++)
        apart |= a->hi[k] < b->lo[k] || b->hi[k] < a->lo[k];
    return apart;
}
