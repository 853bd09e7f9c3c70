/* OpenCL with faulty drivers, and lists of drivers that contain none. The driver is fake_cl.c,
 * which computes contacts like any other device until it is told to fail. */
#include "device_cl.h"
#include "expect.h"
#include "fake_icd.h"
#include "internal.h"
#include "made.h"
#include "watch_cl.h"
#include "ways.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fake_cl *fake;

/* Resets the driver to its initial state, with nothing left from the previous test. */
static void opencl_fresh(void)
{
    CU_ASSERT_EQUAL(atomic_load(&fake->alive), 0);
    CU_ASSERT_EQUAL(atomic_load(&fake->wrong), 0);
    *fake = (fake_cl){.devices = 1, .later = -1};
}

typedef struct lying {
    int lines;
    char first[1200];
} lying;

static void log_first(void *user, const char *line)
{
    lying *l = user;
    if (!l->lines++)
        snprintf(l->first, sizeof l->first, "%s", line);
}

/* two frames of triangles, many of which meet */
static void opencl_scene(made *m, uint32_t triangles)
{
    rng r = {7};
    *m = (made){.name = "opencl"};
    for (int f = 0; f < 2; f++) {
        made_part *p = made_add(m, triangles);
        for (uint32_t i = 0; i < triangles; i++)
            made_triangle(p, i, (const double[3]){0.02 * i, 0, 0}, 1, &r);
    }
}

static void host_contacts(const made *m, contact_list *out)
{
    imp *p = NULL;
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
    CU_ASSERT(out->count > 20);
    imp_destroy(p);
}

/* ---- lists of drivers */

/* Everything else in the folder is ignored; main has set OCL_ICD_VENDORS. */
static void test_hostile_list(void)
{
    imp_device_info d;
    opencl_fresh();
    EXPECT(imp_device_at(1, &d), "the driver that is one was not found");
    CU_ASSERT_STRING_EQUAL(d.platform, "Fake Platform");
    CU_ASSERT_STRING_EQUAL(d.name, "Fake Device");
    CU_ASSERT_STRING_EQUAL(d.version, "OpenCL 1.2 fake");
    CU_ASSERT(d.compute_units == 2 && d.memory == (uint64_t)1 << 31 && d.fp64 && !d.is_gpu);
    CU_ASSERT_EQUAL(imp_device_at(2, &d), 0);
}

static size_t count_devices(void)
{
    imp_device_info d;
    size_t n = 0;
    while (imp_device_at(n + 1, &d)) {
        CU_ASSERT_STRING_EQUAL(d.name, "Fake Device");
        n++;
    }
    return n;
}

/* The number of devices may change after it was reported. */
static void test_opencl_counts(void)
{
    static const int counts[] = {0, 1, 2, 300};
    for (size_t i = 0; i < 4; i++)
        for (int k = -1; k < 4; k++) {
            opencl_fresh();
            fake->devices = counts[i];
            fake->later = k < 0 ? -1 : counts[k];
            int n = k < 0 || counts[k] > counts[i] ? counts[i] : counts[k];
            size_t got = count_devices();
            EXPECT(got == (size_t)n, "%zu devices, not %d, of %d and then %d", got, n, counts[i],
                   fake->later);
        }
    opencl_fresh();
}

static const char *no_pipeline(const char *name)
{
    imp *p = NULL;
    int err = imp_create(&(imp_def){.device = name}, &p);
    EXPECT(err == IMP_ERR_DEVICE, "%s: error %d: %s", name, err, imp_error_text());
    CU_ASSERT_PTR_NULL(p);
    CU_ASSERT_PTR_NULL(strchr(imp_error_text(), '\n'));
    imp_destroy(p);
    return imp_error_text();
}

static void test_opencl_no_device(void)
{
    opencl_fresh();
    fake->devices = 0;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "no OpenCL platform with a device"));
    opencl_fresh();
    fake->fail_end = LONG_MAX;
    fake->fail_code = CL_OUT_OF_RESOURCES;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "-5"));
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("1"), "-5"));
    opencl_fresh();
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("2"), "'2'"));
}

