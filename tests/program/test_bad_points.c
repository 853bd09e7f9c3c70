/* Points that are not finite, through the program: they are refused by name, or skipped as if their
 * cells were absent. Unusual but valid input is accepted. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIANGLES 12
#define FRAMES 4

/* A batch with a coordinate that is not finite in vertex 2 of cell `cell` of frame f. */
static const char *bad_batch(size_t frames, size_t f, size_t cell, double bad, int type)
{
    make m = {.point_type = type == IMP_FLOAT32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE};
    make_moving(&m, frames, TRIANGLES, 2);
    m.points.value[3 * (3 * TRIANGLES * f + 3 * cell + 2) + 1] = bad;
    const char *path = make_write(&m, "bad.vtkhdf");
    make_free(&m);
    return path;
}

static void check_bad_points_bad(size_t frames, size_t f, size_t cell, double bad, int type,
                                 const char *block)
{
    char word[40], word2[60];
    const char *out = at("out.vtkhdf"), *path = bad_batch(frames, f, cell, bad, type);
    snprintf(word, sizeof word, "frame %zu", f);
    snprintf(word2, sizeof word2, "vertex %zu of triangle %zu ", 3 * cell + 2, cell);
    program_set(&(program_how){.program = IMP_FRAGILE, .variable = {{"IMPINGE_HASTY", "1"}}});
    ran r = RAN("run", path, "-o", out, "--device", "cpu", "--block", block);
    program_plain();
    EXPECT(ran_failed(&r, 3, word, word2) && strstr(r.err, path) && strstr(r.err, "/VTKHDF/Points"),
           "^ frame %zu, cell %zu, %g", f, cell, bad);
    EXPECT(!exists(out), "bad points: OUT is there");
    EXPECT(!exists_part(out), "bad points: OUT.part is there");
    ran_free(&r);
}

/* The first and the last frame and cell, also when many frames were committed before. */
static void test_bad_points_all(void)
{
    const double values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        check_bad_points_bad(1, 0, 0, values[i], IMP_FLOAT64, "1");
        check_bad_points_bad(5, 4, TRIANGLES - 1, values[i], IMP_FLOAT32, "2");
    }
    check_bad_points_bad(40, 39, 5, NAN, IMP_FLOAT64, "1");
    check_bad_points_bad(40, 39, 5, NAN, IMP_FLOAT64, "40");
    check_bad_points_bad(40, 17, 0, NAN, IMP_FLOAT32, "7");
}

/* A vertex that no triangle uses may have any value. */
static void test_unused_vertex(void)
{
    make m = {0};
    const int64_t ids[] = {0, 1, 3};
    make_part(&m, 4, 1, ids);
    make_step(&m, 0, 0, 1, 0, 0, 0);
    make_points(&m, 4, (double[]){0, 0, 0, 1, 0, 0, NAN, INFINITY, -NAN, 0, 1, 0});
    ran r = RAN("run", make_write(&m, "unused.vtkhdf"), "-o", at("unused.out"), "--device", "cpu");
    EXPECT(ran_well(&r), "^ a vertex without a triangle");
    ran_free(&r);
    make_free(&m);
}

/* Whether the test spoils a cell of frame f: none in frame 0, all in frame 2. */
static int spoiled(size_t f, int64_t cell)
{
    return f == 2 || (f == 1 && cell % 5 == 2) || (f == 3 && cell == 0);
}

/* The same frames with and without the bad triangles; `map`: cell of `clean` to cell of `bad`. */
static void spoiled_pair(make *bad, make *clean, int64_t map[FRAMES][40])
{
    const int64_t n = 40;
    make all = {0};
    make_moving(&all, FRAMES, n, 3);
    make_moving(bad, FRAMES, n, 3);
    for (size_t f = 0; f < FRAMES; f++) {
        int64_t ids[120], kept = 0;
        for (int64_t c = 0; c < n; c++) {
            if (spoiled(f, c)) {
                bad->points.value[9 * (n * (int64_t)f + c) + c % 9] = c % 2 ? NAN : INFINITY;
                continue;
            }
            for (int64_t k = 0; k < 3; k++)
                ids[3 * kept + k] = 3 * c + k;
            map[f][kept++] = c;
        }
        make_part(clean, 3 * n, kept, ids);
        make_step_next(clean, 0.5 * (double)f, 1);
        make_points(clean, 3 * (size_t)n, all.points.value + 9 * n * (int64_t)f);
    }
    make_free(&all);
}

