/* Frames of moving bodies: every contact, in order of time, and an end of every frame. */
#include "expect.h"
#include "rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON 1e-5
#define DEGREE 0.017453292519943295

/* Two balls of 0.1 in a head-on collision. */
static void test_pcs_two(void)
{
    rigid_world w = {.bounce = 1};
    rigid_add(&w, rigid_ball(&w.m, 0.1, 2), 1, -1, 0, 0)->velocity[0] = 3;
    rigid_add(&w, rigid_ball(&w.m, 0.1, 2), 1, 1, 0, 0)->velocity[0] = -1;
    rigid_open(&w, 1, EPSILON);
    const pcs_counts c = rigid_frame(&w, rigid_resolve);
    CU_ASSERT_EQUAL_FATAL(w.events, 1);
    EXPECT(fabs(w.event[0].time - 0.45) < EPSILON, "they meet at %.17g", w.event[0].time);
    EXPECT(fabs(w.body[0].velocity[0] + 1) < 1e-9, "velocity %g", w.body[0].velocity[0]);
    EXPECT(fabs(w.body[0].centre[0] - (-1 + 3 * 0.45 - 0.55)) < 1e-4, "at %g", w.body[0].centre[0]);
    CU_ASSERT_EQUAL(c.pairs, 1);
    CU_ASSERT_EQUAL(c.checks, 1);
    rigid_free(&w);
}

/* ---- no tunnelling */

/* A bullet, which moves by a thousand of its sizes in a frame, hits a wall a hundredth as thick;
 * spinning or not. */
static void test_bullet(void)
{
    rng r = {1};
    for (uint64_t i = 0; i < test_cases(100); i++) {
        rigid_world w = {.bounce = 0.5};
        rigid_add(&w, rigid_box(&w.m, 1e-4, 30, 30), INFINITY, 1, 0, 0);
        pcs_body *b = rigid_add(&w, rigid_box(&w.m, 0.01, 0.02, 0.03), 1, rng_unit(&r) * 0.9, 0, 0);
        rng_direction(&r, b->velocity);
        b->velocity[0] = 0.1 + fabs(b->velocity[0]);
        for (int k = 0; k < 3; k++) {
            b->velocity[k] *= 2000;
            b->spin[k] = i % 2 ? 50 * (rng_unit(&r) - 0.5) : 0;
        }
        rigid_rotation(&r, b->rotation);
        const double time = (1 - b->centre[0]) / b->velocity[0];
        rigid_open(&w, 0.01, EPSILON);
        rigid_frame(&w, rigid_resolve);
        EXPECT(w.events >= 1 && fabs(w.event[0].time - time) < 0.05 / 200,
               "the wall is met %zu times", w.events);
        EXPECT(b->centre[0] < 1, "it is at %g", b->centre[0]);
        rigid_free(&w);
    }
}

/* The distance of a rod from the plane x = wall, at an angle of its rotation, by sines in long
 * double. */
static long double rod_distance(const double half[3], const double axis[3], long double angle,
                                long double wall)
{
    const long double c = cosl(angle), s = sinl(angle);
    long double most = -INFINITY;
    for (int i = 0; i < 8; i++) {
        long double p[3], along = 0;
        for (int k = 0; k < 3; k++) {
            p[k] = (i >> k & 1 ? 1 : -1) * (long double)half[k];
            along += p[k] * axis[k];
        }
        const long double across = axis[1] * p[2] - axis[2] * p[1];
        const long double x = p[0] * c + across * s + axis[0] * along * (1 - c);
        most = x > most ? x : most;
    }
    return wall - most;
}

/* A rod that rotates in place beside a wall, which it reaches or not. */
static void rod(double degrees, rng *r)
{
    static const double half[3] = {0.01, 1, 0.02};
    rigid_world w = {.bounce = 1};
    const double axis[3] = {0, 0.1 * rng_unit(r), 1}, wall = 0.2 + 0.9 * rng_unit(r);
    const double size = sqrt(axis[1] * axis[1] + 1), unit[3] = {0, axis[1] / size, 1 / size};
    pcs_body *b = rigid_add(&w, rigid_box(&w.m, half[0], half[1], half[2]), 1, 0, 0, 0);
    for (int k = 0; k < 3; k++)
        b->spin[k] = unit[k] * degrees * DEGREE / 0.01;
    rigid_add(&w, rigid_box(&w.m, 1e-3, 5, 5), INFINITY, wall + 1e-3, 0, 0);
    rigid_open(&w, 0.01, EPSILON);
    rigid_frame(&w, rigid_resolve);
    const int parts = 20000;
    int first = 0;
    while (first <= parts && rod_distance(half, unit, degrees * DEGREE * first / parts, wall) > 0)
        first++;
    if (first > parts) {
        EXPECT(w.events == 0 || w.event[0].distance > 0, "%g degrees: met %zu times", degrees,
               w.events);
    } else {
        CU_ASSERT_FATAL(w.events > 0);
        const double t = w.event[0].time, angle = degrees * DEGREE * t / 0.01;
        EXPECT(t <= 0.01 * first / parts, "%g degrees: met at %.17g", degrees, t);
        const double d = (double)rod_distance(half, unit, angle, wall);
        EXPECT(d > 0 && d <= EPSILON * 1.0001, "%g degrees: met at distance %g", degrees, d);
    }
    rigid_free(&w);
}