/* ---- devices without information */

static void test_opencl_device_names(void)
{
    imp_device_info d;
    opencl_fresh();
    fake->unnamed = 1;
    CU_ASSERT(imp_device_at(1, &d));
    CU_ASSERT_STRING_EQUAL(d.platform, "unnamed");
    CU_ASSERT_STRING_EQUAL(d.name, "unnamed");
    opencl_fresh();
    fake->babble = 1;
    CU_ASSERT(imp_device_at(1, &d));
    CU_ASSERT_EQUAL(strncmp(d.name, "fake xxx", 8), 0);
    CU_ASSERT_EQUAL(strlen(d.name), sizeof d.name - 1);
    for (int babble = 0; babble < 2; babble++) { /* that is no reason not to compute */
        imp *p = NULL;
        fake->babble = babble;
        fake->unnamed = !babble;
        CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "1"}, &p), 0);
        CU_ASSERT_PTR_NULL(strchr(imp_device_name(p), '\n'));
        imp_destroy(p);
    }
}

/* Figures that launching divides by, and counts with. */
static void test_no_figures(void)
{
    opencl_fresh();
    fake->no_units = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "0 units"));
    opencl_fresh();
    fake->no_group = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "work-groups of 0"));
    opencl_fresh();
    fake->no_buffers = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "buffers of 0"));
}

/* ---- the same contacts as from the host */

static void test_opencl_contacts(void)
{
    made m;
    contact_list want;
    opencl_scene(&m, 60);
    host_contacts(&m, &want);
    for (int kind = 0; kind < 6; kind++) {
        imp *p = NULL;
        contact_list got = {0};
        opencl_fresh();
        fake->gpu = kind % 2;
        fake->no_fp64 = kind / 2 == 1;
        fake->one_one = kind / 2 == 2;
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "opencl"}, &p), 0);
        CU_ASSERT_STRING_EQUAL(imp_device_name(p), "Fake Platform, Fake Device");
        CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &got, NULL), 0);
        EXPECT(contact_list_equal(&want, &got), "other contacts from a device of kind %d", kind);
        CU_ASSERT_STRING_EQUAL(imp_device_name(p), "Fake Platform, Fake Device");
        contact_list_free(&got);
        imp_destroy(p);
    }
    contact_list_free(&want);
    made_free(&m);
    opencl_fresh();
}

/* A preloaded tool sees all of the calls. */
static void test_watched(void)
{
    made m;
    contact_list got = {0};
    imp *p = NULL;
    opencl_fresh();
    opencl_scene(&m, 20);
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "opencl"}, &p), 0);
    const watched before = watch_cl();
    CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &got, NULL), 0);
    const watched after = watch_cl();
    CU_ASSERT(got.count > 0);
    CU_ASSERT(after.launches > before.launches && after.waits > before.waits);
    contact_list_free(&got);
    imp_destroy(p);
    made_free(&m);
    opencl_fresh();
}

/* ---- transfer of points to a device */

#define SHOTS 6
#define SHOT_VERTICES 30000

/* Bytes that the driver is told to write: for points, and for tables that are the same for all. */
static long opencl_written(const imp_mesh *mesh, const char *types, size_t apart, imp_def def)
{
    static double memory[SHOTS * (3 * SHOT_VERTICES + 2)];
    imp_frame frame[SHOTS];
    char *at = (char *)memory;
    imp *p = NULL;
    opencl_fresh();
    fake->gpu = 1;
    def.device = "opencl";
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    for (int f = 0; f < SHOTS; f++) {
        const int single = types[f] == '4';
        frame[f] = (imp_frame){mesh, at, single ? IMP_FLOAT32 : IMP_FLOAT64, (uint64_t)f};
        at += 3 * SHOT_VERTICES * (single ? sizeof(float) : sizeof(double)) + apart;
    }
    const long before = atomic_load(&fake->written);
    atomic_store(&fake->beside, 0);
    CU_ASSERT_EQUAL(imp_detect(p, frame, SHOTS, NULL, NULL, NULL), 0);
    const long bytes = atomic_load(&fake->written) - before;
    imp_destroy(p);
    return bytes;
}

