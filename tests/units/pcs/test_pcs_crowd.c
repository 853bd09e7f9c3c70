/* Many bodies: at each contact all pairs are compared, so that none was missed before; checks are
 * counted as in the method; results do not depend on device, threads, scale or history; and faults
 * are errors. */
#include "expect.h"
#include "rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON 1e-4

/* ---- scenes */

/* Boxes, balls and dumbbells of sizes up to `ratio`, some of which spin fast. scale: of lengths. */
static void pcs_crowd_all(rigid_world *w, uint32_t count, double ratio, double scale, rng *r)
{
    const double room = 0.6 * cbrt(count) * pow(ratio, 0.5) * scale;
    for (uint32_t i = 0; i < count; i++) {
        const double size = scale * 0.1 * pow(ratio, rng_unit(r));
        shape *s = i % 2 == 0   ? rigid_box(&w->m, size, size * 0.7, size * 0.2)
                   : i % 6 != 5 ? rigid_ball(&w->m, size, 1)
                                : rigid_dumbbell(&w->m, size, size * 0.3, size * 0.1);
        pcs_body *b = rigid_add(w, s, i % 10 ? 1 : INFINITY, room * rng_unit(r), room * rng_unit(r),
                                room * rng_unit(r));
        rng_direction(r, b->velocity);
        rng_direction(r, b->spin);
        rigid_rotation(r, b->rotation);
        for (int k = 0; k < 3; k++) {
            b->velocity[k] *= scale;
            b->spin[k] *= i % 4 ? 3 : 30;
        }
    }
}

/* ---- no contact is missed */

/* Pairs that overlapped at the start, or were in contact: their distance is not checked. */
typedef struct watcher {
    uint8_t *met; /* [count * count] */
    uint64_t compared;
} watcher;

static double distance_now(const rigid_world *w, uint32_t a, uint32_t b)
{
    shape_pair cache = {0};
    shape_nearest near;
    pose_map pose[2];
    const uint32_t at[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const pcs_body *x = &w->body[at[i]];
        memcpy(pose[i].t, x->centre, sizeof x->centre);
        pose_matrix(x->rotation, pose[i].r);
    }
    shape_distance(w->body[a].shape, &pose[0], w->body[b].shape, &pose[1], &cache, &near);
    return near.distance;
}

static void compare_all(watcher *t, const rigid_world *w, double least)
{
    for (uint32_t a = 0; a < w->count; a++)
        for (uint32_t b = a + 1; b < w->count; b++) {
            if (t->met[a * w->count + b] || (w->body[a].fixed && w->body[b].fixed))
                continue;
            const double d = distance_now(w, a, b);
            EXPECT(d >= least, "%u and %u are at %g, and have not met", a, b, d);
            t->compared++;
        }
}

static void pcs_crowd_record_contact(void *with, const rigid_world *w, const pcs_contact *c)
{
    watcher *t = with;
    for (uint32_t i = 0; i < w->count; i++)
        pcs_advance(w->loop, i);
    EXPECT(t->met[c->a * w->count + c->b] || c->near.distance >= EPSILON * 0.499, "they meet at %g",
           c->near.distance);
    t->met[c->a * w->count + c->b] = 1;
    EXPECT(c->near.distance == distance_now(w, c->a, c->b), "%g is the distance of another time",
           c->near.distance);
    EXPECT(c->near.distance <= EPSILON * 1.001, "in contact at %g", c->near.distance);
    compare_all(t, w, EPSILON * 0.499);
}

/* Contacts at a frame's start are resolved first, one by one. */
static void mark_near(watcher *t, const rigid_world *w)
{
    for (uint32_t a = 0; a < w->count; a++)
        for (uint32_t b = a + 1; b < w->count; b++)
            t->met[a * w->count + b] |= distance_now(w, a, b) <= EPSILON;
}

