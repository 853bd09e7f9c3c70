/* Parts of host/dynamics: masses against closed forms, contact points against those known for
 * boxes, velocities after contacts against mechanics (momentum, energy, friction), scenes against
 * their specification. */
#include "dynamics.h"
#include "expect.h"
#include "manifold.h"
#include "geom.h"
#include "testlib.h"
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem memory;

static int dynamics_test_is_near(double x, double y, double tolerance)
{
    return fabs(x - y) <= tolerance * (1 + fabs(y));
}

/* ---- masses */

static void check_convex(const geom *s, const char *what)
{
    for (uint32_t t = 0; t < s->triangles; t++)
        for (uint32_t v = 0; v < s->vertices; v++)
            EXPECT(v3_dot(s->plane[t].n, geom_vertex(s, v)) <= s->plane[t].d + 1e-12,
                   "%s: vertex %u is in front of face %u", what, v, t);
}

/* Boxes that overlap by a face, by crossing edges, and separate boxes. */
static void test_dynamics_overlap(void)
{
    geom *s = NULL;
    const double half = sqrt(0.5);
    pose_map a = {.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    pose_map b = {.r = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .t = {0.25, 0.125, 0.75}};
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(1, 1, 1), &s), IMP_OK);
    EXPECT(dynamics_test_is_near(overlap_depth(s, &a, s, &b), 0.25, 1e-14), "by a face");
    b.t[2] = 1.5;
    EXPECT(dynamics_test_is_near(overlap_depth(s, &a, s, &b), -0.5, 1e-14), "apart");
    /* an edge of each pointing up and down, across each other */
    const pose_map up = {.r = {{1, 0, 0}, {0, half, -half}, {0, half, half}}};
    const pose_map down = {.r = {{half, 0, -half}, {0, 1, 0}, {half, 0, half}},
                           .t = {0, 0, 2 * half - 0.01}};
    EXPECT(dynamics_test_is_near(overlap_depth(s, &up, s, &down), 0.01, 1e-12), "by edges: %g",
           overlap_depth(s, &up, s, &down));
    geom_free(&memory, s);
}

/* Number of edges between non-coplanar faces. */
static uint32_t ridges(const geom *s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->edges; i++)
        count += !s->edge[i].flat;
    return count;
}

static void test_box(void)
{
    const v3 e = {1, 2, 3};
    geom *s = NULL;
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, e, &s), IMP_OK);
    EXPECT(dynamics_test_is_near(s->volume, 6, 1e-14) && ridges(s) == 12, "%g, %u edges", s->volume,
           ridges(s));
    const double wanted[6] = {6 * (4 + 9) / 12.0, 6 * (1 + 9) / 12.0, 6 * (1 + 4) / 12.0, 0, 0, 0};
    for (int i = 0; i < 6; i++)
        EXPECT(dynamics_test_is_near(s->inertia[i], wanted[i], 1e-14), "inertia %d: %g", i,
               s->inertia[i]);
    check_convex(s, "box");
    geom_free(&memory, s);
}

/* Centre and moments of a prism over a right triangle, from the integrals of x and x^2 over it. */
static void test_wedge(void)
{
    const double l = 4, w = 3, h = 2, volume = l * h / 2 * w;
    geom *s = NULL;
    CU_ASSERT_EQUAL_FATAL(geom_wedge(&memory, l, w, h, &s), IMP_OK);
    EXPECT(dynamics_test_is_near(s->volume, volume, 1e-14) && ridges(s) == 9, "%g, %u edges",
           s->volume, ridges(s));
    EXPECT(dynamics_test_is_near(s->moved.x, -2 * l / 3, 1e-14) &&
               dynamics_test_is_near(s->moved.y, 0, 1e-14) &&
               dynamics_test_is_near(s->moved.z, -h / 3, 1e-14),
           "moved by %g %g %g", s->moved.x, s->moved.y, s->moved.z);
    const double xx = volume * l * l / 18, yy = volume * w * w / 12, zz = volume * h * h / 18;
    const double xz = volume * l * h / 36;
    const double wanted[6] = {yy + zz, xx + zz, xx + yy, 0, -xz, 0};
    for (int i = 0; i < 6; i++)
        EXPECT(dynamics_test_is_near(s->inertia[i], wanted[i], 1e-13), "inertia %d: %g, not %g", i,
               s->inertia[i], wanted[i]);
    check_convex(s, "wedge");
    geom_free(&memory, s);
}