/* Each point of a frame is transferred once, in its own type, wherever it is in memory. */
static void points_written(const imp_mesh *mesh, imp_def def, const char *what)
{
    static const char *const types[] = {"444444", "888888", "444888", "844444"};
    for (size_t k = 0; k < 4; k++) {
        const long together = opencl_written(mesh, types[k], 0, def);
        const long apart = opencl_written(mesh, types[k], 16, def);
        long points = 0;
        for (int f = 0; f < SHOTS; f++)
            points += (types[k][f] - '0') * 3 * SHOT_VERTICES;
        EXPECT(together == apart, "%s, %s: %ld bytes, apart %ld", what, types[k], together, apart);
        EXPECT(together >= points && together < points + SHOT_VERTICES,
               "%s, %s: %ld bytes, of which points are %ld", what, types[k], together, points);
    }
}

/* Points of all blocks but the first are transferred while the previous block is searched, wherever
 * they are in memory. */
static void points_ahead(const imp_mesh *mesh)
{
    for (size_t apart = 0; apart < 32; apart += 16) {
        opencl_written(mesh, "444488", apart, (imp_def){.block = 2});
        const long want = (2 * 4 + 2 * 8) * 3 * SHOT_VERTICES, got = atomic_load(&fake->beside);
        EXPECT(got == want, "apart %zu: %ld bytes came ahead, not %ld", apart, got, want);
    }
}

static void test_opencl_points(void)
{
    static const uint32_t corner[3] = {0, 1, 2};
    const imp_mesh mesh = {SHOT_VERTICES, 1, corner, NULL};
    points_written(&mesh, (imp_def){0}, "in a block");
    points_written(&mesh, (imp_def){.block = 1}, "block by block");
    points_written(&mesh, (imp_def){.block = 1, .continuous = 1}, "step by step");
    points_ahead(&mesh);
    opencl_fresh();
}

/* Only a CPU can emulate a GPU. */
static void test_no_act(void)
{
    imp *p = NULL;
    opencl_fresh();
    fake->gpu = 1;
    CU_ASSERT_EQUAL(imp_create_forced(&(imp_def){.device = "1"}, &(imp_forced){.as_gpu = 8}, &p),
                    IMP_ERR_DEVICE);
    CU_ASSERT_PTR_NULL(p);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "act as a GPU"));
    opencl_fresh();
}

/* ---- "auto" */

/* The pipeline's device, and the number of programs built for it. */
static const char *auto_device(uint64_t expect, long *builds)
{
    static char name[300];
    imp *p = NULL;
    long before = atomic_load(&fake->builds);
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.threads = 2, .expect = expect}, &p), 0);
    snprintf(name, sizeof name, "%s", imp_device_name(p));
    imp_destroy(p);
    *builds = atomic_load(&fake->builds) - before;
    return name;
}

static void auto_is(uint64_t expect, const char *want, long want_builds)
{
    long builds;
    const char *got = auto_device(expect, &builds);
    EXPECT(!strcmp(got, want) && builds == want_builds, "%llu expected: %s after %ld builds",
           (unsigned long long)expect, got, builds);
}

/* A GPU, unless little work is expected; no other device. */
static void test_opencl_auto(void)
{
    static const uint64_t expect[] = {0, 1, 1999999, 2000000, UINT64_MAX};
    for (int gpu = 0; gpu < 2; gpu++)
        for (size_t i = 0; i < sizeof expect / sizeof *expect; i++) {
            const int takes = gpu && (!expect[i] || expect[i] >= 2000000);
            opencl_fresh();
            fake->gpu = gpu;
            auto_is(expect[i], takes ? "Fake Platform, Fake Device" : "cpu", takes);
        }
    opencl_fresh();
}

/* A device whose work-groups are too small runs no kernels: "auto" reports that and uses the host;
 * naming the device is an error. */
