/* The program when one of its allocations fails, the first, the second, and so on: it says so in
 * one line and exits with 5, or does without; and it leaves nothing that looks complete.
 * Allocations are those of forgetful.h, in all threads; they include GMP's. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOMENTS 16 /* spread over all allocations of a run */
#define EVERY (TEST_SANITIZED ? 40 : UINT64_MAX)
#define ALLOCATIONS 4000 /* at most in a run */

static const char *in, *whole, *obj, *solid, *pairs, *out;

/* Two steps of a quad and a tetrahedron, each an object. */
static const char *memory_test_write_cells(void)
{
    make m = {.unstructured = 1};
    for (int f = 0; f < 2; f++) {
        make_part_of(&m, 4, 2, (const int64_t[]){9, 10}, (const int64_t[]){0, 1, 3, 2, 0, 1, 2, 3});
        make_step_next(&m, f, 1);
        make_points(&m, 4, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, f, 1});
        make_add(&m.cells[0].value, 3);
        make_add(&m.cells[0].value, 4);
    }
    m.cells[0].name = "ObjectId";
    const char *path = at("cells.vtkhdf");
    make_write(&m, "cells.vtkhdf");
    make_free(&m);
    return path;
}

static void memory_test_make_files(void)
{
    if (in)
        return;
    sample_job j = sample_job_small("memory");
    in = j.in;
    whole = j.whole;
    obj = at("mesh.obj");
    solid = memory_test_write_cells();
    pairs = at("pairs.txt");
    out = at("memory.out");
    write_text(obj, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                    "o two\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\n");
    write_text(pairs, "0 0\n0 1\n");
}

static const char *memory_test_generate(const char *name, const char *scene, const char *set,
                                        const char *value)
{
    const char *path = at(name);
    ran r = RAN("generate", scene, "-n", "100", "--frames", "3", "-o", path, "-q", "--force", set,
                value);
    EXPECT(ran_well(&r), "^ generate %s", scene);
    ran_free(&r);
    return path;
}

/* An allocation: the n-th of a call stack, or of the run if `stack` is 0. */
typedef struct moment {
    uint64_t stack;
    long n;
} moment;

/* Runs with that allocation failing. */
static ran run_forgetful(const char *const *line, moment m)
{
    char fault[40], stack[40];
    snprintf(fault, sizeof fault, "memory:%ld", m.n);
    snprintf(stack, sizeof stack, "%llu", (unsigned long long)m.stack);
    program_set(
        &(program_how){.program = IMP_FRAGILE,
                       .variable = {{"IMPINGE_FRAGILE", fault},
                                    {"IMPINGE_FRAGILE_COUNT", at("count")},
                                    {"IMPINGE_FRAGILE_STACK", stack},
                                    {"OMP_WAIT_POLICY", "passive"}}}); /* starts once, main.c */
    ran r = program_run(line);
    program_plain();
    return r;
}

/* Counts the allocations of a run; its output, if any, is kept for comparison. */
static long count_allocations(const char *const *line)
{
    unlink(out);
    unlink(at("wanted"));
    ran r = run_forgetful(line, (moment){0, 1000000000});
    EXPECT(ran_warned(&r), "^ %s", line[0]);
    ran_free(&r);
    if (exists(out))
        CU_ASSERT_FATAL(!rename(out, at("wanted")));
    return job_changes();
}

/* The program did without the allocation: nothing may be missing. */
static void check_done(const char *const *line, const char *name)
{
    int64_t frames;
    const char *what = NULL;
    if (exists(at("wanted")))
        what = h5_same(at("wanted"), out, "VTKHDF");
    if (!what && !strcmp(line[0], "run"))
        what = h5_begins(out, at("wanted"), &frames); /* and the tables of /impinge */
    EXPECT(!what, "%s did without allocation %s: %s", line[0], name, what);
}

static int exact; /* allocations of GMP that have failed */

