/* What the program does before it begins: small inputs start no OpenCL, devices are compared on
 * request only, and without a loader there is the host. The driver of fake_cl.c writes down what it
 * is asked for; no verdict hangs on time. */
#include "expect.h"
#include "fake_icd.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what the driver wrote down: lines "PID loaded" and "PID build" */

typedef struct notes {
    int loaded, builds; /* lines */
} notes;

static notes driver_notes(void)
{
    notes n = {0};
    char what[16];
    FILE *f = fopen(at("driver.log"), "r");
    while (f && fscanf(f, "%*d %15s", what) == 1) {
        n.loaded += !strcmp(what, "loaded");
        n.builds += !strcmp(what, "build");
    }
    if (f)
        fclose(f);
    return n;
}

/* From now on programs see this driver alone, and this cache folder. */
static void again(const char *switches, const char *cache, const char *printed)
{
    static char text[1000];
    snprintf(text, sizeof text, "%s log=%s", switches, at("driver.log"));
    program_set(&(program_how){.printed = printed,
                               .variable = {{"OCL_ICD_VENDORS", fake_icd()},
                                            {"FAKE_CL", text},
                                            {"XDG_CACHE_HOME", cache},
                                            {"HOME", NULL}}});
}

static void setting(const char *switches, const char *cache)
{
    unlink(at("driver.log"));
    again(switches, cache, NULL);
}

/* a cache folder that nobody has used */
static const char *fresh_cache(void)
{
    static int count;
    char name[32];
    snprintf(name, sizeof name, "cache%d", count++);
    const char *path = at(name);
    mkdir(path, 0755);
    return path;
}

static char *cache_text(const char *cache)
{
    char path[600];
    size_t size;
    snprintf(path, sizeof path, "%s/impinge/devices", cache);
    return exists(path) ? file_text(path, &size) : NULL;
}

static void cache_write(const char *cache, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/impinge", cache);
    mkdir(path, 0755);
    strcat(path, "/devices");
    write_text(path, text);
}

/* the last answer there, or -1 */
static int answer(const char *cache, unsigned long long *key)
{
    int last = -1, one;
    char *text = cache_text(cache);
    for (char *line = text; line && *line; line = strchr(line, '\n') + 1) {
        if (sscanf(line, "%llx %d", key, &one) == 2)
            last = one;
        if (!strchr(line, '\n'))
            break;
    }
    free(text);
    return last;
}

/* ---- small inputs */

static const char *made_input(const char *name, size_t frames, int64_t triangles)
{
    make m = {0};
    make_moving(&m, frames, triangles, 1);
    make_write(&m, name);
    make_free(&m);
    return at(name);
}

static void no_driver(const char *input, const char *what)
{
    const char *cache = fresh_cache();
    setting("", cache);
    ran r = RAN("run", input, "-o", at("small.vtkhdf"), "--force", "-q");
    EXPECT(r.code == 0, "%s: exit %d: %s", what, r.code, r.err);
    EXPECT(driver_notes().loaded == 0, "%s: an OpenCL driver was loaded", what);
    EXPECT(rmdir(cache) == 0, "%s: something was left in the cache folder", what);
    ran_free(&r);
    program_plain();
}

static void test_small(void)
{
    no_driver(made_input("small.in.vtkhdf", 1, 100), "100 triangles");
    no_driver(made_input("many.in.vtkhdf", 50, 100), "50 times 100 triangles");
}

static void test_nothing(void)
{
    no_driver(made_input("nothing.in.vtkhdf", 3, 0), "no primitive");
}

/* The same driver is loaded where it is asked for, and its compiler says nothing to the user. */
static void test_asked(void)
{
    const char *input = made_input("small.in.vtkhdf", 1, 100);
    setting("", fresh_cache());
    ran r = RAN("run", input, "-o", at("asked.vtkhdf"), "--device", "opencl", "-q");
    CU_ASSERT(ran_well(&r));
    /* by a process that lists it (drivers.h), and by the program; then it is known */
    CU_ASSERT(driver_notes().loaded == 2 && driver_notes().builds == 1);
    ran_free(&r);
    r = RAN("run", input, "-o", at("asked.vtkhdf"), "--device", "opencl", "-q", "--force");
    CU_ASSERT(ran_well(&r));
    CU_ASSERT(driver_notes().loaded == 3 && driver_notes().builds == 2);
    ran_free(&r);
    program_plain();
}

/* ---- comparing, by hand */

