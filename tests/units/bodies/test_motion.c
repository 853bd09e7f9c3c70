/* The rotation of bodies: at every fraction of the step, and for any number of turns, it is as
 * accurate as the header states, compared to the formula with sines in long double, and makes the
 * number of turns nearest to the angular velocity. */
#include "expect.h"
#include "bodies.h"
#include "testlib.h"
#include "motion.h"

#include <math.h>
#include <string.h>

#define PI_LONG 3.14159265358979323846264338327950288L

typedef long double real;

/* A turn as recorded: two poses, and an angular velocity, which need not fit exactly. */
typedef struct record {
    imp_pose pose[2];
    double axis[3], angle; /* as constructed: the stored values are rounded */
    double seconds;
} record;

/* ---- the formula */

static void motion_test_product(const real p[4], const real q[4], real out[4])
{
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

static real motion_test_length(const real *v)
{
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void about(const real axis[3], real angle, real out[4])
{
    out[0] = cosl(angle / 2);
    for (int k = 0; k < 3; k++)
        out[1 + k] = sinl(angle / 2) * axis[k];
}

/* The rotation that follows from the two poses and the velocity. */
typedef struct turned {
    real first[4];
    real axis[3], part, whole; /* turns */
    real left[3];              /* half a rotation vector */
} turned;

/* The rotation between both as the difference of the second quaternion from the first one, so that
 * small rotations have all their digits. */
static void motion_test_rotation_at(const record *t, real out[4])
{
    real q[2][4], d[4], size = 0, dot = 0;
    for (int k = 0; k < 4; k++) {
        q[0][k] = t->pose[0].rotation[k];
        q[1][k] = t->pose[1].rotation[k];
        dot += q[0][k] * q[1][k];
        size += q[0][k] * q[0][k];
    }
    for (int k = 0; k < 4; k++)
        d[k] = (dot < 0 ? -q[1][k] : q[1][k]) - q[0][k];
    const real back[4] = {q[0][0], -q[0][1], -q[0][2], -q[0][3]};
    motion_test_product(d, back, out);
    out[0] += size;
}

static turned turned_of(const record *t)
{
    turned out = {{0}, {0}, 0, 0, {0}};
    real r[4], spin[3];
    motion_test_rotation_at(t, r);
    const real sine = motion_test_length(r + 1) / hypotl(r[0], motion_test_length(r + 1));
    for (int k = 0; k < 4; k++)
        out.first[k] = t->pose[0].rotation[k];
    for (int k = 0; k < 3; k++) {
        out.axis[k] = sine > 0 ? r[1 + k] / motion_test_length(r + 1) : 0;
        spin[k] = t->pose[0].spin[k] * t->seconds;
    }
    out.part = atan2l(motion_test_length(r + 1), r[0]) / PI_LONG;
    if (!(motion_test_length(spin) > PI_LONG))
        return out;
    for (int k = 0; k < 3 && sine < 0x1p-24L; k++) {
        out.axis[k] = spin[k] / motion_test_length(spin);
        out.left[k] = r[1 + k] / r[0];
        out.part = 0;
    }
    real along = 0;
    for (int k = 0; k < 3; k++)
        along += spin[k] * out.axis[k];
    out.whole = floorl(along / (2 * PI_LONG) - out.part + 0.5L);
    return out;
}

/* Position of a point of the body. Digits of the fraction and of whole turns are at most 64
 * together. */
static void point_at(const turned *t, real fraction, const double x[3], real out[3])
{
    const real angle = 2 * PI_LONG * (fmodl(fraction * t->whole, 1) + fraction * t->part);
    const real rest[4] = {1, fraction * t->left[0], fraction * t->left[1], fraction * t->left[2]};
    const real point[4] = {0, x[0], x[1], x[2]};
    real q[4], r[4], all[4], size = 0;
    about(t->axis, angle, q);
    motion_test_product(q, t->first, r);
    motion_test_product(rest, r, all);
    for (int k = 0; k < 4; k++)
        size += all[k] * all[k];
    const real back[4] = {all[0] / size, -all[1] / size, -all[2] / size, -all[3] / size};
    motion_test_product(all, point, r);
    motion_test_product(r, back, q);
    memcpy(out, q + 1, 3 * sizeof *out);
}

/* ---- records */

static void record_make(record *t, double angle, double off, rng *r)
{
    double first[3], angles[3];
    *t = (record){.angle = angle, .seconds = rng_below(r, 2) ? 0.04 : -3};
    rng_direction(r, t->axis);
    rng_direction(r, first);
    const double size = 1 + (2 * rng_unit(r) - 1) * 0x1p-21; /* within POSE_UNIT */
    for (int k = 0; k < 4; k++)
        t->pose[0].rotation[k] = (k ? first[k - 1] * 0.6 : 0.8) * size;
    real q[4], p[4], last[4];
    for (int k = 0; k < 4; k++)
        p[k] = t->pose[0].rotation[k];
    for (int k = 0; k < 3; k++)
        angles[k] = t->axis[k] * (angle + off);
    about((const real[3]){t->axis[0], t->axis[1], t->axis[2]}, angle, q);
    motion_test_product(q, p, last);
    const int other = (int)rng_below(r, 2); /* the same rotation with the other sign */
    for (int k = 0; k < 4; k++)
        t->pose[1].rotation[k] = (double)(other ? -last[k] : last[k]);
    for (int k = 0; k < 3; k++)
        t->pose[0].spin[k] = angles[k] / t->seconds;
}

/* ---- */

static double off_at(const body_motion *w, const turned *t, double fraction, rng *r)
{
    double x[3], q[4], got[3], off[3];
    real want[3];
    pose_map map = {.t = {0, 0, 0}};
    rng_direction(r, x);
    motion_rotation(w, fraction, q);
    pose_matrix(q, map.r);
    pose_put(&map, x, got);
    point_at(t, fraction, x, want);
    for (int k = 0; k < 3; k++)
        off[k] = (double)(got[k] - want[k]);
    return pose_length(off);
}

/* Checks random fractions of so many digits, and both ends. Returns the greatest distance. */
static double check_motion_record(const record *t, int digits, const char *name, rng *r)
{
    body_motion w = motion_static();
    const turned want = turned_of(t);
    double worst = 0;
    motion_set_rotation(&w, &t->pose[0], &t->pose[1], t->seconds);
    const double angle = (double)(2 * PI_LONG * fabsl(want.whole + want.part));
    EXPECT(motion_angle(&w, 1) >= angle && motion_angle(&w, 1) <= angle * (1 + 1e-9) + 0x1p-22,
           "%s: an angle of %g, not %g", name, motion_angle(&w, 1), angle);
    for (int i = 0; i < 10 && !w.half_turn; i++) {
        const double one = ldexp(1, digits);
        const double fraction = i < 2 ? i : floor(rng_unit(r) * one) / one;
        worst = fmax(worst, off_at(&w, &want, fraction, r));
    }
    EXPECT(worst <= MOTION_ROUNDED, "%s: %.17g, %.3g from where it is", name, t->angle, worst);
    return worst;
}

/* Turns of any number, including whole and half ones, and velocities that are off by a part of half
 * a turn. */
static void test_motion_turns(void)
{
    rng r = {1};
    record t;
    for (uint64_t i = 0; i < test_cases(3000); i++) {
        const double most = i % 5 ? 30 : 1e5, angle = most * (2 * rng_unit(&r) - 1);
        const double off = fabs(angle) > 7 ? 2.8 * (2 * rng_unit(&r) - 1) : 0;
        record_make(&t, angle, off, &r);
        check_motion_record(&t, 45, "any", &r);
        const double halves = (double)rng_below(&r, 40) - 20, near = ldexp(1, -(int)(i % 50));
        if (fabs(halves) < 2)
            continue;
        record_make(&t, (double)PI_LONG * halves, 0, &r);
        check_motion_record(&t, 52, "halves", &r);
        record_make(&t, (double)PI_LONG * halves + near, 0, &r);
        check_motion_record(&t, 52, "nearly halves", &r);
    }
}

/* As many turns as fractions can distinguish. */
static void test_motion_many(void)
{
    rng r = {4};
    record t;
    for (uint64_t i = 0; i < test_cases(1000); i++) {
        const int bits = 10 + (int)rng_below(&r, 38);
        record_make(&t, ldexp(1 + rng_unit(&r), bits), 0, &r);
        check_motion_record(&t, 60 - bits, "many", &r);
    }
}

/* Very small rotations have an axis with all its digits. */
static void test_motion_small(void)
{
    rng r = {5};
    record t;
    for (int i = 0; i < 300; i++) {
        record_make(&t, ldexp(1, -i % 60), 0, &r);
        check_motion_record(&t, 52, "small", &r);
    }
}

/* For up to half a turn: the shorter arc, whatever the angular velocity, and without time. */
static void test_shorter(void)
{
    rng r = {2};
    record t;
    for (int i = 0; i < 300; i++) {
        record_make(&t, 3.1 * (2 * rng_unit(&r) - 1), 0, &r);
        for (int k = 0; k < 3; k++)
            t.pose[0].spin[k] = (2 * rng_unit(&r) - 1) * 1.8 / fabs(t.seconds);
        check_motion_record(&t, 52, "shorter", &r);
        record_make(&t, 3.1 * (2 * rng_unit(&r) - 1), 50, &r);
        t.seconds = 0;
        check_motion_record(&t, 52, "no time", &r);
    }
}

/* Half a turn, whose direction is ambiguous, ends at the second pose either way. */
static void test_motion_either(void)
{
    rng r = {6};
    for (int i = 0; i < 100; i++) {
        record t;
        body_motion w = motion_static();
        record_make(&t, (double)PI_LONG, 0, &r);
        memset(t.pose[0].spin, 0, sizeof t.pose[0].spin);
        motion_set_rotation(&w, &t.pose[0], &t.pose[1], t.seconds);
        turned want = turned_of(&t);
        CU_ASSERT_FATAL(w.half_turn);
        for (int back = 0; back < 3; back++, motion_reverse(&w)) {
            turned way = want;
            way.whole = back == 1 ? -1 : 0;
            for (int k = 0; k <= 4; k++) {
                const double off = off_at(&w, &way, 0.25 * k, &r);
                EXPECT(off <= MOTION_ROUNDED, "way %d, share %g: %.3g off", back, 0.25 * k, off);
            }
        }
    }
}

/* Too many turns to be counted, and velocities that are not finite. */
static void test_huge(void)
{
    static const double spins[] = {1e14, 1e16, 1e300, INFINITY, NAN};
    rng r = {3};
    for (int i = 0; i < 5; i++) {
        record t;
        body_motion w = motion_static();
        imp_turns turns = {0};
        double q[4];
        record_make(&t, 1, 0, &r);
        t.pose[0].spin[1] = spins[i];
        t.seconds = 1;
        motion_set_rotation(&w, &t.pose[0], &t.pose[1], t.seconds);
        const double angle = motion_angle(&w, 1);
        EXPECT(i == 0  ? angle > 1e13 && angle < 1e14
               : i < 4 ? angle == INFINITY
                       : angle < 4,
               "spin %g: %g", spins[i], angle);
        motion_rotation(&w, 0.625, q);
        CU_ASSERT(pose_is_unit(q) || fabs(sqrt(pose_square(q)) - 1) < 2 * POSE_UNIT);
        CU_ASSERT(motion_chord_error(motion_angle(&w, 0x1p-52)) ==
                  (i > 0 && i < 4 ? 2 : motion_chord_error(angle * 0x1p-52)));
        motion_join(&turns, &w, 2, 7);
        motion_join(&turns, &w, 0, 8);
        CU_ASSERT(turns.body == 7 && turns.radius == 2 && turns.arc == 2 * angle);
    }
}

/* A step between finite times may be infinite: a body with an angular velocity then turns too
 * often. */
static void test_endless(void)
{
    rng r = {4};
    for (int turns = 0; turns < 2; turns++) {
        record t;
        body_motion w = motion_static();
        record_make(&t, 1, 0, &r);
        for (int k = 0; k < 3; k++)
            t.pose[0].spin[k] = turns && k == 1 ? 1e-3 : 0;
        motion_set_rotation(&w, &t.pose[0], &t.pose[1], INFINITY);
        CU_ASSERT((motion_angle(&w, 1) == INFINITY) == turns);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"turns", test_motion_turns},   {"many", test_motion_many},
                                 {"small", test_motion_small},   {"shorter", test_shorter},
                                 {"either", test_motion_either}, {"huge", test_huge},
                                 {"endless", test_endless},      {0}};
    return test_main(argc, argv, "motion", tests);
}
