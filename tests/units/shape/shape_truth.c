/* The distance of two bodies by brute force in long double: all triangles of one against all of the
 * other, each pair by its 15 feature pairs and by edges that pass through faces. */
#include "shape_cases.h"

#include <math.h>
#include <stdlib.h>

typedef struct point {
    long double x[3];
} point;

static point sub(point a, point b)
{
    return (point){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static point shape_truth_cross(point a, point b)
{
    return (point){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static long double shape_truth_dot(point a, point b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static point shape_truth_along(point a, long double s, point d)
{
    return (point){{a.x[0] + s * d.x[0], a.x[1] + s * d.x[1], a.x[2] + s * d.x[2]}};
}

static long double shape_truth_square(point a, point b)
{
    const point d = sub(a, b);
    return shape_truth_dot(d, d);
}

static long double from_segment(point p, point a, point b)
{
    const point e = sub(b, a);
    const long double ee = shape_truth_dot(e, e),
                      s = ee > 0 ? shape_truth_dot(sub(p, a), e) / ee : 0;
    return shape_truth_square(p, shape_truth_along(a, s < 0 ? 0 : s > 1 ? 1 : s, e));
}

/* The squared distance if p projects into the triangle, else infinity. */
static long double from_face(point p, const point t[3])
{
    const point n = shape_truth_cross(sub(t[1], t[0]), sub(t[2], t[0]));
    for (int i = 0; i < 3; i++)
        if (shape_truth_dot(shape_truth_cross(sub(t[(i + 1) % 3], t[i]), sub(p, t[i])), n) < 0)
            return INFINITY;
    const long double h = shape_truth_dot(sub(p, t[0]), n), nn = shape_truth_dot(n, n);
    return nn > 0 ? h * h / nn : INFINITY;
}

/* The squared distance of two lines, if their closest points are within the segments. Cross
 * products keep digits where lines are nearly parallel; inaccurate parameters still give points of
 * the segments. */
static long double from_line(point a, point b, point c, point d)
{
    const point u = sub(b, a), v = sub(d, c), w = sub(c, a), n = shape_truth_cross(u, v);
    const long double nn = shape_truth_dot(n, n);
    if (!(nn > 0))
        return INFINITY;
    const long double s = shape_truth_dot(shape_truth_cross(w, v), n) / nn,
                      t = shape_truth_dot(shape_truth_cross(w, u), n) / nn;
    if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1))
        return INFINITY;
    return shape_truth_square(shape_truth_along(a, s, u), shape_truth_along(c, t, v));
}

static int shape_truth_goes_through(point a, point b, const point t[3])
{
    const point n = shape_truth_cross(sub(t[1], t[0]), sub(t[2], t[0]));
    const long double from = shape_truth_dot(sub(a, t[0]), n),
                      to = shape_truth_dot(sub(b, t[0]), n);
    if (!((from > 0 && to < 0) || (from < 0 && to > 0)))
        return 0;
    const point x = shape_truth_along(a, from / (from - to), sub(b, a));
    for (int i = 0; i < 3; i++)
        if (shape_truth_dot(shape_truth_cross(sub(t[(i + 1) % 3], t[i]), sub(x, t[i])), n) < 0)
            return 0;
    return 1;
}

static long double of_triangles(const point p[3], const point q[3])
{
    long double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        if (shape_truth_goes_through(p[i], p[(i + 1) % 3], q) ||
            shape_truth_goes_through(q[i], q[(i + 1) % 3], p))
            return 0;
        best = fminl(best, fminl(from_face(p[i], q), from_face(q[i], p)));
        for (int k = 0; k < 3; k++) {
            const point a = p[i], b = p[(i + 1) % 3], c = q[k], d = q[(k + 1) % 3];
            best = fminl(best, fminl(from_segment(a, c, d), from_segment(c, a, b)));
            best = fminl(best, from_line(a, b, c, d));
        }
    }
    return best;
}

static point shape_truth_store(const pose_map *m, const double *x, const double *origin)
{
    point y;
    for (int i = 0; i < 3; i++)
        y.x[i] = (long double)m->r[i][0] * x[0] + (long double)m->r[i][1] * x[1] +
                 (long double)m->r[i][2] * x[2] + ((long double)m->t[i] - origin[i]);
    return y;
}

/* Relative to the first body, in units of its size, so that squares do not vanish. */
static point *all_corners(const body *b, const pose_map *m, const double *origin, long double scale)
{
    point *p = malloc(3 * sizeof *p * b->triangles);
    if (!p)
        abort();
    for (size_t e = 0; e < 3 * (size_t)b->triangles; e++) {
        p[e] = shape_truth_store(m, b->x + 3 * (size_t)b->corner[e], origin);
        for (int k = 0; k < 3; k++)
            p[e].x[k] *= scale;
    }
    return p;
}

/* For a closed convex surface: whether the point is on the same side of all triangles. */
static int has_inside(const point *t, uint32_t triangles, point x)
{
    int above = 0, below = 0;
    for (uint32_t i = 0; i < triangles; i++) {
        const point *c = t + 3 * (size_t)i;
        const long double h =
            shape_truth_dot(shape_truth_cross(sub(c[1], c[0]), sub(c[2], c[0])), sub(x, c[0]));
        above |= h > 0;
        below |= h < 0;
    }
    return !above || !below;
}

long double true_distance(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                          int convex)
{
    const long double scale =
        1 / ((long double)shape_radius(a->s) + (long double)shape_radius(b->s));
    point *p = all_corners(a, pa, pa->t, scale), *q = all_corners(b, pb, pa->t, scale);
    long double best = INFINITY;
    for (size_t i = 0; i < a->triangles; i++)
        for (size_t k = 0; k < b->triangles; k++)
            best = fminl(best, of_triangles(p + 3 * i, q + 3 * k));
    if (convex && (has_inside(p, a->triangles, q[0]) || has_inside(q, b->triangles, p[0])))
        best = 0;
    free(p);
    free(q);
    return sqrtl(best) / scale;
}

long double true_gap(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                     const double along[3])
{
    const point d = {{along[0], along[1], along[2]}};
    long double high = -INFINITY, low = INFINITY;
    for (size_t e = 0; e < 3 * (size_t)a->triangles; e++)
        high = fmaxl(high, shape_truth_dot(
                               d, shape_truth_store(pa, a->x + 3 * (size_t)a->corner[e], pa->t)));
    for (size_t e = 0; e < 3 * (size_t)b->triangles; e++)
        low = fminl(
            low, shape_truth_dot(d, shape_truth_store(pb, b->x + 3 * (size_t)b->corner[e], pa->t)));
    return low - high;
}

long double true_off(const body *b, const pose_map *p, uint32_t cell, const double x[3])
{
    const long double scale = 1 / (long double)shape_radius(b->s);
    point t[3], y;
    for (int k = 0; k < 3; k++)
        y.x[k] = ((long double)x[k] - p->t[k]) * scale;
    for (size_t i = 0; i < 3; i++) {
        t[i] = shape_truth_store(p, b->x + 3 * (size_t)b->corner[3 * (size_t)cell + i], p->t);
        for (int k = 0; k < 3; k++)
            t[i].x[k] *= scale;
    }
    long double best = from_face(y, t);
    for (int i = 0; i < 3; i++)
        best = fminl(best, from_segment(y, t[i], t[(i + 1) % 3]));
    return sqrtl(best) / scale;
}
