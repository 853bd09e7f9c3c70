/* Batches whose rows lie in other files, or were never written: either all rows are there and the
 * result is that of the whole file, or the program names what is missing (exit 3). HDF5 itself
 * reads zeros. */
#define _XOPEN_SOURCE 700
#include "expect.h"
#include "h5_make.h"
#include "h5_series.h"
#include "program.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define FRAMES 6
#define TRIANGLES 10
#define PARTS 3

#define P "VTKHDF/Polygons/"

/* Every frame has its own part of triangles that cross each other. */
static const char *series_whole(void)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    rng r = {7};
    int64_t ids[3 * TRIANGLES];
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        ids[i] = i;
    for (int f = 0; f < FRAMES; f++) {
        make_part(&m, 3 * TRIANGLES, TRIANGLES, ids);
        make_step_next(&m, f, 1);
        make_random_points(&m, 3 * TRIANGLES, &r);
        for (int64_t i = 0; i < TRIANGLES; i++)
            make_add(&m.cells[0].value, i % 2);
    }
    const char *path = make_write(&m, "batch.vtkhdf");
    make_free(&m);
    return path;
}

static const char *series_test_spread(void)
{
    for (size_t i = 0; i < PARTS; i++)
        unlink(series_part(i));
    const char *path = series_whole();
    series_spread_all(path, PARTS);
    return path;
}

/* All contacts, as text; NULL if the run failed. The caller frees it. */
static char *series_contacts(const char *path, const char *about)
{
    const char *out = at("out.vtkhdf"), *list = at("out.txt");
    char *text = NULL;
    ran r = RAN("run", path, "-o", out, "--force", "--device", "cpu", "--collide-txt", list);
    EXPECT(!r.code, "%s: %s", about, r.err); /* there may be warnings */
    if (!r.code)
        text = file_text(list, NULL);
    ran_free(&r);
    unlink(out);
    unlink(list);
    return text;
}

/* Exit 3 of `run` and `info`, one line with both words, and no output is left. */
static void check_series_refused(const char *path, const char *about, const char *word,
                                 const char *word2)
{
    const char *out = at("out.vtkhdf");
    ran r = RAN("run", path, "-o", out, "--device", "cpu");
    EXPECT(ran_failed(&r, 3, word, word2), "^ %s", about);
    EXPECT(!exists(out) && !exists_part(out), "%s: something is left", about);
    unlink(out);
    ran_free(&r);
    r = RAN("info", path);
    EXPECT(ran_failed(&r, 3, word, word2), "^ info: %s", about);
    ran_free(&r);
}

/* ---- files behind virtual datasets */

static void test_series_complete(void)
{
    char *want = series_contacts(series_whole(), "the whole batch"),
         *got = series_contacts(series_test_spread(), "over files");
    EXPECT(want && got && !strcmp(want, got), "other contacts when spread over files");
    EXPECT(want && count_lines(want) > 2 * FRAMES, "too few contacts to tell");
    free(want);
    free(got);
}

/* A virtual dataset that selects all of its source does not store the source's shape. */
static void test_whole_sources(void)
{
    series_take_wholes(1);
    char *want = series_contacts(series_whole(), "the whole batch"),
         *got = series_contacts(series_test_spread(), "whole sources");
    EXPECT(want && got && !strcmp(want, got), "other contacts from whole sources");
    free(want);
    free(got);
    const char *path = series_test_spread();
    series_shorten(series_part(1), "VTKHDF/Points", 3);
    check_series_refused(path, "a shorter source", series_part(1), "has 3 rows");
    path = series_test_spread();
    CU_ASSERT(!unlink(series_part(2)));
    check_series_refused(path, "a source is gone", series_part(2), "No such file");
    series_take_wholes(0);
}