static void test_small_groups(void)
{
    lying l = {0};
    imp *p = NULL;
    opencl_fresh();
    fake->gpu = fake->few = 1;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.log = log_first, .log_user = &l}, &p), 0);
    CU_ASSERT_STRING_EQUAL(imp_device_name(p), "cpu");
    EXPECT(l.lines == 1 && strstr(l.first, "work-groups of 64") && !strchr(l.first, '\n'),
           "%d lines, %s", l.lines, l.first);
    imp_destroy(p);
    p = NULL;
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "1"}, &p), IMP_ERR_DEVICE);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "work-groups of 64"));
    opencl_fresh();
}

/* ---- calls that fail */

static void opencl_log_line(void *user, const char *line)
{
    ++*(int *)user;
    CU_ASSERT_PTR_NULL(strchr(line, '\n'));
}

/* A run in which these calls fail: a reported error, or the host's contacts. */
static long run_failing(const made *m, const contact_list *want, long from, long end, int code)
{
    imp *p = NULL;
    int lines = 0;
    contact_list got = {0};
    opencl_fresh();
    fake->fail_from = from;
    fake->fail_end = end;
    fake->fail_code = code;
    const imp_def def = {
        .device = "opencl", .verify = 5, .log = opencl_log_line, .log_user = &lines};
    int err = imp_create(&def, &p);
    int opened = !err;
    if (!err)
        err = imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL);
    const char *text = imp_error_text();
    if (err)
        EXPECT((err == IMP_ERR_DEVICE || err == IMP_ERR_MEMORY) && *text && !strchr(text, '\n'),
               "calls %ld to %ld fail with %d: error %d, '%s'", from, end, code, err, text);
    else
        EXPECT(contact_list_equal(want, &got), "calls %ld to %ld fail with %d: other contacts",
               from, end, code);
    EXPECT(!opened || !err || err == IMP_ERR_MEMORY, "call %ld: the host did not go on", from);
    long calls = atomic_load(&fake->calls);
    contact_list_free(&got);
    imp_destroy(p);
    EXPECT(atomic_load(&fake->alive) == 0, "calls %ld to %ld fail with %d: %ld objects are left",
           from, end, code, atomic_load(&fake->alive));
    return calls;
}

static void test_failing_calls(void)
{
    static const int codes[] = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY,
                                CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_INVALID_VALUE, 1};
    made m;
    contact_list want;
    opencl_scene(&m, 20);
    host_contacts(&m, &want);
    long calls = run_failing(&m, &want, LONG_MAX, LONG_MAX, 0);
    long step = test_count(1) > 1 ? 1 : TEST_SANITIZED ? 211 : 31;
    CU_ASSERT(calls > 500);
    for (long n = 0; n < calls; n += n < 60 ? 1 : step) {
        run_failing(&m, &want, n, n + 1, codes[(size_t)n % 5]);
        run_failing(&m, &want, n, LONG_MAX, codes[(size_t)n % 5]);
    }
    contact_list_free(&want);
    made_free(&m);
    opencl_fresh();
}

/* ---- wrong answers */

/* Runs the frames on a device that from now on reports all pairs as apart. */
static uint64_t detect_lied(const made *m, imp_def def, int lies, lying *l, contact_list *out)
{
    imp *p = NULL;
    imp_profile t;
    opencl_fresh();
    def.device = "opencl";
    def.log = log_first;
    def.log_user = l;
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    fake->lies = lies;
    /* twice: after the difference the host computes, without a message */
    for (int i = 0; i < 2; i++) {
        contact_list_free(out);
        *out = (contact_list){0};
        CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, out, NULL), 0);
    }
    EXPECT(!strcmp(imp_device_name(p), "cpu") == (lies && def.verify), "the device is %s",
           imp_device_name(p));
    imp_profile_get(p, &t);
    imp_destroy(p);
    return t.verified;
}

/* Every mode in which a device makes verdicts; `verify` covers all pairs, so that no lie escapes.
 */
