/* `convert` of VTKHDF files with cells that `run` does not accept: their primitives, objects, times
 * and ids. tests/oracles/blocks.py has files of several blocks, written by VTK. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIANGLE = 5, QUAD = 9, TETRAHEDRON = 10, HEXAHEDRON = 12 };

static const double corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};

/* Adds a frame of five points and some cells; `x` is the x of the first point. */
static void convert_vtkhdf_add_frame(make *m, double x, double time, int64_t cells,
                                     const int64_t *types, const int64_t *ids)
{
    double at[15];
    memcpy(at, corners, sizeof at);
    at[0] = x;
    m->unstructured = 1;
    make_part_of(m, 5, cells, types, ids);
    make_step_next(m, time, 1);
    make_points(m, 5, at);
}

/* A file of one frame with one tetrahedron. */
static const char *write_solid(const char *name, double x)
{
    make m = {.no_steps = 1};
    convert_vtkhdf_add_frame(&m, x, 0, 1, (const int64_t[]){TETRAHEDRON},
                             (const int64_t[]){0, 1, 3, 4});
    make_write(&m, name);
    make_free(&m);
    return at(name);
}

static const char *write_triangle(const char *name, double x)
{
    char content[200];
    snprintf(content, sizeof content, "v %g 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n", x);
    write_text(at(name), content);
    return at(name);
}

/* The types of all cells of the batch, "10 5 ", or "none" in PolyData. */
static const char *types_of(const char *path)
{
    static char text[400];
    size_t n = 0, at_text = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int grid = H5Lexists(file, "VTKHDF/Types", H5P_DEFAULT) > 0;
    H5Fclose(file);
    if (!grid)
        return "none";
    int64_t *type = h5_ints(path, "VTKHDF/Types", &n);
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%d ", (int)type[i]);
    free(type);
    return text;
}

static void check_ints(const char *list, const int64_t *want, size_t count)
{
    size_t n = 0;
    int64_t *have = h5_ints(BATCH, list, &n);
    EXPECT(n == count && !memcmp(have, want, count * sizeof *want), "%s: %zu values", list, n);
    free(have);
}

/* ---- cells */

/* The triangles of a quad stay in its position, between a tetrahedron and a triangle; times are
 * those of the file. */
static void test_convert_vtkhdf_mixed(void)
{
    static const int64_t types[] = {TETRAHEDRON, QUAD, TRIANGLE};
    static const int64_t ids[] = {0, 1, 3, 4, 0, 1, 2, 3, 4, 2, 1};
    static const int64_t cut[] = {0, 1, 3, 4, 0, 1, 2, 0, 2, 3, 4, 2, 1};
    make m = {0};
    convert_vtkhdf_add_frame(&m, 0, 0.5, 3, types, ids);
    convert_vtkhdf_add_frame(&m, 0.25, 2, 3, types, ids);
    const char *in = make_write(&m, "mixed.vtkhdf");
    if (CONVERTS(NULL, in)) {
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "10 5 5 5 ");
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "0 0.25 ");
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0.5 2 ");
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1);
        check_ints("VTKHDF/Connectivity", cut, 13);
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 1), in);
    }
    make_free(&m);
}

/* A quad with a notch is split at its notch, even if only a later frame has the notch. */
static void test_convert_vtkhdf_notch(void)
{
    static const int64_t quad[] = {QUAD}, ids[] = {0, 1, 2, 3};
    static const int64_t at_first[] = {0, 1, 2, 0, 2, 3};
    make m = {0};
    char *told = NULL;
    convert_vtkhdf_add_frame(&m, 0, 0, 1, quad, ids);
    convert_vtkhdf_add_frame(&m, 0.9, 1, 1, quad, ids); /* the first corner is still on its side */
    m.points.value[15] = 0.8;
    m.points.value[16] = 0.9; /* now it is beyond the line between its neighbours */
    if (CONVERTS(&told, make_write(&m, "notch.vtkhdf"))) {
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1); /* splitting along 0-2 is valid in both */
        check_ints("VTKHDF/Polygons/Connectivity", at_first, 6);
        m.points.value[0] = 0;
        m.points.value[18] = 0.1; /* corner 1 */
        m.points.value[19] = 0.2;
        m.points.value[15] = m.points.value[16] = 0;
    }
    free(told);
    told = NULL;
    if (CONVERTS(&told, make_write(&m, "notch2.vtkhdf"))) {
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 2);
        EXPECT(strstr(told, "notch2.vtkhdf: cell 0: a face that cannot be cut"), "%s", told);
    }
    free(told);
    make_free(&m);
}