/* A file of the same name beside the batch does not replace the source file in another folder. */
static void test_stray(void)
{
    const char *path = series_whole();
    CU_ASSERT(!mkdir(at("parts"), 0777));
    series_take_wholes(0);
    series_spread_all(path, PARTS);
    for (size_t i = 0; i < PARTS; i++)
        copy_file(series_part(i), at(i == 0 ? "parts/a.h5" : i == 1 ? "parts/b.h5" : "parts/c.h5"));
    copy_file(series_part(0), at("b.h5"));
    size_t rows = 3 * TRIANGLES * FRAMES / PARTS;
    const series_piece piece[] = {
        {.file = "parts/a.h5", .dataset = "VTKHDF/Points", .to = {0}, .count = {rows, 3}},
        {.file = "parts/b.h5", .dataset = "VTKHDF/Points", .to = {rows}, .count = {rows, 3}},
        {.file = "parts/c.h5", .dataset = "VTKHDF/Points", .to = {2 * rows}, .count = {rows, 3}},
        {0}};
    series_replace(path, "VTKHDF/Points", 2, (const hsize_t[]){PARTS * rows, 3}, piece);
    free(series_contacts(path, "all parts are there"));
    CU_ASSERT(!unlink(at("parts/b.h5")));
    check_series_refused(path, "another file of that name", "parts/b.h5", "No such file");
}

static void test_part_gone(void)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *path = series_test_spread(), *part = series_part(i);
        CU_ASSERT(!unlink(part));
        check_series_refused(path, "a file is gone", part, "No such file");
        CU_ASSERT(!mkdir(part, 0777));
        check_series_refused(path, "a folder in its place", part, "not a file");
        CU_ASSERT(!rmdir(part));
        write_text(part, "");
        check_series_refused(path, "an empty file", part, "not an HDF5 file");
        write_text(part, "o text\n");
        check_series_refused(path, "a text", part, "not an HDF5 file");
    }
}

static void test_part_cut(void)
{
    for (size_t i = 0; i < PARTS; i++) {
        const char *path = series_test_spread(), *part = series_part(i);
        long size = file_size(part);
        for (int k = 9; k > 0; k -= 2) {
            CU_ASSERT(!truncate(part, size * k / 10));
            check_series_refused(path, "a file is cut short", part, NULL);
        }
    }
}

static void test_part_short(void)
{
    static const char *const names[] = {"VTKHDF/Points", P "NumberOfCells", P "Connectivity",
                                        P "Offsets", "VTKHDF/CellData/ObjectId"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = series_test_spread(), *part = series_part(1);
        series_shorten(part, names[i], 1);
        check_series_refused(path, "a dataset is short", part, names[i]);
        series_shorten(part, names[i], 0);
        check_series_refused(path, "a dataset is empty", part, names[i]);
        h5_remove(part, names[i]);
        check_series_refused(path, "a dataset is gone", part, "missing");
    }
}

static void test_part_type(void)
{
    const char *path = series_test_spread();
    size_t n;
    double *all = h5_reals(series_part(1), P "Connectivity", &n);
    const hsize_t dims = n;
    h5_replace(series_part(1), P "Connectivity", H5T_IEEE_F64LE, 1, &dims, all);
    free(all);
    check_series_refused(path, "floats for integers", series_part(1), "another type");
}

/* A source whose writer died. */
static void test_part_unwritten(void)
{
    const char *path = series_test_spread();
    series_unwritten(series_part(2), P "Connectivity", 4, 8, NULL);
    check_series_refused(path, "a part is not written", series_part(2), "never written");
}

/* ---- where files are found */

