/* No pair of bodies is in contact before the least time: against distances by brute force in long
 * double, which prove by halving that an interval of time has no contact. */
#include "expect.h"
#include "motion_long.h"
#include "pcs_motion.h"
#include "rigid.h"
#include "shape_cases.h"

#include <math.h>
#include <string.h>

typedef struct two {
    body b[2];
    pcs_motion m[2];
    int convex;
    double speed; /* upper bound of the relative speed of any two points */
} two;

static body pcs_time_test_body(uint64_t kind, rng *r)
{
    const double half[3] = {0.05 + rng_unit(r), 0.05 + 0.2 * rng_unit(r), 0.3};
    switch (kind) {
    case 0:
        return body_box(half);
    case 1:
        return body_prism(3 + rng_below(r, 4));
    case 2:
        return body_ball(2, half);
    case 3:
        return body_sheet(r, 1);
    default:
        return body_soup(r, 1 + rng_below(r, 3)); /* also a single triangle */
    }
}

static void two_make(two *t, mem *m, uint64_t i, rng *r)
{
    const double spins[] = {0, 0.1, 3, 30};
    t->convex = 1;
    for (uint64_t k = 0; k < 2; k++) {
        t->b[k] = pcs_time_test_body(i % 3 ? (i / 3 + 2 * k) % 3 : (i / 3 + 3 * k) % 5, r);
        CU_ASSERT_FATAL(body_make(m, &t->b[k]) == IMP_OK);
        pcs_motion_shape(&t->m[k], t->b[k].s);
        t->m[k].at = motion_random(r, 2.5, i % 7 ? 4 : 0, spins[rng_below(r, 4)]);
        t->m[k].at.time = 0;
        pcs_motion_speed(&t->m[k]);
        t->convex = t->convex && t->m[k].convex;
    }
    t->speed = 0;
    for (int k = 0; k < 2; k++) /* summed up in another way than in the library */
        t->speed += pose_length(t->m[k].at.velocity) +
                    t->m[k].radius * pose_length(t->m[k].at.spin) * 1.0001;
}

static void two_free(two *t, mem *m)
{
    body_free(m, &t->b[0]);
    body_free(m, &t->b[1]);
}

