/* See spin.h. The quaternion of a turn by the vector 2 u is exp(u) = (cos |u|, u sin |u| / |u|).
 * u is halved n times until it is shorter than 1/2, the series give its exponential, and squaring
 * that n times undoes the halvings.
 *
 * The bound, with e = 2^-53. Seconds and u have a relative error of 2 e, so the short u is off by
 * at most e. x = |u|^2 <= 1/4 is off by 8 e of itself, the cosine of at least 7/8 by 2 e and the
 * sine by 3 e; the first terms that are left out are below 2^-70. Together the first quaternion is
 * off by less than 8 e = 2^-50. Squaring doubles what is there and rounds by at most 6 e. So after
 * n squarings the error is below 1.1 * 2^(n - 49), for n <= 31. n is 0, or 2^n <= 4 |u|, which is
 * twice the angle. The product with the rotation adds 8 e. A quaternion that is off by q moves a
 * point by 2 q of its distance; the matrix adds 2^-50 (pose.h). All that is below 2^-47 (1 + 1.1
 * angle). */
#include "spin.h"

#include "vec3.h"

#define TERMS 8 /* of each series */

/* exp(u), for |u| < 1/2 */
static void exponential(const double u[3], double out[4])
{
    const double x = vec_dot(u, u);
    double cosine = 1, sine = 1; /* sine: divided by the angle */
    for (int k = TERMS; k > 0; k--) {
        cosine = 1 - x / (2 * k * (2 * k - 1)) * cosine;
        sine = 1 - x / (2 * k * (2 * k + 1)) * sine;
    }
    out[0] = cosine;
    for (int i = 0; i < 3; i++)
        out[1 + i] = sine * u[i];
}

static void spin_square(double q[4])
{
    const double w = q[0];
    q[0] = w * w - (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 1; i < 4; i++)
        q[i] = 2 * w * q[i];
}

/* first q, then p; of length 1 */
static void unit_product(const double p[4], const double q[4], double out[4])
{
    const double r[4] = {p[0] * q[0] - (p[1] * q[1] + p[2] * q[2] + p[3] * q[3]),
                         p[0] * q[1] + q[0] * p[1] + (p[2] * q[3] - p[3] * q[2]),
                         p[0] * q[2] + q[0] * p[2] + (p[3] * q[1] - p[1] * q[3]),
                         p[0] * q[3] + q[0] * p[3] + (p[1] * q[2] - p[2] * q[1])};
    const double size = sqrt(pose_square(r));
    for (int i = 0; i < 4; i++)
        out[i] = r[i] / size;
}

void spin_turn(const double rotation[4], const double spin[3], double seconds, double out[4])
{
    double u[3], q[4];
    int halvings = 0;
    for (int i = 0; i < 3; i++)
        u[i] = spin[i] * (seconds / 2);
    frexp(pose_length(u), &halvings);
    halvings = halvings < 0 ? 0 : halvings + 1;
    for (int i = 0; i < 3; i++)
        u[i] = ldexp(u[i], -halvings);
    exponential(u, q);
    while (halvings--)
        spin_square(q);
    unit_product(q, rotation, out);
}

void spin_pose(const spin_motion *m, double time, double centre[3], double rotation[4])
{
    const double seconds = time - m->time;
    for (int i = 0; i < 3; i++)
        centre[i] = m->centre[i] + m->velocity[i] * seconds;
    spin_turn(m->rotation, m->spin, seconds, rotation);
}

pose_map spin_map(const spin_motion *m, double time)
{
    pose_map map;
    double rotation[4];
    spin_pose(m, time, map.t, rotation);
    pose_matrix(rotation, map.r);
    return map;
}

double spin_angle(const spin_motion *m, double seconds)
{
    return pose_length(m->spin) * fabs(seconds) * (1 + 0x1p-50);
}

/* The centre: a product and a sum along each axis, and the seconds. */
double spin_error(const spin_motion *m, double seconds, double far)
{
    const double moved = pose_length(m->velocity) * fabs(seconds);
    return 0x1p-46 * (1 + spin_angle(m, seconds)) * far +
           0x1p-50 * (pose_length(m->centre) + moved);
}