static void test_series_moved(void)
{
    const char *path = series_test_spread(), *folder = at("moved"),
               *there = at("moved/batch.vtkhdf");
    char to[600], *before = series_contacts(path, "before it is moved"), *after;
    CU_ASSERT(!mkdir(folder, 0777) && !rename(path, there));
    check_series_refused(there, "parts left behind", "part_0.h5", "No such file");
    program_set(&(program_how){.variable = {{"HDF5_VDS_PREFIX", test_folder()}}});
    after = series_contacts(there, "parts by a variable");
    program_plain();
    EXPECT(before && after && !strcmp(before, after), "other contacts by a variable");
    free(after);
    program_set(&(program_how){.variable = {{"HDF5_VDS_PREFIX", "/nowhere:${ORIGIN}/.."}}});
    after = series_contacts(there, "parts beside the origin");
    program_plain();
    EXPECT(before && after && !strcmp(before, after), "other contacts by origin");
    free(after);
    for (size_t i = 0; i < PARTS; i++) {
        snprintf(to, sizeof to, "%s/part_%zu.h5", folder, i);
        CU_ASSERT(!rename(series_part(i), to));
    }
    after = series_contacts(there, "the folder is moved");
    EXPECT(before && after && !strcmp(before, after), "other contacts after it is moved");
    free(after);
    CU_ASSERT(!symlink(there, at("link.vtkhdf")));
    after = series_contacts(at("link.vtkhdf"), "through a link");
    EXPECT(before && after && !strcmp(before, after), "other contacts through a link");
    free(after);
    free(before);
}

/* More files than a process may have open; HDF5 would read zeros from the rest. */
static void test_many_files(void)
{
    struct rlimit few, usual;
    const char *path = series_whole();
    char *want = series_contacts(path, "the whole batch"), *got;
    series_spread(path, "VTKHDF/Points", 60);
    series_spread(path, P "Connectivity", 60);
    getrlimit(RLIMIT_NOFILE, &usual);
    few = usual;
    few.rlim_cur = 40;
    setrlimit(RLIMIT_NOFILE, &few);
    got = series_contacts(path, "60 files, of which 40 can be open");
    setrlimit(RLIMIT_NOFILE, &usual);
    EXPECT(want && got && !strcmp(want, got), "other contacts from many files");
    free(want);
    free(got);
}

/* ---- kinds of virtual datasets */

static void check_series_pieces(const char *about, const char *name, int rank, const hsize_t *dims,
                                const series_piece *piece, const char *word, const char *word2)
{
    char *want = series_contacts(series_whole(), "the whole batch"), *got = NULL;
    const char *path = series_whole();
    series_copy(path, name, path, "VTKHDF/Kept");
    series_replace(path, name, rank, dims, piece);
    if (word) {
        check_series_refused(path, about, word, word2);
    } else {
        got = series_contacts(path, about);
        EXPECT(want && got && !strcmp(want, got), "%s: other contacts", about);
    }
    free(want);
    free(got);
}

#define ROWS (3 * TRIANGLES * FRAMES)

static void test_series_pieces(void)
{
    const hsize_t dims[2] = {ROWS, 3}, one[1] = {ROWS};
    const series_piece own[] = {{".", "/VTKHDF/Kept", {0, 0}, {0, 0}, {ROWS, 3}, 0}, {0}};
    check_series_pieces("its own file", "VTKHDF/Points", 2, dims, own, NULL, NULL);
    const series_piece columns[] = {{".", "/VTKHDF/Kept", {0, 2}, {0, 2}, {ROWS, 1}, 0},
                                    {".", "VTKHDF/Kept", {0, 0}, {0, 0}, {7, 2}, 0},
                                    {".", "VTKHDF/Kept", {7, 0}, {7, 0}, {ROWS - 7, 2}, 0},
                                    {0}};
    check_series_pieces("columns", "VTKHDF/Points", 2, dims, columns, NULL, NULL);
    const series_piece twice[] = {{".", "VTKHDF/Kept", {0, 0}, {20, 0}, {40, 3}, 0},
                                  {".", "VTKHDF/Kept", {50, 0}, {50, 0}, {ROWS - 50, 3}, 0},
                                  {".", "VTKHDF/Kept", {0, 0}, {0, 0}, {60, 3}, 0},
                                  {0}};
    check_series_pieces("the last piece counts", "VTKHDF/Points", 2, dims, twice, NULL, NULL);
    const series_piece itself[] = {{".", "/" P "Connectivity", {0}, {0}, {ROWS}, 0}, {0}};
    check_series_pieces("made of itself", P "Connectivity", 1, one, itself, "Connectivity",
                        "itself");
    const series_piece hole[] = {{".", "VTKHDF/Kept", {0, 0}, {0, 0}, {40, 3}, 0},
                                 {".", "VTKHDF/Kept", {41, 0}, {41, 0}, {ROWS - 41, 3}, 0},
                                 {0}};
    check_series_pieces("a hole", "VTKHDF/Points", 2, dims, hole, "/VTKHDF/Points",
                        "row 40 is in no file");
    const series_piece side[] = {{".", "VTKHDF/Kept", {0, 0}, {0, 0}, {ROWS, 2}, 0}, {0}};
    check_series_pieces("no z", "VTKHDF/Points", 2, dims, side, "/VTKHDF/Points", "in no file");
    const series_piece comb[] = {{".", "VTKHDF/Kept", {0}, {0}, {ROWS / 2}, 2},
                                 {".", "VTKHDF/Kept", {1}, {ROWS / 2}, {ROWS / 2}, 2},
                                 {0}};
    check_series_pieces("every other row", P "Connectivity", 1, one, comb, P "Connectivity",
                        "not supported");
}

