/* Steps of impinge_pcs.h, as a user's own solver sees them: times and data of contacts, by
 * formulas; the rights of hooks; memory; the floating-point environment. */
#include "expect.h"
#include "impinge_pcs.h"
#include "modes.h"
#include "pcs_world.h"
#include "bodies.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define RINGS 12

/* ---- a ball */

typedef struct ball {
    double point[3 * (2 + RINGS * RINGS)];
    uint32_t corner[3 * 2 * RINGS * RINGS];
} ball;

/* Poles on the x axis: vertex 0 is at -radius, vertex 1 at radius. */
static imp_pcs_mesh ball_of(ball *b, double radius)
{
    uint32_t n = 0, *c = b->corner;
    memset(b->point, 0, sizeof b->point);
    b->point[0] = -radius;
    b->point[3] = radius;
    for (uint32_t i = 0; i < RINGS; i++)
        for (uint32_t k = 0; k < RINGS; k++) {
            double *p = b->point + 3 * (2 + i * RINGS + k);
            const double up = 3.14159265 * (i + 1) / (RINGS + 1), around = 6.2831853 * k / RINGS;
            const uint32_t at = 2 + i * RINGS + k, next = 2 + i * RINGS + (k + 1) % RINGS;
            p[0] = -radius * cos(up);
            p[1] = radius * sin(up) * cos(around);
            p[2] = radius * sin(up) * sin(around);
            const int last = i + 1 == RINGS;
            const uint32_t t[3][3] = {{i ? at : 0, next, at},
                                      {at, next, last ? 1 : next + RINGS},
                                      {at, next + RINGS, at + RINGS}};
            for (int j = i ? 1 : 0; j < (last ? 2 : 3); j++, n++)
                memcpy(c + 3 * n, t[j], sizeof t[j]);
        }
    return (imp_pcs_mesh){
        .vertices = 2 + RINGS * RINGS, .triangles = n, .point = b->point, .corner = c};
}

/* ---- times of contacts */

static void test_head_on(void)
{
    world *w = world_begin();
    ball b;
    w->mesh[w->meshes++] = ball_of(&b, 0.1);
    w->answer = world_exchange;
    world_add(w, 0, 0, -1, 0, 0)->velocity[0] = 3;
    world_add(w, 0, 0, 1, 0, 0)->velocity[0] = -1;
    world_create(w);
    const imp_pcs_info info = world_step(w, 1);
    CU_ASSERT_EQUAL_FATAL(w->contacts, 1);
    const imp_pcs_contact *c = w->contact;
    EXPECT(c->time <= 0.45 && c->time >= 0.45 - EPSILON / 4, "they meet at %.17g", c->time);
    CU_ASSERT(c->a == 0 && c->b == 1 && !c->inelastic);
    EXPECT(c->distance > 0 && c->distance <= EPSILON, "at distance %g", c->distance);
    EXPECT(fabs(c->normal[0] - 1) < 1e-9, "normal %g %g %g", c->normal[0], c->normal[1],
           c->normal[2]);
    EXPECT(fabs(c->point[0][0] - 0.45) < 1e-4 && c->point[1][0] > c->point[0][0], "points %g %g",
           c->point[0][0], c->point[1][0]);
    CU_ASSERT(c->kind == IMP_KIND_VERTEX_FACE);
    CU_ASSERT(c->feature_corners[0] == IMP_VERTICES && c->feature_corners[1] == IMP_VERTICES);
    CU_ASSERT(c->feature[0] == 1 && c->feature[1] == 0);
    CU_ASSERT(w->pose[0].velocity[0] == -1 && w->pose[1].velocity[0] == 3);
    EXPECT(fabs(w->pose[0].centre[0] - (-1 + 3 * 0.45 - 0.55)) < 2 * EPSILON, "at %g",
           w->pose[0].centre[0]);
    CU_ASSERT(info.pairs == 1 && info.checks == 1 && info.rechecks > 0 && info.feature_steps > 0);
    CU_ASSERT(info.inelastic == 0);
    world_done(w);
}

