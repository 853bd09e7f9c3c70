/* Where a rigid body is: imp_pose as a map from the body's own coordinates. Only + - * / and sqrt
 * of float64, so the same bits on every system. */
#ifndef IMP_POSE_H
#define IMP_POSE_H

#include "impinge.h"

#include <float.h>
#include <math.h>

/* x goes to r x + t. */
typedef struct pose_map {
    double r[3][3], t[3];
} pose_map;

/* The number of an object in an ascending list of bodies, or POSE_NOBODY. */
#define POSE_NOBODY UINT32_MAX
static inline uint32_t pose_body(const int32_t *body, uint32_t bodies, int32_t object)
{
    uint32_t low = 0, high = bodies;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body[middle] < object)
            low = middle + 1;
        else
            high = middle;
    }
    return low < bodies && body[low] == object ? low : POSE_NOBODY;
}

/* How far from 1 a quaternion's length may be. */
#define POSE_UNIT 1e-6

static inline double pose_square(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/* Is it of length 1? */
static inline int pose_is_unit(const double q[4])
{
    return fabs(sqrt(pose_square(q)) - 1) <= POSE_UNIT;
}

/* Is it one that can be: finite, its rotation of length 1? */
static inline int pose_valid(const imp_pose *p)
{
    const double *all[] = {p->centre, p->velocity, p->spin};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (!isfinite(all[i][k]))
                return 0;
    return pose_is_unit(p->rotation);
}

/* The matrix of a quaternion, whose length is corrected; orthonormal but for some 2^-51. */
static inline void pose_matrix(const double rotation[4], double r[3][3])
{
    const double *q = rotation, s = 2 / pose_square(q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = m[i][k];
}

static inline pose_map pose_map_of(const imp_pose *p)
{
    pose_map m = {.t = {p->centre[0], p->centre[1], p->centre[2]}};
    pose_matrix(p->rotation, m.r);
    return m;
}

static inline void pose_put(const pose_map *m, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m->r[i][0] * x[0] + m->r[i][1] * x[1] + m->r[i][2] * x[2] + m->t[i];
}

/* The length of a vector, of whatever size: no square is lost. Of one that is not finite it is not,
 * either. */
static inline double pose_length(const double x[3])
{
    const double a = fabs(x[0]), b = fabs(x[1]), c = fabs(x[2]), ab = a > b ? a : b;
    const double most = ab > c ? ab : c;
    if (!(a + b + c > 0) || most > DBL_MAX)
        return a + b + c;
    const double u = x[0] / most, v = x[1] / most, w = x[2] / most;
    return most * sqrt(u * u + v * v + w * w);
}

/* How far a vertex may lie from where the pose puts it, for a file of this type. Who computes in
 * other units allows POSE_ROUNDED times that, as these are rounded, too. */
#define POSE_ROUNDED 2
static inline double pose_tolerance(const imp_pose *p, double radius, int type)
{
    const double far = pose_length(p->centre) + radius;
    return 8 * (type == IMP_FLOAT32 ? FLT_EPSILON : DBL_EPSILON) * far;
}

/* From there to where it is. */
static inline void pose_off(const pose_map *m, const double rest[3], const double is[3],
                            double out[3])
{
    pose_put(m, rest, out);
    for (int k = 0; k < 3; k++)
        out[k] = is[k] - out[k];
}

/* Is a way no longer than `most`? Not if it is not finite. */
static inline int pose_within(const double off[3], double most)
{
    return fabs(off[0]) + fabs(off[1]) + fabs(off[2]) <= most || pose_length(off) <= most;
}

#endif
