/* SIGINT, SIGTERM and SIGHUP: the program ends soon, with the code of the signal, and OUT.part
 * holds the committed frames. Signals arrive at counted events (fragile.c), or at times of the
 * program's own clock, so the load of the machine makes no difference. */
#include "expect.h"
#include "program_job.h"
#include "testlib.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal before the n-th change of a file, when OUT.part exists. */
static void check_signalled(const sample_job *j, const char *kind, int number, long n)
{
    job_fragile(kind, n);
    ran r = sample_job_run(j, j->out, NULL);
    program_plain();
    if (r.code == 0)
        job_check_whole(j, kind, n); /* too late to change anything */
    else {
        EXPECT(ran_failed(&r, 128 + number, "signal", NULL), "^ %s, %s at %ld", j->about, kind, n);
        EXPECT(!exists(j->out), "%s at %ld: OUT is there", kind, n);
        EXPECT(sample_job_check_part(j, kind, n) >= 0, "%s at %ld: no OUT.part", kind, n);
        EXPECT(job_changes() > 0, "%s at %ld: not ended in order", kind, n);
    }
    ran_free(&r);
    job_go_on(j, kind, n);
}

/* The first change at which OUT.part exists. */
static long stop_first_part(const sample_job *j)
{
    for (long n = 5;; n += 3) {
        job_kill(j, n, NULL);
        int there = exists(j->part);
        sample_job_remove(j);
        if (there || n > 300)
            return n;
    }
}

static void test_stop_exact(void)
{
    sample_job j = sample_job_small("exact");
    long first = stop_first_part(&j), all = job_count(&j, NULL),
         n = (long)test_count(TEST_SANITIZED ? 3 : 10);
    EXPECT(first < 100, "OUT.part is there only after %ld changes", first);
    for (long i = 0; i < n && i < all - first; i++) {
        check_signalled(&j, "int", SIGINT, first + i * (all - first) / n);
        check_signalled(&j, "term", SIGTERM, first + i * (all - first) / n);
        check_signalled(&j, "hup", SIGHUP, first + i * (all - first) / n);
    }
}

/* While the result is being created under another name there is nothing to save. */
static void test_stop_early(void)
{
    sample_job j = sample_job_small("early");
    int stopped = 0;
    for (long n = 0; n < 4; n++) {
        job_fragile("int", n);
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        EXPECT(r.code == 130 || r.code == 0, "exit %d: %s", r.code, r.err);
        stopped += r.code == 130;
        sample_job_check_part(&j, "int", n);
        ran_free(&r);
        job_go_on(&j, "int", n);
    }
    EXPECT(stopped, "no signal stopped it");
}

/* The second signal ends the program on the spot, without an orderly end. */
static void test_second(void)
{
    sample_job j = sample_job_small("second");
    long half = job_count(&j, NULL) / 2;
    const struct {
        const char *kind;
        int code;
    } twice[] = {{"twice", 130}, {"both", 143}};
    for (int i = 0; i < 2; i++) {
        job_fragile(twice[i].kind, half);
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        EXPECT(r.code == twice[i].code, "%s: exit %d: %s", twice[i].kind, r.code, r.err);
        EXPECT(job_changes() == 0, "%s: the program went on", twice[i].kind);
        sample_job_check_part(&j, twice[i].kind, half);
        ran_free(&r);
        job_go_on(&j, twice[i].kind, half);
    }
}

/* As nohup does: an ignored signal has no effect. */
static void test_ignored(void)
{
    sample_job j = sample_job_small("nohup");
    job_fragile("hup", job_count(&j, NULL) / 2);
    signal(SIGHUP, SIG_IGN); /* inherited by all children */
    ran r = sample_job_run(&j, j.out, NULL);
    signal(SIGHUP, SIG_DFL);
    program_plain();
    EXPECT(ran_well(&r), "^ SIGHUP under nohup");
    ran_free(&r);
    job_check_whole(&j, "nohup", 0);
    sample_job_remove(&j);
}

/* After the result is complete there is nothing left to stop. */
static void test_late(void)
{
    sample_job j = sample_job_small("late");
    job_fragile("late", 0);
    ran r = sample_job_run(&j, j.out, NULL);
    program_plain();
    EXPECT(ran_well(&r) && job_changes() > 0, "^ SIGTERM when all is done");
    ran_free(&r);
    job_check_whole(&j, "late", 0);
    sample_job_remove(&j);
}