/* Cubes of 0.2 on a line, which exchange velocities: pairs and times by the formula. */
static void train(rng *r)
{
    world *w = world_begin();
    double point[24], x[6], v[6], now = 0;
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    w->answer = world_exchange;
    for (int i = 0; i < 6; i++) {
        x[i] = i + 0.5 * rng_unit(r);
        v[i] = 4 * rng_unit(r) - 2;
        world_add(w, 0, 0, x[i], 0, 0)->velocity[0] = v[i];
    }
    world_create(w);
    world_step(w, 3);
    double before = 0;
    for (size_t n = 0; n < w->contacts; n++) {
        const imp_pcs_contact *c = &w->contact[n];
        double next = INFINITY, speed = 0;
        uint32_t who = 0;
        for (uint32_t i = 0; i < 5; i++) {
            const double closing = v[i] - v[i + 1], t = (x[i + 1] - x[i] - 0.2) / closing;
            if (closing > 0 && t < next) {
                next = t;
                who = i;
                speed = closing;
            }
        }
        EXPECT(c->time >= before, "contact %zu is before the last one", n);
        before = c->time;
        EXPECT(c->a == who && c->b == who + 1, "contact %zu is of %u and %u, not of %u", n, c->a,
               c->b, who);
        /* contacts are early by up to epsilon, which adds up */
        EXPECT(fabs(c->time - (now + next)) <= 20 * EPSILON / fmin(speed, 0.05) + 1e-9,
               "contact %zu at %.17g, not %.17g", n, c->time, now + next);
        for (int i = 0; i < 6; i++)
            x[i] += v[i] * next;
        now += next;
        const double swap = v[who];
        v[who] = v[who + 1];
        v[who + 1] = swap;
    }
    EXPECT(w->contacts > 0, "no contact");
    for (uint32_t i = 0; i < 6; i++)
        EXPECT(w->pose[i].velocity[0] == v[i], "velocity %g, not %g", w->pose[i].velocity[0], v[i]);
    world_done(w);
}

static void test_imp_pcs_order(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_cases(100); i++)
        train(&r);
}

static int imp_pcs_test_rotate_back(world *w, imp_pose *pose, const imp_pcs_contact *c,
                                    uint8_t *changed)
{
    (void)w;
    pose[c->b].velocity[0] = -pose[c->b].velocity[0];
    changed[c->b] = 1;
    return 0;
}

/* The wall is a hundredth of a cube, and the cube moves by a thousand of its sizes in the step. */
static void test_wall(void)
{
    rng r = {4};
    for (uint64_t i = 0; i < test_cases(50); i++) {
        world *w = world_begin();
        double wall[24], cube[24];
        w->mesh[w->meshes++] = world_box(1e-4, 30, 30, wall);
        w->mesh[w->meshes++] = world_box(0.01, 0.01, 0.01, cube);
        w->answer = imp_pcs_test_rotate_back;
        world_add(w, 0, 1, 1, 0, 0);
        imp_pose *b = world_add(w, 1, 0, 0.5 * rng_unit(&r), rng_unit(&r), rng_unit(&r));
        const double time = (1 - 1e-4 - 0.01 - b->centre[0]) / 2000;
        b->velocity[0] = 2000;
        world_create(w);
        world_step(w, 0.01);
        EXPECT(w->contacts == 1 && fabs(w->contact[0].time - time) <= EPSILON / 2000 + 1e-15,
               "%zu contacts, the first at %.17g, not %.17g", w->contacts, w->contact[0].time,
               time);
        CU_ASSERT(w->pose[1].centre[0] < 1 && w->pose[1].velocity[0] == -2000);
        CU_ASSERT(w->pose[0].centre[0] == 1);
        world_done(w);
    }
}

/* Steps have any length, which may change from one to the next; a contact in one long step also
 * occurs in several short ones. */