/* The rotated axes, in long double, rounded once. */
static pose_map map_long(const spin_motion *m, double time)
{
    pose_map map;
    static const double unit[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    long double at[4][3];
    for (int i = 0; i < 4; i++)
        motion_long(m, time, unit[i], at[i], NULL);
    for (int k = 0; k < 3; k++) {
        map.t[k] = (double)at[0][k];
        for (int i = 0; i < 3; i++)
            map.r[k][i] = (double)(at[1 + i][k] - at[0][k]);
    }
    return map;
}

static long double pcs_time_test_distance_at(const two *t, double time)
{
    const pose_map a = map_long(&t->m[0].at, time), b = map_long(&t->m[1].at, time);
    return true_distance(&t->b[0], &a, &t->b[1], &b, t->convex);
}

/* Whether they are farther apart than `keep` from one time to another. A distance changes no faster
 * than the relative speed. looks: most distances that may be computed. */
static int pcs_time_separated(const two *t, double from, double to, double keep, int *looks)
{
    const double middle = from + (to - from) / 2, half = (to - from) / 2;
    const long double d = pcs_time_test_distance_at(t, middle);
    if (d - t->speed * half > keep)
        return 1;
    if (d <= keep || --*looks < 0)
        return 0;
    return pcs_time_separated(t, from, middle, keep, looks) &&
           pcs_time_separated(t, middle, to, keep, looks);
}

static pcs_gap gap_of(const two *t, shape_nearest *near)
{
    const pose_map a = spin_map(&t->m[0].at, 0), b = spin_map(&t->m[1].at, 0);
    shape_pair cache = {0};
    shape_distance(t->b[0].s, &a, t->b[1].s, &b, &cache, near);
    return pcs_gap_of(near, spin_error(&t->m[0].at, 0, t->m[0].radius) +
                                spin_error(&t->m[1].at, 0, t->m[1].radius));
}

/* Checks up to a millionth before the end, where the distance may be `keep`. */
static void check_pcs_time(const two *t, double time, double keep, const char *name)
{
    const double end = (time < 10 ? time : 10) * (1 - 1e-6);
    int looks = 4000;
    EXPECT(!(end > 0) || pcs_time_separated(t, 0, end, keep * (1 - 1e-9) - 1e-12, &looks),
           "%s: as near as %g before %.17g", name, keep, time);
}

static void check_pair(const two *t, rng *r)
{
    shape_nearest near;
    const pcs_gap g = gap_of(t, &near);
    const double keep = rng_below(r, 2) ? 0 : g.distance * rng_unit(r);
    const double least = pcs_time_least(&g, keep, &t->m[0], &t->m[1]);
    check_pcs_time(t, least, keep, "least");
    if (!(g.distance > 1e-9) || !(least > 0) || !(least < 10) || near.direction[0] != g.unit[0])
        return;
    double n[3];
    const double *d = near.direction;
    for (int k = 0; k < 3; k++)
        n[k] = d[0] != 0 || d[1] != 0 || d[2] != 0
                   ? d[k]
                   : (near.point[1][k] - near.point[0][k]) / g.distance;
    const double longer = pcs_time_longer(&t->m[0], &t->m[1], 0, n, g.error, keep, least, 10);
    EXPECT(longer >= least, "%g, less than %g", longer, least);
    check_pcs_time(t, longer, keep, "longer");
}

static void test_pcs_time_random(void)
{
    rng r = {1};
    mem m = {0};
    for (uint64_t i = 0; i < test_cases(400); i++) {
        two t;
        two_make(&t, &m, i, &r);
        check_pair(&t, &r);
        two_free(&t, &m);
    }
    mem_close(&m);
}

/* A small body above the face of a large rotating one, which carries it along except for some
 * sliding. Planes that rotate with the face separate them for longer than the formula says. */
static double carried(mem *m, rng *r)
{
    static const double plate[3] = {2, 2, 0.2};
    two t = {.convex = 1};
    shape_nearest near;
    const double size = 0.03 + 0.1 * rng_unit(r), half[3] = {size, size, size / 2};
    t.b[0] = body_box(plate);
    t.b[1] = body_box(half);
    for (int k = 0; k < 2; k++) {
        CU_ASSERT_FATAL(body_make(m, &t.b[k]) == IMP_OK);
        pcs_motion_shape(&t.m[k], t.b[k].s);
        t.m[k].at = motion_random(r, 0, 0, k ? 12 * rng_unit(r) : 3);
        t.m[k].at.time = 0;
        pcs_motion_speed(&t.m[k]);
    }
    spin_motion *a = &t.m[0].at, *b = &t.m[1].at;
    const double turned[4] = {1, 0, 0, 0}, *w = a->spin;
    memcpy(a->rotation, turned, sizeof turned);
    const double at[3] = {3 * rng_unit(r) - 1.5, 3 * rng_unit(r) - 1.5,
                          0.2 + t.m[1].radius + 0.05 * rng_unit(r) * rng_unit(r)};
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        b->centre[k] = a->centre[k] + at[k];
        b->velocity[k] =
            a->velocity[k] + w[i] * at[j] - w[j] * at[i] + (k < 2 ? 4 * rng_unit(r) - 2 : 0);
    }
    for (int k = 0; k < 2; k++)
        t.speed +=
            pose_length(t.m[k].at.velocity) + t.m[k].radius * pose_length(t.m[k].at.spin) * 1.0001;
    const pcs_gap g = gap_of(&t, &near);
    const double keep = g.distance / 2;
    const double least = pcs_time_least(&g, keep, &t.m[0], &t.m[1]);
    const double longer =
        pcs_time_longer(&t.m[0], &t.m[1], 0, g.unit, g.error, keep, least, 10 * least);
    check_pcs_time(&t, longer < 10 * least ? longer : 10 * least, keep, "carried");
    two_free(&t, m);
    return longer / least;
}

static void test_carried(void)
{
    rng r = {3};
    mem m = {0};
    double sum = 0;
    const uint64_t cases = test_cases(300);
    for (uint64_t i = 0; i < cases; i++)
        sum += fmin(carried(&m, &r), 10);
    EXPECT(sum > 4.5 * (double)cases, "%g times as long", sum / (double)cases);
    mem_close(&m);
}

/* Two boxes, offset from their centres; the first rotates about `axis` by a radian per second and
 * the other one is at rest. Checks that they have no contact in the longer time, up to TURNED. */