/* A polyhedral ball, less spherical with fewer faces; a corner exactly at each end of x. */
static void test_ball(void)
{
    for (uint32_t cuts = 1; cuts <= 16; cuts *= 2) {
        geom *s = NULL;
        int ends = 0;
        CU_ASSERT_EQUAL_FATAL(geom_ball(&memory, 2, cuts, &s), IMP_OK);
        const double sphere = 4.0 / 3 * 3.14159265358979 * 8, part = s->volume / sphere;
        EXPECT(part < 1 && part > 1 - 0.6 / (cuts * cuts), "%u cuts: %g of a sphere", cuts, part);
        EXPECT(ridges(s) == 30 * cuts * cuts, "%u cuts: %u edges", cuts, ridges(s));
        for (int i = 0; i < 3; i++)
            EXPECT(dynamics_test_is_near(s->inertia[i], s->inertia[0], 1e-12) &&
                       fabs(s->inertia[i + 3]) < 1e-11,
                   "%u cuts: it is not round", cuts);
        EXPECT(s->inertia[0] / s->volume < 0.4 * 4, "%u cuts: %g", cuts, s->inertia[0] / s->volume);
        for (uint32_t v = 0; v < s->vertices; v++)
            ends +=
                fabs(s->point[3 * v]) == 2 && s->point[3 * v + 1] == 0 && s->point[3 * v + 2] == 0;
        EXPECT(ends == 2, "%u cuts: %d ends", cuts, ends);
        check_convex(s, "ball");
        geom_free(&memory, s);
    }
}

