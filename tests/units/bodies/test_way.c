/* How bodies turn: everywhere on the way as far from the formula with sines, in long double, as the
 * header says, with the number of turns that is nearest to the angular velocity. */
#include "expect.h"
#include "testlib.h"
#include "way.h"

#include <math.h>
#include <string.h>

#define PI_LONG 3.14159265358979323846264338327950288L

/* A turn as it is recorded: two poses, and an angular velocity, which need not fit exactly. */
typedef struct record {
    imp_pose pose[2];
    double axis[3], angle; /* what it is */
    double seconds;
} record;

/* The first rotation, turned by an angle about an axis. */
static void turn_long(const double from[4], const double axis[3], long double angle,
                      long double out[4])
{
    const long double c = cosl(angle / 2), s = sinl(angle / 2);
    const long double p[4] = {c, s * axis[0], s * axis[1], s * axis[2]};
    out[0] = p[0] * from[0] - p[1] * from[1] - p[2] * from[2] - p[3] * from[3];
    out[1] = p[0] * from[1] + p[1] * from[0] + p[2] * from[3] - p[3] * from[2];
    out[2] = p[0] * from[2] - p[1] * from[3] + p[2] * from[0] + p[3] * from[1];
    out[3] = p[0] * from[3] + p[1] * from[2] - p[2] * from[1] + p[3] * from[0];
}

static void record_make(record *t, double angle, double off, rng *r)
{
    double first[3];
    long double last[4];
    *t = (record){.angle = angle, .seconds = rng_below(r, 2) ? 0.04 : -3};
    rng_direction(r, t->axis);
    rng_direction(r, first);
    for (int k = 0; k < 4; k++)
        t->pose[0].rotation[k] = k ? first[k - 1] * 0.6 : 0.8;
    turn_long(t->pose[0].rotation, t->axis, angle, last);
    const int other = (int)rng_below(r, 2); /* the same rotation */
    for (int k = 0; k < 4; k++)
        t->pose[1].rotation[k] = (double)(other ? -last[k] : last[k]);
    for (int k = 0; k < 3; k++)
        t->pose[0].spin[k] = t->axis[k] * (angle + off) / t->seconds;
}

/* The greatest distance of two rotations of a point at distance 1. */
static double apart(const double q[4], const long double p[4])
{
    long double less = 0, more = 0;
    for (int k = 0; k < 4; k++) {
        less += (q[k] - p[k]) * (q[k] - p[k]);
        more += (q[k] + p[k]) * (q[k] + p[k]);
    }
    return (double)(2 * sqrtl(less < more ? less : more));
}

/* Down into the way at random, halving by halving; the worst distance from the formula. */
static double walk(const record *t, const body_way *w, const way_arcs *a, int depth, rng *r)
{
    way_part p = way_whole(w, a);
    double from = 0, length = 1, worst = 0;
    for (int i = 0; i < depth; i++) {
        double q[4];
        long double want[4];
        way_middle(w, a, &p, q);
        turn_long(t->pose[0].rotation, t->axis, (long double)t->angle * (from + length / 2), want);
        worst = fmax(worst, apart(q, want));
        if (way_angle(a, &p) < fabs(t->angle) * length * (1 - 1e-9))
            return INFINITY; /* it goes farther */
        const int second = (int)rng_below(r, 2);
        p = way_half(w, a, &p, second);
        length /= 2;
        from += second ? length : 0;
    }
    return worst;
}

static void check(const record *t, const char *name, rng *r)
{
    body_way w = way_still(0);
    way_arcs a;
    way_turn(&w, &t->pose[0], &t->pose[1], t->seconds);
    way_arcs_make(&w, &a);
    for (int i = 0; i < 8 && !w.either; i++) {
        const double worst = walk(t, &w, &a, a.levels + 5, r);
        EXPECT(worst <= w.tilt + 1e-14, "%s: %.17g, %.3g from where it is, tilt %.3g", name,
               t->angle, worst, w.tilt);
    }
}

/* Turns of any number, also whole ones and halves, and velocities that are off by some of half a
 * turn. */
static void test_turns(void)
{
    rng r = {1};
    record t;
    for (uint64_t i = 0; i < test_cases(3000); i++) {
        const double most = i % 5 ? 30 : 1e5, angle = most * (2 * rng_unit(&r) - 1);
        const double off = fabs(angle) > 7 ? 2.8 * (2 * rng_unit(&r) - 1) : 0;
        record_make(&t, angle, off, &r);
        check(&t, "any", &r);
        const double halves = (double)rng_below(&r, 40) - 20, near = ldexp(1, -(int)(i % 50));
        if (fabs(halves) < 2)
            continue;
        record_make(&t, (double)PI_LONG * halves, 0, &r);
        check(&t, "halves", &r);
        record_make(&t, (double)PI_LONG * halves + near, 0, &r);
        check(&t, "nearly halves", &r);
    }
}

/* By up to half a turn the shorter arc, whatever the angular velocity says, and without time. */
static void test_shorter(void)
{
    rng r = {2};
    record t;
    for (int i = 0; i < 300; i++) {
        record_make(&t, 3.1 * (2 * rng_unit(&r) - 1), 0, &r);
        for (int k = 0; k < 3; k++)
            t.pose[0].spin[k] = (2 * rng_unit(&r) - 1) * 1.8 / fabs(t.seconds);
        check(&t, "shorter", &r);
        record_make(&t, 3.1 * (2 * rng_unit(&r) - 1), 50, &r);
        t.seconds = 0;
        check(&t, "no time", &r);
    }
}

/* More arcs than can be told apart, velocities that are not finite. */
static void test_huge(void)
{
    static const double spins[] = {1e14, 1e300, INFINITY, NAN};
    rng r = {3};
    for (int i = 0; i < 4; i++) {
        record t;
        body_way w = way_still(0);
        way_arcs a;
        record_make(&t, 1, 0, &r);
        t.pose[0].spin[1] = spins[i];
        t.seconds = 1;
        way_turn(&w, &t.pose[0], &t.pose[1], t.seconds);
        way_arcs_make(&w, &a);
        way_part p = way_whole(&w, &a);
        EXPECT(isfinite(spins[i]) ? way_angle(&a, &p) > 1e13 : way_angle(&a, &p) < 4, "spin %g: %g",
               spins[i], way_angle(&a, &p));
        for (int k = 0; k < 60; k++)
            p = way_half(&w, &a, &p, k % 2);
        CU_ASSERT(way_angle(&a, &p) >= 0);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"turns", test_turns}, {"shorter", test_shorter}, {"huge", test_huge}, {0}};
    return test_main(argc, argv, "way", tests);
}
