/* Swept queries of what stands still: it is answered as one frame is, once, and again when
 * something has changed. */
#include "error.h"
#include "expect.h"
#include "swept.h"
#include "variants.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* In frame 1. */
static void step_aside(crowd *c, const kind *k, int object)
{
    const size_t first = (size_t)3 * BODY_VERTICES * (size_t)object;
    if (object < k->rigid) {
        c->pose[1][object].centre[1] += 0.05;
        crowd_put(c, 1, object);
    }
    for (size_t x = first; x < first + 3 * BODY_VERTICES && object >= k->rigid; x++)
        c->point[1][x] += 0.05;
}

/* All that stands is asked once; what has moved once more; then nobody asks. */
static void check_counts(const way *w, const imp_def *def, int mover)
{
    static const int all[OBJECTS] = {1, 1, 1, 1, 1, 1, 1};
    const kind *k = &crowds[1].kind;
    crowd *c = crowd_make(k, "counts");
    contact_list frame = {0};
    swept_list first, again;
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int i = 0; i < OBJECTS; i++)
        crowd_copy(c, k, 0, 1, i);
    swept_frames(p, c, 0, 1, &first);
    const uint64_t whole = swept_tests(p);
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, 1, contact_list_sink, &frame, NULL), 0);
    EXPECT(whole > 0 && first.count > 100, "%s: %llu tests, %zu pairs", w->name,
           (unsigned long long)whole, first.count);
    EXPECT(swept_as_frame(&first, &frame, all), "%s: %zu pairs, not the frame's %zu", w->name,
           first.count, frame.count);
    swept_frames(p, c, 1, 0, &again);
    EXPECT(!swept_tests(p) && swept_same(&first, &again), "%s: %llu tests of what stands", w->name,
           (unsigned long long)swept_tests(p));
    swept_free(&again);
    step_aside(c, k, mover);
    swept_frames(p, c, 0, 1, &again);
    CU_ASSERT(swept_tests(p) > 0);
    swept_free(&again);
    crowd_copy(c, k, 1, 0, mover);
    swept_frames(p, c, 0, 1, &again);
    const uint64_t part = swept_tests(p);
    EXPECT(part > 0 && part < whole, "%s: %llu tests of one that stands again, of all %llu",
           w->name, (unsigned long long)part, (unsigned long long)whole);
    swept_free(&first);
    swept_frames(p, c, 0, 1, &first);
    EXPECT(!swept_tests(p) && swept_same(&first, &again), "%s: %llu tests later", w->name,
           (unsigned long long)swept_tests(p));
    swept_free(&first);
    swept_free(&again);
    contact_list_free(&frame);
    imp_destroy(p);
    free(c);
}

/* What has been changed between two sweeps, in both frames, is asked again, however little: a point
 * by its last bit, a pose by its. */
static void check_changed(const way *w, const imp_def *def)
{
    static const int all[OBJECTS] = {1, 1, 1, 1, 1, 1, 1};
    const kind *k = &crowds[1].kind;
    crowd *c = crowd_make(k, "changed");
    rng r = {4};
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int change = 0; change < 6; change++) {
        swept_list l;
        contact_list frame = {0};
        double *const at[] = {&c->point[0][7], &c->point[0][3 * BODY_VERTICES * 5],
                              &c->pose[0][3].centre[1], &c->pose[0][3].rotation[0]};
        if (change < 4)
            *at[change] = nextafter(*at[change], 2);
        else
            crowd_move(c, k, 0, change == 4 ? 2 : 6, &r);
        for (int i = 0; i < OBJECTS; i++)
            crowd_copy(c, k, 0, 1, i);
        for (int again = 0; again < 2; again++) {
            swept_frames(p, c, 0, 1, &l);
            EXPECT((swept_tests(p) > 0) != again, "%s, change %d: %llu tests", w->name, change,
                   (unsigned long long)swept_tests(p));
            swept_free(&l);
        }
        swept_frames(p, c, 0, 1, &l);
        CU_ASSERT_EQUAL(imp_detect(p, c->frame, 1, contact_list_sink, &frame, NULL), 0);
        EXPECT(swept_as_frame(&l, &frame, all), "%s, change %d: others than in the frame", w->name,
               change);
        swept_free(&l);
        contact_list_free(&frame);
    }
    imp_destroy(p);
    free(c);
}

/* A body that turns, by its spin or by the last bit of its pose, is on its way, wherever its points
 * are. */