static void test_convert_vtkhdf_refused(void)
{
    static const int64_t one[] = {HEXAHEDRON}, ids[] = {0, 1, 2, 3}, line[] = {3};
    make m = {0};
    convert_vtkhdf_add_frame(&m, 0, 0, 1, (const int64_t[]){TRIANGLE}, ids);
    convert_vtkhdf_add_frame(&m, 0, 1, 1, one, ids);
    check_refused(make_write(&m, "hex.vtkhdf"),
                  "frame 1: cell 0 is a hexahedron, which is not read", NULL);
    make_free(&m);
    m = (make){.no_steps = 1};
    convert_vtkhdf_add_frame(&m, 0, 0, 1, line, ids);
    check_refused(make_write(&m, "lines.vtkhdf"), "no triangle, polygon or tetrahedron among 5",
                  "VTKHDF");
    make_free(&m);
    m = (make){0};
    convert_vtkhdf_add_frame(&m, 0, 0, 0, one, ids);
    convert_vtkhdf_add_frame(&m, 0, 1, 0, one, ids);
    check_refused(make_write(&m, "none.vtkhdf"), "none.vtkhdf", "in any frame");
    make_free(&m);
    m = (make){0};
    convert_vtkhdf_add_frame(&m, 0, 0, 1, (const int64_t[]){TRIANGLE}, (const int64_t[]){0, 1, 5});
    check_refused(make_write(&m, "id.vtkhdf"), "Connectivity: id 2 of frame 0 is vertex 5",
                  "its part has 5");
    make_free(&m);
    m = (make){0};
    convert_vtkhdf_add_frame(&m, 0, 0, 2, (const int64_t[]){QUAD, QUAD},
                             (const int64_t[]){0, 1, 2, 3, 0, 1, 2, 3});
    const char *in = make_write(&m, "ends.vtkhdf");
    h5_poke(in, "VTKHDF/Offsets", 1, 9);
    check_refused(in, "Offsets: not ascending", "cell 1");
    make_free(&m);
    m = (make){.no_steps = 1};
    write_bytes(at("not.vtkhdf"), BYTES("\x89HDF\r\n\x1a\n\0"));
    check_refused(at("not.vtkhdf"), "not.vtkhdf", NULL);
}

/* Frames without cells are frames. */
static void test_empty_frame(void)
{
    make m = {0};
    char *told = NULL;
    convert_vtkhdf_add_frame(&m, 0, 0, 0, NULL, NULL);
    convert_vtkhdf_add_frame(&m, 1, 1, 1, (const int64_t[]){TRIANGLE}, (const int64_t[]){0, 1, 2});
    if (CONVERTS(&told, make_write(&m, "empty.vtkhdf"))) {
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 1 ");
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 2);
        EXPECT(strstr(told, "empty.vtkhdf: frame 0: it has no triangle, polygon or tetrahedron\n"),
               "%s", told);
    }
    free(told);
    make_free(&m);
}

/* ---- a sequence */

/* The topology is one while the cells stay the same; tetrahedra may appear in any frame. */
static void test_convert_vtkhdf_solids(void)
{
    const char *a = write_solid("s1.vtkhdf", 1), *b = write_solid("s2.vtkhdf", 2),
               *c = write_triangle("s3.obj", 3);
    if (CONVERTS(NULL, b, a)) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "1 2 ");
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "10 ");
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1);
    }
    if (CONVERTS(NULL, c, a, b, c, "--order", "given", "--dt", "0.5", "-q")) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "3 1 2 3 ");
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 0.5 1 1.5 ");
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 5 ");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 1), a);
    }
    if (CONVERTS(NULL, c, a, "--as", "objects"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "5 10 ");
    if (CONVERTS(NULL, c, c, "--order", "given", "-q"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "none");
    /* a pipe cannot be read twice */
    program_set(&(program_how){.std_in = c});
    ran r = RAN("convert", "-", a, "--order", "given", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "s1.vtkhdf: has tetrahedra", "must be the first"), "^ second");
    ran_free(&r);
    if (CONVERTS(NULL, a, "-", "--order", "given", "-q"))
        CU_ASSERT_STRING_EQUAL(types_of(BATCH), "10 5 ");
    program_plain();
}

