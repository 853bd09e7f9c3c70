/* The library when one of its allocations fails, each allocation of a task in turn (forgetful.h):
 * the call reports it, nothing is corrupted, and a retry gives the same result. */
#include "course.h"
#include "expect.h"
#include "forgetful.h"
#include "made.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

/* ---- one allocation fails */

static int armed; /* the library is running, not the test */
static long allocations, fails_at, failures;

int forgetful(void)
{
    int fails = armed && allocations++ == fails_at;
    failures += fails;
    return fails;
}

/* The self-test, which takes longer than everything else here, runs only if its failure is tested.
 */
static int self_tests;

int __real_selftest(const context *c, const char *name);
int __wrap_selftest(const context *c, const char *name);

int __wrap_selftest(const context *c, const char *name)
{
    return self_tests ? __real_selftest(c, name) : IMP_OK;
}

/* The inputs and results of a task. It consists of steps, each of which may be repeated. */
typedef struct work {
    const imp_def *def;
    const made *scene;
    imp *p;
    imp_model *m;
    contact_list got;
} work;

typedef int work_step(work *w);

/* The test's own allocations do not fail. */
static int keep_contacts(void *user, const imp_contacts *c)
{
    armed = 0;
    int err = contact_list_sink(user, c);
    armed = 1;
    return err;
}

static int armed_step(work_step *step, work *w)
{
    armed = 1;
    int err = step(w);
    armed = 0;
    return err;
}

/* Runs a step; repeats it if it fails, which must be for lack of memory. */
static void forgetful_repeat(work_step *step, work *w, const char *about)
{
    int err = armed_step(step, w);
    if (err) {
        EXPECT(err == IMP_ERR_MEMORY, "%s, allocation %ld: %d: %s", about, fails_at, err,
               imp_error_text());
        err = armed_step(step, w);
    }
    EXPECT(!err, "%s, allocation %ld: %s", about, fails_at, imp_error_text());
}

/* Runs all steps, up to NULL, with allocation number `at` failing; returns the results. */
static work life(work_step *const *step, const imp_def *def, const made *scene, const char *about,
                 long at)
{
    work w = {.def = def, .scene = scene};
    allocations = 0;
    fails_at = at;
    for (; *step; step++)
        forgetful_repeat(*step, &w, about);
    imp_model_destroy(w.m);
    imp_destroy(w.p);
    return w;
}

/* Fails each allocation of a task once, in slow builds some of them. The number of failures is
 * counted, so that no allocation is skipped. */
static void forgetful_sweep(work_step *const *step, const imp_def *def, const made *scene,
                            const char *about)
{
    work want = life(step, def, scene, about, -1);
    const long all = allocations;

    long tried = 0;
    failures = 0;
    for (long at = 0; at < all; at += TEST_SLOW ? 11 : 1, tried++) {
        work got = life(step, def, scene, about, at);
        EXPECT(contact_list_equal(&got.got, &want.got), "%s, allocation %ld: %zu contacts, not %zu",
               about, at, got.got.count, want.got.count);
        contact_list_free(&got.got);
    }
    EXPECT(want.got.count > 0, "%s: nothing was found", about);
    EXPECT(all > 50 && failures == tried, "%s: of %ld allocations %ld failed, not %ld", about, all,
           failures, tried);
    contact_list_free(&want.got);
}

/* ---- a model */

static const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const int64_t six[] = {1, 2, 3, 4, 5, 6};
static const uint32_t corner[] = {0, 1, 2, 3, 0, 1, 3, 4, 2, 3, 4, 0,
                                  1, 2, 3, 4, 0, 2, 4, 1, 0, 3, 4, 2};

static int model_create(work *w)
{
    return imp_model_create(w->def, w->def->solids ? 4 : 3, &w->m);
}

static int model_vertices(work *w)
{
    return imp_model_add_vertices(w->m, cube, 5, NULL);
}

static imp_mesh three(const work *w, int which)
{
    const int corners = w->def->solids ? 4 : 3;
    return (imp_mesh){.primitives = 3,
                      .corners = corners,
                      .corner = corner + 3 * corners * which,
                      .id = six + 3 * which};
}

static int model_add(work *w)
{
    const imp_mesh some = three(w, 0);
    return imp_model_add(w->m, &some);
}

static int model_query(work *w)
{
    w->got.count = 0;
    return imp_model_query(w->m, keep_contacts, &w->got, NULL);
}

static int model_move(work *w)
{
    return imp_model_move(w->m, NULL, cube, 5);
}

static int model_replace(work *w)
{
    const imp_mesh by = three(w, 1);
    return imp_model_replace(w->m, six, 2, &by);
}

static int model_remove(work *w)
{
    return imp_model_remove(w->m, six + 2, 1);
}

static work_step *const model_life[] = {
    model_create,  model_vertices, model_add,    model_query, model_move,
    model_replace, model_query,    model_remove, model_query, NULL};