/* A tetrahedron: inverted, far from the origin, without a face, and one face alone. */
static void test_dynamics_surfaces(void)
{
    static const double point[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t corner[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    uint32_t back[12];
    double far[12];
    geom *s = NULL, *t = NULL;
    for (int i = 0; i < 12; i++) {
        back[i] = corner[11 - i];
        far[i] = point[i] + 1e5;
    }
    CU_ASSERT_EQUAL_FATAL(geom_make(&memory, point, 4, corner, 4, &s), IMP_OK);
    EXPECT(s->closed && !s->clockwise && dynamics_test_is_near(s->volume, 1.0 / 6, 1e-14),
           "a tetrahedron");
    CU_ASSERT_EQUAL_FATAL(geom_make(&memory, point, 4, back, 4, &t), IMP_OK);
    EXPECT(t->closed && t->clockwise && dynamics_test_is_near(t->volume, 1.0 / 6, 1e-14),
           "clockwise");
    for (int i = 0; i < 6; i++)
        EXPECT(dynamics_test_is_near(s->inertia[i], t->inertia[i], 1e-14), "clockwise: inertia %d",
               i);
    check_convex(t, "clockwise");
    geom_free(&memory, t);
    CU_ASSERT_EQUAL_FATAL(geom_make(&memory, far, 4, corner, 4, &t), IMP_OK);
    for (int i = 0; i < 6; i++)
        EXPECT(dynamics_test_is_near(s->inertia[i], t->inertia[i], 1e-9),
               "far: inertia %d is %g, not %g", i, t->inertia[i], s->inertia[i]);
    EXPECT(dynamics_test_is_near(t->volume, 1.0 / 6, 1e-9), "far: volume %g", t->volume);
    geom_free(&memory, t);
    geom_free(&memory, s);
    for (uint32_t few = 1; few <= 3; few += 2) {
        CU_ASSERT_EQUAL_FATAL(geom_make(&memory, point, 4, corner, few, &s), IMP_OK);
        EXPECT(!s->closed && s->volume == 0 && s->point[3] == 1 && ridges(s) == (few == 3 ? 6 : 3),
               "%u triangles: closed %d, %u edges", few, s->closed, ridges(s));
        geom_free(&memory, s);
    }
}

/* Masses do not depend on the triangulation, even of a non-convex body: an L of three cubes, each
 * face with its own vertices, an unused vertex, and triangles without area. */
static void test_dynamics_parts(void)
{
    static const double cube[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    geom *one = NULL, *all = NULL;
    double point[3 * 25], sum[3] = {0};
    uint32_t corner[3 * 38];
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(1, 1, 1), &one), IMP_OK);
    for (uint32_t b = 0; b < 3; b++)
        for (uint32_t i = 0; i < 24; i++)
            point[24 * b + i] = one->point[i] + cube[b][i % 3];
    for (uint32_t i = 0; i < 108; i++)
        corner[i] = one->corner[i % 36] + i / 36 * 8;
    for (int k = 0; k < 3; k++) {
        point[72 + k] = 1000;
        corner[108 + k] = 3;              /* one vertex */
        corner[111 + k] = k == 1 ? 4 : 2; /* an edge, there and back */
        sum[k] = (cube[0][k] + cube[1][k] + cube[2][k]) / 3;
    }
    CU_ASSERT_EQUAL_FATAL(geom_make(&memory, point, 25, corner, 38, &all), IMP_OK);
    EXPECT(all->closed && dynamics_test_is_near(all->volume, 3, 1e-14) &&
               dynamics_test_is_near(-all->moved.x, sum[0], 1e-14) &&
               dynamics_test_is_near(-all->moved.z, sum[2], 1e-14),
           "volume %g, centre %g %g %g", all->volume, -all->moved.x, -all->moved.y, -all->moved.z);
    double yy = 3.0 / 6;
    for (int b = 0; b < 3; b++)
        yy += pow(cube[b][0] - sum[0], 2) + pow(cube[b][2] - sum[2], 2);
    EXPECT(dynamics_test_is_near(all->inertia[1], yy, 1e-14), "inertia %g, not %g", all->inertia[1],
           yy);
    EXPECT(all->distinct == 16, "%u vertices", all->distinct);
    EXPECT(all->plane[36].d == INFINITY && all->plane[37].d == INFINITY, "there is area");
    geom_free(&memory, all);
    CU_ASSERT_EQUAL_FATAL(geom_make_centred(&memory, point, 25, corner, 38, &all), IMP_OK);
    EXPECT(dynamics_test_is_near(all->volume, 3, 1e-14) && !memcmp(all->point, point, sizeof point),
           "it moved");
    geom_free(&memory, all);
    geom_free(&memory, one);
}

/* ---- contact points */

static pose_map dynamics_test_placed(double x, double y, double z, double turn)
{
    const imp_pose p = {.centre = {x, y, z}, .rotation = {cos(turn / 2), 0, 0, sin(turn / 2)}};
    return pose_map_of(&p);
}

/* Number of points at a position with the expected gap. */
static int dynamics_test_count_at(const manifold *m, double x, double y, double gap)
{
    int count = 0;
    for (size_t i = 0; i < m->count; i++)
        if (dynamics_test_is_near(m->point[i].at.x, x, 1e-9) &&
            dynamics_test_is_near(m->point[i].at.y, y, 1e-9)) {
            EXPECT(dynamics_test_is_near(m->point[i].gap, gap, 1e-9), "the gap is %g, not %g",
                   m->point[i].gap, gap);
            count++;
        }
    return count;
}

/* A small box over a large one: its four corners, in either order of the two; also with a perturbed
 * normal. */
static void test_dynamics_corners(void)
{
    geom *small, *large;
    manifold m = {.mem = &memory};
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(1, 1, 1), &small), IMP_OK);
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(40, 40, 2), &large), IMP_OK);
    const pose_map up = dynamics_test_placed(3, 2, 0.51, 0),
                   down = dynamics_test_placed(0, 0, -1, 0);
    for (int swap = 0; swap < 2; swap++) {
        const v3 n = v3_make(5e-4, 0, swap ? -1 : 1);
        const int err = swap ? manifold_find(small, &up, large, &down, n, 0.02, 1e-6, &m)
                             : manifold_find(large, &down, small, &up, n, 0.02, 1e-6, &m);
        CU_ASSERT_EQUAL(err, IMP_OK);
        EXPECT(m.count == 4 && m.normal.x == 0 && m.normal.z == (swap ? -1 : 1), "%zu points",
               m.count);
        for (int i = 0; i < 4; i++)
            EXPECT(dynamics_test_count_at(&m, i & 1 ? 3.5 : 2.5, i & 2 ? 2.5 : 1.5, 0.01) == 1,
                   "corner %d", i);
    }
    CU_ASSERT_EQUAL(manifold_find(large, &down, small, &up, v3_make(0, 0, 1), 0.009, 1e-6, &m),
                    IMP_OK);
    EXPECT(m.count == 0, "%zu points beyond the reach", m.count);
    manifold_free(&m);
    geom_free(&memory, small);
    geom_free(&memory, large);
}

