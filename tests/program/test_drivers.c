/* OpenCL drivers that misbehave: they are left out and named, and commands end correctly and soon,
 * without remembering them. Drivers are copies of fake_cl.c; the name of a copy says how it
 * behaves. */
#include "expect.h"
#include "fake_icd.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program.h"
#include "testlib.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOON 10 /* seconds within which every command ends on an idle machine */

/* ---- the environment of a test */

static const char *vendors, *cache;
static int killed; /* programs that could not remove their folder */

/* From now on programs see these drivers (the list ends with "") and a new, empty cache folder. */
static void drivers_are(const char *name, const char *const *drivers)
{
    static int count;
    char folder[32];
    snprintf(folder, sizeof folder, "cache%d", count++);
    vendors = fake_icd_of(name, drivers);
    cache = at(folder);
    unlink(at("driver.log"));
}

static void with(const char *switches)
{
    static char text[1000];
    snprintf(text, sizeof text, "%s log=%s", switches, at("driver.log"));
    program_set(&(program_how){.variable = {{"OCL_ICD_VENDORS", vendors},
                                            {"FAKE_CL", text},
                                            {"XDG_CACHE_HOME", cache},
                                            {"HOME", NULL}}});
}

#define DRIVERS(name, ...) drivers_are(name, (const char *const[]){__VA_ARGS__, ""})

/* How often a driver was loaded; *last: the process that loaded one last. */
static int loads(pid_t *last)
{
    int n = 0;
    long pid = 0;
    char what[16];
    FILE *f = fopen(at("driver.log"), "r");
    while (f && fscanf(f, "%ld %15s", &pid, what) == 2)
        n += !strcmp(what, "loaded");
    if (f)
        fclose(f);
    if (last)
        *last = (pid_t)pid;
    return n;
}

static const char *input(void)
{
    if (!exists(at("in.vtkhdf"))) {
        make m = {0};
        make_moving(&m, 1, 100, 1);
        make_write(&m, "in.vtkhdf");
        make_free(&m);
    }
    return at("in.vtkhdf");
}

/* A run on a device; it ends with this code, and in time. */
static ran drivers_test_run_on(const char *device, int code)
{
    ran r = RAN("run", input(), "-o", at("out.vtkhdf"), "--force", "--device", device);
    EXPECT(r.code == code && (r.seconds < SOON || TEST_SLOW), "exit %d after %g s: %s", r.code,
           r.seconds, r.err);
    return r;
}

static ran drivers_test_devices(const char *option)
{
    ran r = RAN("devices", "--no-test", option);
    EXPECT(r.code == 0 && !*r.err && (r.seconds < SOON || TEST_SLOW), "exit %d after %g s: %s",
           r.code, r.seconds, r.err);
    return r;
}

