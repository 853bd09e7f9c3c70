/* See solids.h: winding numbers by rays. A ray along an axis begins at the point, which is moved by
 * infinitely small steps along the three axes, each infinitely smaller than the one before. So the
 * ray meets no vertex and no edge, and all signs are those of float64 coordinates. */
#include "solids.h"

#include <math.h>

/* Primitives that are crossed by a ray from x. */
typedef struct winding_ray {
    const solids *of;
    exact_point x;
    int axis, way; /* way: 1 or -1, the direction along the axis */
    int winding, touches;
} winding_ray;

static int winding_axis(int axis, int k)
{
    return (axis + k) % 3;
}

/* The sign of the area of a, b and the moved point, seen along the ray's axis. An edge that is
 * parallel to the axis has the sign 0. */
static int winding_turn(const winding_ray *r, const exact_point *a, const exact_point *b)
{
    const int i = winding_axis(r->axis, 1), j = winding_axis(r->axis, 2);
    const int sign = exact_orient2d(a, b, &r->x, r->axis);
    if (sign)
        return sign;
    if (a->x[j] != b->x[j]) /* the derivative along i is a_j - b_j */
        return b->x[j] > a->x[j] ? -1 : 1;
    return (b->x[i] > a->x[i]) - (b->x[i] < a->x[i]);
}

static int winding_in_box(const exact_point *x, const exact_point *p, int n)
{
    for (int k = 0; k < 3; k++) {
        int below = 0, above = 0;
        for (int c = 0; c < n; c++) {
            below |= p[c].x[k] <= x->x[k];
            above |= p[c].x[k] >= x->x[k];
        }
        if (!below || !above)
            return 0;
    }
    return 1;
}

/* A triangle that the ray crosses counts 1 where the ray leaves through its front. */
static void winding_triangle(winding_ray *r, const exact_point p[3])
{
    const int first = winding_turn(r, &p[0], &p[1]);
    if (winding_in_box(&r->x, p, 3) && exact_in_triangle(&r->x, &p[0], &p[1], &p[2]))
        r->touches = 1;
    if (!first || r->touches || winding_turn(r, &p[1], &p[2]) != first ||
        winding_turn(r, &p[2], &p[0]) != first)
        return;
    /* the front of a triangle that turns counter-clockwise is above it */
    const int height = first * exact_orient3d(&p[0], &p[1], &p[2], &r->x);
    if (height * r->way < 0)
        r->winding += first * r->way;
}

/* The side of the moved point over the plane of a, b, c. */
static int winding_height(const winding_ray *r, const exact_point *a, const exact_point *b,
                          const exact_point *c)
{
    int sign = exact_orient3d(a, b, c, &r->x);
    for (int k = 1; k <= 3 && !sign; k++)
        sign = exact_orient2d(a, b, c, winding_axis(r->axis, k));
    return sign;
}

/* A tetrahedron counts 1 if the moved point is in it. */
static void winding_tetrahedron(winding_ray *r, uint32_t prim)
{
    const exact_prim p = exact_prim_of(r->of->mesh.frame, prim);
    const uint8_t surface = r->of->mesh.surface[prim];
    int in = 1;
    if (!winding_in_box(&r->x, p.v, 4))
        return;
    for (int f = 0; f < 4; f++) {
        const exact_point *a = &p.v[tet_face[f][0]], *b = &p.v[tet_face[f][1]],
                          *c = &p.v[tet_face[f][2]];
        const int side = exact_orient3d(a, b, c, &p.v[f]);
        in &= side != 0 && winding_height(r, a, b, c) == side;
        r->touches |= (surface >> f & 1) && exact_in_triangle(&r->x, a, b, c);
    }
    r->winding += in;
}

static int winding_visit(void *user, uint32_t prim)
{
    winding_ray *r = user;
    if (mesh_corners_of(r->of->mesh.frame->mesh, prim) == (uint32_t)IMP_TETRAHEDRA) {
        winding_tetrahedron(r, prim);
    } else {
        const exact_prim p = exact_prim_of(r->of->mesh.frame, prim);
        winding_triangle(r, p.v);
    }
    return r->touches;
}

/* Along the shortest extent a ray crosses the fewest boxes. */
static int winding_shortest(const float *box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box[3 + k] - box[k] < box[3 + axis] - box[axis])
            axis = k;
    return axis;
}

uint32_t solids_way(const solids *s, uint32_t place, const double x[3], int axis)
{
    const float *box = solids_box(s, place);
    const int along = axis < 0 ? winding_shortest(box) : axis;
    const float at = solids_unit(s, along, x[along]);
    const uint32_t down = at - box[along] < box[3 + along] - at, up = 1 - down;
    return 2 * (uint32_t)along + up;
}

int solids_winding(solids_walk *w, uint32_t place, const double x[3], int axis, int *touches)
{
    const uint32_t way = solids_way(w->of, place, x, axis);
    winding_ray r = {
        .of = w->of, .x = {{x[0], x[1], x[2]}}, .axis = (int)(way / 2), .way = way % 2 ? 1 : -1};
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++)
        lo[k] = hi[k] = solids_unit(w->of, k, x[k]);
    if (r.way > 0)
        hi[r.axis] = INFINITY;
    else
        lo[r.axis] = -INFINITY;
    solids_overlaps(w, place, lo, hi, winding_visit, &r);
    *touches = r.touches;
    return r.touches ? 0 : r.winding;
}