/* A solid inside another one is in contact with it. */
static void test_inside(void)
{
    write_solid("small.vtkhdf", 0);
    make m = {.no_steps = 1};
    convert_vtkhdf_add_frame(&m, 0, 0, 1, (const int64_t[]){TETRAHEDRON},
                             (const int64_t[]){0, 1, 3, 4});
    for (size_t i = 0; i < m.points.count; i++)
        m.points.value[i] = 9 * m.points.value[i] - 1;
    if (CONVERTS(NULL, make_write(&m, "big.vtkhdf"), at("small.vtkhdf"), "--as", "objects"))
        CU_ASSERT_EQUAL(batch_contacts(), 1);
    make_free(&m);
}

/* Times of successive files must ascend, unless the user gives others. */
static void test_convert_vtkhdf_times(void)
{
    static const int64_t triangle[] = {TRIANGLE}, ids[] = {0, 1, 2};
    make m = {0}, n = {0};
    convert_vtkhdf_add_frame(&m, 0, 0.5, 1, triangle, ids);
    convert_vtkhdf_add_frame(&m, 1, 2, 1, triangle, ids);
    convert_vtkhdf_add_frame(&n, 2, 2, 1, triangle, ids);
    convert_vtkhdf_add_frame(&n, 3, 7, 1, triangle, ids);
    const char *a = strdup(make_write(&m, "t1.vtkhdf")), *b = strdup(make_write(&n, "t2.vtkhdf"));
    ran r = RAN("convert", a, b, "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "t2.vtkhdf: its time 2 does not come after 2 of", "--dt"), "^ times");
    ran_free(&r);
    if (CONVERTS(NULL, a, b, "--dt", "0.25"))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 0.25 0.5 0.75 ");
    if (CONVERTS(NULL, b, a, "--dt", "2")) {
        CU_ASSERT_STRING_EQUAL(batch_first_x(BATCH), "0 1 2 3 ");
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "0 2 4 6 ");
    }
    write_text(at("times.txt"), "1\n2\n3\n");
    if (CONVERTS(NULL, a, write_triangle("last.obj", 9), "--order", "given", "--times",
                 at("times.txt")))
        CU_ASSERT_STRING_EQUAL(batch_times(BATCH), "1 2 3 ");
    r = RAN("convert", a, "--as", "objects", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "has 2 frames; --as objects", NULL), "^ objects");
    ran_free(&r);
    r = RAN("convert", a, b, "--times", "names", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 3, "has 2 frames; --times names", NULL), "^ names");
    ran_free(&r);
    free((void *)(uintptr_t)a);
    free((void *)(uintptr_t)b);
    make_free(&m);
    make_free(&n);
}

/* ---- objects and numbers */

/* Objects keep their ids and names, also with welding and polygons. */
static void test_convert_vtkhdf_objects(void)
{
    static const int64_t types[] = {TRIANGLE, QUAD}, ids[] = {0, 1, 4, 0, 1, 2, 3};
    static const int64_t want[] = {7, -1, -1};
    make m = {0};
    convert_vtkhdf_add_frame(&m, 0, 0, 2, types, ids);
    m.cells[0].name = "ObjectId";
    make_add(&m.cells[0].value, 7);
    make_add(&m.cells[0].value, -1);
    const char *in = strdup(make_write(&m, "objects.vtkhdf"));
    if (CONVERTS(NULL, in, "--weld", "0"))
        check_ints("VTKHDF/CellData/ObjectId", want, 3);
    copy_file(BATCH, at("again.vtkhdf"));
    if (CONVERTS(NULL, at("again.vtkhdf"), "--groups"))
        check_ints("VTKHDF/CellData/ObjectId", want, 3);
    /* beside a file without ids, the ids become names */
    if (CONVERTS(NULL, in, write_triangle("plain.obj", 9), "--order", "given", "-q")) {
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 0), "7");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 1), "-1");
    }
    m.cells[0].value.value[1] = (int64_t)1 << 40;
    check_refused(make_write(&m, "wide.vtkhdf"), "ObjectId: cell 1 of frame 0 has 1099511627776",
                  "outside int32");
    ran r = RAN("convert", write_solid("plain.vtkhdf", 1), "--groups", "-o", BATCH, "--force");
    EXPECT(ran_failed(&r, 2, "plain.vtkhdf: --groups: there are no groups", NULL), "^ groups");
    ran_free(&r);
    free((void *)(uintptr_t)in);
    make_free(&m);
}