static void test_pcs_rod(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(60); i++) {
        rod(1 + 169 * rng_unit(&r), &r);
        rod(200 + 300 * rng_unit(&r), &r);
    }
}

/* ---- order */

typedef struct train {
    long double x[8], v[8];
    int count;
} train;

/* Elastic cubes of equal mass on a line exchange velocities. Returns the next pair and time by the
 * formula; -1: none. */
static int train_next(const train *t, long double *time)
{
    int next = -1;
    *time = INFINITY;
    for (int i = 0; i + 1 < t->count; i++) {
        const long double gap = t->x[i + 1] - t->x[i] - 0.2L, closing = t->v[i] - t->v[i + 1];
        if (closing > 0 && gap / closing < *time) {
            *time = gap / closing;
            next = i;
        }
    }
    return next;
}

static void train_go(train *t, long double time)
{
    for (int i = 0; i < t->count; i++)
        t->x[i] += t->v[i] * time;
}

/* Many contacts in a frame, each of which changes the next ones: in the order, and at the times, of
 * the formula. */
static void train_run(rng *r)
{
    rigid_world w = {.bounce = 1};
    train t = {.count = 8};
    for (int i = 0; i < t.count; i++) {
        const double x = i * 1.0 + 0.5 * rng_unit(r), v = 4 * rng_unit(r) - 2;
        pcs_body *b = rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, x, 0, 0);
        b->velocity[0] = v;
        w.inertia[i] = INFINITY; /* no torque: faces may touch at any of their points */
        t.x[i] = x;
        t.v[i] = v;
    }
    rigid_open(&w, 3, 1e-9);
    rigid_frame(&w, rigid_resolve);
    long double now = 0, time;
    size_t i = 0;
    for (int k; (k = train_next(&t, &time)) >= 0 && now + time < 3; i++) {
        train_go(&t, time);
        now += time;
        const long double v = t.v[k];
        t.v[k] = t.v[k + 1];
        t.v[k + 1] = v;
        if (i >= w.events)
            continue;
        EXPECT(w.event[i].a == (uint32_t)k && fabsl(w.event[i].time - now) < 1e-6,
               "contact %zu: %u at %.12g, not %d at %.12Lg", i, w.event[i].a, w.event[i].time, k,
               now);
    }
    EXPECT(i == w.events, "%zu contacts, not %zu", w.events, i);
    rigid_free(&w);
}

static void test_pcs_order(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_cases(60); i++)
        train_run(&r);
}

/* One body hits three others in one frame, two of them at the same time: in order of time, then of
 * indices. */
static void test_three(void)
{
    rigid_world w = {.bounce = 1};
    pcs_body *b;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), INFINITY, 1, -0.11, 0);
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), INFINITY, -1, 0, 0);
    rigid_add(&w, rigid_box(&w.m, 0.05, 0.3, 0.1), 1, 0, 0, 0)->velocity[0] = 1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), INFINITY, 1, 0.11, 0);
    b = &w.body[2];
    w.inertia[2] = INFINITY;
    rigid_open(&w, 3, EPSILON);
    const pcs_counts c = rigid_frame(&w, rigid_resolve);
    static const uint32_t want[3][2] = {{0, 2}, {2, 3}, {1, 2}};
    CU_ASSERT_FATAL(w.events >= 3);
    for (size_t i = 0; i < 2; i++)
        EXPECT(w.event[i].a == want[i][0] && w.event[i].b == want[i][1], "contact %zu: %u %u", i,
               w.event[i].a, w.event[i].b);
    EXPECT(w.event[0].time == w.event[1].time, "%.17g and %.17g", w.event[0].time, w.event[1].time);
    EXPECT(rigid_find(&w, 1, 2) != NULL, "%zu contacts, at %g", w.events, b->centre[0]);
    CU_ASSERT_EQUAL(c.contacts, w.events);
    rigid_free(&w);
}

/* ---- termination */

static int pcs_test_reverse(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                            uint8_t *changed)
{
    const uint32_t pair[2] = {c->a, c->b};
    rigid_ignore(world, bodies, count, c, changed);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            bodies[pair[i]].velocity[k] *= -1;
            bodies[pair[i]].spin[k] *= -1;
        }
        changed[pair[i]] = 1;
    }
    return IMP_OK;
}