/* Two long boxes across each other: no corner of either is over the other one; their edges cross in
 * four points. The lower one overlaps the upper. */
static void test_dynamics_crossings(void)
{
    geom *s;
    manifold m = {.mem = &memory};
    CU_ASSERT_EQUAL_FATAL(geom_box(&memory, v3_make(6, 1, 1), &s), IMP_OK);
    const pose_map low = dynamics_test_placed(0, 0, 0, 0),
                   high = dynamics_test_placed(0, 0, 0.98, acos(0));
    CU_ASSERT_EQUAL(manifold_find(s, &low, s, &high, v3_make(0, 0, 1), 0.1, 1e-6, &m), IMP_OK);
    EXPECT(m.count == 4, "%zu points", m.count);
    for (int i = 0; i < 4; i++)
        EXPECT(dynamics_test_count_at(&m, i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, -0.02) == 1,
               "crossing %d", i);
    const v3 out = manifold_exit_normal(s, &low, s, &high);
    EXPECT(dynamics_test_is_near(out.z, 1, 1e-12), "the way out is %g %g %g", out.x, out.y, out.z);
    manifold_free(&m);
    geom_free(&memory, s);
}

/* ---- velocities after a contact */

#define NEEDS_ODE                                                                                  \
    if (!impulses_are_built())                                                                     \
    SKIP("built without ODE")

/* A ball of radius 1. */
static impulse_body ball(double mass, double x, v3 velocity)
{
    const double i = 0.4 * mass;
    return (impulse_body){.mass = mass,
                          .inertia = {i, i, i, 0, 0, 0},
                          .centre = v3_make(x, 0, 0),
                          .rotation = {1, 0, 0, 0},
                          .velocity = velocity};
}

/* On a line, with any masses and restitution: momentum is conserved, and the separating speed is
 * the closing speed times the restitution. */
static void test_line(void)
{
    impulses *s = NULL;
    rng r = {7};
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    for (int i = 0; i < 200; i++) {
        const double m = exp(8 * rng_unit(&r) - 4), u = 1 + rng_unit(&r), v = rng_unit(&r);
        const double bounce = i % 4 ? rng_unit(&r) : i % 8 ? 1 : 0;
        impulse_body b[2] = {ball(1, -1, v3_make(u, 0, 0)), ball(m, 1, v3_make(v, 0, 0))};
        const impulse_contact c = {.a = 0, .b = 1, .normal = {1, 0, 0}, .bounce = bounce};
        CU_ASSERT_EQUAL(impulses_solve(s, b, 2, &c, 1), IMP_OK);
        EXPECT(dynamics_test_is_near(b[0].velocity.x + m * b[1].velocity.x, u + m * v, 1e-9),
               "momentum: %g, not %g", b[0].velocity.x + m * b[1].velocity.x, u + m * v);
        EXPECT(dynamics_test_is_near(b[1].velocity.x - b[0].velocity.x, bounce * (u - v), 1e-6),
               "%g, not %g", b[1].velocity.x - b[0].velocity.x, bounce * (u - v));
    }
    impulses_close(s);
}

static double dynamics_test_energy(const impulse_body *b)
{
    return b->mass * v3_dot(b->velocity, b->velocity) / 2 +
           b->inertia[0] * v3_dot(b->spin, b->spin) / 2;
}

/* A ball on a fixed floor, pressed by the impulse of its weight in a second: friction is at most
 * its coefficient times that, and where it suffices the ball rolls; no energy is created. */
