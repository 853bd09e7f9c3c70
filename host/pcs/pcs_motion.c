/* See pcs_motion.h. Two planes orthogonal to the direction between the closest points of convex
 * bodies bound a gap as wide as their distance. A point of a body moves along that direction by at
 * most the centre's velocity along it plus r |w|. So the gap lasts at least as long as the formula
 * says. Nonconvex bodies may reach around the planes, so only the greatest speed counts. */
#include "pcs_motion.h"

#include "vec3.h"

#include <string.h>

#define UP (1 + 0x1p-48) /* more than five roundings */
#define DOWN (1 - 0x1p-50)

pcs_gap pcs_gap_of(const shape_nearest *near, double moved)
{
    pcs_gap g = {.distance = near->distance, .error = (near->error + moved) * UP};
    for (int k = 0; k < 3; k++)
        g.unit[k] = near->direction[k];
    return g;
}

static double pcs_time_speed(const pcs_motion *a, const pcs_motion *b, double v[3])
{
    vec_sub(a->at.velocity, b->at.velocity, v);
    return pose_length(v) * UP;
}

double pcs_speed_most(const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    return (pcs_time_speed(a, b, v) + a->turning + b->turning) * UP;
}

/* Upper limit of the speed at which the gap closes; 0 or less: it does not. */
static double closing_most(const pcs_gap *g, const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    const double speed = pcs_time_speed(a, b, v), turning = a->turning + b->turning;
    const double *u = g->unit;
    double along = speed;
    if (a->convex && b->convex && pcs_gap_is_directed(g)) {
        along = vec_dot(v, u) + speed * 0x1p-49;
        along = along < speed ? along : speed;
    }
    return along + turning + (fabs(along) + turning) * 0x1p-50;
}

double pcs_time_least(const pcs_gap *g, double keep, const pcs_motion *a, const pcs_motion *b)
{
    const double room = (g->distance - g->error) * DOWN - keep, closing = closing_most(g, a, b);
    if (!(room > 0))
        return 0;
    return closing > 0 ? room / closing * DOWN : INFINITY;
}

/* ---- The quaternion of a rotation by the vector 2 u is exp(u) = (cos |u|, u sin |u| / |u|). u is
 * halved n times until it is shorter than 1/2, the series give its exponential, and squaring that n
 * times undoes the halvings.
 *
 * The bound, with e = 2^-53. Seconds and u have a relative error of 2 e, so the short u is off by
 * at most e. x = |u|^2 <= 1/4 is off by 8 e of itself, the cosine of at least 7/8 by 2 e and the
 * sine by 3 e; the first omitted terms are below 2^-70. Together the first quaternion is off by
 * less than 8 e = 2^-50. Squaring doubles the error and adds at most 6 e of rounding. So after n
 * squarings the error is below 1.1 * 2^(n - 49), for n <= 31. n is 0, or 2^n <= 4 |u|, which is
 * twice the angle. The product with the rotation adds 8 e. A quaternion that is off by q moves a
 * point by 2 q of its distance; the matrix adds 2^-50 (bodies.h). The total is below 2^-47 (1 + 1.1
 * angle). */

#define TERMS 8 /* per series */

/* exp(u), for |u| < 1/2 */
static void exponential(const double u[3], double out[4])
{
    const double x = vec_dot(u, u);
    double cosine = 1, sine = 1; /* sine is divided by the angle */
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

/* The rotation by q, then by p; of length 1. */
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

/* Rounding of the centre: a product and a sum along each axis, and the seconds. */
double spin_error(const spin_motion *m, double seconds, double far)
{
    const double moved = pose_length(m->velocity) * fabs(seconds);
    return 0x1p-46 * (1 + spin_angle(m, seconds)) * far +
           0x1p-50 * (pose_length(m->centre) + moved);
}

#define DIGIT_MOST 10 /* bits: the counts of a digit fit the L1 cache */

int pcs_curve_bits(uint32_t boxes)
{
    int bits = 2;
    while (bits < PCS_CURVE_MOST && UINT64_C(1) << 3 * bits < UINT64_C(4) * boxes)
        bits++;
    return bits;
}

/* Inserts two zero bits after each of the lowest 10. */
static uint32_t pcs_curve_spread_bits(uint32_t x)
{
    x &= 0x3ff;
    x = (x | x << 16) & UINT32_C(0x030000ff);
    x = (x | x << 8) & UINT32_C(0x0300f00f);
    x = (x | x << 4) & UINT32_C(0x030c30c3);
    return (x | x << 2) & UINT32_C(0x09249249);
}

uint64_t pcs_curve_key(const int64_t tile[3], int bits)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    return pcs_curve_spread_bits((uint32_t)tile[0] & mask) |
           pcs_curve_spread_bits((uint32_t)tile[1] & mask) << 1 |
           pcs_curve_spread_bits((uint32_t)tile[2] & mask) << 2;
}

static void pcs_curve_sort_digit(const pcs_curve_entry *from, uint32_t count, int shift, int digit,
                                 pcs_curve_entry *to)
{
    uint32_t start[(1 << DIGIT_MOST) + 1];
    const uint64_t mask = (UINT64_C(1) << digit) - 1;
    memset(start, 0, ((size_t)mask + 2) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[(from[i].key >> shift & mask) + 1]++;
    for (uint64_t d = 0; d < mask; d++)
        start[d + 1] += start[d];
    for (uint32_t i = 0; i < count; i++)
        to[start[from[i].key >> shift & mask]++] = from[i];
}

const pcs_curve_entry *pcs_curve_sort(pcs_curve_entry *spot, uint32_t count, int bits)
{
    pcs_curve_entry *from = spot, *to = spot + count;
    const int digits = (bits + DIGIT_MOST - 1) / DIGIT_MOST;
    const int digit = digits ? (bits + digits - 1) / digits : 0;
    for (int i = 0; i < digits; i++) {
        pcs_curve_entry *const swap = from;
        pcs_curve_sort_digit(from, count, i * digit, digit, to);
        from = to;
        to = swap;
    }
    return from;
}