/* VTK's writer leaves rows of Offsets without a source; no frame uses them. */
static void test_unused_hole(void)
{
    const hsize_t dims = (TRIANGLES + 1) * FRAMES, more = dims + 3;
    const series_piece piece[] = {{".", "VTKHDF/Kept", {0}, {0}, {dims}, 0}, {0}};
    check_series_pieces("a hole that nobody uses", P "Offsets", 1, &more, piece, NULL, NULL);
}

/* Virtual datasets of virtual datasets, each found relative to the file that refers to it. */
static void test_series_nested(void)
{
    char name[600];
    const hsize_t dims[2] = {ROWS, 3};
    const series_piece outer[] = {{"sub/batch.vtkhdf", "VTKHDF/Points", {0}, {0}, {ROWS, 3}, 0},
                                  {0}};
    char *want = series_contacts(series_whole(), "the whole batch"), *got;
    CU_ASSERT(!mkdir(at("sub"), 0777));
    const char *path = series_test_spread();
    CU_ASSERT(!rename(path, at("sub/batch.vtkhdf")));
    for (size_t i = 0; i < PARTS; i++) {
        snprintf(name, sizeof name, "sub/part_%zu.h5", i);
        CU_ASSERT(!rename(series_part(i), at(name)));
    }
    path = series_whole();
    series_replace(path, "VTKHDF/Points", 2, dims, outer);
    got = series_contacts(path, "nested");
    EXPECT(want && got && !strcmp(want, got), "other contacts from nested files");
    CU_ASSERT(!unlink(at("sub/part_1.h5")));
    check_series_refused(path, "an inner file is gone", at("sub/part_1.h5"), "VTKHDF/Points");
    free(want);
    free(got);
}

static void test_unlimited(void)
{
    const char *path = series_whole();
    const hsize_t none = 0, any = H5S_UNLIMITED, start = 0, one = 1;
    h5_rename(path, P "Connectivity", "VTKHDF/Kept");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), plan = H5Pcreate(H5P_DATASET_CREATE);
    hid_t to = H5Screate_simple(1, &none, &any), from = H5Screate_simple(1, &none, &any);
    H5Sselect_hyperslab(to, H5S_SELECT_SET, &start, NULL, &any, &one);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, &start, NULL, &any, &one);
    CU_ASSERT(H5Pset_virtual(plan, to, ".", "VTKHDF/Kept", from) >= 0);
    hid_t id =
        H5Dcreate2(file, P "Connectivity", H5T_STD_I64LE, to, H5P_DEFAULT, plan, H5P_DEFAULT);
    CU_ASSERT(id >= 0);
    H5Dclose(id);
    H5Sclose(to);
    H5Sclose(from);
    H5Pclose(plan);
    H5Fclose(file);
    check_series_refused(path, "one that grows", P "Connectivity", "not supported");
}

