/* Swept queries: nothing that meets on the way from one frame to the next is missed, and nothing
 * depends on what was asked before. */
#include "error.h"
#include "expect.h"
#include "pose.h"
#include "swept.h"
#include "variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of a crowd between two of its frames. */
static void between(const crowd *c, const kind *k, int f, int g, double t, double *point)
{
    for (int i = 0; i < OBJECTS; i++) {
        imp_pose p = {{0}};
        if (i < k->rigid) {
            turned(c->pose[f][i].rotation, c->pose[g][i].rotation, t, p.rotation);
            for (int a = 0; a < 3; a++)
                p.centre[a] = (1 - t) * c->pose[f][i].centre[a] + t * c->pose[g][i].centre[a];
        }
        const pose_map m = i < k->rigid ? pose_map_of(&p) : (pose_map){{{0}}, {0}};
        for (size_t v = (size_t)i * BODY_VERTICES; v < (size_t)(i + 1) * BODY_VERTICES; v++)
            if (i < k->rigid)
                pose_put(&m, c->rest + 3 * v, point + 3 * v);
            else
                for (size_t a = 3 * v; a < 3 * v + 3; a++)
                    point[a] = (1 - t) * c->point[f][a] + t * c->point[g][a];
    }
}

#define INSTANTS 13

/* All that meets at some instants is told. */
static size_t check_instants(const crowd *c, const kind *k, int f, const swept_list *l, int which)
{
    static double point[INSTANTS + 1][3 * BODY_VERTICES * OBJECTS];
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const imp_def def = {.broad = "grid", .pairs = which};
    imp_mesh mesh = c->mesh;
    imp_frame frame[INSTANTS + 1];
    const made all = {.name = "instants", .frames = INSTANTS + 1, .frame = frame};
    contact_list list;
    size_t missed = 0;
    mesh.bodies = 0;
    for (int i = 0; i <= INSTANTS; i++) {
        between(c, k, f, f + 1, (double)i / INSTANTS, point[i]);
        frame[i] = (imp_frame){.mesh = &mesh, .point = point[i]};
    }
    variant_detect(&w, &def, &all, &list, NULL);
    for (size_t r = 0; r < list.count; r++)
        missed += !swept_has(l, list.row[r].a, list.row[r].b, (double)list.row[r].frame / INSTANTS);
    contact_list_free(&list);
    return missed;
}

static void test_sweep(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (size_t i = 0; i < CROWDS; i++)
        for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
            if (test_count(1) == 1 &&
                (volume != IMP_VOLUME_SPHERE + (int)i % 3 || i % (TEST_SLOW ? 6 : 2) != 1))
                continue;
            const kind *k = &crowds[i].kind;
            crowd *c = crowd_make(k, crowds[i].name);
            const int f = (int)i % (FRAMES - 1), which = i % 3 ? IMP_PAIRS_BETWEEN : IMP_PAIRS_ALL;
            imp *p = way_pipeline(&w, &(imp_def){.volume = volume,
                                                 .leaf = 3,
                                                 .pairs = which,
                                                 .build = 1 + volume % 2,
                                                 .descent = 1 + (int)i % 2});
            swept_list list = {.order = 1};
            uint64_t count = 0;
            CU_ASSERT_PTR_NOT_NULL_FATAL(p);
            CU_ASSERT_EQUAL(imp_sweep(p, c->frame + f, c->frame + f + 1, swept_sink, &list, &count),
                            0);
            CU_ASSERT(list.count == count && list.order);
            const size_t missed = check_instants(c, k, f, &list, which);
            EXPECT(!missed, "%s, volume %d: %zu of %zu missed", crowds[i].name, volume, missed,
                   list.count);
            swept_free(&list);
            imp_destroy(p);
            free(c);
        }
}

