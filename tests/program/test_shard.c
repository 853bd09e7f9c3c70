/* run --shard and merge: for any number of shards, their join is the result of a single run, to the
 * last bit of /VTKHDF, as references and as a copy; faults in shards are named. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "layouts.h"
#include "run_rows.h"
#include "store.h"

#include <hdf5.h>
#include <limits.h>
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WHOLE at("whole.vtkhdf")
#define JOIN at("join.vtkhdf")

/* The path of a shard's result; it stays valid. */
static const char *shard_name(uint64_t i)
{
    char name[40];
    snprintf(name, sizeof name, "shard%03llu.vtkhdf", (unsigned long long)i);
    return at(name);
}

static int64_t shard_test_count_frames(const char *path)
{
    size_t n = 0;
    int64_t *frame = h5_ints(path, "impinge/input_frame", &n);
    free(frame);
    return (int64_t)n;
}

/* Makes all shards, the last first. Returns the number of frames of the largest one. */
static int64_t shard_test_run_shards(const char *about, const char *in, uint64_t n,
                                     const char *const *option)
{
    int64_t most = 0;
    for (uint64_t i = n; i-- > 0;) {
        char text[48];
        snprintf(text, sizeof text, "%llu/%llu", (unsigned long long)i, (unsigned long long)n);
        ran r = RAN("run", in, "-o", shard_name(i), "--force", "-q", "--shard", text, CPU,
                    option[0], option[1], option[2], option[3]);
        EXPECT(ran_warned(&r), "^ %s: shard %s", about, text);
        ran_free(&r);
        most = shard_test_count_frames(shard_name(i)) > most
                   ? shard_test_count_frames(shard_name(i))
                   : most;
    }
    return most;
}

/* Joins `n` shards, given out of order. */
static ran merge_shards(uint64_t n, const char *option)
{
    const char *word[64] = {"merge", JOIN, "--force", "-q"};
    size_t words = 4;
    for (uint64_t i = 0; i < n; i++)
        word[words++] = shard_name((i + n / 2) % n);
    word[words++] = option;
    return program_run(word);
}

static void check_origin(const char *about)
{
    static const char *const names[] = {"input_hash", "options", "input", "version"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *one = h5_origin(WHOLE, names[i]), *join = h5_origin(JOIN, names[i]);
        EXPECT(!strcmp(one, join), "%s: %s is '%s' in one run, '%s' in a join", about, names[i],
               one, join);
    }
}

static void check_join(const char *about, uint64_t n)
{
    for (int copy = 0; copy < 2; copy++) {
        ran r = merge_shards(n, copy ? "--copy" : "--virtual");
        EXPECT(ran_well(&r), "^ %s: merge of %llu", about, (unsigned long long)n);
        ran_free(&r);
        const char *what = copy ? h5_same_answers(WHOLE, JOIN) : h5_same_virtual(WHOLE, JOIN);
        EXPECT(!what, "%s: %llu shards, copy %d: %s", about, (unsigned long long)n, copy, what);
        what = h5_sound(JOIN);
        EXPECT(!what, "%s: %llu shards, copy %d: %s", about, (unsigned long long)n, copy, what);
        EXPECT(!exists_part(JOIN), "%s: a part is left", about);
        check_origin(about);
    }
}

/* ---- columns that a join copies */

static int is_virtual(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
          data = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t made = H5Dget_create_plist(data);
    const int yes = H5Pget_layout(made) == H5D_VIRTUAL;
    H5Pclose(made);
    H5Dclose(data);
    H5Fclose(file);
    return yes;
}

/* Joins n shards as if they had `contacts` contacts. */
static int join_as(uint64_t n, uint64_t contacts)
{
    mem m = {0};
    result_join *j = NULL;
    int err = 0;
    for (uint64_t i = 0; i < n && !err; i++) {
        result_reader *r = NULL;
        err = result_open(&m, shard_name(i), &r);
        const result_provenance provenance = {
            .command = "", .options = "", .device = "", .input = "", .like = r};
        if (!err && !j)
            err = result_join_begin(&m, JOIN, 1, 0, contacts, &provenance, &j);
        if (!err)
            err = result_join_add(j, shard_name(i), r);
        result_close(r);
    }
    if (!err)
        return result_join_finish(j);
    result_join_discard(j);
    return err;
}

