/* The scene missile: its target, a static building or a flying aircraft, and that nothing else
 * meets. (test_scene.c checks for all scenes that bodies follow their poses.) */
#include "expect.h"
#include "scene.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

static imp *missile_open_pipeline(void)
{
    imp *p = NULL;
    CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu"}, &p));
    return p;
}

static imp_frame missile_next(scene *s)
{
    imp_frame f = {0};
    double time;
    CU_ASSERT_FATAL(!scene_next(s, &f, &time));
    return f;
}

/* contacts within bodies, and between them; those of the terrain */
typedef struct sides {
    const int32_t *object;
    uint64_t self, between, terrain;
} sides;

static int missile_on_sides(void *user, const imp_contacts *c)
{
    sides *n = user;
    for (size_t i = 0; i < c->count; i++) {
        const int32_t a = n->object[c->a[i]], b = n->object[c->b[i]];
        n->self += a == b;
        n->between += a != b;
        n->terrain += a == 0 || b == 0;
    }
    return 0;
}

static void missile_count(imp *p, const imp_frame *f, sides *n)
{
    CU_ASSERT_FATAL(!imp_detect(p, f, 1, missile_on_sides, n, NULL));
}

/* ---- building */

/* Contacts of the missile in all frames; *through: the last frame before its centre is behind the
 * wing. */
static sides fly_to_building(double speed, double step, uint64_t seed, uint64_t *through)
{
    const scene_value value[] = {{"speed", speed}, {"step", step}};
    const scene_def def = {"missile", 3000, 240, seed, value, 2};
    scene *s = NULL;
    sides n = {0};
    imp *p = missile_open_pipeline();
    CU_ASSERT_FATAL(!scene_create(&def, &s));
    *through = 0;
    for (uint64_t i = 0; i < scene_frames(s); i++) {
        imp_frame f = missile_next(s);
        n.object = f.mesh->object;
        const double *c = f.pose[2].centre;
        if (c[0] < 0)
            *through = i;
        else if (*through == i - 1)
            EXPECT(c[2] > 0 && fabs(c[1]) < 30, "it misses: %g %g", c[1], c[2]);
        if (c[0] > -100 && i <= *through + 4)
            missile_count(p, &f, &n);
        EXPECT(c[0] > -15 || n.between == 0, "frame %llu: too early", (unsigned long long)i);
    }
    scene_destroy(s);
    imp_destroy(p);
    return n;
}

/* At its default speed a frame shows the missile in the wall; a faster one may be behind it a frame
 * later. */
static void test_building(void)
{
    uint64_t missed = 0, through = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        const sides slow = fly_to_building(300, 0.02, seed, &through);
        EXPECT(through > 196 && through < 212, "the hit is in frame %llu",
               (unsigned long long)through);
        EXPECT(slow.between > 0 && slow.self == 0, "%llu contacts, %llu within bodies",
               (unsigned long long)slow.between, (unsigned long long)slow.self);
        const sides fast = fly_to_building(1000, 0.05, seed, &through);
        missed += fast.between == 0;
    }
    EXPECT(missed > 0 && missed < 8, "%llu of 8 are through unseen", (unsigned long long)missed);
}

/* ---- aircraft */

static double missile_distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The centre moves, and the body turns, from one pose to the next by velocity and spin, up to their
 * changes within the step. */
static void check_course(const imp_pose *a, const imp_pose *b, double step)
{
    double turned = 0, moved = 0;
    for (int k = 0; k < 3; k++)
        moved += pow(b->centre[k] - a->centre[k] - step * a->velocity[k], 2);
    for (int k = 0; k < 4; k++)
        turned += a->rotation[k] * b->rotation[k];
    const double angle = 2 * acos(fmin(fabs(turned), 1)), spin = hypot(a->spin[0], a->spin[1]);
    EXPECT(sqrt(moved) < 10 * step * step, "%g m from where it flies to", sqrt(moved));
    EXPECT(fabs(angle - step * hypot(spin, a->spin[2])) < 1e-6, "turns by %g", angle);
}

/* The missile meets the aircraft, and nothing else meets anything; each seed selects another part,
 * so that five seeds hit five. */
static uint64_t fly_to_aircraft(uint64_t seed)
{
    const scene_value value[] = {{"target", 1}, {"step", 0.002}};
    const scene_def def = {"missile", 2000, 2400, seed, value, 2};
    char name[20];
    scene *s = NULL;
    imp_pose before = {0};
    uint64_t first = UINT64_MAX;
    imp *p = missile_open_pipeline();
    CU_ASSERT_FATAL(!scene_create(&def, &s));
    CU_ASSERT(scene_object_name(s, 1, name, sizeof name) && !strcmp(name, "aircraft"));
    for (uint64_t i = 0; i < scene_frames(s) && first == UINT64_MAX; i++) {
        imp_frame f = missile_next(s);
        sides n = {.object = f.mesh->object};
        if (i)
            check_course(&before, &f.pose[1], 0.002);
        before = f.pose[1];
        if (missile_distance(f.pose[1].centre, f.pose[2].centre) < 20 || i % 100 == 0)
            missile_count(p, &f, &n);
        CU_ASSERT(!n.self && !n.terrain);
        if (n.between)
            first = i;
    }
    scene_destroy(s);
    imp_destroy(p);
    return first;
}

static void test_missile_aircraft(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const uint64_t first = fly_to_aircraft(seed);
        EXPECT(first > 1000 && first < 2400, "seed %llu: met in frame %llu",
               (unsigned long long)seed, (unsigned long long)first);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"building", test_building}, {"aircraft", test_missile_aircraft}, {0}};
    return test_main(argc, argv, "missile", tests);
}
