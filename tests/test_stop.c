/* SIGINT and SIGTERM: the program ends soon, with the code of the signal, and OUT.part holds the
 * frames that were committed. */
#include "expect.h"
#include "job.h"
#include "testlib.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Before the n-th change of a file; OUT.part is there by then. */
static void check_signalled(const job *j, const char *kind, int number, long n)
{
    job_fragile(kind, n);
    ran r = job_run(j, j->out, NULL);
    program_plain();
    if (r.code == 0)
        job_check_whole(j, kind, n); /* it came too late to change anything */
    else {
        EXPECT(ran_failed(&r, 128 + number, "signal", NULL), "^ %s, %s at %ld", j->about, kind, n);
        EXPECT(!exists(j->out), "%s at %ld: OUT is there", kind, n);
        EXPECT(job_check_part(j, kind, n) >= 0, "%s at %ld: no OUT.part", kind, n);
        EXPECT(job_changes() > 0, "%s at %ld: not ended in order", kind, n);
    }
    ran_free(&r);
    job_go_on(j, kind, n);
}

/* The first change at which OUT.part is there. */
static long first_part(const job *j)
{
    for (long n = 5;; n += 3) {
        job_kill(j, n, NULL);
        int there = exists(j->part);
        job_remove(j);
        if (there || n > 300)
            return n;
    }
}

static void test_exact(void)
{
    job j = job_small("exact");
    long first = first_part(&j), all = job_count(&j, NULL), n = (long)test_count(10);
    EXPECT(first < 100, "OUT.part is there only after %ld changes", first);
    for (long i = 0; i < n && i < all - first; i++) {
        check_signalled(&j, "int", SIGINT, first + i * (all - first) / n);
        check_signalled(&j, "term", SIGTERM, first + i * (all - first) / n);
    }
}

/* While the result is being made under another name there is nothing to save. */
static void test_early(void)
{
    job j = job_small("early");
    for (long n = 0; n < 4; n++) {
        job_fragile("int", n);
        ran r = job_run(&j, j.out, NULL);
        program_plain();
        EXPECT(r.code == 130 || r.code == 0, "exit %d: %s", r.code, r.err);
        job_check_part(&j, "int", n);
        ran_free(&r);
        job_go_on(&j, "int", n);
    }
}

/* The second one ends the program on the spot: it does not come to its end in order. */
static void test_second(void)
{
    job j = job_small("second");
    long half = job_count(&j, NULL) / 2;
    const struct {
        const char *kind;
        int code;
    } twice[] = {{"twice", 130}, {"both", 143}};
    for (int i = 0; i < 2; i++) {
        job_fragile(twice[i].kind, half);
        ran r = job_run(&j, j.out, NULL);
        program_plain();
        EXPECT(r.code == twice[i].code, "%s: exit %d: %s", twice[i].kind, r.code, r.err);
        EXPECT(job_changes() == 0, "%s: the program went on", twice[i].kind);
        job_check_part(&j, twice[i].kind, half);
        ran_free(&r);
        job_go_on(&j, twice[i].kind, half);
    }
}

/* ---- the program as it is */

static void check_readable(const job *j)
{
    ran r = RAN("info", j->part);
    EXPECT(ran_well(&r) && strstr(r.out, "not complete"), "^ info of OUT.part: %s", r.out);
    ran_free(&r);
    r = RAN("check", j->part, "--input", j->in, "--sample", "3", "-q");
    EXPECT(ran_well(&r), "^ check of OUT.part");
    ran_free(&r);
}

/* A signal some time after the start. */
static void stop_at(const job *j, double seconds, int number)
{
    const char *line[JOB_LINE];
    job_line(j, j->out, NULL, line);
    program p = program_start(line);
    while (program_clock() - p.start < seconds && !program_done(&p))
        program_sleep(0.0005);
    double sent = program_clock();
    kill(p.pid, number);
    ran r = program_wait(&p);
    double took = program_clock() - sent;
    EXPECT(took < 1, "%s: signal %d: %.2f s to end", j->about, number, took);
    if (r.code)
        EXPECT(ran_failed(&r, 128 + number, "signal", NULL), "^ %s: after %g s", j->about, seconds);
    EXPECT(exists(j->out) == (r.code == 0), "%s: OUT with exit %d", j->about, r.code);
    if (job_check_part(j, "signal", number) >= 0)
        check_readable(j);
    ran_free(&r);
    job_go_on(j, "signal", number);
}

/* Whether it works on one frame or on all at once. */
static void test_in_time(void)
{
    rng r = {21};
    static const char *const blocks[] = {"1", "30"};
    for (int b = 0; b < 2; b++) {
        job j = job_long(b ? "all frames in a block" : "a frame in a block", blocks[b]);
        ran whole = job_run(&j, j.out, NULL);
        EXPECT(ran_well(&whole), "^ uninterrupted");
        job_remove(&j);
        for (uint64_t i = 0; i < test_count(2); i++) {
            stop_at(&j, whole.seconds * (0.2 + 0.7 * rng_unit(&r)), SIGINT);
            stop_at(&j, whole.seconds * (0.2 + 0.7 * rng_unit(&r)), SIGTERM);
        }
        ran_free(&whole);
    }
}

/* Hundreds of thousands of undecided pairs go through exact arithmetic, which looks up, too. */
static void test_in_exact(void)
{
    job j = job_long("exact", "1");
    const char *in = at("flat.vtkhdf");
    ran r = RAN("generate", "flat", "-o", in, "--primitives", "300000", "-q");
    EXPECT(ran_well(&r), "^ flat");
    ran_free(&r);
    for (int i = 1; i < 4; i++) {
        program p = program_start((const char *const[]){"run", in, "-o", j.out, "--device", "cpu",
                                                        "--adjacent", "test", NULL});
        program_sleep(0.15 * i);
        double sent = program_clock();
        kill(p.pid, SIGINT);
        r = program_wait(&p);
        EXPECT(program_clock() - sent < 1, "%.2f s to end", program_clock() - sent);
        EXPECT(r.code == 130 || r.code == 0, "exit %d: %s", r.code, r.err);
        ran_free(&r);
        job_remove(&j);
    }
}

/* OUT is complete; its copy as text is given up. */
static void test_in_text(void)
{
    job j = job_large("text");
    const char *text = at("contacts.txt");
    ran r;
    program p = program_start((const char *const[]){"run", j.in, "-o", j.out, "--device", "cpu",
                                                    "--stage", "candidates", "--broad", "brute",
                                                    "--collide-txt", text, NULL});
    while (!exists_part(text) && !program_done(&p))
        program_sleep(0.0003);
    double sent = program_clock();
    kill(p.pid, SIGTERM);
    r = program_wait(&p);
    EXPECT(program_clock() - sent < 0.5, "%.2f s to end", program_clock() - sent);
    EXPECT(ran_failed(&r, 143, text, "signal"), "^ while the text is written");
    EXPECT(!exists(text) && !exists_part(text), "some of the text is left");
    EXPECT(exists(j.out), "OUT is gone");
    ran_free(&r);
    job_remove(&j);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"exact", test_exact},
                                 {"early", test_early},
                                 {"second", test_second},
                                 {"in_time", test_in_time},
                                 {"in_exact", test_in_exact},
                                 {"in_text", test_in_text},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "stop", tests);
}
