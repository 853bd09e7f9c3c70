/* run --device opencl:all: results are those of cpu on any assignment of blocks to devices, also if
 * devices fail in the middle, are slow, or decide wrongly. Devices are those of fake_cl.c, each of
 * which computes in the thread that calls it. */
#include "expect.h"
#include "fake_icd.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "json_read.h"
#include "spoilt.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHOLE at("whole.vtkhdf")
#define OUT at("out.vtkhdf")
#define LOG at("driver.log")
#define OPTIONS 6 /* up to NULL */

/* ---- running */

/* Sets the devices of the next programs; `fault`: for impinge_fragile; NULL: the program itself. */
static void devices_test_setting(const char *switches, const char *fault)
{
    static char text[1000];
    snprintf(text, sizeof text, "%s log=%s", switches, LOG);
    unlink(LOG);
    program_set(&(program_how){
        .program = fault ? IMP_FRAGILE : NULL,
        .variable = {{"OCL_ICD_VENDORS", fake_icd()},
                     {"FAKE_CL", text},
                     {"XDG_CACHE_HOME", at("cache")},
                     {"HOME", NULL},
                     /* there the clock advances by a second at each look */
                     {"IMPINGE_DRIVER_SECONDS", fault ? "600" : "60"},
                     {fault ? "IMPINGE_FRAGILE" : NULL, fault},
                     {"IMPINGE_FRAGILE_COUNT", at("count")},
                     {fault && strncmp(fault, "rows", 4) ? "IMPINGE_HASTY" : NULL, "1"}}});
}

/* The option --json for a file of this name. */
static const char *json_to(const char *name)
{
    static char text[600];
    snprintf(text, sizeof text, "--json=%s", at(name));
    return text;
}

static ran devices_test_run_all(const char *in, const char *const option[OPTIONS])
{
    return RAN("run", in, "-o", OUT, "--device", "opencl:all", "--threads", "2", "--force",
               json_to("all.json"), option[0], option[1], option[2], option[3], option[4],
               option[5]);
}

/* Whether the driver's log has this word. */
static int logged(const char *word)
{
    char *text = exists(LOG) ? file_text(LOG, NULL) : NULL;
    const int has = text && strstr(text, word) != NULL;
    free(text);
    return has;
}

/* Launches of the driver's device d, in the last process that had any. */
static long devices_test_launches(int d)
{
    char key[24];
    long n = 0;
    snprintf(key, sizeof key, "launch%d:", d);
    char *text = exists(LOG) ? file_text(LOG, NULL) : NULL;
    for (const char *line = text; line && (line = strstr(line, key)); line++)
        n = strtol(line + strlen(key), NULL, 10);
    free(text);
    return n;
}

/* Launches of a device's self-test. */
static long self_test_launches(void)
{
    static long n;
    if (n)
        return n;
    devices_test_setting("gpu devices=3", NULL);
    ran r = RAN("devices");
    n = devices_test_launches(0);
    EXPECT(r.code == 0 && n > 5 && devices_test_launches(2) == n, "%ld launches of a self-test: %s",
           n, r.err);
    ran_free(&r);
    program_plain();
    return n;
}

/* ---- results */

/* The sums of contacts in the document. */
static void check_devices_sums(const char *about)
{
    static const char *const names[] = {"frames",         "primitives",  "objects",
                                        "candidates",     "contacts",    "contact_frames",
                                        "candidates_max", "undecided",   "bad_primitives",
                                        "kinds",          "object_pairs"};
    char *one = file_text(at("whole.json"), NULL), *all = file_text(at("all.json"), NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = json_at(one, names[i]);
        char *want = value ? strdup(value) : NULL;
        value = json_at(all, names[i]);
        EXPECT(!want == !value && (!want || !strcmp(want, value)), "%s: %s is %s, not %s", about,
               names[i], value, want);
        free(want);
    }
    free(one);
    free(all);
}