static void test_friction(void)
{
    impulses *s = NULL;
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    for (int i = 0; i < 40; i++) {
        const double slide = 0.1 * i, friction = 0.3;
        impulse_body b = ball(2, 0, v3_make(slide, 0, -1));
        const double before = dynamics_test_energy(&b);
        const impulse_contact c = {.a = IMPULSE_FIXED,
                                   .b = 0,
                                   .at = {0, 0, -1},
                                   .normal = {0, 0, 1},
                                   .friction = friction};
        CU_ASSERT_EQUAL(impulses_solve(s, &b, 1, &c, 1), IMP_OK);
        /* rolling without sliding takes 2/7 of the speed */
        const double lost = fmin(friction, slide * 2 / 7);
        EXPECT(dynamics_test_is_near(b.velocity.x, slide - lost, 1e-6) &&
                   dynamics_test_is_near(b.velocity.z, 0, 1e-6),
               "%g: %g %g, not %g", slide, b.velocity.x, b.velocity.z, slide - lost);
        EXPECT(dynamics_test_is_near(b.spin.y, lost / 0.4, 1e-6), "%g: spin %g", slide, b.spin.y);
        EXPECT(dynamics_test_energy(&b) <= before * (1 + 1e-9), "%g: energy", slide);
    }
    impulses_close(s);
}

/* Bodies that separate faster than `least` are not changed; others may approach. */
static void test_least(void)
{
    impulses *s = NULL;
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    for (int i = -10; i <= 10; i++) {
        impulse_body b = ball(1, 0, v3_make(0, 0, 0.1 * i));
        const impulse_contact c = {
            .a = IMPULSE_FIXED, .b = 0, .at = {0, 0, -1}, .normal = {0, 0, 1}, .least = -0.35};
        CU_ASSERT_EQUAL(impulses_solve(s, &b, 1, &c, 1), IMP_OK);
        EXPECT(dynamics_test_is_near(b.velocity.z, fmax(0.1 * i, -0.35), 1e-7), "%g became %g",
               0.1 * i, b.velocity.z);
    }
    impulses_close(s);
}

/* A stack: one body falls on others that rest on each other, and none penetrates another. The
 * result is the same to the last bit after other work. */
static void test_stack(void)
{
    enum { HIGH = 12 };
    impulse_body first[HIGH], b[HIGH];
    impulse_contact c[HIGH];
    impulses *s = NULL;
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    for (int again = 0; again < 3; again++) {
        for (uint32_t i = 0; i < HIGH; i++) {
            b[i] = ball(1 + i % 3, 0, v3_make(0, 0, i + 1 == HIGH ? -5 : -0.1));
            c[i] = (impulse_contact){.a = i ? i - 1 : IMPULSE_FIXED, .b = i, .normal = {0, 0, 1}};
        }
        CU_ASSERT_EQUAL(impulses_solve(s, b, HIGH, c, HIGH), IMP_OK);
        for (uint32_t i = 0; i < HIGH; i++)
            EXPECT(b[i].velocity.z - (i ? b[i - 1].velocity.z : 0) > -1e-6, "%u goes down", i);
        if (again)
            EXPECT(!memcmp(first, b, sizeof b), "run %d differs", again);
        memcpy(first, b, sizeof b);
    }
    impulses_close(s);
}

/* A ball that falls on the floor, and its remaining speed. */
static void expect_solved(impulses *s, const char *when)
{
    impulse_body b = ball(1, 0, v3_make(0, 0, -1));
    const impulse_contact c = {.a = IMPULSE_FIXED, .b = 0, .at = {0, 0, -1}, .normal = {0, 0, 1}};
    EXPECT(impulses_solve(s, &b, 1, &c, 1) == IMP_OK &&
               dynamics_test_is_near(b.velocity.z, 0, 1e-7),
           "%s: %g", when, b.velocity.z);
}

