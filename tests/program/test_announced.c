/* Files that announce more rows than they hold, or store them in a form that is expensive for
 * HDF5: they are refused, or read within --mem-limit plus a small overhead and in linear time. A
 * link to anything but a regular file is never opened. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "program.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT "64M"
#define PEAK_MOST (128L << 20)
#define SECONDS_MOST 120 /* well below the minutes that quadratic code takes on any machine */

#define P "VTKHDF/Polygons/"
#define S "VTKHDF/Steps/"

/* ---- the verbs that read a file */

static void check_announced_ran(const ran *r, const char *verb, const char *about)
{
    EXPECT(r->code == 0 || ((r->code == 3 || r->code == 5) && count_lines(r->err) == 1),
           "%s: %s: exit %d: %.300s", about, verb, r->code, r->err);
    EXPECT(TEST_SANITIZED || r->peak < PEAK_MOST, "%s: %s: %ld MB", about, verb, r->peak >> 20);
    EXPECT(TEST_SLOW || r->cpu < SECONDS_MOST, "%s: %s: %g s", about, verb, r->cpu);
}

/* Exit codes of run, info and convert. */
typedef struct codes {
    int run, info, convert;
} codes;

static codes read_batch(const char *path, const char *about)
{
    codes c;
    ran r = RAN("run", path, "-o", at("out.vtkhdf"), "--force", "-q", "--device", "cpu",
                "--mem-limit", LIMIT);
    check_announced_ran(&r, "run", about);
    c.run = r.code;
    ran_free(&r);
    r = RAN("info", path);
    check_announced_ran(&r, "info", about);
    c.info = r.code;
    ran_free(&r);
    r = RAN("convert", path, "-o", at("converted.vtkhdf"), "--force", "-q");
    check_announced_ran(&r, "convert", about);
    c.convert = r.code;
    ran_free(&r);
    return c;
}

static void read_result(const char *path, const char *about, const char *in)
{
    ran r = RAN("info", path);
    check_announced_ran(&r, "info of a result", about);
    ran_free(&r);
    r = RAN("check", path, "--input", in);
    EXPECT(r.code == 1 || r.code == 0 || r.code == 3 || r.code == 5, "%s: check: exit %d: %s",
           about, r.code, r.err);
    EXPECT(TEST_SANITIZED || r.peak < PEAK_MOST, "%s: check: %ld MB", about, r.peak >> 20);
    ran_free(&r);
    unlink(at("merged.vtkhdf"));
    r = RAN("merge", at("merged.vtkhdf"), path);
    check_announced_ran(&r, "merge", about);
    ran_free(&r);
}

/* ---- extents */

typedef struct extent {
    const char *about;
    hsize_t rows;
    hsize_t chunk; /* rows; 0: contiguous */
} extent;

/* Replaces a dataset by an unwritten one of the same type and width, with another number of rows.
 */
static void announce(const char *path, const char *name, const extent *e)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), old = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t type = H5Dget_type(old), space = H5Dget_space(old), made = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t dims[2] = {0, 0};
    const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    const hsize_t chunk[2] = {e->chunk, dims[1]}, most[2] = {H5S_UNLIMITED, dims[1]};
    dims[0] = e->rows;
    hid_t wide = H5Screate_simple(rank, dims, e->chunk ? most : NULL);
    if (e->chunk)
        H5Pset_chunk(made, rank, chunk);
    H5Dclose(old);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t data = H5Dcreate2(file, name, type, wide, H5P_DEFAULT, made, H5P_DEFAULT);
    EXPECT(data >= 0, "%s of %s is not made", name, e->about);
    H5Dclose(data);
    H5Sclose(wide);
    H5Sclose(space);
    H5Pclose(made);
    H5Tclose(type);
    H5Fclose(file);
}

static const extent extents[] = {
    {"a million chunks of a row", 1000000, 1},       {"ten thousand chunks of a row", 10000, 1},
    {"a chunk of 2^26 rows", 100, 1 << 26},          {"a billion rows", 1000000000, 0},
    {"2^58 rows in chunks", (hsize_t)1 << 58, 4096}, {"2^40 rows", (hsize_t)1 << 40, 0}};