static void check_devices_result(const char *about)
{
    const char *what = h5_same(WHOLE, OUT, "VTKHDF");
    EXPECT(!what, "%s: %s", about, what);
    what = h5_sound(OUT);
    EXPECT(!what, "%s: %s", about, what);
    EXPECT(!exists_part(OUT), "%s: a part is left", about);
    check_devices_sums(about);
}

static void run_cpu(const char *about, const char *in, const char *const option[OPTIONS])
{
    program_plain();
    ran r = RAN("run", in, "-o", WHOLE, "--device", "cpu", "--force", "-q", json_to("whole.json"),
                option[0], option[1], option[2], option[3], option[4], option[5]);
    EXPECT(ran_well(&r), "^ %s on cpu", about);
    ran_free(&r);
}

/* ---- scenes */

/* Each frame has its own topology, all of one size: a new mesh may get the address of a freed one.
 */
static const char *devices_test_changing_batch(void)
{
    enum { TRIANGLES = 300, FRAMES = 40 };
    make m = {0};
    rng r = {17};
    int64_t ids[3 * TRIANGLES];
    double last[9 * TRIANGLES]; /* a copy: the list may move while it grows */
    for (int64_t f = 0; f < FRAMES; f++) {
        for (int64_t i = 0; i < 3 * TRIANGLES; i++)
            ids[i] = (i + f) % (3 * TRIANGLES);
        make_part(&m, 3 * TRIANGLES, TRIANGLES, ids);
        make_step_next(&m, (double)f, 1);
        if (f % 3 == 0) /* the other frames repeat the last positions: nothing moved */
            make_random_points(&m, 3 * TRIANGLES, &r);
        else
            make_points(&m, 3 * TRIANGLES, last);
        memcpy(last, m.points.value + m.points.count - 9 * TRIANGLES, sizeof last);
    }
    make_write(&m, "changing.vtkhdf");
    make_free(&m);
    return at("changing.vtkhdf");
}

/* Path of a batch; name NULL: one that is made here. */
static const char *devices_test_scene(const char *name, const char *n, const char *frames)
{
    if (!name)
        return devices_test_changing_batch();
    ran r =
        RAN("generate", name, "-o", at("in.vtkhdf"), "-n", n, "--frames", frames, "--force", "-q");
    EXPECT(ran_well(&r), "^ %s", name);
    ran_free(&r);
    return at("in.vtkhdf");
}

static const struct {
    const char *about, *scene, *n, *frames, *option[OPTIONS];
    int blocks; /* 1: several blocks */
} scenes[] = {
    {"triangles", "cloth-ball", "800", "30", {"--block", "1"}, 1},
    {"few blocks", "cloth-ball", "800", "5", {"--broad", "grid"}, 0},
    {"candidates", "cloth-ball", "800", "12", {"--stage", "candidates", "--block", "2"}, 1},
    {"between frames", "sheets", "600", "14", {"--continuous", "--block", "1"}, 1},
    {"tetrahedra", "tissue-fold", "2000", "8", {"--block", "1"}, 1},
    {"a mesh that changes", "scalpel", "2000", "14", {"--block", "1"}, 1},
    {"kept", "cloth-ball", "800", "30", {"--update", "keep", "--block", "1"}, 1},
    {"kept, a mesh that changes", "scalpel", "2000", "14", {"--update", "keep", "--block", "1"}, 1},
    {"other meshes", NULL, NULL, NULL, {"--block", "1"}, 1},
    {"other meshes, kept", NULL, NULL, NULL, {"--update", "keep", "--block", "1"}, 1},
    {"trees", "cloth-ball", "800", "12", {"--broad", "tree", "--block", "1"}, 1},
    {"little memory", "hostile", "300", "8", {"--stage", "candidates", "--mem-limit", "24M"}, 0},
    {"several pieces in a block",
     "hostile",
     "300",
     "12",
     {"--stage", "candidates", "--mem-limit", "24M", "--block", "4"},
     1},
};
#define SCENES (sizeof scenes / sizeof *scenes)

