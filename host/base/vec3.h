/* Vectors of three float64, in arrays. host/oracle, which checks results, has its own; kernels and
 * code that shares their formulas have vectors by value (kernels/vec.h). */
#ifndef IMP_VEC3_H
#define IMP_VEC3_H

#include <math.h>
#include <string.h>

static inline double vec_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void vec_copy(const double a[3], double out[3])
{
    memcpy(out, a, 3 * sizeof *out);
}

/* a - b; out may be either. */
static inline void vec_sub(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

/* a + s b */
static inline void vec_along(const double a[3], double s, const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] + s * b[k];
}

/* out may be a or b. */
static inline void vec_cross(const double a[3], const double b[3], double out[3])
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static inline double vec_square(const double a[3], const double b[3])
{
    double d[3];
    vec_sub(b, a, d);
    return vec_dot(d, d);
}

/* r x, and the transpose of r times x */
static inline void vec_turn(const double r[3][3], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = vec_dot(r[i], x);
    vec_copy(y, out);
}

static inline void vec_turn_back(const double r[3][3], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = r[0][i] * x[0] + r[1][i] * x[1] + r[2][i] * x[2];
    vec_copy(y, out);
}

/* Scales to length 1; returns 0 and leaves the vector unchanged if it has no finite length above 0.
 * Components are scaled first, so that no square vanishes or overflows. */
static inline int vec_unit(double a[3])
{
    const double most = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
    if (!(most > 0 && most < INFINITY))
        return 0;
    const double b[3] = {a[0] / most, a[1] / most, a[2] / most}, length = sqrt(vec_dot(b, b));
    for (int k = 0; k < 3; k++)
        a[k] = b[k] / length;
    return 1;
}

/* ---- closest points: a segment is a + t e, with t from 0 to 1 */

/* Clamps t to [0, 1]; 0 for NaN, which a segment without length gives. */
static inline double vec_clamp(double t)
{
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

/* The t of the segment's point that is closest to x. */
static inline double vec_closest_to_point(const double a[3], const double e[3], const double x[3])
{
    double d[3];
    vec_sub(x, a, d);
    return vec_clamp(vec_dot(d, e) / vec_dot(e, e));
}

/* The t where the segment a + t e is closest to the line b + s f, for w = b - a: the solution of (t
 * e + s f - w) . (e x f) = 0. Its error relative to the angle of e and f is that of a rounded
 * number; scalar products would have an error relative to the square of the angle. */
static inline double vec_closest_to_line(const double e[3], const double f[3], const double w[3])
{
    double n[3], c[3];
    vec_cross(e, f, n);
    vec_cross(w, f, c);
    return vec_clamp(vec_dot(c, n) / vec_dot(n, n));
}

#endif
