/* Bad input through the program: its exit code, one line that names file and dataset, and nothing
 * left behind. Command lines are in test_usage.c, damaged bytes in test_damage.c, points that are
 * not finite in test_bad_points.c. */
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIANGLES 12
#define FRAMES 4

/* ---- refused files */

static void check_gone(const char *out, const char *about)
{
    EXPECT(!exists(out), "%s: OUT is there", about);
    EXPECT(!exists_part(out), "%s: OUT.part is there", about);
}

/* Exit 3 of `run`, and the words of its message. */
static void check_input_refused(const char *path, const char *about, const char *word,
                                const char *word2)
{
    const char *out = at("out.vtkhdf"), *name = strrchr(path, '/') + 1;
    ran r = RAN("run", path, "-o", out, "--device", "cpu");
    EXPECT(ran_failed(&r, 3, word, word2) && strstr(r.err, name), "^ %s", about);
    EXPECT(!*r.out, "%s: '%s' on stdout", about, r.out);
    check_gone(out, about);
    ran_free(&r);
}

/* The other verbs that read a batch refuse it, too. */
static void check_refused_by_all(const char *path, const char *word)
{
    ran r = RAN("info", path);
    EXPECT(ran_failed(&r, 3, path, word), "^ info");
    ran_free(&r);
    r = RAN("bench", path, "--device", "cpu", "--reps", "1");
    EXPECT(ran_failed(&r, 3, path, word), "^ bench");
    ran_free(&r);
}

static void test_not_there(void)
{
    const char *path = at("none.vtkhdf");
    check_input_refused(path, "a missing file", "No such file", path);
    check_refused_by_all(path, "No such file");
    path = at("folder");
    CU_ASSERT(!mkdir(path, 0777));
    check_input_refused(path, "a folder", "not a file", path);
    check_refused_by_all(path, "not a file");
    path = at("pipe");
    CU_ASSERT(!mkfifo(path, 0666));
    check_input_refused(path, "a pipe", "not a file", path);
    path = at("dangling");
    CU_ASSERT(!symlink("nowhere", path));
    check_input_refused(path, "a link to nowhere", "No such file", path);
}

static void test_not_hdf5(void)
{
    const char *path = at("text.vtkhdf");
    write_text(path, "");
    check_input_refused(path, "an empty file", "not an HDF5 file", path);
    write_text(path, "solid ascii\nfacet normal 0 0 1\n");
    check_input_refused(path, "a text", "not an HDF5 file", path);
    check_refused_by_all(path, "not an HDF5 file");
    write_text(path, "\x89HDF\r\n\x1a\n and nothing more");
    check_input_refused(path, "a signature only", path, NULL);
}

static void test_input_unreadable(void)
{
    make m = {0};
    make_moving(&m, 1, 2, 1);
    const char *path = make_write(&m, "closed.vtkhdf");
    make_free(&m);
    if (!program_can_be_humble())
        SKIP("the user root may read every file");
    CU_ASSERT(!chmod(path, 0));
    program_set(&(program_how){.humble = 1});
    check_input_refused(path, "a file without permission", "denied", path);
    program_plain();
}

/* ---- changes to a good file */

enum op { GONE, AS_GROUP, SHAPE, LIST, POKE, ATTR, TEXT };
enum type { F64, F32, F16, I64, U64, U8, STRING, COMPOUND };

/* A change of a batch, and the expected words of the message. `shape`: rows, columns, ... up to 0,
 * for SHAPE; count and values for LIST and ATTR; index and value for POKE. */
typedef struct change {
    enum op op;
    const char *name;
    enum type type;
    int64_t value[6];
    const char *word; /* besides the file's name */
    const char *text; /* TEXT: of the attribute NAME */
} change;

static hid_t file_type(enum type t)
{
    hid_t made;
    switch (t) {
    case F64:
        return H5T_IEEE_F64LE;
    case F32:
        return H5T_IEEE_F32LE;
    case I64:
        return H5T_STD_I64LE;
    case U64:
        return H5T_STD_U64LE;
    case U8:
        return H5T_STD_U8LE;
    case STRING:
        return H5T_C_S1;
    case F16:
        made = H5Tcopy(H5T_IEEE_F32LE);
        H5Tset_fields(made, 15, 10, 5, 0, 10);
        H5Tset_size(made, 2);
        return made;
    default:
        made = H5Tcreate(H5T_COMPOUND, 8);
        H5Tinsert(made, "x", 0, H5T_NATIVE_DOUBLE);
        return made;
    }
}