static void test_missed(void)
{
    rng r = {1};
    uint64_t contacts = 0, compared = 0;
    const uint64_t cases = test_cases(8);
    for (uint64_t i = 0; i < cases; i++) {
        rigid_world w = {.bounce = 1};
        pcs_crowd_all(&w, 30, i % 2 ? 10 : 1, 1, &r);
        watcher t = {.met = calloc(w.count, w.count)};
        CU_ASSERT_FATAL(t.met != NULL);
        rigid_open(&w, 0.1, EPSILON);
        w.look = pcs_crowd_record_contact;
        w.with = &t;
        for (int f = 0; f < 3; f++) {
            mark_near(&t, &w);
            rigid_frame(&w, rigid_resolve);
            compare_all(&t, &w, EPSILON * 0.499);
        }
        contacts += w.events;
        compared += t.compared;
        free(t.met);
        rigid_free(&w);
    }
    EXPECT(contacts > cases && compared > 1000 * cases, "only %llu contacts, %llu comparisons",
           (unsigned long long)contacts, (unsigned long long)compared);
}

/* ---- counts */

/* The ball and the slope: above the ground, rolling, and at the slope: a pair with a fixed body
 * counts as well. */
static void test_checks(void)
{
    static const struct phase {
        double x, z;
        uint64_t pairs;
    } phases[] = {{-1, 2, 1}, {-1, 0.1, 2}, {-0.55, 0.1, 3}, {0, 0.9, 2}, {0.3, 3, 1}, {2, 0.1, 2}};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        rigid_world w = {.gravity = 9.81};
        rigid_add(&w, rigid_box(&w.m, 5, 5, 0.5), INFINITY, 0, 0, -0.5);
        pcs_body *slope = rigid_add(&w, rigid_box(&w.m, 1, 1, 0.01), INFINITY, 0.2, 0, 0.4);
        const double half[4] = {0.96592582628906831, 0, -0.25881904510252074, 0}; /* 30 degrees */
        memcpy(slope->rotation, half, sizeof half);
        slope->centre[2] = 0.5;
        rigid_add(&w, rigid_ball(&w.m, 0.1, 2), 1, phases[i].x, 0, phases[i].z)->velocity[0] = 1;
        rigid_open(&w, 0.01, EPSILON);
        const pcs_counts c = rigid_frame(&w, rigid_resolve);
        EXPECT(c.checks == c.pairs && c.pairs >= 1 && c.pairs <= phases[i].pairs + 1,
               "phase %zu: %llu pairs", i, (unsigned long long)c.pairs);
        EXPECT(c.pairs == phases[i].pairs, "phase %zu: %llu checks", i,
               (unsigned long long)c.checks);
        rigid_free(&w);
    }
}

/* ---- the same results */

typedef struct outcome {
    rigid_event *event;
    size_t events;
    pcs_body *body;
    pcs_counts counts;
} outcome;

/* Some frames of a crowd. */
static outcome pcs_crowd_run(const char *device, int threads, double scale, uint32_t count)
{
    rng r = {2};
    rigid_world w = {.bounce = 1};
    pcs_crowd_all(&w, count, 4, scale, &r);
    const pcs_def def = {.mem = &w.m,
                         .step = 0.05,
                         .epsilon = EPSILON * scale,
                         .device = device,
                         .threads = threads,
                         .bodies = w.count};
    CU_ASSERT_FATAL(pcs_open(&def, &w.loop) == IMP_OK);
    outcome o = {0};
    for (int f = 0; f < 2; f++) {
        const pcs_counts c = rigid_frame(&w, rigid_resolve);
        o.counts.pairs += c.pairs;
        o.counts.rechecks += c.rechecks;
    }
    o.event = w.event;
    o.events = w.events;
    o.body = malloc(w.count * sizeof *o.body);
    CU_ASSERT_FATAL(o.body != NULL);
    memcpy(o.body, w.body, w.count * sizeof *o.body);
    w.event = NULL;
    rigid_free(&w);
    return o;
}