/* Devices are slow in turns, so that blocks are completed in any order. */
static void check_devices_scene(size_t i)
{
    static const char *const switches[] = {"gpu devices=3", "gpu devices=3 slow=0:100",
                                           "devices=2 slow=1:300"};
    const char *in = devices_test_scene(scenes[i].scene, scenes[i].n, scenes[i].frames);
    run_cpu(scenes[i].about, in, scenes[i].option);
    for (size_t k = i % 2; k < 3; k += TEST_SLOW ? 3 : 2) {
        char about[100];
        snprintf(about, sizeof about, "%s, %s", scenes[i].about, switches[k]);
        devices_test_setting(switches[k], NULL);
        ran r = devices_test_run_all(in, scenes[i].option);
        EXPECT(ran_well(&r), "^ %s", about);
        ran_free(&r);
        check_devices_result(about);
        program_plain();
    }
}

static void test_devices_scenes(void)
{
    for (size_t i = TEST_SLOW; i < SCENES; i += 1 + TEST_SLOW) /* test_broken takes the others */
        check_devices_scene(i);
}

/* ---- at the same time */

/* Each device waits in its first block until all are in theirs; the output names all of them. */
static void test_devices_together(void)
{
    char switches[100];
    static const char *const option[OPTIONS] = {"--block", "1"};
    const char *in = devices_test_scene("cloth-ball", "800", "12");
    snprintf(switches, sizeof switches, "gpu devices=3 meets=%ld", self_test_launches() + 2);
    run_cpu("together", in, option);
    devices_test_setting(switches, NULL);
    ran r = devices_test_run_all(in, option);
    EXPECT(ran_well(&r), "^ together");
    EXPECT(logged("loaded") && !logged("alone"), "one device waits for the others in vain");
    EXPECT(strstr(r.out, "(3 x Fake Platform, Fake Device, "), "it says: %s", r.out);
    ran_free(&r);
    check_devices_result("together");
    program_plain();
}

/* ---- which devices */

static void check_named(const char *switches, const char *name, size_t lines)
{
    static const char *const option[OPTIONS] = {"--block", "1"};
    devices_test_setting(switches, NULL);
    ran r = devices_test_run_all(at("in.vtkhdf"), option);
    EXPECT(r.code == 0 && strstr(r.out, name) && count_lines(r.err) == lines, "%s: %d, %s%s",
           switches, r.code, r.out, r.err);
    ran_free(&r);
    check_devices_result(switches);
    program_plain();
}

/* All GPUs if there are any, else all devices; only those that work. */
static void test_which(void)
{
    static const char *const option[OPTIONS] = {"--block", "1"};
    run_cpu("which", devices_test_scene("cloth-ball", "800", "12"), option);
    check_named("gpu devices=3 cpus=1", "(2 x Fake Platform, Fake Device,", 0);
    check_named("devices=3", "(3 x Fake Platform, Fake Device,", 0);
    check_named("devices=1", "(Fake Platform, Fake Device,", 0);
    check_named("devices=3 breaks=1:0", "(2 x Fake Platform, Fake Device,", 1);
    devices_test_setting("devices=1 breaks=0:0", NULL);
    ran r = devices_test_run_all(at("in.vtkhdf"), option);
    EXPECT(r.code == 4 && strstr(r.err, "device 'opencl:all': none of 1 works"), "%d, %s", r.code,
           r.err);
    ran_free(&r);
    devices_test_setting("devices=0", NULL);
    r = devices_test_run_all(at("in.vtkhdf"), option);
    EXPECT(ran_failed(&r, 4, "device 'opencl:all'", "no OpenCL device"), "^ none");
    ran_free(&r);
    program_plain();
}