/* A ball that is on this side of a plate in one frame and on that side in the next. */
static void test_tunnel(void)
{
    const kind k = {OBJECTS, 1, 0, 0, 0};
    crowd *c = crowd_make(&k, "tunnel");
    imp_frame two[2];
    for (int f = 0; f < 2; f++) {
        imp_pose *pose = c->pose[f];
        for (int i = 0; i < OBJECTS; i++)
            pose[i].centre[0] = 100.0 * i, pose[i].centre[1] = pose[i].centre[2] = 0;
        pose[0].centre[0] = f ? 105 : 95; /* through number 1 */
        pose[2].centre[2] = f ? 50 : -50; /* along nothing */
        for (size_t v = 0; v < (size_t)BODY_VERTICES * OBJECTS; v++) {
            const pose_map m = pose_map_of(&pose[v / BODY_VERTICES]);
            pose_put(&m, c->rest + 3 * v, c->point[f] + 3 * v);
        }
        two[f] = c->frame[f];
    }
    for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
        imp *p;
        imp_frame_info info[2];
        uint64_t count = 0, still = 1;
        swept_list list = {.order = 1};
        CU_ASSERT_EQUAL_FATAL(
            imp_create(&(imp_def){.device = "cpu", .volume = volume, .pairs = IMP_PAIRS_BETWEEN},
                       &p),
            0);
        CU_ASSERT_EQUAL(imp_detect(p, two, 2, NULL, NULL, info), 0);
        CU_ASSERT(!info[0].contacts && !info[1].contacts);
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, swept_sink, &list, &count), 0);
        CU_ASSERT_EQUAL(imp_sweep(p, two, two, NULL, NULL, &still), 0);
        CU_ASSERT(count > 0 && !still);
        double first = 1;
        for (size_t i = 0; i < list.count; i++) {
            CU_ASSERT(list.a[i] < BODY_TRIANGLES && list.b[i] >= BODY_TRIANGLES &&
                      list.b[i] < 2 * BODY_TRIANGLES);
            first = list.time[i] < first ? list.time[i] : first;
        }
        CU_ASSERT(first > 0.1 && first < 0.5);
        CU_ASSERT_EQUAL(imp_sweep(p, two, NULL, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        CU_ASSERT_EQUAL(imp_sweep(NULL, two, two, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        two[1].pose = NULL;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        two[1].pose = c->pose[1];
        c->point[1][30] += 1e-6;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        c->point[1][30] = NAN;
        CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_INPUT);
        const pose_map m = pose_map_of(&c->pose[1][0]);
        pose_put(&m, c->rest + 30, c->point[1] + 30);
        swept_free(&list);
        imp_destroy(p);
    }
    imp *p;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT_EQUAL(imp_sweep(p, two, two + 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    imp_destroy(p);
    free(c);
}

/* ---- bodies that turn by more than half a turn */

/* A rod that turns about z, and a wall at an angle, which it meets on its way or does not. */
typedef struct swing {
    double rest[18], point[2][18];
    imp_pose pose[2];
    imp_mesh mesh;
    imp_frame frame[2];
} swing;

static void swing_make(swing *s, double turn, double wall)
{
    static const uint32_t corner[6] = {0, 1, 2, 3, 4, 5};
    static const int32_t object[2] = {0, 1}, body[1] = {0};
    const double rod[9] = {0, 0, -0.01, 0, 0, 0.01, 1, 0, 0}, c = cos(wall), d = sin(wall);
    const double plate[9] = {0.8 * c, 0.8 * d, -1, 0.8 * c, 0.8 * d, 1, 2 * c, 2 * d, 0};
    *s = (swing){.mesh = {.vertices = 6,
                          .primitives = 2,
                          .corner = corner,
                          .object = object,
                          .bodies = 1,
                          .body = body}};
    memcpy(s->rest, rod, sizeof rod);
    for (int f = 0; f < 2; f++) {
        s->pose[f] = (imp_pose){.rotation = {cos(f * turn / 2), 0, 0, sin(f * turn / 2)},
                                .spin = {0, 0, turn / 0.5}};
        const pose_map m = pose_map_of(&s->pose[f]);
        for (int v = 0; v < 3; v++)
            pose_put(&m, rod + 3 * v, s->point[f] + 3 * v);
        memcpy(s->point[f] + 9, plate, sizeof plate);
        s->frame[f] = (imp_frame){.mesh = &s->mesh,
                                  .point = s->point[f],
                                  .number = (uint64_t)f,
                                  .pose = &s->pose[f],
                                  .time = 7 + 0.5 * f};
    }
    s->mesh.rest = s->rest;
}

static uint64_t swing_pairs(imp *p, swing *s, double turn, double wall, swept_list *list)
{
    uint64_t count = 0;
    const int err = imp_sweep(p, s->frame, s->frame + 1, swept_sink, list, &count);
    EXPECT(!err, "turn %g, wall %g: %s", turn, wall, imp_error_text());
    return count;
}

/* Every ten degrees there is a wall: those on the way are met, in time, and no others but near its
 * ends. Without time between the frames the shorter arc is the way. */
static void check_swing(imp *p, double degrees)
{
    const double unit = acos(-1) / 180, turn = degrees * unit, whole = 360 * unit;
    for (int at = 5; at < 360; at += 10) {
        swing s;
        swept_list list = {.order = 1};
        const double first = turn > 0 ? at * unit : whole - at * unit; /* of the way */
        const int meets = first < fabs(turn);
        swing_make(&s, turn, at * unit);
        uint64_t count = swing_pairs(p, &s, degrees, at, &list);
        EXPECT(count == (uint64_t)meets, "turn %g, wall %d: %llu pairs", degrees, at,
               (unsigned long long)count);
        EXPECT(!count || (list.time[0] <= first / fabs(turn) &&
                          list.time[0] > (first - 15 * unit) / fabs(turn)),
               "turn %g, wall %d: at %g", degrees, at, list.time[0]);
        swept_free(&list);
        list = (swept_list){.order = 1};
        s.frame[1].time = s.frame[0].time;
        count = swing_pairs(p, &s, degrees, at, &list);
        const double end = turn - whole * floor(turn / whole), here = at * unit;
        EXPECT(count == (uint64_t)(end < whole / 2 ? here < end : here > end),
               "turn %g without time, wall %d: %llu pairs", degrees, at, (unsigned long long)count);
        swept_free(&list);
    }
}

static void test_turns(void)
{
    static const double degrees[] = {30, 90, 179, 200, 250, 310, 360, 380, 500, 7230, 72040};
    for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
        imp *p;
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu",
                                                    .threads = 1,
                                                    .volume = volume,
                                                    .pairs = IMP_PAIRS_BETWEEN},
                                         &p),
                              0);
        for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
            for (int back = 0; back < 2; back++)
                check_swing(p, back ? -degrees[i] : degrees[i]);
        imp_destroy(p);
    }
}

