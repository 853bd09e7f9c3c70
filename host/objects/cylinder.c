/* See cylinder.h. */
#include "cylinder.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "vec3.h"

#include <math.h>

static inline double cylinder_lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double cylinder_greater(double a, double b)
{
    return a > b ? a : b;
}

/* ---- fitting */

cylinder_points cylinder_points_of(const block_view *v, const bounds *o, uint32_t f)
{
    const normalisation *u = &o->normalisation;
    cylinder_points p = {.frame = &v->frame[f],
                         .prim0 = v->prim0[f],
                         .scale = {u->scale[(size_t)2 * f], u->scale[(size_t)2 * f + 1]}};
    vec_copy(u->centre + (size_t)3 * f, p.centre);
    return p;
}

uint32_t cylinder_corners(const cylinder_points *p, uint32_t prim, double out[4][3])
{
    const imp_mesh *m = p->frame->mesh;
    const uint32_t n = mesh_corners_of(m, prim - p->prim0);
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * (prim - p->prim0);
    for (uint32_t i = 0; i < n; i++) {
        double x[3];
        frame_vertex(p->frame, corner[i], x);
        for (int k = 0; k < 3; k++)
            out[i][k] = x[k] * p->scale[0] * p->scale[1] - p->centre[k];
    }
    return n;
}

/* Adds a vector of either sign: surfaces need not be oriented. */
static void cylinder_add_axis(double axis[3], const double n[3])
{
    const double sign = vec_dot(axis, n) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++)
        axis[k] += sign * n[k];
}

/* A short vector is all rounding errors. */
static void cylinder_scale_axis(double axis[3])
{
    const double length = sqrt(vec_dot(axis, axis));
    for (int k = 0; k < 3; k++)
        axis[k] = length > 0x1p-100 ? axis[k] / length : 0;
}

static void cylinder_centre(const float *box, cylinder *out)
{
    for (int k = 0; k < 3; k++)
        out->centre[k] = 0.5 * ((double)box[k] + box[3 + k]);
}

/* Sets the height to what is between low and high along the axis. */
static void cylinder_set_height(cylinder *c, double low, double high)
{
    for (int k = 0; k < 3; k++)
        c->centre[k] += 0.5 * (low + high) * c->axis[k];
    c->half = 0.5 * (high - low);
}

/* The distance of a point along the axis, and the square of that from it at most: the difference of
 * two squares errs by roundings of the greater one. */
static double cylinder_along(const cylinder *c, const double x[3], double *square)
{
    double d[3];
    vec_sub(x, c->centre, d);
    const double along = vec_dot(c->axis, d);
    *square = vec_dot(d, d) * (1 + 0x1p-48) - along * along;
    return along;
}

static void cylinder_fit_leaf(const cylinder_points *p, const tree *t, uint32_t node, cylinder *out)
{
    const tree_node *of = &t->node[node];
    double x[4 * CYLINDER_LEAF][3], e[3], f[3], n[3], square, most = 0;
    double low = INFINITY, high = -INFINITY;
    uint32_t count = 0;
    *out = (cylinder){.radius = 0};
    cylinder_centre(t->dop + (size_t)t->words * node, out);
    for (uint32_t i = of->begin; i < of->end; i++) {
        const uint32_t corners = cylinder_corners(p, t->item[i].prim, x + count);
        if (corners == 3) {
            vec_sub(x[count + 1], x[count], e);
            vec_sub(x[count + 2], x[count], f);
            vec_cross(e, f, n);
            cylinder_add_axis(out->axis, n);
        }
        count += corners;
    }
    cylinder_scale_axis(out->axis);
    for (uint32_t i = 0; i < count; i++) {
        const double along = cylinder_along(out, x[i], &square);
        low = cylinder_lesser(low, along);
        high = cylinder_greater(high, along);
        most = cylinder_greater(most, square);
    }
    out->radius = sqrt(most);
    cylinder_set_height(out, low, high);
}

/* Half of the width of a cylinder along a direction of length 1, with the cosine and the sine of
 * its angle with the axis. */
static double cylinder_reach(const cylinder *c, double cosine, double sine)
{
    return c->half * fabs(cosine) + c->radius * sine;
}

/* The sine of the angle of two axes; 1 if one is 0. */
static double cylinder_sine(const cylinder *p, const cylinder *q)
{
    double n[3];
    vec_cross(p->axis, q->axis, n);
    return vec_dot(p->axis, p->axis) > 0 && vec_dot(q->axis, q->axis) > 0 ? sqrt(vec_dot(n, n)) : 1;
}

