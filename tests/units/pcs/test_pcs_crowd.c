/* Many bodies: at each contact all pairs are compared, so nothing was missed until then; checks are
 * counted as the method does; results depend on neither device, threads, scale nor history; and what
 * goes wrong is an error. */
#include "expect.h"
#include "rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON 1e-4

/* ---- scenes */

/* Boxes, balls and dumbbells of sizes up to `ratio`, some of which turn fast. */
static void crowd(rigid_world *w, uint32_t count, double ratio, rng *r)
{
    const double room = 0.6 * cbrt(count) * pow(ratio, 0.5);
    for (uint32_t i = 0; i < count; i++) {
        const double size = 0.1 * pow(ratio, rng_unit(r));
        shape *s = i % 3 == 0   ? rigid_box(&w->m, size, size * 0.7, size * 0.2)
                   : i % 3 == 1 ? rigid_ball(&w->m, size, 1)
                                : rigid_dumbbell(&w->m, size, size * 0.3, size * 0.1);
        pcs_body *b = rigid_add(w, s, i % 10 ? 1 : INFINITY, room * rng_unit(r),
                                room * rng_unit(r), room * rng_unit(r));
        rigid_direction(r, b->velocity);
        rigid_direction(r, b->spin);
        rigid_rotation(r, b->rotation);
        for (int k = 0; k < 3; k++)
            b->spin[k] *= i % 4 ? 3 : 30;
    }
}

/* ---- nothing is missed */

/* Pairs that overlapped at the start, or were in contact: of these no distance is known. */
typedef struct watcher {
    uint8_t *met; /* [count * count] */
    uint64_t compared;
} watcher;

static double distance_now(const rigid_world *w, uint32_t a, uint32_t b)
{
    shape_pair kept = {0};
    shape_nearest near;
    pose_map pose[2];
    const uint32_t at[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const pcs_body *x = &w->body[at[i]];
        memcpy(pose[i].t, x->centre, sizeof x->centre);
        pose_matrix(x->rotation, pose[i].r);
    }
    shape_distance(w->body[a].shape, &pose[0], w->body[b].shape, &pose[1], &kept, &near);
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

static void look(void *with, const rigid_world *w, const pcs_contact *c)
{
    watcher *t = with;
    for (uint32_t i = 0; i < w->count; i++)
        pcs_bring(w->loop, i);
    t->met[c->a * w->count + c->b] = 1;
    EXPECT(c->near.distance == distance_now(w, c->a, c->b), "%g is the distance of another time",
           c->near.distance);
    EXPECT(c->near.distance <= EPSILON * 1.001, "in contact at %g", c->near.distance);
    compare_all(t, w, EPSILON * 0.499);
}

/* What is in contact at a frame's start is resolved first, one by one. */
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
    for (uint64_t i = 0; i < test_cases(6); i++) {
        rigid_world w = {.bounce = 1};
        crowd(&w, 30, i % 2 ? 10 : 1, &r);
        watcher t = {.met = calloc(w.count, w.count)};
        CU_ASSERT_FATAL(t.met != NULL);
        rigid_open(&w, 0.1, EPSILON);
        w.look = look;
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
    EXPECT(contacts > 20 && compared > 10000, "only %llu contacts, %llu comparisons",
           (unsigned long long)contacts, (unsigned long long)compared);
}

/* ---- counts */

/* The ball and the slope, above the ground, rolling, and at the slope: a fixed pair counts as well. */
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

/* Some frames of a crowd. scale: of lengths, a power of two. */
static outcome run(const char *device, int threads, double scale, uint32_t count)
{
    rng r = {2};
    rigid_world w = {.bounce = 1};
    crowd(&w, count, 4, &r);
    for (uint32_t i = 0; i < w.count; i++) {
        for (int k = 0; k < 3; k++) {
            w.body[i].centre[k] *= scale;
            w.body[i].velocity[k] *= scale;
        }
    }
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

static int same(const outcome *x, const outcome *y, uint32_t count)
{
    int equal = x->events == y->events && x->counts.pairs == y->counts.pairs &&
                x->counts.rechecks == y->counts.rechecks &&
                (!x->events || memcmp(x->event, y->event, x->events * sizeof *x->event) == 0);
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

/* More bodies than the engine is used for. */
static void test_devices(void)
{
    const uint32_t count = 1100;
    imp_device_info info;
    outcome one = run(NULL, 1, 1, count), two = run("cpu", 2, 1, count);
    EXPECT(one.events > 50, "%zu contacts", one.events);
    CU_ASSERT(same(&one, &two, count));
    outcome_free(&two);
    if (imp_device_at(1, &info)) {
        two = run("opencl", 2, 1, count);
        CU_ASSERT(same(&one, &two, count));
        outcome_free(&two);
    } else {
        test_partial("no OpenCL device");
    }
    outcome_free(&one);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"missed", test_missed},
                                 {"checks", test_checks},
                                 {"devices", test_devices},
                                 {0}};
    return test_main(argc, argv, "pcs_crowd", tests);
}