static void check_turning(const way *w, const imp_def *def)
{
    const kind *k = &crowds[0].kind;
    for (int how = 0; how < 2; how++) {
        crowd *c = crowd_make(k, "turning");
        imp *p = way_pipeline(w, def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        for (int i = 0; i < OBJECTS; i++)
            crowd_copy(c, k, 0, 1, i);
        if (how)
            c->pose[0][3].spin[1] = 1;
        else
            c->pose[1][3].rotation[2] = nextafter(c->pose[1][3].rotation[2], 2);
        for (int again = 0; again < 2; again++) {
            swept_list l;
            swept_frames(p, c, 0, 1, &l);
            EXPECT(swept_tests(p) > 0 && l.count > 0, "%s, %d: one that turns is said to stand",
                   w->name, how);
            swept_free(&l);
        }
        imp_destroy(p);
        free(c);
    }
}

/* One object goes far away, where it meets none: then the frame has another unit, on which
 * candidates depend, and contacts do not. */
static void check_unit(const way *w, const imp_def *def)
{
    const kind *k = &crowds[0].kind;
    crowd *c = crowd_make(k, "unit");
    uint64_t tests[2];
    swept_list first, again;
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int far = 0; far < 2; far++) {
        c->pose[0][6].centre[0] = far ? 1e4 : 100;
        crowd_put(c, 0, 6);
        for (int i = 0; i < OBJECTS; i++)
            crowd_copy(c, k, 0, 1, i);
        swept_frames(p, c, 0, 1, far ? &again : &first);
        tests[far] = swept_tests(p);
    }
    EXPECT(tests[0] > 100 && (tests[1] > tests[0] / 2) == (def->stage == IMP_STAGE_CANDIDATES),
           "%s, stage %d: %llu tests, %llu before", w->name, def->stage,
           (unsigned long long)tests[1], (unsigned long long)tests[0]);
    if (def->stage == IMP_STAGE_CONTACTS)
        CU_ASSERT(swept_same(&first, &again));
    swept_free(&first);
    swept_free(&again);
    imp_destroy(p);
    free(c);
}

static void test_counts(void)
{
    way list[WAYS_MOST];
    const size_t ways = ways_few(list);
    for (size_t w = 0; w < ways; w++)
        for (int stage = IMP_STAGE_CONTACTS; stage <= IMP_STAGE_CANDIDATES; stage++) {
            imp_def def = {.volume = IMP_VOLUME_SPHERE + (int)w % 3,
                           .update = IMP_UPDATE_AUTO,
                           .stage = stage,
                           .leaf = 4};
            check_counts(&list[w], &def, 2);
            check_counts(&list[w], &def, 5);
            check_changed(&list[w], &def);
            def.pairs = IMP_PAIRS_BETWEEN;
            check_unit(&list[w], &def);
            check_turning(&list[w], &def);
        }
}

/* Frame 1 is frame 0 with all bodies a little farther. */
static void drift(crowd *c, const kind *k)
{
    for (int i = 0; i < OBJECTS; i++) {
        crowd_copy(c, k, 0, 1, i);
        c->pose[1][i].centre[0] += 1e-3 * (i + 1);
        crowd_put(c, 1, i);
    }
}

/* As a pipeline has it that keeps nothing. */
static void check_anew(const way *w, const imp_def *def, const crowd *c, const swept_list *got)
{
    imp_def mine = *def;
    swept_list want;
    mine.update = IMP_UPDATE_REBUILD;
    imp *p = way_pipeline(w, &mine);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    swept_frames(p, c, 0, 1, &want);
    EXPECT(swept_same(got, &want), "volume %d: %zu pairs, not %zu", def->volume, got->count,
           want.count);
    swept_free(&want);
    imp_destroy(p);
}

/* A rigid body moves, but not as it sees itself: its pairs with itself are asked once, until the
 * unit is another, or its points lie farther from where poses put them. */
static void check_own(const way *w, const imp_def *def, int single)
{
    const kind k = {OBJECTS, 1, 0, single, 0};
    crowd *c = crowd_make(&k, "own");
    swept_list l;
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    c->pose[0][6].centre[0] = 8; /* has the frame's box */
    crowd_put(c, 0, 6);
    for (int change = 0; change < 3; change += single ? 1 : 2) {
        c->pose[0][2].centre[1] += change == 1 ? 6 : 0; /* float32: points lie as far off as bodies
                                                           are from the origin */
        c->pose[0][6].centre[0] += change == 2 ? 1000 : 0;
        crowd_put(c, 0, 2);
        crowd_put(c, 0, 6);
        drift(c, &k);
        for (int again = 0; again < 2; again++) {
            swept_frames(p, c, 0, 1, &l);
            EXPECT((swept_tests(p) > 0) != again && l.count > 0,
                   "volume %d, change %d: %llu tests, %zu pairs", def->volume, change,
                   (unsigned long long)swept_tests(p), l.count);
            check_anew(w, def, c, &l);
            swept_free(&l);
        }
    }
    imp_destroy(p);
    free(c);
}

