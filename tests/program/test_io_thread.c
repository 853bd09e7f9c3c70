/* Reading, computing and writing at the same time (host/cli/io_thread.c): that they overlap, that
 * results do not depend on it, and which error is reported if there are several. */
#include "cli.h"
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "io_thread.h"
#include "spoilt.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the same result */

/* A batch in which each frame has its own topology. */
static const char *io_thread_test_changing_batch(size_t frames, int64_t triangles,
                                                 int64_t bad_frame)
{
    make m = {0};
    rng r = {17};
    int64_t *ids = calloc((size_t)(3 * triangles), sizeof *ids);
    CU_ASSERT_FATAL(ids != NULL);
    for (size_t f = 0; f < frames; f++) {
        for (int64_t i = 0; i < 3 * triangles; i++)
            ids[i] = (i + (int64_t)f) % (3 * triangles);
        if ((int64_t)f == bad_frame)
            ids[5] = 3 * triangles;
        make_part(&m, 3 * triangles, triangles, ids);
        make_step_next(&m, (double)f, 1);
        make_random_points(&m, (size_t)(3 * triangles), &r);
    }
    free(ids);
    const char *path = make_write(&m, "changing.vtkhdf");
    make_free(&m);
    return path;
}

/* Divisions of a batch into blocks, with all memory and with very little: half of all combinations.
 */
static void check_io_thread_blocks(const char *in, const char *stage, const char *const *limits)
{
    static const char *const blocks[] = {"1", "3", "4", "1000"};
    const char *first = at("first.vtkhdf"), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", first, "--device", "cpu", "--stage", stage, "--force", "-q");
    EXPECT(ran_well(&r), "^ %s", in);
    ran_free(&r);
    for (int i = 0; limits[i]; i += 1 + (TEST_SANITIZED && limits[i + 1]))
        for (int b = (i + 1) % 2; b < 4; b += TEST_SLOW ? 4 : 2) {
            r = RAN("run", in, "-o", out, "--device", "cpu", "--stage", stage, "--force", "-q",
                    "--block", blocks[b], "--mem-limit", limits[i]);
            EXPECT(ran_well(&r), "^ %s, --block %s --mem-limit %s", in, blocks[b], limits[i]);
            if (r.code == 0) {
                const char *what = h5_same(first, out, "VTKHDF");
                EXPECT(!what, "%s, --block %s --mem-limit %s: %s", in, blocks[b], limits[i], what);
            }
            ran_free(&r);
        }
    r = RAN("check", out, "--input", in, "--sample", "5", "-q");
    EXPECT(ran_well(&r), "^ check of %s", in);
    ran_free(&r);
}