static void compare_spoiled(const char *skipped, const char *absent, int64_t map[FRAMES][40])
{
    size_t n, m, k;
    int64_t *counts = h5_ints(absent, "impinge/contacts", &n);
    int64_t *counts2 = h5_ints(skipped, "impinge/contacts", &m);
    int64_t *bad = h5_ints(skipped, "impinge/bad_primitives", &k);
    CU_ASSERT_FATAL(n == FRAMES && m == FRAMES && k == FRAMES);
    const char *sides[] = {"VTKHDF/CellData/PrimitiveA", "VTKHDF/CellData/PrimitiveB"};
    const int64_t want_bad[FRAMES] = {0, 8, 40, 1};
    for (int side = 0; side < 2; side++) {
        int64_t *a = h5_ints(absent, sides[side], &n), *b = h5_ints(skipped, sides[side], &m);
        EXPECT(n == m && n > 10, "%zu rows, not %zu", m, n);
        if (n != m)
            break;
        for (size_t f = 0, i = 0; f < FRAMES; f++)
            for (int64_t j = 0; j < counts[f]; j++, i++)
                EXPECT(map[f][a[i]] == b[i], "frame %zu: row %lld", f, (long long)j);
        free(a);
        free(b);
    }
    double *p = h5_reals(absent, "VTKHDF/Points", &n), *q = h5_reals(skipped, "VTKHDF/Points", &m);
    EXPECT(n == m && !memcmp(p, q, n * sizeof *p), "other points");
    for (size_t f = 0; f < FRAMES; f++) {
        EXPECT(counts[f] == counts2[f], "frame %zu: %lld contacts, not %lld", f,
               (long long)counts2[f], (long long)counts[f]);
        EXPECT(bad[f] == want_bad[f], "frame %zu: %lld bad ones", f, (long long)bad[f]);
    }
    free(p);
    free(q);
    free(counts);
    free(counts2);
    free(bad);
}

/* --on-bad skip: all other cells give the same results as if the bad ones were absent. */
static void test_skip_bad(void)
{
    static const char *const ways[][2] = {
        {"--broad", "hash"}, {"--broad", "brute"}, {"--block", "1"}, {"--dop", "26"}};
    make bad = {0}, clean = {0};
    int64_t map[FRAMES][40];
    char one[600], two[600];
    spoiled_pair(&bad, &clean, map);
    snprintf(one, sizeof one, "%s", make_write(&bad, "spoiled.vtkhdf"));
    snprintf(two, sizeof two, "%s", make_write(&clean, "clean.vtkhdf"));
    ran r = RAN("run", two, "-o", at("clean.out"), "--device", "cpu", "-q");
    /* one frame is empty */
    EXPECT(ran_warned(&r), "^ without the bad ones");
    ran_free(&r);
    for (size_t i = 0; i < 4; i++) {
        r = RAN("run", one, "-o", at("skip.out"), "--device", "cpu", "--on-bad", "skip", "--force",
                ways[i][0], ways[i][1]);
        EXPECT(r.code == 0 && strstr(r.err, "all triangles of 1 frame"), "%s", r.err);
        EXPECT(strstr(r.out, "49 triangles with bad vertices"), "%s", r.out);
        compare_spoiled(at("skip.out"), at("clean.out"), map);
        ran_free(&r);
    }
    r = RAN("check", at("skip.out"), "--input", one, "-q");
    EXPECT(ran_well(&r), "^ check of a result with bad ones");
    ran_free(&r);
    make_free(&bad);
    make_free(&clean);
}

/* ---- small but valid input */

static void check_fine(const make *m, const char *about, double frames)
{
    const char *path = make_write(m, "little.vtkhdf"), *out = at("little.out");
    ran r = RAN("run", path, "-o", out, "--device", "cpu", "-q");
    EXPECT(ran_warned(&r), "^ %s", about);
    if (r.code == 0)
        EXPECT(h5_peek(out, "impinge/frames_done", 0) == frames, "%s: other frames", about);
    ran_free(&r);
    r = RAN("check", out, "--input", path, "-q");
    EXPECT(ran_warned(&r), "^ %s: check", about);
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(ran_well(&r), "^ %s: info", about);
    ran_free(&r);
    unlink(out);
}

static void test_bad_points_little(void)
{
    const int64_t one[] = {0, 1, 2};
    make m = {0};
    make_part(&m, 0, 0, NULL);
    make_step(&m, 0, 0, 1, 0, 0, 0);
    check_fine(&m, "an empty mesh", 1);
    m.no_steps = 1;
    check_fine(&m, "an empty mesh without steps", 1);
    make_free(&m);

    make_part(&m, 3, 1, one);
    check_fine(&m, "no frames", 0);
    make_points(&m, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    m.no_steps = 1;
    check_fine(&m, "one triangle without steps", 1);
    m.unstructured = 1;
    m.version[0] = 1;
    check_fine(&m, "one triangle, version 1.0", 1);
    make_free(&m);

    for (int f = 0; f < 3; f++) {
        make_part(&m, 0, 0, NULL);
        make_step_next(&m, f, 1);
    }
    check_fine(&m, "frames without anything", 3);
    make_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"bad_points", test_bad_points_all},
                                 {"unused_vertex", test_unused_vertex},
                                 {"skip_bad", test_skip_bad},
                                 {"little", test_bad_points_little},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "bad_points", tests);
}
