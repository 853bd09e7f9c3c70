/* Cell arrays that `convert` keeps: their values and types through triangulation, skipping,
 * welding, bodies and steps; arrays that it drops; and SourceId, each cell's id in its file.
 * tests/oracles/blocks.py compares kinds of cells, parts and blocks with VTK. */
#include "converted.h"
#include "expect.h"
#include "h5_make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 3, TRIANGLE = 5, QUAD = 9, TETRAHEDRON = 10 };

/* The values of a cell array in a frame of BATCH, as "1 2 ", by the array's own offsets. */
static const char *values(const char *name, size_t frame, size_t count)
{
    static char text[2000];
    char list[100];
    size_t n = 0, at_text = 0;
    snprintf(list, sizeof list, "VTKHDF/Steps/CellDataOffsets/%s", name);
    int64_t *first = h5_ints(BATCH, list, &n);
    CU_ASSERT_FATAL(frame < n);
    snprintf(list, sizeof list, "VTKHDF/CellData/%s", name);
    int64_t *all = h5_ints(BATCH, list, &n);
    text[0] = 0;
    for (size_t i = 0; i < count && (size_t)first[frame] + i < n; i++)
        at_text += (size_t)snprintf(text + at_text, sizeof text - at_text, "%" PRId64 " ",
                                    all[(size_t)first[frame] + i]);
    free(first);
    free(all);
    return text;
}

#define VALUES(name, frame, count, want)                                                           \
    EXPECT(!strcmp(values(name, frame, count), want), "%s of frame %d: %s", name, (int)(frame),    \
           values(name, frame, count))

static size_t rows(const char *list)
{
    size_t n = 0;
    free(h5_ints(BATCH, list, &n));
    return n;
}

static int convert_arrays_has_list(const char *list)
{
    hid_t file = H5Fopen(BATCH, H5F_ACC_RDONLY, H5P_DEFAULT);
    int there = H5Lexists(file, list, H5P_DEFAULT) > 0;
    H5Fclose(file);
    return there;
}

static int is_type(const char *list, hid_t want)
{
    hid_t file = H5Fopen(BATCH, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, list, H5P_DEFAULT), type = H5Dget_type(data);
    int same = H5Tequal(type, want) > 0;
    H5Tclose(type);
    H5Dclose(data);
    H5Fclose(file);
    return same;
}

/* ---- VTKHDF */

static const double corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};

static void convert_arrays_add_cells(make *m, double time, int64_t cells, const int64_t *types,
                                     const int64_t *ids)
{
    m->unstructured = 1;
    make_part_of(m, 5, cells, types, ids);
    make_step_next(m, time, 1);
    make_points(m, 5, corners);
}

static void convert_arrays_add_values(make *m, int array, const char *name, hid_t type, size_t n,
                                      const int64_t *value)
{
    m->cells[array].name = name;
    m->cells[array].type = type;
    for (size_t i = 0; i < n; i++)
        make_add(&m->cells[array].value, value[i]);
}

static const int64_t mixed[] = {TETRAHEDRON, QUAD, TRIANGLE};
static const int64_t mixed_ids[] = {0, 1, 3, 4, 0, 1, 2, 3, 4, 2, 1};

