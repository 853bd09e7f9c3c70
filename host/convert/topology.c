/* See topology.h. */
#include "topology.h"

#include "error.h"
#include "weld.h"

#include <stdlib.h>
#include <string.h>

void topology_free(topology *t)
{
    free(t->corner);
    free(t->own);
    free(t->group);
    free(t->polygon);
    free(t->cut);
    free(t->map);
    free(t->welded);
    memset(t, 0, sizeof *t);
}

/* As the file has it, before anything is cut or welded: what is done then depends on points,
 * too. */
int topology_same(const topology *t, const shape *o)
{
    size_t n = o->primitives;
    int same = t->corner && t->vertices == o->vertices && t->primitives == n &&
               t->corners == o->corners && t->polygons == o->polygons &&
               !memcmp(t->corner, o->corner, n * o->corners * sizeof *o->corner) &&
               (!o->own || !memcmp(t->own, o->own, n)) &&
               !memcmp(t->group, o->group, n * sizeof *o->group);
    for (uint32_t i = 0; i < o->polygons && same; i++)
        same = t->polygon[i].first == o->polygon[i].first &&
               t->polygon[i].corners == o->polygon[i].corners;
    return same;
}

/* A copy, never NULL for lack of elements. */
static int copy(const void *from, size_t bytes, void *out)
{
    void *to = malloc(bytes + 1);
    memcpy(out, &to, sizeof to);
    if (!to)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return IMP_OK;
}

/* The writer knows a mesh by its address, so it is a member of the topology. */
static void set_mesh(topology *t, uint32_t vertices)
{
    t->mesh = (imp_mesh){.vertices = vertices,
                         .primitives = t->primitives,
                         .corner = t->welded,
                         .object = t->group,
                         .corners = (int)t->corners,
                         .own = t->own};
}

/* Compared later with what files have, so the corners are copied before they are cut and welded. */
int topology_take(topology *t, const char *file, double tolerance, shape *o, shape_note *crossing)
{
    int err = IMP_OK;
    size_t bytes = (size_t)o->corners * o->primitives * sizeof *t->corner;
    topology_free(t);
    t->vertices = o->vertices;
    t->primitives = o->primitives;
    t->corners = o->corners;
    t->polygons = o->polygons;
    TRY(copy(o->corner, bytes, &t->corner));
    TRY(shape_cut(file, o, crossing));
    if (o->polygons)
        TRY(copy(o->corner, bytes, &t->cut));
    /* taken over, not copied: the frame has no more use for them */
    t->own = o->own;
    t->group = o->group;
    t->polygon = o->polygon;
    o->own = NULL;
    o->group = NULL;
    o->polygon = NULL;
    if (tolerance >= 0)
        TRY(weld(tolerance, o, &t->map));
    t->welded = o->corner;
    o->corner = NULL;
    set_mesh(t, o->vertices);
out:
    return err;
}

/* As t, with other corners, which are taken from *cut. */
static int derive(const topology *t, uint32_t **cut, topology *next)
{
    int err = IMP_OK;
    size_t n = t->primitives, bytes = n * t->corners * sizeof **cut;
    topology_free(next);
    next->vertices = t->vertices;
    next->primitives = t->primitives;
    next->corners = t->corners;
    next->polygons = t->polygons;
    TRY(copy(t->corner, bytes, &next->corner));
    if (t->own)
        TRY(copy(t->own, n, &next->own));
    TRY(copy(t->group, n * sizeof *t->group, &next->group));
    TRY(copy(t->polygon, t->polygons * sizeof *t->polygon, &next->polygon));
    TRY(copy(*cut, bytes, &next->welded));
    if (t->map) {
        TRY(copy(t->map, t->vertices * sizeof *t->map, &next->map));
        for (size_t i = 0; i < n * t->corners; i++)
            next->welded[i] = t->map[next->welded[i]];
    }
    next->cut = *cut;
    *cut = NULL;
    set_mesh(next, t->mesh.vertices);
out:
    if (err)
        topology_free(next);
    return err;
}

/* Faces are cut as in the frame before while that is right, so that neighbouring frames share a
 * topology; points move a little, and a cut that was the best need not be so now. */
int topology_change(const topology *t, const char *file, const shape *o, topology *next,
                    shape_note *changed)
{
    int err = IMP_OK;
    uint32_t *cut = NULL;
    *changed = (shape_note){0};
    /* what is no polygon cannot be cut otherwise */
    if (!t->polygons)
        return IMP_OK;
    TRY(copy(t->cut, (size_t)t->corners * t->primitives * sizeof *cut, &cut));
    TRY(shape_cut_again(file, o, cut, changed));
    if (changed->count)
        TRY(derive(t, &cut, next));
out:
    free(cut);
    return err;
}

void topology_apply(const topology *t, shape *o)
{
    if (t->map)
        weld_again(t->map, t->mesh.vertices, o);
}