/* Bitwise equal; padding between members is ignored. */
static int same_event(const rigid_event *x, const rigid_event *y)
{
    return x->a == y->a && x->b == y->b && x->inelastic == y->inelastic &&
           memcmp(&x->time, &y->time, 8) == 0 && memcmp(&x->distance, &y->distance, 8) == 0 &&
           memcmp(x->normal, y->normal, sizeof x->normal) == 0;
}

static int pcs_crowd_same_outcome(const outcome *x, const outcome *y, uint32_t count)
{
    int equal = x->events == y->events && x->counts.pairs == y->counts.pairs &&
                x->counts.rechecks == y->counts.rechecks;
    for (size_t i = 0; equal && i < x->events; i++)
        equal = same_event(&x->event[i], &y->event[i]);
    for (uint32_t i = 0; i < count; i++)
        equal = equal && memcmp(x->body[i].centre, y->body[i].centre, 24) == 0 &&
                memcmp(x->body[i].rotation, y->body[i].rotation, 32) == 0 &&
                memcmp(x->body[i].spin, y->body[i].spin, 24) == 0;
    return equal;
}

static void outcome_free(outcome *o)
{
    free(o->event);
    free(o->body);
}

/* More bodies than the host handles without the engine. */
static void test_devices(void)
{
    const uint32_t count = 1100;
    imp_device_info info;
    outcome one = pcs_crowd_run(NULL, 1, 1, count), two = pcs_crowd_run("cpu", 2, 1, count);
    EXPECT(one.events > 50, "%zu contacts", one.events);
    CU_ASSERT(pcs_crowd_same_outcome(&one, &two, count));
    outcome_free(&two);
    if (imp_device_at(1, &info)) {
        two = pcs_crowd_run("opencl", 2, 1, count);
        CU_ASSERT(pcs_crowd_same_outcome(&one, &two, count));
        outcome_free(&two);
    } else {
        test_partial("no OpenCL device");
    }
    outcome_free(&one);
}

/* Lengths times a power of two: the same times. */
static void test_pcs_crowd_scaled(void)
{
    outcome one = pcs_crowd_run(NULL, 1, 1, 100);
    static const double scales[] = {0x1p-20, 0x1p30};
    for (int i = 0; i < 2; i++) {
        outcome two = pcs_crowd_run(NULL, 1, scales[i], 100);
        CU_ASSERT_FATAL(one.events == two.events && one.events > 2);
        for (size_t k = 0; k < one.events; k++) {
            const rigid_event *x = &one.event[k], *y = &two.event[k];
            EXPECT(x->a == y->a && x->b == y->b && x->time == y->time &&
                       x->distance * scales[i] == y->distance,
                   "contact %zu: %u %u at %.17g, not %u %u at %.17g", k, y->a, y->b, y->time, x->a,
                   x->b, x->time);
        }
        outcome_free(&two);
    }
    outcome_free(&one);
}

/* Neither body has been in contact before. */
static int is_first(const rigid_world *w, const rigid_event *e)
{
    for (const rigid_event *x = w->event; x < e; x++)
        if (x->a == e->a || x->a == e->b || x->b == e->a || x->b == e->b)
            return 0;
    return 1;
}

