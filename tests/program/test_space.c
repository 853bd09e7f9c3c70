/* run --space: for any number of slabs, the result is that of whole frames, to the last bit of
 * /VTKHDF, in one run, in shards, after interruptions, and within a memory limit. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "json_read.h"
#include "layouts.h"
#include "run_rows.h"
#include "turners.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN at("in.vtkhdf")
#define WHOLE at("whole.vtkhdf")
#define CUT at("cut.vtkhdf")

/* Tables of frames that do not depend on the broad phase. */
static void check_tables(const char *about, const char *path, int steps)
{
    static const char *const names[] = {"input_frame", "candidates", "contacts", "bad_primitives",
                                        "checksum",    "undecided",  NULL};
    for (size_t i = 0; names[i]; i++) {
        char name[60];
        size_t n = 0, m = 0;
        snprintf(name, sizeof name, "impinge/%s", names[i]);
        int64_t *x = h5_ints(WHOLE, name, &n), *y = h5_ints(path, name, &m);
        /* feature pairs at a border may be decided twice */
        if (!steps || strcmp(names[i], "undecided") != 0)
            EXPECT(n == m && !memcmp(x, y, n * sizeof *x), "%s: %s differs", about, name);
        free(x);
        free(y);
    }
}

static void check_partition_same(const char *about, const char *path, int steps)
{
    const char *what = h5_same(WHOLE, path, "VTKHDF");
    EXPECT(!what, "%s: %s", about, what);
    what = h5_sound(path);
    EXPECT(!what, "%s: %s", about, what);
    check_tables(about, path, steps);
}

static int left_beside(const char *out)
{
    char slabs[600];
    snprintf(slabs, sizeof slabs, "%s.slabs", out);
    return exists(slabs) || exists_part(slabs) || exists_part(out);
}

static int partition_test_has(const char *const *option, const char *word)
{
    for (int i = 0; i < 6 && option[i]; i++)
        if (!strcmp(option[i], word))
            return 1;
    return 0;
}

static void partition_test_run_cut(const char *about, const char *slabs, const char *const *option)
{
    ran r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--space", slabs, option[0], option[1],
                option[2], option[3], option[4], option[5]);
    EXPECT(ran_warned(&r), "^ %s in %s", about, slabs);
    ran_free(&r);
    char text[100];
    snprintf(text, sizeof text, "%s in %s slabs", about, slabs);
    check_partition_same(text, CUT, partition_test_has(option, "--continuous"));
    EXPECT(!left_beside(CUT), "%s: something is left", text);
}

/* Shards of slabs; some shards end within a frame. */
static void partition_test_run_shards(const char *about, uint64_t n, const char *slabs,
                                      const char *const *option)
{
    const char *word[64] = {"merge", at("join.vtkhdf"), "--force", "-q"};
    size_t words = 4;
    for (uint64_t i = 0; i < n; i++) {
        char name[40], text[40];
        snprintf(name, sizeof name, "shard%llu.vtkhdf", (unsigned long long)i);
        snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)i, (unsigned long long)n);
        ran r = RAN("run", IN, "-o", at(name), "--force", "-q", CPU, "--shard", text, "--space",
                    slabs, option[0], option[1], option[2], option[3], option[4], option[5]);
        EXPECT(ran_warned(&r), "^ %s: shard %s", about, text);
        ran_free(&r);
        word[words++] = at(name);
    }
    ran r = program_run(word);
    EXPECT(ran_well(&r), "^ %s: merge", about);
    ran_free(&r);
    check_partition_same(about, at("join.vtkhdf"), partition_test_has(option, "--continuous"));
    const char *const names[] = {"options", "input_hash"};
    for (size_t i = 0; i < 2; i++) {
        const char *x = h5_origin(WHOLE, names[i]), *y = h5_origin(at("join.vtkhdf"), names[i]);
        EXPECT(!strcmp(x, y), "%s: %s is '%s' in one run, '%s' in a join", about, names[i], x, y);
    }
}