static void apply_shape(const char *path, const change *c)
{
    hsize_t dims[4] = {0};
    int rank = 0;
    for (; c->value[rank]; rank++)
        dims[rank] = (hsize_t)(c->value[rank] > 0 ? c->value[rank] : 0);
    h5_replace(path, c->name, file_type(c->type), rank, dims, NULL);
}

static void apply_group(const char *path, const char *name)
{
    h5_remove(path, name);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
}

/* splits "GROUP@ATTRIBUTE" in two */
static const char *split_name(const char *name, char *group, size_t size)
{
    snprintf(group, size, "%.*s", (int)strcspn(name, "@"), name);
    return strchr(name, '@') + 1;
}

static void apply(const char *path, const change *c)
{
    char group[200];
    switch (c->op) {
    case GONE:
        h5_remove(path, c->name);
        break;
    case AS_GROUP:
        apply_group(path, c->name);
        break;
    case SHAPE:
        apply_shape(path, c);
        break;
    case LIST:
        h5_replace_ints(path, c->name, (size_t)c->value[0], c->value + 1);
        break;
    case POKE:
        h5_poke(path, c->name, (size_t)c->value[0], (double)c->value[1]);
        break;
    case ATTR: {
        const char *name = split_name(c->name, group, sizeof group);
        h5_attribute_ints(path, group, name, (size_t)c->value[0], c->value + 1);
        break;
    }
    case TEXT: {
        const char *name = split_name(c->name, group, sizeof group);
        h5_attribute_text(path, group, name, c->text);
    }
    }
}

static const char *const op_names[] = {"without", "group", "shape", "list", "poke", "attr", "text"};

static void input_describe(const change *c, char *out, size_t size)
{
    snprintf(out, size, "%s %s (%lld %lld %lld)", op_names[c->op], c->name, (long long)c->value[0],
             (long long)c->value[1], (long long)c->value[2]);
}

enum kind { POLY, GRID, MIXED };

/* A batch that uses every feature: PolyData, or an UnstructuredGrid of triangles, or one in which
 * cells 1, 4, 7 and 10 are tetrahedra. Its first cells: 0 1 2, 3 4 5 (6), ... */
static const char *good_batch(enum kind kind)
{
    make m = {.unstructured = kind != POLY,
              .cells = {{.name = "ObjectId"}, {.name = "PrimitiveId"}}};
    if (kind == MIXED)
        make_moving_mixed(&m, FRAMES, TRIANGLES, 1);
    else
        make_moving(&m, FRAMES, TRIANGLES, 1);
    for (int64_t i = 0; i < TRIANGLES; i++) {
        make_add(&m.cells[0].value, i / 6);
        make_add(&m.cells[1].value, 100 + i);
    }
    for (int f = 0; f < FRAMES; f++) {
        make_add(&m.cells[0].offset, 0);
        make_add(&m.cells[1].offset, 0);
    }
    const char *path = make_write(&m, "batch.vtkhdf");
    make_free(&m);
    return path;
}

static void check_input_changes(const change *list, enum kind kind)
{
    for (const change *c = list; c->name; c++) {
        char about[200];
        const char *path = good_batch(kind);
        input_describe(c, about, sizeof about);
        apply(path, c);
        check_input_refused(path, about, path, c->word);
    }
}

static void test_good(void)
{
    for (enum kind k = POLY; k <= MIXED; k++) {
        ran r = RAN("run", good_batch(k), "-o", at("out.vtkhdf"), "--device", "cpu");
        EXPECT(ran_well(&r), "^ the batch that is changed below");
        CU_ASSERT(!unlink(at("out.vtkhdf")));
        ran_free(&r);
    }
}

#define P "VTKHDF/Polygons/"
#define S "VTKHDF/Steps/"