/* In everyday runs, a third of all pairs of a dataset and an extent: two of each dataset. */
static int is_extent_due(size_t dataset, size_t rows)
{
    return test_count(1) > 1 || (dataset + rows) % 3 == 0;
}

static void announced_small_batch(make *m)
{
    make_moving(m, 3, 8, 1);
    for (int64_t i = 0; i < 8; i++)
        make_add(&m->cells[0].value, i / 4);
}

static void test_extents(void)
{
    static const char *const names[] = {"VTKHDF/NumberOfPoints",
                                        "VTKHDF/Points",
                                        "VTKHDF/CellData/ObjectId",
                                        P "NumberOfCells",
                                        P "Connectivity",
                                        P "Offsets",
                                        S "Values",
                                        S "PartOffsets",
                                        S "CellOffsets"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
            if (!is_extent_due(i, e))
                continue;
            char about[100];
            make m = {.cells = {{.name = "ObjectId"}}};
            announced_small_batch(&m);
            const char *path = make_write(&m, "extents.vtkhdf");
            make_free(&m);
            announce(path, names[i], &extents[e]);
            snprintf(about, sizeof about, "%s of %s", names[i], extents[e].about);
            read_batch(path, about);
        }
}

/* All tables of the steps announce the same number of frames. */
static void test_announced_steps(void)
{
    static const int64_t frames[] = {100000, 1000000, 1000000000};
    static const char *const names[] = {S "Values",        S "PartOffsets",
                                        S "NumberOfParts", S "PointOffsets",
                                        S "CellOffsets",   S "ConnectivityIdOffsets"};
    for (size_t f = 0; f < sizeof frames / sizeof *frames; f++) {
        make m = {0};
        announced_small_batch(&m);
        const char *path = make_write(&m, "steps.vtkhdf");
        make_free(&m);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            announce(path, names[i], &(extent){"steps", (hsize_t)frames[f], 4096});
        h5_attribute_ints(path, "VTKHDF/Steps", "NSteps", 1, &frames[f]);
        read_batch(path, "steps");
    }
}

static void test_announced_results(void)
{
    static const char *const names[] = {"VTKHDF/Points",        "VTKHDF/CellData/PrimitiveA",
                                        "VTKHDF/CellData/Kind", "VTKHDF/Steps/Values",
                                        "impinge/contacts",     "impinge/input_frame",
                                        "impinge/input_pieces", "impinge/checksum"};
    make m = {.cells = {{.name = "ObjectId"}}};
    announced_small_batch(&m);
    const char *in = make_write(&m, "of_result.vtkhdf"), *shard = at("shard.vtkhdf");
    make_free(&m);
    ran r = RAN("run", in, "-o", shard, "-q", "--device", "cpu", "--shard", "0/1", "--force");
    EXPECT(ran_well(&r), "^ a shard");
    ran_free(&r);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
            if (!is_extent_due(i, e))
                continue;
            char about[100];
            const char *path = at("changed.vtkhdf");
            copy_file(shard, path);
            announce(path, names[i], &extents[e]);
            snprintf(about, sizeof about, "%s of %s", names[i], extents[e].about);
            read_result(path, about, in);
        }
}

/* Names that are one long text, or a million short ones. */
static void test_announced_names(void)
{
    for (int million = 0; million < 2; million++) {
        make m = {.cells = {{.name = "ObjectId"}}};
        announced_small_batch(&m);
        const char *path = make_write(&m, "names.vtkhdf");
        make_free(&m);
        h5_texts(path, "impinge/object_names", 1, "x", 1);
        h5_replace_ints(path, "impinge/object_ids", 1, (const int64_t[]){0});
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
        const hsize_t rows = million ? 1000000 : 1, chunk = million ? 4096 : 1;
        hid_t space = H5Screate_simple(1, &rows, NULL), made = H5Pcreate(H5P_DATASET_CREATE);
        H5Tset_size(type, million ? 100 : (size_t)1 << 30);
        H5Pset_chunk(made, 1, &chunk);
        H5Ldelete(file, "impinge/object_names", H5P_DEFAULT);
        hid_t data =
            H5Dcreate2(file, "impinge/object_names", type, space, H5P_DEFAULT, made, H5P_DEFAULT);
        EXPECT(data >= 0, "no names are made");
        H5Dclose(data);
        H5Pclose(made);
        H5Sclose(space);
        H5Tclose(type);
        H5Fclose(file);
        read_batch(path, million ? "a million names" : "a name of a gigabyte");
    }
}

