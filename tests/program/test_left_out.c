/* run, bench and check --ring and --baseline with rows of pairs within a distance: each ring leaves
 * out more; a baseline leaves out exactly the pairs of a run of its frame, whichever primitives
 * have their features; every division of the work gives the same result; wrong options are refused.
 */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "near_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- --ring */

#define SIDE 5 /* vertices along each side of a sheet */

/* A sheet of squares, each of two triangles, of two objects; its vertices jump from frame to
 * frame. */
static const char *distances_sheet(void)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    rng r = {5};
    int64_t id[6 * (SIDE - 1) * (SIDE - 1)], *t = id;
    for (int64_t i = 0; i < SIDE - 1; i++)
        for (int64_t j = 0; j < SIDE - 1; j++, t += 6) {
            const int64_t p = SIDE * i + j,
                          two[] = {p, p + 1, p + SIDE + 1, p, p + SIDE + 1, p + SIDE};
            memcpy(t, two, sizeof two);
        }
    make_part(&m, SIDE * SIDE, (t - id) / 3, id);
    for (int64_t i = 0; i < (t - id) / 3; i++)
        make_add(&m.cells[0].value, i > (t - id) / 6);
    for (size_t f = 0; f < FRAMES; f++) {
        make_step(&m, (double)f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        for (int v = 0; v < SIDE * SIDE; v++)
            make_points(&m, 1,
                        (double[]){v / SIDE + rng_unit(&r), v % SIDE + rng_unit(&r), rng_unit(&r)});
    }
    const char *path = make_write(&m, "sheet.vtkhdf");
    make_free(&m);
    return path;
}

/* Each ring has fewer rows than the one before, and the greatest has none: the sheet is one. */
static void test_ring_nested(void)
{
    static const char *const ring[] = {"0", "1", "2", "3", "4294967295"};
    const char *in = distances_sheet();
    size_t before = SIZE_MAX;
    for (size_t k = 0; k < sizeof ring / sizeof *ring; k++) {
        RUN_WITH(in, "--distance=3", "--ring", ring[k]);
        rows r = read_rows(OUT);
        EXPECT(r.count < before && (r.count > 0) == (k < 4), "ring %s: %zu rows", ring[k], r.count);
        before = r.count;
        free_rows(&r);
    }
    RUN_WITH(in, "--distance=3");
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--distance=3", "--ring=0");
    check_distances_same("ring 0");
}

static void test_ring_divided(void)
{
    const char *in = distances_sheet();
    check_rows_divided(in, "--distance=2", "--ring=1", NULL);
    check_rows_divided(in, "--distance=2", "--ring=2", "--rows=features");
    check_rows_divided(in, "--rows=objects", "--ring=2", NULL);
    ran r = RAN("bench", in, CPU, "--reps", "1", "--rows=objects", "--ring=2", "--json");
    EXPECT(r.code == 0 && json_number(r.out, "contacts") == FRAMES, "^ bench");
    ran_free(&r);
}