static int entries(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

/* ---- the tests */

/* Drivers of all kinds beside a sound one, which is used. */
static void test_drivers_left_out(void)
{
    static const char *const reasons[] = {"crashes.so) is left out: it crashed with signal 6",
                                          "hangs.so) is left out: it did not answer within 2 s",
                                          "quits.so) is left out: it answered wrongly"};
    DRIVERS("all", "sound", "crashes", "hangs", "quits");
    with("");
    ran r = drivers_test_run_on("opencl", 0);
    EXPECT(strstr(r.out, "(Fake Platform, Fake Device,"), "it says: %s", r.out);
    EXPECT(count_lines(r.err) == 3, "it says: %s", r.err);
    for (size_t i = 0; i < 3; i++)
        EXPECT(strstr(r.err, reasons[i]), "no '%s': %s", reasons[i], r.err);
    /* four in one process, each in its own process, and the sound one in the program */
    CU_ASSERT_EQUAL(loads(NULL), 9);
    ran_free(&r);
    r = drivers_test_devices(NULL);
    CU_ASSERT_EQUAL(loads(NULL), 18);
    EXPECT(strstr(r.out, "1  Fake Platform") && !strstr(r.out, "2  "), "it says: %s", r.out);
    EXPECT(strstr(r.out, "hangs.so)\n   left out: it did not answer within 2 s\n"), "it says: %s",
           r.out);
    ran_free(&r);
    r = drivers_test_devices("--json");
    CU_ASSERT(strstr(r.out, "\"left_out\": [") && strstr(r.out, "quits.icd"));
    ran_free(&r);
    const char *const quiet[] = {"run",    input(), "-o", at("out.vtkhdf"), "--force", "--device",
                                 "opencl", "-q",    NULL};
    r = program_run(quiet);
    CU_ASSERT(ran_warned(&r) && !*r.out && !exists(cache));
    ran_free(&r);
    program_plain();
}

/* If no other device works, a run on OpenCL is an error, while a run on the host succeeds and does
 * not query any driver. */
static void test_no_other(void)
{
    static const char *const alone[] = {"crashes", "hangs", "quits"};
    for (size_t i = 0; i < 3; i++) {
        DRIVERS(alone[i], alone[i]);
        with("");
        ran r = drivers_test_run_on("cpu", 0);
        CU_ASSERT(!*r.err && loads(NULL) == 0 && !exists(cache));
        ran_free(&r);
        r = drivers_test_run_on("opencl", 4);
        EXPECT(strstr(r.err, "is left out") && strstr(r.err, "no OpenCL platform"), "it says: %s",
               r.err);
        ran_free(&r);
        r = drivers_test_devices(NULL);
        CU_ASSERT(strstr(r.out, "0  host") && !strstr(r.out, "1  "));
        CU_ASSERT_EQUAL(loads(NULL), 2);
        ran_free(&r);
    }
    program_plain();
}

/* A driver that works alone but not beside another one: the first driver stays. */
static void test_drivers_together(void)
{
    DRIVERS("lonely", "shuns");
    with("");
    ran r = drivers_test_run_on("opencl", 0);
    CU_ASSERT(!*r.err && loads(NULL) == 2);
    ran_free(&r);
    DRIVERS("both", "other", "shuns");
    with("");
    r = drivers_test_run_on("opencl", 0);
    EXPECT(count_lines(r.err) == 1 && strstr(r.err, "shuns.so) is left out: with other drivers"),
           "it says: %s", r.err);
    ran_free(&r);
    DRIVERS("good", "one", "two");
    with("");
    r = drivers_test_devices(NULL);
    EXPECT(strstr(r.out, "2  Fake Platform") && !strstr(r.out, "left out"), "it says: %s", r.out);
    CU_ASSERT_EQUAL(loads(NULL), 4); /* two in one process, and two in the program */
    ran_free(&r);
    program_plain();
}

/* Drivers are probed in each run, since they may have been replaced. */
static void test_drivers_changed(void)
{
    DRIVERS("changing", "crashes");
    with("");
    ran r = drivers_test_run_on("opencl", 4);
    CU_ASSERT_EQUAL(loads(NULL), 1);
    ran_free(&r);
    char path[600];
    snprintf(path, sizeof path, "%s/a-crashes.icd", vendors);
    write_text(path, IMP_FAKE_CL "\n");
    r = drivers_test_run_on("opencl", 0);
    CU_ASSERT(!*r.err && loads(NULL) == 3);
    ran_free(&r);
    program_plain();
}

/* `run -v` says that a cache folder is not used if others may write to it. */
static void test_not_own(void)
{
    char path[600];
    DRIVERS("not_own", "sound");
    with("");
    snprintf(path, sizeof path, "%s/impinge", cache);
    CU_ASSERT_FATAL(!mkdir(cache, 0755) && !mkdir(path, 0755) && !chmod(path, 0777));
    ran r = RAN("run", input(), "-o", at("out.vtkhdf"), "--force", "--device", "opencl", "-v");
    EXPECT(r.code == 0 && strstr(r.err, path) && strstr(r.err, "is not used"), "exit %d: %s",
           r.code, r.err);
    ran_free(&r);
    program_plain();
}

/* Waits until the driver is loaded by a process other than the program. */
static pid_t child_of(program *p)
{
    pid_t child = 0;
    for (int i = 0; i < 2000 && !loads(&child); i++)
        program_sleep(0.01);
    CU_ASSERT_FATAL(child > 0 && child != p->pid);
    return child;
}

static program start_run(void)
{
    return program_start((const char *const[]){"run", input(), "-o", at("out.vtkhdf"), "--force",
                                               "--device", "opencl", NULL});
}

/* A probing process that is killed has no devices; no process outlives the program. */
static void test_ended(void)
{
    DRIVERS("ended", "hangs");
    with("");
    setenv("IMPINGE_DRIVER_SECONDS", "100", 1);
    program p = start_run();
    kill(child_of(&p), SIGKILL);
    ran r = program_wait(&p);
    EXPECT(r.code == 4 && strstr(r.err, "signal 9"), "exit %d: %s", r.code, r.err);
    ran_free(&r);
    unlink(at("driver.log"));
    p = start_run();
    child_of(&p);
    kill(p.pid, SIGTERM);
    r = program_wait(&p);
    EXPECT(r.code == 143, "exit %d: %s", r.code, r.err);
    ran_free(&r);
    unlink(at("driver.log"));
    p = start_run();
    const pid_t child = child_of(&p);
    kill(p.pid, SIGKILL);
    r = program_wait(&p);
    ran_free(&r);
    killed++;
    for (int i = 0; i < 1000 && !kill(child, 0); i++)
        program_sleep(0.01);
    EXPECT(kill(child, 0), "a process is left");
    setenv("IMPINGE_DRIVER_SECONDS", "2", 1);
    program_plain();
}

/* ---- wrong answers */

/* Wrong from the start: the self-test finds it. */
static void test_self_test(void)
{
    DRIVERS("liar", "sound");
    with("lies=1");
    ran r = drivers_test_run_on("opencl", 4);
    CU_ASSERT(ran_failed(&r, 4, "self-test", NULL));
    ran_free(&r);
    r = RAN("devices");
    EXPECT(r.code == 0 && strstr(r.out, "fails its self-test"), "it says: %s", r.out);
    ran_free(&r);
    program_plain();
}

/* A device that flushes float64 denormals: the host computes float64, and the result is the same.
 */
static void test_flushes(void)
{
    make m = {0};
    make_moving(&m, 2, 100, 1);
    for (size_t i = 0; i < m.points.count; i++)
        m.points.value[i] = floor(64 * m.points.value[i]) * 0x1p-1074;
    const char *batch = make_write(&m, "small.vtkhdf");
    ran r = RAN("run", batch, "-o", at("usual.vtkhdf"), "--device", "cpu", "-q");
    CU_ASSERT(ran_well(&r));
    ran_free(&r);
    DRIVERS("flushes", "sound");
    with("flushes");
    r = RAN("run", batch, "-o", at("out.vtkhdf"), "--force", "--device", "opencl", "--broad",
            "brute", "--json");
    EXPECT(!r.code &&
               strstr(r.err, "flushes denormals of float64; float64 is computed by the host") &&
               strstr(r.out, "Fake Device"),
           "exit %d, it says: %s %s", r.code, r.err, r.out);
    ran_free(&r);
    const char *differs = h5_same(at("usual.vtkhdf"), at("out.vtkhdf"), "VTKHDF");
    EXPECT(!differs, "%s", differs);
    r = RAN("devices");
    EXPECT(r.code == 0 && strstr(r.out, "passed, but device 'Fake Platform, Fake Device' flushes"),
           "it says: %s", r.out);
    ran_free(&r);
    program_plain();
    make_free(&m);
}

static char *csv_of(const char *device, const char *verify, const char *batch, int lines)
{
    ran r = RAN("run", batch, "-o", at("lies.vtkhdf"), "--force", "--device", device, "--verify",
                verify, "--collide-txt", at("lies.txt"), "--json");
    EXPECT(r.code == 0 && count_lines(r.err) == (size_t)lines, "exit %d: %s", r.code, r.err);
    EXPECT(!lines || (strstr(r.err, "decides wrongly") && strstr(r.out, "\"device\": \"cpu\"")),
           "it says: %s", r.err);
    EXPECT(!strcmp(verify, "0") == !strstr(r.out, "\"verified\""), "it says: %s", r.out);
    ran_free(&r);
    return file_text(at("lies.txt"), NULL);
}

/* Wrong only for pairs that the self-test lacks: --verify finds it, and the result is that of the
 * host. */
static void test_verify(void)
{
    const char *batch = at("lies.in.vtkhdf");
    ran r = RAN("generate", "hostile", "-n", "400", "-o", batch, "-q");
    CU_ASSERT_FATAL(r.code == 0);
    ran_free(&r);
    DRIVERS("verify", "sound");
    with("lies=5000");
    char *want = csv_of("cpu", "50", batch, 0), *lied = csv_of("opencl", "0", batch, 0);
    char *got = csv_of("opencl", "100000", batch, 1);
    EXPECT(strcmp(want, lied), "lies change nothing");
    EXPECT(!strcmp(want, got), "another result");
    free(want);
    free(lied);
    free(got);
    with("");
    got = csv_of("opencl", "50", batch, 0);
    free(got);
    r = RAN("run", batch, "-o", at("lies.vtkhdf"), "--force", "--verify", "5", "--stage",
            "candidates");
    CU_ASSERT(ran_failed(&r, 2, "--verify", "candidates"));
    ran_free(&r);
    program_plain();
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"left_out", test_drivers_left_out},
        {"no_other", test_no_other},
        {"together", test_drivers_together},
        {"changed", test_drivers_changed},
        {"not_own", test_not_own},
        {"ended", test_ended},
        {"self_test", test_self_test},
        {"flushes", test_flushes},
        {"verify", test_verify},
        {0},
    };
    mkdir(at("tmp"), 0755);
    setenv("TMPDIR", at("tmp"), 1);
    setenv("IMPINGE_DRIVER_SECONDS", "2", 1);
    int failed = test_main(argc, argv, "drivers", tests);
    if (entries(at("tmp")) > killed) {
        fprintf(stderr, "test_drivers: %d folders are left in TMPDIR\n", entries(at("tmp")));
        failed = 1;
    }
    return failed;
}
