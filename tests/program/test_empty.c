/* No false zero: whatever makes a result empty unintentionally is an error before the first frame,
 * or a warning on stderr and in JSON. */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU "--device", "cpu", "--threads", "1"
#define TRIANGLES 12

/* Frames of loose triangles; in frame f, cell i belongs to object ids[i % n] + f * stride. */
static const char *batch(const char *name, size_t frames, const int64_t *ids, size_t n,
                         int64_t stride)
{
    make m = {.cells = {{.name = n ? "ObjectId" : NULL}}};
    rng r = {3};
    int64_t corner[3 * TRIANGLES];
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        corner[i] = i;
    for (size_t f = 0; f < frames; f++) {
        make_part(&m, 3 * TRIANGLES, TRIANGLES, corner);
        make_step_next(&m, (double)f, 1);
        make_random_points(&m, 3 * TRIANGLES, &r);
        for (size_t i = 0; n && i < TRIANGLES; i++)
            make_add(&m.cells[0].value, ids[i % n] + stride * (int64_t)f);
    }
    make_write(&m, name);
    make_free(&m);
    return at(name);
}

/* Refused in one line with these words, by `run` and by `bench`; OUT is not created. */
static void check_empty_refused(const char *in, const char *const more[4], const char *word,
                                const char *word2)
{
    const char *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, more[0], more[1], more[2], more[3]);
    EXPECT(ran_failed(&r, 2, word, word2), "^ run %s %s", more[0], more[1]);
    EXPECT(!exists(out) && !exists_part(out), "OUT is there");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", more[0], more[1], more[2], more[3]);
    EXPECT(ran_failed(&r, 2, word, word2), "^ bench %s %s", more[0], more[1]);
    ran_free(&r);
}

/* Succeeds with one warning that has these words, on stderr, also with -q, and in JSON. */
static void check_warned(const char *in, const char *const more[4], const char *word,
                         const char *word2)
{
    const char *out = at("out.vtkhdf");
    const char *const verbs[] = {"run", "bench"};
    for (int v = 0; v < 2; v++)
        for (int quiet = 0; quiet < 2; quiet++) {
            const char *line[24] = {verbs[v], in, CPU, "--json"};
            int n = 7;
            if (quiet)
                line[n++] = "-q";
            if (v == 0)
                line[n++] = "-o", line[n++] = out, line[n++] = "--force";
            for (int i = 0; i < 4 && more[i]; i++)
                line[n++] = more[i];
            ran r = program_run(line);
            EXPECT(r.code == 0, "%s: exit %d: %s", verbs[v], r.code, r.err);
            EXPECT(count_lines(r.err) == 1, "%s, -q %d: %s", verbs[v], quiet, r.err);
            EXPECT(strstr(r.err, "impinge: warning: ") && strstr(r.err, word) &&
                       strstr(r.err, word2),
                   "%s: not '%s', '%s': %s", verbs[v], word, word2, r.err);
            EXPECT(json_valid(r.out), "%s", r.out);
            const char *text = json_at(r.out, "warnings.0");
            EXPECT(text && strstr(text, word2), "%s: JSON: %s", verbs[v], text ? text : "none");
            EXPECT(!json_at(r.out, "warnings.1"), "more warnings");
            ran_free(&r);
        }
    unlink(out);
}

#define REFUSED(in, word, word2, ...)                                                              \
    check_empty_refused(in, (const char *const[4]){__VA_ARGS__}, word, word2)
#define WARNED(in, word, word2, ...)                                                               \
    check_warned(in, (const char *const[4]){__VA_ARGS__}, word, word2)

