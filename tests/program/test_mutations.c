/* Valid HDF5 files with wrong contents (mutate.h): every verb refuses them in one line, or accepts
 * them; none crashes, hangs, or exceeds its memory. Where `run` accepts a file, `check` confirms
 * the result against the same file. test_damage.c changes bytes. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "mutate.h"
#include "program.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT "64M"
#define PEAK_MOST (128L << 20)
#define SECONDS_MOST 100 /* CPU time, on files of a few kB */
#define CPU "--device", "cpu", "--threads", "1"

/* ---- running */

static int refused, taken;

/* Exit codes that a file may lead to; `also`: one more. */
static void check_mutations_ran(const ran *r, const char *verb, const char *about, int also)
{
    const int code = r->code;
    const int failed = code == 3 || code == 5 || code == 2;
    EXPECT(code == 0 || failed || code == also, "%s: %s: exit %d: %.300s", verb, about, code,
           r->err);
    EXPECT(!failed || ran_failed(r, code, NULL, NULL), "^ %s: %s", verb, about);
    EXPECT(TEST_SANITIZED || r->peak < PEAK_MOST, "%s: %s: %ld MB", verb, about, r->peak >> 20);
    EXPECT(TEST_SLOW || r->cpu < SECONDS_MOST, "%s: %s: %g s", verb, about, r->cpu);
    refused += failed;
    taken += code == 0;
}

static int tried(const char *about, int also, const char *const *arguments)
{
    ran r = program_run(arguments);
    check_mutations_ran(&r, arguments[0], about, also);
    const int code = r.code;
    ran_free(&r);
    return code;
}

#define TRIED(about, also, ...) tried(about, also, (const char *const[]){__VA_ARGS__, NULL})

/* ---- batches */

/* Small, and uses every feature. */
static void base_batch(uint64_t i)
{
    static const char *const scenes[] = {"soup", "missile", "scalpel"};
    const uint64_t kind = i % 5;
    if (kind < 3) { /* contacts; rotating bodies; a mesh that changes */
        ran r = RAN("generate", scenes[kind], "-n", "120", "--frames", "3", "-o", at("base.vtkhdf"),
                    "--force", "-q");
        EXPECT(ran_well(&r), "^ generate %s", scenes[kind]);
        ran_free(&r);
        return;
    }
    make m = {.unstructured = kind == 4, .cells = {{.name = "ObjectId"}, {.name = "PrimitiveId"}}};
    if (kind == 4)
        make_moving_mixed(&m, 3, 8, 1);
    else
        make_moving(&m, 3, 8, 1);
    for (int64_t k = 0; k < 8; k++) {
        make_add(&m.cells[0].value, k / 4);
        make_add(&m.cells[1].value, k);
    }
    make_write(&m, "base.vtkhdf");
    make_free(&m);
    h5_texts(at("base.vtkhdf"), "impinge/object_names", 2, "one\0two", 4);
    h5_texts(at("base.vtkhdf"), "impinge/frame_sources", 3, "abc", 1);
    h5_replace_ints(at("base.vtkhdf"), "impinge/object_ids", 2, (const int64_t[]){0, 1});
}

static void check_batch(const char *about, uint64_t i)
{
    static const char *const more[][4] = {{NULL},
                                          {"--continuous"},
                                          {"--space", "2"},
                                          {"--objects", "connected"},
                                          {"--continuous", "--space", "3"},
                                          {"--stage", "candidates", "--update", "keep"},
                                          {"--frames", "::-1"},
                                          {"--inside", "--space", "3"},
                                          {"--inside=0", "--space", "2"}};
    const char *const *m = more[i % (sizeof more / sizeof *more)];
    const char *path = at("mutated.vtkhdf"), *out = at("mutated.out");
    unlink(out);
    const int code = TRIED(about, 0, "run", path, "-o", out, "-q", CPU, "--mem-limit", LIMIT,
                           "--on-bad", i & 1 ? "skip" : "error", m[0], m[0] ? m[1] : NULL,
                           m[0] && m[1] ? m[2] : NULL, m[0] && m[1] && m[2] ? m[3] : NULL);
    EXPECT((code == 0) == exists(out) && !exists_part(out), "%s: OUT after exit %d", about, code);
    if (code == 0)
        TRIED(about, -1, "check", out, "--input", path, "-q");
    unlink(at("mutated.out.slabs"));
    TRIED(about, 0, "info", path, "--frames", ":");
    TRIED(about, 0, "info", path, "--json");
    TRIED(about, 0, "convert", path, "-o", at("converted.vtkhdf"), "--force", "-q");
    if (i % 4 == 0)
        TRIED(about, 0, "bench", path, "--reps", "1", CPU);
}

typedef struct sort_of_file {
    const char *name, *base, *mutated;
    uint64_t seed;
    void (*make)(uint64_t i);
    void (*check)(const char *about, uint64_t i);
} sort_of_file;