static void test_lengths(void)
{
    static const double parts[] = {0.1, 0.3, 0.04, 0.006, 0.554};
    world *w = world_begin();
    double point[24], now = 0, met = 0;
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    w->answer = world_exchange;
    world_add(w, 0, 0, -1, 0, 0)->velocity[0] = 3;
    world_add(w, 0, 0, 1, 0, 0)->velocity[0] = -1;
    world_create(w);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        world_step(w, parts[i]);
        if (w->contacts == 1)
            met = now + w->contact[0].time;
        now += parts[i];
    }
    EXPECT(fabs(met - 0.45) <= EPSILON / 4, "they meet at %.17g", met);
    EXPECT(fabs(w->pose[1].centre[0] - (1 - met + 3 * (1 - met))) < 1e-9, "at %g",
           w->pose[1].centre[0]);
    world_done(w);
}

/* ---- data of contacts */

/* The position of a triangle's corner, by the body's pose in the hook. */
static void imp_pcs_test_corner_at(const world *w, const imp_pose *pose, uint32_t body,
                                   uint32_t triangle, int corner, double out[3])
{
    const imp_pcs_mesh *m = &w->mesh[w->body[body].mesh];
    const pose_map map = pose_map_of(&pose[body]);
    pose_put(&map, m->point + 3 * (size_t)m->corner[3 * triangle + (uint32_t)corner], out);
}

static double imp_pcs_point_distance(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return pose_length(d);
}

static double imp_pcs_test_area(const double a[3], const double b[3], const double c[3])
{
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    return pose_length(n) / 2;
}

/* The point is in the triangle, and on the vertex or the edge that is named. */
static void check_side(const world *w, const imp_pose *pose, const imp_pcs_contact *c, int side)
{
    const uint32_t body = side ? c->b : c->a, t = c->triangle[side];
    const imp_pcs_mesh *m = &w->mesh[w->body[body].mesh];
    const double *p = c->point[side];
    double at[3][3];
    CU_ASSERT_FATAL(t < m->triangles);
    for (int k = 0; k < 3; k++)
        imp_pcs_test_corner_at(w, pose, body, t, k, at[k]);
    const double parts = imp_pcs_test_area(p, at[0], at[1]) + imp_pcs_test_area(p, at[1], at[2]) +
                         imp_pcs_test_area(p, at[2], at[0]);
    EXPECT(fabs(parts - imp_pcs_test_area(at[0], at[1], at[2])) < 1e-9,
           "side %d is not in its triangle", side);
    const int64_t f = c->feature[side];
    if (c->feature_corners[side] == IMP_VERTICES) {
        double vertex[3];
        const pose_map map = pose_map_of(&pose[body]);
        CU_ASSERT_FATAL(f >= 0 && f < m->vertices);
        pose_put(&map, m->point + 3 * f, vertex);
        EXPECT(imp_pcs_point_distance(p, vertex) < 1e-12, "side %d is not at its vertex", side);
    } else if (c->feature_corners[side] == IMP_EDGES) {
        CU_ASSERT_FATAL(f >= 0 && f < 3);
        const double *q = at[f], *s = at[(f + 1) % 3];
        EXPECT(imp_pcs_point_distance(p, q) + imp_pcs_point_distance(p, s) -
                       imp_pcs_point_distance(q, s) <
                   1e-9,
               "side %d is not on its edge", side);
    } else {
        CU_ASSERT(c->feature_corners[side] == IMP_TRIANGLES && f == -1);
    }
}

static int check_contact(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    double along = 0;
    CU_ASSERT(c->a < c->b && c->b < w->bodies);
    check_side(w, pose, c, 0);
    check_side(w, pose, c, 1);
    EXPECT(fabs(imp_pcs_point_distance(c->point[0], c->point[1]) - c->distance) < 1e-12,
           "distance %g", c->distance);
    EXPECT(c->distance <= EPSILON * 1.0001, "distance %g", c->distance);
    EXPECT(fabs(pose_length(c->normal) - 1) < 1e-12, "a normal of %g", pose_length(c->normal));
    for (int k = 0; k < 3; k++)
        along += (c->point[1][k] - c->point[0][k]) * c->normal[k];
    EXPECT(c->distance < 1e-9 || along > 0.999 * c->distance, "the normal does not point to b");
    const int *n = c->feature_corners, least = n[0] < n[1] ? n[0] : n[1];
    CU_ASSERT_EQUAL(c->kind, least == 1   ? IMP_KIND_VERTEX_FACE
                             : least == 2 ? IMP_KIND_EDGE_EDGE
                                          : IMP_KIND_AREA);
    for (int k = 0; k < 3; k++) { /* away from each other */
        pose[c->a].velocity[k] = -0.5 * c->normal[k];
        pose[c->b].velocity[k] = 0.5 * c->normal[k];
    }
    changed[c->a] = changed[c->b] = 1;
    return 0;
}