static void test_empty_all_frames(void)
{
    const char *in = batch("frames.vtkhdf", 5, NULL, 0, 0), *result = at("whole.vtkhdf");
    static const char *const none[] = {"5:", "3:3", "4:2", "2:4:-1", "-9:-7", "100:200"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        REFUSED(in, none[i], "none of the 5 frames, 0 to 4", "--frames", none[i]);
    ran r = RAN("run", in, "-o", result, CPU);
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    r = RAN("check", result, "--input", in, "--frames", "7:");
    EXPECT(ran_failed(&r, 2, "--frames", "none of the 5"), "^ check");
    ran_free(&r);
}

static const int64_t three[] = {5, -2, 7};

static void test_list_of_nothing(void)
{
    const struct {
        const char *list;
        int minus;
        const char *pairs, *word;
    } bad[] = {{"100 200\n", 0, "all", "-2, 5, 7"},
               {"5 100\n", 0, "all", "-2, 5, 7"},
               {"# none\n", 0, "all", "no pair"},
               {"5 7\n-2 5\n", 0, "self", "with pairs 'self'"},
               {"5 5\n-2 -2\n", 0, "between", "with pairs 'between'"},
               {"5 5\n-2 -2\n7 7\n", 1, "self", "with pairs 'self'"},
               {"5 7\n-2 5\n-2 7\n", 1, "between", "with pairs 'between'"},
               {"5 7\n7 5\n5 7\n-2 5\n-2 7\n", 1, "between", "with pairs 'between'"},
               {"5 5\n5 7\n-2 5\n-2 7\n-2 -2\n7 7\n", 1, "all", "no pair"}};
    const char *in = batch("three.vtkhdf", 2, three, 3, 0), *file = at("list.txt");
    char minus[600];
    snprintf(minus, sizeof minus, "-%s", file);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(file, bad[i].list);
        REFUSED(in, "--object-pairs", bad[i].word, "--object-pairs", bad[i].minus ? minus : file,
                "--pairs", bad[i].pairs);
    }
    write_text(file, "0 1\n"); /* both exist, but never in one frame */
    const int64_t zero[] = {0};
    REFUSED(batch("apart.vtkhdf", 2, zero, 1, 1), "--object-pairs", "no pair", "--object-pairs",
            file);
    write_text(file, "0 3\n"); /* together in the last frame only */
    const int64_t pair[] = {0, -7, 3};
    ran r = RAN("run", batch("late.vtkhdf", 1, pair, 3, 0), "-o", at("out.vtkhdf"), CPU,
                "--object-pairs", file);
    EXPECT(ran_well(&r), "^ a pair that occurs");
    ran_free(&r);
    unlink(at("out.vtkhdf"));
}

static void test_missing_ids(void)
{
    const char *in = batch("ids.vtkhdf", 3, three, 3, 0), *file = at("list.txt");
    char minus[600];
    snprintf(minus, sizeof minus, "-%s", file);
    write_text(file, "5 7\n5 8\n");
    WARNED(in, "list.txt", "the object 8", "--object-pairs", file);
    WARNED(in, "list.txt", "the object 8", "--object-pairs", minus);
    write_text(file, "5 7\n5 8\n11 12\n11 7\n");
    WARNED(in, "list.txt", "the objects 8, 11, 12", "--object-pairs", file);
    write_text(file, "5 7\n1 2\n3 4\n9 10\n11 12\n13 14\n");
    WARNED(in, "list.txt", "11, 12 and 2 more", "--object-pairs", file);
}

static void test_one_object(void)
{
    const int64_t one[] = {4}, late[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5};
    REFUSED(batch("plain.vtkhdf", 2, NULL, 0, 0), "pairs 'between'", "no CellData/ObjectId",
            "--pairs", "between");
    REFUSED(batch("one.vtkhdf", 2, one, 1, 0), "pairs 'between'", "of one object", "--pairs",
            "between");
    REFUSED(batch("one.vtkhdf", 2, one, 1, 0), "pairs 'between'", "of one object", "--pairs",
            "between", "--objects", "array:ObjectId");
    REFUSED(batch("apart.vtkhdf", 3, one, 1, 1), "pairs 'between'", "of one object, 6", "--pairs",
            "between");
    ran r = RAN("run", batch("last.vtkhdf", 2, late, 12, 0), "-o", at("out.vtkhdf"), CPU, "--pairs",
                "between", "--force");
    EXPECT(ran_well(&r), "^ the last triangle is of another object");
    ran_free(&r);
    r = RAN("run", batch("many.vtkhdf", 2, three, 3, 0), "-o", at("out.vtkhdf"), CPU, "--pairs",
            "between", "--force");
    EXPECT(ran_well(&r), "^ three objects");
    ran_free(&r);
    unlink(at("out.vtkhdf"));
}