static void check_partition_cuts(const char *about, const char *const *slabs,
                                 const char *const *option)
{
    ran r = RAN("run", IN, "-o", WHOLE, "--force", "-q", CPU, option[0], option[1], option[2],
                option[3], option[4], option[5]);
    EXPECT(ran_warned(&r), "^ %s", about);
    ran_free(&r);
    for (size_t k = 0; slabs[k]; k++)
        partition_test_run_cut(about, slabs[k], option);
}

/* The same, and shards, of which few of the numbered cases have any. */
static void check_partition_all(size_t number, const char *about, const char *const *slabs,
                                const char *const *option)
{
    check_partition_cuts(about, slabs, option);
    if (number % (TEST_SLOW ? 6 : 3) == 0)
        partition_test_run_shards(about, 5, slabs[0], option);
}

/* ---- scenes */

static const struct {
    const char *name, *scene, *n, *frames, *option[6];
} scenes[] = {
    {"a sheet", "cloth-fold", "6000", "2", {NULL}},
    {"soup", "soup", "4000", "1", {NULL}},
    {"all bounds overlap", "hostile", "300", "1", {NULL}},
    {"one that is large", "giant", "3000", "1", {"--stage", "candidates"}},
    {"one that grows", "outlier", "2000", "4", {"--stage", "candidates", "--dop", "18"}},
    {"two far apart", "clusters", "3000", "1", {"--stage", "candidates"}},
    {"a plane", "flat", "2000", "1", {"--stage", "candidates", "--adjacent", "test"}},
    {"tetrahedra", "tissue-fold", "3000", "3", {NULL}},
    {"a mesh that changes", "scalpel", "3000", "6", {"--update", "keep"}},
    {"components", "spheres", "4000", "1", {"--objects", "connected", "--pairs", "between"}},
    {"within components", "spheres", "4000", "1", {"--objects", "connected", "--pairs", "self"}},
    {"float32", "cloth-ball", "1500", "4", {"--dop", "26", "--broad", "hash"}},
    {"a slice backwards", "cloth-ball", "1500", "9", {"--frames", "8:1:-2"}},
    {"between frames", "sheets", "2000", "5", {"--continuous"}},
    {"nearby", "sheets", "1500", "3", {"--continuous", "--min-separation", "0.01"}},
    {"tetrahedra between", "tissue-fold", "1500", "3", {"--continuous"}},
    {"a distance", "sheets", "1500", "3", {"--distance", "0.01"}},
    {"a distance of solids", "tissue-fold", "1500", "2", {"--distance", "0.05"}},
    {"features", "sheets", "1500", "3", {"--distance", "0.01", "--rows", "features"}},
    {"features of solids",
     "tissue-fold",
     "1500",
     "2",
     {"--distance", "0.05", "--rows", "features"}},
    {"features far apart", "soup", "300", "1", {"--distance", "0.4", "--rows", "features"}},
    {"a large distance", "soup", "300", "1", {"--distance", "0.4"}},
    {"bounds at a distance",
     "clusters",
     "2000",
     "1",
     {"--distance", "0.1", "--stage", "candidates"}},
    {"but one frame's", "sheets", "1500", "3", {"--continuous", "--baseline", "1"}},
};