/* Verbs with a single pipeline refuse opencl:all. */
static void test_devices_refused(void)
{
    devices_test_setting("devices=2", NULL);
    ran r = RAN("bench", at("in.vtkhdf"), "--device", "opencl:all");
    EXPECT(ran_failed(&r, 2, "only 'impinge run'", "opencl:all"), "^ bench");
    ran_free(&r);
    r = RAN("pcs", "cradle", "--device", "OpenCL:all", "-o", at("pcs.vtkhdf"), "--force");
    EXPECT(r.code == 2 && strstr(r.err, "only 'impinge run'"), "pcs: %d, %s", r.code, r.err);
    ran_free(&r);
    program_plain();
}

/* --baseline first runs a pipeline of its own. */
static void test_devices_baseline(void)
{
    static const char *const option[OPTIONS] = {"--continuous", "--baseline", "0", NULL};
    const char *in = devices_test_scene("sheets", "600", "10");
    run_cpu("baseline", in, option);
    devices_test_setting("gpu devices=2", NULL);
    ran r = devices_test_run_all(in, option);
    EXPECT(ran_well(&r), "^ baseline");
    ran_free(&r);
    check_devices_result("baseline");
    program_plain();
}

/* ---- devices that fail */

enum broken { EARLY, IN_TIME, NEVER };

/* One device fails at launch n, while the other is slower. Returns whether that was during its
 * self-test, later, or never, since it had fewer launches. */
static enum broken check_broken(const char *in, const char *about,
                                const char *const option[OPTIONS], long n)
{
    char switches[200], words[300];
    snprintf(switches, sizeof switches, "gpu devices=2 slow=0:1000 breaks=1:%ld", n);
    snprintf(words, sizeof words, "%s, %s", about, switches);
    devices_test_setting(switches, NULL);
    ran r = devices_test_run_all(in, option);
    const size_t lines = count_lines(r.err);
    const int early = strstr(r.err, "is left out") != NULL;
    EXPECT(r.code == 0 && lines < 2, "%s: %d, %s", words, r.code, r.err);
    EXPECT(!lines || early || strstr(r.err, "; going on with the other devices"), "%s: %s", words,
           r.err);
    EXPECT(strstr(r.out, lines ? "(Fake Platform, Fake" : "(2 x Fake Platform"), "%s: %s", words,
           r.out);
    ran_free(&r);
    check_devices_result(words);
    program_plain();
    return early ? EARLY : lines ? IN_TIME : NEVER;
}

/* Launches at the start, in the middle and at the end of the first block, and in later blocks. A
 * block in several pieces has delivered some of its rows by then. The self-test of steps takes
 * longer. */
static void test_broken(void)
{
    for (size_t i = 0; i < SCENES; i += 1 + TEST_SLOW) {
        int in_time = 0;
        enum broken when = EARLY;
        if (!scenes[i].blocks) /* a single block, which the other device may compute */
            continue;
        const char *in = devices_test_scene(scenes[i].scene, scenes[i].n, scenes[i].frames);
        run_cpu(scenes[i].about, in, scenes[i].option);
        for (long n = self_test_launches(); when != NEVER && in_time < (TEST_SLOW ? 2 : 4);
             n += when == EARLY ? 11 : 14) {
            when = check_broken(in, scenes[i].about, scenes[i].option, n);
            in_time += when == IN_TIME;
        }
        EXPECT(in_time > 1, "%s: failed %d times", scenes[i].about, in_time);
    }
}

/* The number of rows that devices deliver for all blocks, before the baseline filter. */
static long count_device_rows(const char *in, const char *about, const char *const option[OPTIONS])
{
    devices_test_setting("gpu devices=2", "rows:1000000000");
    ran r = devices_test_run_all(in, option);
    EXPECT(ran_well(&r), "^ %s", about);
    ran_free(&r);
    check_devices_result(about);
    program_plain();
    return job_changes();
}

/* A device fails after any of its rows, in the middle of a block whose other rows are filtered out;
 * the remaining device fails as well, and cpu takes over. */