static void random_turn(rng *r, imp_pose *b)
{
    double axis[3];
    rng_direction(r, axis);
    rng_direction(r, b->velocity);
    const double half = 3 * rng_unit(r);
    b->rotation[0] = cos(half);
    for (int k = 0; k < 3; k++) {
        b->rotation[1 + k] = sin(half) * axis[k];
        b->spin[k] = 6 * rng_unit(r) - 3;
    }
}

/* Boxes, and two boxes in one mesh, which is not convex. */
static void test_says(void)
{
    rng r = {5};
    size_t seen[3] = {0};
    uint32_t corner[72];
    for (uint64_t i = 0; i < test_count(30); i++) {
        world *w = world_begin();
        double one[24], two[48];
        w->mesh[w->meshes++] = world_box(0.1, 0.05, 0.2, one);
        world_box(0.05, 0.05, 0.3, two);
        world_box(0.3, 0.1, 0.05, two + 24);
        for (uint32_t k = 0; k < 72; k++)
            corner[k] = world_box_corner[k % 36] + k / 36 * 8;
        w->mesh[w->meshes++] =
            (imp_pcs_mesh){.vertices = 16, .triangles = 24, .point = two, .corner = corner};
        w->answer = check_contact;
        for (uint32_t k = 0; k < 12; k++)
            random_turn(&r,
                        world_add(w, k % 2, 0, 0.8 * (k % 3), 0.8 * (k / 3 % 2), 0.8 * (k / 6)));
        world_create(w);
        world_step(w, 0.5);
        for (size_t k = 0; k < w->contacts; k++)
            seen[w->contact[k].kind == IMP_KIND_VERTEX_FACE ? 0
                 : w->contact[k].kind == IMP_KIND_EDGE_EDGE ? 1
                                                            : 2]++;
        world_done(w);
    }
    EXPECT(seen[0] && seen[1], "%zu with vertices, %zu with edges", seen[0], seen[1]);
}

/* ---- rights of hooks */

/* At the first contact, of 0 and 1: gives body 2 a speed, and tries forbidden changes. */
static int push_third(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    if (c->a || c->b != 1)
        return imp_pcs_test_rotate_back(w, pose, c, changed);
    world_exchange(w, pose, c, changed);
    CU_ASSERT(pose[2].centre[1] == 5);
    CU_ASSERT(!imp_pcs_advance(w->p, 2));
    EXPECT(fabs(pose[2].centre[1] - (5 + c->time)) < 1e-12, "body 2 is at %g", pose[2].centre[1]);
    pose[2].velocity[0] = 2;
    changed[2] = 1;
    pose[4].velocity[2] = 9; /* not marked as changed */
    pose[3].velocity[0] = 9; /* fixed */
    pose[3].centre[0] = 7;
    changed[3] = 1;
    CU_ASSERT(imp_pcs_advance(w->p, w->bodies) == IMP_ERR_ARGUMENT);
    CU_ASSERT(imp_pcs_step(w->p, pose, 1, NULL, NULL) == IMP_ERR_ARGUMENT);
    return 0;
}