static void check_mutations(const sort_of_file *s, uint64_t count)
{
    refused = taken = 0;
    for (uint64_t i = 0; i < count; i++) {
        char about[MUTATE_ABOUT], line[2 * MUTATE_ABOUT + 80];
        rng r = {s->seed + i};
        s->make(i);
        copy_file(at(s->base), at(s->mutated));
        int length = snprintf(line, sizeof line, "%s %llu", s->name, (unsigned long long)i);
        for (uint32_t k = 1 + rng_below(&r, 3) / 2; k > 0; k--) {
            mutate_file(at(s->mutated), &r, about);
            length += snprintf(line + length, sizeof line - (size_t)length, ": %s", about);
        }
        s->check(line, i);
    }
    EXPECT(refused > 10 && taken > 10, "%d refused, %d taken", refused, taken);
}

static void test_mutations_batches(void)
{
    check_mutations(
        &(sort_of_file){"batch", "base.vtkhdf", "mutated.vtkhdf", 7000, base_batch, check_batch},
        test_count(TEST_SANITIZED ? 12 : 120));
}

/* ---- results */

static const char *const kinds[][3] = {
    {NULL}, {"--continuous"}, {"--shard", "0/1"}, {"--shard", "0/1", "--continuous"}};

static void base_result(uint64_t i)
{
    const char *const *k = kinds[i % (sizeof kinds / sizeof *kinds)];
    base_batch(i / 4 % 2 ? 0 : 3 + i / 8 % 2); /* those with contacts */
    ran r = RAN("run", at("base.vtkhdf"), "-o", at("base.out"), "--force", CPU, k[0],
                k[0] ? k[1] : NULL, k[0] && k[1] ? k[2] : NULL);
    EXPECT(ran_well(&r) && !strstr(r.out, "\n0 contacts"), "^ a result");
    ran_free(&r);
}

static void check_mutations_result(const char *about, uint64_t i)
{
    const char *const *k = kinds[i % (sizeof kinds / sizeof *kinds)];
    const char *path = at("mutated.out"), *in = at("base.vtkhdf"), *out = at("again.out");
    TRIED(about, 0, "info", path);
    TRIED(about, 0, "info", path, "--frames", ":", "--json");
    TRIED(about, 1, "check", path, "--input", in, "-q");
    unlink(at("joined.out"));
    TRIED(about, 0, "merge", at("joined.out"), path);
    unlink(out);
    copy_file(path, at("again.out.part"));
    if (!TRIED(about, 0, "run", in, "-o", out, "-q", CPU, "--mem-limit", LIMIT, "--resume", k[0],
               k[0] ? k[1] : NULL, k[0] && k[1] ? k[2] : NULL)) {
        const char *differs = h5_same_answers(at("base.out"), out);
        EXPECT(!differs, "%s: resumed: %s", about, differs);
    }
    unlink(at("again.out.part"));
    copy_file(path, out);
    TRIED(about, 0, "run", in, "-o", out, "-q", CPU, "--mem-limit", LIMIT, "--resume", "--csv",
          at("again.csv"), "--force", k[0], k[0] ? k[1] : NULL, k[0] && k[1] ? k[2] : NULL);
    unlink(at("again.out.part"));
}

static void test_mutations_results(void)
{
    check_mutations(&(sort_of_file){"result", "base.out", "mutated.out", 9000, base_result,
                                    check_mutations_result},
                    test_count(TEST_SANITIZED ? 8 : 80));
}

/* A kind of contact needs all of its columns: a result that lacks one is refused. */
static void test_mutations_columns(void)
{
    static const char *const name[] = {"VTKHDF/CellData/Share", "VTKHDF/CellData/Time",
                                       "VTKHDF/CellData/FeatureA", "VTKHDF/CellData/FeatureB"};
    const int all = sizeof name / sizeof *name;
    base_result(1); /* a result of steps */
    for (int i = 0; i <= all; i++) {
        copy_file(at("base.out"), at("mutated.out"));
        for (int k = 0; k < all; k++)
            if (i == k || i == all)
                h5_remove(at("mutated.out"), name[k]);
        const char *word = i < all ? strrchr(name[i], '/') + 1 : "Share";
        ran r = RAN("check", at("mutated.out"), "--input", at("base.vtkhdf"));
        EXPECT(ran_failed(&r, 3, at("mutated.out"), word), "^ check without %s", word);
        ran_free(&r);
        r = RAN("info", at("mutated.out"));
        EXPECT(ran_failed(&r, 3, at("mutated.out"), word), "^ info without %s", word);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"batches", test_mutations_batches},
                                 {"results", test_mutations_results},
                                 {"columns", test_mutations_columns},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "mutations", tests);
}
