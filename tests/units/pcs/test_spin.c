/* Poses at any instant of a constant rotation: their difference from the formula with sines, in
 * long double, is within the bound, for any number of turns. */
#include "expect.h"
#include "motion_long.h"

#include <math.h>
#include <string.h>

/* The error as a fraction of the bound. */
static double used(const spin_motion *m, double time, rng *r)
{
    double x[3], p[3], square = 0;
    long double want[3];
    for (int k = 0; k < 3; k++)
        p[k] = 2 * rng_unit(r) - 1;
    const pose_map map = spin_map(m, time);
    pose_put(&map, p, x);
    motion_long(m, time, p, want, NULL);
    for (int k = 0; k < 3; k++)
        square += (double)((x[k] - want[k]) * (x[k] - want[k]));
    return sqrt(square) / spin_error(m, time - m->time, pose_length(p));
}

static void test_spin_turns(void)
{
    rng r = {1};
    double worst = 0;
    for (uint64_t i = 0; i < test_cases(20000); i++) {
        const double angle = ldexp(1, (int)(i % 50) - 20);
        const spin_motion m = motion_random(&r, i % 3 ? 0 : 10, i % 2 ? 0 : 5, angle);
        const double part = used(&m, m.time + (i % 7 ? rng_unit(&r) : 1), &r);
        EXPECT(part <= 1, "angle %g: %g of the bound", spin_angle(&m, 1), part);
        worst = fmax(worst, part);
    }
    EXPECT(worst > 0.01, "the bound is %g times what is seen", 1 / worst); /* meaningful */
}

/* Rotations keep length 1, and a body that does not rotate keeps its rotation. */
static void test_length(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(5000); i++) {
        const spin_motion m = motion_random(&r, 1, 1, ldexp(1, (int)(i % 40) - 10));
        static const double none[3];
        double q[4];
        spin_turn(m.rotation, m.spin, rng_unit(&r), q);
        EXPECT(fabs(sqrt(pose_square(q)) - 1) < 0x1p-51, "of length 1 + %g",
               sqrt(pose_square(q)) - 1);
        spin_turn(q, none, 1, q);
        double again[4];
        spin_turn(q, none, 5, again);
        for (int k = 0; k < 4; k++)
            EXPECT(fabs(q[k] - again[k]) < 0x1p-51, "%g", q[k] - again[k]);
    }
}

/* Twice as fast in half of the time: the same bits. */
static void test_spin_scaled(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_cases(2000); i++) {
        const spin_motion m = motion_random(&r, 1, 1, 1000);
        const double seconds = rng_unit(&r), scale = ldexp(1, (int)(i % 60) - 30);
        double q[4], same[4], spin[3];
        for (int k = 0; k < 3; k++)
            spin[k] = m.spin[k] * scale;
        spin_turn(m.rotation, m.spin, seconds, q);
        spin_turn(m.rotation, spin, seconds / scale, same);
        CU_ASSERT(memcmp(q, same, sizeof q) == 0);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"turns", test_spin_turns}, {"length", test_length}, {"scaled", test_spin_scaled}, {0}};
    return test_main(argc, argv, "spin", tests);
}