static void test_identity(void)
{
    static const change list[] = {
        {GONE, "VTKHDF", 0, {0}, "/VTKHDF", 0},
        {SHAPE, "VTKHDF", I64, {3}, "/VTKHDF", 0},
        {GONE, "VTKHDF@Type", 0, {0}, "Type", 0},
        {TEXT, "VTKHDF@Type", 0, {0}, "'polydata'", "polydata"},
        {TEXT, "VTKHDF@Type", 0, {0}, "'PolyDat'", "PolyDat"},
        {TEXT, "VTKHDF@Type", 0, {0}, "'PolyDataX'", "PolyDataX"},
        {TEXT, "VTKHDF@Type", 0, {0}, "'ImageData'", "ImageData"},
        {TEXT, "VTKHDF@Type", 0, {0}, "'MultiBlockDataSet'", "MultiBlockDataSet"},
        {TEXT,
         "VTKHDF@Type",
         0,
         {0},
         "'PartitionedDataSetCollection'",
         "PartitionedDataSetCollection"},
        {TEXT, "VTKHDF@Type", 0, {0}, "'OverlappingAMR'", "OverlappingAMR"},
        {ATTR, "VTKHDF@Type", 0, {1, 5}, "Type", 0},
        {GONE, "VTKHDF@Version", 0, {0}, "Version", 0},
        {ATTR, "VTKHDF@Version", 0, {2, 1, 0}, "Version 1.0", 0}, /* PolyData has no version 1 */
        {ATTR, "VTKHDF@Version", 0, {2, 3, 0}, "Version 3.0", 0},
        {ATTR, "VTKHDF@Version", 0, {2, 0, 9}, "Version 0.9", 0},
        {ATTR, "VTKHDF@Version", 0, {2, -2, 0}, "Version -2.0", 0},
        {ATTR, "VTKHDF@Version", 0, {3, 2, 0, 0}, "Version", 0},
        {ATTR, "VTKHDF@Version", 0, {1, 2}, "Version", 0},
        {TEXT, "VTKHDF@Version", 0, {0}, "Version", "2.0"},
        {0},
    };
    static const change others[] = {
        {ATTR, "VTKHDF@Version", 0, {2, 3, 0}, "Version 3.0", 0},
        {ATTR, "VTKHDF@Version", 0, {2, 0, 1}, "Version 0.1", 0},
        {0},
    };
    check_input_changes(list, POLY);
    check_input_changes(others, GRID);
}

static void test_missing(void)
{
    static const change list[] = {
        {GONE, "VTKHDF/NumberOfPoints", 0, {0}, "/VTKHDF/NumberOfPoints: missing", 0},
        {GONE, "VTKHDF/Points", 0, {0}, "/VTKHDF/Points: missing", 0},
        {GONE, "VTKHDF/Polygons", 0, {0}, "/VTKHDF/Polygons/", 0},
        {GONE, P "NumberOfCells", 0, {0}, "/" P "NumberOfCells: missing", 0},
        {GONE, P "NumberOfConnectivityIds", 0, {0}, "/" P "NumberOfConnectivityIds: missing", 0},
        {GONE, P "Connectivity", 0, {0}, "/" P "Connectivity: missing", 0},
        {GONE, P "Offsets", 0, {0}, "/" P "Offsets: missing", 0},
        {GONE, "VTKHDF/Steps@NSteps", 0, {0}, "/VTKHDF/Steps: attribute NSteps", 0},
        {GONE, S "Values", 0, {0}, "/" S "Values: missing", 0},
        {GONE, S "PartOffsets", 0, {0}, "/" S "PartOffsets: missing", 0},
        {GONE, S "PointOffsets", 0, {0}, "/" S "PointOffsets: missing", 0},
        {GONE, S "CellOffsets", 0, {0}, "/" S "CellOffsets: missing", 0},
        {GONE, S "ConnectivityIdOffsets", 0, {0}, "/" S "ConnectivityIdOffsets: missing", 0},
        {AS_GROUP, "VTKHDF/Points", 0, {0}, "/VTKHDF/Points: not a dataset", 0},
        {AS_GROUP, P "Connectivity", 0, {0}, "/" P "Connectivity: not a dataset", 0},
        {AS_GROUP, S "Values", 0, {0}, "/" S "Values: not a dataset", 0},
        {AS_GROUP, "VTKHDF/CellData/ObjectId", 0, {0}, "ObjectId: not a dataset", 0},
        {0},
    };
    static const change others[] = {
        {GONE, "VTKHDF/NumberOfPoints", 0, {0}, "/VTKHDF/NumberOfPoints: missing", 0},
        {GONE, "VTKHDF/NumberOfCells", 0, {0}, "/VTKHDF/NumberOfCells: missing", 0},
        {GONE, "VTKHDF/NumberOfConnectivityIds", 0, {0}, "NumberOfConnectivityIds: missing", 0},
        {GONE, "VTKHDF/Points", 0, {0}, "/VTKHDF/Points: missing", 0},
        {GONE, "VTKHDF/Connectivity", 0, {0}, "/VTKHDF/Connectivity: missing", 0},
        {GONE, "VTKHDF/Offsets", 0, {0}, "/VTKHDF/Offsets: missing", 0},
        {GONE, "VTKHDF/Types", 0, {0}, "/VTKHDF/Types: missing", 0},
        {0},
    };
    check_input_changes(list, POLY);
    check_input_changes(others, GRID);
}