#define COMPARE(when) RAN("devices", "--no-test", "--compare", when)

static void test_once(void)
{
    const char *cache = fresh_cache();
    unsigned long long key = 0;
    setting("", cache);
    ran r = COMPARE("once");
    CU_ASSERT(ran_well(&r));
    EXPECT(strstr(r.out, "auto, without a GPU: "), "it says: %s", r.out);
    CU_ASSERT_EQUAL(driver_notes().builds, 1);
    EXPECT(answer(cache, &key) == 0 || answer(cache, &key) == 1, "no answer is kept");
    ran_free(&r);
    r = COMPARE("once"); /* known */
    CU_ASSERT(ran_well(&r));
    CU_ASSERT_EQUAL(driver_notes().builds, 1);
    ran_free(&r);
    r = COMPARE("again");
    CU_ASSERT(ran_well(&r));
    CU_ASSERT_EQUAL(driver_notes().builds, 2);
    ran_free(&r);
    program_plain();
}

/* Several at once: one measures, the others leave it to that one. */
static void test_at_once(void)
{
    enum { PROGRAMS = 4 };
    const char *cache = fresh_cache();
    unsigned long long key;
    program p[PROGRAMS];
    setting("seconds=1", cache);
    for (int i = 0; i < PROGRAMS; i++) {
        static const char *const printed[PROGRAMS] = {"a", "b", "c", "d"};
        again("seconds=1", cache, printed[i]);
        p[i] =
            program_start((const char *const[]){"devices", "--no-test", "--compare", "once", NULL});
    }
    for (int i = 0; i < PROGRAMS; i++) {
        ran r = program_wait(&p[i]);
        EXPECT(r.code == 0 && !*r.err, "exit %d: %s", r.code, r.err);
        ran_free(&r);
    }
    CU_ASSERT_EQUAL(driver_notes().builds, 1);
    CU_ASSERT(answer(cache, &key) >= 0);
    program_plain();
}

/* Where nothing can be kept nothing is measured, and nobody told. */
static void test_no_place(void)
{
    static const char *const places[] = {"/dev/null", "/proc/no/such", "relative", NULL};
    for (size_t i = 0; i < 4; i++) {
        setting("", places[i]);
        ran r = COMPARE("once");
        EXPECT(ran_well(&r), "XDG_CACHE_HOME=%s", places[i] ? places[i] : "");
        CU_ASSERT_EQUAL(driver_notes().builds, 0);
        ran_free(&r);
        program_plain();
    }
}

/* Attempts that found no end are counted, torn lines passed over. */
static void test_attempts(void)
{
    const char *cache = fresh_cache();
    char text[400];
    unsigned long long key = 0;
    setting("", cache);
    ran r = COMPARE("once");
    ran_free(&r);
    CU_ASSERT(answer(cache, &key) >= 0);
    for (int begun = 0; begun < 4; begun++) {
        const char *other = fresh_cache();
        snprintf(text, sizeof text, "zz\n\n%016llx", key); /* torn */
        strcat(text, "\n0000000000000001 1\n");
        for (int i = 0; i < begun; i++)
            snprintf(text + strlen(text), 30, "%016llx 2\n", key);
        cache_write(other, text);
        setting("", other);
        r = COMPARE("once");
        CU_ASSERT(ran_well(&r));
        EXPECT(driver_notes().builds == (begun < 3), "%d attempts before, and %d builds now", begun,
               driver_notes().builds);
        EXPECT(begun < 3 || strstr(r.out, "GPU: cpu"), "it says: %s", r.out);
        ran_free(&r);
    }
    program_plain();
}

/* A driver that lists nothing, or a GPU alone. */
static void test_no_rival(void)
{
    static const char *const switches[] = {"devices=0", "gpu"};
    for (size_t i = 0; i < 2; i++) {
        const char *cache = fresh_cache();
        setting(switches[i], cache);
        ran r = COMPARE("again");
        CU_ASSERT(ran_well(&r));
        EXPECT(strstr(r.out, "nothing to compare"), "it says: %s", r.out);
        CU_ASSERT_EQUAL(driver_notes().builds, 0);
        CU_ASSERT_PTR_NULL(cache_text(cache));
        ran_free(&r);
    }
    program_plain();
}

/* ---- no loader */

/* One run on a device that only a loader could give. */
static void not_without(const char *input, const char *device)
{
    ran r = RAN("run", input, "-o", at("none.vtkhdf"), "--force", "--device", device);
    EXPECT(ran_failed(&r, 4, "no OpenCL loader that works is installed", "libOpenCL.so.1"),
           "device %s", device);
    ran_free(&r);
}

