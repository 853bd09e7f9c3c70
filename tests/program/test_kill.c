/* Runs that are killed: the state of the disk afterwards, and that --resume ends with the result of
 * an uninterrupted run.
 *
 * Kills happen at random points of the program's time, and exactly before the n-th change that
 * the program makes to a file (fragile.c), which reaches the points that chance would miss. */
#include "expect.h"
#include "program_job.h"
#include "testlib.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void sweep_kills(const sample_job *j, uint64_t n)
{
    long all = job_count(j, NULL);
    n = n < (uint64_t)all ? n : (uint64_t)all;
    for (uint64_t i = 0; i < n; i++) {
        long k = job_moment(all, i, n);
        job_kill(j, k, NULL);
        job_go_on(j, "kill", k);
    }
}

static void test_kill_small(void)
{
    sample_job j = sample_job_small("small");
    sweep_kills(&j, test_count(12));
}

static void test_kill_large(void)
{
    sample_job j = sample_job_large("large");
    sweep_kills(&j, test_count(3));
}

/* The commit during which chunk 65 of the points is written: its B-tree gets a second level. */
static void test_split(void)
{
    sample_job j = sample_job_large("split");
    long all = job_count(&j, NULL), first = all * 45 / 100, last = all * 52 / 100;
    for (long n = first; n < last; n += 1 + 30 / (long)test_count(1)) {
        job_kill(&j, n, NULL);
        job_go_on(&j, "kill", n);
    }
}

/* A resumed run is killed, too. */
static void sweep_resumed(const sample_job *j, long first, uint64_t n)
{
    job_kill(j, first, NULL);
    copy_file(j->part, at("first.part"));
    long all = job_count(j, "--resume");
    for (uint64_t i = 0; i < n; i++) {
        long k = job_moment(all, i, n);
        copy_file(at("first.part"), j->part);
        job_kill(j, k, "--resume");
        job_go_on(j, "kill resumed", k);
    }
}

static void test_resumed(void)
{
    sample_job j = sample_job_small("small, resumed");
    sweep_resumed(&j, job_count(&j, NULL) / 2, test_count(6));
    j = sample_job_large("large, resumed");
    sweep_resumed(&j, job_count(&j, NULL) * 2 / 3, test_count(2));
}

/* The leftovers of a killed run, under another name, are removed by the next one. */
static void test_kill_early(void)
{
    sample_job j = sample_job_small("early");
    job_kill(&j, 3, NULL);
    EXPECT(!exists(j.part), "OUT.part is there before it holds anything");
    ran r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_well(&r), "^ --resume without OUT.part");
    ran_free(&r);
    job_check_whole(&j, "kill", 3);
    sample_job_remove(&j);
    job_kill(&j, 3, NULL);
    job_go_on(&j, "kill", 3);
}

/* Killed while it writes the files beside OUT: the next run removes their remains, whether or not
 * it writes them itself, but no files of others with similar names. */
static void test_kill_texts(void)
{
    static const char *const option[] = {"--csv", "--collide-txt", "--counts", "--json"};
    const char *const text[] = {at("t.csv"), at("t.txt"), at("t.vtkhdf"), at("t.json")};
    const char *const others[] = {at("t.csv.part"), at("t.csv.impinge.par"), at("job.out.slabs")};
    const char *const parts[] = {at("t.csv.impinge.part"), at("t.txt.impinge.part"),
                                 at("t.vtkhdf.impinge.part"), at("t.json.impinge.part")};
    char words[4][600];
    sample_job j = sample_job_small("texts"), plain = j;
    for (size_t i = 0; i < 3; i++)
        write_text(others[i], "of somebody");
    for (size_t i = 0; i < 4; i++) {
        snprintf(words[i], sizeof words[i], "%s=%s", option[i], text[i]);
        j.option[2 + i] = words[i];
    }
    const long all = job_count(&j, NULL), few = (long)test_count(15);
    long beside = 0;
    for (long n = all - few; n < all; n++) {
        for (size_t i = 0; i < 4; i++)
            unlink(text[i]);
        job_kill(&j, n, NULL);
        int left = 0;
        for (size_t i = 0; i < 4; i++)
            left |= exists(parts[i]);
        beside += left;
        const int without = (n & 1) && exists(j.out); /* OUT records which files belong beside it */
        ran r = sample_job_run(without ? &plain : &j, j.out, "--resume");
        EXPECT(ran_well(&r), "^ after kill %ld", n);
        ran_free(&r);
        job_check_whole(&j, "kill", n);
        for (size_t i = 0; i < 4; i++)
            EXPECT(!exists(parts[i]) && (without || exists(text[i])), "kill %ld: %s", n, text[i]);
        sample_job_remove(&j);
    }
    EXPECT(beside > 2, "only %ld times something was left beside OUT", beside);
    for (size_t i = 0; i < 3; i++) {
        char *now = file_text(others[i], NULL);
        EXPECT(!strcmp(now, "of somebody"), "%s was changed", others[i]);
        free(now);
        unlink(others[i]);
    }
}

