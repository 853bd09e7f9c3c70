/* run --counts against the rows of the result, counted here, with their least distances; and the
 * file as an input itself: its links give it the selected frames, so a run on it has the same
 * contacts. oracles/counts.py tests it with VTK's reader. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "h5_series.h"
#include "program_job.h"
#include "layouts.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNTS "VTKHDF/CellData/Contacts"
#define FIRST "VTKHDF/Steps/CellDataOffsets/Contacts"

/* Checks the contacts of each primitive against the result's rows. Returns their sum. */
static int64_t check_counts_all(const char *about, const char *out, const char *file)
{
    rows r = read_rows(out);
    size_t n, steps, times;
    int64_t *count = h5_ints(file, COUNTS, &n), *first = h5_ints(file, FIRST, &steps), sum = 0;
    double *time = h5_reals(file, "VTKHDF/Steps/Values", &times);
    double *want_time = h5_reals(out, "VTKHDF/Steps/Values", &times);
    int64_t *want = calloc(n + 1, sizeof *want);
    CU_ASSERT_FATAL(want != NULL);
    EXPECT(steps == r.frames && times == r.frames, "%s: %zu steps, not %zu", about, steps,
           r.frames);
    EXPECT(!memcmp(time, want_time, times * sizeof *time), "%s: other times", about);
    for (size_t i = 0; i < r.count; i++) {
        const size_t row[2] = {(size_t)(first[r.frame[i]] + r.a[i]),
                               (size_t)(first[r.frame[i]] + r.b[i])};
        const size_t end = r.frame[i] + 1 < steps ? (size_t)first[r.frame[i] + 1] : n;
        EXPECT(row[0] < end && row[1] < end, "%s: row %zu: beyond its frame", about, i);
        for (int k = 0; k < 2; k++)
            want[row[k] < n ? row[k] : n]++;
    }
    for (size_t i = 0; i < n; i++) {
        EXPECT(count[i] == want[i], "%s: row %zu: %lld, not %lld", about, i, (long long)count[i],
               (long long)want[i]);
        sum += count[i];
    }
    EXPECT(sum == 2 * (int64_t)r.count, "%s: sum %lld of %zu contacts", about, (long long)sum,
           r.count);
    EXPECT(!exists_part(file), "%s: a part is left", about);
    void *all[] = {count, first, time, want_time, want};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free_rows(&r);
    return sum;
}

/* Checks the least distance of each primitive, which is `most` where it has no row; and that there
 * is no such array in a file of contacts. */
static void check_counts_least(const char *about, const char *out, const char *file, double most)
{
    rows r = read_rows(out);
    size_t n, steps, wrong = 0;
    free(h5_ints(file, COUNTS, &n));
    int64_t *first = h5_ints(file, "VTKHDF/Steps/CellDataOffsets/LeastDistance", &steps);
    double *least = h5_reals(file, "VTKHDF/CellData/LeastDistance", &n);
    double *want = malloc((n + 1) * sizeof *want);
    CU_ASSERT_FATAL(want != NULL && r.distance && steps == r.frames);
    for (size_t i = 0; i < n; i++)
        want[i] = most;
    for (size_t i = 0; i < r.count; i++)
        for (int k = 0; k < 2; k++) {
            double *to = want + first[r.frame[i]] + (k ? r.b[i] : r.a[i]);
            *to = r.distance[i] < *to ? r.distance[i] : *to;
        }
    for (size_t i = 0; i < n; i++)
        wrong += least[i] != want[i];
    EXPECT(!wrong && n, "%s: %zu of %zu least distances are wrong", about, wrong, n);
    void *all[] = {first, least, want};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free_rows(&r);
}

static void check_counts_no_least(const char *file)
{
    hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT(H5Lexists(f, "VTKHDF/CellData/LeastDistance", H5P_DEFAULT) == 0, "%s", file);
    H5Fclose(f);
}

