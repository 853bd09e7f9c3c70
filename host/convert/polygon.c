/* See polygon.h. A polygon is seen in a plane, where all verdicts are exact; along an axis its
 * coordinates there are exact too. */
#include "polygon.h"

#include "error.h"
#include "grow.h"
#include "polygon_ears.h"
#include "vec3.h"

#include <math.h>
#include <stdlib.h>

#define STEPS_MOST ((uint64_t)1 << 28) /* some ten seconds */
#define FLAT 1e-3                      /* of its size, as text has few digits */

/* A view of the polygon: along an axis, or in the plane of two vectors. */
typedef struct projection {
    double u[3], v[3];
    int axis; /* 0, 1, 2; 3: the plane */
    int sign; /* of the area as seen; rounding may hide it */
} projection;

/* ---- vectors */

static double polygon_max_component(const double a[3])
{
    return fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
}

static int polygon_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* A power of two that brings |x| into [0.5, 1), as far as it is one itself. */
static double polygon_power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent > -1000 ? -exponent : 1000);
}

/* ---- shape */

/* Corners relative to the first one, scaled by powers of two so that nothing overflows or vanishes.
 */
typedef struct shape {
    const double *point;
    const uint32_t *corner;
    uint32_t n;
    double unit, size_unit; /* scale coordinates, then differences */
    double area[3];         /* twice the area vector */
    double sizes[3];        /* the same with absolute values: for polygons of area 0 */
} shape;

static void polygon_corner(const shape *s, size_t i, double out[3])
{
    const double *o = s->point + (size_t)3 * s->corner[0];
    const double *p = s->point + (size_t)3 * s->corner[i];
    for (int k = 0; k < 3; k++)
        out[k] = (p[k] * s->unit - o[k] * s->unit) * s->size_unit;
}

/* 0 if a corner is not finite. */
static int polygon_find_units(shape *s)
{
    double most = 0, size = 0;
    for (uint32_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < 3; k++) {
            double x = s->point[(size_t)3 * s->corner[i] + k];
            if (!isfinite(x))
                return 0;
            most = fmax(most, fabs(x));
        }
    s->unit = polygon_power_of_two(most);
    s->size_unit = 1;
    for (uint32_t i = 1; i < s->n; i++) {
        double d[3];
        polygon_corner(s, i, d);
        size = fmax(size, polygon_max_component(d));
    }
    s->size_unit = polygon_power_of_two(size);
    return 1;
}

/* The area is summed from a fan around the first corner: parts beyond the outline cancel. */
static int shape_open(shape *s)
{
    if (!polygon_find_units(s))
        return 0;
    double a[3], b[3], c[3];
    polygon_corner(s, 1, a);
    for (uint32_t i = 2; i < s->n; i++) {
        polygon_corner(s, i, b);
        vec_cross(a, b, c);
        for (int k = 0; k < 3; k++) {
            s->area[k] += c[k];
            s->sizes[k] += fabs(c[k]);
        }
        vec_copy(b, a);
    }
    return 1;
}

/* The axis along which it is seen best; of ties the first. */
static int polygon_best_axis(const shape *s)
{
    const double *v = polygon_max_component(s->area) > 0 ? s->area : s->sizes;
    const double a[3] = {fabs(v[0]), fabs(v[1]), fabs(v[2])};
    return a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
}

static projection polygon_axis_projection(const shape *s, int axis)
{
    int sign = polygon_sign(s->area[axis]);
    return (projection){.axis = axis, .sign = sign ? sign : 1};
}

/* The plane across the area vector. */
static projection polygon_plane_projection(const shape *s)
{
    const double unit = polygon_power_of_two(polygon_max_component(s->area));
    const double n[3] = {s->area[0] * unit, s->area[1] * unit, s->area[2] * unit};
    const int axis = polygon_best_axis(s); /* another one is far from parallel to n */
    const double other[3] = {axis == 2, axis == 0, axis == 1};
    projection w = {.axis = 3, .sign = 1};
    vec_cross(n, other, w.u);
    vec_cross(n, w.u, w.v);
    return w;
}

static exact_point polygon_projected(const shape *s, const projection *w, size_t i)
{
    const double *p = s->point + (size_t)3 * s->corner[i];
    if (w->axis < 3)
        return (exact_point){{p[(w->axis + 1) % 3], p[(w->axis + 2) % 3], 0}};
    double c[3];
    polygon_corner(s, i, c);
    return (exact_point){{vec_dot(c, w->u), vec_dot(c, w->v), 0}};
}

/* ---- fans */

/* Does a fan around the first corner cover it, turning by less than half a turn? */
static int fan_is_right(const shape *s, const projection *w)
{
    exact_point o = polygon_projected(s, w, 0), a = polygon_projected(s, w, 1), before = a;
    for (uint32_t i = 2; i < s->n; i++) {
        exact_point next = polygon_projected(s, w, i);
        if (w->sign * exact_orient2d(&o, &before, &next, 2) <= 0 ||
            w->sign * exact_orient2d(&o, &a, &next, 2) <= 0)
            return 0;
        before = next;
    }
    return 1;
}