static void check_devices_rows(const char *in, const char *about, const char *const option[OPTIONS])
{
    run_cpu(about, in, option);
    const long all = count_device_rows(in, about, option), n = TEST_SLOW ? 4 : 16;
    EXPECT(all > 4 * n, "%s: %ld rows", about, all);
    for (long i = 0; i < n; i++) {
        char fault[40], words[120];
        const long row = i < n / 2 ? i : (i - n / 2) * (all / 2) / (n / 2);
        snprintf(fault, sizeof fault, "rows:%ld", row);
        snprintf(words, sizeof words, "%s, %s", about, fault);
        devices_test_setting("gpu devices=2", fault);
        ran r = devices_test_run_all(in, option);
        EXPECT(r.code == 0 && strstr(r.err, "; going on with the other devices") &&
                   count_lines(r.err) == 2 && strstr(r.err, "; going on with cpu"),
               "%s: %d, %s", words, r.code, r.err);
        ran_free(&r);
        check_devices_result(words);
        program_plain();
    }
}

static void test_broken_rows(void)
{
    const char *in = devices_test_scene("sheets", "600", "10");
    check_devices_rows(in, "baseline",
                       (const char *const[OPTIONS]){"--continuous", "--baseline", "0"});
    check_devices_rows(
        in, "baseline, single steps",
        (const char *const[OPTIONS]){"--continuous", "--baseline", "3", "--block", "1"});
    check_devices_rows(
        in, "baseline, slabs",
        (const char *const[OPTIONS]){"--continuous", "--baseline", "0", "--space", "3"});
}

/* The last working device is replaced by cpu, as a single device is; in the middle of a block, too.
 */
static void test_all_broken(void)
{
    static const char *const option[OPTIONS] = {"--block", "1"};
    const char *in = devices_test_scene("cloth-ball", "800", "30");
    run_cpu("all broken", in, option);
    for (long n = 0; n < 60; n += TEST_SLOW ? 40 : 13) {
        char switches[100];
        snprintf(switches, sizeof switches, "gpu devices=3 breaks=-2:%ld",
                 self_test_launches() + n);
        devices_test_setting(switches, NULL);
        ran r = devices_test_run_all(in, option);
        EXPECT(r.code == 0 && count_lines(r.err) == 3 && strstr(r.err, "; going on with cpu"),
               "%s: %d, %s", switches, r.code, r.err);
        EXPECT(strstr(r.out, "(cpu, "), "%s: %s", switches, r.out);
        ran_free(&r);
        check_devices_result(switches);
        program_plain();
    }
}

/* One device decides wrongly, which --verify finds: its block goes to the others, too. */
static void test_liar(void)
{
    static const char *const option[OPTIONS] = {"--block", "1", "--verify", "100000"};
    const char *in = devices_test_scene("cloth-fold", "1500", "16");
    run_cpu("liar", in, option);
    devices_test_setting("gpu devices=2 lies=1 liar=1 slow=0:1000", NULL);
    ran r = devices_test_run_all(in, option);
    EXPECT(r.code == 0 && (strstr(r.err, "decides wrongly") || strstr(r.err, "left out")),
           "liar: %d, %s", r.code, r.err);
    ran_free(&r);
    check_devices_result("liar");
    program_plain();
}

/* ---- contacts in the queue */

/* The first block is the slowest by far, and the queue of later blocks reaches its limit. */
static void test_slow_first(void)
{
    static const char *const option[OPTIONS] = {"--stage", "candidates", "--mem-limit",
                                                "100M",    "--block",    "2"};
    const char *in = devices_test_scene("hostile", TEST_SLOW ? "300" : "700", "12");
    run_cpu("slow first", in, option);
    for (int d = 0; d < 3; d += TEST_SLOW ? 3 : 1) {
        char switches[100];
        snprintf(switches, sizeof switches, "gpu devices=3 slow=%d:3000", d);
        devices_test_setting(switches, NULL);
        ran r = devices_test_run_all(in, option);
        EXPECT(ran_well(&r), "^ %s", switches);
        ran_free(&r);
        check_devices_result(switches);
        program_plain();
    }
}

/* ---- errors */