/* Each type becomes the narrowest type that holds it. Triangles of a quad have the quad's value. */
static void test_types(void)
{
    static const struct {
        hid_t *type;
        int64_t value[3];
        hid_t *want;
        const char *cut;
    } cases[] = {
        {&H5T_STD_I8LE_g, {-128, 127, 1}, &H5T_STD_I32LE_g, "-128 127 127 1 "},
        {&H5T_STD_U8LE_g, {0, 255, 1}, &H5T_STD_I32LE_g, "0 255 255 1 "},
        {&H5T_STD_U16BE_g, {0, 65535, 1}, &H5T_STD_I32LE_g, "0 65535 65535 1 "},
        {&H5T_STD_I32LE_g,
         {INT32_MIN, INT32_MAX, 0},
         &H5T_STD_I32LE_g,
         "-2147483648 2147483647 2147483647 0 "},
        {&H5T_STD_U32LE_g, {0, UINT32_MAX, 1}, &H5T_STD_I64LE_g, "0 4294967295 4294967295 1 "},
        {&H5T_STD_I64LE_g,
         {INT64_MIN, INT64_MAX, 0},
         &H5T_STD_I64LE_g,
         "-9223372036854775808 9223372036854775807 9223372036854775807 0 "},
        {&H5T_STD_U64LE_g, {0, 9, 1}, &H5T_STD_U64LE_g, "0 9 9 1 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make m = {0};
        convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
        convert_arrays_add_values(&m, 0, "Part", *cases[i].type, 3, cases[i].value);
        if (CONVERTS(NULL, make_write(&m, "types.vtkhdf"))) {
            VALUES("Part", 0, 9, cases[i].cut);
            VALUES("SourceId", 0, 9, "0 1 1 2 ");
            CU_ASSERT(is_type("VTKHDF/CellData/Part", *cases[i].want));
            CU_ASSERT(is_type("VTKHDF/CellData/SourceId", H5T_STD_I64LE));
        }
        make_free(&m);
    }
}

/* A value that int64 cannot hold keeps its bits; as a cell's id it is refused. */
static void test_convert_arrays_large(void)
{
    make m = {.no_steps = 1};
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "Hash", H5T_STD_U64LE, 3, (int64_t[]){1, 2, 3});
    const char *in = make_write(&m, "large.vtkhdf");
    h5_poke(in, "VTKHDF/CellData/Hash", 1, 0x1p63);
    if (CONVERTS(NULL, in)) {
        hid_t file = H5Fopen(BATCH, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t data = H5Dopen2(file, "VTKHDF/CellData/Hash", H5P_DEFAULT);
        uint64_t have[4] = {0};
        H5Dread(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, have);
        CU_ASSERT(have[0] == 1 && have[1] == (uint64_t)1 << 63 && have[2] == have[1]);
        H5Dclose(data);
        H5Fclose(file);
    }
    h5_rename(in, "VTKHDF/CellData/Hash", "VTKHDF/CellData/SourceId");
    check_refused(in, "SourceId: cell 1 of frame 0 has 9223372036854775808", "int64");
    make_free(&m);
}

/* Ids that the file has are kept; skipped cells count in the numbering. */
static void test_source_ids(void)
{
    static const int64_t types[] = {3, TRIANGLE, QUAD};
    make m = {0};
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "SourceId", 0, 3, (int64_t[]){100, -7, 12});
    if (CONVERTS(NULL, make_write(&m, "ids.vtkhdf"), "--weld", "0"))
        VALUES("SourceId", 0, 9, "100 -7 -7 12 ");
    /* converting a batch again */
    copy_file(BATCH, at("again.vtkhdf"));
    if (CONVERTS(NULL, at("again.vtkhdf")))
        VALUES("SourceId", 0, 9, "100 -7 -7 12 ");
    make_free(&m);
    m = (make){0};
    convert_arrays_add_cells(&m, 0, 3, types, (const int64_t[]){0, 1, 0, 1, 0, 1, 2, 0, 1, 2, 3});
    char *told = NULL;
    if (CONVERTS(&told, make_write(&m, "line.vtkhdf")))
        VALUES("SourceId", 0, 9, "1 2 2 ");
    free(told);
    make_free(&m);
}

/* An array that changes is stored for each frame; the topology and other arrays are not. */
static void test_convert_arrays_steps(void)
{
    make m = {0};
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    for (int f = 1; f < 4; f++) {
        make_step(&m, f, 0, 1, 5 * f, 0, 0);
        make_points(&m, 5, corners);
    }
    convert_arrays_add_values(&m, 0, "Burnt", 0, 9, (int64_t[]){0, 0, 0, 0, 1, 0, 1, 1, 1});
    for (int f = 0; f < 4; f++)
        make_add(&m.cells[0].offset, (int64_t[]){0, 3, 3, 6}[f]);
    convert_arrays_add_values(&m, 1, "Part", 0, 3, (int64_t[]){4, 5, 6});
    for (int f = 0; f < 4; f++)
        make_add(&m.cells[1].offset, 0);
    if (CONVERTS(NULL, make_write(&m, "burns.vtkhdf"))) {
        CU_ASSERT_EQUAL(batch_topologies(BATCH), 1);
        VALUES("Burnt", 0, 4, "0 0 0 0 ");
        VALUES("Burnt", 1, 4, "0 1 1 0 ");
        VALUES("Burnt", 2, 4, "0 1 1 0 ");
        VALUES("Burnt", 3, 4, "1 1 1 1 ");
        CU_ASSERT_EQUAL(rows("VTKHDF/CellData/Burnt"), 12);
        for (size_t f = 0; f < 4; f++)
            VALUES("Part", f, 4, "4 5 5 6 ");
        CU_ASSERT_EQUAL(rows("VTKHDF/CellData/Part"), 4);
        CU_ASSERT_EQUAL(rows("VTKHDF/CellData/SourceId"), 4);
    }
    make_free(&m);
}