static void test_partition_scenes(void)
{
    static const char *const slabs[][2] = {{"4"}, {"7"}, {"64"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const char *narrow = !strcmp(scenes[i].name, "float32") ? "--float32" : NULL;
        ran r = RAN("generate", scenes[i].scene, "-o", IN, "-n", scenes[i].n, "--frames",
                    scenes[i].frames, "--force", "-q", narrow);
        EXPECT(ran_well(&r), "^ %s", scenes[i].name);
        ran_free(&r);
        check_partition_all(i, scenes[i].name, slabs[i % 3], scenes[i].option);
    }
}

/* ---- rotating bodies */

static const struct {
    const char *name;
    turners_def def;
    const char *option[6];
} turning[] = {
    {"bodies that turn", {0}, {"--continuous"}},
    {"their bounds", {0}, {"--continuous", "--stage", "candidates"}},
    {"bounds beside them", {.piles = 1}, {"--continuous", "--stage", "candidates"}},
    {"near them", {0}, {"--continuous", "--min-separation", "0.05", "--pairs", "between"}},
    {"roughly", {.single = 1}, {"--continuous", "--tolerance", "0.02", "--dop", "18"}},
    {"backwards", {.single = 1}, {"--continuous", "--broad", "tree", "--frames", "::-1"}},
    {"of tetrahedra", {.solids = 1}, {"--continuous", "--adjacent", "test"}},
    {"bounds of these", {.solids = 1}, {"--continuous", "--stage", "candidates", "--dop", "26"}},
};

static void test_turning(void)
{
    /* with contacts, each slab computes those with its neighbours again */
    static const char *const slabs[2][2][2] = {{{"4"}, {TEST_SLOW ? "3" : "16"}}, {{"7"}, {"64"}}};
    for (size_t i = 0; i < sizeof turning / sizeof *turning; i++) {
        const char *const *some = slabs[partition_test_has(turning[i].option, "candidates")][i % 2];
        turners_write(IN, &turning[i].def);
        if (i % 3)
            check_partition_cuts(turning[i].name, some, turning[i].option);
        else
            check_partition_all(i, turning[i].name, some, turning[i].option);
    }
    ran r = RAN("generate", "missile", "-o", IN, "-n", "900", "--frames", "4", "--set",
                "begin=3.98", "--set", "share=0.2", "--force", "-q");
    EXPECT(ran_well(&r), "^ missile");
    ran_free(&r);
    check_partition_cuts("a missile", slabs[0][0], turning[0].option);
}

static size_t turners_number(const turners_def *def, int frame, int body, int k)
{
    return 3 * ((size_t)frame * turners_vertices(def) + turners_vertex(def, body, k));
}

/* Bad points of a body, of a triangle in linear motion, and of the far triangle, which determines
 * the extent and with it the tolerance. */
static void test_turning_bad(void)
{
    static const char *const slabs[] = {"5", NULL};
    static const char *const skip[6] = {"--continuous", "--on-bad", "skip"};
    static const turners_def spread = {.spread = 1};
    for (int alone = TEST_SLOW; alone < 2; alone++) {
        turners_write(IN, &spread);
        for (int f = 0; f < (alone ? TURNERS_FRAMES : 1); f += 2)
            h5_poke(IN, "VTKHDF/Points", turners_number(&spread, f, -1, 1), NAN);
        h5_poke(IN, "VTKHDF/Points", turners_number(&spread, 1, 5, 3), NAN);
        h5_poke(IN, "VTKHDF/Points", turners_number(&spread, 2, 8, 0), INFINITY);
        check_partition_cuts(alone ? "bad ends" : "a bad end", slabs, skip);
    }
}

/* Any number of parts, of triangles and tetrahedra, with ids, objects, and empty frames; in slow
 * builds each in one of the storages. */
static void test_partition_layouts(void)
{
    static const char *const slabs[][2] = {{"3"}, {"11"}};
    static const char *const options[][6] = {{NULL}, {"--objects", "connected"}};
    for (const layout *l = layouts; l->name; l++)
        for (int storage = 0; storage < MAKE_STORAGES; storage += MAKE_DEFLATE) {
            if (TEST_SLOW && (l - layouts) % 2 != (storage != 0))
                continue;
            make m = {.storage = (enum make_storage)storage};
            rng r = {17};
            m.unstructured = l->solids;
            l->build(&m, &r);
            make_write(&m, "in.vtkhdf");
            make_free(&m);
            if (storage)
                check_partition_cuts(l->name, slabs[1], options[1]);
            else
                check_partition_all((size_t)(l - layouts), l->name, slabs[0], options[0]);
        }
}

/* On an OpenCL device: a slab of a large input is computed like a frame. */
static void test_partition_device(void)
{
    static const char *const option[6] = {"--device", "opencl"};
    ran r = RAN("devices");
    const int there = strstr(r.out, "1 ") != NULL;
    ran_free(&r);
    if (!there)
        return;
    r = RAN("generate", "cloth-fold", "-o", IN, "-n", "4000", "--force", "-q");
    ran_free(&r);
    r = RAN("run", IN, "-o", WHOLE, "--force", "-q", CPU);
    ran_free(&r);
    r = RAN("run", IN, "-o", CUT, "--force", "-q", "--space", "3", option[0], option[1]);
    EXPECT(r.code == 0 || r.code == 4, "%d: %s", r.code, r.err);
    if (r.code == 0)
        check_partition_same("a device", CUT, 0);
    ran_free(&r);
}

/* ---- bad vertices, and wrong meshes */

static void test_partition_bad_points(void)
{
    static const char *const slabs[] = {"4", NULL}, *const skip[6] = {"--on-bad", "skip"};
    static const char *const step[6] = {"--on-bad", "skip", "--continuous"};
    ran r = RAN("generate", "sheets", "-o", IN, "-n", "1500", "--frames", "3", "--force", "-q");
    EXPECT(ran_well(&r), "^ sheets");
    ran_free(&r);
    h5_poke(IN, "VTKHDF/Points", 300, NAN);
    h5_poke(IN, "VTKHDF/Points", 2500, INFINITY);
    check_partition_all(0, "bad vertices", slabs, skip);
    check_partition_all(1, "bad vertices between", slabs, step);
    char *said[2];
    for (int cut = 0; cut < 2; cut++) {
        r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, cut ? "--space" : NULL, "4");
        EXPECT(ran_failed(&r, 3, "vertex", "is not finite") && !left_beside(CUT), "^ bad");
        said[cut] = strdup(r.err);
        ran_free(&r);
    }
    EXPECT(!strcmp(said[0], said[1]), "whole: %s, in slabs: %s", said[0], said[1]);
    free(said[0]);
    free(said[1]);
}

