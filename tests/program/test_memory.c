/* The program when an allocation of its own fails, the first, the second, and so on: it says so in
 * one line and exits with 5, or does without; and it leaves nothing that looks complete.
 * Allocations are those of forgetful.h, of all threads. */
#include "expect.h"
#include "h5_same.h"
#include "job.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOMENTS (TEST_SANITIZED ? 12 : 40) /* everyday; spread over all allocations of a run */
#define EVERY (TEST_SANITIZED ? 60 : UINT64_MAX)

static const char *in, *whole, *obj, *solid, *pairs, *out;

static void make_files(void)
{
    if (in)
        return;
    job j = job_small("memory");
    in = j.in;
    whole = j.whole;
    obj = at("mesh.obj");
    solid = at("mesh.msh");
    pairs = at("pairs.txt");
    out = at("memory.out");
    write_text(obj, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                    "o two\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\n");
    write_text(solid, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n"
                      "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                      "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n");
    write_text(pairs, "0 0\n0 1\n");
}

static const char *generate(const char *name, const char *scene, const char *set, const char *value)
{
    const char *path = at(name);
    ran r = RAN("generate", scene, "-n", "100", "--frames", "3", "-o", path, "-q", "--force", set,
                value);
    EXPECT(ran_well(&r), "^ generate %s", scene);
    ran_free(&r);
    return path;
}

/* With the n-th allocation failing. */
static ran run_forgetful(const char *const *line, long n)
{
    char fault[40];
    snprintf(fault, sizeof fault, "memory:%ld", n);
    program_set(&(program_how){
        .program = IMP_FRAGILE,
        .variable = {{"IMPINGE_FRAGILE", fault}, {"IMPINGE_FRAGILE_COUNT", at("count")}}});
    ran r = program_run(line);
    program_plain();
    return r;
}

/* What the line writes, if anything, is kept: it is what must come out of it. */
static long count_allocations(const char *const *line)
{
    unlink(out);
    unlink(at("wanted"));
    ran r = run_forgetful(line, 1000000000);
    EXPECT(ran_well(&r), "^ %s", line[0]);
    ran_free(&r);
    if (exists(out))
        CU_ASSERT_FATAL(!rename(out, at("wanted")));
    return job_changes();
}

/* It did without: nothing may be missing. */
static void check_done(const char *const *line, long n)
{
    int64_t frames;
    const char *what = NULL;
    if (exists(at("wanted")))
        what = h5_same(at("wanted"), out, "VTKHDF");
    if (!what && !strcmp(line[0], "run"))
        what = h5_begins(out, at("wanted"), &frames); /* and the tables of /impinge */
    EXPECT(!what, "%s did without allocation %ld: %s", line[0], n, what);
}

/* Was there an allocation number n, so that it failed? */
static int check_moment(const char *const *line, long n, long all)
{
    ran r = run_forgetful(line, n);
    int failed = job_changes() > n;
    if (r.code)
        EXPECT(ran_failed(&r, 5, NULL, NULL), "^ %s, allocation %ld of %ld", line[0], n, all);
    else
        check_done(line, n);
    if (r.code && exists(out)) { /* only the summary failed */
        ran c = RAN("check", out, "--input", line[1], "-q");
        EXPECT(!strcmp(line[0], "run") && ran_well(&c), "^ OUT after allocation %ld of %ld", n,
               all);
        ran_free(&c);
    }
    ran_free(&r);
    if (exists_part(out)) {
        ran i = RAN("info", at("memory.out.part"));
        EXPECT(ran_well(&i), "^ OUT.part after %s, allocation %ld of %ld", line[0], n, all);
        ran_free(&i);
    }
    unlink(out);
    unlink(at("memory.out.part"));
    return failed;
}

/* `most` of the allocations of a run. Each that is tried must have failed, or the sweep does not
 * show what it seems to: as many as were counted come again. */
static void sweep(const char *const *line, uint64_t most)
{
    long all = count_allocations(line);
    uint64_t n = most < (uint64_t)all ? most : (uint64_t)all, failed = 0;
    EXPECT(all > 20, "%s: only %ld allocations", line[0], all);
    for (uint64_t i = 0; i < n; i++)
        failed += (uint64_t)check_moment(line, job_moment(all, i, n), all);
    EXPECT(failed == n, "%s: %llu of %llu allocations failed, there are %ld", line[0],
           (unsigned long long)failed, (unsigned long long)n, all);
}

#define LINE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SWEEP(...) sweep(LINE(__VA_ARGS__), test_count(MOMENTS))

/* Runs that differ in what allocates: all of their allocations, one after another. */
static void test_every(void)
{
    make_files();
    const char *solids = generate("solids.vtkhdf", "scalpel", "--set", "begin=50"),
               *bodies = generate("bodies.vtkhdf", "missile", NULL, NULL);
    sweep(LINE("run", in, "-o", out, "--device", "cpu", "--object-pairs", pairs, "-q"), EVERY);
    sweep(LINE("run", solids, "-o", out, "--device", "cpu", "--update", "keep", "-q"), EVERY);
    sweep(LINE("run", bodies, "-o", out, "--device", "cpu", "--broad", "tree", "-q"), EVERY);
}

static void test_run(void)
{
    make_files();
    SWEEP("run", in, "-o", out, "--device", "cpu", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--objects", "connected", "--dop", "18", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--broad", "hash", "--adjacent", "test", "-q");
    SWEEP("run", in, "-o", out, "--device", "cpu", "--block", "1", "-q");
}

static void test_batches(void)
{
    make_files();
    SWEEP("convert", obj, "--as", "objects", "-o", out, "-q");
    SWEEP("convert", obj, "--groups", "--weld", "0", "-o", out, "-q");
    SWEEP("convert", obj, solid, "--groups", "--order", "given", "-o", out, "-q");
    SWEEP("generate", "cloth-fold", "--primitives", "500", "-o", out, "-q");
    SWEEP("generate", "scalpel", "-n", "100", "--set", "begin=50", "--frames", "3", "-o", out,
          "-q");
}

static void test_others(void)
{
    make_files();
    SWEEP("info", in);
    SWEEP("check", whole, "--input", in, "-q");
    SWEEP("bench", in, "--device", "cpu", "--reps", "1", "-q");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"run", test_run},
                                 {"batches", test_batches},
                                 {"others", test_others},
                                 {"every", test_every},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "memory", tests);
}