/* ---- the input's hash */

/* The hash of files that are together smaller than one hash piece. */
static uint64_t series_hash(const char *const *files, size_t n, size_t *bytes)
{
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    *bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size;
        char *text = file_text(files[i], &size);
        XXH3_64bits_update(state, text, size);
        *bytes += size;
        free(text);
    }
    const uint64_t piece = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return XXH3_64bits(&piece, sizeof piece);
}

static void check_hash(const char *const *files, size_t n, const char *about)
{
    char want[80];
    size_t bytes;
    const char *out = at("hashed.vtkhdf");
    snprintf(want, sizeof want, "hash %016llx", (unsigned long long)series_hash(files, n, &bytes));
    ran r = RAN("run", files[0], "-o", out, "--force", "--device", "cpu");
    ran_free(&r);
    r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, want), "%s: not '%s': %s", about, want, r.out);
    ran_free(&r);
}

static void test_series_hash(void)
{
    const char *files[PARTS + 1] = {series_whole()};
    check_hash(files, 1, "one file");
    files[0] = series_test_spread();
    for (size_t i = 0; i < PARTS; i++)
        files[i + 1] = series_part(i);
    check_hash(files, PARTS + 1, "several files");
}

static void test_changed_behind(void)
{
    const char *path = series_test_spread(), *out = at("done.vtkhdf");
    ran r = RAN("run", path, "-o", out, "--device", "cpu");
    EXPECT(ran_well(&r), "^ the run");
    ran_free(&r);
    r = RAN("check", out, "--input", path);
    EXPECT(ran_well(&r) && !*r.err, "a warning: %s", r.err);
    ran_free(&r);
    CU_ASSERT(!rename(out, at("done.vtkhdf.part")));
    h5_poke(series_part(2), "VTKHDF/Points", 3 * (ROWS / PARTS) - 1, 1e-3);
    r = RAN("run", path, "-o", out, "--device", "cpu", "--resume");
    EXPECT(ran_failed(&r, 3, "done.vtkhdf.part", NULL), "^ --resume");
    ran_free(&r);
    r = RAN("check", at("done.vtkhdf.part"), "--input", path);
    EXPECT(strstr(r.err, "is not the file that the result was made from"), "no warning: %s", r.err);
    ran_free(&r);
}

/* ---- raw data outside */

static void test_raw(void)
{
    char *want = series_contacts(series_whole(), "the whole batch"), *got;
    const char *path = series_whole(), *raw = at("points.raw");
    series_raw(path, "VTKHDF/Points", raw);
    got = series_contacts(path, "raw data");
    EXPECT(want && got && !strcmp(want, got), "other contacts from raw data");
    CU_ASSERT(!truncate(raw, file_size(raw) - 1));
    check_series_refused(path, "raw data are short", raw, "/VTKHDF/Points");
    CU_ASSERT(!unlink(raw));
    check_series_refused(path, "raw data are gone", raw, "No such file");
    free(want);
    free(got);
}

/* ---- links */

static void series_link_to(const char *path, const char *name, const char *file, const char *object)
{
    hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(id, name, H5P_DEFAULT);
    herr_t bad = file ? H5Lcreate_external(file, object, id, name, H5P_DEFAULT, H5P_DEFAULT)
                      : H5Lcreate_soft(object, id, name, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT(bad >= 0);
    CU_ASSERT(H5Fclose(id) >= 0);
}

static void test_links(void)
{
    static const char *const names[] = {
        "VTKHDF/Points",   P "Connectivity",           "VTKHDF/Steps",
        "VTKHDF/CellData", "VTKHDF/CellData/ObjectId", "VTKHDF"};
    char *want = series_contacts(series_whole(), "the whole batch"), *got;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = series_whole();
        copy_file(path, at("other.h5"));
        series_link_to(path, names[i], "other.h5", names[i]);
        got = series_contacts(path, names[i]);
        EXPECT(want && got && !strcmp(want, got), "%s linked: other contacts", names[i]);
        free(got);
        CU_ASSERT(!unlink(at("other.h5")));
        check_series_refused(path, "a link to a file that is gone", names[i], "other.h5");
        path = series_whole();
        series_link_to(path, names[i], NULL, "/nowhere");
        check_series_refused(path, "a link to nothing", names[i], "/nowhere");
    }
    free(want);
}