/* A run on the frames that the file shows gives the same contacts as `out`. */
static void check_counts_frames(const char *about, const char *out, const char *file,
                                const char *const option[2])
{
    const char *again = at("again.vtkhdf");
    ran r = RAN("run", file, "-o", again, "--force", "-q", CPU, option[0], option[1]);
    EXPECT(ran_warned(&r), "^ %s: its frames", about);
    ran_free(&r);
    const char *what = h5_same(out, again, "VTKHDF");
    EXPECT(!what, "%s: its frames: %s", about, what);
}

/* ---- every layout */

/* All frames, and some of them backwards. */
static void check_counts_layout(const make *m, const char *about)
{
    static const char *const none[2] = {NULL};
    const char *in = make_write(m, "layout.vtkhdf"), *file = at("counts.vtkhdf");
    const char *out = at("out.vtkhdf");
    RUN_WITH(in, "--counts", file);
    check_counts_all(about, out, file);
    check_counts_frames(about, out, file, none);
    if (m->no_steps || make_frames(m) < 2)
        return;
    RUN_WITH(in, "--counts", file, "--frames", "::-2", "--block", "1");
    check_counts_all(about, out, file);
    check_counts_frames(about, out, file, none);
}

static void test_counts_layouts(void)
{
    for (const layout *l = layouts; l->name; l++)
        for (int unstructured = 0; unstructured < 2; unstructured++) {
            char about[200];
            rng r = {31};
            make m = {.unstructured = unstructured, .steps_columns = unstructured};
            if ((l->solids || TEST_SANITIZED) && !unstructured)
                continue;
            m.storage = unstructured ? MAKE_DEFLATE : MAKE_CHUNKED;
            m.point_type = unstructured ? H5T_IEEE_F32LE : 0;
            l->build(&m, &r);
            snprintf(about, sizeof about, "%s, %d", l->name, unstructured);
            check_counts_layout(&m, about);
            make_free(&m);
        }
}

/* ---- runs */

/* Objects of two arrays, steps, --baseline, candidates. */
static void test_runs(void)
{
    static const char *const part[2] = {"--objects", "array:Part"};
    const char *in = make_batch(), *out = at("out.vtkhdf"), *file = at("counts.vtkhdf");
    RUN_WITH(in, "--counts", file);
    EXPECT(check_counts_all("plain", out, file) > 100, "too few contacts");
    check_counts_no_least(file);
    RUN_WITH(in, "--counts", file, "--distance", "0.125", "--frames", "::-1");
    EXPECT(check_counts_all("distances", out, file) > 200, "too few pairs");
    check_counts_least("distances", out, file, 0.125);
    RUN_WITH(in, "--counts", file, "--distance", "0.125", "--stage", "candidates");
    check_counts_no_least(file);
    RUN_WITH(in, "--counts", file, "--pairs", "between", part[0], part[1]);
    check_counts_all("an array", out, file);
    RUN_WITH(in, "--counts", file, part[0], part[1]);
    check_counts_frames("an array", out, file, part);
    RUN_WITH(in, "--counts", file, "--stage", "candidates");
    check_counts_all("candidates", out, file);
    RUN_STEPS(in, out, "--counts", file, "--baseline", "0", "--frames", "1:");
    check_counts_all("baseline", out, file);
    RUN_STEPS(in, out, "--counts", file);
    EXPECT(check_counts_all("steps", out, file) > 100, "too few contacts");
    RUN_WITH(in, "--frames", ":-1"); /* the first frame of each step */
    check_counts_frames("steps", out, file, (const char *const[2]){NULL});
    RUN_STEPS(in, out, "--counts", file, "--frames", ":1");
    EXPECT(check_counts_all("no step", out, file) == 0, "counts without a step");
}

/* The input is virtual: its rows lie in other files. */
static void test_counts_series(void)
{
    const char *in = make_batch(), *file = at("counts.vtkhdf");
    series_spread_all(in, 3);
    RUN_WITH(in, "--counts", file);
    check_counts_all("series", at("out.vtkhdf"), file);
    check_counts_frames("series", at("out.vtkhdf"), file, (const char *const[2]){NULL});
}