/* The same messages as for whole frames. */
static void check_partition_wrong(const char *about, const char *more)
{
    ran one = RAN("run", IN, "-o", WHOLE, "--force", "-q", CPU, more);
    ran cut = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--space", "3", more);
    EXPECT(one.code == 3 && cut.code == 3 && !strcmp(one.err, cut.err),
           "%s: whole %d: %s, in slabs %d: %s", about, one.code, one.err, cut.code, cut.err);
    EXPECT(!left_beside(CUT), "%s: something is left", about);
    ran_free(&one);
    ran_free(&cut);
}

static void test_wrong_meshes(void)
{
    static const struct {
        const char *about, *name;
        double value;
    } cases[] = {{"a vertex that is not there", "VTKHDF/Connectivity", 1e6},
                 {"another type", "VTKHDF/Types", 12},
                 {"two of a name", "VTKHDF/CellData/PrimitiveId", 500},
                 {"offsets", "VTKHDF/Offsets", 77}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ran r =
            RAN("generate", "scalpel", "-o", IN, "-n", "2000", "--frames", "2", "--force", "-q");
        EXPECT(ran_well(&r), "^ scalpel");
        ran_free(&r);
        h5_poke(IN, cases[i].name, 900, cases[i].value);
        check_partition_wrong(cases[i].about, NULL);
    }
}