/* Names of objects pass from an OBJ file through two batches. */
static void test_convert_vtkhdf_names(void)
{
    write_text(at("parts.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\no left\nf 1 2 3\no right\nf 3 2 1\n");
    if (!CONVERTS(NULL, at("parts.obj"), "--groups"))
        return;
    copy_file(BATCH, at("parts.vtkhdf"));
    if (CONVERTS(NULL, at("parts.vtkhdf"))) {
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 1), "right");
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/frame_sources", 0), at("parts.obj"));
    }
    if (CONVERTS(NULL, at("parts.vtkhdf"), at("parts.vtkhdf"), "--as", "objects")) {
        char want[700];
        snprintf(want, sizeof want, "%s: right", at("parts.vtkhdf"));
        CU_ASSERT_STRING_EQUAL(batch_name_in(BATCH, "impinge/object_names", 1), want);
    }
}

static size_t bytes_of_points(void)
{
    hid_t file = H5Fopen(BATCH, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, "VTKHDF/Points", H5P_DEFAULT), type = H5Dget_type(data);
    size_t bytes = H5Tget_size(type);
    H5Tclose(type);
    H5Dclose(data);
    H5Fclose(file);
    return bytes;
}

/* Points have the precision of the file, or that of the most precise one. */
static void test_precision(void)
{
    make m = {.no_steps = 1, .point_type = H5T_NATIVE_FLOAT};
    convert_vtkhdf_add_frame(&m, 0.1, 0, 1, (const int64_t[]){TRIANGLE},
                             (const int64_t[]){0, 1, 2});
    const char *in = strdup(make_write(&m, "single.vtkhdf"));
    if (CONVERTS(NULL, in)) {
        CU_ASSERT_EQUAL(bytes_of_points(), sizeof(float));
        CU_ASSERT_EQUAL(h5_peek(BATCH, "VTKHDF/Points", 0), (double)0.1f);
    }
    if (CONVERTS(NULL, in, write_triangle("double.obj", 0.1), "--order", "given", "-q")) {
        CU_ASSERT_EQUAL(bytes_of_points(), sizeof(double));
        CU_ASSERT_EQUAL(h5_peek(BATCH, "VTKHDF/Points", 15), 0.1);
    }
    free((void *)(uintptr_t)in);
    make_free(&m);
}

/* Poses describe motion between frames, which a batch without poses does not have. A single frame
 * has no poses. */
static void test_convert_vtkhdf_bodies(void)
{
    ran r = RAN("generate", "missile", "-n", "60", "--frames", "2", "-o", at("poses.vtkhdf"), "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    check_refused(at("poses.vtkhdf"), "/impinge/bodies: convert keeps no poses", NULL);
    r = RAN("generate", "missile", "-n", "60", "--frames", "1", "-o", at("posed.vtkhdf"), "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    CU_ASSERT(CONVERTS(NULL, at("posed.vtkhdf"), "-q"));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"mixed", test_convert_vtkhdf_mixed},
                                 {"bodies", test_convert_vtkhdf_bodies},
                                 {"notch", test_convert_vtkhdf_notch},
                                 {"refused", test_convert_vtkhdf_refused},
                                 {"empty_frame", test_empty_frame},
                                 {"solids", test_convert_vtkhdf_solids},
                                 {"inside", test_inside},
                                 {"times", test_convert_vtkhdf_times},
                                 {"objects", test_convert_vtkhdf_objects},
                                 {"names", test_convert_vtkhdf_names},
                                 {"precision", test_precision},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "convert_vtkhdf", tests);
}