/* Narrow columns are copied, up to 64 MiB for these contacts; Points are not. */
static void test_narrow(void)
{
    static const char *const names[] = {"VTKHDF/CellData/Kind",
                                        "VTKHDF/CellData/Crossing",
                                        "VTKHDF/CellData/ObjectA",
                                        "VTKHDF/CellData/ObjectB",
                                        "VTKHDF/CellData/PrimitiveA",
                                        "VTKHDF/CellData/PrimitiveB",
                                        "VTKHDF/Points"};
    static const struct {
        uint64_t contacts;
        size_t copied;
    } cases[] = {{0, 6},       {UINT64_C(2581110), 6}, {UINT64_C(2581111), 5}, {1 << 23, 3},
                 {1 << 25, 2}, {1 << 26, 1},           {(1 << 26) + 1, 0},     {UINT64_MAX, 0}};
    const char *in = at("in.vtkhdf");
    ran r = RAN("generate", "cloth-ball", "-n", "1500", "--frames", "7", "-o", in, "--force", "-q");
    EXPECT(ran_well(&r), "^ narrow");
    ran_free(&r);
    r = RAN("run", in, "-o", WHOLE, "--force", "-q", CPU);
    EXPECT(ran_well(&r), "^ narrow");
    ran_free(&r);
    shard_test_run_shards("narrow", in, 3, (const char *const[]){NULL, NULL, NULL, NULL});
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const unsigned long long contacts = cases[k].contacts;
        EXPECT(!join_as(3, cases[k].contacts), "narrow, %llu contacts: %s", contacts,
               imp_error_text());
        const char *what = h5_same_virtual(WHOLE, JOIN);
        EXPECT(!what, "narrow, %llu contacts: %s", contacts, what);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            EXPECT(is_virtual(JOIN, names[i]) == (i >= cases[k].copied),
                   "narrow, %llu contacts: %s is copied or not", contacts, names[i]);
    }
}

/* Each number of shards in a list that ends with 0. */
static void check_shard_all(const char *about, const char *in, const uint64_t *counts,
                            const char *const *option)
{
    ran r = RAN("run", in, "-o", WHOLE, "--force", "-q", CPU, option[0], option[1], option[2],
                option[3]);
    EXPECT(ran_warned(&r), "^ %s", about);
    ran_free(&r);
    for (size_t k = 0; counts[k]; k++) {
        int64_t most = shard_test_run_shards(about, in, counts[k], option);
        const int64_t all = shard_test_count_frames(WHOLE);
        EXPECT(most <= all / (int64_t)counts[k] + 3, "%s: one of %llu shards has %lld of %lld",
               about, (unsigned long long)counts[k], (long long)most, (long long)all);
        check_join(about, counts[k]);
    }
}

static const struct {
    const char *name, *scene, *n, *frames, *option[4];
} scenes[] = {
    {"triangles", "cloth-ball", "700", "12", {NULL}},
    {"candidates", "cloth-ball", "700", "9", {"--stage", "candidates"}},
    {"between frames", "sheets", "500", "8", {"--continuous"}},
    {"kept", "cloth-ball", "700", "9", {"--update", "keep", "--broad", "rtree"}},
    {"tetrahedra", "tissue-fold", "1500", "6", {NULL}},
    {"a mesh that changes", "scalpel", "2000", "10", {NULL}},
    {"bodies that turn", "missile", "900", "8", {"--continuous"}},
    {"a slice backwards", "cloth-ball", "700", "13", {"--frames", "12:1:-2"}},
};

/* Up to more shards than there are frames; for scenes after the first, few or many. */
static const uint64_t many[] = {1, 3, 23, 0}, some[][2] = {{2, 0}, {7, 0}}, three[] = {3, 0};