/* Bodies in the opposite order: the same first contacts in the first frame. */
static void test_pcs_crowd_permuted(void)
{
    rigid_world w[2] = {{.bounce = 1}, {.bounce = 1}};
    const uint32_t n = 80;
    for (int side = 0; side < 2; side++) {
        rng r = {5};
        pcs_crowd_all(&w[side], n, 3, 1, &r);
        for (uint32_t i = 0; side && i < n / 2; i++) {
            const pcs_body b = w[1].body[i];
            w[1].body[i] = w[1].body[n - 1 - i];
            w[1].body[n - 1 - i] = b;
            const double mass = w[1].mass[i], inertia = w[1].inertia[i];
            w[1].mass[i] = w[1].mass[n - 1 - i];
            w[1].inertia[i] = w[1].inertia[n - 1 - i];
            w[1].mass[n - 1 - i] = mass;
            w[1].inertia[n - 1 - i] = inertia;
        }
        rigid_open(&w[side], 0.2, EPSILON);
        rigid_frame(&w[side], rigid_resolve);
    }
    CU_ASSERT_FATAL(w[0].events > 5);
    for (size_t i = 0; i < w[0].events; i++) {
        const rigid_event *x = &w[0].event[i], *y = rigid_find(&w[1], n - 1 - x->b, n - 1 - x->a);
        if (is_first(&w[0], x))
            EXPECT(y && fabs(y->time - x->time) < 1e-6, "%u and %u meet at %g, not %g", x->a, x->b,
                   y ? y->time : NAN, x->time);
    }
    rigid_free(&w[0]);
    rigid_free(&w[1]);
}

/* ---- changes by the caller */

/* Stops a third body, which is elsewhere. */
static int stop_third(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                      uint8_t *changed)
{
    rigid_resolve(world, bodies, count, c, changed);
    bodies[2].velocity[1] = -1;
    bodies[2].spin[0] = 0;
    changed[2] = changed[3] = 1; /* body 3 is fixed */
    return IMP_OK;
}

static void test_pcs_crowd_third(void)
{
    rigid_world w = {.bounce = 1};
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, 0, 0, 0)->velocity[0] = 1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, 0.7, 0, 0);
    pcs_body *b = rigid_add(&w, rigid_ball(&w.m, 0.1, 1), 1, 5, 0, 0);
    b->velocity[1] = 2;
    b->spin[0] = 1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), INFINITY, 5, 0.5, 0)->velocity[0] = 3;
    rigid_open(&w, 1, EPSILON);
    rigid_frame(&w, stop_third); /* the third hit the fixed one at 0.15, too early to be stopped */
    EXPECT(rigid_find(&w, 2, 3) != NULL, "it is at %g", b->centre[1]);
    CU_ASSERT(w.body[3].centre[0] == 5);
    rigid_free(&w);
}

/* ---- errors */

static int pcs_crowd_fail(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                          uint8_t *changed)
{
    (void)with;
    (void)bodies;
    (void)count;
    changed[c->a] = 1;
    return 7;
}

static int pcs_crowd_poison(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                            uint8_t *changed)
{
    (void)with;
    (void)count;
    bodies[c->a].velocity[1] = NAN;
    changed[c->a] = 1;
    return IMP_OK;
}

static rigid_world pcs_crowd_box_pair(void)
{
    rigid_world w = {.bounce = 1};
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, 0, 0, 0)->velocity[0] = 1;
    rigid_add(&w, rigid_box(&w.m, 0.1, 0.1, 0.1), 1, 0.7, 0, 0);
    return w;
}