/* Always towards each other, and faster. */
static int attract(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                   uint8_t *changed)
{
    rigid_ignore(world, bodies, count, c, changed);
    for (int k = 0; k < 3; k++) {
        bodies[c->a].velocity[k] = c->normal[k];
        bodies[c->b].velocity[k] = -c->normal[k];
    }
    changed[c->a] = changed[c->b] = 1;
    return IMP_OK;
}

/* Apart, each time one and a half times as fast, up to 15 room sizes in a frame. */
static int pump(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                uint8_t *changed)
{
    const double speed = fmin(1.5 * (pose_length(bodies[c->a].velocity) + 0.1), 30);
    rigid_ignore(world, bodies, count, c, changed);
    for (int k = 0; k < 3; k++) {
        bodies[c->a].velocity[k] = -speed * c->normal[k];
        bodies[c->b].velocity[k] = speed * c->normal[k];
    }
    changed[c->a] = changed[c->b] = 1;
    return IMP_OK;
}

typedef int resolver(void *, pcs_body *, uint32_t, const pcs_contact *, uint8_t *);

/* A crowd of boxes and dumbbells in a closed room of six walls. */
static void pcs_test_room(rigid_world *w, int bodies, rng *r)
{
    shape *s = NULL;
    for (int i = 0; i < 6; i++) {
        double half[3] = {1.2, 1.2, 1.2}, at[3] = {0};
        half[i / 2] = 0.1;
        at[i / 2] = i % 2 ? 1.2 : -1.2;
        rigid_add(w, rigid_box(&w->m, half[0], half[1], half[2]), INFINITY, at[0], at[1], at[2]);
    }
    for (int i = 0; i < bodies; i++) {
        if (i % 4 == 0)
            s = i % 8 ? rigid_dumbbell(&w->m, 0.1, 0.04, 0.02) : rigid_box(&w->m, 0.1, 0.08, 0.05);
        pcs_body *b =
            rigid_add(w, s, 1, 0.6 * (i % 4) - 0.8, 0.6 * (i / 4 % 4) - 0.8, 0.6 * (i / 16) - 0.8);
        rng_direction(r, b->velocity);
        rng_direction(r, b->spin);
        rigid_rotation(r, b->rotation);
    }
}

static void pcs_test_ends_with(resolver *resolve, const char *name)
{
    rng r = {4};
    rigid_world w = {.bounce = 1};
    pcs_test_room(&w, 16, &r);
    rigid_open(&w, 2, 1e-3);
    for (int f = 0; f < 2; f++) {
        const pcs_counts c = rigid_frame(&w, resolve);
        const uint64_t most = 16 * c.pairs;
        EXPECT(c.contacts <= most, "%s: %llu contacts of %llu pairs", name,
               (unsigned long long)c.contacts, (unsigned long long)c.pairs);
        for (size_t i = 1; i < w.events; i++)
            EXPECT(w.event[i].time >= w.event[i - 1].time, "%s: back in time", name);
        w.events = 0;
    }
    rigid_free(&w);
}

static void test_pcs_ends(void)
{
    pcs_test_ends_with(rigid_ignore, "ignore");
    pcs_test_ends_with(pcs_test_reverse, "reverse");
    pcs_test_ends_with(attract, "attract");
    pcs_test_ends_with(pump, "pump");
}

/* A ball between two walls that close in on it: ever faster, then all together. */
static void test_gap(void)
{
    rigid_world w = {.bounce = 1};
    rigid_add(&w, rigid_box(&w.m, 0.1, 1, 1), 1e300, -0.5, 0, 0)->velocity[0] = 1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 1, 1), 1e300, 0.5, 0, 0)->velocity[0] = -1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, 0.05, 0, 0)->velocity[0] = 3;
    rigid_open(&w, 1, EPSILON);
    const pcs_counts c = rigid_frame(&w, rigid_resolve);
    EXPECT(c.contacts >= 16 && c.contacts <= 48, "%llu contacts", (unsigned long long)c.contacts);
    EXPECT(c.inelastic > 0, "none is inelastic: %d", 0);
    EXPECT(fabs(w.body[2].centre[0]) < 1.1, "at %g", w.body[2].centre[0]);
    rigid_free(&w);
}

/* A ball that rolls, or a box that slides and spins, on the ground. */
static pcs_counts rolls(double epsilon, int ball)
{
    pcs_counts c = {0};
    rigid_world w = {.gravity = 9.81};
    rigid_add(&w, rigid_box(&w.m, 5, 5, 0.1), INFINITY, 0, 0, -0.1);
    shape *s = ball ? rigid_ball(&w.m, 0.1, 3) : rigid_box(&w.m, 0.1, 0.1, 0.1);
    pcs_body *b = rigid_add(&w, s, 1, 0, 0, 0.1 + epsilon / 2);
    b->velocity[0] = 1;
    b->spin[1] = ball ? 10 : 0;
    b->spin[2] = 3;
    rigid_open(&w, 0.01, epsilon);
    for (int f = 0; f < 20; f++) {
        const pcs_counts x = rigid_frame(&w, rigid_resolve);
        c.rechecks += x.rechecks;
        c.checks += x.checks;
    }
    EXPECT(b->centre[2] > 0.099 && b->centre[2] < 0.102, "epsilon %g, %s: %g high", epsilon,
           ball ? "ball" : "box", b->centre[2]);
    rigid_free(&w);
    return c;
}

