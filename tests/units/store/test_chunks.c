/* Filtered chunks are decoded once, however many frames they contain, and HDF5's chunk cache stays
 * within the memory limit. A filter of our own counts decodings, so no verdict depends on time.
 *
 * Chunks are a little larger than 1 MiB, which is HDF5's default cache for a dataset. */
#include "check_batch.h"
#include "error.h"
#include "expect.h"
#include "h5.h"
#include "h5_same.h"
#include "h5_series.h"
#include "layouts.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)9 << 17) /* bytes: 1.125 MiB */

/* ---- a filter that counts decodings */

#define COUNTING ((H5Z_filter_t)300) /* an id reserved for tests */
#define DATASETS 120

static struct {
    char name[100];
    size_t chunks, decoded;
} seen[DATASETS];
static unsigned datasets;

/* Drops trailing zeros, which most of a chunk consists of here. Parameters: index of the dataset,
 * and the chunk's bytes. */
static size_t count_filter(unsigned flags, size_t n, const unsigned parameter[], size_t bytes,
                           size_t *size, void **data)
{
    char *in = *data;
    if (!(flags & H5Z_FLAG_REVERSE)) {
        while (bytes > 1 && !in[bytes - 1])
            bytes--;
        return bytes;
    }
    char *out = n == 2 ? H5allocate_memory(parameter[1], 1) : NULL;
    if (!out)
        return 0;
    memcpy(out, in, bytes);
    H5free_memory(in);
    *data = out;
    *size = parameter[1];
    seen[parameter[0]].decoded++;
    return *size;
}

static void count_from_zero(void)
{
    for (unsigned i = 0; i < datasets; i++)
        seen[i].decoded = 0;
}

static size_t h5_chunks_test_count_all(void)
{
    size_t n = 0;
    for (unsigned i = 0; i < datasets; i++)
        n += seen[i].decoded;
    return n;
}

/* ---- files whose datasets all have such chunks */

typedef struct store_plan {
    hid_t file;
    const char *about;
    H5Z_filter_t filter;
    size_t bytes; /* size of a chunk */
    char name[DATASETS][100];
    size_t count;
} store_plan;

static herr_t list_dataset(hid_t at, const char *name, const H5O_info_t *info, void *data)
{
    store_plan *p = data;
    (void)at;
    if (info->type == H5O_TYPE_DATASET && p->count < DATASETS)
        snprintf(p->name[p->count++], sizeof p->name[0], "%s", name);
    return 0;
}

static hid_t chunk_plan(const store_plan *p, const char *name, int rank, const hsize_t *dims,
                        size_t row_bytes)
{
    hsize_t chunk[2] = {p->bytes / row_bytes, dims[1]};
    unsigned parameter[2] = {datasets, (unsigned)(chunk[0] * row_bytes)};
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, rank, chunk);
    if (p->filter == H5Z_FILTER_DEFLATE) {
        H5Pset_deflate(plan, 1);
        return plan;
    }
    H5Pset_filter(plan, p->filter, 0, 2, parameter);
    snprintf(seen[datasets].name, sizeof seen[0].name, "%s of %s", name, p->about);
    seen[datasets].chunks = (dims[0] + chunk[0] - 1) / chunk[0];
    seen[datasets++].decoded = 0;
    return plan;
}

