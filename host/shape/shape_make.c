/* How a shape is made: see shape.h. */
#include "shape.h"

#include "error.h"
#include "shape_hull.h"
#include "shape_parts.h"

#include <string.h>

static int shape_make_copy(mem *m, const shape_def *def, shape *s)
{
    int err = 0;
    const size_t corners = 3 * (size_t)def->triangles;
    TRY(mem_alloc(m, sizeof *s->point * def->vertices, &s->point));
    TRY(mem_alloc(m, sizeof *s->same * def->vertices, &s->same));
    TRY(mem_alloc(m, sizeof *s->corner * corners, &s->corner));
    TRY(mem_alloc(m, sizeof *s->order * def->triangles, &s->order));
    memcpy(s->point, def->points, 3 * sizeof(double) * def->vertices);
    memcpy(s->corner, def->corner, sizeof *s->corner * corners);
    s->vertices = def->vertices;
    s->triangles = def->triangles;
out:
    return err;
}

/* Of the vertices that triangles have. pose_length errs by less than 2^-50 of itself. */
static double radius(const shape *s)
{
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)s->triangles; i++)
        most = fmax(most, pose_length(s->point[s->corner[i]].x));
    return most * (1 + 0x1p-49);
}

int shape_make(mem *m, const shape_def *def, shape **out)
{
    int err = 0;
    shape *s = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = (shape){0};
    TRY(shape_make_copy(m, def, s));
    s->radius = radius(s);
    TRY(shape_same(m, def->points, def->vertices, s->same));
    TRY(shape_tree(m, s));
    TRY(shape_hull_make(m, s));
    TRY(shape_closed_make(m, s));
    *out = s;
    s = NULL;
out:
    shape_free(m, s);
    return err;
}

void shape_free(mem *m, shape *s)
{
    if (!s)
        return;
    shape_hull_free(m, s->hull);
    mem_free(m, s->component);
    mem_free(m, s->node);
    mem_free(m, s->order);
    mem_free(m, s->corner);
    mem_free(m, s->same);
    mem_free(m, s->point);
    mem_free(m, s);
}

int shape_is_convex(const shape *s)
{
    return s->hull != NULL;
}

int shape_is_closed(const shape *s)
{
    return s->closed != SHAPE_OPEN;
}

double shape_radius(const shape *s)
{
    return s->radius;
}

const double *shape_points(const shape *s, uint32_t *count)
{
    *count = s->vertices;
    return s->point->x;
}