/* A text that another run is writing is not a leftover of a killed run. */
static void test_texts_in_use(void)
{
    char option[600];
    sample_job j = sample_job_small("in use");
    snprintf(option, sizeof option, "--csv=%s", at("u.csv"));
    j.option[2] = option;
    const long all = job_count(&j, NULL);
    const char *line[JOB_LINE];
    int met = 0;
    unlink(at("u.csv"));
    for (long n = all - 12; n < all; n++) {
        sample_job_line(&j, j.out, NULL, line);
        job_fragile("stop", n);
        program p = program_start(line);
        program_plain();
        if (program_stopped(&p) && exists(at("u.csv.impinge.part"))) {
            ran r = RAN("run", j.in, "-o", at("other.out"), "--device", "cpu", "-q", "--csv",
                        at("u.csv"), "--force");
            EXPECT(ran_well(&r) && exists(at("u.csv.impinge.part")), "^ beside stop %ld", n);
            ran_free(&r);
            met++;
        }
        kill(p.pid, SIGCONT);
        ran r = program_wait(&p);
        EXPECT(r.code == 0 || ran_failed(&r, 2, "u.csv", "exists by now"), "^ stop %ld", n);
        ran_free(&r);
        unlink(at("u.csv"));
        unlink(at("other.out"));
        sample_job_remove(&j);
    }
    EXPECT(met > 0, "no run was stopped while it wrote the text");
}

/* Kills the program after `cpu` seconds of computing; `hasty`: it commits often. */
static void kill_test_at(const sample_job *j, double cpu, int hasty)
{
    const char *line[JOB_LINE];
    sample_job_line(j, j->out, NULL, line);
    if (hasty)
        job_fragile("none", 0);
    program p = program_start(line);
    program_at(&p, cpu);
    kill(p.pid, SIGKILL);
    ran r = program_wait(&p);
    program_plain();
    EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL || r.code == 0, "exit %d: %s", r.code, r.err);
    ran_free(&r);
}

/* Repeats until some of them had committed frames, which is a matter of luck. */
static void test_kill_any_time(void)
{
    rng r = {22};
    sample_job j = sample_job_long("any time", "1");
    ran whole = sample_job_run(&j, j.out, NULL);
    long parts = 0, n = (long)test_count(5);
    EXPECT(ran_well(&whole), "^ uninterrupted");
    sample_job_remove(&j);
    for (long i = 0; i < n || (parts < 3 && i < 20 * n); i++) {
        kill_test_at(&j, whole.cpu * 1.02 * rng_unit(&r), i % 3 != 0);
        if (exists(j.out))
            job_check_whole(&j, "kill", i);
        parts += sample_job_check_part(&j, "kill", i) > 0;
        job_go_on(&j, "kill", i);
    }
    EXPECT(parts > 2, "only %ld of the killed runs had committed frames", parts);
    ran_free(&whole);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"small", test_kill_small},
                                 {"large", test_kill_large},
                                 {"split", test_split},
                                 {"resumed", test_resumed},
                                 {"early", test_kill_early},
                                 {"texts", test_kill_texts},
                                 {"texts_in_use", test_texts_in_use},
                                 {"any_time", test_kill_any_time},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "kill", tests);
}