/* Scalars, empty datasets and virtual ones stay unchanged. */
static void store_dataset(const store_plan *p, const char *name)
{
    hsize_t dims[2] = {1, 1}, most[2] = {H5S_UNLIMITED, 1};
    hid_t id = H5Dopen2(p->file, name, H5P_DEFAULT), type = H5Dget_type(id);
    hid_t space = H5Dget_space(id), made = H5Dget_create_plist(id);
    int rank = H5Sget_simple_extent_dims(space, dims, NULL);
    size_t row = H5Tget_size(type) * (size_t)dims[1];
    if (rank > 0 && dims[0] && datasets < DATASETS && H5Pget_layout(made) != H5D_VIRTUAL) {
        char *data = malloc(row * (size_t)dims[0]);
        CU_ASSERT_FATAL(data && H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
        most[1] = dims[1];
        hid_t to = H5Screate_simple(rank, dims, most), plan = chunk_plan(p, name, rank, dims, row);
        CU_ASSERT(H5Ldelete(p->file, name, H5P_DEFAULT) >= 0);
        hid_t made_id = H5Dcreate2(p->file, name, type, to, H5P_DEFAULT, plan, H5P_DEFAULT);
        CU_ASSERT(H5Dwrite(made_id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
        H5Dclose(made_id);
        H5Pclose(plan);
        H5Sclose(to);
        free(data);
    }
    H5Pclose(made);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(id);
}

/* Several files may be stored; from_zero is set for the first. */
static void store_all(const char *path, H5Z_filter_t filter, size_t bytes, int from_zero)
{
    static store_plan p;
    if (from_zero)
        datasets = 0;
    p = (store_plan){H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), strrchr(path, '/') + 1, filter,
                     bytes};
    CU_ASSERT_FATAL(p.file >= 0);
    H5Ovisit(p.file, H5_INDEX_NAME, H5_ITER_NATIVE, list_dataset, &p);
    for (size_t i = 0; i < p.count; i++)
        store_dataset(&p, p.name[i]);
    CU_ASSERT(H5Fclose(p.file) >= 0);
}

/* Each dataset was decoded once or not at all; at least `least` of them once. */
static void check_once(const char *what, size_t least)
{
    size_t read = 0;
    for (unsigned i = 0; i < datasets; i++) {
        size_t n = seen[i].decoded;
        EXPECT(n == 0 || n == seen[i].chunks, "%s: %s: %zu chunks, decoded %zu times", what,
               seen[i].name, seen[i].chunks, n);
        read += n > 0;
    }
    EXPECT(read >= least, "%s: only %zu datasets were read", what, read);
}

/* ---- batches */

/* check_file reads all frames eight times: with one chunk, that is one decoding. */
static void test_h5_chunks_layouts(void)
{
    rng r = {1};
    for (const layout *l = layouts; l->name; l++)
        for (int unstructured = l->solids; unstructured < 2; unstructured++) {
            make m = {.unstructured = unstructured};
            l->build(&m, &r);
            const char *path = make_write(&m, "layout.vtkhdf");
            store_all(path, COUNTING, CHUNK, 1);
            snprintf(about, sizeof about, "%s%s", l->name, unstructured ? ", unstructured" : "");
            check_file(&m, path, BATCH_OBJECT_ID, NULL, l->is_static);
            check_once(about, m.points.count ? 5 : 0);
            make_free(&m);
        }
}

#define FRAMES 30
#define TRIANGLES 1500

/* 3 MB of points, in frames whose ends seldom match chunks; with ids and objects. */
static void build_long(make *m, int is_static)
{
    int64_t *ids = malloc((size_t)3 * TRIANGLES * sizeof *ids);
    rng r = {5};
    CU_ASSERT_FATAL(ids != NULL);
    *m = (make){.cells = {{.name = "ObjectId"}, {.name = "PrimitiveId"}}};
    for (int64_t i = 0; i < 3 * TRIANGLES; i++)
        ids[i] = i;
    for (int f = 0; f < FRAMES; f++) {
        if (f && is_static) {
            make_step(m, f, 0, 1, (int64_t)m->points.count / 3, 0, 0);
        } else {
            make_part(m, 3 * TRIANGLES, TRIANGLES, ids);
            make_step_next(m, f, 1);
            for (int64_t i = 0; i < TRIANGLES; i++) {
                make_add(&m->cells[0].value, i % 3);
                make_add(&m->cells[1].value, TRIANGLES - i);
            }
        }
        make_random_points(m, 3 * TRIANGLES, &r);
    }
    free(ids);
}

/* Reads all frames in blocks. Returns the first error. */
static int h5_chunks_test_read_all(const make *m, const char *path, mem *memory, size_t block,
                                   int back)
{
    batch *b = NULL;
    int err = batch_open(memory, path, BATCH_OBJECT_ID, "", &b);
    if (!err)
        check_blocks(m, &m->cells[0], b, block, back);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory->now), 0);
    return err;
}

static void test_in_order(void)
{
    for (int is_static = 0; is_static < 2; is_static++) {
        make m;
        build_long(&m, is_static);
        const char *path = make_write(&m, "long.vtkhdf");
        store_all(path, COUNTING, CHUNK, 1);
        for (int back = 0; back < 2; back++) {
            mem memory = {0};
            snprintf(about, sizeof about, "%s, %s", is_static ? "static" : "changing",
                     back ? "backwards" : "forwards");
            count_from_zero();
            CU_ASSERT_EQUAL(h5_chunks_test_read_all(&m, path, &memory, 4, back), 0);
            check_once(about, 12);
        }
        make_free(&m);
    }
}