/* ODE aborts on a failed assertion, as for an inertia that no body has. */
static void test_gives_up(void)
{
    impulses *s = NULL;
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    expect_solved(s, "first");
    for (int i = 0; i < 3; i++) {
        impulse_body b[2] = {ball(1, -1, v3_make(1, 0, 0)), ball(-1, 1, v3_make(0, 0, 0))};
        const impulse_contact c = {.a = 0, .b = 1, .normal = {1, 0, 0}};
        CU_ASSERT_EQUAL(impulses_solve(s, b, 2, &c, 1), IMP_ERR_DIVERGED);
        EXPECT(strstr(imp_error_text(), "assertion") != NULL, "it says %s", imp_error_text());
        expect_solved(s, "after it gave up");
    }
    impulse_body b = ball(1, 0, v3_make(0, 0, -1e300));
    const impulse_contact c = {.a = IMPULSE_FIXED, .b = 0, .normal = {0, 0, 1}, .bounce = 1};
    CU_ASSERT_EQUAL(impulses_solve(s, &b, 1, &c, 1), IMP_ERR_DIVERGED);
    expect_solved(s, "after it found none");
    impulses_close(s);
}

/* Its memory is counted, and it fails if there is not enough. */
static void test_dynamics_limit(void)
{
    impulses *s = NULL;
    const uint64_t before = atomic_load(&memory.now);
    NEEDS_ODE;
    CU_ASSERT_EQUAL_FATAL(impulses_open(&memory, &s), IMP_OK);
    for (uint64_t more = 500, failed = 1; failed; more += more / 4) {
        impulse_body b = ball(1, 0, v3_make(0, 0, -1));
        const impulse_contact c = {.a = IMPULSE_FIXED, .b = 0, .normal = {0, 0, 1}};
        memory.limit = before + more;
        const int err = impulses_solve(s, &b, 1, &c, 1);
        EXPECT(err == IMP_OK || err == IMP_ERR_MEMORY, "%llu bytes: error %d",
               (unsigned long long)more, err);
        failed = err != IMP_OK;
        EXPECT(!failed || more < 1000000, "it needs a megabyte");
    }
    memory.limit = 0;
    impulses_close(s);
    EXPECT(atomic_load(&memory.now) == before, "ODE has kept memory");
}

/* ---- touching pairs */

static void test_dynamics_touching(void)
{
    touching t = {.mem = &memory};
    const int both[2] = {1, 1}, second[2] = {0, 1};
    uint32_t pair, again, other;
    CU_ASSERT_EQUAL_FATAL(touching_open(&t, 5), IMP_OK);
    touching_begin(&t);
    CU_ASSERT_EQUAL(touching_add(&t, 1, 2, both, v3_make(1, 0, 0), &pair), IMP_OK);
    CU_ASSERT_EQUAL(touching_add(&t, 0, 2, second, v3_make(1, 0, 0), &other), IMP_OK);
    CU_ASSERT_EQUAL(touching_add(&t, 1, 2, both, v3_make(0, 1, 0), &again), IMP_OK);
    CU_ASSERT(again == pair && other != pair && t.count == 2);
    CU_ASSERT(t.first[0] == TOUCHING_NONE && t.first[1] == pair);
    CU_ASSERT(t.first[2] == other && touching_next(&t, other, 2) == pair &&
              touching_next(&t, pair, 2) == TOUCHING_NONE);
    touching_begin(&t);
    CU_ASSERT_EQUAL(t.count, 2);
    CU_ASSERT_EQUAL(touching_add(&t, 0, 2, second, v3_make(1, 0, 0), &other), IMP_OK);
    touching_begin(&t); /* 1 and 2 did not touch in the previous frame */
    CU_ASSERT(t.count == 1 && t.pair[0].body[0] == 0 && t.first[1] == TOUCHING_NONE);
    touching_close(&t);
}

/* ---- forces */

/* Force times time, for any frame length: also where the push begins or ends within a frame, or is
 * shorter than one. */
static void check_push(const char *scene, double step)
{
    world w;
    dynamics *d = NULL;
    const world_request ask = {.push = 3};
    CU_ASSERT_EQUAL_FATAL(world_make(&memory, scene, &ask, &w), IMP_OK);
    CU_ASSERT_EQUAL_FATAL(dynamics_open(&memory, &w, step, 1e-4, &d), IMP_OK);
    const matter_push *p = w.matter.push;
    pcs_body *b = &w.body[p->body];
    const double mass = w.matter.body[p->body].mass;
    for (double time = 0; time < p->end + step; time += step)
        CU_ASSERT_EQUAL(dynamics_forces(d, w.body, w.bodies, step), IMP_OK);
    const double impulse = b->velocity[0] * mass, wanted = 3 * (p->end - p->begin);
    EXPECT(dynamics_test_is_near(impulse / wanted, 1, 1e-9 / 2),
           "%s, steps of %g s: %.17g, not %.17g", scene, step, impulse, wanted);
    dynamics_close(d);
    world_free(&w);
}

