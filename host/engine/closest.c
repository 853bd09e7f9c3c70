/* See closest.h. */
#include "closest.h"

#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* from a to b */
static void between(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
}

static void along(const double *a, const double *b, double t, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * a[k] + t * b[k];
}

static double within(double t)
{
    return t > 0 ? (t < 1 ? t : 1) : 0; /* 0 for NaN, too: of two points where none is nearer */
}

static double squared_distance(const double *a, const double *b)
{
    double d[3];
    between(a, b, d);
    return dot(d, d);
}

/* ---- a vertex and a face */

/* The point of the edge a b that is nearest to p. */
static void nearest_on_edge(const double *p, const double *a, const double *b, double *out)
{
    double e[3], to[3];
    between(a, b, e);
    between(a, p, to);
    along(a, b, within(dot(e, to) / dot(e, e)), out);
}

/* Is the point of the plane that is nearest to p inside the face? */
static int nearest_inside(const double *p, const double x[4][3], double *out)
{
    double e[3], f[3], g[3];
    between(x[0], x[1], e);
    between(x[0], x[2], f);
    between(x[0], p, g);
    const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), eg = dot(e, g), fg = dot(f, g);
    const double all = ee * ff - ef * ef;
    const double u = (ff * eg - ef * fg) / all, v = (ee * fg - ef * eg) / all;
    if (!(u >= 0 && v >= 0 && u + v <= 1))
        return 0;
    for (int k = 0; k < 3; k++)
        out[k] = x[0][k] + u * e[k] + v * f[k];
    return 1;
}

static void nearest_on_face(const double x[4][3], double *out)
{
    const double *p = x[3];
    if (nearest_inside(p, x, out))
        return;
    double best = -1;
    for (int k = 0; k < 3; k++) {
        double at[3];
        nearest_on_edge(p, x[k], x[(k + 1) % 3], at);
        const double d = squared_distance(p, at);
        if (best >= 0 && d >= best)
            continue;
        best = d;
        memcpy(out, at, sizeof at);
    }
}

/* ---- two edges */

/* Of an end of one edge with the other edge, unless what is there is nearer. */
static void try_end(const double *p, const double *a, const double *b, int swap, double *best,
                    double out[6])
{
    double at[3];
    nearest_on_edge(p, a, b, at);
    const double d = squared_distance(p, at);
    if (*best >= 0 && d >= *best)
        return;
    *best = d;
    memcpy(out + (swap ? 3 : 0), p, sizeof at);
    memcpy(out + (swap ? 0 : 3), at, sizeof at);
}

/* Are the lines' nearest points inside both edges? */
static int crossing(const double x[4][3], double out[6])
{
    double e[3], f[3], g[3];
    between(x[0], x[1], e);
    between(x[2], x[3], f);
    between(x[2], x[0], g);
    const double ee = dot(e, e), ef = dot(e, f), ff = dot(f, f), eg = dot(e, g), fg = dot(f, g);
    const double all = ee * ff - ef * ef;
    const double s = (ef * fg - ff * eg) / all, t = (ee * fg - ef * eg) / all;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1))
        return 0;
    along(x[0], x[1], s, out);
    along(x[2], x[3], t, out + 3);
    return 1;
}

static void nearest_of_edges(const double x[4][3], double out[6])
{
    double best = -1;
    if (crossing(x, out))
        best = squared_distance(out, out + 3);
    try_end(x[0], x[2], x[3], 0, &best, out);
    try_end(x[1], x[2], x[3], 0, &best, out);
    try_end(x[2], x[0], x[1], 1, &best, out);
    try_end(x[3], x[0], x[1], 1, &best, out);
}

/* ---- both */

static int is_after(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] > b[k];
    return 0;
}

void closest_points(int vertex_face, const double x[4][3], double out[6])
{
    double swap[3];
    if (vertex_face) {
        memcpy(out, x[3], sizeof swap);
        nearest_on_face(x, out + 3);
    } else
        nearest_of_edges(x, out);
    if (is_after(out, out + 3)) {
        memcpy(swap, out, sizeof swap);
        memcpy(out, out + 3, sizeof swap);
        memcpy(out + 3, swap, sizeof swap);
    }
}