/* Around the cylinders of the children, but not wider than the node's box. */
static void cylinder_fit_node(const tree *t, uint32_t node, cylinder *all)
{
    const tree_node *of = &t->node[node];
    const float *box = t->dop + (size_t)t->words * node;
    cylinder *out = &all[node];
    double square, low = INFINITY, high = -INFINITY, half[3];
    *out = (cylinder){.radius = 0};
    cylinder_centre(box, out);
    for (uint32_t i = 0; i < of->children; i++) {
        const cylinder *c = &all[of->child + i];
        double n[3];
        for (int k = 0; k < 3; k++)
            n[k] = c->axis[k] * c->radius * c->radius;
        cylinder_add_axis(out->axis, n);
    }
    cylinder_scale_axis(out->axis);
    for (uint32_t i = 0; i < of->children; i++) {
        const cylinder *c = &all[of->child + i];
        const double cosine = vec_dot(c->axis, out->axis), sine = cylinder_sine(c, out);
        const double along = cylinder_along(out, c->centre, &square);
        const double from = sqrt(cylinder_greater(square, 0));
        low = cylinder_lesser(low, along - cylinder_reach(c, cosine, sine));
        high = cylinder_greater(high, along + cylinder_reach(c, cosine, sine));
        out->radius = cylinder_greater(out->radius, from + c->radius + c->half * sine);
    }
    for (int k = 0; k < 3; k++)
        half[k] = 0.5 * ((double)box[3 + k] - box[k]);
    out->radius = cylinder_lesser(out->radius, sqrt(vec_dot(half, half)));
    cylinder_set_height(out, low, high);
}

#define CYLINDER_FEW 1024 /* fitted by one thread in less time than others need to wake up */

int cylinders_fit(const cylinder_points *p, const tree *t, cylinder *out)
{
    int err = IMP_OK;
    for (uint32_t level = t->levels; level-- > 0;) {
        const uint32_t first = t->level0[level], last = t->level0[level + 1];
        TRY(tree_check_cancel(t));
#pragma omp parallel num_threads(t->def.threads) if (last - first > CYLINDER_FEW)
        EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
        for (int64_t i = first; i < (int64_t)last; i++)
            if (t->node[i].children)
                cylinder_fit_node(t, (uint32_t)i, out);
            else
                cylinder_fit_leaf(p, t, (uint32_t)i, &out[i]);
    }
out:
    return err;
}

/* ---- two cylinders */

/* Half of the width along a direction, in units of the direction's length. The difference of two
 * squares errs by roundings of the greater one. */
static double cylinder_width(const cylinder *c, const double way[3], double square)
{
    const double along = vec_dot(c->axis, way), across = square * (1 + 0x1p-48) - along * along;
    return c->half * fabs(along) + c->radius * sqrt(cylinder_greater(across, 0));
}

/* Returns whether a direction separates cylinders whose centres differ by d. */
static int cylinders_beyond_along(const cylinder *p, const cylinder *q, const double d[3],
                                  const double way[3], double distance)
{
    const double square = vec_dot(way, way), length = sqrt(square);
    const double width = cylinder_width(p, way, square) + cylinder_width(q, way, square);
    return length > CYLINDER_ERROR &&
           vec_dot(d, way) - width > (distance + CYLINDER_ERROR) * length;
}

/* The point of the cylinder's middle disc that is nearest to x. */
static void cylinder_nearest(const cylinder *c, const double x[3], double out[3])
{
    double d[3];
    vec_sub(x, c->centre, d);
    vec_along(d, -vec_dot(d, c->axis), c->axis, d);
    const double length = sqrt(vec_dot(d, d));
    vec_along(c->centre, length > c->radius ? c->radius / length : 1, d, out);
}

int cylinders_beyond(const cylinder *p, const cylinder *q, double distance, double way[3])
{
    double d[3], x[3], y[3];
    vec_sub(q->centre, p->centre, d);
    if (cylinders_beyond_along(p, q, d, way, distance))
        return 1;
    cylinder_nearest(p, q->centre, x);
    cylinder_nearest(q, x, y);
    cylinder_nearest(p, y, x);
    vec_sub(y, x, way);
    return cylinders_beyond_along(p, q, d, way, distance);
}
