/* The program when an allocation of its own fails, the first, the second, and so on: it says so in
 * one line and exits with 5, or does without; and it leaves nothing that looks complete. */
#include "expect.h"
#include "job.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOMENTS (TEST_SANITIZED ? 12 : 40) /* everyday; spread over all allocations of a run */

static const char *in, *whole, *obj, *solid, *out;

static void make_files(void)
{
    if (in)
        return;
    job j = job_small("memory");
    in = j.in;
    whole = j.whole;
    obj = at("mesh.obj");
    solid = at("mesh.msh");
    out = at("memory.out");
    write_text(obj, "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                    "o two\nv 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\n");
    write_text(solid, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n"
                      "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                      "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n");
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

static long count_allocations(const char *const *line)
{
    ran r = run_forgetful(line, 1000000000);
    EXPECT(ran_well(&r), "^ %s", line[0]);
    ran_free(&r);
    unlink(out);
    return job_changes();
}

static void check_moment(const char *const *line, long n, long all)
{
    ran r = run_forgetful(line, n);
    if (r.code)
        EXPECT(ran_failed(&r, 5, NULL, NULL), "^ %s, allocation %ld of %ld", line[0], n, all);
    if (r.code && exists(out)) { /* only the summary failed */
        ran c = RAN("check", out, "--input", in, "-q");
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
}

static void sweep(const char *const *line)
{
    long all = count_allocations(line);
    uint64_t n = test_count(MOMENTS) < (uint64_t)all ? test_count(MOMENTS) : (uint64_t)all;
    CU_ASSERT(all > 0);
    for (uint64_t i = 0; i < n; i++)
        check_moment(line, job_moment(all, i, n), all);
}

#define SWEEP(...) sweep((const char *const[]){__VA_ARGS__, NULL})

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
    static const test tests[] = {
        {"run", test_run}, {"batches", test_batches}, {"others", test_others}, {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "memory", tests);
}