/* ---- objects */

/* Groups and bodies: each primitive keeps its cell's values, and `--objects array:` finds them. */
static void test_convert_arrays_objects(void)
{
    make m = {.no_steps = 1};
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "ObjectId", 0, 3, (int64_t[]){3, 3, 8});
    convert_arrays_add_values(&m, 1, "PartId", 0, 3, (int64_t[]){1, 2, 1});
    const char *in = strdup(make_write(&m, "parts.vtkhdf"));
    if (CONVERTS(NULL, in, in, "--as", "objects")) {
        VALUES("ObjectId", 0, 9, "0 0 0 1 2 2 2 3 "); /* the same file twice is two bodies */
        VALUES("PartId", 0, 9, "1 2 2 1 1 2 2 1 ");
        VALUES("SourceId", 0, 9, "0 1 1 2 0 1 1 2 ");
    }
    if (CONVERTS(NULL, in, "--groups"))
        VALUES("PartId", 0, 9, "1 2 2 1 ");
    ran r = RAN("run", BATCH, "-o", at("r.vtkhdf"), "--force", "--objects", "array:PartId",
                "--pairs", "between", "--json");
    EXPECT(!r.code && strstr(r.out, "\"objects\": 2,"), "run: %s%s", r.err, r.out);
    ran_free(&r);
    free((void *)(uintptr_t)in);
    make_free(&m);
}

/* A file that lacks an array has zeros; arrays of different types become int64. */
static void test_convert_arrays_several(void)
{
    make m = {.no_steps = 1}, n = {.no_steps = 1};
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "PartId", H5T_STD_I32LE, 3, (int64_t[]){5, 6, 7});
    convert_arrays_add_cells(&n, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&n, 0, "PartId", H5T_STD_U64LE, 3, (int64_t[]){8, 9, 10});
    convert_arrays_add_values(&n, 1, "Other", 0, 3, (int64_t[]){1, 1, 1});
    const char *a = strdup(make_write(&m, "a1.vtkhdf")), *b = strdup(make_write(&n, "a2.vtkhdf"));
    write_text(at("a3.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n");
    if (CONVERTS(NULL, a, b, at("a3.obj"))) {
        CU_ASSERT(is_type("VTKHDF/CellData/PartId", H5T_STD_I64LE));
        VALUES("PartId", 0, 4, "5 6 6 7 ");
        VALUES("PartId", 1, 4, "8 9 9 10 ");
        VALUES("PartId", 2, 2, "0 0 ");
        VALUES("Other", 0, 4, "0 0 0 0 ");
        VALUES("Other", 1, 4, "1 1 1 1 ");
        VALUES("SourceId", 2, 2, "0 1 ");
    }
    free((void *)(uintptr_t)a);
    free((void *)(uintptr_t)b);
    make_free(&m);
    make_free(&n);
}

/* ---- PrimitiveId: no two cells of a frame may share an id */

static void test_primitive_ids(void)
{
    static const int64_t two[] = {TRIANGLE, TRIANGLE}, ids[] = {0, 1, 2, 2, 3, 4};
    make m = {0};
    convert_arrays_add_cells(&m, 0, 2, two, ids);
    convert_arrays_add_cells(&m, 1, 2, two, ids);
    convert_arrays_add_values(&m, 0, "PrimitiveId", H5T_STD_I32LE, 4, (int64_t[]){40, 30, 30, 50});
    const char *in = strdup(make_write(&m, "names.vtkhdf"));
    char *told = NULL;
    if (CONVERTS(NULL, in)) {
        CU_ASSERT(is_type("VTKHDF/CellData/PrimitiveId", H5T_STD_I64LE));
        VALUES("PrimitiveId", 0, 2, "40 30 ");
        VALUES("PrimitiveId", 1, 2, "30 50 ");
        CU_ASSERT(batch_contacts() >= 0);
    }
    /* two bodies would have the same ids */
    make_free(&m);
    m = (make){.no_steps = 1};
    convert_arrays_add_cells(&m, 0, 2, two, ids);
    convert_arrays_add_values(&m, 0, "PrimitiveId", 0, 2, (int64_t[]){40, 30});
    make_write(&m, "names.vtkhdf");
    if (CONVERTS(&told, in, in, "--as", "objects")) {
        CU_ASSERT(!convert_arrays_has_list("VTKHDF/CellData/PrimitiveId"));
        EXPECT(strstr(told, "CellData/PrimitiveId is not kept") != NULL, "%s", told);
        CU_ASSERT(batch_contacts() >= 0);
    }
    free(told);
    told = NULL;
    for (size_t i = 0; i < m.cells[0].value.count; i++)
        m.cells[0].value.value[i] += 100;
    if (CONVERTS(NULL, in, make_write(&m, "others.vtkhdf"), "--as", "objects"))
        VALUES("PrimitiveId", 0, 4, "40 30 140 130 ");
    /* so would the triangles of a quad, in any frame */
    make_free(&m);
    m = (make){0};
    convert_arrays_add_cells(&m, 0, 2, two, ids);
    convert_arrays_add_cells(&m, 1, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "PrimitiveId", 0, 5, (int64_t[]){1, 2, 1, 2, 3});
    if (CONVERTS(&told, make_write(&m, "quad.vtkhdf"))) {
        CU_ASSERT(!convert_arrays_has_list("VTKHDF/CellData/PrimitiveId"));
        EXPECT(strstr(told, "CellData/PrimitiveId is not kept") != NULL, "%s", told);
        VALUES("SourceId", 0, 2, "0 1 ");
        VALUES("SourceId", 1, 4, "0 1 1 2 ");
        CU_ASSERT(batch_contacts() >= 0);
    }
    free(told);
    free((void *)(uintptr_t)in);
    make_free(&m);
}