/* Bodies that roll, slide or rest need few rechecks in a frame, however small epsilon is: by their
 * surface speed these would be r w T / epsilon, which is 10^6 for the least epsilon. */
static void test_rolls(void)
{
    for (double epsilon = 1e-3; epsilon > 1e-7; epsilon /= 10)
        for (int ball = 0; ball < 2; ball++) {
            const pcs_counts c = rolls(epsilon, ball);
            CU_ASSERT(c.checks <= 20);
            EXPECT(c.rechecks < 20 * 40, "epsilon %g: %llu rechecks", epsilon,
                   (unsigned long long)c.rechecks);
        }
}

/* ---- nested bodies */

/* A cube without its last triangle. */
static shape *open_box(mem *m, double half)
{
    static const double unit[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                    -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const uint32_t corner[33] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5,
                                        4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7};
    double x[24];
    shape *s = NULL;
    for (int i = 0; i < 24; i++)
        x[i] = half * unit[i];
    CU_ASSERT(!shape_make(m, &(shape_def){x, 8, corner, 11}, &s));
    return s;
}

enum { CONVEX, CONCAVE, OPEN };

/* Closed and convex, closed and concave, and open; all contain the origin, as far as possible. */
static shape *nest_shape(mem *m, int kind, double size)
{
    return kind == CONVEX    ? rigid_ball(m, size, 2)
           : kind == CONCAVE ? rigid_dumbbell(m, 3 * size, size, size / 2)
                             : open_box(m, size);
}

/* The number of contacts in a frame in which the inner body moves, unless it is fixed, and the
 * outer one, too. */
static size_t nest_events(int outer, double size, int inner, double inner_size, int fixed,
                          const double at[3])
{
    rigid_world w = {.bounce = 0};
    pcs_body *b = rigid_add(&w, nest_shape(&w.m, outer, size), fixed == 1 ? INFINITY : 1, 5, 0, 0);
    b->spin[0] = fixed == 1 ? 0 : 0.1;
    b = rigid_add(&w, nest_shape(&w.m, inner, inner_size), fixed == 2 ? INFINITY : 1, 5 + at[0],
                  at[1], at[2]);
    b->velocity[1] = fixed == 2 ? 0 : 0.2;
    rigid_open(&w, 0.01, EPSILON);
    for (int frame = 0; frame < 3; frame++) {
        rigid_frame(&w, rigid_ignore);
        EXPECT(w.events % (size_t)(frame + 1) == 0, "frame %d: %zu contacts", frame, w.events);
    }
    for (size_t i = 0; i < w.events; i++)
        EXPECT(w.event[i].time == 0 && w.event[i].distance == 0, "contact %zu at %g, %g apart", i,
               w.event[i].time, w.event[i].distance);
    const size_t events = w.events / 3;
    rigid_free(&w);
    return events;
}

/* All nestings: one contact at each frame's start if the outer body is closed. */
static void test_pcs_nested(void)
{
    static const double here[3] = {0.02, 0.01, 0};
    for (int outer = CONVEX; outer <= OPEN; outer++)
        for (int inner = CONVEX; inner <= OPEN; inner++)
            for (int fixed = 0; fixed < 3; fixed++) {
                const size_t n = nest_events(outer, 1, inner, 0.05, fixed, here);
                EXPECT(n == (outer != OPEN), "kind %d in %d, %d fixed: %zu contacts", inner, outer,
                       fixed, n);
            }
}

/* In the waist of a dumbbell: within its hull and its box, but outside. */
static void test_waist(void)
{
    static const double there[3] = {0, 0, 0.75};
    for (int inner = CONVEX; inner <= CONCAVE; inner++)
        EXPECT(!nest_events(CONCAVE, 1, inner, 0.05, 0, there), "kind %d is in the waist", inner);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"two", test_pcs_two},
                                 {"bullet", test_bullet},
                                 {"rod", test_pcs_rod},
                                 {"order", test_pcs_order},
                                 {"three", test_three},
                                 {"ends", test_pcs_ends},
                                 {"gap", test_gap},
                                 {"rolls", test_rolls},
                                 {"nested", test_pcs_nested},
                                 {"waist", test_waist},
                                 {0}};
    return test_main(argc, argv, "pcs", tests);
}
