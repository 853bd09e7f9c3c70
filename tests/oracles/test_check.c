/* `check` decides by arithmetic of its own: it confirms results of batches for which exact
 * predicates decide many cases. Mutants show that it disagrees if a predicate is wrong; test_run.c
 * shows that it finds changed rows. */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 6
#define CELLS 90

/* Cell 1 of each frame, a tetrahedron behind a triangle, contains all others. */
static void enclose(make *m)
{
    const size_t frame = m->points.count / FRAMES;
    for (size_t f = 0; f < FRAMES; f++)
        for (size_t v = 0; v < 4; v++)
            for (size_t k = 0; k < 3; k++)
                m->points.value[f * frame + 3 * (3 + v) + k] = v == k + 1 ? 200 : -20;
}

/* Points on a coarse grid: vertices lie in planes and on edges, faces on each other. */
static const char *grid_batch(int mixed)
{
    make m = {.unstructured = mixed};
    if (mixed)
        make_moving_mixed(&m, FRAMES, CELLS, 11);
    else
        make_moving(&m, FRAMES, CELLS, 12);
    for (size_t i = 0; i < m.points.count; i++)
        m.points.value[i] = 0.5 * rint(2 * m.points.value[i]);
    if (mixed)
        enclose(&m);
    make_write(&m, mixed ? "mixed.vtkhdf" : "triangles.vtkhdf");
    make_free(&m);
    return at(mixed ? "mixed.vtkhdf" : "triangles.vtkhdf");
}

static void check_agrees(int mixed)
{
    const char *in = grid_batch(mixed), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, "--device", "cpu", "--force", "-q", "--json");
    EXPECT(ran_well(&r), "^ run");
    const double undecided = json_number(r.out, "undecided"),
                 contacts = json_number(r.out, "contacts");
    EXPECT(undecided > 100 && contacts > 100, "%g undecided, %g contacts", undecided, contacts);
    ran_free(&r);
    r = RAN("check", out, "--input", in);
    EXPECT(ran_well(&r) && strstr(r.out, "none missing"), "^ check: %s", r.out);
    ran_free(&r);
}

/* Invalid numbers, or too many of them, are reported and not followed. */
static void test_check_verb_changed(void)
{
    static const struct {
        const char *name;
        double value;
    } changes[] = {{"impinge/points", NAN},
                   {"impinge/points", INFINITY},
                   {"impinge/points", 1.7976931348623157e308},
                   {"VTKHDF/CellData/Depth", NAN},
                   {"VTKHDF/CellData/Depth", 1.7976931348623157e308},
                   {"VTKHDF/Points", NAN}};
    const char *in = grid_batch(1), *out = at("out.vtkhdf");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        ran r = RAN("run", in, "-o", out, "--device", "cpu", "--force", "-q");
        EXPECT(ran_well(&r), "^ run");
        ran_free(&r);
        h5_poke(out, changes[i].name, 0, changes[i].value);
        r = RAN("check", out, "--input", in);
        EXPECT(ran_failed(&r, 1, "frame 0", "wrong points"), "^ %s is %g", changes[i].name,
               changes[i].value);
        ran_free(&r);
    }
}

/* A result without any collision points. */
static void test_no_points(void)
{
    const char *in = grid_batch(1), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, "--device", "cpu", "--force", "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    hid_t file = H5Fopen(out, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t points = H5Dopen2(file, "impinge/points", H5P_DEFAULT);
    hid_t offsets = H5Dopen2(file, "impinge/point_offsets", H5P_DEFAULT),
          space = H5Dget_space(offsets);
    int64_t *none = calloc((size_t)H5Sget_simple_extent_npoints(space), sizeof *none);
    CU_ASSERT(H5Dset_extent(points, (const hsize_t[]){0, 3}) >= 0);
    CU_ASSERT(H5Dwrite(offsets, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, none) >= 0);
    free(none);
    H5Sclose(space);
    H5Dclose(offsets);
    H5Dclose(points);
    H5Fclose(file);
    r = RAN("check", out, "--input", in);
    EXPECT(ran_failed(&r, 1, "frame 0", "a collision point is missing"), "^ no points");
    ran_free(&r);
}

static void test_check_verb_triangles(void)
{
    check_agrees(0);
}

static void test_check_verb_solids(void)
{
    check_agrees(1);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"triangles", test_check_verb_triangles},
                                 {"solids", test_check_verb_solids},
                                 {"changed", test_check_verb_changed},
                                 {"no_points", test_no_points},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "check", tests);
}