static void test_shard_scenes(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        ran r = RAN("generate", scenes[i].scene, "-o", at("in.vtkhdf"), "-n", scenes[i].n,
                    "--frames", scenes[i].frames, "--force", "-q");
        EXPECT(ran_well(&r), "^ %s", scenes[i].name);
        ran_free(&r);
        check_shard_all(scenes[i].name, at("in.vtkhdf"), i ? some[i % 2] : many, scenes[i].option);
    }
}

/* Frames of any number of parts, including empty frames; in slow builds, of every second layout. */
static void test_shard_layouts(void)
{
    static const char *const none[4] = {NULL};
    for (const layout *l = layouts; l->name; l++) {
        make m = {0};
        if (TEST_SLOW && (l - layouts) % 2)
            continue;
        rng r = {11};
        m.unstructured = l->solids;
        l->build(&m, &r);
        check_shard_all(l->name, make_write(&m, "layout.vtkhdf"), three, none);
        make_free(&m);
    }
}

/* An input of several hash pieces: each shard reads its own, and the join has the hash of a run. */
static void test_shard_pieces(void)
{
    static const char *const few[4] = {"--frames", "::20"};
    ran r = RAN("generate", "soup", "-o", at("large.vtkhdf"), "-n", "10000", "--frames", "80",
                "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    EXPECT(file_size(at("large.vtkhdf")) > 3l << 24, "it has %ld bytes",
           file_size(at("large.vtkhdf")));
    check_shard_all("pieces", at("large.vtkhdf"), three, few);
    shard_test_run_shards("pieces", at("large.vtkhdf"), 3, few);
    size_t pieces = 0, all = 0;
    for (uint64_t i = 0; i < 3; i++) {
        free(h5_ints(shard_name(i), "impinge/input_pieces", &pieces));
        all += pieces;
        EXPECT(pieces > 0, "shard %llu has hashed nothing", (unsigned long long)i);
    }
    const long want = (file_size(at("large.vtkhdf")) + (1l << 24) - 1) >> 24;
    EXPECT((long)all == want, "%zu pieces, not %ld", all, want);
}

/* ---- invalid shards */

