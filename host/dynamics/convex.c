/* See convex.h. */
#include "convex.h"

#include "error.h"
#include "scene_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void convex_free(mem *m, convex *s)
{
    if (!s)
        return;
    mem_free(m, s->point);
    mem_free(m, s->corner);
    mem_free(m, s->plane);
    mem_free(m, s->edge);
    mem_free(m, s);
}

/* ---- mass */

static v3 corner_of(const convex *s, uint32_t t, int k)
{
    return convex_vertex(s, s->corner[(size_t)3 * t + (size_t)k]);
}

/* Six times the volume of the tetrahedron from the origin to a triangle, with its sign. */
static double six_volume(const convex *s, uint32_t t)
{
    return v3_dot(corner_of(s, t, 0), v3_cross(corner_of(s, t, 1), corner_of(s, t, 2)));
}

/* About the square of the body's size. */
static double cbrt_square(double volume)
{
    const double size = scene_cbrt(volume);
    return size * size;
}

static int move_to_centre(convex *s)
{
    double volume = 0;
    v3 sum = {0, 0, 0};
    for (uint32_t t = 0; t < s->triangles; t++) {
        const double v = six_volume(s, t);
        volume += v;
        for (int k = 0; k < 3; k++)
            sum = v3_add(sum, v3_scale(corner_of(s, t, k), v));
    }
    if (!(volume > 0))
        return imp_fail(IMP_ERR_ARGUMENT, "a body has no volume");
    s->volume = volume / 6;
    s->moved = v3_scale(sum, -1 / (4 * volume));
    /* rounding alone does not move a symmetric body */
    if (v3_dot(s->moved, s->moved) < 1e-28 * cbrt_square(s->volume))
        s->moved = v3_make(0, 0, 0);
    for (uint32_t i = 0; i < s->vertices; i++)
        scene_store(s->point + (size_t)3 * i, v3_add(convex_vertex(s, i), s->moved));
    return IMP_OK;
}

/* The integral of u v over a tetrahedron of six times the volume `six`, one corner of which is the
 * origin: six / 120 times the sum over pairs of corners, equal ones twice. */
static double product(const double u[3], const double v[3], double six)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            sum += (i == k ? 2 : 1) * u[i] * v[k];
    return sum * six / 120;
}

static void measure_inertia(convex *s)
{
    double second[3][3] = {{0}}; /* integrals of x_i x_k */
    for (uint32_t t = 0; t < s->triangles; t++) {
        double x[3][3];
        for (int k = 0; k < 3; k++) {
            const v3 p = corner_of(s, t, k);
            x[0][k] = p.x, x[1][k] = p.y, x[2][k] = p.z;
        }
        const double six = six_volume(s, t);
        for (int i = 0; i < 3; i++)
            for (int k = i; k < 3; k++)
                second[i][k] += product(x[i], x[k], six);
    }
    s->inertia[0] = second[1][1] + second[2][2];
    s->inertia[1] = second[0][0] + second[2][2];
    s->inertia[2] = second[0][0] + second[1][1];
    s->inertia[3] = -second[0][1];
    s->inertia[4] = -second[0][2];
    s->inertia[5] = -second[1][2];
}

/* ---- faces and edges */

static void find_planes(convex *s)
{
    for (uint32_t t = 0; t < s->triangles; t++) {
        const v3 p = corner_of(s, t, 0);
        const v3 n =
            scene_unit(v3_cross(v3_sub(corner_of(s, t, 1), p), v3_sub(corner_of(s, t, 2), p)));
        s->plane[t] = (convex_plane){n, v3_dot(n, p)};
    }
}

/* An edge as one of its triangles has it. */
typedef struct side {
    uint32_t low, high, triangle;
} side;

static int side_order(const void *x, const void *y)
{
    const side *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* Rounding may turn the normals of two triangles in one plane apart by some 2^-50. */
static int in_one_plane(const convex *s, uint32_t t, uint32_t u)
{
    const v3 across = v3_cross(s->plane[t].n, s->plane[u].n);
    return v3_dot(across, across) < 1e-24;
}

static int take_edges(convex *s, const side *all)
{
    for (size_t i = 0; i < (size_t)3 * s->triangles; i += 2) {
        if (i + 1 >= (size_t)3 * s->triangles || all[i].low != all[i + 1].low ||
            all[i].high != all[i + 1].high)
            return imp_fail(IMP_ERR_ARGUMENT, "the surface of a body is not closed");
        if (in_one_plane(s, all[i].triangle, all[i + 1].triangle))
            continue;
        s->edge[(size_t)2 * s->edges] = all[i].low;
        s->edge[(size_t)2 * s->edges + 1] = all[i].high;
        s->edges++;
    }
    return IMP_OK;
}

static int find_edges(mem *m, convex *s)
{
    int err = IMP_OK;
    const size_t sides = (size_t)3 * s->triangles;
    side *all = NULL;
    TRY(mem_alloc(m, sides * sizeof *all, &all));
    for (size_t i = 0; i < sides; i++) {
        const uint32_t *c = s->corner + i / 3 * 3, a = c[i % 3], b = c[(i + 1) % 3];
        all[i] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3)};
    }
    qsort(all, sides, sizeof *all, side_order);
    TRY(mem_alloc(m, sides * sizeof *s->edge, &s->edge)); /* two vertices for two sides */
    TRY(take_edges(s, all));
out:
    mem_free(m, all);
    return err;
}

int convex_make(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
                uint32_t triangles, convex **out)
{
    int err = IMP_OK;
    convex *s = NULL;
    const size_t numbers = (size_t)3 * vertices, corners = (size_t)3 * triangles;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *s, &s));
    *s = (convex){.vertices = vertices, .triangles = triangles};
    TRY(mem_alloc(m, numbers * sizeof *s->point, &s->point));
    TRY(mem_alloc(m, corners * sizeof *s->corner, &s->corner));
    TRY(mem_alloc(m, triangles * sizeof *s->plane, &s->plane));
    memcpy(s->point, point, numbers * sizeof *point);
    memcpy(s->corner, corner, corners * sizeof *corner);
    TRY(move_to_centre(s));
    measure_inertia(s);
    find_planes(s);
    TRY(find_edges(m, s));
    *out = s;
    s = NULL;
out:
    convex_free(m, s);
    return err;
}
