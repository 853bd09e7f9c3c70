/* See motion.h. */
#include "motion.h"

#include "bodies.h"
#include "float_env.h"
#include "vec3.h"

#include <string.h>

/* With a dot product this small, the shorter arc is unknown: it is half a turn. */
#define HALF_TURN 0x1p-45

/* If half of a rotation between poses has a sine this small, it may be rounding alone, which does
 * not give the axis of whole turns: the axis of the angular velocity is used instead. */
#define NO_AXIS 0x1p-24

#define FAST_MOST 0x1p50 /* radians; greater angles are not counted in turns */

#define PI 0x1.921fb54442d18p+1

body_motion motion_static(void)
{
    return (body_motion){.rotation = {1, 0, 0, 0}};
}

/* ---- sines */

/* Cosine and sine of pi x. Subtracting quarters of a turn from x is exact. */
static void sine_of_turns(double x, double *cosine, double *sine)
{
    const double quarter = floor(2 * x + 0.5), y = PI * (x - quarter / 2);
    const double c = cosine_near(y), s = sine_near(y);
    const int odd = (int)quarter & 1, sign = (int)quarter & 2 ? -1 : 1;
    *cosine = sign * (odd ? -s : c);
    *sine = sign * (odd ? c : s);
}

/* The angle with this cosine and sine, neither below 0, over pi: 0 to 1/2. Each step of Newton's
 * method for the sine of the remainder, which is 0.02 at first, leaves about a sixth of its
 * cube. */
static double motion_turns_of_angle(double cosine, double sine)
{
    double x = sine / (cosine + sine) / 2;
    for (int i = 0; i < 3; i++) {
        double c, s;
        sine_of_turns(x, &c, &s);
        x += (sine * c - cosine * s) / PI;
    }
    return x;
}

/* ---- from pose to pose */