/* ---- nothing depends on what was asked before */

enum { BEFORE, AFTER, EARLIER }; /* frames of a crowd */

/* A course of steps: a crowd of which some stand still at times. */
typedef struct course {
    const way *way;
    const kind *k;
    const char *name;
    crowd *c;
    imp *kept, *anew;
    imp_def def;
    rng r;
    uint64_t kept_tests, anew_tests, pairs;
} course;

static int chance(course *s, uint32_t one_in)
{
    return !rng_below(&s->r, one_in);
}

/* A vertex goes to the next number, and its body's pose stays: that is allowed. */
static void nudge(course *s, int f, size_t x)
{
    if (s->k->single)
        s->c->single[f][x] = nextafterf(s->c->single[f][x], INFINITY);
    else
        s->c->point[f][x] = nextafter(s->c->point[f][x], INFINITY);
}

/* An object has gone only a small part of the way to where it is. */
static void shorten(course *s, int object)
{
    const double part = 0.1;
    const size_t first = (size_t)3 * BODY_VERTICES * (size_t)object;
    crowd *c = s->c;
    if (object < s->k->rigid) {
        imp_pose *p = &c->pose[AFTER][object], *from = &c->pose[BEFORE][object], to = *p;
        turned(from->rotation, to.rotation, part, p->rotation);
        for (int a = 0; a < 3; a++)
            p->centre[a] = from->centre[a] + part * (to.centre[a] - from->centre[a]);
        crowd_put(c, AFTER, object);
        return;
    }
    for (size_t x = first; x < first + 3 * BODY_VERTICES; x++) {
        c->point[AFTER][x] = (1 - part) * c->point[BEFORE][x] + part * c->point[AFTER][x];
        c->single[AFTER][x] = (float)c->point[AFTER][x];
    }
}