/* Chunks with one of the three columns of Points, and small ones: 200 in each frame. */
static void test_h5_chunks_shapes(void)
{
    static const hsize_t shapes[][2] = {{CHUNK / 8, 1}, {CHUNK / 16, 2}, {45, 3}, {45, 1}};
    make m;
    build_long(&m, 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const char *path = make_write(&m, "shape.vtkhdf");
        hsize_t dims[2] = {m.points.count / 3, 3}, most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t plan = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, dims, most);
        unsigned parameter[2] = {0, (unsigned)(8 * shapes[i][0] * shapes[i][1])};
        datasets = 1;
        seen[0].chunks =
            (dims[0] + shapes[i][0] - 1) / shapes[i][0] * ((3 + shapes[i][1] - 1) / shapes[i][1]);
        seen[0].decoded = 0;
        snprintf(seen[0].name, sizeof seen[0].name, "chunks of %zu, %zu", (size_t)shapes[i][0],
                 (size_t)shapes[i][1]);
        H5Pset_chunk(plan, 2, shapes[i]);
        H5Pset_filter(plan, COUNTING, 0, 2, parameter);
        H5Ldelete(file, "VTKHDF/Points", H5P_DEFAULT);
        hid_t id = H5Dcreate2(file, "VTKHDF/Points", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan,
                              H5P_DEFAULT);
        CU_ASSERT(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, m.points.value) >=
                  0);
        H5Dclose(id);
        H5Sclose(space);
        H5Pclose(plan);
        H5Fclose(file);
        mem memory = {0};
        snprintf(about, sizeof about, "%s", seen[0].name);
        CU_ASSERT_EQUAL(h5_chunks_test_read_all(&m, path, &memory, 4, 0), 0);
        check_once(about, 1);
    }
    make_free(&m);
}

/* ---- virtual datasets: their sources have such chunks */

#define PARTS 3

static void test_virtual(void)
{
    make m;
    build_long(&m, 0);
    for (int wholes = 0; wholes < 2; wholes++) {
        for (size_t i = 0; i < PARTS; i++)
            remove(series_part(i));
        const char *path = make_write(&m, "series.vtkhdf");
        series_take_wholes(wholes);
        series_spread_all(path, PARTS);
        for (size_t i = 0; i < PARTS; i++)
            store_all(series_part(i), COUNTING, CHUNK, i == 0);
        for (int back = 0; back < 2; back++) {
            mem memory = {0};
            snprintf(about, sizeof about, "virtual, %s%s", wholes ? "wholes, " : "",
                     back ? "backwards" : "forwards");
            count_from_zero();
            CU_ASSERT_EQUAL(h5_chunks_test_read_all(&m, path, &memory, 4, back), 0);
            check_once(about, 7 * PARTS);
        }
    }
    series_take_wholes(0);
    make_free(&m);
}

/* A virtual dataset of a virtual one. */
static void test_h5_chunks_nested(void)
{
    make m;
    build_long(&m, 0);
    const char *path = make_write(&m, "nested.vtkhdf");
    remove(series_part(0));
    series_spread(path, "VTKHDF/Points", 1);
    copy_file(path, at("middle.vtkhdf"));
    store_all(series_part(0), COUNTING, CHUNK, 1);
    const hsize_t dims[2] = {m.points.count / 3, 3};
    const series_piece piece[] = {
        {.file = "middle.vtkhdf", .dataset = "VTKHDF/Points", .count = {dims[0], 3}}, {0}};
    series_replace(path, "VTKHDF/Points", 2, dims, piece);
    mem memory = {0};
    snprintf(about, sizeof about, "nested");
    count_from_zero();
    CU_ASSERT_EQUAL(h5_chunks_test_read_all(&m, path, &memory, 4, 0), 0);
    check_once(about, 1);
    make_free(&m);
}

/* ---- memory */

/* The memory of chunks is counted, and released when they are no longer needed. */
static void test_counted(void)
{
    make m;
    batch *b = NULL;
    batch_block block = {0};
    mem memory = {0};
    build_long(&m, 1);
    const char *path = make_write(&m, "long.vtkhdf");
    store_all(path, COUNTING, CHUNK, 1);
    CU_ASSERT_EQUAL_FATAL(batch_open(&memory, path, BATCH_OBJECT_ID, "", &b), 0);
    uint64_t before = atomic_load(&memory.now);
    EXPECT(before > 6 * CHUNK, "%llu bytes for five datasets, one of two chunks",
           (unsigned long long)before);
    CU_ASSERT_EQUAL(batch_read(b, 0, 1, 1, &block), 0);
    batch_block_free(&block);
    uint64_t after = atomic_load(&memory.now);
    EXPECT(after > 2 * CHUNK && after < 3 * CHUNK, "%llu bytes with a topology that stays",
           (unsigned long long)after);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    make_free(&m);
}