static void test_bad_bodies(void)
{
    static const struct bad {
        size_t field;
        double value;
    } cases[] = {{offsetof(pcs_body, centre), NAN},        {offsetof(pcs_body, centre), INFINITY},
                 {offsetof(pcs_body, rotation), 1.1},      {offsetof(pcs_body, rotation), NAN},
                 {offsetof(pcs_body, velocity), INFINITY}, {offsetof(pcs_body, velocity), 1.7e308},
                 {offsetof(pcs_body, spin), NAN},          {offsetof(pcs_body, spin), 1e10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rigid_world w = pcs_crowd_box_pair();
        pcs_counts c = {0};
        pcs_body good = w.body[1];
        rigid_open(&w, 10, EPSILON);
        memcpy((char *)&w.body[1] + cases[i].field, &cases[i].value, sizeof(double));
        const int err = pcs_frame(w.loop, w.body, NULL, &c);
        EXPECT(err == IMP_ERR_ARGUMENT, "case %zu: %d", i, err);
        EXPECT(strstr(imp_error_text(), "body 1") != NULL, "case %zu: %s", i, imp_error_text());
        w.body[1] = good;
        CU_ASSERT(pcs_frame(w.loop, w.body, NULL, &c) == IMP_OK);
        rigid_free(&w);
    }
}

static void test_pcs_crowd_errors(void)
{
    static const pcs_def bad[] = {{.step = 0, .epsilon = 1},
                                  {.step = INFINITY, .epsilon = 1},
                                  {.step = 1, .epsilon = -1},
                                  {.step = 1, .epsilon = NAN},
                                  {.step = 1, .epsilon = 1, .bodies = UINT32_MAX}};
    pcs *p;
    mem m = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pcs_def def = bad[i];
        def.mem = &m;
        CU_ASSERT(pcs_open(&def, &p) == IMP_ERR_ARGUMENT && !p);
    }
    pcs_close(NULL);
    rigid_world w = pcs_crowd_box_pair();
    const pcs_body start[2] = {w.body[0], w.body[1]};
    pcs_counts c = {0};
    rigid_open(&w, 1, EPSILON);
    pcs_hooks hooks = {.with = &w, .resolve = pcs_crowd_fail};
    CU_ASSERT(pcs_frame(w.loop, w.body, &hooks, &c) == 7);
    memcpy(w.body, start, sizeof start);
    hooks.resolve = pcs_crowd_poison;
    CU_ASSERT(pcs_frame(w.loop, w.body, &hooks, &c) == IMP_ERR_ARGUMENT);
    memcpy(w.body, start, sizeof start);
    c = rigid_frame(&w, rigid_resolve); /* as if no frame had failed */
    EXPECT(w.events >= 1 && c.contacts == w.events, "%zu contacts", w.events);
    rigid_free(&w);
}

static void test_pcs_crowd_cancel(void)
{
    rigid_world w = pcs_crowd_box_pair();
    const atomic_int stop = 1;
    pcs_counts c = {0};
    const pcs_def def = {
        .mem = &w.m, .step = 1, .epsilon = EPSILON, .bodies = w.count, .cancel = &stop};
    CU_ASSERT_FATAL(pcs_open(&def, &w.loop) == IMP_OK);
    CU_ASSERT(pcs_frame(w.loop, w.body, NULL, &c) == IMP_ERR_CANCELLED);
    rigid_free(&w);
}

/* With too little memory a frame fails and nothing leaks; with more it succeeds. */
static void test_pcs_crowd_memory(void)
{
    int failed = 0, ended = 0;
    for (uint64_t more = 0; more < 200000 && !ended; more += 997) {
        rng r = {9};
        rigid_world w = {.bounce = 1};
        pcs_crowd_all(&w, 20, 2, 1, &r);
        pcs_counts c = {0};
        const pcs_hooks hooks = {.with = &w, .resolve = rigid_resolve};
        const pcs_def def = {.mem = &w.m, .step = 0.5, .epsilon = EPSILON, .bodies = w.count};
        w.m.limit = w.m.now + more;
        int err = pcs_open(&def, &w.loop);
        err = err ? err : pcs_frame(w.loop, w.body, &hooks, &c);
        CU_ASSERT(err == IMP_OK || err == IMP_ERR_MEMORY);
        failed += err != IMP_OK;
        ended += err == IMP_OK;
        w.m.limit = 0;
        rigid_free(&w);
    }
    EXPECT(failed > 10 && ended, "%d failed, %d ended", failed, ended);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"missed", test_missed},
                                 {"checks", test_checks},
                                 {"devices", test_devices},
                                 {"scaled", test_pcs_crowd_scaled},
                                 {"permuted", test_pcs_crowd_permuted},
                                 {"third", test_pcs_crowd_third},
                                 {"bad_bodies", test_bad_bodies},
                                 {"errors", test_pcs_crowd_errors},
                                 {"cancel", test_pcs_crowd_cancel},
                                 {"memory", test_pcs_crowd_memory},
                                 {0}};
    return test_main(argc, argv, "pcs_crowd", tests);
}
