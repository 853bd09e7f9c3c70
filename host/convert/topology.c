/* See topology.h. */
#include "topology.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

void topology_free(topology *t)
{
    file_shape_free(&t->read);
    free(t->triangulated);
    file_shape_welding_free(&t->weld);
    free(t->welded);
    *t = (topology){0};
}

/* Arrays without elements may be NULL. */
static int topology_equal_bytes(const void *a, const void *b, size_t bytes)
{
    return !bytes || !memcmp(a, b, bytes);
}

/* Compares with the file's contents before cutting and welding, which also depend on points. */
int topology_same(const topology *t, const file_shape *o)
{
    const file_shape *r = &t->read;
    const size_t n = r->primitives;
    int same = r->corner && r->vertices == o->vertices && n == o->primitives &&
               r->corners == o->corners && r->polygons == o->polygons &&
               topology_equal_bytes(r->corner, o->corner, n * o->corners * sizeof *o->corner) &&
               /* as `corners` are equal, both have `corner_count` or neither has */
               (!o->corner_count || topology_equal_bytes(r->corner_count, o->corner_count, n)) &&
               topology_equal_bytes(r->group, o->group, n * sizeof *o->group);
    for (uint32_t i = 0; i < o->polygons && same; i++)
        same = r->polygon[i].first == o->polygon[i].first &&
               r->polygon[i].corners == o->polygon[i].corners;
    return same;
}

int topology_holds(const topology *t, double tolerance, const file_shape *o)
{
    return file_shape_weld_holds(&t->weld, tolerance, o);
}

/* A copy; not NULL even without elements. */
static int topology_copy_array(const void *from, size_t bytes, void *out)
{
    void *to = malloc(bytes + 1);
    memcpy(out, &to, sizeof to);
    if (!to)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return IMP_OK;
}

/* The mesh is a member of the topology because the writer identifies meshes by their address. */
static void topology_set_mesh(topology *t, uint32_t vertices)
{
    t->mesh = (imp_mesh){.vertices = vertices,
                         .primitives = t->read.primitives,
                         .corner = t->welded,
                         .object = t->read.group,
                         .corners = (int)t->read.corners,
                         .corner_count = t->read.corner_count};
}

/* The corners are copied before they are cut and welded, because later files are compared with
 * those of this file. */
int topology_set(topology *t, const char *file, double tolerance, file_shape *o,
                 file_shape_note *crossing)
{
    int err = IMP_OK;
    const size_t bytes = (size_t)o->corners * o->primitives * sizeof *o->corner;
    const uint32_t vertices = o->vertices;
    uint32_t *corner = NULL;
    topology_free(t);
    TRY(topology_copy_array(o->corner, bytes, &corner));
    TRY(file_shape_triangulate(file, o, crossing));
    if (o->polygons)
        TRY(topology_copy_array(o->corner, bytes, &t->triangulated));
    if (tolerance >= 0)
        TRY(file_shape_weld(tolerance, o, &t->weld));
    /* moved, not copied: the frame only needs its points */
    t->read = *o;
    *o = (file_shape){
        .vertices = o->vertices, .point = o->point, .arrays = o->arrays, .value = o->value};
    t->welded = t->read.corner;
    t->read.corner = corner;
    t->read.point = NULL;
    t->read.value = NULL;
    t->read.vertices = vertices;
    corner = NULL;
    topology_set_mesh(t, o->vertices);
out:
    free(corner);
    return err;
}

/* A copy of t with other corners, moved from *triangulated. All arrays are
 * copies, since t and *next are freed independently. */
static int topology_derive(const topology *t, uint32_t **triangulated, topology *next)
{
    int err = IMP_OK;
    const file_shape *r = &t->read;
    const size_t n = r->primitives, bytes = n * r->corners * sizeof **triangulated;
    topology_free(next);
    next->read = (file_shape){.vertices = r->vertices,
                              .primitives = r->primitives,
                              .corners = r->corners,
                              .polygons = r->polygons};
    TRY(topology_copy_array(r->corner, bytes, &next->read.corner));
    if (r->corner_count)
        TRY(topology_copy_array(r->corner_count, n, &next->read.corner_count));
    TRY(topology_copy_array(r->group, n * sizeof *r->group, &next->read.group));
    TRY(topology_copy_array(r->polygon, r->polygons * sizeof *r->polygon, &next->read.polygon));
    TRY(topology_copy_array(*triangulated, bytes, &next->welded));
    if (t->weld.map) {
        const size_t numbers = r->vertices * sizeof *t->weld.map;
        next->weld = (file_shape_welding){.vertices = t->weld.vertices, .kept = t->weld.kept};
        TRY(topology_copy_array(t->weld.map, numbers, &next->weld.map));
        TRY(topology_copy_array(t->weld.number, numbers, &next->weld.number));
        for (size_t i = 0; i < n * r->corners; i++)
            next->welded[i] = t->weld.number[next->welded[i]];
    }
    next->triangulated = *triangulated;
    *triangulated = NULL;
    topology_set_mesh(next, t->mesh.vertices);
out:
    if (err)
        topology_free(next);
    return err;
}

/* Faces are cut as in the previous frame while that is correct, so that neighbouring frames share a
 * topology: points move a little, and the best cut may change. */
int topology_change(const topology *t, const char *file, const file_shape *o, topology *next,
                    file_shape_note *changed)
{
    int err = IMP_OK;
    uint32_t *triangulated = NULL;
    *changed = (file_shape_note){0};
    /* triangles and tetrahedra have only one cut */
    if (!t->read.polygons)
        return IMP_OK;
    TRY(topology_copy_array(t->triangulated,
                            (size_t)t->read.corners * t->read.primitives * sizeof *triangulated,
                            &triangulated));
    TRY(file_shape_check_triangles(file, o, triangulated, changed));
    if (changed->count)
        TRY(topology_derive(t, &triangulated, next));
out:
    free(triangulated);
    return err;
}

void topology_apply(const topology *t, file_shape *o)
{
    if (t->weld.map)
        file_shape_weld_again(&t->weld, o);
}