/* The rounding error of a product a * b: the product plus it is exact (Dekker 1971). */
static double product_rest(double a, double b, double product)
{
    const double x = 0x1.0000002p27 * a, y = 0x1.0000002p27 * b;
    const double a1 = x - (x - a), a2 = a - a1, b1 = y - (y - b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* A dot product as if sums and products had twice the digits (Ogita, Rump, Oishi 2005): a
 * difference of nearly equal products keeps all of its digits. */
static double dot_of_four(const double a[4], const double b[4])
{
    double sum = 0, rest = 0;
    for (int k = 0; k < 4; k++) {
        const double p = a[k] * b[k], s = sum + p, other = s - sum;
        rest += ((sum - (s - other)) + (p - other)) + product_rest(a[k], b[k], p);
        sum = s;
    }
    return sum + rest;
}

/* The rotation from one to the other, as a quaternion whose length is the product of both lengths.
 * q and -q are the same rotation: the sign gives the shorter arc. */
static void motion_rotation_between(const double p[4], const double q[4], double out[4])
{
    out[0] = dot_of_four(p, q);
    for (int k = 1; k < 4; k++) {
        const int i = k % 3 + 1, j = i % 3 + 1;
        const double a[4] = {p[0], -p[k], p[i], -p[j]}, b[4] = {q[k], q[0], q[j], q[i]};
        out[k] = dot_of_four(a, b);
    }
    for (int k = 3; k >= 0 && out[0] < 0; k--)
        out[k] = -out[k];
}

static void motion_unit_vector(const double x[3], double out[3])
{
    const double size = pose_length(x);
    for (int k = 0; k < 3; k++)
        out[k] = size > 0 ? x[k] / size : 0;
}

/* Chooses the number of whole turns for which the rotation between the poses plus whole turns is
 * nearest to the angle of the angular velocity. */
static void motion_choose_turns(body_motion *w, const double spin[3])
{
    const double whole = floor(vec_dot(spin, w->axis) / (2 * PI) - w->fraction + 0.5);
    w->half_turn = 0;
    w->whole_turns = (int64_t)whole;
}

/* The rotation between the poses has no axis: it becomes the residual of the whole step. */
static void motion_leave_residual(body_motion *w, const double between[4], const double spin[3])
{
    for (int k = 0; k < 3; k++)
        w->residual[k] = between[1 + k] / between[0];
    w->fraction = 0;
    motion_unit_vector(spin, w->axis);
}

void motion_set_rotation(body_motion *w, const imp_pose *from, const imp_pose *to, double seconds)
{
    double between[4], spin[3];
    motion_rotation_between(from->rotation, to->rotation, between);
    const double size = sqrt(pose_square(between)), cosine = between[0] / size,
                 sine = pose_length(between + 1) / size;
    memcpy(w->rotation, from->rotation, sizeof w->rotation);
    memset(w->residual, 0, sizeof w->residual);
    w->whole_turns = 0;
    w->half_turn = cosine < HALF_TURN;
    w->fraction = motion_turns_of_angle(cosine, sine);
    motion_unit_vector(between + 1, w->axis);
    for (int k = 0; k < 3; k++)
        spin[k] = from->spin[k] * seconds;
    const double fast = pose_length(spin);
    const int counted = fast > PI && fast < FAST_MOST;
    if (counted && sine < NO_AXIS)
        motion_leave_residual(w, between, spin);
    if (counted)
        motion_choose_turns(w, spin);
    const double turns = 2 * PI * fabs((double)w->whole_turns + w->fraction);
    /* also NaN, for an infinite step */
    const int endless = !(fast < FAST_MOST) && pose_length(from->spin) > 0;
    w->angle = endless ? INFINITY : (turns + 2 * pose_length(w->residual)) * (1 + 0x1p-40);
}

/* A little less than half a turn, so that no rounding of the time hides a rotation. A quaternion
 * and its negative are the same rotation. A body with equal rotations at both ends may have made
 * whole turns. */
int motion_rotates(const imp_pose *from, const imp_pose *to, double seconds)
{
    int same = 1, opposite = 1;
    for (int i = 0; i < 4; i++) {
        same &= from->rotation[i] == to->rotation[i];
        opposite &= from->rotation[i] == -to->rotation[i];
    }
    const double fast = pose_length(from->spin);
    return !(same || opposite) || (fast > 0 && !(fast * fabs(seconds) < 3.14159265358979));
}

void motion_reverse(body_motion *w)
{
    if (w->half_turn)
        w->fraction = w->fraction > 0 ? w->fraction - 1 : w->fraction + 1;
}

void motion_join(imp_turns *t, const body_motion *w, double radius, int32_t object)
{
    const double arc = radius > 0 ? w->angle * radius : 0;
    t->radius = fmax(t->radius, radius);
    if (!(arc > t->arc))
        return;
    t->arc = arc;
    t->angle = w->angle;
    t->body = object;
}

/* ---- at a fraction of the step */

void motion_rotation_after(const body_motion *w, double turns, double t, double out[4])
{
    double c, s;
    sine_of_turns(turns, &c, &s);
    const double q[4] = {c, s * w->axis[0], s * w->axis[1], s * w->axis[2]};
    pose_product(q, w->rotation, out);
    if (w->residual[0] == 0 && w->residual[1] == 0 && w->residual[2] == 0)
        return;
    const double rest[4] = {1, t * w->residual[0], t * w->residual[1], t * w->residual[2]};
    pose_product(rest, out, out);
}

/* Only the fraction of the whole turns matters: the last digits of a product of integers. */
void motion_rotation(const body_motion *w, double t, double out[4])
{
    const uint64_t one = (uint64_t)1 << MOTION_DIGITS, part = (uint64_t)(t * 0x1p52);
    const double whole = (double)((part * (uint64_t)w->whole_turns) & (one - 1)) * 0x1p-52;
    motion_rotation_after(w, whole + t * w->fraction, t, out);
}