/* ---- rows that were never written */

static void test_unwritten(void)
{
    static const struct {
        const char *name;
        hsize_t chunk, rows; /* 0: not chunked; rows that are written */
    } list[] = {
        {"VTKHDF/Points", 30, 60},
        {"VTKHDF/Points", 0, 0},
        {P "Connectivity", 8, 0},
        {P "Connectivity", 8, ROWS - 9},
        {P "Connectivity", 0, 0},
        {P "Offsets", 11, 33},
        {P "Offsets", 0, 0},
        {"VTKHDF/NumberOfPoints", 1, 3},
        {P "NumberOfCells", 1, FRAMES - 1},
        {P "NumberOfCells", 0, 0},
        {P "NumberOfConnectivityIds", 2, 0},
        {"VTKHDF/Steps/NumberOfParts", 2, 2},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const char *path = series_whole();
        series_unwritten(path, list[i].name, list[i].chunk, list[i].rows, NULL);
        const char *last = strrchr(list[i].name, '/') + 1;
        int count = !strncmp(last, "NumberOf", 8) && strcmp(last, "NumberOfParts");
        check_series_refused(path, list[i].name, count ? "counts of part" : last, "never written");
    }
}

/* Intended zeros may be left to HDF5's fill value, and rows that no frame needs may be unwritten.
 */
static void test_unwritten_allowed(void)
{
    const char *path = series_whole();
    const int64_t zeros[] = {0};
    char *got;
    for (int chunk = 0; chunk < 2; chunk++) {
        series_unwritten(path, "VTKHDF/CellData/ObjectId", 7 * (hsize_t)chunk, 0, NULL);
        series_unwritten(path, "VTKHDF/Vertices/NumberOfCells", (hsize_t)chunk, 0, NULL);
        got = series_contacts(path, "zeros that are not written");
        EXPECT(got && count_lines(got) > FRAMES, "too few contacts");
        free(got);
    }
    series_unwritten(path, "VTKHDF/Steps/PartOffsets", 1, 0, zeros);
    path = series_whole();
    const int64_t steps = 4; /* the writer stopped there */
    h5_attribute_ints(path, "VTKHDF/Steps", "NSteps", 1, &steps);
    series_unwritten(path, "VTKHDF/Points", 30, 120, NULL);
    series_unwritten(path, P "Connectivity", 30, 120, NULL);
    series_unwritten(path, P "NumberOfCells", 1, 4, NULL);
    got = series_contacts(path, "rows that no frame needs");
    free(got);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"complete", test_series_complete},
                                 {"whole_sources", test_whole_sources},
                                 {"stray", test_stray},
                                 {"part_gone", test_part_gone},
                                 {"part_cut", test_part_cut},
                                 {"part_short", test_part_short},
                                 {"part_type", test_part_type},
                                 {"part_unwritten", test_part_unwritten},
                                 {"moved", test_series_moved},
                                 {"many_files", test_many_files},
                                 {"pieces", test_series_pieces},
                                 {"unused_hole", test_unused_hole},
                                 {"nested", test_series_nested},
                                 {"unlimited", test_unlimited},
                                 {"hash", test_series_hash},
                                 {"changed_behind", test_changed_behind},
                                 {"raw", test_raw},
                                 {"links", test_links},
                                 {"unwritten", test_unwritten},
                                 {"unwritten_allowed", test_unwritten_allowed},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "series", tests);
}