#define TURNED 3.3
static void check_turn(mem *m, const double half[2][3], const double aside[2][3],
                       const double at[3], int axis, const char *name)
{
    two t = {.convex = 1};
    shape_nearest near;
    int looks = 4000;
    for (int k = 0; k < 2; k++) {
        t.b[k] = body_box(half[k]);
        body_move(&t.b[k], aside[k]);
        CU_ASSERT_FATAL(body_make(m, &t.b[k]) == IMP_OK);
        pcs_motion_shape(&t.m[k], t.b[k].s);
        t.m[k].at = (spin_motion){.rotation = {1, 0, 0, 0}};
    }
    memcpy(t.m[1].at.centre, at, sizeof t.m[1].at.centre);
    t.m[0].at.spin[axis] = 1;
    pcs_motion_speed(&t.m[0]);
    t.speed = t.m[0].radius * 1.0001;
    EXPECT(!pcs_time_separated(&t, 0, TURNED, 1e-3, &looks) && looks > 0, "%s: they do not meet",
           name);
    const pcs_gap g = gap_of(&t, &near);
    const double least = pcs_time_least(&g, 1e-3, &t.m[0], &t.m[1]);
    const double longer =
        pcs_time_longer(&t.m[0], &t.m[1], 0, g.unit, g.error, 1e-3, least, TURNED);
    check_pcs_time(&t, fmin(longer, TURNED), 1e-3, name);
    two_free(&t, m);
}

/* Large rotations: by second order the body moves away, and only the bound of the third derivative
 * shows that it returns. A small box swings back from a wall, and into it. A plate rotates away
 * from a body above its edge, and hits it with the other half; the body's offset is first between
 * centres, then in its reach. */
static void test_third_order(void)
{
    mem m = {0};
    const double swings[2][3] = {{0.05, 0.05, 0.05}, {0.2, 3, 3}}, wall[3] = {0.65, 0, 0};
    const double plate[2][3] = {{2, 2, 0.1}, {0.05, 0.05, 0.05}}, none[2][3] = {{0}};
    for (int i = 0; i < 5; i++) {
        const double angle = 1.9 + 0.1 * i, side[2][3] = {{cos(angle), sin(angle), 0}, {0}};
        const double edge[2][3] = {{0}, {1.3 + 0.1 * i, 0, 0.26}};
        check_turn(&m, swings, side, wall, 2, "swings back");
        check_turn(&m, plate, none, edge[1], 1, "turns away");
        check_turn(&m, plate, edge, none[1], 1, "turns away, aside");
    }
    mem_close(&m);
}

/* The formula for bodies that do not rotate gives exactly the time at which faces touch, except for
 * rounding; also for bodies that move away or are at rest. */
static void test_formula(void)
{
    mem m = {0};
    const double half[3] = {1, 1, 1};
    two t = {.convex = 1};
    for (int k = 0; k < 2; k++) {
        t.b[k] = body_box(half);
        CU_ASSERT_FATAL(body_make(&m, &t.b[k]) == IMP_OK);
        t.m[k].at = (spin_motion){.centre = {5.0 * k, 0, 0}, .rotation = {1, 0, 0, 0}};
        pcs_motion_shape(&t.m[k], t.b[k].s);
    }
    shape_nearest near;
    const pcs_gap g = gap_of(&t, &near);
    t.m[0].at.velocity[0] = 2;
    t.m[1].at.velocity[0] = -4;
    t.m[1].at.velocity[1] = 1; /* tangential, so without effect */
    double time = pcs_time_least(&g, 0, &t.m[0], &t.m[1]);
    EXPECT(time <= 0.5 && time > 0.5 - 1e-12, "%.17g", time);
    t.m[1].at.spin[2] = 3;
    pcs_motion_speed(&t.m[1]);
    time = pcs_time_least(&g, 0, &t.m[0], &t.m[1]);
    const double want = 3 / (6 + sqrt(3) * 3);
    EXPECT(time <= want && time > want - 1e-12, "%.17g, not %.17g", time, want);
    t.m[0].at.velocity[0] = -20;
    CU_ASSERT(isinf(pcs_time_least(&g, 0, &t.m[0], &t.m[1])));
    CU_ASSERT(pcs_time_least(&g, 3, &t.m[0], &t.m[1]) == 0);
    t.m[0].convex = 0; /* then only the speed counts, in any direction */
    time = pcs_time_least(&g, 0, &t.m[0], &t.m[1]);
    EXPECT(fabs(time - 3 / (sqrt(16 * 16 + 1) + sqrt(3) * 3)) < 1e-12, "%.17g", time);
    two_free(&t, &m);
    mem_close(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"random", test_pcs_time_random},
                                 {"carried", test_carried},
                                 {"third_order", test_third_order},
                                 {"formula", test_formula},
                                 {0}};
    return test_main(argc, argv, "pcs_time", tests);
}