static void test_imp_pcs_third(void)
{
    world *w = world_begin();
    double point[24];
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    w->answer = push_third;
    world_add(w, 0, 0, -1, 0, 0)->velocity[0] = 3;
    world_add(w, 0, 0, 1, 0, 0)->velocity[0] = -1;
    world_add(w, 0, 0, 0, 5, 0)->velocity[1] = 1;
    world_add(w, 0, 1, 1, 5.85, 0);
    world_add(w, 0, 0, 0, 0, 9)->velocity[2] = 1;
    world_create(w);
    world_step(w, 1);
    CU_ASSERT_EQUAL_FATAL(w->contacts, 2);
    const imp_pcs_contact *c = &w->contact[1];
    CU_ASSERT(c->a == 2 && c->b == 3); /* imp_pcs_test_rotate_back turns b, which is fixed */
    EXPECT(fabs(c->time - (0.45 + 0.8 / 2)) < 2 * EPSILON, "body 3 is met at %g", c->time);
    EXPECT(w->pose[3].centre[0] == 1 && w->pose[3].velocity[0] == 0, "body 3 moved to %g",
           w->pose[3].centre[0]);
    EXPECT(w->pose[4].velocity[2] == 1 && fabs(w->pose[4].centre[2] - 10) < 1e-12,
           "body 4 is at %g", w->pose[4].centre[2]);
    EXPECT(w->pose[2].velocity[0] == 2 && fabs(w->pose[2].centre[0] - 2 * (1 - 0.45)) < 1e-4,
           "body 2 is at %g", w->pose[2].centre[0]);
    CU_ASSERT(imp_pcs_advance(w->p, 0) == IMP_ERR_ARGUMENT);
    world_done(w);
}

static int imp_pcs_test_fall(void *user, imp_pose *pose, double seconds)
{
    const world *w = user;
    for (uint32_t i = 0; i < w->bodies; i++) {
        pose[i].velocity[2] -= 10 * seconds;
        pose[i].centre[2] = 77; /* not allowed */
    }
    return 0;
}

/* Forces act at the start of a step, on bodies that are not fixed. */
static void test_forces(void)
{
    world *w = world_begin();
    double point[24];
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    world_add(w, 0, 0, 0, 0, 3);
    world_add(w, 0, 1, 0, 0, -5);
    world_create(w);
    const imp_pcs_hooks hooks = {.user = w, .forces = imp_pcs_test_fall};
    for (int i = 0; i < 2; i++)
        CU_ASSERT(!imp_pcs_step(w->p, w->pose, 0.1, &hooks, NULL));
    EXPECT(fabs(w->pose[0].velocity[2] + 2) < 1e-12, "speed %g", w->pose[0].velocity[2]);
    EXPECT(fabs(w->pose[0].centre[2] - (3 - 0.1 - 0.2)) < 1e-12, "at %g", w->pose[0].centre[2]);
    CU_ASSERT(w->pose[1].velocity[2] == 0 && w->pose[1].centre[2] == -5);
    world_done(w);
}

/* ---- meshes */

static void imp_pcs_test_crowd(world *w, int share, double point[MOST][24])
{
    rng r = {6};
    w->answer = check_contact;
    for (uint32_t i = 0; i < 16; i++) {
        if (!i || !share)
            w->mesh[w->meshes++] = world_box(0.15, 0.1, 0.2, point[i]);
        random_turn(&r, world_add(w, share ? 0 : i, 0, 0.45 * (i % 4), 0.45 * (i / 4), 0));
    }
    world_create(w);
    memset(point, 0, MOST * sizeof *point); /* the pipeline has its own copy */
    for (uint32_t i = 0; i < w->meshes; i++)
        w->mesh[i] = world_box(0.15, 0.1, 0.2, point[i]); /* for check_contact */
    world_step(w, 2);
}

/* Contacts are the same bits, whether or not bodies share their mesh. */
static void test_imp_pcs_shared(void)
{
    double point[2][MOST][24];
    world *one = world_begin(), *all = world_begin();
    imp_pcs_test_crowd(one, 1, point[0]);
    imp_pcs_test_crowd(all, 0, point[1]);
    EXPECT(one->contacts > 3 && one->contacts == all->contacts, "%zu contacts, and %zu",
           one->contacts, all->contacts);
    for (size_t i = 0; i < one->contacts && i < all->contacts; i++) {
        const imp_pcs_contact *x = &one->contact[i], *y = &all->contact[i];
        CU_ASSERT(x->a == y->a && x->b == y->b && x->time == y->time && x->kind == y->kind);
        CU_ASSERT(!memcmp(x->point, y->point, sizeof x->point));
    }
    CU_ASSERT(!memcmp(one->pose, all->pose, sizeof one->pose));
    world_done(one);
    world_done(all);
}

/* ---- little memory, few bodies */