static void polygon_fan(const shape *s, uint32_t *triangle)
{
    for (uint32_t i = 2; i < s->n; i++) {
        *triangle++ = s->corner[0];
        *triangle++ = s->corner[i - 1];
        *triangle++ = s->corner[i];
    }
}

/* ---- ears */

static int grow_workspace(polygon_workspace *w, uint32_t n)
{
    size_t side = ears_side(n);
    int err = grow_buffer(&w->node, &w->node_bytes, n * sizeof *w->node);
    return err ? err : grow_buffer(&w->cell, &w->cell_bytes, side * side * sizeof *w->cell);
}

void polygon_workspace_free(polygon_workspace *w)
{
    free(w->node);
    free(w->cell);
    *w = (polygon_workspace){0};
}

static enum ears_end polygon_clip_in(ears *e, const shape *s, const projection *w,
                                     uint32_t *triangle, int force)
{
    for (uint32_t i = 0; i < s->n; i++)
        e->node[i].at = polygon_projected(s, w, i);
    e->sign = w->sign;
    e->out = triangle;
    return ears_clip(e, force);
}

/* Tries a view, and the other way to turn: rounding may have hidden the right one. */
static enum ears_end polygon_clip_projection(ears *e, const shape *s, projection w,
                                             uint32_t *triangle)
{
    enum ears_end end = polygon_clip_in(e, s, &w, triangle, 0);
    if (end == EARS_STUCK) {
        w.sign = -w.sign;
        end = polygon_clip_in(e, s, &w, triangle, 0);
    }
    return end;
}

/* Clips in the first view that shows no crossing, or by force in the first of all. */
static enum ears_end polygon_clip_any(ears *e, const shape *s, uint32_t *triangle, int *crosses)
{
    int axis = polygon_best_axis(s);
    const projection views[4] = {polygon_axis_projection(s, axis), polygon_plane_projection(s),
                                 polygon_axis_projection(s, (axis + 1) % 3),
                                 polygon_axis_projection(s, (axis + 2) % 3)};
    for (int i = 0; i < 4; i++) {
        enum ears_end end = polygon_clip_projection(e, s, views[i], triangle);
        if (end == EARS_SPENT)
            return end;
        int round = end == EARS_DONE ? abs(ears_rotation(e)) : 0;
        if (round == 1 || (round == EARS_OPEN && i == 0)) /* in another view all may be on a line */
            return end;
    }
    *crosses = 1;
    /* forced clipping gets half of the steps, even if the views have used more */
    e->work = STEPS_MOST / 2;
    return polygon_clip_in(e, s, &views[0], triangle, 1);
}

int polygon_triangulate(polygon_workspace *space, const double *point, const uint32_t *corner,
                        uint32_t n, uint32_t *triangle, int *crosses)
{
    int err = IMP_OK;
    shape s = {.point = point, .corner = corner, .n = n};
    *crosses = 0;
    int finite = shape_open(&s);
    projection w = polygon_axis_projection(&s, polygon_best_axis(&s));
    if (!finite || n == 3 || fan_is_right(&s, &w)) {
        polygon_fan(&s, triangle);
        return IMP_OK;
    }
    TRY(grow_workspace(space, n));
    ears e = {.node = space->node, .nodes = n, .cell = space->cell, .most = STEPS_MOST};
    if (polygon_clip_any(&e, &s, triangle, crosses) == EARS_SPENT)
        FAIL(IMP_ERR_INPUT, "a face of %u corners is too intricate to be cut into triangles", n);
    for (size_t i = 0; i < (size_t)3 * (n - 2); i++)
        triangle[i] = corner[triangle[i]];
out:
    return err;
}

/* ---- the same triangles elsewhere */

static int polygon_is_flat(const shape *s)
{
    double size = 0, height = 0, c[3];
    for (uint32_t i = 1; i < s->n; i++) {
        polygon_corner(s, i, c);
        size = fmax(size, polygon_max_component(c));
        height = fmax(height, fabs(vec_dot(c, s->area)));
    }
    return height <= FLAT * size * sqrt(vec_dot(s->area, s->area));
}

/* Uses the best view only: a flat polygon looks alike in all views that show its area. */
int polygon_holds(const double *point, const uint32_t *corner, uint32_t n, const uint32_t *triangle)
{
    shape s = {.point = point, .corner = corner, .n = n};
    if (n == 3 || !shape_open(&s) || polygon_max_component(s.area) <= 0)
        return 1;
    projection w = polygon_axis_projection(&s, polygon_best_axis(&s));
    s.corner = triangle;
    for (size_t i = 0; i < (size_t)3 * (n - 2); i += 3) {
        exact_point a = polygon_projected(&s, &w, i), b = polygon_projected(&s, &w, i + 1),
                    c = polygon_projected(&s, &w, i + 2);
        if (w.sign * exact_orient2d(&a, &b, &c, 2) < 0) {
            s.corner = corner;
            return !polygon_is_flat(&s);
        }
    }
    return 1;
}