static void test_push(void)
{
    static const double step[] = {1e-5, 1e-4, 0.001, 0.01, 0.0123, 1.0 / 60, 0.05, 0.07,
                                  0.1,  0.15, 0.2,   0.3,  0.6,    1,        7,    1e6};
    NEEDS_ODE;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        check_push("dominoes", step[i]);
        check_push("ball-slope", step[i]);
    }
}

/* ---- boxes */

/* Sizes from 1 to the ratio, equally many of each level; none overlaps another; the density is
 * constant. */
static void check_boxes(uint64_t bodies, double ratio)
{
    world w;
    const world_request ask = {.bodies = bodies, .ratio = ratio, .seed = 5};
    double least = INFINITY, most = 0;
    shape_nearest n;
    CU_ASSERT_EQUAL_FATAL(world_make(&memory, "boxes", &ask, &w), IMP_OK);
    CU_ASSERT_EQUAL(w.bodies, bodies);
    for (uint32_t i = 0; i < w.bodies; i++) {
        const double size = shape_radius(w.body[i].shape);
        least = fmin(least, size);
        most = fmax(most, size);
    }
    EXPECT(most / least > 0.8 * ratio && most / least < 1.25 * ratio, "ratio %g: %g", ratio,
           most / least);
    for (uint32_t i = 0; i < w.bodies; i++)
        for (uint32_t k = 0; k < i; k++) {
            pose_map p[2];
            shape_pair cache = {0};
            const pcs_body *b[2] = {&w.body[k], &w.body[i]};
            double apart = 0;
            for (int j = 0; j < 2; j++) {
                memcpy(p[j].t, b[j]->centre, sizeof p[j].t);
                pose_matrix(b[j]->rotation, p[j].r);
            }
            for (int j = 0; j < 3; j++)
                apart += (p[0].t[j] - p[1].t[j]) * (p[0].t[j] - p[1].t[j]);
            if (sqrt(apart) > shape_radius(b[0]->shape) + shape_radius(b[1]->shape))
                continue;
            shape_distance(b[0]->shape, &p[0], b[1]->shape, &p[1], &cache, &n);
            EXPECT(n.distance > 0, "ratio %g: %u and %u overlap", ratio, k, i);
        }
    world_free(&w);
}

static void test_boxes(void)
{
    world w;
    check_boxes(300, 1);
    check_boxes(301, 3);
    check_boxes(300, 1000);
    CU_ASSERT_EQUAL(world_make(&memory, "boxes", &(world_request){.ratio = 1e300}, &w),
                    IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(world_make(&memory, "no", &(world_request){0}, &w), IMP_ERR_ARGUMENT);
}

static void test_dynamics_all_freed(void)
{
    EXPECT(atomic_load(&memory.now) == 0, "%llu bytes are left",
           (unsigned long long)atomic_load(&memory.now));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"overlap", test_dynamics_overlap},
                                 {"box", test_box},
                                 {"wedge", test_wedge},
                                 {"ball", test_ball},
                                 {"surfaces", test_dynamics_surfaces},
                                 {"parts", test_dynamics_parts},
                                 {"corners", test_dynamics_corners},
                                 {"crossings", test_dynamics_crossings},
                                 {"line", test_line},
                                 {"friction", test_friction},
                                 {"least", test_least},
                                 {"stack", test_stack},
                                 {"gives_up", test_gives_up},
                                 {"limit", test_dynamics_limit},
                                 {"touching", test_dynamics_touching},
                                 {"push", test_push},
                                 {"boxes", test_boxes},
                                 {"freed", test_dynamics_all_freed},
                                 {0}};
    return test_main(argc, argv, "dynamics", tests);
}
