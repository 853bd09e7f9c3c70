/* What --resume goes on from, and what it refuses. */
#include "expect.h"
#include "h5_make.h"
#include "job.h"
#include "testlib.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void check_refused(const job *j, const char *const *more, const char *word)
{
    const char *line[JOB_LINE + 4];
    size_t size, size2;
    int n = 0;
    char *before = file_text(j->part, &size);
    job_line(j, j->out, "--resume", line);
    while (line[n])
        n++;
    for (int i = 0; i < 2 && more[i]; i++)
        line[n++] = more[i];
    line[n] = NULL;
    ran r = program_run(line);
    EXPECT(ran_failed(&r, 3, j->part, word), "^ --resume with %s", line[n - 1]);
    EXPECT(!exists(j->out), "OUT is there");
    char *after = file_text(j->part, &size2);
    EXPECT(size2 == size && !memcmp(before, after, size), "%s: OUT.part was changed", line[n - 1]);
    ran_free(&r);
    free(before);
    free(after);
}

static void test_other_options(void)
{
    job j = job_small("other options");
    static const char *const other[][3] = {
        {"--adjacent", "test", NULL},    {"--dop", "26", NULL},           {"--pairs", "self", NULL},
        {"--stage", "candidates", NULL}, {"--frames", ":5", NULL},        {"--frames", "1:", NULL},
        {"--on-bad", "skip", NULL},      {"--objects", "connected", NULL}};
    job_kill_half(&j);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        check_refused(&j, other[i], "options");
    write_text(at("pairs.txt"), "0 0\n");
    check_refused(&j, (const char *const[]){"--object-pairs", at("pairs.txt"), NULL}, "options");
    job_go_on(&j, "refusals", 0);
}

/* Device, threads, broad phase, block and memory do not change a result. */
static void test_same_options(void)
{
    job j = job_small("same options");
    static const char *const same[][2] = {
        {"--broad", "brute"}, {"--broad", "hash"},     {"--threads", "2"},
        {"--block", "3"},     {"--mem-limit", "200M"}, {"--cell", "0.5"},
        {"--frames", ":"},    {"--dop", "6"},          {"--pairs", "all"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        job_kill_half(&j);
        ran r =
            RAN("run", j.in, "-o", j.out, "--device", "cpu", "--resume", same[i][0], same[i][1]);
        EXPECT(ran_well(&r), "^ --resume with %s %s", same[i][0], same[i][1]);
        ran_free(&r);
        job_check_whole(&j, same[i][0], 0);
    }
    job_remove(&j);
}

static void test_other_input(void)
{
    job j = job_small("another input");
    job_kill_half(&j);
    copy_file(j.in, at("kept.vtkhdf"));
    h5_poke(j.in, "VTKHDF/Points", 5, 0.25);
    check_refused(&j, (const char *const[]){NULL}, "another input");
    ran r = RAN("run", at("kept.vtkhdf"), "-o", j.out, "--device", "cpu", "--resume", "-q");
    EXPECT(ran_well(&r), "^ the input under another name");
    ran_free(&r);
    job_check_whole(&j, "another name", 0);
    job_remove(&j);
}

/* Something is missing, or a number is beyond all measure. */
static void test_damaged(void)
{
    static const char *const gone[] = {"impinge",
                                       "impinge/frames_done",
                                       "impinge/contacts",
                                       "impinge/checksum",
                                       "impinge@options",
                                       "impinge@version",
                                       "impinge@input_hash",
                                       "VTKHDF/Steps",
                                       "VTKHDF/CellData",
                                       "VTKHDF/Points",
                                       "VTKHDF/Steps/Values",
                                       "VTKHDF/CellData/Kind",
                                       "VTKHDF/Lines",
                                       "VTKHDF/Polygons",
                                       "VTKHDF/Lines/Offsets",
                                       "VTKHDF/Steps/CellDataOffsets/Kind"};
    static const struct {
        const char *name;
        double value;
    } bad[] = {{"impinge/frames_done", -1}, {"impinge/frames_done", 1000},
               {"impinge/contacts", 1e15},  {"impinge/contacts", -1},
               {"impinge/contacts", 3},     {"impinge/checksum", 1}};
    job j = job_small("damaged");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
        copy_file(at("kept.part"), j.part);
        h5_remove(j.part, gone[i]);
        ran r = job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, NULL), "^ without %s", gone[i]);
        ran_free(&r);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        copy_file(at("kept.part"), j.part);
        h5_poke(j.part, bad[i].name, 0, bad[i].value);
        ran r = job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, NULL), "^ %s is %g", bad[i].name, bad[i].value);
        ran_free(&r);
    }
    job_remove(&j);
}