/* Bodies and poses are checked in every frame, for steps and for frames. */
static void test_wrong_bodies(void)
{
    static const turners_def def = {0};
    const size_t vertex = turners_number(&def, 1, 7, 2);
    const struct {
        const char *about, *name;
        size_t at;
        double value;
    } cases[] = {
        {"a vertex elsewhere", "VTKHDF/Points", vertex, 1},
        {"a pose elsewhere", "impinge/bodies/centre", 3 * (TURNERS_BODIES + 9), 1},
        {"no rotation", "impinge/bodies/rotation", 4 * (2 * TURNERS_BODIES - 1), 0.5},
        {"no number in a pose", "impinge/bodies/angular_velocity", 3 * TURNERS_BODIES, NAN},
        {"no number in a shape", "impinge/bodies/points", 100, NAN},
        {"more points", "impinge/bodies/point_offsets", 6, 6 * TURNERS_BOX + 1},
        {"a vertex of two bodies", "VTKHDF/Polygons/Connectivity", 36 * 20 + 1,
         (double)turners_vertex(&def, 3, 0)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        turners_write(IN, &def);
        h5_poke(IN, cases[i].name, cases[i].at, cases[i].value);
        check_partition_wrong(cases[i].about, NULL);
        check_partition_wrong(cases[i].about, "--continuous");
    }
}

/* ---- refused options */

static void check_partition_refused(const char *const *option, const char *word)
{
    ran r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--space", option[0], option[1],
                option[2], option[3], option[4], option[5]);
    EXPECT(ran_failed(&r, 2, word, NULL) && !left_beside(CUT), "^ %s", word);
    ran_free(&r);
}