/* Frames or cells that do not exist. */
static void test_nothing_there(void)
{
    make m = {0};
    make_part(&m, 3, 1, (const int64_t[]){0, 1, 2});
    WARNED(make_write(&m, "no-frames.vtkhdf"), "no-frames.vtkhdf", "no frames", NULL);
    make_free(&m);
    for (int frames = 1; frames < 4; frames++) {
        make e = {0};
        for (int f = 0; f < frames; f++) {
            make_part(&e, 0, 0, NULL);
            make_step_next(&e, f, 1);
        }
        WARNED(make_write(&e, "empty.vtkhdf"), "empty.vtkhdf", "no triangle", NULL);
        make_free(&e);
    }
    make s = {0};
    for (int f = 0; f < 3; f++) {
        make_part(&s, f == 1 ? 0 : 3, f != 1, (const int64_t[]){0, 1, 2});
        make_step_next(&s, f, 1);
        if (f != 1)
            make_points(&s, 3, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    }
    WARNED(make_write(&s, "some.vtkhdf"), "some.vtkhdf", "1 of 3 selected frames", NULL);
    make_free(&s);
}

static void test_all_bad(void)
{
    make m = {0};
    make_moving(&m, 2, 4, 1);
    for (size_t i = 0; i < m.points.count; i += 9)
        m.points.value[i] = NAN;
    WARNED(make_write(&m, "bad.vtkhdf"), "bad.vtkhdf", "left out", "--on-bad", "skip");
    make_free(&m);
}

/* Replaces an object of the file by a dangling link. */
static void put_dangling(const char *path, const char *name)
{
    h5_remove(path, name);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CU_ASSERT(H5Lcreate_soft("/nowhere", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    CU_ASSERT(H5Fclose(file) >= 0);
}

/* A result has no triangles; one without contacts looks like an empty batch. */
static void test_result_as_batch(void)
{
    const char *out = at("out.vtkhdf");
    make m = {0};
    make_part(&m, 3, 1, (const int64_t[]){0, 1, 2});
    make_step_next(&m, 0, 1);
    make_points(&m, 3, (const double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    ran r = RAN("run", make_write(&m, "single.vtkhdf"), "-o", out, CPU);
    EXPECT(ran_well(&r), "^ one triangle");
    ran_free(&r);
    make_free(&m);
    r = RAN("run", out, "-o", at("again.vtkhdf"), CPU);
    EXPECT(ran_failed(&r, 3, out, "a result of impinge"), "^ a result as input");
    ran_free(&r);
    unlink(out);
}

/* A foreign /impinge, be it a dataset or a dangling link, does not make a batch a result. */
static void test_other_impinge(void)
{
    const char *in = batch("other.vtkhdf", 2, NULL, 0, 0), *out = at("out.vtkhdf");
    for (int i = 0; i < 2; i++) {
        if (i)
            put_dangling(in, "impinge");
        else
            h5_replace(in, "impinge", H5T_IEEE_F64LE, 1, (const hsize_t[]){2}, NULL);
        ran r = RAN("run", in, "-o", out, CPU, "--force");
        EXPECT(ran_well(&r), "^ run");
        ran_free(&r);
        r = RAN("check", out, "--input", in);
        EXPECT(ran_well(&r), "^ check");
        ran_free(&r);
        r = RAN("info", in);
        EXPECT(ran_well(&r) && !strstr(r.out, "rigid"), "^ info");
        ran_free(&r);
        r = RAN("check", in, "--input", in);
        EXPECT(ran_failed(&r, 3, in, "not a result"), "^ check of the batch");
        ran_free(&r);
    }
    /* with a dangling link inside, it is a damaged result, but still a result */
    put_dangling(out, "impinge/frames_done");
    ran r = RAN("info", out);
    EXPECT(ran_failed(&r, 3, out, "/impinge/frames_done: missing"), "^ info");
    ran_free(&r);
    r = RAN("run", out, "-o", at("again.vtkhdf"), CPU);
    EXPECT(ran_failed(&r, 3, out, "a result of impinge"), "^ a damaged result as input");
    ran_free(&r);
    unlink(out);
}

/* "none missing" refers to the frames that are there. */
static void test_incomplete(void)
{
    const char *in = batch("long.vtkhdf", 5, NULL, 0, 0), *out = at("cut.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU);
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    h5_poke(out, "impinge/frames_done", 0, 2);
    r = RAN("check", out, "--input", in);
    EXPECT(r.code == 0 && strstr(r.err, "not complete") && strstr(r.err, "2 frames"), "%s", r.err);
    ran_free(&r);
}

/* Segments whose ends are ordered by rounding alone: two squares in planes that differ by one
 * rounding error. */
static void test_symmetric(void)
{
    make m = {0};
    rng r = {9};
    double x[18];
    for (int f = 0; f < 40; f++) {
        make_part(&m, 6, 2, (const int64_t[]){0, 1, 2, 3, 4, 5});
        make_step_next(&m, f, 1);
        double a = rng_unit(&r), b = 1 + rng_unit(&r);
        const double all[18] = {-a, -a, -a, b, b, -a / 3, b, b, a,
                                a,  -a, -b, b, b, -b / 7, b, b, b};
        memcpy(x, all, sizeof x);
        make_points(&m, 6, x);
    }
    const char *in = make_write(&m, "symmetric.vtkhdf");
    ran run = RAN("run", in, "-o", at("symmetric.out"), CPU);
    EXPECT(ran_well(&run), "^ run");
    ran_free(&run);
    run = RAN("check", at("symmetric.out"), "--input", in);
    EXPECT(ran_well(&run), "^ check");
    ran_free(&run);
    make_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"frames", test_empty_all_frames},
                                 {"list_of_nothing", test_list_of_nothing},
                                 {"missing_ids", test_missing_ids},
                                 {"one_object", test_one_object},
                                 {"nothing_there", test_nothing_there},
                                 {"all_bad", test_all_bad},
                                 {"result_as_batch", test_result_as_batch},
                                 {"other_impinge", test_other_impinge},
                                 {"incomplete", test_incomplete},
                                 {"symmetric", test_symmetric},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "empty", tests);
}
