/* Triangles, quads and tetrahedra with VTK's types for any order, which DOLFINx uses for all of its
 * cells: with the points of linear cells they are linear cells. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "layouts.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>

enum { CURVE = 68, TRIANGLE, QUAD, TETRAHEDRON, BEZIER = 7 };

static const char *const options[][3] = {{NULL}, {"--space", "2"}, {"--continuous"}};

/* Both files give the same results with any method. */
static void check_run(const char *plain, const char *other, const char *const option[3])
{
    const char *const in[] = {plain, other}, *const out[] = {at("plain.out"), at("other.out")};
    for (int i = 0; i < 2; i++) {
        ran r = RAN("run", in[i], "-o", out[i], "--force", "-q", CPU, option[0], option[1]);
        EXPECT(ran_well(&r), "^ run %s", in[i]);
        ran_free(&r);
    }
    const char *what = h5_same(out[0], out[1], "VTKHDF");
    EXPECT(!what, "%s: %s", other, what);
    ran r = RAN("check", out[1], "--input", other, "-q");
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
}

static void check_lagrange_info(const char *path, double triangles, double tetrahedra)
{
    ran r = RAN("info", path, "--json");
    EXPECT(!r.code && !strcmp(json_at(r.out, "readable"), "true"), "%s: %s", path, r.out);
    EXPECT(json_number(r.out, "triangles") == triangles &&
               json_number(r.out, "tetrahedra") == tetrahedra,
           "%s: %s", path, r.out);
    ran_free(&r);
}

/* Random cells, as linear ones, as Lagrange and as Bezier cells. */
static void test_lagrange_same(void)
{
    for (int64_t add = 0; add <= BEZIER; add += BEZIER) {
        make m = {.unstructured = 1};
        double triangles = 0;
        make_moving_mixed(&m, 3, 90, 4);
        make_write(&m, "plain.vtkhdf");
        for (size_t i = 0; i < m.types.count; i++) {
            triangles += m.types.value[i] == 5;
            m.types.value[i] = add + (m.types.value[i] == 5 ? TRIANGLE : TETRAHEDRON);
        }
        make_write(&m, "other.vtkhdf");
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            check_run(at("plain.vtkhdf"), at("other.vtkhdf"), options[i]);
        check_lagrange_info(at("other.vtkhdf"), triangles, 90 - triangles);
        if (CONVERTS(NULL, at("other.vtkhdf")))
            check_lagrange_info(BATCH, triangles, 90 - triangles);
        make_free(&m);
    }
}

static void lagrange_add_frame(make *m, int64_t cells, const int64_t *types, const int64_t *ids)
{
    static const double at[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
    m->unstructured = 1;
    make_part_of(m, 5, cells, types, ids);
    make_step_next(m, 0, 1);
    make_points(m, 5, at);
}

/* Quads are triangulated, and curves are lines. */
static void test_lagrange_convert(void)
{
    static const int64_t types[] = {QUAD, CURVE, QUAD + BEZIER, CURVE + BEZIER};
    static const int64_t ids[] = {0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0, 0, 1, 2, 3};
    make m = {.no_steps = 1};
    char *told = NULL;
    lagrange_add_frame(&m, 4, types, ids);
    if (CONVERTS(&told, make_write(&m, "quads.vtkhdf"))) {
        EXPECT(strstr(told, "cell 1: a point or a line") && strstr(told, "; 2 such"), "%s", told);
        check_lagrange_info(BATCH, 4, 0);
    }
    free(told);
    make_free(&m);
}

/* More points than the linear cell has: each verb names the type, or shows that it does not read
 * it. */
static void test_higher(void)
{
    static const struct {
        int64_t type;
        const char *run, *convert;
    } cases[] = {
        {TRIANGLE, "type 69, a triangle of higher order",
         "cell 1 is a Lagrange triangle of 4 points"},
        {TRIANGLE + BEZIER, "type 76, a triangle of higher order",
         "cell 1 is a Bezier triangle of 4 points"},
        {72, "has type 72", "cell 1 is a Lagrange hexahedron of 4 points"},
        {61, "has type 61", "cell 1 is a cell of VTK type 61 of 4 points"},
    };
    static const int64_t types[] = {5, 10}, ids[] = {0, 1, 2, 0, 1, 3, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make m = {.no_steps = 1};
        lagrange_add_frame(&m, 2, types, ids);
        const char *in = make_write(&m, "higher.vtkhdf");
        h5_poke(in, "VTKHDF/Types", 1, (double)cases[i].type);
        ran r = RAN("run", in, "-o", at("r.vtkhdf"), "--force");
        EXPECT(ran_failed(&r, 3, in, cases[i].run), "^ run");
        ran_free(&r);
        check_refused(in, cases[i].convert, "which is not read");
        r = RAN("info", in);
        EXPECT(!r.code && strstr(r.out, "not read"), "info: %s", r.out);
        ran_free(&r);
        make_free(&m);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"same", test_lagrange_same},
                                 {"convert", test_lagrange_convert},
                                 {"higher", test_higher},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "lagrange", tests);
}