static void test_io_thread_blocks(void)
{
    static const char *const limits[] = {"4M", "30M", "2G", NULL};
    const char *in = at("soup.vtkhdf");
    ran r = RAN("generate", "soup", "-o", in, "-n", "2000", "--frames", "31", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    check_io_thread_blocks(in, "contacts", limits);
    check_io_thread_blocks(io_thread_test_changing_batch(31, 300, -1), "contacts", limits);
}

/* Contacts of many times more bytes than the memory limit. */
static void test_more_than_fits(void)
{
    static const char *const limits[] = {"4M", "60M", NULL};
    const char *in = at("hostile.vtkhdf");
    ran r = RAN("generate", "hostile", "-o", in, "-n", TEST_SANITIZED ? "400" : "600", "--frames",
                "6", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    check_io_thread_blocks(in, "candidates", limits);
}

/* ---- at the same time */

#define FRAMES 24
#define FRAMES_TEXT "24"

static ran run_fragile(const char *in, const char *out, const char *frames, const char *fault)
{
    program_set(&(program_how){.program = IMP_FRAGILE,
                               .variable = {{"IMPINGE_FRAGILE", fault},
                                            {"IMPINGE_FRAGILE_COUNT", at("count")},
                                            {"IMPINGE_HASTY", "1"}}});
    ran r = RAN("run", in, "-o", out, "--force", "-q", "--device", "cpu", "--threads", "1",
                "--block", "1", "--frames", frames);
    program_plain();
    return r;
}

/* Every block is computed while the next one is read, or the previous one is written: both sides
 * wait until the other has started, so without overlap they would wait in vain. */
static void check_io_thread_overlap(const char *in, const char *whole, const char *kind)
{
    const char *out = at("meet.vtkhdf");
    char fault[40];
    snprintf(fault, sizeof fault, "%s:%d", kind, FRAMES - 1);
    ran r = run_fragile(in, out, ":", fault);
    EXPECT(ran_well(&r), "^ %s", kind);
    EXPECT(job_changes() == FRAMES - 1, "%s: %ld blocks of %d", kind, job_changes(), FRAMES - 1);
    const char *what = h5_same(whole, out, "VTKHDF");
    EXPECT(!what, "%s: %s", kind, what);
    ran_free(&r);
}

static void test_io_thread_overlap(void)
{
    const char *in = at("overlap.vtkhdf"), *whole = at("whole.vtkhdf");
    ran r = RAN("generate", "hostile", "-o", in, "-n", "400", "--frames", FRAMES_TEXT, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("run", in, "-o", whole, "--device", "cpu", "--block", "1000", "-q");
    EXPECT(ran_well(&r), "^ all frames in a block");
    ran_free(&r);
    check_io_thread_overlap(in, whole, "meetread");
    check_io_thread_overlap(in, whole, "meetwrite");
}

/* ---- errors */

/* The outcome of such a run; each block is committed, and `slow` delays writing, so that computing
 * is ahead of it, or reading, so that computing is behind. */
static void check_spoilt(const char *in, const char *fault, const char *slow, int code,
                         const char *word)
{
    const char *out = at("out.vtkhdf");
    unlink(out);
    unlink(at("out.vtkhdf.part"));
    program_set(&(program_how){
        .program = IMP_FRAGILE,
        .variable = {{"IMPINGE_SLOW", slow}, {"IMPINGE_FRAGILE", fault}, {"IMPINGE_HASTY", "1"}}});
    ran r = RAN("run", in, "-o", out, "--device", "cpu", "--threads", "1", "--block", "1");
    program_plain();
    EXPECT(ran_failed(&r, code, word, NULL), "^ slow %s, fault %s", slow, fault);
    EXPECT(!exists(out), "slow %s, fault %s: OUT is there", slow, fault);
    EXPECT(code != 3 || !exists_part(out), "slow %s, fault %s: OUT.part is left", slow, fault);
    ran_free(&r);
}

/* The error of the earlier frame is reported, whichever thread is faster. */
static void test_io_thread_first_error(void)
{
    static const char *const slow[] = {"0:0", "0:200", "600:0"};
    for (int i = 0; i < (TEST_SANITIZED ? 1 : 3); i++) {
        check_spoilt(spoilt_batch(9, 10), "none:0", slow[i], 3, "frame 9");
        for (int64_t torn = 2; torn < 5; torn++) /* read while the first one is computed */
            check_spoilt(spoilt_batch(1, torn), "none:0", slow[i], 3, "frame 1");
        check_spoilt(spoilt_batch(9, 9), "none:0", slow[i], 3, "Connectivity");
        check_spoilt(spoilt_batch(10, 9), "none:0", slow[i], 3, "Connectivity");
        check_spoilt(spoilt_batch(SPOILT_FRAMES - 1, -1), "none:0", slow[i], 3, "frame 23");
        check_spoilt(spoilt_batch(0, -1), "none:0", slow[i], 3, "frame 0");
        check_spoilt(spoilt_batch(SPOILT_FRAMES, 0), "none:0", slow[i], 3, "Connectivity");
    }
}

/* The disk fills up, or fails, during the output before the bad frame, which computing or reading
 * reached long before. */
static void test_full_before_bad(void)
{
    sample_job j = sample_job_small("full before bad");
    long changes = job_count(&j, NULL); /* for 7 frames, as small as those here */
    char fault[40];
    for (long k = 4; k < 17; k += TEST_SANITIZED ? 6 : 3) {
        snprintf(fault, sizeof fault, "full:%ld", changes * k / 24);
        check_spoilt(spoilt_batch(6, -1), fault, "0:500", 5, "full");
        check_spoilt(spoilt_batch(SPOILT_FRAMES, 6), fault, "0:500", 5, "full");
        snprintf(fault, sizeof fault, "broken:%ld", changes * k / 24);
        check_spoilt(spoilt_batch(SPOILT_FRAMES - 1, -1), fault, "0:500", 1, "written");
    }
}

static long count_reads(const char *in, const char *frames)
{
    ran r = run_fragile(in, at("read.vtkhdf"), frames, "unread:1000000000");
    EXPECT(ran_well(&r), "^ counting reads");
    ran_free(&r);
    return job_changes();
}

/* All reads from the n-th on fail: one line about the input, and no output is left. The reads of a
 * run of one frame are excluded: the last reads are those of the complete result. */
static void test_io_thread_unreadable(void)
{
    const char *in = spoilt_batch(SPOILT_FRAMES, -1);
    long n = (long)test_count(TEST_SANITIZED ? 6 : 20);
    long all = count_reads(in, ":") - count_reads(in, ":1");
    EXPECT(all > SPOILT_FRAMES, "%ld reads", all);
    for (long i = 0; i < n; i++) {
        char fault[40];
        snprintf(fault, sizeof fault, "unread:%ld", job_moment(all, (uint64_t)i, (uint64_t)n));
        check_spoilt(in, fault, i % 2 ? "500:0" : "0:100", 3, in);
    }
}

/* ---- signals */

/* A signal while the program waits for a slow disk: all computed frames are in OUT.part. */
static void check_stopped(const sample_job *j, const char *slow, const char *kind, long n)
{
    char words[60], fault[40];
    snprintf(fault, sizeof fault, "%s:%ld", kind, n);
    program_set(&(program_how){
        .program = IMP_FRAGILE,
        .variable = {{"IMPINGE_SLOW", slow}, {"IMPINGE_FRAGILE", fault}, {"IMPINGE_HASTY", "1"}}});
    ran r = sample_job_run(j, j->out, NULL);
    program_plain();
    EXPECT(ran_failed(&r, 143, "signal", NULL), "^ slow %s", slow);
    long long done = sample_job_check_part(j, "slow", n);
    snprintf(words, sizeof words, "after %lld of 30 frames", done);
    EXPECT(done > 0 && strstr(r.err, words), "%lld frames in OUT.part: %s", done, r.err);
    ran_free(&r);
    job_go_on(j, "slow", n);
}

static void test_stop_slow(void)
{
    sample_job j = sample_job_long("slow disk", "1");
    check_stopped(&j, "5000:0", "reading", 15);
    check_stopped(&j, "0:3000", "term", job_count(&j, NULL) / 2);
}

/* The queue of contacts is full, since writing is the slowest part; there are few primitives, so
 * that the memory unused by reading does not help. */
static void test_all_wait(void)
{
    const char *in = at("tissue.vtkhdf"), *out = at("out.vtkhdf");
    if (TEST_SLOW)
        SKIP("writes 50 MB, and how blocks of memory are rounded is another matter here");
    ran r = RAN("generate", "tissue-fold", "-o", in, "-n", "13000", "--frames", "2", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    program_set(&(program_how){.program = IMP_FRAGILE, .variable = {{"IMPINGE_SLOW", "0:500"}}});
    r = RAN("run", in, "-o", out, "--device", "cpu", "--stage", "candidates", "--adjacent", "test",
            "--mem-limit", "2G", "--force", "-q");
    program_plain();
    EXPECT(ran_well(&r), "^ a run whose contacts wait");
    ran_free(&r);
}

/* ---- the first of several callers' errors */

/* Default options, and an input with enough frames. */
static void open_job(job *w)
{
    static const cli_option none[] = {{0}};
    static const cli_verb verb = {.name = "test", .options = none, .more = job_option_list};
    const char *in = at("errors.vtkhdf");
    char name[] = "test", *word[] = {name, NULL};
    int count;
    ran r = RAN("generate", "soup", "-o", in, "-n", "200", "--frames", "9", "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    CU_ASSERT_FATAL(cli_parse(&verb, 1, word, w, &count) < 0);
    job_begin(w, in, 0);
    CU_ASSERT_FATAL(!job_open(w));
    w->mem.frames_at_once = 9; /* as if a pipeline had been made */
}

/* Three callers have blocks 0 to 2, which fail in this order; after that no caller gets a block. */
static void fail_in_order(job *w, const size_t order[3])
{
    io_thread *io;
    io_block *b[3], *more;
    io_thread_done done;
    CU_ASSERT_FATAL(!io_thread_start(w, NULL, 0, 1, 3, &io));
    for (size_t i = 0; i < 3; i++) {
        io_thread_next_block(io, &b[i]);
        CU_ASSERT_FATAL(b[i] && b[i]->first == i);
    }
    for (size_t i = 0; i < 3; i++)
        io_thread_fail_block(io, b[order[i]], imp_fail(IMP_ERR_DEVICE, "block %zu", order[i]));
    io_thread_next_block(io, &more);
    CU_ASSERT(more == NULL);
    const int err = io_thread_stop(io, &done);
    EXPECT(err == IMP_ERR_DEVICE && !strcmp(imp_error_text(), "block 0"), "%zu %zu %zu: %s",
           order[0], order[1], order[2], imp_error_text());
    CU_ASSERT(done.steps == 0);
}

/* The error is that of the first block in any order, as with one caller. */
static void test_first_block(void)
{
    static const size_t orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    job w = {0};
    open_job(&w);
    for (size_t i = 0; i < 6; i++)
        fail_in_order(&w, orders[i]);
    job_close(&w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"blocks", test_io_thread_blocks},
                                 {"more_than_fits", test_more_than_fits},
                                 {"overlap", test_io_thread_overlap},
                                 {"first_error", test_io_thread_first_error},
                                 {"full_before_bad", test_full_before_bad},
                                 {"unreadable", test_io_thread_unreadable},
                                 {"stop_slow", test_stop_slow},
                                 {"all_wait", test_all_wait},
                                 {"first_block", test_first_block},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "io_thread", tests);
}