/* Rows of committed frames that are not what they were. */
static void test_changed(void)
{
    static const char *const names[] = {"VTKHDF/CellData/PrimitiveB", "VTKHDF/CellData/Kind",
                                        "VTKHDF/CellData/ObjectA", "VTKHDF/Points"};
    job j = job_small("changed");
    job_kill_half(&j);
    copy_file(j.part, at("kept.part"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        copy_file(at("kept.part"), j.part);
        h5_poke(j.part, names[i], 1, h5_peek(j.part, names[i], 1) + 1);
        ran r = job_run(&j, j.out, "--resume");
        EXPECT(ran_failed(&r, 3, j.part, "frame 0 is damaged"), "^ another value in %s", names[i]);
        ran_free(&r);
    }
    job_remove(&j);
}

/* Without --resume an old part is replaced, whatever it is. */
static void test_replaced(void)
{
    job j = job_small("replaced");
    for (int i = 0; i < 2; i++) {
        if (i)
            job_kill_half(&j);
        else
            write_text(j.part, "of an earlier run");
        ran r = job_run(&j, j.out, NULL);
        EXPECT(ran_well(&r), "^ with a stale OUT.part");
        ran_free(&r);
        job_check_whole(&j, "stale", i);
        job_remove(&j);
    }
}

/* A bad option or input is no reason to throw away what an earlier run has done. */
static void test_kept(void)
{
    job j = job_small("kept");
    const char *const bad[][3] = {{"--dop", "7", NULL}, {"--device", "none", NULL}};
    job_kill_half(&j);
    for (int i = 0; i < 2; i++) {
        ran r = RAN("run", j.in, "-o", j.out, bad[i][0], bad[i][1]);
        EXPECT(ran_failed(&r, i ? 4 : 2, bad[i][0] + 2, NULL), "^ %s", bad[i][0]);
        ran_free(&r);
    }
    ran r = RAN("run", at("none.vtkhdf"), "-o", j.out);
    EXPECT(ran_failed(&r, 3, "none.vtkhdf", NULL), "^ no input");
    ran_free(&r);
    EXPECT(job_check_part(&j, "errors", 0) > 1, "OUT.part is gone");
    job_go_on(&j, "errors", 0);
}

static void test_no_part(void)
{
    job j = job_small("no part");
    ran r = job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 3, j.part, "No such file"), "^ --resume without OUT.part");
    EXPECT(!exists(j.out) && !exists_part(j.out), "something is there");
    ran_free(&r);
    copy_file(j.whole, j.out); /* OUT is there: a usage error, with and without OUT.part */
    r = job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 2, j.out, "--force"), "^ --resume beside OUT");
    ran_free(&r);
    job_remove(&j);
}

/* All frames are there, only the name is not. */
static void test_complete(void)
{
    job j = job_small("complete");
    copy_file(j.whole, j.part);
    job_go_on(&j, "all frames done", 0);
}

/* Two runs must not write the same file. The first waits in the middle of it. */
static void test_two_runs(void)
{
    job j = job_small("two runs");
    long half = job_count(&j, NULL) / 2;
    const char *line[JOB_LINE];
    job_line(&j, j.out, NULL, line);
    job_fragile("stop", half);
    program p = program_start(line);
    CU_ASSERT_FATAL(program_stopped(&p));
    program_set(&(program_how){.printed = "second"});
    ran r = job_run(&j, j.out, NULL);
    EXPECT(ran_failed(&r, 1, j.part, "in use"), "^ a second run");
    ran_free(&r);
    r = job_run(&j, j.out, "--resume");
    EXPECT(ran_failed(&r, 3, j.part, "in use"), "^ a second run with --resume");
    ran_free(&r);
    program_plain();
    kill(p.pid, SIGCONT);
    r = program_wait(&p);
    EXPECT(ran_well(&r), "^ the first run");
    ran_free(&r);
    job_check_whole(&j, "two runs", 0);
    job_remove(&j);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"other_options", test_other_options},
                                 {"same_options", test_same_options},
                                 {"other_input", test_other_input},
                                 {"damaged", test_damaged},
                                 {"changed", test_changed},
                                 {"replaced", test_replaced},
                                 {"kept", test_kept},
                                 {"no_part", test_no_part},
                                 {"complete", test_complete},
                                 {"two_runs", test_two_runs},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "resume", tests);
}