/* ---- data in an expensive form */

/* Stores every list in chunks of one row, compressed if `deflate`. */
static void store_in_rows(const char *path, int deflate)
{
    static const char *const names[] = {"VTKHDF/Points", P "Connectivity", P "Offsets", S "Values",
                                        S "PointOffsets"};
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hid_t old = H5Dopen2(file, names[i], H5P_DEFAULT), space = H5Dget_space(old);
        hid_t type = H5Dget_type(old), made = H5Pcreate(H5P_DATASET_CREATE);
        hsize_t dims[2] = {0, 0};
        const int rank = H5Sget_simple_extent_dims(space, dims, NULL);
        const hsize_t chunk[2] = {1, dims[1]};
        void *values = malloc(dims[0] * (rank > 1 ? dims[1] : 1) * 8);
        H5Dread(old, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Pset_chunk(made, rank, chunk);
        if (deflate)
            H5Pset_deflate(made, 1);
        H5Ldelete(file, names[i], H5P_DEFAULT);
        hid_t data = H5Dcreate2(file, names[i], type, space, H5P_DEFAULT, made, H5P_DEFAULT);
        CU_ASSERT(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        free(values);
        H5Dclose(data);
        H5Pclose(made);
        H5Tclose(type);
        H5Sclose(space);
        H5Dclose(old);
    }
    H5Fclose(file);
}

/* HDF5 needs 7 kB for each chunk that a call reads. */
static void test_announced_rows(void)
{
    const char *path = at("rows.vtkhdf");
    for (int deflate = 0; deflate < 2; deflate++) {
        ran r = RAN("generate", "cloth-ball", "-o", path, "-n", TEST_SLOW ? "800" : "8000",
                    "--frames", "3", "--force", "-q");
        EXPECT(ran_well(&r), "^ generate");
        ran_free(&r);
        store_in_rows(path, deflate);
        const codes c = read_batch(path, deflate ? "rows, compressed" : "rows");
        EXPECT(c.run == 0 && c.info == 0 && c.convert == 0, "exit %d, %d, %d", c.run, c.info,
               c.convert);
    }
}

/* ---- groups */

static const char *with_groups(size_t wide, size_t deep)
{
    make m = {0};
    announced_small_batch(&m);
    const char *path = make_write(&m, "groups.vtkhdf");
    make_free(&m);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT),
          group = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
    for (size_t i = 0; i < wide; i++) {
        char name[24];
        snprintf(name, sizeof name, "g%zu", i);
        H5Gclose(H5Gcreate2(root, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    for (size_t i = 0; i < deep; i++) {
        hid_t below = H5Gcreate2(group, "n", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
        group = below;
    }
    H5Lcreate_hard(root, ".", group, "circle", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Gclose(root);
    H5Fclose(file);
    return path;
}

static void test_announced_groups(void)
{
    codes c = read_batch(with_groups(TEST_SLOW ? 4000 : 40000, 0), "many groups");
    EXPECT(c.run == 0 && c.info == 0 && c.convert == 0, "many: exit %d, %d, %d", c.run, c.info,
           c.convert);
    c = read_batch(with_groups(0, 8000), "8,000 groups in each other");
    EXPECT(c.run == 0 && c.info == 0 && c.convert == 0, "deep: exit %d, %d, %d", c.run, c.info,
           c.convert);
}

/* Blocks whose names would have 8,000 parts. */
static void test_tree(void)
{
    const char *path = with_groups(0, 8000);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lmove(file, "VTKHDF/n", H5L_SAME_LOC, "VTKHDF/Assembly", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    h5_attribute_text(path, "VTKHDF", "Type", "MultiBlockDataSet");
    ran r = RAN("convert", path, "-o", at("converted.vtkhdf"), "--force", "-q");
    EXPECT(ran_failed(&r, 3, "/VTKHDF/Assembly", "deep"), "^ convert");
    ran_free(&r);
}

/* A frame of many parts: finding the offsets of one part must not scan all parts before it. */
static void test_announced_parts(void)
{
    enum { PARTS = TEST_SLOW ? 3000 : 40000 };
    make m = {0};
    static const int64_t ids[3] = {0, 1, 2};
    make_step_next(&m, 0, 0);
    for (int64_t i = 0; i < PARTS; i++) {
        const double x[9] = {3.0 * (double)i, 0, 0, 3.0 * (double)i + 1, 0, 0,
                             3.0 * (double)i, 1, 0};
        make_part(&m, 3, 1, ids);
        make_points(&m, 3, x);
    }
    m.parts.value[0] = PARTS;
    m.part0.value[0] = 0;
    const char *path = make_write(&m, "parts.vtkhdf");
    make_free(&m);
    const codes c = read_batch(path, "parts");
    EXPECT(c.run == 0 && c.info == 0 && c.convert == 0, "parts: exit %d, %d, %d", c.run, c.info,
           c.convert);
}

/* ---- links to anything but regular files */

static void announced_link_to(const char *path, const char *name, const char *file_name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    H5Lcreate_external(file_name, "/x", file, name, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
}

/* A dataset whose rows are in that file, as a dataset or as raw bytes. */
static void rows_in(const char *path, const char *name, const char *file_name, int raw)
{
    const hsize_t dims[2] = {72, 3};
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), made = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, dims, NULL);
    if (raw)
        H5Pset_external(made, file_name, 0, 72 * 3 * 8);
    else
        H5Pset_virtual(made, space, file_name, "/x", space);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        H5Ldelete(file, name, H5P_DEFAULT);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, made, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(made);
    H5Fclose(file);
}

/* A file that is read is refused by its name; one that is not read is ignored. */
static void check_other(int how, const char *name, const char *kind, int read)
{
    char about[200];
    make m = {0};
    announced_small_batch(&m);
    const char *path = make_write(&m, "other.vtkhdf");
    make_free(&m);
    snprintf(about, sizeof about, "%s in %s, %s", name, kind,
             how == 0   ? "a link"
             : how == 1 ? "virtual"
                        : "raw");
    if (how == 0)
        announced_link_to(path, name, kind);
    else
        rows_in(path, name, kind, how == 2);
    ran r = RAN("run", path, "-o", at("out.vtkhdf"), "--force", "-q", "--device", "cpu");
    EXPECT(read ? ran_failed(&r, 3, name, kind) : ran_well(&r), "^ %s", about);
    ran_free(&r);
    r = RAN("info", path);
    EXPECT(read ? ran_failed(&r, 3, name, kind) : ran_well(&r), "^ info: %s", about);
    ran_free(&r);
    r = RAN("convert", path, "-o", at("converted.vtkhdf"), "--force", "-q");
    EXPECT(read ? ran_failed(&r, 3, name, kind) : ran_well(&r), "^ convert: %s", about);
    ran_free(&r);
}

static void test_announced_others(void)
{
    const char *const kinds[] = {"pipe", "folder", "/dev/zero", "/dev/tty", "gone"};
    CU_ASSERT(!mkfifo(at("pipe"), 0666) && !mkdir(at("folder"), 0777));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int how = 0; how < 3; how++) {
            check_other(how, "VTKHDF/Points", kinds[i], 1);
            check_other(how, "VTKHDF/Unused", kinds[i], 0);
        }
    check_other(0, "VTKHDF/Polygons", "pipe", 1);
    check_other(0, "VTKHDF/CellData", "pipe", 1);
    check_other(0, "VTKHDF/Steps", "pipe", 1);
    check_other(0, "impinge", "pipe", 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"extents", test_extents},
                                 {"steps", test_announced_steps},
                                 {"results", test_announced_results},
                                 {"names", test_announced_names},
                                 {"rows", test_announced_rows},
                                 {"groups", test_announced_groups},
                                 {"tree", test_tree},
                                 {"parts", test_announced_parts},
                                 {"others", test_announced_others},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "announced", tests);
}