/* Opens the batch under a limit, and reads it with `more` memory. */
static int open_under(const make *m, const char *path, uint64_t limit, uint64_t more)
{
    mem memory = {.limit = limit};
    batch *b = NULL;
    int err = batch_open(&memory, path, BATCH_OBJECT_ID, "", &b);
    EXPECT(!err || err == IMP_ERR_MEMORY, "%s: %s", about, imp_error_text());
    EXPECT(atomic_load(&memory.peak) <= limit, "%s: over it", about);
    memory.limit += more;
    if (!err && more)
        check_blocks(m, &m->cells[0], b, 1, 0);
    EXPECT(atomic_load(&memory.peak) <= memory.limit, "%s: over it, reading", about);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    return err;
}

/* Reading needs one chunk of each dataset that stays open; with less, the first one that does not
 * fit is an error that names it. */
static void test_h5_chunks_limits(void)
{
    make m;
    build_long(&m, 1);
    const char *path = make_write(&m, "long.vtkhdf");
    store_all(path, COUNTING, CHUNK, 1);
    uint64_t limit = 0;
    int err = IMP_ERR_MEMORY;
    while (err && limit < 40 * CHUNK) {
        limit += CHUNK / 4;
        snprintf(about, sizeof about, "%llu bytes", (unsigned long long)limit);
        err = open_under(&m, path, limit, 0);
        EXPECT(!err || (strstr(imp_error_text(), "/VTKHDF/") &&
                        strstr(imp_error_text(), "read as a whole, of 1179648 bytes")),
               "%s: %s", about, imp_error_text());
    }
    EXPECT(limit > 5 * CHUNK && limit < 7 * CHUNK, "%s are enough", about);
    CU_ASSERT_EQUAL(open_under(&m, path, limit, (uint64_t)2 << 20), 0);
    make_free(&m);
}

/* The same for source files, which are reopened while frames are read: memory for the largest chunk
 * is reserved from the start. */
static void test_virtual_limits(void)
{
    make m;
    build_long(&m, 0);
    const char *path = make_write(&m, "series.vtkhdf");
    for (size_t i = 0; i < PARTS; i++)
        remove(series_part(i));
    series_spread_all(path, PARTS);
    for (size_t i = 0; i < PARTS; i++)
        store_all(series_part(i), COUNTING, CHUNK, i == 0);
    batch *b = NULL;
    mem memory = {0};
    CU_ASSERT_EQUAL_FATAL(batch_open(&memory, path, BATCH_OBJECT_ID, "", &b), 0);
    /* like `run`: the memory held by the reader, plus that of frames, less than a chunk */
    memory.limit = atomic_load(&memory.now) + ((uint64_t)1 << 20);
    snprintf(about, sizeof about, "virtual, under a limit");
    check_blocks(&m, &m.cells[0], b, 1, 0);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    make_free(&m);
}