static void test_partition_refused(void)
{
    static const char *const none[6] = {"0"}, *const many[6] = {"16385"};
    static const char *const volume[6] = {"3", "--stage", "candidates", "--volume", "sphere"};
    static const char *const objects[6] = {"3", "--rows", "objects"};
    static const char *const texts[6] = {"3", "--shard", "0/2", "--csv", "x.csv"};
    ran r = RAN("generate", "missile", "-o", IN, "-n", "2000", "--frames", "3", "--force", "-q");
    EXPECT(ran_well(&r), "^ missile");
    ran_free(&r);
    check_partition_refused(none, "--space");
    check_partition_refused(many, "--space");
    check_partition_refused(volume, "depend on the whole tree");
    check_partition_refused(texts, "parts of frames");
    check_partition_refused(objects, "nearest primitives");
    r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--shard", "0/2", "--space", "3");
    EXPECT(ran_well(&r), "^ a shard");
    ran_free(&r);
    r = RAN("check", CUT, "--input", IN);
    EXPECT(ran_failed(&r, 3, "has contacts of slabs", "merge"), "^ check");
    ran_free(&r);
    r = RAN("run", IN, "-o", at("other.vtkhdf"), "--force", "-q", CPU, "--shard", "1/2", "--space",
            "4");
    ran_free(&r);
    r = RAN("merge", at("join.vtkhdf"), "--force", CUT, at("other.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "other options", NULL), "^ another number of slabs");
    ran_free(&r);
    r = RAN("generate", "cloth-fold", "-o", IN, "-n", "4000", "--force", "-q");
    ran_free(&r);
    for (int i = 0; i < 2; i++) {
        r = RAN("run", IN, "-o", i ? at("other.vtkhdf") : CUT, "--force", "-q", CPU, "--shard",
                i ? "1/2" : "0/2", "--space", "3");
        EXPECT(ran_well(&r), "^ shard %d", i);
        ran_free(&r);
    }
    h5_poke(at("other.vtkhdf"), "VTKHDF/CellData/PrimitiveB", 0, 7);
    r = RAN("merge", at("join.vtkhdf"), "--force", CUT, at("other.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "other.vtkhdf: frame", "is damaged"), "^ damaged rows");
    EXPECT(!exists_part(at("join.vtkhdf")), "a part is left");
    ran_free(&r);
}

/* ---- interruptions */

static void check_after(const sample_job *j, const char *kind, long n)
{
    ran r = sample_job_run(j, j->out, "--resume");
    EXPECT(ran_well(&r), "^ going on after %s %ld", kind, n);
    ran_free(&r);
    job_check_whole(j, kind, n);
    EXPECT(!left_beside(j->out), "after %s %ld: something is left", kind, n);
    sample_job_remove(j);
    unlink(at("job.out.slabs"));
    unlink(at("job.out.slabs.part"));
}

/* While units are computed, and while they are joined. */
static void test_interrupted(void)
{
    static const char *const kinds[] = {"kill", "term", "int"};
    sample_job j = sample_job_small("slabs");
    for (int i = 0; i < 8; i++)
        if (!j.option[i]) {
            j.option[i] = "--space";
            j.option[i + 1] = "3";
            break;
        }
    const long all = job_count(&j, NULL);
    const uint64_t count = test_count(TEST_SANITIZED ? 6 : 12);
    for (uint64_t i = 0; i < count; i++) {
        const char *kind = kinds[i % 3];
        const long n = job_moment(all, i, count);
        job_fragile(kind, n);
        ran r = sample_job_run(&j, j.out, NULL);
        program_plain();
        EXPECT(i % 3 == 0 ? r.code == PROGRAM_SIGNAL + SIGKILL
                          : r.code == 0 || r.code == 128 + (i % 3 == 1 ? SIGTERM : SIGINT),
               "%s at %ld: %d: %s", kind, n, r.code, r.err);
        ran_free(&r);
        check_after(&j, kind, n);
    }
    ran r = sample_job_run(&j, j.out, NULL);
    EXPECT(ran_well(&r), "^ again");
    ran_free(&r);
    r = sample_job_run(&j, j.out, "--resume");
    EXPECT(ran_well(&r) && !left_beside(j.out), "^ complete already");
    ran_free(&r);
}

/* The same job in three slabs. */
static sample_job job_cut(const sample_job *j)
{
    sample_job cut = *j;
    cut.option[2] = "--space";
    cut.option[3] = "3";
    return cut;
}

static void partition_test_kill_at(const sample_job *j, long n)
{
    job_fragile("kill", n);
    ran r = sample_job_run(j, j->out, NULL);
    program_plain();
    EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL, "kill %ld: %d: %s", n, r.code, r.err);
    ran_free(&r);
}

/* Killed between any two of the last changes: while slabs are joined, before OUT has its name, and
 * before OUT.slabs is removed. */
static void test_joined(void)
{
    const sample_job whole = sample_job_small("joined"), j = job_cut(&whole);
    const long all = job_count(&j, NULL), few = (long)test_count(TEST_SANITIZED ? 5 : 10);
    for (long i = 0; i < few; i++) {
        partition_test_kill_at(&j, all - 1 - i);
        check_after(&j, "kill before the end", i);
    }
}

/* A run without slabs replaces a killed run with slabs and removes its files; those of another
 * input only with --force, and never another file of that name. */
static void test_left(void)
{
    sample_job j = sample_job_small("left");
    const char *slabs = at("job.out.slabs"), *part = at("job.out.slabs.part");
    const sample_job cut = job_cut(&j);
    const long all = job_count(&cut, NULL);
    for (long i = 0; i < 9; i++) {
        partition_test_kill_at(&cut, i < 2 ? 2 + i : all * i / 9);
        EXPECT(exists(slabs) || exists_part(slabs), "moment %ld leaves nothing", i);
        ran r = sample_job_run(&j, j.out, exists(j.part) ? "--force" : NULL);
        EXPECT(ran_well(&r), "^ without --space, moment %ld", i);
        ran_free(&r);
        job_check_whole(&j, "left", i);
        EXPECT(!left_beside(j.out), "moment %ld: something is left", i);
        sample_job_remove(&j);
    }
    partition_test_kill_at(&cut, all / 2);
    copy_file(j.in, at("kept.vtkhdf"));
    h5_poke(j.in, "VTKHDF/Points", 0, 0.5);
    for (int force = 0; force < 2; force++) {
        ran r = sample_job_run(&j, j.out, force ? "--force" : NULL);
        EXPECT(ran_well(&r), "^ another input");
        EXPECT(exists(part) == !force, "another input, --force %d", force);
        ran_free(&r);
    }
    sample_job_remove(&j);
    copy_file(at("kept.vtkhdf"), j.in);
    for (int text = 0; text < 2; text++) {
        if (text)
            write_text(slabs, "of somebody");
        else
            copy_file(j.whole, slabs);
        ran r = sample_job_run(&j, j.out, "--force");
        EXPECT(ran_well(&r) && exists(slabs), "^ a file of somebody, %d", text);
        ran_free(&r);
    }
    unlink(slabs);
    sample_job_remove(&j);
}

/* A file that prevents OUT from being written is reported before the work, with the possible
 * remedies. */
static void test_in_the_way(void)
{
    sample_job j = sample_job_small("in the way");
    job_kill_half(&j);
    for (int resume = 0; resume < 2; resume++) {
        ran r = RAN("run", j.in, "-o", j.out, CPU, "--block", "1", "-q", "--space", "3",
                    resume ? "--resume" : NULL);
        EXPECT(ran_failed(&r, 2, j.part, "--force starts again") && !strstr(r.err, "--resume"),
               "^ OUT.part of a run without slabs, %d", resume);
        EXPECT(!exists(at("job.out.slabs")) && !exists_part(at("job.out.slabs")) &&
                   sample_job_check_part(&j, "in the way", resume) > 1,
               "it was changed");
        ran_free(&r);
    }
    sample_job_remove(&j);
    const sample_job cut = job_cut(&j);
    for (long n = job_count(&cut, NULL) - 1; n > 0; n--) {
        partition_test_kill_at(&cut, n);
        if (!exists(j.out))
            break;
        sample_job_remove(&j);
        unlink(at("job.out.slabs"));
    }
    ran r = sample_job_run(&cut, j.out, NULL);
    EXPECT(ran_failed(&r, 2, "job.out.slabs", "--resume continues, --force starts again"),
           "^ slabs of an earlier run");
    ran_free(&r);
    check_after(&cut, "in the way", 0);
}

/* A full disk leaves the completed slabs, and the message says so. */
static void test_partition_full_disk(void)
{
    ran r = RAN("generate", "cloth-fold", "-o", IN, "-n", "8000", "--force", "-q");
    EXPECT(ran_well(&r), "^ cloth");
    ran_free(&r);
    unlink(CUT);
    for (uint64_t limit = 1 << 16; limit < 1 << 19; limit *= 2) {
        program_set(&(program_how){.file_limit = limit});
        r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--space", "3");
        program_plain();
        EXPECT(r.code == 5 || r.code == 0, "%llu: %d, %s", (unsigned long long)limit, r.code,
               r.err);
        EXPECT((r.code == 0) == exists(CUT), "%llu: OUT", (unsigned long long)limit);
        ran_free(&r);
        unlink(CUT);
    }
}

/* ---- sums, and memory */

/* The figures for contacts and objects in the document. */
static void test_partition_json(void)
{
    static const char *const same[] = {"frames",     "primitives", "objects",
                                       "candidates", "contacts",   "contact_frames"};
    static const char *const pairs[] = {"\"kinds\"", "\"object_pairs\""};
    ran r = RAN("generate", "cloth-ball", "-o", IN, "-n", "1000", "--frames", "6", "--force", "-q");
    EXPECT(ran_well(&r), "^ cloth");
    ran_free(&r);
    ran one = RAN("run", IN, "-o", WHOLE, "--force", "--json", CPU);
    ran cut = RAN("run", IN, "-o", CUT, "--force", "--json", CPU, "--space", "4");
    CU_ASSERT_FATAL(one.code == 0 && cut.code == 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        EXPECT(json_number(one.out, same[i]) == json_number(cut.out, same[i]), "%s: %g, %g",
               same[i], json_number(one.out, same[i]), json_number(cut.out, same[i]));
    for (size_t i = 0; i < 2; i++) {
        const char *x = strstr(one.out, pairs[i]), *y = strstr(cut.out, pairs[i]);
        const size_t n = x ? strcspn(x, "]}") : 0;
        EXPECT(x && y && !strncmp(x, y, n), "%s differ", pairs[i]);
    }
    EXPECT(json_number(cut.out, "slabs") == 4, "slabs: %g", json_number(cut.out, "slabs"));
    EXPECT(json_number(cut.out, "slab_primitives") >= json_number(cut.out, "primitives"),
           "slab_primitives: %g", json_number(cut.out, "slab_primitives"));
    ran_free(&one);
    ran_free(&cut);
}

/* A frame that is too large as a whole fits in slabs; the peak stays below the limit. */
static void test_partition_memory(void)
{
    ran r = RAN("generate", "cloth-fold", "-o", IN, "-n", "150000", "--force", "-q");
    EXPECT(ran_well(&r), "^ cloth");
    ran_free(&r);
    r = RAN("run", IN, "-o", WHOLE, "--force", "-q", CPU);
    EXPECT(ran_well(&r), "^ whole");
    ran_free(&r);
    r = RAN("run", IN, "-o", CUT, "--force", "-q", CPU, "--mem-limit", "22M");
    EXPECT(ran_failed(&r, 5, "memory limit", NULL), "^ whole, in 22 MB");
    ran_free(&r);
    r = RAN("run", IN, "-o", CUT, "--force", "--json", CPU, "--mem-limit", "22M", "--space", "16");
    EXPECT(r.code == 0 && json_number(r.out, "peak_bytes") < 22 << 20, "%d, %g: %s", r.code,
           json_number(r.out, "peak_bytes"), r.err);
    EXPECT(json_number(r.out, "slab_primitives") < 1.1 * 150000, "%g primitives",
           json_number(r.out, "slab_primitives"));
    ran_free(&r);
    check_partition_same("22 MB", CUT, 0);
}

/* Adds a frame with a row of small triangles along x. */
static void partition_test_add_row(make *m, int64_t triangles, double time)
{
    int64_t *id = malloc((size_t)triangles * 3 * sizeof *id);
    double *x = calloc((size_t)triangles * 9, sizeof *x);
    CU_ASSERT_FATAL(id && x);
    for (int64_t i = 0; i < 3 * triangles; i++) {
        id[i] = i;
        x[3 * i] = (double)(i / 3) + (i % 3 == 1 ? 0.5 : 0);
        x[3 * i + 1] = i % 3 == 2 ? 0.5 : 0;
    }
    make_part(m, 3 * triangles, triangles, id);
    make_step_next(m, time, 1);
    make_points(m, (size_t)(3 * triangles), x);
    free(id);
    free(x);
}

/* The memory of a slab is that of its own frame, not of the first frame. */
static void test_growing(void)
{
    static const char *const slabs[] = {"3", NULL}, *const limit[6] = {"--mem-limit", "60M"};
    make m = {0};
    partition_test_add_row(&m, 10, 0);
    partition_test_add_row(&m, 100000, 1);
    make_write(&m, "in.vtkhdf");
    make_free(&m);
    check_partition_all(1, "a frame that is much larger", slabs, limit);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"scenes", test_partition_scenes},
                                 {"layouts", test_partition_layouts},
                                 {"turning", test_turning},
                                 {"turning_bad", test_turning_bad},
                                 {"device", test_partition_device},
                                 {"bad_points", test_partition_bad_points},
                                 {"wrong_meshes", test_wrong_meshes},
                                 {"wrong_bodies", test_wrong_bodies},
                                 {"refused", test_partition_refused},
                                 {"interrupted", test_interrupted},
                                 {"joined", test_joined},
                                 {"left", test_left},
                                 {"in_the_way", test_in_the_way},
                                 {"full_disk", test_partition_full_disk},
                                 {"json", test_partition_json},
                                 {"memory", test_partition_memory},
                                 {"growing", test_growing},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "space", tests);
}
