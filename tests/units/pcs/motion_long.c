/* See motion_long.h. */
#include "motion_long.h"

#include "rigid.h"

static void motion_long_cross(const long double a[3], const long double b[3], long double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* p + 2 v x (v x p + w p), for a quaternion (w, v) of any length. */
static void motion_long_rotate_by(const double q[4], const double p[3], long double out[3])
{
    const long double v[3] = {q[1], q[2], q[3]}, x[3] = {p[0], p[1], p[2]};
    long double inner[3], outer[3], square = 0;
    for (int k = 0; k < 4; k++)
        square += (long double)q[k] * q[k];
    motion_long_cross(v, x, inner);
    for (int k = 0; k < 3; k++)
        inner[k] += q[0] * x[k];
    motion_long_cross(v, inner, outer);
    for (int k = 0; k < 3; k++)
        out[k] = x[k] + 2 * outer[k] / square;
}

void motion_long(const spin_motion *m, long double time, const double p[3], long double out[3],
                 long double speed[3])
{
    const long double seconds = time - m->time;
    long double r[3], n[3], across[3], size = 0, along = 0;
    motion_long_rotate_by(m->rotation, p, r);
    for (int k = 0; k < 3; k++)
        size += (long double)m->spin[k] * m->spin[k];
    size = sqrtl(size);
    for (int k = 0; k < 3; k++)
        n[k] = size > 0 ? m->spin[k] / size : 0;
    motion_long_cross(n, r, across);
    for (int k = 0; k < 3; k++)
        along += n[k] * r[k];
    const long double c = cosl(size * seconds), s = sinl(size * seconds);
    for (int k = 0; k < 3; k++) {
        const long double flat = r[k] - n[k] * along;
        out[k] = m->centre[k] + m->velocity[k] * seconds + n[k] * along + flat * c + across[k] * s;
        if (speed)
            speed[k] = m->velocity[k] + size * (across[k] * c - flat * s);
    }
}

spin_motion motion_random(rng *r, double far, double fast, double angle)
{
    spin_motion m = {.time = rng_unit(r)};
    double axis[3], way[3];
    const double turn = rng_below(r, 5) ? angle * rng_unit(r) * rng_unit(r) : 0;
    rigid_rotation(r, m.rotation);
    rng_direction(r, axis);
    rng_direction(r, way);
    for (int k = 0; k < 3; k++) {
        m.centre[k] = far * (2 * rng_unit(r) - 1);
        m.velocity[k] = way[k] * fast * rng_unit(r);
        m.spin[k] = axis[k] * turn;
    }
    return m;
}
