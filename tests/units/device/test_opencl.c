/* OpenCL with drivers of all kinds, and lists of drivers that contain none: devices, contacts,
 * transfers, "auto", shared and cached kernels, threads. The driver is fake_cl.c, which computes
 * contacts like any other device. */
#include "device_cl.h"
#include "expect.h"
#include "internal.h"
#include "opencl_driver.h"
#include "watch_cl.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- lists of drivers */

/* Everything else in the folder is ignored; driver_main has set OCL_ICD_VENDORS. */
static void test_hostile_list(void)
{
    imp_device_info d;
    driver_fresh();
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
            driver_fresh();
            fake->devices = counts[i];
            fake->later = k < 0 ? -1 : counts[k];
            int n = k < 0 || counts[k] > counts[i] ? counts[i] : counts[k];
            size_t got = count_devices();
            EXPECT(got == (size_t)n, "%zu devices, not %d, of %d and then %d", got, n, counts[i],
                   fake->later);
        }
    driver_fresh();
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
    driver_fresh();
    fake->devices = 0;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "no OpenCL platform with a device"));
    driver_fresh();
    fake->fail_end = LONG_MAX;
    fake->fail_code = CL_OUT_OF_RESOURCES;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "-5"));
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("1"), "-5"));
    driver_fresh();
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("2"), "'2'"));
}

/* ---- devices without information */

static void test_opencl_device_names(void)
{
    imp_device_info d;
    driver_fresh();
    fake->unnamed = 1;
    CU_ASSERT(imp_device_at(1, &d));
    CU_ASSERT_STRING_EQUAL(d.platform, "unnamed");
    CU_ASSERT_STRING_EQUAL(d.name, "unnamed");
    driver_fresh();
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
    driver_fresh();
    fake->no_units = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "0 units"));
    driver_fresh();
    fake->no_group = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "work-groups of 0"));
    driver_fresh();
    fake->no_buffers = 1;
    CU_ASSERT_PTR_NOT_NULL(strstr(no_pipeline("opencl"), "buffers of 0"));
}

/* ---- the same contacts as from the host */

static void test_opencl_contacts(void)
{
    made m;
    contact_list want;
    driver_scene(&m, 60);
    driver_host_contacts(&m, &want);
    for (int kind = 0; kind < 6; kind++) {
        imp *p = NULL;
        contact_list got = {0};
        driver_fresh();
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
    driver_fresh();
}

/* A preloaded tool sees all of the calls. */
static void test_watched(void)
{
    made m;
    contact_list got = {0};
    imp *p = NULL;
    driver_fresh();
    driver_scene(&m, 20);
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "opencl"}, &p), 0);
    const watched before = watch_cl();
    CU_ASSERT_EQUAL(imp_detect(p, m.frame, m.frames, contact_list_sink, &got, NULL), 0);
    const watched after = watch_cl();
    CU_ASSERT(got.count > 0);
    CU_ASSERT(after.launches > before.launches && after.waits > before.waits);
    contact_list_free(&got);
    imp_destroy(p);
    made_free(&m);
    driver_fresh();
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
    driver_fresh();
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
    driver_fresh();
}

/* Only a CPU can emulate a GPU. */
static void test_no_act(void)
{
    imp *p = NULL;
    driver_fresh();
    fake->gpu = 1;
    CU_ASSERT_EQUAL(imp_create_forced(&(imp_def){.device = "1"}, &(imp_forced){.as_gpu = 8}, &p),
                    IMP_ERR_DEVICE);
    CU_ASSERT_PTR_NULL(p);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "act as a GPU"));
    driver_fresh();
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
            driver_fresh();
            fake->gpu = gpu;
            auto_is(expect[i], takes ? "Fake Platform, Fake Device" : "cpu", takes);
        }
    driver_fresh();
}

/* A device whose work-groups are too small runs no kernels: "auto" reports that and uses the host;
 * naming the device is an error. */
static void test_small_groups(void)
{
    driver_log l = {0};
    imp *p = NULL;
    driver_fresh();
    fake->gpu = fake->few = 1;
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.log = driver_log_first, .log_user = &l}, &p), 0);
    CU_ASSERT_STRING_EQUAL(imp_device_name(p), "cpu");
    EXPECT(l.lines == 1 && strstr(l.first, "work-groups of 64") && !strchr(l.first, '\n'),
           "%d lines, %s", l.lines, l.first);
    imp_destroy(p);
    p = NULL;
    CU_ASSERT_EQUAL(imp_create(&(imp_def){.device = "1"}, &p), IMP_ERR_DEVICE);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "work-groups of 64"));
    driver_fresh();
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
    driver_scene(&m, 20);
    driver_host_contacts(&m, &want);
    driver_fresh();
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
    driver_fresh();
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
    driver_fresh();
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
    driver_fresh();
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
    driver_scene(&m, 60);
    driver_host_contacts(&m, &want);
    driver_fresh();
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
    driver_fresh();
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
        {"shared", test_opencl_shared},
        {"kept", test_opencl_kept},
        {"threads", test_opencl_threads},
        {"threads_auto", test_threads_auto},
        {0},
    };
    return driver_main(argc, argv, "opencl", tests);
}