/* Programs find this file where they look for the loader first. */
static void loader_is(const char *file, const char *cache)
{
    static char text[1000];
    mkdir(at("loader"), 0755);
    copy_file(file, at("loader/libOpenCL.so.1"));
    unlink(at("driver.log"));
    snprintf(text, sizeof text, "log=%s", at("driver.log"));
    program_set(&(program_how){.variable = {{"OCL_ICD_VENDORS", fake_icd()},
                                            {"FAKE_CL", text},
                                            {"XDG_CACHE_HOME", cache},
                                            {"LD_LIBRARY_PATH", at("loader")}}});
}

/* The host is the one device, without a word; a device of OpenCL says what is missing. Nothing is
 * remembered of drivers. */
static void host_alone(const char *file)
{
    const char *input = made_input("small.in.vtkhdf", 1, 100), *cache = fresh_cache();
    loader_is(file, cache);
    ran r = RAN("devices");
    EXPECT(ran_well(&r) && strstr(r.out, "0  host") && !strstr(r.out, "1  "), "it says: %s", r.out);
    ran_free(&r);
    r = COMPARE("again");
    EXPECT(ran_well(&r) && strstr(r.out, "nothing to compare"), "it says: %s", r.out);
    ran_free(&r);
    r = RAN("run", input, "-o", at("none.vtkhdf"), "--force");
    EXPECT(ran_well(&r) && strstr(r.out, "(cpu,"), "it says: %s", r.out);
    ran_free(&r);
    not_without(input, "opencl");
    not_without(input, "1");
    not_without(input, "Fake");
    EXPECT(rmdir(cache) == 0, "something was left in the cache folder");
    program_plain();
}

static void test_no_loader(void)
{
    write_text(at("text.so"), "this is a text\n");
    host_alone(at("text.so"));
    CU_ASSERT_EQUAL(driver_notes().loaded, 0);
    host_alone(IMP_FAKE_CL); /* a library with some of the calls */
}

/* ---- a run that is large enough */

/* Returns whether it says that measuring could pay, which it says with -v only. */
static int run_large(const char *input, const char *option)
{
    const char *const line[] = {"run", input, "-o", at("large.vtkhdf"), "--force", option, NULL};
    ran r = program_run(line);
    EXPECT(r.code == 0, "exit %d: %s", r.code, r.err);
    EXPECT(option || !*r.err, "it says '%s'", r.err);
    EXPECT(strstr(r.out, "(cpu,"), "it says: %s", r.out);
    int says = strstr(r.err, "devices --compare once") != NULL;
    ran_free(&r);
    return says;
}

/* A run measures nothing, also when it has ended; it says that one could, until it is known. */
static void test_large(void)
{
    if (TEST_SANITIZED)
        SKIP("takes too long with sanitizers");
    const char *cache = fresh_cache(), *input = at("large.in.vtkhdf");
    unsigned long long key = 0;
    setting("", cache);
    ran r = RAN("generate", "soup", "-n", "2000000", "--float32", "-o", input, "-q");
    CU_ASSERT_FATAL(r.code == 0);
    ran_free(&r);
    CU_ASSERT(!run_large(input, NULL));
    CU_ASSERT(run_large(input, "-v"));
    program_sleep(1); /* for what the run could have left behind */
    CU_ASSERT_EQUAL(driver_notes().builds, 0);
    CU_ASSERT_PTR_NULL(cache_text(cache));
    r = COMPARE("once"); /* of as many threads as the machine has: the run's */
    CU_ASSERT(ran_well(&r));
    ran_free(&r);
    if (answer(cache, &key) == 1) { /* whichever it was: it is known from now on */
        char text[64];
        snprintf(text, sizeof text, "%016llx 0\n", key);
        cache_write(cache, text);
    }
    CU_ASSERT(!run_large(input, "-v"));
    CU_ASSERT_EQUAL(driver_notes().builds, 1);
    unlink(input);
    program_plain();
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"small", test_small},
        {"nothing", test_nothing},
        {"asked", test_asked},
        {"once", test_once},
        {"at_once", test_at_once},
        {"no_place", test_no_place},
        {"attempts", test_attempts},
        {"no_rival", test_no_rival},
        {"no_loader", test_no_loader},
        {"large", test_large},
        {0},
    };
    return test_main(argc, argv, "start", tests);
}