static void test_forgetful_model(void)
{
    for (const char *const *name = broad_names; *name; name++)
        for (int update = IMP_UPDATE_REBUILD; update <= IMP_UPDATE_KEEP; update++)
            for (int solids = 0; solids < 2; solids++) {
                const imp_def def = {.device = "cpu",
                                     .threads = 1,
                                     .broad = *name,
                                     .adjacent = IMP_ADJACENT_TEST,
                                     .solids = solids,
                                     .update = update};
                forgetful_sweep(model_life, &def, NULL, *name);
            }
}

/* ---- frames */

static int frames_create(work *w)
{
    return imp_create(w->def, &w->p);
}

static int frames_detect(work *w)
{
    w->got.count = 0;
    return imp_detect(w->p, w->scene->frame, w->scene->frames, keep_contacts, &w->got, NULL);
}

static work_step *const frames_life[] = {frames_create, frames_detect, frames_detect, NULL};

static void test_create(void)
{
    made m;
    const imp_def def = {.device = "cpu", .threads = 1};
    self_tests = 1;
    CU_ASSERT_FATAL(made_procedural("drape", 60, 1, 0, &m));
    forgetful_sweep(frames_life, &def, &m, "create");
    made_free(&m);
    self_tests = 0;
}

static void test_forgetful_frames(void)
{
    made m;
    CU_ASSERT_FATAL(made_procedural("drape", 120, 3, 0, &m));
    for (const char *const *name = broad_names; *name; name++)
        for (int update = IMP_UPDATE_REBUILD; update <= IMP_UPDATE_KEEP; update++) {
            const imp_def def = {.device = "cpu",
                                 .threads = 1,
                                 .broad = *name,
                                 .dop_k = 18,
                                 .update = update,
                                 .block = 2};
            forgetful_sweep(frames_life, &def, &m, *name);
        }
    made_free(&m);
}

/* Tetrahedra that are cut: some vanish, others appear, identified by id. */
static void test_forgetful_solids(void)
{
    enum { BEFORE = 43 };
    made m;
    CU_ASSERT_FATAL(made_procedural("scalpel", 60, BEFORE + 4, 0, &m));
    for (made_part *p = m.part; p; p = p->next)
        p->mesh.id = p->id;
    m.frame += BEFORE;
    m.frames -= BEFORE;
    for (int volume = 0; volume <= IMP_VOLUME_HYBRID; volume++) {
        const imp_def def = {.device = "cpu",
                             .threads = 1,
                             .volume = volume,
                             .solids = 1,
                             .ids = 1,
                             .update = volume ? IMP_UPDATE_REBUILD : IMP_UPDATE_KEEP};
        forgetful_sweep(frames_life, &def, &m, "scalpel");
    }
    m.frame -= BEFORE;
    m.frames += BEFORE;
    made_free(&m);
}

/* ---- steps */

static void sweep_steps(const look *l)
{
    course c;
    course_make(&c, l, 1);
    const made m = {.name = l->name, .frames = COURSE_FRAMES, .frame = c.frame};
    for (int k = 0; k < 2; k++) {
        const imp_def def = {.device = "cpu",
                             .threads = 1,
                             .broad = k ? "hash" : "rtree",
                             .adjacent = IMP_ADJACENT_TEST,
                             .pairs = l->form == LOOK_APART ? IMP_PAIRS_BETWEEN : IMP_PAIRS_ALL,
                             .update = k ? IMP_UPDATE_KEEP : IMP_UPDATE_REBUILD,
                             .continuous = 1};
        forgetful_sweep(frames_life, &def, &m, l->name);
    }
    course_free(&c);
}

static void test_forgetful_steps(void)
{
    static const look small[] = {
        {"a sheet on a grid", 24, 3, 1, 1, 1, LOOK_RANDOM},
        {"mixed", 10, -4, 1, 1, 1, LOOK_RANDOM},
        {"tetrahedra about a vertex", 8, 4, 0, 0, .25, LOOK_FAN},
        {"two objects, mostly apart", 100, 3, 0, 0, 1, LOOK_APART},
    };
    for (size_t l = 0; l < sizeof small / sizeof *small; l++)
        sweep_steps(&small[l]);
}

/* ---- bodies */

static int bodies_touch(work *w)
{
    int yes;
    return imp_touches(w->p, w->scene->frame + 1, &yes);
}

static work_step *const bodies_life[] = {frames_create, bodies_touch, frames_detect, NULL};

static void test_forgetful_bodies(void)
{
    made m;
    CU_ASSERT_FATAL(made_procedural("dense", 60, 3, 0, &m));
    for (int volume = IMP_VOLUME_SPHERE; volume <= IMP_VOLUME_HYBRID; volume++) {
        const imp_def def = {.device = "cpu", .threads = 1, .volume = volume, .broad = "tree"};
        forgetful_sweep(bodies_life, &def, &m, "dense");
    }
    made_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"create", test_create},
                                 {"model", test_forgetful_model},
                                 {"frames", test_forgetful_frames},
                                 {"solids", test_forgetful_solids},
                                 {"steps", test_forgetful_steps},
                                 {"bodies", test_forgetful_bodies},
                                 {0}};
    return test_main(argc, argv, "forgetful", tests);
}