/* Fails one allocation; returns whether the run reached it. `all`: number of allocations. */
static int check_moment(const char *const *line, moment m, long all)
{
    char name[80];
    snprintf(name, sizeof name, "%ld of %ld, stack %llu", m.n, all, (unsigned long long)m.stack);
    ran r = run_forgetful(line, m);
    const int by_gmp = strstr(r.err, "exact arithmetic needs") != NULL; /* not in the count */
    const int failed = by_gmp || job_changes() > m.n;
    exact += by_gmp;
    if (r.code)
        EXPECT(ran_failed(&r, 5, NULL, NULL), "^ %s, allocation %s", line[0], name);
    if (!r.code)
        check_done(line, name);
    if (r.code && exists(out)) { /* only the summary failed */
        ran c = RAN("check", out, "--input", line[1], "-q");
        EXPECT(!strcmp(line[0], "run") && ran_well(&c), "^ OUT after allocation %s", name);
        ran_free(&c);
    }
    ran_free(&r);
    if (exists_part(out)) {
        ran i = RAN("info", at("memory.out.part"));
        EXPECT(ran_well(&i), "^ OUT.part after %s, allocation %s", line[0], name);
        ran_free(&i);
    }
    unlink(out);
    unlink(at("memory.out.part"));
    return failed;
}

/* Tries `most` of the allocations of a run. Each one must be reached, else the sweep does not show
 * what it seems to: every run must make as many allocations as were counted. */
static void memory_test_sweep(const char *const *line, uint64_t most)
{
    long all = count_allocations(line);
    uint64_t n = most < (uint64_t)all ? most : (uint64_t)all, failed = 0;
    EXPECT(all > 20, "%s: only %ld allocations", line[0], all);
    for (uint64_t i = 0; i < n; i++)
        failed += (uint64_t)check_moment(line, (moment){0, job_moment(all, i, n)}, all);
    EXPECT(failed == n, "%s: %llu of %llu allocations failed, there are %ld", line[0],
           (unsigned long long)failed, (unsigned long long)n, all);
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SWEEP(...) memory_test_sweep(LINE(__VA_ARGS__), test_count(MOMENTS))

/* ---- every call stack that allocates */

typedef struct moments {
    size_t count;
    moment list[2 * ALLOCATIONS];
    size_t stacks; /* call stacks that were tried */
    uint64_t stack[ALLOCATIONS];
} moments;

static int numbers_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The call stacks of a run's allocations, in order. Returns the number of allocations. */
static size_t find_stacks(const char *const *line, uint64_t *stack)
{
    size_t n = 0;
    program_set(&(program_how){.program = IMP_FRAGILE,
                               .variable = {{"IMPINGE_FRAGILE", "memory:1000000000"},
                                            {"IMPINGE_FRAGILE_STACKS", at("stacks")}}});
    ran r = program_run(line);
    program_plain();
    EXPECT(ran_warned(&r), "^ %s", line[0]);
    ran_free(&r);
    unlink(out);
    char *text = file_text(at("stacks"), NULL), *from = text;
    for (char *end; n < ALLOCATIONS; from = end, n++) {
        stack[n] = strtoull(from, &end, 10);
        if (end == from)
            break;
    }
    EXPECT(n < ALLOCATIONS, "more than %d allocations", ALLOCATIONS);
    free(text);
    qsort(stack, n, sizeof *stack, numbers_order);
    return n;
}

static int is_tried(const moments *m, uint64_t stack)
{
    size_t i = 0;
    while (i < m->stacks && m->stack[i] != stack)
        i++;
    return i < m->stacks;
}

/* The first and the last allocation of each call stack that has not been tried. */
static void find_moments(const char *const *line, moments *m)
{
    static uint64_t stack[ALLOCATIONS];
    const size_t n = find_stacks(line, stack);
    m->count = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && stack[end] == stack[i]; end++) {
        }
        if (is_tried(m, stack[i]))
            continue;
        m->stack[m->stacks++] = stack[i];
        m->list[m->count++] = (moment){stack[i], 0};
        if (end - i > 1)
            m->list[m->count++] = (moment){stack[i], (long)(end - i) - 1};
    }
}

/* Some call stacks allocate only for certain timings of the threads: the run is repeated with its
 * own count of allocations. */
