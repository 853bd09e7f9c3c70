/* Startup: small inputs do not start OpenCL, and without an OpenCL loader the host is used. The
 * driver of fake_cl.c logs the calls that it receives. */
#include "expect.h"
#include "fake_icd.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the driver's log: lines "PID loaded" and "PID build" */

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
static void start_setting(const char *cache)
{
    static char text[1000];
    unlink(at("driver.log"));
    snprintf(text, sizeof text, "log=%s", at("driver.log"));
    program_set(&(program_how){.variable = {{"OCL_ICD_VENDORS", fake_icd()},
                                            {"FAKE_CL", text},
                                            {"XDG_CACHE_HOME", cache},
                                            {"HOME", NULL}}});
}

/* a new, empty cache folder */
static const char *fresh_cache(void)
{
    static int count;
    char name[32];
    snprintf(name, sizeof name, "cache%d", count++);
    const char *path = at(name);
    mkdir(path, 0755);
    return path;
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
    start_setting(cache);
    ran r = RAN("run", input, "-o", at("small.vtkhdf"), "--force", "-q");
    EXPECT(r.code == 0, "%s: exit %d: %s", what, r.code, r.err);
    EXPECT(driver_notes().loaded == 0, "%s: an OpenCL driver was loaded", what);
    EXPECT(rmdir(cache) == 0, "%s: something was left in the cache folder", what);
    ran_free(&r);
    program_plain();
}

static void test_start_small(void)
{
    no_driver(made_input("small.in.vtkhdf", 1, 100), "100 triangles");
    no_driver(made_input("many.in.vtkhdf", 50, 100), "50 times 100 triangles");
}

static void test_start_nothing(void)
{
    no_driver(made_input("nothing.in.vtkhdf", 3, 0), "no primitive");
}

/* The same driver is loaded if requested, and its compiler prints nothing to the user. */
static void test_asked(void)
{
    const char *input = made_input("small.in.vtkhdf", 1, 100);
    start_setting(fresh_cache());
    ran r = RAN("run", input, "-o", at("asked.vtkhdf"), "--device", "opencl", "-q");
    CU_ASSERT(ran_well(&r));
    /* by a process that lists it (drivers.h), and by the program */
    CU_ASSERT(driver_notes().loaded == 2 && driver_notes().builds == 1);
    ran_free(&r);
    program_plain();
}

/* ---- no loader */

/* A run on a device that needs a loader. */
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

/* The host is the only device, without a message; a run on an OpenCL device says what is missing.
 * Nothing about drivers is cached. */
static void host_alone(const char *file)
{
    const char *input = made_input("small.in.vtkhdf", 1, 100), *cache = fresh_cache();
    loader_is(file, cache);
    ran r = RAN("devices");
    EXPECT(ran_well(&r) && strstr(r.out, "0  host") && !strstr(r.out, "1  "), "it says: %s", r.out);
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

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"small", test_start_small},
        {"nothing", test_start_nothing},
        {"asked", test_asked},
        {"no_loader", test_no_loader},
        {0},
    };
    return test_main(argc, argv, "start", tests);
}