/* The link is relative to the real folder of the file, so both can be moved together. */
static void test_counts_moved(void)
{
    const char *in = at("here/in.vtkhdf"), *link = at("link.vtkhdf"), *out = at("out.vtkhdf");
    const char *const none[2] = {NULL};
    CU_ASSERT(!mkdir(at("here"), 0777) && !mkdir(at("here/below"), 0777));
    CU_ASSERT(!mkdir(at("here/below/it"), 0777));
    copy_file(make_batch(), in);
    CU_ASSERT(!symlink("here/below/it/counts.vtkhdf", link));
    RUN_WITH(in, "--counts", link);
    check_counts_all("a link", out, at("here/below/it/counts.vtkhdf"));
    CU_ASSERT(!rename(at("here"), at("there")));
    check_counts_frames("moved", out, at("there/below/it/counts.vtkhdf"), none);
    RUN_WITH(at("there/in.vtkhdf"), "--counts", at("there/beside.vtkhdf"));
    CU_ASSERT(!rename(at("there"), at("here")));
    check_counts_frames("beside", out, at("here/beside.vtkhdf"), none);
    RUN_WITH(in, "--counts", at("above.vtkhdf"));
    check_counts_frames("above", out, at("above.vtkhdf"), none);
}

/* ---- interruptions */

/* Resumed after a kill; then rewritten by the same command, but not by any other one. */
static void test_counts_resume(void)
{
    sample_job j = sample_job_small("counts");
    const char *file = at("counts.vtkhdf"), *other = at("other.vtkhdf");
    job_kill_half(&j);
    unlink(file);
    for (int again = 0; again < 2; again++) {
        ran r =
            RAN("run", j.in, "-o", j.out, CPU, "--block", "1", "-q", "--resume", "--counts", file);
        EXPECT(ran_well(&r), "^ resumed, %d", again);
        ran_free(&r);
        job_check_whole(&j, "resume", again);
        check_counts_all("resumed", j.out, file);
        write_text(file, "cut sho");
    }
    write_text(other, "precious");
    ran r = RAN("run", j.in, "-o", j.out, CPU, "-q", "--resume", "--counts", other);
    EXPECT(ran_failed(&r, 2, other, "--force"), "^ another file");
    ran_free(&r);
    sample_job_remove(&j);
    unlink(file);
}

/* After a fault the file is absent and OUT is whole. */
static void check_ended(const sample_job *j, const char *kind, long k, const char *option, int code)
{
    const char *file = at("counts.vtkhdf");
    job_fragile(kind, k);
    ran r = sample_job_run(j, j->out, option);
    program_plain();
    if (exists(file)) /* only the folder was not synced */
        EXPECT(r.code == 0, "%s at %ld: exit %d", kind, k, r.code);
    else
        EXPECT(ran_failed(&r, code, file, code == 5 ? "full" : "signal"), "^ %s at %ld", kind, k);
    EXPECT(!exists_part(file), "%s at %ld: a part is left", kind, k);
    job_check_whole(j, kind, k);
    ran_free(&r);
    sample_job_remove(j);
    unlink(file);
}

static void test_counts_ends(void)
{
    sample_job j = sample_job_small("counts");
    char option[600];
    snprintf(option, sizeof option, "--counts=%s", at("counts.vtkhdf"));
    const long before = job_count(&j, NULL);
    unlink(at("counts.vtkhdf"));
    const long all = job_count(&j, option);
    unlink(at("counts.vtkhdf"));
    EXPECT(all > before + 5, "%ld changes of files, %ld before", all, before);
    for (long k = before; k < all; k += TEST_SANITIZED ? 4 : 1)
        check_ended(&j, "full", k, option, 5);
    const long looks = job_count_of(&j, "look", NULL), more = job_count_of(&j, "look", option);
    unlink(at("counts.vtkhdf"));
    EXPECT(more >= looks + 7, "%ld looks, %ld before", more, looks);
    for (long k = looks; k < more; k += TEST_SANITIZED ? 15 : 5)
        check_ended(&j, "look", k, option, 143);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"layouts", test_counts_layouts},
                                 {"runs", test_runs},
                                 {"series", test_counts_series},
                                 {"moved", test_counts_moved},
                                 {"resume", test_counts_resume},
                                 {"ends", test_counts_ends},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "counts", tests);
}