static int check_memory_again(const char *const *line, moment m, long all)
{
    for (int i = 0; i < 5; i++) {
        if (check_moment(line, m, all))
            return 1;
        if (job_changes() > 0)
            m.n = job_changes() - 1;
    }
    return 0;
}

/* In a soak, every allocation. Otherwise the first and the last of each call stack; a call stack
 * that occurs in several runs is tried in one of them. */
static void sweep_stacks(const char *const *line, moments *m)
{
    if (test_count(1) > 1) {
        memory_test_sweep(line, EVERY);
        return;
    }
    const long all = count_allocations(line);
    size_t failed = 0;
    find_moments(line, m);
    const size_t n = m->count < EVERY ? m->count : (size_t)EVERY;
    for (size_t i = 0; i < n; i++)
        failed += (size_t)check_memory_again(
            line, m->list[(size_t)job_moment((long)m->count, i, n)], all);
    /* a few depend on the timing of threads, and may not recur on a busy machine */
    EXPECT(n > 20 && failed >= n - n / 20, "%s: %zu of %zu allocations failed", line[0], failed, n);
}

/* Runs that differ in their allocations. */
static void test_every(void)
{
    static moments m;
    memory_test_make_files();
    const char *solids = memory_test_generate("solids.vtkhdf", "scalpel", "--set", "begin=50"),
               *bodies = memory_test_generate("bodies.vtkhdf", "missile", NULL, NULL);
    sweep_stacks(LINE("run", in, "-o", out, "--device", "cpu", "--object-pairs", pairs, "-q"), &m);
    sweep_stacks(LINE("run", solids, "-o", out, "--device", "cpu", "--update", "keep", "-q"), &m);
    sweep_stacks(LINE("run", bodies, "-o", out, "--device", "cpu", "--broad", "tree", "-q"), &m);
}

static void test_memory_run(void)
{
    memory_test_make_files();
    SWEEP("run", in, "-o", out, "--device", "cpu", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--objects", "connected", "--dop", "18", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--broad", "hash", "--adjacent", "test", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--block", "1", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--continuous", "--update", "rebuild",
          "--threads", "1", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--inside", "--objects", "connected", "--space",
          "2", "--force", "-q");
}

static void test_memory_batches(void)
{
    memory_test_make_files();
    SWEEP("convert", obj, "--as", "objects", "-o", out, "-q");
    SWEEP("convert", obj, "--groups", "--weld", "0", "-o", out, "-q");
    SWEEP("convert", obj, solid, "--groups", "--order", "given", "-o", out, "-q");
    SWEEP("generate", "cloth-fold", "--primitives", "500", "-o", out, "-q");
    SWEEP("generate", "scalpel", "-n", "100", "--set", "begin=50", "--frames", "3", "-o", out,
          "-q");
}

/* The results of two shards, and their join. */
static void test_shards(void)
{
    memory_test_make_files();
    const char *shard[] = {at("shard0.vtkhdf"), at("shard1.vtkhdf")};
    SWEEP("run", in, "-o", out, "--device", "cpu", "--shard", "1/2", "-q");
    for (int i = 0; i < 2; i++) {
        ran r =
            RAN("run", in, "-o", shard[i], "--device", "cpu", "--shard", i ? "1/2" : "0/2", "-q");
        EXPECT(ran_well(&r), "^ shard %d", i);
        ran_free(&r);
    }
    SWEEP("merge", out, shard[0], shard[1], "--virtual", "-q");
    SWEEP("merge", out, shard[0], shard[1], "--copy", "-q");
}

static void test_memory_others(void)
{
    memory_test_make_files();
    SWEEP("info", in);
    SWEEP("check", whole, "--input", in, "--threads", "1", "-q"); /* GMP's are as many each time */
    EXPECT(exact > 0, "no allocation of GMP failed");
    SWEEP("bench", in, "--device", "cpu", "--reps", "1", "-q");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"run", test_memory_run}, {"batches", test_memory_batches},
                                 {"shards", test_shards},  {"others", test_memory_others},
                                 {"every", test_every},    {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "memory", tests);
}