static void test_ring_wrong(void)
{
    const char *in = distances_sheet(), *out = at("none.vtkhdf");
    static const char *const wrong[][4] = {
        {"--ring=1", "-q", "-q", "--ring: only with --distance, --thickness or --rows objects"},
        {"--ring=1", "--continuous", "-q",
         "--ring: only with --distance, --thickness or --rows objects"},
        {"--ring=1", "--distance=1", "--stage=candidates", "--ring: not with --stage candidates"},
        {"--ring=1", "--distance=1", "--space=2", "--ring: not with --space"},
        {"--ring=-1", "--distance=1", "-q", "a whole number from 0 to 4294967295"},
        {"--ring=4294967296", "--distance=1", "-q", "a whole number from 0 to 4294967295"},
        {"--ring=1.5", "--distance=1", "-q", "a whole number from 0 to 4294967295"},
        {"--ring=x", "--distance=1", "-q", "a whole number from 0 to 4294967295"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = RAN("run", in, "-o", out, CPU, wrong[i][0], wrong[i][1], wrong[i][2]);
        EXPECT(ran_failed(&r, 2, wrong[i][3], NULL), "^ %s %s", wrong[i][0], wrong[i][1]);
        ran_free(&r);
    }
    EXPECT(access(out, F_OK), "a result is there");
    RUN_WITH(in, "--distance=1", "--ring=1");
    for (int i = 0; i < 2; i++) {
        ran r =
            RAN("run", in, "-o", OUT, "-q", CPU, "--resume", "--distance=1", i ? "--ring=2" : NULL);
        EXPECT(ran_failed(&r, 2, i ? "--ring was 1, is 2" : "--ring was 1, is not given", NULL),
               "^ another ring");
        ran_free(&r);
    }
}

/* ---- --baseline */

static int within_same_pair(const near_rows *x, size_t i, const near_rows *y, size_t j,
                            int features)
{
    return x->r.a[i] == y->r.a[j] && x->r.b[i] == y->r.b[j] &&
           (!features || (x->r.kind[i] == y->r.kind[j] && x->feature[0][i] == y->feature[0][j] &&
                          x->feature[1][i] == y->feature[1][j]));
}

static int within_has_pair(const near_rows *has, const near_rows *of, size_t i, int features)
{
    for (size_t k = 0; k < has->r.count; k++)
        if (within_same_pair(has, k, of, i, features))
            return 1;
    return 0;
}

/* --baseline leaves out the pairs of a run of that frame alone. */
static void check_within_baseline(const char *in, int64_t frame, const char *const option[3])
{
    char number[24], slice[48];
    const int features = option[1] && !strcmp(option[1], "--rows=features");
    size_t next = 0, wrong = 0;
    snprintf(number, sizeof number, "%lld", (long long)frame);
    snprintf(slice, sizeof slice, "%lld:%lld", (long long)frame, (long long)frame + 1);
    RUN_WITH(in, option[0], option[1], option[2]);
    near_rows all = distances_read(OUT);
    RUN_WITH(in, "--frames", slice, option[0], option[1], option[2]);
    near_rows base = distances_read(OUT);
    RUN_WITH(in, "--baseline", number, "--block", "2", option[0], option[1], option[2]);
    near_rows rest = distances_read(OUT);
    for (size_t i = 0; i < all.r.count; i++) {
        if (within_has_pair(&base, &all, i, features))
            continue;
        wrong += next >= rest.r.count || !distances_same_row(&all, i, &rest, next);
        next++;
    }
    EXPECT(!wrong && next == rest.r.count && next && next < all.r.count && base.r.count,
           "frame %s, %s: %zu rows of %zu", number, option[0], rest.r.count, all.r.count);
    ran t = RAN("bench", in, CPU, "--reps", "1", "--json", "--baseline", number, option[0],
                option[1], option[2]);
    EXPECT(json_number(t.out, "contacts") == (double)rest.r.count, "bench: %s contacts, not %zu",
           json_at(t.out, "contacts"), rest.r.count);
    ran_free(&t);
    t = RAN("check", OUT, "--input", in);
    EXPECT(ran_well(&t), "^ check");
    ran_free(&t);
    distances_free(&all);
    distances_free(&base);
    distances_free(&rest);
}

static void test_within_baseline(void)
{
    static const char *const near[3] = {"--distance=0.25"},
                             *const features[3] = {"--distance=0.25", "--rows=features"},
                             *const between[3] = {"--distance=1.5", "--rows=features",
                                                  "--pairs=between"},
                             *const ring[3] = {"--distance=2", "--ring=1"},
                             *const both[3] = {"--distance=2", "--rows=features", "--ring=1"};
    for (int solids = 0; solids < 2; solids++) {
        const char *in = distances_moving(solids);
        check_within_baseline(in, 0, near);
        check_within_baseline(in, 3, features);
        check_rows_divided(in, "--distance=0.25", "--baseline=2", "--rows=features");
        check_rows_divided(in, "--distance=0.25", "--baseline=2", NULL);
    }
    const char *in = distances_sheet();
    check_within_baseline(in, 2, ring);
    check_within_baseline(in, 1, both);
    check_within_baseline(in, 1, between);
    RUN_WITH(in, "--distance=2", "--baseline=2");
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--distance=2", "--baseline=2", "--space=3");
    check_distances_same("slabs");
    check_distances_merge(in, "--distance=2", "--space=3", "--baseline=2");
    RUN_WITH(in, "--distance=2", "--baseline=2", "--rows=features");
    copy_file(OUT, WHOLE);
    RUN_WITH(in, "--distance=2", "--baseline=2", "--rows=features", "--space=3");
    check_distances_same("features of slabs");
}

/* Candidates of pairs that are within the distance in that frame are left out. */
static void test_within_baseline_candidates(void)
{
    const char *in = distances_moving(0);
    size_t next = 0, wrong = 0;
    RUN_WITH(in, "--distance=0.25", "--frames=1:2");
    rows base = read_rows(OUT);
    RUN_WITH(in, "--distance=0.25", "--stage=candidates");
    rows all = read_rows(OUT);
    RUN_WITH(in, "--distance=0.25", "--stage=candidates", "--baseline=1");
    rows rest = read_rows(OUT);
    for (size_t i = 0; i < all.count; i++) {
        int out = 0;
        for (size_t k = 0; k < base.count; k++)
            out |= base.a[k] == all.a[i] && base.b[k] == all.b[i];
        wrong +=
            !out && (next >= rest.count || rest.a[next] != all.a[i] || rest.b[next] != all.b[i]);
        next += !out;
    }
    EXPECT(!wrong && next == rest.count && next && next < all.count, "%zu of %zu", rest.count,
           all.count);
    free_rows(&base);
    free_rows(&all);
    free_rows(&rest);
}

/* Triangles 0 and 2 have a common edge, above triangle 1. In the second of three frames a vertex of
 * triangle 0 is not finite: then the edge is that of triangle 2 alone. In the third frame all are
 * higher. With objects each triangle is one, and the edge is one of each. */
static const char *distances_owners(int objects)
{
    make m = {.cells = {{.name = objects ? "ObjectId" : NULL}}};
    for (int64_t i = 0; i < 3 && objects; i++)
        make_add(&m.cells[0].value, i);
    static const double up[3] = {0.5, 0.5, 0.75};
    make_part(&m, 7, 3, (int64_t[]){0, 1, 2, 4, 5, 6, 1, 2, 3});
    for (int f = 0; f < 3; f++) {
        make_step(&m, f, 0, 1, 7 * (int64_t)f, 0, 0);
        make_points(&m, 7,
                    (double[]){f == 1 ? NAN : 0, 0, up[f] + 8, 2, 0, up[f], 0, 2, up[f], 2, 2,
                               up[f] + 8,        0, 0,         0, 2, 2,     0, 2, 3,     -1});
    }
    const char *path = make_write(&m, objects ? "objects.vtkhdf" : "owners.vtkhdf");
    make_free(&m);
    return path;
}

/* A pair of features is the same, whichever primitives have them. Left out are the pair of edges
 * that cross at 0.5, and with a lower distance nothing. */
static void test_within_baseline_owners(void)
{
    static const struct {
        int objects;
        const char *distance, *baseline;
        size_t rows[3];
    } cases[] = {{0, "0.5", NULL, {1, 1, 0}},           {0, "0.75", NULL, {1, 1, 1}},
                 {0, "0.75", "--baseline=0", {0}},      {0, "0.75", "--baseline=1", {0}},
                 {0, "0.75", "--baseline=2", {0}},      {0, "0.5", "--baseline=2", {1, 1, 0}},
                 {1, "0.75", NULL, {2, 1, 2}},          {1, "0.75", "--baseline=0", {0}},
                 {1, "0.75", "--baseline=1", {1, 0, 1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t have[3] = {0};
        const char *in = distances_owners(cases[i].objects);
        RUN_WITH(in, "--rows=features", "--on-bad=skip", "--distance", cases[i].distance,
                 cases[i].baseline);
        rows r = read_rows(OUT);
        for (size_t k = 0; k < r.count; k++)
            have[r.frame[k]]++;
        EXPECT(!memcmp(have, cases[i].rows, sizeof have), "case %zu: %zu, %zu, %zu rows", i,
               have[0], have[1], have[2]);
        free_rows(&r);
        ran c = RAN("check", OUT, "--input", in, "-q");
        EXPECT(ran_well(&c), "^ check of case %zu", i);
        ran_free(&c);
    }
}

/* Frames with other meshes: the third one has a triangle less, or other vertices. */
static const char *distances_changed(int vertices)
{
    make m = {0};
    for (int f = 0; f < 3; f++) {
        const int64_t two[] = {0, 1, 2, 3, f == 2 && vertices ? 5 : 4, f == 2 && vertices ? 4 : 5};
        make_part(&m, 6, f == 2 && !vertices ? 1 : 2, two);
        make_step_next(&m, f, 1);
        make_points(&m, 6, (double[]){0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 2, 0, 1, 0, 2, 1});
    }
    const char *path = make_write(&m, "changed.vtkhdf");
    make_free(&m);
    return path;
}

static void test_within_baseline_wrong(void)
{
    const char *in = distances_sheet(), *out = at("none.vtkhdf");
    static const char *const wrong[][4] = {
        {"--baseline=1", "-q", "-q",
         "--baseline: only with --continuous, --distance or --thickness"},
        {"--baseline=1", "--rows=objects", "-q", "--baseline: not with --rows objects"},
        {"--baseline=99", "--distance=1", "-q", "--baseline: there is no frame 99"},
        {"--baseline=x", "--distance=1", "-q", "--baseline: 'x' is not the number of a frame"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = RAN("run", in, "-o", out, CPU, wrong[i][0], wrong[i][1], wrong[i][2]);
        EXPECT(ran_failed(&r, 2, wrong[i][3], NULL), "^ %s %s", wrong[i][0], wrong[i][1]);
        ran_free(&r);
    }
    for (int i = 0; i < 4; i++) {
        in = distances_changed(i % 2);
        ran r = RAN("run", in, "-o", out, CPU, "--distance=1", "--baseline=0", "-q",
                    i < 2 ? NULL : "--space=2");
        EXPECT(ran_failed(&r, 3, "--baseline: frames 0 and 2 have different meshes",
                          i % 2 ? "vertices of primitives" : "numbers of primitives"),
               "^ other meshes, %d", i);
        ran_free(&r);
        unlink(at("none.vtkhdf.part"));
    }
    in = distances_sheet();
    RUN_WITH(in, "--distance=1", "--baseline=0");
    ran r = RAN("run", in, "-o", OUT, "-q", CPU, "--resume", "--distance=1", "--baseline=1");
    EXPECT(ran_failed(&r, 2, "--baseline was 0, is 1", NULL), "^ another baseline");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"ring_nested", test_ring_nested},
                                 {"ring_divided", test_ring_divided},
                                 {"ring_wrong", test_ring_wrong},
                                 {"baseline", test_within_baseline},
                                 {"baseline_candidates", test_within_baseline_candidates},
                                 {"baseline_owners", test_within_baseline_owners},
                                 {"baseline_wrong", test_within_baseline_wrong},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "left_out", tests);
}