static void lied_about(const made *m, imp_def def, const char *what)
{
    contact_list want, got;
    lying l = {0};
    detect_lied(m, def, 0, &l, &want);
    CU_ASSERT(want.count > 20 && !l.lines);
    detect_lied(m, def, 1, &l, &got);
    EXPECT(!contact_list_equal(&want, &got) && !l.lines, "%s: lies change nothing", what);
    contact_list_free(&got);
    def.verify = UINT32_MAX;
    EXPECT(detect_lied(m, def, 0, &l, &got) > 20 && !l.lines, "%s: an honest device: %s", what,
           l.first);
    CU_ASSERT(contact_list_equal(&want, &got));
    contact_list_free(&got);
    detect_lied(m, def, 1, &l, &got);
    EXPECT(contact_list_equal(&want, &got), "%s: other contacts from the host", what);
    EXPECT(l.lines == 1 && strstr(l.first, "Fake Device' decides wrongly") &&
               strstr(l.first, "going on with cpu") && !strchr(l.first, '\n'),
           "%s: %d lines, %s", what, l.lines, l.first);
    contact_list_free(&got);
    contact_list_free(&want);
}

static void test_lies(void)
{
    made m;
    opencl_scene(&m, 60);
    lied_about(&m, (imp_def){0}, "triangles");
    lied_about(&m, (imp_def){.adjacent = IMP_ADJACENT_TEST}, "neighbours");
    lied_about(&m, (imp_def){.solids = 1}, "solids");
    lied_about(&m, (imp_def){.block = 1}, "block by block");
    made_free(&m);
    CU_ASSERT_FATAL(made_procedural("organ", 900, 3, 1, &m));
    lied_about(&m, (imp_def){0}, "tetrahedra");
    made_free(&m);
    opencl_fresh();
}

/* Two frames of one mesh, of triangles that pass each other; every `meet`-th two begin in contact,
 * 0: none do. */
static void passing(made *m, uint32_t meet)
{
    rng r = {11};
    *m = (made){.name = "between"};
    made_part *p = made_add(m, 200), *q;
    for (uint32_t i = 0; i < 200; i++) {
        const double up = meet && i / 2 % meet == 0 ? 0 : 3;
        made_triangle(p, i, (const double[3]){2.0 * (i / 2), 0, i % 2 ? up : 0}, 1, &r);
    }
    q = made_again(m, p);
    for (uint32_t i = 0; i < 3 * 600; i++)
        q->point[i] = p->point[i] + (i % 3 == 2 ? (i / 9 % 2 ? -6 : 6) : 0);
}

/* Nothing meets at the start, so that only steps have contacts. */
static void test_lies_between(void)
{
    made m;
    passing(&m, 0);
    lied_about(&m, (imp_def){.continuous = 1}, "steps");
    made_free(&m);
    opencl_fresh();
}

/* An honest device's verdicts on pairs at the start of a step agree with exact arithmetic. */
static void test_honest_between(void)
{
    made m;
    contact_list want, got;
    lying l = {0};
    imp_def def = {.continuous = 1};
    passing(&m, 2);
    detect_lied(&m, def, 0, &l, &want);
    CU_ASSERT(want.count > 20 && !l.lines);
    size_t start = 0;
    for (size_t i = 0; i < want.count; i++)
        start += want.row[i].toi == 0;
    CU_ASSERT(start > 10 && want.count > 20 + start);
    def.verify = UINT32_MAX;
    detect_lied(&m, def, 0, &l, &got);
    EXPECT(!l.lines && contact_list_equal(&want, &got), "an honest device: %s", l.first);
    contact_list_free(&want);
    contact_list_free(&got);
    made_free(&m);
    opencl_fresh();
}

/* The requested number of pairs of each block is re-checked, whichever method finds them. */
static void test_verified(void)
{
    static const char *const methods[] = {"rtree", "grid", "hash", "brute"};
    made m;
    opencl_scene(&m, 60);
    for (size_t i = 0; i < 4; i++)
        for (uint32_t n = 1; n < 40; n = 3 * n + 1) {
            contact_list got;
            lying l = {0};
            const imp_def def = {.broad = methods[i], .verify = n, .block = 1};
            const uint64_t verified = detect_lied(&m, def, 0, &l, &got);
            EXPECT(verified == 4 * n && !l.lines, "%s: %llu of %u verified: %s", methods[i],
                   (unsigned long long)verified, n, l.first);
            contact_list_free(&got);
        }
    made_free(&m);
    opencl_fresh();
}