/* ---- dropped arrays */

/* One message for all, and none of them in the batch; an array that is too short is an error. */
static void test_convert_arrays_lost(void)
{
    make m = {0};
    char *told = NULL;
    convert_arrays_add_cells(&m, 0, 3, mixed, mixed_ids);
    convert_arrays_add_values(&m, 0, "Part", 0, 3, (int64_t[]){1, 2, 3});
    convert_arrays_add_values(&m, 1, "Heat", H5T_IEEE_F64LE, 3, (int64_t[]){1, 2, 3});
    const char *in = make_write(&m, "lost.vtkhdf");
    h5_replace(in, "VTKHDF/CellData/Colour", H5T_STD_U8LE, 2, (hsize_t[]){3, 3}, NULL);
    if (CONVERTS(&told, in)) {
        EXPECT(!strcmp(told, "impinge: 2 arrays are not kept: CellData/Colour, CellData/Heat; "
                             "CellData of integers with one component is kept\n"),
               "%s", told);
        CU_ASSERT(convert_arrays_has_list("VTKHDF/CellData/Part") &&
                  !convert_arrays_has_list("VTKHDF/CellData/Heat") &&
                  !convert_arrays_has_list("VTKHDF/CellData/Colour"));
    }
    free(told);
    h5_replace_ints(in, "VTKHDF/CellData/Part", 2, (int64_t[]){1, 2});
    check_refused(in, "CellData/Part: has 2 rows, frame 0 needs 3 from 0", NULL);
    make_free(&m);
}

/* ---- OBJ: SourceId is the index of the statement among the face statements */

static void test_obj(void)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 1 0\nf 1 2 3\nl 1 2\n"
                               "f 1 2 3 4\nvn 0 0 1\nf 4 3 2 1 5\n";
    static const char *const ways[][4] = {{NULL}, {"--groups"}, {"--weld", "0"}, {"--float32"}};
    char *told = NULL;
    write_text(at("faces.obj"), text);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (CONVERTS(NULL, at("faces.obj"), "-q", ways[i][0], ways[i][1]))
            VALUES("SourceId", 0, 9, "0 1 1 2 2 2 ");
    if (CONVERTS(NULL, at("faces.obj"), at("faces.obj"), "-q", "--as", "objects", "--weld", "0"))
        VALUES("SourceId", 0, 20, "0 1 1 2 2 2 0 1 1 2 2 2 ");
    if (CONVERTS(&told, at("faces.obj"), at("faces.obj"))) {
        VALUES("SourceId", 1, 9, "0 1 1 2 2 2 ");
        CU_ASSERT_EQUAL(rows("VTKHDF/CellData/SourceId"), 6);
    }
    free(told);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"types", test_types},
                                 {"large", test_convert_arrays_large},
                                 {"source_ids", test_source_ids},
                                 {"steps", test_convert_arrays_steps},
                                 {"objects", test_convert_arrays_objects},
                                 {"several", test_convert_arrays_several},
                                 {"primitive_ids", test_primitive_ids},
                                 {"lost", test_convert_arrays_lost},
                                 {"obj", test_obj},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "convert_arrays", tests);
}