/* Too little memory is an error, not a crash, and nothing leaks. */
static void test_imp_pcs_memory(void)
{
    int failed = 0, ended = 0;
    double point[24];
    world *w = world_begin();
    rng r = {7};
    w->mesh[w->meshes++] = world_box(0.15, 0.1, 0.2, point);
    w->answer = check_contact;
    for (uint32_t i = 0; i < 16; i++)
        random_turn(&r, world_add(w, 0, 0, 0.6 * (i % 4), 0.6 * (i / 4), 0));
    for (uint64_t limit = 1; limit < 400000 && !ended; limit += 1499) {
        imp_pcs_def def = world_def(w);
        const imp_pcs_hooks hooks = {.user = w, .contact = world_hook};
        imp_pose pose[MOST];
        memcpy(pose, w->pose, sizeof pose);
        def.mem_limit = limit;
        w->contacts = 0;
        int err = imp_pcs_create(&def, &w->p);
        err = err ? err : imp_pcs_step(w->p, pose, 0.5, &hooks, NULL);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        failed += err != 0;
        ended += !err;
        imp_pcs_destroy(w->p);
        w->p = NULL;
    }
    EXPECT(failed > 3 && ended, "%d failed, %d ended", failed, ended);
    world_done(w);
}

/* No bodies, or only fixed ones. */
static void test_imp_pcs_empty(void)
{
    imp_pcs *p = NULL;
    imp_pcs_info info;
    CU_ASSERT_FATAL(!imp_pcs_create(&(imp_pcs_def){.epsilon = EPSILON}, &p));
    CU_ASSERT_STRING_EQUAL(imp_pcs_device_name(p), "cpu");
    for (int i = 0; i < 2; i++)
        CU_ASSERT(!imp_pcs_step(p, NULL, 1, NULL, &info) && !info.pairs && !info.contacts);
    imp_pcs_destroy(p);
    double point[24];
    world *w = world_begin();
    w->mesh[w->meshes++] = world_box(0.1, 0.1, 0.1, point);
    world_add(w, 0, 1, 0, 0, 0)->velocity[0] = NAN; /* not used */
    world_add(w, 0, 1, 0.1, 0, 0);
    world_create(w);
    info = world_step(w, 1);
    CU_ASSERT(!info.contacts && w->pose[0].centre[0] == 0);
    world_done(w);
}

/* ---- the floating-point environment */

static int check_mode(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed)
{
    const mode *m = mode_named("up");
    m = m ? m : &modes[1];
    CU_ASSERT(mode_is(m));
    CU_ASSERT(!imp_pcs_advance(w->p, 0));
    CU_ASSERT(mode_is(m));
    return world_exchange(w, pose, c, changed);
}

/* Hooks run in the caller's environment, and results do not depend on it. */
static void test_environment(void)
{
    const mode *m = mode_named("up");
    m = m ? m : &modes[1];
    double point[24];
    world *w = world_box_pair(point);
    imp_pose start[2], usual[2];
    const imp_pcs_hooks hooks = {.user = w, .contact = world_hook};
    memcpy(start, w->pose, sizeof start);
    world_step(w, 1);
    memcpy(usual, w->pose, sizeof usual);
    memcpy(w->pose, start, sizeof start);
    w->answer = check_mode;
    mode_set(m);
    const int err = imp_pcs_step(w->p, w->pose, 1, &hooks, NULL);
    const int same = mode_is(m);
    mode_set(modes);
    CU_ASSERT(!err && same);
    CU_ASSERT(!memcmp(usual, w->pose, sizeof usual));
    world_done(w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"head_on", test_head_on},
                                 {"order", test_imp_pcs_order},
                                 {"wall", test_wall},
                                 {"lengths", test_lengths},
                                 {"says", test_says},
                                 {"third", test_imp_pcs_third},
                                 {"forces", test_forces},
                                 {"shared", test_imp_pcs_shared},
                                 {"memory", test_imp_pcs_memory},
                                 {"empty", test_imp_pcs_empty},
                                 {"environment", test_environment},
                                 {0}};
    return test_main(argc, argv, "imp_pcs", tests);
}
