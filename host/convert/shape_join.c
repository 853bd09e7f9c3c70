/* Several shapes as one. */
#include "shape.h"

#include "error.h"
#include "shape_make.h"

#include <stdlib.h>
#include <string.h>

/* All that is there can hold v vertices and n primitives of `corners` numbers. */
static int make_all_room(shape *all, size_t v, size_t n, size_t corners)
{
    double *point = realloc(all->point, (3 * v + 1) * sizeof *point);
    all->point = point ? point : all->point;
    uint32_t *corner = realloc(all->corner, (corners * n + 1) * sizeof *corner);
    all->corner = corner ? corner : all->corner;
    int32_t *group = realloc(all->group, (n + 1) * sizeof *group);
    all->group = group ? group : all->group;
    uint8_t *own = corners > 3 ? realloc(all->own, n + 1) : NULL;
    all->own = own ? own : all->own;
    if (!point || !corner || !group || (corners > 3 && !own))
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    return IMP_OK;
}

static void append_corners(shape *all, const shape *s)
{
    for (size_t i = 0; i < s->primitives; i++) {
        const uint32_t own = s->own ? s->own[i] : s->corners;
        const uint32_t *from = s->corner + s->corners * i;
        uint32_t *to = all->corner + all->corners * (all->primitives + i);
        for (uint32_t k = 0; k < all->corners; k++)
            to[k] = all->vertices + from[k < own ? k : own - 1];
        if (all->own)
            all->own[all->primitives + i] = (uint8_t)own;
    }
}

int shape_join(const char *path, const shape *s, shape *all)
{
    int err = IMP_OK;
    const size_t v = (size_t)all->vertices + s->vertices,
                 n = (size_t)all->primitives + s->primitives;
    const uint32_t corners = all->corners > s->corners ? all->corners : s->corners;
    if (v > SHAPE_VERTICES_MOST || n > SHAPE_PRIMITIVES_MOST)
        FAIL(IMP_ERR_INPUT, "%s: too many vertices, triangles or tetrahedra together",
             text_name(path));
    TRY(make_all_room(all, v, n, corners));
    if (all->corners < corners)
        shape_make_wide(all->corner, all->own, all->primitives);
    all->corners = corners;
    if (s->vertices)
        memcpy(all->point + (size_t)3 * all->vertices, s->point, (size_t)24 * s->vertices);
    if (s->primitives)
        memcpy(all->group + all->primitives, s->group, s->primitives * sizeof *s->group);
    append_corners(all, s);
    all->vertices = (uint32_t)v;
    all->primitives = (uint32_t)n;
    all->tetrahedra += s->tetrahedra;
out:
    return err;
}