/* ---- shared contexts */

static imp *opencl_opened(void)
{
    imp *p = NULL;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "opencl"}, &p), 0);
    return p;
}

static void finds(imp *p, const made *m, const contact_list *want)
{
    contact_list got = {0};
    CU_ASSERT_EQUAL(imp_detect(p, m->frame, m->frames, contact_list_sink, &got, NULL), 0);
    CU_ASSERT(contact_list_equal(want, &got));
    contact_list_free(&got);
}

static void builds_are(long want)
{
    EXPECT(atomic_load(&fake->builds) == want, "%ld builds, not %ld", atomic_load(&fake->builds),
           want);
}

/* Pipelines that are open at once share kernels built once. After an error the next one builds them
 * again: the context may be unusable. The last one frees all. */
static void test_opencl_shared(void)
{
    made m;
    contact_list want;
    opencl_scene(&m, 20);
    host_contacts(&m, &want);
    opencl_fresh();
    imp *first = opencl_opened(), *second = opencl_opened();
    builds_are(1);
    finds(first, &m, &want);
    imp_destroy(first);
    finds(second, &m, &want);
    builds_are(1);
    fake->fail_from = atomic_load(&fake->calls);
    fake->fail_end = fake->fail_from + 1;
    fake->fail_code = CL_OUT_OF_RESOURCES;
    finds(second, &m, &want); /* the host continues */
    imp *third = opencl_opened(), *fourth = opencl_opened();
    builds_are(2);
    imp_destroy(second);
    finds(third, &m, &want);
    imp_destroy(third);
    imp_destroy(fourth);
    CU_ASSERT_EQUAL(atomic_load(&fake->alive), 0);
    imp_destroy(opencl_opened());
    builds_are(3);
    contact_list_free(&want);
    made_free(&m);
    opencl_fresh();
}

/* ---- cached programs */

/* Path and size of the one file in the folder. */
static long kept_file(char *path, size_t size)
{
    char folder[400];
    struct stat st;
    snprintf(folder, sizeof folder, "%s/impinge", test_folder());
    DIR *d = opendir(folder);
    long found = -1;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (strncmp(e->d_name, "kernels-", 8) != 0)
            continue;
        CU_ASSERT_EQUAL(found, -1);
        snprintf(path, size, "%s/%s", folder, e->d_name);
        found = stat(path, &st) ? -1 : (long)st.st_size;
    }
    if (d)
        closedir(d);
    return found;
}

/* Checks how pipelines get their kernels with this file: by a build, or by a load alone. */
static void made_by(const char *what, long builds, long loads)
{
    const long b = atomic_load(&fake->builds), l = atomic_load(&fake->loads);
    imp_destroy(opencl_opened());
    EXPECT(atomic_load(&fake->builds) - b == builds && atomic_load(&fake->loads) - l == loads,
           "%s: %ld builds, %ld loads", what, atomic_load(&fake->builds) - b,
           atomic_load(&fake->loads) - l);
}

static void opencl_flip(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
}

/* Truncates the file to so many bytes. */
static void opencl_truncate_file(const char *path, size_t size)
{
    char data[4096];
    FILE *f = fopen(path, "rb");
    CU_ASSERT_FATAL(f && size <= sizeof data && fread(data, 1, size, f) == size);
    fclose(f);
    f = fopen(path, "wb");
    CU_ASSERT_FATAL(f && fwrite(data, 1, size, f) == size);
    fclose(f);
}

/* A program that takes long to build is built once for all processes; a damaged file, or one of
 * another device, is ignored. */