static void make_three(void)
{
    static const char *const none[4] = {NULL};
    ran r = RAN("generate", "cloth-ball", "-o", at("in.vtkhdf"), "-n", "1500", "--frames", "9",
                "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    shard_test_run_shards("three", at("in.vtkhdf"), 3, none);
}

/* merge exits with 3 and these words, and leaves nothing. */
static void check_shard_bad(const char *about, const char *a, const char *b, const char *c,
                            const char *word, const char *word2)
{
    unlink(JOIN);
    ran r = RAN("merge", JOIN, a, b, c);
    EXPECT(ran_failed(&r, 3, word, word2), "^ %s", about);
    EXPECT(!exists(JOIN) && !exists_part(JOIN), "%s: something is left", about);
    ran_free(&r);
}

static void test_bad_shards(void)
{
    make_three();
    const char *a = shard_name(0), *b = shard_name(1), *c = shard_name(2), *x = at("x.vtkhdf");
    check_shard_bad("missing", c, a, NULL, "of 3 shards 1 is missing", NULL);
    check_shard_bad("twice", a, b, b, "is shard 1/3, and so is", "shard001");
    check_shard_bad("not there", a, b, at("none.vtkhdf"), "none.vtkhdf", NULL);
    check_shard_bad("a batch", a, b, at("in.vtkhdf"), "in.vtkhdf", "not a result");
    ran r = RAN("run", at("in.vtkhdf"), "-o", x, "--force", "-q", CPU);
    ran_free(&r);
    check_shard_bad("whole", a, b, x, "x.vtkhdf: is no shard", NULL);
    r = RAN("run", at("in.vtkhdf"), "-o", x, "--force", "-q", CPU, "--shard", "2/3", "--adjacent",
            "test");
    ran_free(&r);
    check_shard_bad("options", a, b, x, "x.vtkhdf: was made with other options, unlike",
                    "shard000");
    r = RAN("run", at("in.vtkhdf"), "-o", x, "--force", "-q", CPU, "--shard", "2/4");
    ran_free(&r);
    check_shard_bad("another number", a, b, x, "one of 4 shards", "one of 3");
    r = RAN("run", at("in.vtkhdf"), "-o", x, "--force", "-q", CPU, "--shard", "2/3", "--frames",
            ":8");
    ran_free(&r);
    check_shard_bad("other frames", a, b, x, "shards have", "frames");
    copy_file(at("in.vtkhdf"), at("other.vtkhdf"));
    h5_poke(at("other.vtkhdf"), "VTKHDF/Steps/Values", 1, 0.5);
    r = RAN("run", at("other.vtkhdf"), "-o", x, "--force", "-q", CPU, "--shard", "2/3");
    ran_free(&r);
    check_shard_bad("input", a, b, x, "x.vtkhdf: was made with another input", NULL);
    copy_file(c, x);
    CU_ASSERT(!truncate(x, 3000));
    check_shard_bad("truncated", a, b, x, "x.vtkhdf", NULL);
    copy_file(c, x);
    h5_poke(x, "impinge/frames_done", 0, 2);
    check_shard_bad("not complete", a, b, x, "x.vtkhdf: is not complete: only 2 frames", NULL);
    copy_file(c, x);
    h5_attribute_text(x, "impinge", "options",
                      "frames=6+3*1 shard=2/4611686018427387905 objects=id");
    check_shard_bad("more shards than there can be", x, b, NULL, "x.vtkhdf: is no shard", NULL);
    copy_file(c, x);
    h5_poke(x, "impinge/input_frame", 0, 1);
    check_shard_bad("a frame twice", a, b, x, "x.vtkhdf: has frame 1 of the input where 6 belongs",
                    NULL);
}

/* Rows and counts changed since the run, in a shard that is to be copied or referred to. */
static void test_altered(void)
{
    static const struct {
        const char *name;
        size_t index;
        double by;
    } cases[] = {{"VTKHDF/CellData/PrimitiveA", 3, 1}, {"VTKHDF/CellData/PrimitiveB", 0, 1},
                 {"VTKHDF/CellData/ObjectB", 1, 1},    {"VTKHDF/CellData/Kind", 2, 1},
                 {"VTKHDF/Points", 5, 0x1p-40},        {"impinge/contacts", 1, -1},
                 {"impinge/contacts", 2, -1},          {"impinge/checksum", 0, 4096}};
    static const char *const how[] = {NULL, "--copy", "--virtual"};
    const char *x = at("altered.vtkhdf");
    make_three();
    for (size_t i = 0; i < 3 * sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i / 3].name, *option = how[i % 3];
        copy_file(shard_name(2), x);
        h5_poke(x, name, cases[i / 3].index,
                h5_peek(x, name, cases[i / 3].index) + cases[i / 3].by);
        unlink(JOIN);
        ran r = RAN("merge", JOIN, shard_name(0), shard_name(1), x, option);
        EXPECT(ran_failed(&r, 3, "altered.vtkhdf", "damaged") && !exists(JOIN) &&
                   !exists_part(JOIN),
               "^ %s, %s", name, option ? option : "");
        ran_free(&r);
    }
}

/* ---- copies and references */

static void check_merged(const char *about, const char *option, int referring)
{
    unlink(JOIN);
    ran r = RAN("merge", JOIN, shard_name(1), shard_name(0), shard_name(2), option);
    const char *last = strstr(r.out, "keep it together with ");
    EXPECT(r.code == 0 && is_virtual(JOIN, "VTKHDF/Points") == referring, "%s: %d, %s", about,
           r.code, r.err);
    EXPECT((last != NULL) == referring, "%s: %s", about, r.out);
    for (uint64_t i = 0; last && i < 3; i++) {
        const char *name = strstr(last, shard_name(i));
        EXPECT(name && count_lines(last) == 1, "%s: %s is not in the last line", about,
               shard_name(i));
    }
    ran_free(&r);
}