static void check_devices_error(const char *in, const char *word)
{
    static const char *const switches[] = {"gpu devices=3 slow=0:500", "gpu devices=3 slow=1:500",
                                           "gpu devices=3 slow=2:500",
                                           "gpu devices=2 slow=0:500 breaks=1:100"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i += TEST_SLOW ? 3 : 1) {
        static const char *const option[OPTIONS] = {"--block", "1"};
        devices_test_setting(switches[i], NULL);
        unlink(OUT);
        ran r = devices_test_run_all(in, option);
        EXPECT(r.code == 3 && strstr(r.err, word), "%s: %d, not '%s': %s", switches[i], r.code,
               word, r.err);
        EXPECT(!exists(OUT) && !exists_part(OUT), "%s: something is left", switches[i]);
        ran_free(&r);
        program_plain();
    }
}

/* The error of the earlier frame is reported, whichever device reaches it first. */
static void test_devices_first_error(void)
{
    check_devices_error(spoilt_batch(9, 10), "frame 9");
    check_devices_error(spoilt_batch(10, 9), "Connectivity");
    check_devices_error(spoilt_batch(1, 4), "frame 1");
    check_devices_error(spoilt_batch(SPOILT_FRAMES - 1, -1), "frame 23");
    check_devices_error(spoilt_batch(0, -1), "frame 0");
    make m = {0};
    make_moving(&m, 16, 60, 5);
    for (size_t f = 4; f < 16; f++) /* all frames from the fifth on */
        m.points.value[(size_t)9 * 60 * f + 4] = NAN;
    make_write(&m, "bad.vtkhdf");
    make_free(&m);
    check_devices_error(at("bad.vtkhdf"), "frame 4");
}

/* ---- signals */

/* A signal before the n-th change of a file ends all devices; the next run resumes, without the
 * device that fails then. */
static void test_devices_resume(void)
{
    static const char *const option[OPTIONS] = {"--block", "1", "--resume", NULL};
    const char *in = devices_test_scene("cloth-ball", "800", "30");
    int some = 0;
    run_cpu("resume", in, (const char *const[OPTIONS]){"--block", "1"});
    for (int n = 40; n < 400; n += TEST_SLOW ? 200 : 60) {
        char fault[40], broken[100];
        int64_t done;
        unlink(OUT);
        snprintf(fault, sizeof fault, "int:%d", n);
        devices_test_setting("gpu devices=3", fault);
        ran r = RAN("run", in, "-o", OUT, "--device", "opencl:all", "--force", "--block", "1");
        EXPECT(r.code == 130 || r.code == 0, "%s: %d, %s", fault, r.code, r.err);
        const char *what = r.code ? h5_begins(at("out.vtkhdf.part"), WHOLE, &done) : NULL;
        EXPECT(!what, "%s: %s", fault, what);
        some += r.code == 130 && done > 0 && done < 30;
        ran_free(&r);
        snprintf(broken, sizeof broken, "gpu devices=3 breaks=1:%ld", self_test_launches() + 20);
        devices_test_setting(broken, NULL);
        r = RAN("run", in, "-o", OUT, "--device", "opencl:all", json_to("all.json"), "--force",
                option[0], option[1], option[2]);
        EXPECT(r.code == 0, "%s, resumed: %d, %s", fault, r.code, r.err);
        ran_free(&r);
        check_devices_result(fault);
        program_plain();
    }
    EXPECT(some > 0, "no run was stopped in the middle");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"scenes", test_devices_scenes},
                                 {"together", test_devices_together},
                                 {"which", test_which},
                                 {"refused", test_devices_refused},
                                 {"baseline", test_devices_baseline},
                                 {"broken", test_broken},
                                 {"broken_rows", test_broken_rows},
                                 {"all_broken", test_all_broken},
                                 {"liar", test_liar},
                                 {"slow_first", test_slow_first},
                                 {"first_error", test_devices_first_error},
                                 {"resume", test_devices_resume},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "several", tests);
}