static void test_opencl_kept(void)
{
    char path[700];
    opencl_fresh();
    setenv("XDG_CACHE_HOME", test_folder(), 1);
    made_by("quick", 1, 0);
    CU_ASSERT_EQUAL(kept_file(path, sizeof path), -1);
    fake->seconds = CL_CACHE_SECONDS + 1;
    made_by("slow", 1, 0);
    fake->seconds = 0;
    const long size = kept_file(path, sizeof path);
    CU_ASSERT_FATAL(size > 0);
    made_by("kept", 0, 1);
    const long step = test_count(1) > 1 ? 1 : TEST_SANITIZED ? 41 : 5;
    for (long at = 0; at < size; at += step) {
        opencl_flip(path, at);
        made_by("damaged", 1, 0);
        opencl_flip(path, at);
    }
    made_by("mended", 0, 1);
    CU_ASSERT(!chmod(path, 0666));
    made_by("of anybody", 1, 0);
    CU_ASSERT(!chmod(path, 0600));
    made_by("of this user", 0, 1);
    opencl_truncate_file(path, (size_t)size - 1);
    made_by("cut", 1, 0);
    opencl_truncate_file(path, 0);
    made_by("empty", 1, 0);
    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    made_by("no folder", 1, 0);
    unsetenv("XDG_CACHE_HOME");
    opencl_fresh();
}

/* ---- threads */

typedef struct worker {
    const made *m;
    const contact_list *want;
    const char *device;
    pthread_barrier_t *start;
    int bad;
} worker;

static void *opencl_work(void *user)
{
    worker *w = user;
    pthread_barrier_wait(w->start);
    for (int i = 0; i < 3; i++) {
        imp *p = NULL;
        imp_device_info d;
        contact_list got = {0};
        w->bad |= !imp_device_at(1, &d);
        w->bad |= imp_create(&(imp_def){.device = w->device, .threads = 1}, &p) != 0;
        w->bad |= !p || imp_detect(p, w->m->frame, w->m->frames, contact_list_sink, &got, NULL);
        w->bad |= !contact_list_equal(&got, w->want);
        contact_list_free(&got);
        imp_destroy(p);
    }
    return NULL;
}

/* Pipelines of several threads at the driver's first start, with a driver that tolerates only one
 * thread there. */
static void together(const char *name)
{
    enum { THREADS = 4 };
    made m;
    contact_list want;
    pthread_t thread[THREADS];
    worker w[THREADS];
    pthread_barrier_t start;
    opencl_scene(&m, 60);
    host_contacts(&m, &want);
    opencl_fresh();
    fake->shy = 1;
    fake->gpu = !name; /* "auto" needs one */
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){&m, &want, name, &start, 0};
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, opencl_work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        EXPECT(!w[i].bad, "thread %d: not as alone", i);
    }
    CU_ASSERT(atomic_load(&fake->builds) >= 1 && atomic_load(&fake->builds) <= THREADS * 3);
    CU_ASSERT_EQUAL(atomic_load(&fake->alive), 0);
    EXPECT(atomic_load(&fake->overlaps) == 0, "%ld times two threads were in the driver",
           atomic_load(&fake->overlaps));
    pthread_barrier_destroy(&start);
    contact_list_free(&want);
    made_free(&m);
    opencl_fresh();
}

static void test_opencl_threads(void)
{
    together("opencl");
}

static void test_threads_auto(void)
{
    together(NULL);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"hostile_list", test_hostile_list},
        {"counts", test_opencl_counts},
        {"no_device", test_opencl_no_device},
        {"names", test_opencl_device_names},
        {"no_figures", test_no_figures},
        {"contacts", test_opencl_contacts},
        {"watched", test_watched},
        {"points", test_opencl_points},
        {"no_act", test_no_act},
        {"small_groups", test_small_groups},
        {"auto", test_opencl_auto},
        {"failing_calls", test_failing_calls},
        {"lies", test_lies},
        {"lies_between", test_lies_between},
        {"honest_between", test_honest_between},
        {"verified", test_verified},
        {"shared", test_opencl_shared},
        {"kept", test_opencl_kept},
        {"threads", test_opencl_threads},
        {"threads_auto", test_threads_auto},
        {0},
    };
    imp_device_info d;
    setenv("OCL_ICD_VENDORS", fake_icd_hostile(), 1);
    imp_device_at(1, &d); /* loads the driver */
    fake = fake_icd_switches();
    if (!fake) {
        fprintf(stderr, "test_opencl: the OpenCL loader does not load %s\n", IMP_FAKE_CL);
        return 1;
    }
    return test_main(argc, argv, "opencl", tests);
}