/* An incomplete batch is of no use: it is removed, whenever the signal arrives. */
static void test_stop_batches(void)
{
    const char *out = at("batch.out"), *obj = at("batch.obj");
    write_text(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const char *const lines[][8] = {{"generate", "soup", "-n", "5000", "-o", out, "-q"},
                                    {"convert", obj, obj, "-o", out, "-q"}};
    static const char *const kinds[] = {"int", "term", "hup"};
    static const int codes[] = {130, 143, 129};
    for (int i = 0; i < 2; i++) {
        int stopped[3] = {0};
        for (long n = 3; n < 60; n += 7) {
            job_fragile(kinds[n % 3], n);
            ran r = program_run(lines[i]);
            program_plain();
            EXPECT(r.code == codes[n % 3] || r.code == 0, "%s: exit %d", lines[i][0], r.code);
            EXPECT(exists(out) == (r.code == 0), "%s, %ld: exit %d", lines[i][0], n, r.code);
            EXPECT(n < 20 || !exists_part(out), "%s, %ld: a part is left", lines[i][0], n);
            stopped[n % 3] += r.code != 0;
            ran_free(&r);
            unlink(out);
        }
        EXPECT(stopped[0] && stopped[1] && stopped[2], "%s: of signals %d, %d and %d stopped it",
               lines[i][0], stopped[0], stopped[1], stopped[2]);
    }
}

/* ---- latency: counted, since time depends on the machine */

static void check_readable(const sample_job *j)
{
    ran r = RAN("info", j->part);
    EXPECT(ran_well(&r) && strstr(r.out, "not complete"), "^ info of OUT.part: %s", r.out);
    ran_free(&r);
    r = RAN("check", j->part, "--input", j->in, "--sample", "3", "-q");
    EXPECT(ran_warned(&r), "^ check of OUT.part");
    ran_free(&r);
}

/* The program checks for the signal only once after it. */
static void check_stop_look(const sample_job *j, long n)
{
    job_fragile("look", n);
    ran r = sample_job_run(j, j->out, NULL);
    program_plain();
    EXPECT(ran_failed(&r, 143, "signal", NULL), "^ %s, look %ld", j->about, n);
    EXPECT(job_changes() == n, "%s, look %ld: it went on for %ld", j->about, n, job_changes());
    EXPECT(!exists(j->out), "%s, look %ld: OUT is there", j->about, n);
    EXPECT(sample_job_check_part(j, "look", n) >= 0, "%s, look %ld: no OUT.part", j->about, n);
    check_readable(j);
    ran_free(&r);
    job_go_on(j, "look", n);
}

/* Whether a block has one frame or all, the program checks often for a signal. */
static void test_in_work(void)
{
    static const char *const blocks[] = {"1", "30"};
    for (int b = 0; b < 2; b++) {
        sample_job j =
            sample_job_long(b ? "all frames in a block" : "a frame in a block", blocks[b]);
        long all = job_count_of(&j, "look", NULL);
        uint64_t n = test_count(TEST_SANITIZED ? 1 : 3);
        EXPECT(all > 50L * 30, "%s: only %ld looks in 30 frames", j.about, all);
        for (uint64_t i = 0; i < n; i++)
            check_stop_look(&j, job_moment(all, i, n));
    }
}

/* Triangles in a plane whose points are rounded: most pairs that touch are undecided in double. */
static void write_plane(const char *obj, uint32_t triangles)
{
    rng r = {54};
    FILE *f = fopen(obj, "w");
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        double x = rng_unit(&r), y = rng_unit(&r);
        fprintf(f, "v %.17g %.17g %.17g\n", x, y, (x + 2 * y) / 3);
    }
    for (uint32_t i = 0; i < triangles; i++)
        fprintf(f, "f %u %u %u\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
    fclose(f);
}

static ran run_exact(uint32_t triangles, long n)
{
    const char *obj = at("plane.obj"), *in = at("plane.vtkhdf"), *out = at("plane.out");
    write_plane(obj, triangles);
    ran r = RAN("convert", obj, "-o", in, "--force", "-q");
    EXPECT(ran_well(&r), "^ plane");
    ran_free(&r);
    job_fragile("exact", n);
    r = RAN("run", in, "-o", out, "--device", "cpu", "--threads", "2", "-q");
    program_plain();
    return r;
}

static long count_exact(uint32_t triangles)
{
    ran r = run_exact(triangles, 1000000000);
    EXPECT(ran_well(&r), "^ %u triangles", triangles);
    ran_free(&r);
    unlink(at("plane.out"));
    return job_changes();
}

/* Thousands of undecided pairs go through exact arithmetic: a signal ends it after the current pair
 * of each thread. The first pairs are those of the self-test. */
static void test_in_exact(void)
{
    long before = count_exact(1), all = count_exact(300);
    EXPECT(all > before + 5000, "only %ld pairs, %ld of them before", all, before);
    for (long i = 0; i < 4; i++) {
        long n = before + i * (all - before) / 4;
        ran r = run_exact(300, n);
        EXPECT(ran_failed(&r, 130, "signal", NULL), "^ exact %ld", n);
        EXPECT(job_changes() > n && job_changes() <= n + 2, "exact %ld: it went on to %ld", n,
               job_changes());
        EXPECT(!exists(at("plane.out")), "exact %ld: OUT is there", n);
        ran_free(&r);
        unlink(at("plane.out.part"));
    }
}

/* OUT is complete; writing its text is abandoned. */
static void test_in_text(void)
{
    sample_job j = sample_job_large("text");
    const char *text = at("contacts.txt");
    char option[500];
    snprintf(option, sizeof option, "--collide-txt=%s", text);
    long before = job_count_of(&j, "look", NULL), all = job_count_of(&j, "look", option);
    EXPECT(all > before + 1000, "only %ld looks in the text", all - before);
    for (long i = 0; i < 2; i++) {
        long n = before + i * (all - before) / 2;
        unlink(text);
        job_fragile("look", n);
        ran r = sample_job_run(&j, j.out, option);
        program_plain();
        EXPECT(ran_failed(&r, 143, text, "signal"), "^ text, look %ld", n);
        EXPECT(job_changes() == n, "text, look %ld: it went on for %ld", n, job_changes());
        EXPECT(!exists(text) && !exists_part(text), "text, look %ld: some of it is left", n);
        job_check_whole(&j, "text", n);
        ran_free(&r);
        sample_job_remove(&j);
    }
}

/* ---- signals to the unmodified program, some time after its start */

static void stop_at(const sample_job *j, double cpu, int number)
{
    const char *line[JOB_LINE];
    sample_job_line(j, j->out, NULL, line);
    program p = program_start(line);
    while (!exists(j->part) && !program_done(&p))
        program_sleep(0.0005);
    program_at(&p, cpu);
    kill(p.pid, number);
    ran r = program_wait(&p);
    if (r.code)
        EXPECT(ran_failed(&r, 128 + number, "signal", NULL), "^ %s: after %g s", j->about, cpu);
    EXPECT(exists(j->out) == (r.code == 0), "%s: OUT with exit %d", j->about, r.code);
    if (sample_job_check_part(j, "signal", number) >= 0)
        check_readable(j);
    ran_free(&r);
    job_go_on(j, "signal", number);
}

static void test_stop_any_time(void)
{
    rng r = {21};
    sample_job j = sample_job_long("any time", "1");
    ran whole = sample_job_run(&j, j.out, NULL);
    EXPECT(ran_well(&whole), "^ uninterrupted");
    sample_job_remove(&j);
    for (uint64_t i = 0; i < test_count(TEST_SANITIZED ? 1 : 3); i++) {
        stop_at(&j, whole.cpu * rng_unit(&r), SIGINT);
        stop_at(&j, whole.cpu * rng_unit(&r), SIGTERM);
    }
    ran_free(&whole);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"exact", test_stop_exact},
                                 {"early", test_stop_early},
                                 {"second", test_second},
                                 {"ignored", test_ignored},
                                 {"late", test_late},
                                 {"batches", test_stop_batches},
                                 {"in_work", test_in_work},
                                 {"in_exact", test_in_exact},
                                 {"in_text", test_in_text},
                                 {"any_time", test_stop_any_time},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "stop", tests);
}