static void test_own(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++)
        for (int single = 0; single < 2; single++)
            check_own(
                &w,
                &(imp_def){.volume = volume, .update = IMP_UPDATE_AUTO, .pairs = IMP_PAIRS_SELF},
                single);
}

/* Tetrahedra that stand are what the frame has. */
static void test_solids(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 2};
    const imp_def def = {.volume = IMP_VOLUME_OBB, .update = IMP_UPDATE_AUTO};
    made m;
    swept_list l = {.order = 1};
    contact_list frame = {0};
    CU_ASSERT_FATAL(made_procedural("tissue-fold", 2000, 40, 1, &m));
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    const imp_frame *last = m.frame + m.frames - 1;
    CU_ASSERT_EQUAL(imp_detect(p, last, 1, contact_list_sink, &frame, NULL), 0);
    CU_ASSERT_EQUAL(imp_sweep(p, last, last, swept_sink, &l, NULL), 0);
    EXPECT(l.count == frame.count && l.count > 0, "%zu pairs, not %zu", l.count, frame.count);
    for (size_t i = 0; i < l.count && i < frame.count; i++)
        CU_ASSERT(l.a[i] == frame.row[i].a && l.b[i] == frame.row[i].b);
    swept_free(&l);
    contact_list_free(&frame);
    imp_destroy(p);
    made_free(&m);
}

/* ---- an allocation fails */

static atomic_long allocations; /* by several threads */
static long fails_at = -1;

int __real_mem_alloc(mem *m, size_t bytes, void *out);
int __wrap_mem_alloc(mem *m, size_t bytes, void *out);
int __real_mem_grow(mem *m, size_t keep_bytes, size_t bytes, void *inout);
int __wrap_mem_grow(mem *m, size_t keep_bytes, size_t bytes, void *inout);

static int fails_now(void)
{
    return atomic_fetch_add(&allocations, 1) == fails_at &&
           imp_set_error(IMP_ERR_MEMORY, "no more");
}

int __wrap_mem_alloc(mem *m, size_t bytes, void *out)
{
    if (!fails_now())
        return __real_mem_alloc(m, bytes, out);
    *(void **)out = NULL;
    return IMP_ERR_MEMORY;
}

int __wrap_mem_grow(mem *m, size_t keep_bytes, size_t bytes, void *inout)
{
    return fails_now() ? IMP_ERR_MEMORY : __real_mem_grow(m, keep_bytes, bytes, inout);
}

/* Between two sweeps one fails at each of its allocations: what is known is right, or forgotten. */
static void test_failing(void)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 1};
    const imp_def def = {.volume = IMP_VOLUME_OBB, .update = IMP_UPDATE_AUTO, .leaf = 16};
    const kind *k = &crowds[1].kind;
    crowd *c = crowd_make(k, "failing");
    imp *p = way_pipeline(&w, &def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int i = 0; i < OBJECTS; i++) {
        crowd_copy(c, k, 0, 1, i);
        if (i > 1) /* others have moved there, and stand still again */
            crowd_copy(c, k, 0, 2, i);
        crowd_copy(c, k, 2, 3, i);
    }
    c->pose[3][0].centre[2] += 0.01;
    crowd_put(c, 3, 0);
    swept_list first, then, got;
    swept_frames(p, c, 0, 1, &first);
    swept_frames(p, c, 2, 3, &then);
    int failed = 1;
    for (long at = 0; failed && at < 10000; at += at < 40 ? 1 : 7) {
        swept_frames(p, c, 0, 1, &got);
        EXPECT(swept_same(&first, &got), "before allocation %ld: others", at);
        swept_free(&got);
        allocations = 0;
        fails_at = at;
        const int err = imp_sweep(p, c->frame + 2, c->frame + 3, NULL, NULL, NULL);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        failed = allocations > at;
        fails_at = -1;
        for (int on = 0; on < 2; on++) {
            swept_frames(p, c, on ? 2 : 0, on ? 3 : 1, &got);
            EXPECT(swept_same(on ? &then : &first, &got), "after allocation %ld: others", at);
            swept_free(&got);
        }
    }
    CU_ASSERT(!failed);
    swept_free(&first);
    swept_free(&then);
    imp_destroy(p);
    free(c);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"counts", test_counts},
                                 {"own", test_own},
                                 {"solids", test_solids},
                                 {"failing", test_failing},
                                 {0}};
    return test_main(argc, argv, "still", tests);
}