/* Less than 1 GiB of shards is copied. A file may be longer than its contents. */
static void test_shard_default(void)
{
    make_three();
    check_merged("small", NULL, 0);
    check_merged("small, copied", "--copy", 0);
    check_merged("small, virtual", "--virtual", 1);
    CU_ASSERT(!truncate(shard_name(0), 600 << 20) && !truncate(shard_name(1), 400 << 20));
    check_merged("less than 1 GiB", NULL, 0);
    CU_ASSERT(!truncate(shard_name(2), 100 << 20));
    check_merged("1 GiB", NULL, 1);
    check_merged("1 GiB, copied", "--copy", 0);
    ran r = RAN("merge", JOIN, "--force", shard_name(0), shard_name(1), shard_name(2), "--copy",
                "--virtual");
    EXPECT(ran_failed(&r, 2, "either --copy or --virtual", NULL), "^ both");
    ran_free(&r);
    for (uint64_t i = 0; i < 3; i++)
        unlink(shard_name(i));
}

/* With many shards the last line names the first ones and the last one. */
static void test_shard_many(void)
{
    static const char *const none[4] = {NULL};
    make_three();
    shard_test_run_shards("many", at("in.vtkhdf"), 12, none);
    ran r = merge_shards(12, NULL);
    EXPECT(ran_well(&r), "^ quiet");
    ran_free(&r);
    const char *word[32] = {"merge", JOIN, "--force", "--virtual"};
    for (uint64_t i = 0; i < 12; i++)
        word[4 + i] = shard_name(11 - i);
    r = program_run(word);
    const char *last = strstr(r.out, "keep it together with ");
    EXPECT(r.code == 0 && last && strstr(last, shard_name(0)) && strstr(last, shard_name(11)) &&
               !strstr(last, shard_name(5)),
           "%s", r.out);
    ran_free(&r);
}

/* A merge that was killed at any moment is repeated by the same command. */
static void test_shard_killed(void)
{
    make_three();
    ran r = RAN("run", at("in.vtkhdf"), "-o", WHOLE, "--force", "-q", CPU);
    EXPECT(ran_well(&r), "^ whole");
    ran_free(&r);
    for (int copy = 0; copy < 2; copy++) {
        const char *option = copy ? "--copy" : "--virtual";
        unlink(JOIN);
        job_fragile("none", 0);
        r = merge_shards(3, option);
        program_plain();
        EXPECT(ran_well(&r), "^ merge");
        ran_free(&r);
        const long all = job_changes(), few = (long)test_count(TEST_SANITIZED ? 3 : 10);
        for (long i = 0; i <= few; i++) {
            const long n = all - 1 - i * i * (all - 1) / (few * few); /* most near the end */
            unlink(JOIN);
            job_fragile("kill", n);
            r = merge_shards(3, option);
            program_plain();
            EXPECT(r.code == PROGRAM_SIGNAL + SIGKILL, "kill %ld: exit %d", n, r.code);
            ran_free(&r);
            if (exists(JOIN))
                continue;
            r = RAN("merge", JOIN, shard_name(0), shard_name(1), shard_name(2), "-q", option);
            EXPECT(ran_well(&r), "^ after kill %ld", n);
            ran_free(&r);
            const char *what = copy ? h5_same_answers(WHOLE, JOIN) : h5_same_virtual(WHOLE, JOIN);
            EXPECT(!what, "after kill %ld: %s", n, what);
            EXPECT(!exists_part(JOIN), "after kill %ld a part is left", n);
        }
    }
}

/* OUT.part of another run is not discarded, and the advice names options of merge. */
static void test_other_part(void)
{
    char part[600];
    make_three();
    snprintf(part, sizeof part, "%s.part", JOIN);
    unlink(JOIN);
    copy_file(shard_name(0), part);
    ran r = RAN("merge", JOIN, shard_name(0), shard_name(1), shard_name(2));
    EXPECT(ran_failed(&r, 2, "finished frames; --force starts again", NULL), "^ another part");
    EXPECT(!strstr(r.err, "--resume"), "%s", r.err);
    ran_free(&r);
    EXPECT(exists(part), "it is gone");
    unlink(part);
}