/* Where everything is before and after a step; still[OBJECTS]: what has not moved. */
static void course_step(course *s, int *still)
{
    crowd *c = s->c;
    const int share = 1 + (int)rng_below(&s->r, 6), jumps = chance(s, 6), back = chance(s, 6);
    for (int i = 0; i < OBJECTS; i++) {
        crowd_copy(c, s->k, back ? EARLIER : AFTER, BEFORE, i);
        if (jumps && chance(s, 3))
            crowd_move(c, s->k, BEFORE, i, &s->r);
        if (i < s->k->rigid)
            c->pose[BEFORE][i].spin[0] = chance(s, 20);
        crowd_copy(c, s->k, BEFORE, AFTER, i);
        still[i] = share > 1 && !chance(s, (uint32_t)share);
        if (!still[i])
            crowd_move(c, s->k, AFTER, i, &s->r);
        if (!still[i] && !chance(s, 20))
            shorten(s, i);
        if (i < s->k->rigid && c->pose[BEFORE][i].spin[0] != 0)
            still[i] = 0;
    }
    const size_t one = rng_below(&s->r, 3 * BODY_VERTICES * OBJECTS);
    for (int f = BEFORE; f <= AFTER; f++) /* for good, or in one of them */
        if (chance(s, 4))
            nudge(s, f, one);
    for (size_t x = 0; x < (size_t)3 * BODY_VERTICES * OBJECTS; x++)
        if (s->k->single ? c->single[BEFORE][x] != c->single[AFTER][x]
                         : c->point[BEFORE][x] != c->point[AFTER][x])
            still[x / (3 * BODY_VERTICES)] = 0;
    if (chance(s, 4))
        for (int i = 0; i < OBJECTS; i++)
            crowd_copy(c, s->k, AFTER, EARLIER, i);
}

static int stops(void *user, const imp_swept *found)
{
    (void)found;
    return *(int *)user;
}

static size_t stopped, cancelled; /* sweeps that did not come to their end */

/* What may come between two sweeps. */
static void course_other(course *s)
{
    int seven = 7;
    if (chance(s, 6))
        CU_ASSERT_EQUAL(imp_detect(s->kept, s->c->frame + rng_below(&s->r, 2), 1, NULL, NULL, NULL),
                        0);
    if (chance(s, 12))
        imp_forget(s->kept);
    if (chance(s, 8)) {
        const int err = imp_sweep(s->kept, s->c->frame, s->c->frame + 1, stops, &seven, NULL);
        CU_ASSERT(!err || err == 7);
        stopped += err == 7;
    }
    if (chance(s, 12)) {
        imp_cancel(s->kept);
        const int err = imp_sweep(s->kept, s->c->frame, s->c->frame + 1, NULL, NULL, NULL);
        CU_ASSERT(!err || err == IMP_ERR_CANCELLED);
        cancelled += err == IMP_ERR_CANCELLED;
    }
    if (chance(s, 12)) {
        imp_mesh half = s->c->mesh;
        imp_frame f = s->c->frame[BEFORE];
        half.primitives /= 2;
        f.mesh = &half;
        CU_ASSERT_EQUAL(imp_sweep(s->kept, &f, &f, NULL, NULL, NULL), 0);
    }
}