/* Negative extents stand for 0, which ends the list. */
static void test_input_shapes(void)
{
    static const change list[] = {
        {SHAPE, "VTKHDF/Points", F64, {144, 2}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {144, 4}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {432}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {12, 12, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {143, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {-1, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F64, {0}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", I64, {144, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", F16, {144, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", STRING, {144, 3}, "/VTKHDF/Points", 0},
        {SHAPE, "VTKHDF/Points", COMPOUND, {144, 3}, "/VTKHDF/Points", 0},
        {SHAPE, P "Connectivity", F64, {36}, "/" P "Connectivity", 0},
        {SHAPE, P "Connectivity", I64, {12, 3}, "/" P "Connectivity", 0},
        {SHAPE, P "Connectivity", I64, {35}, "/" P "Connectivity", 0},
        {SHAPE, P "Connectivity", I64, {-1}, "/" P "Connectivity", 0},
        {SHAPE, P "Connectivity", STRING, {36}, "/" P "Connectivity", 0},
        {SHAPE, P "Connectivity", COMPOUND, {36}, "/" P "Connectivity", 0},
        {SHAPE, P "Offsets", F32, {13}, "/" P "Offsets", 0},
        {SHAPE, P "Offsets", I64, {13, 1, 1}, "/" P "Offsets", 0},
        {SHAPE, P "Offsets", I64, {12}, "/" P "Offsets", 0},
        {SHAPE, P "Offsets", I64, {-1}, "/" P "Offsets", 0},
        {SHAPE, "VTKHDF/NumberOfPoints", F64, {1}, "/VTKHDF/NumberOfPoints", 0},
        {SHAPE, "VTKHDF/NumberOfPoints", I64, {1, 2}, "/VTKHDF/NumberOfPoints", 0},
        {SHAPE, "VTKHDF/NumberOfPoints", I64, {2}, "parts", 0},
        {SHAPE, "VTKHDF/NumberOfPoints", I64, {-1}, "parts", 0},
        {SHAPE, P "NumberOfCells", I64, {2}, "parts", 0},
        {SHAPE, P "NumberOfConnectivityIds", I64, {3}, "parts", 0},
        {SHAPE, S "Values", F64, {3}, "/" S "Values", 0},
        {SHAPE, S "Values", F64, {4, 2}, "/" S "Values", 0},
        {SHAPE, S "Values", STRING, {4}, "/" S "Values", 0},
        {SHAPE, S "PartOffsets", I64, {3}, "/" S "PartOffsets", 0},
        {SHAPE, S "PartOffsets", F64, {4}, "/" S "PartOffsets", 0},
        {SHAPE, S "PartOffsets", I64, {4, 2}, "PartOffsets: has 2 columns, not 1", 0},
        {SHAPE, S "NumberOfParts", I64, {1}, "/" S "NumberOfParts", 0},
        {SHAPE, S "PointOffsets", I64, {3}, "/" S "PointOffsets", 0},
        {SHAPE, S "CellOffsets", I64, {4}, "/" S "CellOffsets", 0},
        {SHAPE, S "CellOffsets", I64, {4, 3}, "/" S "CellOffsets", 0},
        {SHAPE, S "CellOffsets", I64, {3, 4}, "/" S "CellOffsets", 0},
        {SHAPE, S "CellOffsets", F64, {4, 4}, "/" S "CellOffsets", 0},
        {SHAPE, S "ConnectivityIdOffsets", I64, {4, 1}, "/" S "ConnectivityIdOffsets", 0},
        {SHAPE, S "CellDataOffsets/ObjectId", F64, {4}, "CellDataOffsets/ObjectId", 0},
        {SHAPE, S "CellDataOffsets/ObjectId", I64, {3}, "CellDataOffsets/ObjectId", 0},
        {SHAPE, "VTKHDF/CellData/ObjectId", F64, {12}, "/VTKHDF/CellData/ObjectId", 0},
        {SHAPE, "VTKHDF/CellData/ObjectId", I64, {12, 2}, "/VTKHDF/CellData/ObjectId", 0},
        {SHAPE, "VTKHDF/CellData/ObjectId", I64, {11}, "/VTKHDF/CellData/ObjectId", 0},
        {SHAPE, "VTKHDF/CellData/PrimitiveId", F64, {12}, "/VTKHDF/CellData/PrimitiveId", 0},
        {SHAPE, "VTKHDF/CellData/PrimitiveId", I64, {11}, "/VTKHDF/CellData/PrimitiveId", 0},
        {SHAPE, "VTKHDF/CellData/PrimitiveId", I64, {12}, "cells 0 and 1", 0},
        {TEXT, "VTKHDF/Steps@NSteps", 0, {0}, "NSteps", "4"},
        {ATTR, "VTKHDF/Steps@NSteps", 0, {2, 4, 4}, "NSteps", 0},
        {0},
    };
    check_input_changes(list, POLY);
}

static void test_input_counts(void)
{
    static const change list[] = {
        {ATTR, "VTKHDF/Steps@NSteps", 0, {1, -1}, "NSteps is -1", 0},
        {ATTR, "VTKHDF/Steps@NSteps", 0, {1, 5}, "/" S "Values", 0},
        {ATTR, "VTKHDF/Steps@NSteps", 0, {1, INT64_MAX}, "NSteps", 0},
        {ATTR, "VTKHDF/Steps@NSteps", 0, {1, (int64_t)1 << 40}, "NSteps", 0},
        {POKE, "VTKHDF/NumberOfPoints", 0, {0, -1}, "/VTKHDF/NumberOfPoints", 0},
        {POKE, "VTKHDF/NumberOfPoints", 0, {0, 37}, "frame 3", 0},
        {POKE, "VTKHDF/NumberOfPoints", 0, {0, (int64_t)1 << 40}, "vertices", 0},
        {POKE, "VTKHDF/NumberOfPoints", 0, {0, (int64_t)1 << 62}, "NumberOfPoints", 0},
        {POKE, P "NumberOfCells", 0, {0, -3}, "/" P "NumberOfCells", 0},
        {POKE, P "NumberOfCells", 0, {0, 13}, "frame 0", 0},
        {POKE, P "NumberOfCells", 0, {0, 11}, "36 ids for 11 triangles", 0},
        {POKE, P "NumberOfCells", 0, {0, (int64_t)1 << 31}, "primitives", 0},
        {POKE, P "NumberOfConnectivityIds", 0, {0, 35}, P "Connectivity", 0},
        {POKE, P "NumberOfConnectivityIds", 0, {0, 37}, P "Connectivity", 0},
        {POKE, P "NumberOfConnectivityIds", 0, {0, -36}, "NumberOfConnectivityIds", 0},
        {POKE, S "PartOffsets", 0, {1, 1}, "/" S "PartOffsets", 0},
        {POKE, S "PartOffsets", 0, {3, -1}, "/" S "PartOffsets", 0},
        {POKE, S "NumberOfParts", 0, {2, 2}, "PartOffsets", 0},
        {POKE, S "NumberOfParts", 0, {2, -1}, "/" S "NumberOfParts", 0},
        {POKE, S "PointOffsets", 0, {3, 109}, "/VTKHDF/Points", 0},
        {POKE, S "PointOffsets", 0, {3, -1}, "/" S "PointOffsets", 0},
        {POKE, S "PointOffsets", 0, {3, (int64_t)1 << 62}, "/VTKHDF/Points", 0},
        {POKE, S "CellOffsets", 0, {4 * 3 + 2, 1}, "/" P "Offsets", 0},
        {POKE, S "CellOffsets", 0, {4 * 3 + 2, -1}, "/" S "CellOffsets", 0},
        {POKE, S "ConnectivityIdOffsets", 0, {4 * 3 + 2, 1}, "/" P "Connectivity", 0},
        {POKE, S "CellDataOffsets/ObjectId", 0, {3, 1}, "/VTKHDF/CellData/ObjectId", 0},
        {POKE, S "CellDataOffsets/ObjectId", 0, {3, -1}, "CellDataOffsets/ObjectId", 0},
        {POKE, S "CellDataOffsets/PrimitiveId", 0, {0, 9}, "/VTKHDF/CellData/PrimitiveId", 0},
        {0},
    };
    check_input_changes(list, POLY);
}

static void test_topology(void)
{
    static const change list[] = {
        {POKE, P "Connectivity", 0, {7, 36}, "cell 2 of frame 0", 0},
        {POKE, P "Connectivity", 0, {35, -1}, "cell 11 of frame 0", 0},
        {POKE, P "Connectivity", 0, {0, (int64_t)1 << 32}, "cell 0 of frame 0", 0},
        {POKE, P "Connectivity", 0, {0, INT64_MIN}, "cell 0 of frame 0", 0},
        {POKE, P "Offsets", 0, {0, 1}, "/" P "Offsets", 0},
        {POKE, P "Offsets", 0, {1, 4}, "/" P "Offsets: cell 0", 0}, /* a quad, then a line */
        {POKE, P "Offsets", 0, {5, 12}, "/" P "Offsets", 0},
        {POKE, P "Offsets", 0, {5, -15}, "/" P "Offsets: not ascending", 0},
        {POKE, P "Offsets", 0, {5, 9}, "/" P "Offsets: not ascending", 0},
        {POKE, P "Offsets", 0, {12, 37}, "/" P "Offsets", 0},
        {POKE, P "Offsets", 0, {12, 33}, "/" P "Offsets", 0},
        {POKE, "VTKHDF/Vertices/NumberOfCells", 0, {0, 1}, "/VTKHDF/Vertices", 0},
        {POKE, "VTKHDF/Lines/NumberOfCells", 0, {0, 1}, "/VTKHDF/Lines", 0},
        {POKE, "VTKHDF/Strips/NumberOfCells", 0, {0, 1}, "/VTKHDF/Strips", 0},
        {POKE, "VTKHDF/CellData/ObjectId", 0, {5, (int64_t)1 << 31}, "cell 5 of frame 0", 0},
        {POKE, "VTKHDF/CellData/ObjectId", 0, {11, -((int64_t)1 << 31) - 1}, "cell 11 of", 0},
        {POKE, "VTKHDF/CellData/PrimitiveId", 0, {7, 103}, "cells 3 and 7 of frame 0", 0},
        {0},
    };
    static const change others[] = {
        {POKE, "VTKHDF/Types", 0, {4, 12}, "cell 4 of frame 0 has type 12", 0},
        {POKE, "VTKHDF/Types", 0, {4, 10}, "cell 4 of part 0, frame 0, has 3 vertices", 0},
        {POKE, "VTKHDF/Types", 0, {11, 9}, "cell 11 of frame 0 has type 9", 0},
        {POKE, "VTKHDF/Types", 0, {0, 0}, "cell 0 of frame 0 has type 0", 0},
        {POKE, "VTKHDF/Types", 0, {0, 255}, "type 255", 0},
        {SHAPE, "VTKHDF/Types", F64, {12}, "/VTKHDF/Types", 0},
        {SHAPE, "VTKHDF/Types", U8, {11}, "/VTKHDF/Types", 0},
        {POKE, "VTKHDF/Connectivity", 0, {7, 36}, "cell 2 of frame 0", 0},
        {POKE, "VTKHDF/Offsets", 0, {5, 9}, "/VTKHDF/Offsets", 0},
        {0},
    };
    check_input_changes(list, POLY);
    check_input_changes(others, GRID);
}

#define V "VTKHDF/"

/* In a mesh of triangles and tetrahedra, the type alone tells how many vertices a cell must have.
 */
static void test_input_mixed(void)
{
    static const change list[] = {
        {POKE, V "Types", 0, {0, 10}, "cell 0 of part 0, frame 0, has 3 vertices; its type", 0},
        {POKE, V "Types", 0, {1, 5}, "cell 1 of part 0, frame 0, has 4 vertices; its type", 0},
        {POKE, V "Types", 0, {10, 5}, "that of a triangle", 0},
        {POKE, V "Types", 0, {11, 10}, "that of a tetrahedron", 0},
        {POKE, V "Types", 0, {7, 12}, "cell 7 of frame 0 has type 12; only triangles (5) and", 0},
        {POKE, V "Types", 0, {11, 0}, "cell 11 of frame 0 has type 0", 0},
        {LIST, V "Types", 0, {4, 5, 10, 5, 5}, "/" V "Types", 0}, /* too few */
        {POKE, V "Offsets", 0, {0, 1}, "/" V "Offsets: not ascending from 0 at cell 0", 0},
        {POKE, V "Offsets", 0, {2, 6}, "/" V "Offsets: cell 1", 0},
        {POKE, V "Offsets", 0, {2, 8}, "cell 1 of part 0, frame 0, has 5 vertices", 0},
        {POKE, V "Offsets", 0, {3, 6}, "/" V "Offsets: not ascending from 0 at cell 2", 0},
        {POKE, V "Offsets", 0, {12, 41}, "/" V "Offsets: cell 11", 0},
        {POKE, V "NumberOfCells", 0, {0, 11}, "40 ids for 11 triangles and tetrahedra", 0},
        {POKE, V "NumberOfCells", 0, {0, 13}, "frame 0", 0},
        {POKE, V "NumberOfConnectivityIds", 0, {0, 39}, "39 ids for 12 triangles and", 0},
        {POKE, V "NumberOfConnectivityIds", 0, {0, 41}, V "Connectivity", 0},
        {POKE, V "Connectivity", 0, {2, 40}, "cell 0 of frame 0 has vertex 40", 0},
        {POKE, V "Connectivity", 0, {3, 40}, "cell 1 of frame 0 has vertex 40", 0},
        {POKE, V "Connectivity", 0, {6, -1}, "cell 1 of frame 0 has vertex -1", 0},
        {POKE, V "Connectivity", 0, {7, INT64_MIN}, "cell 2 of frame 0", 0},
        {POKE, V "Connectivity", 0, {39, (int64_t)1 << 40}, "cell 11 of frame 0", 0},
        {POKE, V "CellData/PrimitiveId", 0, {7, 103}, "cells 3 and 7 of frame 0", 0},
        {POKE, V "CellData/PrimitiveId", 0, {0, 111}, "cells 0 and 11 of frame 0", 0},
        {0},
    };
    check_input_changes(list, MIXED);
}

/* Unsigned 64-bit values that no signed type holds. */
static void test_unsigned(void)
{
    const char *path = good_batch(POLY);
    size_t n;
    double *ids = h5_reals(path, P "Connectivity", &n);
    const hsize_t dims = n;
    ids[4] = 18446744073709549568.0;
    h5_replace(path, P "Connectivity", H5T_STD_U64LE, 1, &dims, ids);
    check_input_refused(path, "unsigned ids", P "Connectivity", "cell 1 of frame 0");
    free(ids);
}

/* Only quads, as exported by modelling software. */
static void test_quads(void)
{
    static const int64_t offsets[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36};
    const char *path = good_batch(POLY);
    h5_replace_ints(path, P "Offsets", 10, offsets);
    h5_poke(path, P "NumberOfCells", 0, 9);
    check_input_refused(path, "quads", P "Offsets", "4 vertices");
}

/* A time that is NaN, in a batch and in its result: each verb that reads one names the step. */
static void test_input_times(void)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY};
    const char *out = at("times.vtkhdf"), *name = "/VTKHDF/Steps/Values: step";
    ran r = RAN("run", good_batch(POLY), "-o", out, "--device", "cpu", "--force", "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    for (size_t i = 0; i < 3 * FRAMES; i++) {
        char word[80];
        const char *path = good_batch(POLY), *result = at("times.bad");
        const size_t step = i / 3;
        h5_poke(path, S "Values", step, wrong[i % 3]);
        snprintf(word, sizeof word, "%s %zu has the time %s", name, step,
                 i % 3 == 2 ? "-inf"
                 : i % 3    ? "inf"
                            : "");
        check_input_refused(path, "a time", path, word);
        check_refused_by_all(path, word);
        r = RAN("convert", path, "-o", at("converted.vtkhdf"));
        EXPECT(ran_failed(&r, 3, path, word), "^ convert");
        ran_free(&r);
        copy_file(out, result);
        h5_poke(result, S "Values", step, wrong[i % 3]);
        r = RAN("info", result);
        EXPECT(ran_failed(&r, 3, result, word), "^ info of a result");
        ran_free(&r);
        r = RAN("check", result, "--input", good_batch(POLY));
        EXPECT(ran_failed(&r, 3, result, word), "^ check of a result");
        ran_free(&r);
    }
}

/* ---- errors in late frames */

#define LATE 30

/* 30 frames, each with its own topology: a tetrahedron and two triangles, or three triangles in
 * PolyData. One value of a list of the last frame is changed. */
static const char *late_batch(int unstructured, const char *list, size_t from_end, int64_t value)
{
    make m = {.unstructured = unstructured, .cells = {{.name = "PrimitiveId"}}};
    const int64_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, types[] = {10, 5, 5};
    rng r = {4};
    for (int f = 0; f < LATE; f++) {
        make_part_of(&m, 10, 3, unstructured ? types : NULL, ids);
        make_step_next(&m, f, 1);
        make_random_points(&m, 10, &r);
        for (int64_t i = 0; i < 3; i++)
            make_add(&m.cells[0].value, i + 2 * f);
    }
    make_list *l = !strcmp(list, "Connectivity") ? &m.ids
                   : !strcmp(list, "Offsets")    ? &m.offsets
                   : !strcmp(list, "Types")      ? &m.types
                                                 : &m.cells[0].value;
    l->value[l->count - from_end] = value;
    const char *path = make_write(&m, "late.vtkhdf");
    make_free(&m);
    return path;
}

/* Every frame of a changing topology is checked; the output of earlier frames is removed. */
static void check_late(const char *path, const char *word)
{
    program_set(&(program_how){.program = IMP_FRAGILE, .variable = {{"IMPINGE_HASTY", "1"}}});
    ran run = RAN("run", path, "-o", at("out.vtkhdf"), "--device", "cpu", "--block", "1");
    program_plain();
    EXPECT(ran_failed(&run, 3, path, word), "^ late topology");
    check_gone(at("out.vtkhdf"), "late topology");
    ran_free(&run);
}

static void test_late_topology(void)
{
    static const struct {
        int unstructured;
        const char *list;
        size_t from_end;
        int64_t value;
        const char *word;
    } cases[] = {
        {0, "Connectivity", 1, 10, P "Connectivity: cell 2 of frame 29"},
        {1, "Connectivity", 1, 10, V "Connectivity: cell 2 of frame 29"},
        {1, "Connectivity", 7, -1, V "Connectivity: cell 0 of frame 29"},
        {1, "Offsets", 3, 3, V "Offsets: cell 0 of part 0, frame 29, has 3 vertices"},
        {1, "Types", 2, 12, V "Types: cell 1 of frame 29 has type 12"},
        {1, "Types", 2, 10, V "Offsets: cell 1 of part 0, frame 29, has 3 vertices"},
        {0, "PrimitiveId", 1, 58, V "CellData/PrimitiveId: cells 0 and 2 of frame 29"},
        {1, "PrimitiveId", 2, 60,
         V "CellData/PrimitiveId: cells 1 and 2 of frame 29 are both named 60"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_late(
            late_batch(cases[i].unstructured, cases[i].list, cases[i].from_end, cases[i].value),
            cases[i].word);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"not_there", test_not_there},
                                 {"not_hdf5", test_not_hdf5},
                                 {"unreadable", test_input_unreadable},
                                 {"good", test_good},
                                 {"identity", test_identity},
                                 {"missing", test_missing},
                                 {"shapes", test_input_shapes},
                                 {"counts", test_input_counts},
                                 {"topology", test_topology},
                                 {"mixed", test_input_mixed},
                                 {"unsigned", test_unsigned},
                                 {"quads", test_quads},
                                 {"times", test_input_times},
                                 {"late_topology", test_late_topology},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "input", tests);
}