/* Files behind a join that are deleted, truncated or moved are named; if moved together they are
 * found. */
static void test_behind(void)
{
    make_three();
    ran r = merge_shards(3, "--virtual");
    EXPECT(ran_well(&r), "^ merge");
    ran_free(&r);
    CU_ASSERT(!mkdir(at("moved"), 0777));
    for (uint64_t i = 0; i < 3; i++) {
        char to[60];
        snprintf(to, sizeof to, "moved/shard%03llu.vtkhdf", (unsigned long long)i);
        copy_file(shard_name(i), at(to));
    }
    copy_file(JOIN, at("moved/join.vtkhdf"));
    rename(shard_name(1), at("away.vtkhdf"));
    r = RAN("check", at("moved/join.vtkhdf"), "--input", at("in.vtkhdf"));
    EXPECT(r.code == 0, "moved: %s", r.err);
    ran_free(&r);
    r = RAN("info", JOIN);
    EXPECT(ran_failed(&r, 3, "join.vtkhdf", "shard001.vtkhdf"), "^ renamed");
    ran_free(&r);
    for (uint64_t i = 0; i < 3; i += 2) {
        copy_file(shard_name(i), shard_name(1)); /* one has fewer rows than it, one has more */
        r = RAN("info", JOIN);
        EXPECT(ran_failed(&r, 3, "join.vtkhdf", "shard001.vtkhdf"), "^ shard %d in its place",
               (int)i);
        ran_free(&r);
    }
    rename(at("away.vtkhdf"), shard_name(1));
    CU_ASSERT(!truncate(shard_name(1), 3000));
    r = RAN("check", JOIN, "--input", at("in.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "join.vtkhdf", "shard001.vtkhdf"), "^ cut short");
    ran_free(&r);
}

/* Neither an input of merge nor an existing file is replaced. */
static void test_outputs(void)
{
    make_three();
    const char *a = shard_name(0), *b = shard_name(1), *c = shard_name(2);
    ran r = RAN("merge", a, a, b, c, "--force");
    EXPECT(ran_failed(&r, 2, "shard000.vtkhdf", NULL), "^ onto a shard");
    ran_free(&r);
    write_text(at("there.vtkhdf"), "x");
    r = RAN("merge", at("there.vtkhdf"), a, b, c);
    EXPECT(ran_failed(&r, 2, "exists", "--force"), "^ exists");
    ran_free(&r);
    r = RAN("merge", at("there.vtkhdf"));
    EXPECT(ran_failed(&r, 2, "shards are missing", NULL), "^ none");
    ran_free(&r);
    r = RAN("merge");
    EXPECT(ran_failed(&r, 2, "are missing", NULL), "^ nothing");
    ran_free(&r);
}

/* ---- --shard auto */

static void check_auto(const char *about, const program_how *how, const char *want)
{
    program_set(how);
    ran r = RAN("run", at("in.vtkhdf"), "-o", at("auto.vtkhdf"), "--force", "-q", CPU, "--shard",
                "auto");
    program_plain();
    if (!strchr(want, '/')) {
        EXPECT(ran_failed(&r, 2, want, "--shard"), "^ %s", about);
        ran_free(&r);
        return;
    }
    EXPECT(ran_well(&r), "^ %s", about);
    ran_free(&r);
    r = RAN("info", at("auto.vtkhdf"));
    EXPECT(strstr(r.out, want) != NULL, "%s: not %s in %s", about, want, r.out);
    ran_free(&r);
}

/* Launchers, by the variables that they set. */
static void test_shard_auto(void)
{
    make_three();
    check_auto("nothing", &(program_how){0}, "no launcher has numbered this task");
    check_auto("array",
               &(program_how){.variable = {{"SLURM_ARRAY_TASK_ID", "5"},
                                           {"SLURM_ARRAY_TASK_MIN", "3"},
                                           {"SLURM_ARRAY_TASK_MAX", "6"},
                                           {"SLURM_ARRAY_TASK_COUNT", "4"}}},
               "shard=2/4 ");
    check_auto("gaps",
               &(program_how){.variable = {{"SLURM_ARRAY_TASK_ID", "5"},
                                           {"SLURM_ARRAY_TASK_MIN", "3"},
                                           {"SLURM_ARRAY_TASK_MAX", "9"},
                                           {"SLURM_ARRAY_TASK_COUNT", "4"}}},
               "the job array has gaps");
    check_auto("mpirun",
               &(program_how){.variable = {{"OMPI_COMM_WORLD_RANK", "1"},
                                           {"OMPI_COMM_WORLD_SIZE", "3"},
                                           {"SLURM_PROCID", "0"},
                                           {"SLURM_STEP_NUM_TASKS", "1"}}},
               "shard=1/3 ");
    check_auto("PMI", &(program_how){.variable = {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}},
               "shard=0/2 ");
    check_auto("srun",
               &(program_how){.variable = {{"SLURM_PROCID", "3"},
                                           {"SLURM_STEP_NUM_TASKS", "5"},
                                           {"SLURM_STEP_ID", "0"}}},
               "shard=3/5 ");
    check_auto("a batch script", &(program_how){.variable = {{"SLURM_PROCID", "0"}}},
               "no launcher has numbered this task");
    check_auto("no task", &(program_how){.variable = {{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}},
               "task 2 of 2");
}

/* As many threads as Slurm gives a task, unless the user asks for another number; never more than
 * the processors that this process may use. */
static void test_shard_threads(void)
{
    static const struct {
        const char *cpus, *threads;
        int want;
    } cases[] = {
        {"1", NULL, 1}, {"1", "2", 2}, {"10000", NULL, INT_MAX}, {NULL, "100000", INT_MAX}};
    const int most = omp_get_num_procs();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_set(&(program_how){.variable = {{"SLURM_CPUS_PER_TASK", cases[i].cpus},
                                                {"OMP_NUM_THREADS", cases[i].threads}}});
        ran r = RAN("devices", "--json");
        program_plain();
        const char *units = strstr(r.out, "\"units\": ");
        const int got = units ? atoi(units + strlen("\"units\": ")) : 0;
        const int want = cases[i].want < most ? cases[i].want : most;
        EXPECT(r.code == 0 && got > 0 && (cases[i].want == INT_MAX ? got <= want : got == want),
               "case %zu: exit %d, %d threads, not %d", i, r.code, got, want);
        ran_free(&r);
    }
}

/* More threads are requested than there are processors. */
static void test_threads_many(void)
{
    make_three();
    program_set(&(program_how){.variable = {{"OMP_NUM_THREADS", "100000"}}});
    ran r =
        RAN("run", at("in.vtkhdf"), "-o", at("many.vtkhdf"), "--force", "-q", "--device", "cpu");
    EXPECT(ran_well(&r), "^ OMP_NUM_THREADS");
    ran_free(&r);
    program_plain();
    r = RAN("run", at("in.vtkhdf"), "-o", at("many.vtkhdf"), "--force", "-v", "--device", "cpu",
            "--threads", "4096");
    EXPECT(r.code == 0 && strstr(r.err, "--threads 4096: there are"), "--threads 4096: %d, %s",
           r.code, r.err);
    ran_free(&r);
    r = RAN("run", at("in.vtkhdf"), "-o", at("many.vtkhdf"), "--force", "--threads", "100000");
    EXPECT(ran_failed(&r, 2, "--threads", "4096"), "^ --threads 100000");
    ran_free(&r);
}

static size_t shard_test_count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

#ifdef IMP_SANITIZED
#define STARTS 2 /* in any environment */
#else
#define STARTS 1
#endif

/* The settings that OpenMP has read: threads sleep while they wait. The program restarts itself
 * unless the environment looks like a shell's; only the second start has the setting then. */
static void test_waiting(void)
{
    static const struct {
        const char *policy, *shell;
        size_t starts, few; /* starts with few spins */
    } cases[] = {{NULL, "x", STARTS, 1}, {NULL, NULL, 2, 1}, {"active", "x", 1, 0}};
    for (size_t i = 0; i < 3; i++) {
        const char *x = cases[i].shell;
        program_set(&(program_how){.variable = {{"OMP_DISPLAY_ENV", "verbose"},
                                                {"OMP_WAIT_POLICY", cases[i].policy},
                                                {"PWD", x},
                                                {"OLDPWD", x},
                                                {"SHLVL", NULL},
                                                {"LOGNAME", NULL},
                                                {"SHELL", NULL},
                                                {"_", NULL}}});
        ran r = RAN("--version");
        program_plain();
        const size_t starts = shard_test_count(r.err, "GOMP_SPINCOUNT = ");
        const size_t few = shard_test_count(r.err, "GOMP_SPINCOUNT = '1000'");
        EXPECT(r.code == 0 && starts == cases[i].starts && few == cases[i].few, "case %zu: %s", i,
               r.err);
        ran_free(&r);
    }
}

static void test_shard_wrong(void)
{
    static const char *const wrong[] = {"3/3", "1", "1/0", "-1/3", "1/3x", "a/b", "0/2000000", ""};
    make_three();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = RAN("run", at("in.vtkhdf"), "-o", at("wrong.vtkhdf"), "--shard", wrong[i]);
        EXPECT(ran_failed(&r, 2, "--shard", wrong[i]) && !exists(at("wrong.vtkhdf")), "^ '%s'",
               wrong[i]);
        ran_free(&r);
    }
}

/* More shards than frames: those without a frame print nothing, and an error of the whole run is an
 * error of each. */
static void test_empty_shard(void)
{
    make_three();
    write_text(at("pairs.txt"), "5 6\n");
    for (int i = 0; i < 2; i++) {
        const char *shard = i ? "39/40" : "0/40";
        ran r =
            RAN("run", at("in.vtkhdf"), "-o", at("one.vtkhdf"), "--force", CPU, "--shard", shard);
        EXPECT(r.code == 0 && !*r.err, "shard %s: %d, %s", shard, r.code, r.err);
        ran_free(&r);
        r = RAN("run", at("in.vtkhdf"), "-o", at("one.vtkhdf"), "--force", CPU, "--shard", shard,
                "--object-pairs", at("pairs.txt"));
        EXPECT(ran_failed(&r, 2, "leaves no pair to test", NULL), "^ pairs, shard %s", shard);
        ran_free(&r);
    }
}

/* One command starts, continues and ends a shard, and does not continue another one. */
static void test_shard_resume(void)
{
    make_three();
    ran r =
        RAN("run", at("in.vtkhdf"), "-o", shard_name(1), "--resume", "-q", CPU, "--shard", "1/3");
    EXPECT(ran_well(&r), "^ done");
    ran_free(&r);
    r = RAN("run", at("in.vtkhdf"), "-o", shard_name(1), "--resume", "-q", CPU, "--shard", "2/3");
    EXPECT(ran_failed(&r, 2, "--frames", NULL) || ran_failed(&r, 2, "--shard", NULL), "^ another");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"scenes", test_shard_scenes},     {"layouts", test_shard_layouts},
        {"pieces", test_shard_pieces},     {"bad_shards", test_bad_shards},
        {"altered", test_altered},         {"default", test_shard_default},
        {"many", test_shard_many},         {"killed", test_shard_killed},
        {"other_part", test_other_part},   {"behind", test_behind},
        {"outputs", test_outputs},         {"auto", test_shard_auto},
        {"threads", test_shard_threads},   {"threads_many", test_threads_many},
        {"waiting", test_waiting},         {"wrong", test_shard_wrong},
        {"empty_shard", test_empty_shard}, {"resume", test_shard_resume},
        {"narrow", test_narrow},           {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "shard", tests);
}