/* h5_data_rest releases the chunks; reading continues as before, also through an external link. */
static void test_rest(void)
{
    make m;
    build_long(&m, 1);
    const char *path = make_write(&m, "long.vtkhdf");
    store_all(path, COUNTING, CHUNK, 1);
    hid_t other = H5Fcreate(at("link.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("long.vtkhdf", "VTKHDF/Points", other, "Points", H5P_DEFAULT, H5P_DEFAULT);
    for (int link = 0; link < 2; link++) {
        h5_data d = {.id = -1};
        mem memory = {0};
        double row[3] = {0};
        hid_t file = link ? other : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        CU_ASSERT_EQUAL_FATAL(
            h5_data_open(&memory, file, path, "", link ? "Points" : "VTKHDF/Points", &d), 0);
        count_from_zero();
        for (int i = 0; i < 3; i++)
            CU_ASSERT_EQUAL(h5_data_read(&d, 1, 1, H5T_NATIVE_DOUBLE, row), 0);
        CU_ASSERT_EQUAL(atomic_load(&memory.now), 2 * CHUNK);
        h5_data_rest(&d);
        CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
        h5_data_rest(&d);
        for (int i = 0; i < 3; i++)
            CU_ASSERT_EQUAL(h5_data_read(&d, 2, 1, H5T_NATIVE_DOUBLE, row), 0);
        CU_ASSERT_EQUAL(memcmp(row, m.points.value + 6, sizeof row), 0);
        EXPECT(h5_chunks_test_count_all() == 4, "once while it keeps chunks, then each time: %zu",
               h5_chunks_test_count_all());
        h5_data_close(&d);
        CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
        if (!link)
            H5Fclose(file);
    }
    H5Fclose(other);
    make_free(&m);
}

/* A row of each chunk, twice: HDF5 has evicted the chunks in between, though none was read to its
 * end. */
static void test_bounded(void)
{
    make m;
    build_long(&m, 1);
    const char *path = make_write(&m, "long.vtkhdf");
    store_all(path, COUNTING, CHUNK, 1);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    h5_data d = {.id = -1};
    mem memory = {0};
    double row[3];
    CU_ASSERT_EQUAL_FATAL(h5_data_open(&memory, file, path, "", "VTKHDF/Points", &d), 0);
    count_from_zero();
    for (int again = 0; again < 2; again++)
        for (uint64_t i = 0; i < d.rows; i += CHUNK / 24)
            CU_ASSERT_EQUAL(h5_data_read(&d, i, 1, H5T_NATIVE_DOUBLE, row), 0);
    EXPECT(h5_chunks_test_count_all() == 6,
           "three chunks, one after another, twice: decoded %zu times", h5_chunks_test_count_all());
    h5_data_close(&d);
    H5Fclose(file);
    make_free(&m);
}

/* ---- results */

#define RESULT_FRAMES 12

static const char *run_moving(void)
{
    make m = {0};
    make_moving(&m, RESULT_FRAMES, 3000, 9);
    const char *path = make_write(&m, "moving.vtkhdf"), *out = at("result.vtkhdf");
    ran r = RAN("run", path, "-o", out, "--device", "cpu", "--force", "-q");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    make_free(&m);
    return out;
}

/* Compressed afterwards, as by h5repack. */
static void test_h5_chunks_result(void)
{
    mem memory = {0};
    result_reader *r = NULL;
    const char *out = run_moving();
    store_all(out, COUNTING, CHUNK, 1);
    CU_ASSERT_EQUAL_FATAL(result_open(&memory, out, &r), 0);
    const result_info *info = result_get_info(r);
    CU_ASSERT(info->complete && info->frames == RESULT_FRAMES);
    for (uint64_t k = 0; k < info->frames; k++) {
        result_rows rows;
        CU_ASSERT_EQUAL(result_read(r, k, &rows), 0);
        CU_ASSERT(rows.count && result_checksum(&rows) == info->of.checksum[k]);
    }
    CU_ASSERT_EQUAL(result_check_layout(r), 0);
    check_once("a result", 20);
    result_close(r);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
}

/* ---- the program */

static void check_h5_chunks_well(const char *const *line)
{
    ran r = program_run(line);
    EXPECT(ran_well(&r), "^ %s %s", line[0], line[1]);
    ran_free(&r);
}

#define WELL(...) check_h5_chunks_well((const char *const[]){__VA_ARGS__, NULL})

static void test_h5_chunks_program(void)
{
    const char *whole = run_moving(), *in = at("moving.vtkhdf"), *out = at("again.vtkhdf");
    const char *small = at("small.vtkhdf");
    store_all(in, H5Z_FILTER_DEFLATE, CHUNK, 1);
    WELL("run", in, "-o", out, "--device", "cpu", "-q");
    const char *differs = h5_same(whole, out, "VTKHDF");
    EXPECT(!differs, "another result: %s", differs);
    store_all(out, H5Z_FILTER_DEFLATE, CHUNK, 1);
    WELL("check", out, "--input", in, "--sample", "20");
    WELL("info", in);
    WELL("info", out);
    ran r = RAN("run", in, "-o", small, "--device", "cpu", "--mem-limit", "2M");
    EXPECT(ran_failed(&r, 5, "moving.vtkhdf: /VTKHDF/", "read as a whole"), "^ too little memory");
    CU_ASSERT(!exists(small) && !exists_part(small));
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"layouts", test_h5_chunks_layouts},
                                 {"in_order", test_in_order},
                                 {"shapes", test_h5_chunks_shapes},
                                 {"virtual", test_virtual},
                                 {"nested", test_h5_chunks_nested},
                                 {"counted", test_counted},
                                 {"limits", test_h5_chunks_limits},
                                 {"virtual_limits", test_virtual_limits},
                                 {"rest", test_rest},
                                 {"bounded", test_bounded},
                                 {"result", test_h5_chunks_result},
                                 {"program", test_h5_chunks_program},
                                 {0}};
    static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, COUNTING, 1,    1,
                                        "counts",         NULL,     NULL, count_filter};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (H5Zregister(&filter) < 0)
        return 1;
    return test_main(argc, argv, "chunks", tests);
}
