/* See closest.h. Every tried point is on the features, and the nearest is used. So where a face has
 * nearly no area, or edges are nearly parallel, rounding gives a point beside the nearest one, not
 * one far from it. */
#include "closest.h"

#include "vec3.h"

#include <math.h>
#include <string.h>

static void closest_lerp(const double *a, const double *b, double t, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * a[k] + t * b[k];
}

/* The point of the edge a b that is nearest to p. */
static void nearest_on_edge(const double *p, const double *a, const double *b, double *out)
{
    double e[3];
    vec_sub(b, a, e);
    closest_lerp(a, b, vec_closest_to_point(a, e, p), out);
}

/* Keeps two points if they are the nearest so far. */
static void closest_keep_nearer(const double *p, const double *q, double *best, double out[6])
{
    const double d = vec_square(p, q);
    if (*best >= 0 && d >= *best)
        return;
    *best = d;
    memcpy(out, p, 3 * sizeof *out);
    memcpy(out + 3, q, 3 * sizeof *out);
}

/* ---- a vertex and a face */

/* The point nearest to p on a section of the face parallel to an edge; the section contains the
 * plane's point nearest to p, if that is inside the face. */
static void nearest_inside(const double *p, const double x[4][3], double *out)
{
    double e[3], f[3], g[3], from[3], to[3];
    vec_sub(x[1], x[0], e);
    vec_sub(x[2], x[0], f);
    vec_sub(p, x[0], g);
    const double u = vec_closest_to_line(e, f, g);
    closest_lerp(x[0], x[1], u, from);
    closest_lerp(x[2], x[1], u, to);
    nearest_on_edge(p, from, to, out);
}

static void nearest_of_face(const double x[4][3], double out[6])
{
    double best = -1, at[3];
    nearest_inside(x[3], x, at);
    closest_keep_nearer(x[3], at, &best, out);
    for (int k = 0; k < 3; k++) {
        nearest_on_edge(x[3], x[k], x[(k + 1) % 3], at);
        closest_keep_nearer(x[3], at, &best, out);
    }
}

/* ---- two edges */

/* The closest points of the lines, if they are inside both edges. */
static void closest_edge_edge(const double x[4][3], double p[3], double q[3])
{
    double e[3], f[3], g[3], at[3];
    vec_sub(x[1], x[0], e);
    vec_sub(x[3], x[2], f);
    vec_sub(x[2], x[0], g);
    closest_lerp(x[0], x[1], vec_closest_to_line(e, f, g), at);
    nearest_on_edge(at, x[2], x[3], q);
    nearest_on_edge(q, x[0], x[1], p);
}

static void nearest_of_edges(const double x[4][3], double out[6])
{
    double best = -1, p[3], q[3];
    closest_edge_edge(x, p, q);
    closest_keep_nearer(p, q, &best, out);
    for (int k = 0; k < 2; k++) {
        nearest_on_edge(x[k], x[2], x[3], q);
        closest_keep_nearer(x[k], q, &best, out);
        nearest_on_edge(x[2 + k], x[0], x[1], p);
        closest_keep_nearer(p, x[2 + k], &best, out);
    }
}

/* ---- both */

static int is_after(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] > b[k];
    return 0;
}

void points_order(double point[6])
{
    double swap[3];
    if (!is_after(point, point + 3))
        return;
    memcpy(swap, point, sizeof swap);
    memcpy(point, point + 3, sizeof swap);
    memcpy(point + 3, swap, sizeof swap);
}

/* The power of two that scales the features' extent to about 1, if the extent is less. */
static double closest_scale(const double x[4][3])
{
    double extent = 0;
    int e;
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 3; k++)
            extent = fmax(extent, fabs(x[i][k] - x[0][k]));
    frexp(extent, &e);
    return ldexp(1, e < -1000 ? 1000 : e < 0 ? -e : 0);
}

void closest_points_unordered(int vertex_face, const double x[4][3], double out[6])
{
    (vertex_face ? nearest_of_face : nearest_of_edges)(x, out);
}

void closest_points(int vertex_face, const double x[4][3], double out[6])
{
    double in_units[4][3];
    const double unit = closest_scale(x);
    for (int i = 0; i < 12; i++)
        in_units[i / 3][i % 3] = x[i / 3][i % 3] * unit;
    closest_points_unordered(vertex_face, (const double(*)[3])in_units, out);
    for (int i = 0; i < 6; i++)
        out[i] /= unit;
    points_order(out);
}