static void course_check(course *s, size_t step, const int *still)
{
    swept_list got, want;
    contact_list frame = {0};
    swept_frames(s->kept, s->c, BEFORE, AFTER, &got);
    s->kept_tests += swept_tests(s->kept);
    swept_frames(s->anew, s->c, BEFORE, AFTER, &want);
    s->anew_tests += swept_tests(s->anew);
    s->pairs += want.count;
    EXPECT(swept_same(&got, &want), "%s, %s, volume %d, step %zu: %zu pairs, not %zu", s->way->name,
           s->name, s->def.volume, step, got.count, want.count);
    CU_ASSERT_EQUAL(imp_detect(s->anew, s->c->frame + BEFORE, 1, contact_list_sink, &frame, NULL),
                    0);
    EXPECT(swept_as_frame(&got, &frame, still),
           "%s, %s, volume %d, step %zu: others stand than in the frame", s->way->name, s->name,
           s->def.volume, step);
    if (step % 16 == 3 && s->def.stage == IMP_STAGE_CONTACTS) {
        const size_t missed = check_instants(s->c, s->k, BEFORE, &got, s->def.pairs);
        EXPECT(!missed, "%s, %s, volume %d, step %zu: %zu missed", s->way->name, s->name,
               s->def.volume, step, missed);
    }
    swept_free(&got);
    swept_free(&want);
    contact_list_free(&frame);
}

/* Tests that were not made, since their answers were known. */
static uint64_t saved;

static void check_course(const way *w, size_t number, int volume, size_t steps)
{
    course s = {.way = w, .k = &crowds[number].kind, .name = crowds[number].name};
    int still[OBJECTS];
    s.r.state = 100 * number + (uint64_t)volume;
    s.def = (imp_def){.volume = volume,
                      .stage = (int)(number + (size_t)volume) % 2,
                      .pairs = (int)(number % 3),
                      .leaf = 4};
    s.c = crowd_make(s.k, s.name);
    s.anew = way_pipeline(w, &s.def);
    s.def.update = number % 2 ? IMP_UPDATE_AUTO : IMP_UPDATE_KEEP;
    s.kept = way_pipeline(w, &s.def);
    CU_ASSERT_FATAL(s.anew && s.kept);
    for (size_t i = 0; i < steps; i++) {
        course_step(&s, still);
        course_check(&s, i, still);
        course_other(&s);
    }
    EXPECT(s.pairs > 0 && s.kept_tests <= s.anew_tests, "%s, %s: %llu pairs, %llu tests, %llu anew",
           w->name, s.name, (unsigned long long)s.pairs, (unsigned long long)s.kept_tests,
           (unsigned long long)s.anew_tests);
    saved += s.anew_tests - s.kept_tests;
    imp_destroy(s.kept);
    imp_destroy(s.anew);
    free(s.c);
}

static void test_courses(void)
{
    way list[WAYS_MOST];
    const int all = test_count(1) > 1;
    const size_t ways = all ? ways_find(list) : ways_few(list);
    const size_t few = all ? 1 : TEST_SLOW ? 9 : 6, steps = TEST_SLOW ? 8 : 16;
    for (size_t w = 0; w < ways; w++) {
        saved = 0;
        for (size_t i = 0; i < CROWDS; i++)
            for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++)
                if ((i + (size_t)volume + w) % few == 0)
                    check_course(&list[w], i, volume, all ? 100 : w ? steps / 3 : steps);
        EXPECT(saved > 0, "%s: nothing was known", list[w].name);
    }
    EXPECT(stopped && cancelled, "%zu sweeps were stopped, %zu cancelled", stopped, cancelled);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"sweep", test_sweep},
        {"tunnel", test_tunnel},
        {"turns", test_turns},
        {"courses", test_courses},
        {0},
    };
    return test_main(argc, argv, "sweep", tests);
}
