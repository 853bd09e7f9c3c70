/* Batches through the reader and the writer: every layout that VTKHDF allows is read as it was put
 * together, frame by frame and in blocks, and what is written is read again. */
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "store.h"
#include "testlib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- layouts */

/* n triangles on `vertices` vertices, counted within their part */
static void random_part(make *m, int64_t vertices, int64_t triangles, rng *r)
{
    int64_t ids[300];
    for (int64_t i = 0; i < 3 * triangles; i++)
        ids[i] = rng_below(r, (uint32_t)vertices);
    make_part(m, vertices, triangles, ids);
}

static void build_static(make *m, rng *r)
{
    random_part(m, 9, 11, r);
    for (int f = 0; f < 5; f++) {
        make_step(m, 0.25 * f, 0, 1, 9 * f, 0, 0);
        make_random_points(m, 9, r);
    }
}

static void build_one_frame(make *m, rng *r)
{
    random_part(m, 9, 4, r);
    make_step(m, -3.5, 0, 1, 0, 0, 0);
    make_random_points(m, 9, r);
}

/* Parts without cells, and without anything, stand among the others. */
static void build_parts(make *m, rng *r)
{
    const int64_t sizes[][2] = {{5, 7}, {3, 0}, {0, 0}, {8, 2}};
    for (int p = 0; p < 4; p++)
        random_part(m, sizes[p][0], sizes[p][1], r);
    for (int f = 0; f < 3; f++) {
        make_step(m, f, 0, 4, 16 * f, 0, 0);
        make_random_points(m, 16, r);
    }
}

/* The part is stored again for every step, though the topology stays. */
static void build_repeated_counts(make *m, rng *r)
{
    int64_t ids[] = {0, 1, 2, 2, 1, 3};
    for (int f = 0; f < 3; f++) {
        make_step(m, f, f, 1, 4 * f, 0, 0);
        make_random_points(m, 4, r);
        if (f == 0)
            make_part(m, 4, 2, ids);
        else {
            make_add(&m->part_points, 4);
            make_add(&m->part_cells, 2);
        }
    }
}

/* The same points in all steps, then backwards. */
static void build_same_points(make *m, rng *r)
{
    random_part(m, 5, 4, r);
    make_random_points(m, 10, r);
    const int64_t point0[] = {5, 5, 0, 5, 0};
    for (int f = 0; f < 5; f++)
        make_step(m, f, 0, 1, point0[f], 0, 0);
}

static void build_changing_sizes(make *m, rng *r, const int64_t (*sizes)[2], int n)
{
    for (int f = 0; f < n; f++) {
        random_part(m, sizes[f][0], sizes[f][1], r);
        make_step_next(m, 10 * f, 1);
        make_random_points(m, (size_t)sizes[f][0], r);
    }
}

static void build_changing(make *m, rng *r)
{
    const int64_t sizes[][2] = {{4, 3}, {9, 20}, {3, 1}, {30, 5}};
    build_changing_sizes(m, r, sizes, 4);
}

static void build_empty_between(make *m, rng *r)
{
    const int64_t sizes[][2] = {{0, 0}, {4, 1}, {0, 0}, {0, 0}, {5, 3}, {3, 1}, {2, 0}, {4, 1}};
    build_changing_sizes(m, r, sizes, 8);
}

static void build_empty_last(make *m, rng *r)
{
    const int64_t sizes[][2] = {{3, 1}, {3, 1}, {0, 0}, {0, 0}};
    build_changing_sizes(m, r, sizes, 4);
}

static void build_changing_parts(make *m, rng *r)
{
    for (int f = 0; f < 5; f++) {
        int64_t verts = 0, parts = f % 3 + 1;
        for (int p = 0; p < parts; p++) {
            int64_t n = p == 1 ? 0 : 2 + f;
            random_part(m, 3 + p + f, n, r);
            verts += 3 + p + f;
        }
        make_step_next(m, f, parts);
        make_random_points(m, (size_t)verts, r);
    }
}

/* A step has the topology of an earlier one, at new points. */
static void build_returning(make *m, rng *r)
{
    build_changing(m, r);
    for (int f = 0; f < 3; f++) {
        int64_t from = f % 2 ? 1 : 0;
        make_step(m, 100 + f, from, 1, (int64_t)m->points.count / 3, m->cell0.value[from],
                  m->id0.value[from]);
        make_random_points(m, (size_t)m->part_points.value[from], r);
    }
}

static void build_no_steps(make *m, rng *r)
{
    build_parts(m, r);
    m->no_steps = 1;
}

static void build_no_part_counts(make *m, rng *r)
{
    build_changing(m, r);
    m->no_part_counts = 1;
}

static void build_no_triangles(make *m, rng *r)
{
    make_part(m, 4, 0, NULL);
    make_step(m, 1, 0, 1, 0, 0, 0);
    make_random_points(m, 4, r);
}

static void build_nothing(make *m, rng *r)
{
    (void)r;
    make_part(m, 0, 0, NULL);
    make_step(m, 1, 0, 1, 0, 0, 0);
}

static void build_no_parts(make *m, rng *r)
{
    (void)r;
    make_step(m, 1, 0, 0, 0, 0, 0);
}

static void build_no_frames(make *m, rng *r)
{
    random_part(m, 4, 2, r);
}

static const struct layout {
    const char *name;
    void (*build)(make *m, rng *r);
    int is_static;
} layouts[] = {
    {"static", build_static, 1},
    {"one frame", build_one_frame, 1},
    {"several parts", build_parts, 1},
    {"repeated counts", build_repeated_counts, 1},
    {"same points", build_same_points, 1},
    {"changing", build_changing, 0},
    {"empty frames between", build_empty_between, 0},
    {"empty frames last", build_empty_last, 0},
    {"changing parts", build_changing_parts, 0},
    {"returning", build_returning, 0},
    {"no steps", build_no_steps, 1},
    {"no part counts", build_no_part_counts, 0},
    {"no triangles", build_no_triangles, 1},
    {"nothing", build_nothing, 1},
    {"no parts", build_no_parts, 1},
    {"no frames", build_no_frames, 1},
};
#define LAYOUTS (sizeof layouts / sizeof *layouts)

/* ---- comparing */

/* What the test is about, for messages. */
static char about[200];

static int same_point(const imp_frame *f, const make_frame *want)
{
    for (size_t i = 0; i < (size_t)3 * want->vertices; i++) {
        double x = f->type == IMP_FLOAT32 ? (double)((const float *)f->point)[i]
                                          : ((const double *)f->point)[i];
        if (x != want->point[i])
            return 0;
    }
    return 1;
}

static void check_frame(const make *m, const imp_frame *got, size_t frame)
{
    make_frame want;
    make_expect(m, frame, &want);
    const imp_mesh *mesh = got->mesh;
    int sizes = mesh->vertices == want.vertices && mesh->triangles == want.triangles;
    EXPECT(sizes, "%s: frame %zu: %u vertices, %u triangles, not %u, %u", about, frame,
           mesh->vertices, mesh->triangles, want.vertices, want.triangles);
    EXPECT(got->number == frame, "%s: frame %zu is called %llu", about, frame,
           (unsigned long long)got->number);
    if (sizes) {
        size_t bytes = (size_t)3 * want.triangles * sizeof *want.triangle;
        EXPECT(!bytes || !memcmp(mesh->triangle, want.triangle, bytes),
               "%s: frame %zu: other triangles", about, frame);
        EXPECT(same_point(got, &want), "%s: frame %zu: other points", about, frame);
    }
    make_frame_free(&want);
}

static void check_objects(const make *m, const make_cells *c, const imp_mesh *mesh, size_t frame)
{
    size_t wrong = 0;
    for (size_t i = 0; mesh->object && i < mesh->triangles; i++)
        wrong += mesh->object[i] != make_cell_value(m, c, frame, i);
    EXPECT(mesh->object && !wrong, "%s: frame %zu: %zu other objects", about, frame, wrong);
}

static void check_frames(const make *m, const make_cells *c, const batch_block *b, size_t first,
                         int64_t step)
{
    for (size_t i = 0; i < b->count; i++) {
        size_t frame = (size_t)((int64_t)first + (int64_t)i * step);
        check_frame(m, &b->frame[i], frame);
        if (c)
            check_objects(m, c, b->frame[i].mesh, frame);
    }
}

/* Frames in blocks of `most`, forwards or backwards. */
static void check_blocks(const make *m, const make_cells *c, batch *b, size_t most, int back)
{
    batch_block block = {0};
    size_t n = make_frames(m);
    for (size_t done = 0; done < n; done += most) {
        size_t count = n - done < most ? n - done : most;
        size_t first = back ? n - 1 - done : done;
        int err = batch_read(b, first, back ? -1 : 1, count, &block);
        EXPECT(!err, "%s: %s", about, imp_error_text());
        if (err)
            break;
        check_frames(m, c, &block, first, back ? -1 : 1);
    }
    batch_block_free(&block);
}

static void check_times(const make *m, const batch *b)
{
    for (size_t f = 0; f < make_frames(m); f++) {
        make_frame want;
        uint64_t verts, cells;
        make_expect(m, f, &want);
        batch_size(b, f, &verts, &cells);
        EXPECT(batch_time(b, f) == want.time, "%s: frame %zu: time %g", about, f, batch_time(b, f));
        EXPECT(verts == want.vertices && cells == want.triangles, "%s: frame %zu: size", about, f);
        make_frame_free(&want);
    }
}

static void check_info(const make *m, const batch *b, int is_static)
{
    batch_info info;
    batch_get_info(b, &info);
    int type = m->point_type == H5T_IEEE_F32LE ? IMP_FLOAT32 : IMP_FLOAT64;
    EXPECT(info.frames == make_frames(m), "%s: %llu frames", about,
           (unsigned long long)info.frames);
    EXPECT(info.temporal == !m->no_steps, "%s: temporal %d", about, info.temporal);
    EXPECT(info.type == type, "%s: type %d", about, info.type);
    EXPECT(info.unstructured == m->unstructured, "%s: unstructured", about);
    EXPECT(info.static_topology == is_static, "%s: static %d", about, info.static_topology);
}

/* c: the cell array that tells objects, if any */
static void check_file(const make *m, const char *path, enum batch_objects how, const make_cells *c,
                       int is_static)
{
    mem memory = {0};
    batch *b = NULL;
    const char *array = how == BATCH_ARRAY ? c->name : "";
    int err = batch_open(&memory, path, how, array, &b);
    EXPECT(!err, "%s: %s", about, imp_error_text());
    if (err)
        return;
    check_info(m, b, is_static);
    check_times(m, b);
    const size_t blocks[] = {1, 2, 3, 1000};
    for (int i = 0; i < 8; i++)
        check_blocks(m, c, b, blocks[i / 2], i % 2);
    batch_close(b);
    EXPECT(atomic_load(&memory.now) == 0, "%s: %llu bytes are left", about,
           (unsigned long long)atomic_load(&memory.now));
}

/* ---- tests of reading */

static const char *const storage_names[] = {"chunked", "contiguous", "deflate", "fletcher32"};

/* All layouts, types, filters, and both types of file. */
static void check_layout(const struct layout *l, int variant)
{
    make m = {.unstructured = variant & 1,
              .point_type = variant & 2 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
              .id_type = variant & 4 ? H5T_STD_I32LE : H5T_STD_I64LE,
              .count_type = variant & 4 ? H5T_STD_I32LE : H5T_STD_I64LE,
              .steps_columns = variant >> 3 & 1,
              .skip_empty = variant >> 4 & 1,
              .storage = (enum make_storage)(variant >> 5)};
    rng r = {(uint64_t)variant};
    l->build(&m, &r);
    snprintf(about, sizeof about, "%s, %s, points %s, ids %s, %s%s%s", l->name,
             m.unstructured ? "UnstructuredGrid" : "PolyData", variant & 2 ? "f32" : "f64",
             variant & 4 ? "i32" : "i64", storage_names[m.storage],
             m.steps_columns ? ", (n, 1)" : "", m.skip_empty ? ", no offsets of empty parts" : "");
    check_file(&m, make_write(&m, "layout.vtkhdf"), BATCH_OBJECT_ID, NULL, l->is_static);
    make_free(&m);
}

static void test_layouts(void)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        for (int variant = 0; variant < 32 * MAKE_STORAGES; variant += 1 + variant / 32)
            check_layout(&layouts[i], variant);
}

/* Parts of any size, also empty ones, in steps of any number of parts. */
static void test_random_layouts(void)
{
    rng r = {77};
    for (uint64_t k = 0; k < test_count(150); k++) {
        make m = {.skip_empty = (int)rng_below(&r, 2), .unstructured = rng_below(&r, 4) == 0};
        uint32_t frames = 1 + rng_below(&r, 6);
        for (uint32_t f = 0; f < frames; f++) {
            int64_t parts = rng_below(&r, 4), verts = 0;
            for (int64_t p = 0; p < parts; p++) {
                int64_t n = rng_below(&r, 3) ? 1 + rng_below(&r, 3) : 0;
                random_part(&m, 1 + rng_below(&r, 5), n, &r);
                verts += m.part_points.value[m.part_points.count - 1];
            }
            make_step_next(&m, f, parts);
            make_random_points(&m, (size_t)verts, &r);
        }
        snprintf(about, sizeof about, "random layout %llu", (unsigned long long)k);
        const char *path = make_write(&m, "random.vtkhdf");
        mem memory = {0};
        batch *b = NULL;
        int err = batch_open(&memory, path, BATCH_OBJECT_ID, "", &b);
        EXPECT(!err, "%s: %s", about, imp_error_text());
        if (!err)
            check_blocks(&m, NULL, b, 1 + rng_below(&r, 3), (int)rng_below(&r, 2));
        batch_close(b);
        make_free(&m);
    }
}

static void test_versions(void)
{
    static const int64_t versions[][3] = {{1, 1, 0}, {1, 2, 0}, {1, 2, 3}, {0, 2, 0}, {0, 2, 9}};
    rng r = {3};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        make m = {.unstructured = (int)versions[i][0],
                  .version = {versions[i][1], versions[i][2]},
                  .no_steps = versions[i][1] == 1};
        build_parts(&m, &r);
        snprintf(about, sizeof about, "version %lld.%lld", (long long)versions[i][1],
                 (long long)versions[i][2]);
        check_file(&m, make_write(&m, "version.vtkhdf"), BATCH_OBJECT_ID, NULL, 1);
        make_free(&m);
    }
}

/* A text attribute may also be of variable length, padded or ended in another way. */
static void test_type_texts(void)
{
    for (int kind = 0; kind < 4; kind++) {
        make m = {0};
        make_moving(&m, 2, 3, 1);
        const char *path = make_write(&m, "text.vtkhdf"), *text = "PolyData";
        char fixed[16] = "PolyData";
        if (kind == 3)
            memset(fixed + 8, ' ', 8);
        h5_remove(path, "VTKHDF@Type");
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
        hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
        H5Tset_size(type, kind == 0 ? H5T_VARIABLE : sizeof fixed);
        H5Tset_strpad(type, kind == 1   ? H5T_STR_NULLPAD
                            : kind == 3 ? H5T_STR_SPACEPAD
                                        : H5T_STR_NULLTERM);
        H5Tset_cset(type, kind == 2 ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
        hid_t a = H5Acreate2(root, "Type", type, space, H5P_DEFAULT, H5P_DEFAULT);
        const void *value = kind == 0 ? (const void *)&text : (const void *)fixed;
        CU_ASSERT(H5Awrite(a, type, value) >= 0);
        H5Aclose(a);
        H5Sclose(space);
        H5Tclose(type);
        H5Gclose(root);
        H5Fclose(file);
        snprintf(about, sizeof about, "Type as text of kind %d", kind);
        check_file(&m, path, BATCH_OBJECT_ID, NULL, 1);
        make_free(&m);
    }
}

/* ---- objects and names */

static void fill_cells(make_cells *c, size_t n, rng *r)
{
    static const int64_t values[] = {0, 1, 7, -1, INT32_MAX, INT32_MIN, 7, 7};
    for (size_t i = 0; i < n; i++)
        make_add(&c->value, values[rng_below(r, 8)]);
}

/* One row for each triangle, used by all steps of the same topology. */
static void test_objects_static(void)
{
    rng r = {5};
    for (size_t i = 0; i < LAYOUTS; i++)
        for (int variant = 0; variant < 4; variant++) {
            make m = {.unstructured = variant & 1};
            layouts[i].build(&m, &r);
            m.cells[0].name = "ObjectId";
            m.cells[0].type = variant & 2 ? H5T_STD_I32LE : H5T_STD_I64LE;
            fill_cells(&m.cells[0], m.types.count, &r);
            snprintf(about, sizeof about, "objects, %s", layouts[i].name);
            check_file(&m, make_write(&m, "objects.vtkhdf"), BATCH_OBJECT_ID, &m.cells[0],
                       layouts[i].is_static);
            make_free(&m);
        }
}

/* CellDataOffsets give every step its own rows, or some the same. */
static void test_objects_per_step(void)
{
    rng r = {6};
    for (int shared = 0; shared < 2; shared++) {
        make m = {.steps_columns = shared};
        build_static(&m, &r);
        m.cells[1].name = "ObjectId";
        fill_cells(&m.cells[1], 5 * 11 + 2, &r);
        for (int f = 0; f < 5; f++)
            make_add(&m.cells[1].offset, shared ? 2 : 2 + 11 * f);
        snprintf(about, sizeof about, "objects by step, shared %d", shared);
        check_file(&m, make_write(&m, "objects.vtkhdf"), BATCH_OBJECT_ID, &m.cells[1], shared);
        make_free(&m);
    }
}

static void test_objects_array(void)
{
    rng r = {7};
    make m = {0};
    build_changing(&m, &r);
    m.cells[0] = (make_cells){.name = "ObjectId"};
    m.cells[1] = (make_cells){.name = "a b=c", .type = H5T_STD_U8LE};
    for (size_t i = 0; i < m.types.count; i++) {
        make_add(&m.cells[0].value, 1);
        make_add(&m.cells[1].value, rng_below(&r, 256));
    }
    const char *path = make_write(&m, "array.vtkhdf");
    snprintf(about, sizeof about, "objects by another array");
    check_file(&m, path, BATCH_ARRAY, &m.cells[1], 0);
    mem memory = {0};
    batch *b;
    CU_ASSERT_EQUAL(batch_open(&memory, path, BATCH_ARRAY, "none", &b), IMP_ERR_INPUT);
    EXPECT(strstr(imp_error_text(), path) && strstr(imp_error_text(), "CellData/none"), "%s",
           imp_error_text());
    make_free(&m);
}

/* Components by repeated passes: the least vertex that can be reached. */
static void plain_components(const imp_mesh *mesh, uint32_t *least)
{
    int changed = 1;
    for (uint32_t v = 0; v < mesh->vertices; v++)
        least[v] = v;
    while (changed) {
        changed = 0;
        for (size_t i = 0; i < (size_t)3 * mesh->triangles; i++) {
            size_t next = i / 3 * 3 + (i + 1) % 3;
            uint32_t a = least[mesh->triangle[i]], b = least[mesh->triangle[next]];
            if (a != b) {
                least[mesh->triangle[a < b ? next : i]] = a < b ? a : b;
                changed = 1;
            }
        }
    }
}

static void check_components(const imp_mesh *mesh, uint64_t objects)
{
    uint32_t least[400];
    uint64_t count = 0;
    int bad = 0;
    plain_components(mesh, least);
    for (uint32_t i = 0; i < mesh->triangles; i++) {
        int fresh = 1;
        for (uint32_t j = 0; j < i; j++) {
            int same = least[mesh->triangle[3 * i]] == least[mesh->triangle[3 * j]];
            bad |= same != (mesh->object[i] == mesh->object[j]);
            fresh &= !same;
        }
        bad |= fresh && mesh->object[i] != (int32_t)count; /* numbered as they come */
        count += (uint64_t)fresh;
    }
    EXPECT(!bad && count == objects, "%s: %llu objects, not %llu, or others", about,
           (unsigned long long)objects, (unsigned long long)count);
}

static void test_objects_connected(void)
{
    rng r = {8};
    for (uint64_t k = 0; k < test_count(30); k++) {
        make m = {0};
        mem memory = {0};
        batch *b = NULL;
        batch_block block = {0};
        for (int f = 0; f < 3; f++) {
            random_part(&m, 60, 1 + rng_below(&r, 60), &r);
            random_part(&m, 20, 1 + rng_below(&r, 5), &r);
            make_step_next(&m, f, 2);
            make_random_points(&m, 80, &r);
        }
        snprintf(about, sizeof about, "connected %llu", (unsigned long long)k);
        const char *path = make_write(&m, "connected.vtkhdf");
        CU_ASSERT(!batch_open(&memory, path, BATCH_CONNECTED, "", &b));
        CU_ASSERT(!batch_read(b, 0, 1, 3, &block));
        for (size_t f = 0; f < block.count; f++)
            check_components(block.frame[f].mesh, batch_objects(&block, f));
        batch_block_free(&block);
        batch_close(b);
        make_free(&m);
    }
}

static void check_object_count(const int64_t *values, size_t n, uint64_t want)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0};
    make_moving(&m, 1, (int64_t)n, 1);
    for (size_t i = 0; i < n; i++)
        make_add(&m.cells[0].value, values[i]);
    CU_ASSERT(!batch_open(&memory, make_write(&m, "count.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    CU_ASSERT(!batch_read(b, 0, 1, 1, &block));
    EXPECT(batch_objects(&block, 0) == want, "%llu objects, not %llu",
           (unsigned long long)batch_objects(&block, 0), (unsigned long long)want);
    batch_block_free(&block);
    batch_close(b);
    make_free(&m);
}

static void test_object_count(void)
{
    check_object_count((int64_t[]){1}, 0, 0);
    check_object_count((int64_t[]){5, 5, 5}, 3, 1);
    check_object_count((int64_t[]){5, -5, 5, 0, -5, INT32_MIN, INT32_MAX, 0}, 8, 5);
}

static int read_code(const char *path, size_t frame)
{
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0};
    int err = batch_open(&memory, path, BATCH_OBJECT_ID, "", &b);
    if (!err)
        err = batch_read(b, frame, 1, 1, &block);
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    return err;
}

/* Names may repeat from frame to frame, but not within one. */
static void test_primitive_names(void)
{
    rng r = {9};
    make m = {.cells = {{.name = "PrimitiveId"}}};
    build_static(&m, &r);
    for (int f = 0; f < 5; f++) {
        make_add(&m.cells[0].offset, 11 * f);
        for (int64_t i = 0; i < 11; i++)
            make_add(&m.cells[0].value, i % 2 ? i - 5 : INT64_MAX - i);
    }
    snprintf(about, sizeof about, "names");
    check_file(&m, make_write(&m, "names.vtkhdf"), BATCH_OBJECT_ID, NULL, 0);
    m.cells[0].value.value[11 * 3 + 9] = INT64_MAX - 4; /* the name of cell 4 */
    const char *path = make_write(&m, "names.vtkhdf"), *text = imp_error_text();
    CU_ASSERT_EQUAL(read_code(path, 2), 0);
    CU_ASSERT_EQUAL(read_code(path, 3), IMP_ERR_INPUT);
    EXPECT(strstr(text, path) && strstr(text, "CellData/PrimitiveId") && strstr(text, "frame 3") &&
               strstr(text, "cells 4 and 9"),
           "%s", text);
    make_free(&m);
}

/* ---- meshes are shared */

static const imp_mesh *mesh_of(batch *b, uint64_t frame, batch_block *block)
{
    CU_ASSERT(!batch_read(b, frame, 1, 1, block));
    return block->count ? block->frame[0].mesh : NULL;
}

/* One mesh while the topology stays, in a block and from read to read. */
static void test_sharing(void)
{
    rng r = {10};
    make m = {0};
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0}, other = {0};
    build_repeated_counts(&m, &r);
    CU_ASSERT(!batch_open(&memory, make_write(&m, "share.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    CU_ASSERT(!batch_read(b, 0, 1, 3, &block));
    CU_ASSERT(block.frame[0].mesh == block.frame[1].mesh);
    CU_ASSERT(block.frame[0].mesh == block.frame[2].mesh);
    CU_ASSERT(mesh_of(b, 2, &other) == block.frame[0].mesh);
    batch_close(b); /* blocks outlive their batch */
    CU_ASSERT_EQUAL(block.frame[2].mesh->triangle[5], 3);
    batch_block_free(&block);
    CU_ASSERT_EQUAL(other.frame[0].mesh->triangle[5], 3);
    batch_block_free(&other);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    make_free(&m);
}

/* ---- writing */

typedef struct written {
    imp_mesh mesh[4];
    uint32_t triangle[4][60];
    int32_t object[4][20];
    double point[12][90];
    float narrow[12][90];
    int mesh_of[12]; /* of each frame */
    size_t frames;
} written;

/* Meshes of several sizes, one empty; frames that keep, change and take up again their mesh. */
static void written_fill(written *w, rng *r)
{
    static const uint32_t verts[] = {12, 5, 0, 30}, cells[] = {7, 20, 0, 1};
    static const int order[12] = {0, 0, 1, 2, 2, 1, 1, 3, 0, 2, 3, 3};
    for (int i = 0; i < 4; i++) {
        for (uint32_t k = 0; k < 3 * cells[i]; k++)
            w->triangle[i][k] = rng_below(r, verts[i]);
        for (uint32_t k = 0; k < cells[i]; k++)
            w->object[i][k] = (int32_t)rng_next(r);
        w->mesh[i] = (imp_mesh){verts[i], cells[i], w->triangle[i], i == 1 ? NULL : w->object[i]};
    }
    w->frames = 12;
    for (int f = 0; f < 12; f++) {
        w->mesh_of[f] = order[f];
        for (int k = 0; k < 90; k++) {
            w->point[f][k] = (double)(int32_t)rng_next(r) * 0x1p-20;
            w->narrow[f][k] = (float)w->point[f][k];
        }
    }
}

static imp_frame written_frame(const written *w, size_t f, int type)
{
    const void *point = type == IMP_FLOAT32 ? (const void *)w->narrow[f] : w->point[f];
    return (imp_frame){&w->mesh[w->mesh_of[f]], point, type, f};
}

static void check_written(const written *w, const imp_frame *got, size_t f, int from, int objects)
{
    const imp_mesh *want = &w->mesh[w->mesh_of[f]], *mesh = got->mesh;
    int wrong = mesh->vertices != want->vertices || mesh->triangles != want->triangles;
    EXPECT(!wrong, "%s: frame %zu: %u vertices, %u triangles", about, f, mesh->vertices,
           mesh->triangles);
    if (wrong)
        return;
    for (size_t i = 0; i < (size_t)3 * want->triangles; i++)
        wrong |= mesh->triangle[i] != want->triangle[i];
    for (size_t i = 0; objects && i < want->triangles; i++)
        wrong |= !mesh->object || mesh->object[i] != (want->object ? want->object[i] : 0);
    for (size_t i = 0; i < (size_t)3 * want->vertices; i++) {
        double x = got->type == IMP_FLOAT32 ? (double)((const float *)got->point)[i]
                                            : ((const double *)got->point)[i];
        int rounded = from == IMP_FLOAT32 || got->type == IMP_FLOAT32;
        wrong |= x != (rounded ? (double)w->narrow[f][i] : w->point[f][i]);
    }
    EXPECT(!wrong, "%s: frame %zu differs", about, f);
}

static int write_all(mem *m, const written *w, const char *path, int from, int to, int objects)
{
    batch_writer *out = NULL;
    int err = batch_create(m, path, 1, to, objects, &out);
    for (size_t f = 0; f < w->frames && !err; f++) {
        imp_frame frame = written_frame(w, f, from);
        err = batch_append(out, &frame, 0.125 * (double)f);
    }
    CU_ASSERT(access(path, F_OK) != 0); /* not before it is complete */
    return err ? err : batch_finish(out);
}

static void check_round_trip(const written *w, int from, int to, int objects)
{
    char path[300];
    mem m = {0};
    batch *b = NULL;
    batch_block block = {0};
    batch_info info;
    snprintf(path, sizeof path, "%s/trip.vtkhdf", test_folder());
    snprintf(about, sizeof about, "round trip from type %d to %d, objects %d", from, to, objects);
    EXPECT(!write_all(&m, w, path, from, to, objects), "%s: %s", about, imp_error_text());
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    batch_get_info(b, &info);
    CU_ASSERT(info.frames == w->frames && info.has_object == objects && info.type == to);
    CU_ASSERT(!batch_read(b, 0, 1, w->frames, &block));
    for (size_t f = 0; f < block.count; f++) {
        check_written(w, &block.frame[f], f, from, objects);
        CU_ASSERT_EQUAL(batch_time(b, f), 0.125 * (double)f);
    }
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    CU_ASSERT(!unlink(path));
}

static void test_round_trip(void)
{
    static written w;
    rng r = {11};
    written_fill(&w, &r);
    for (int k = 0; k < 8; k++)
        check_round_trip(&w, k & 1, k >> 1 & 1, k >> 2);
}

/* Large arrays go through the writer in pieces. */
static void test_large(void)
{
    enum { VERTS = 70000, CELLS = 150000 };
    static uint32_t triangle[3 * CELLS];
    static int32_t object[CELLS];
    static double point[3 * VERTS];
    rng r = {12};
    char path[300];
    mem m = {0};
    batch_writer *w = NULL;
    batch *b = NULL;
    batch_block block = {0};
    imp_mesh mesh = {VERTS, CELLS, triangle, object};
    for (size_t i = 0; i < 3 * CELLS; i++)
        triangle[i] = rng_below(&r, VERTS);
    for (size_t i = 0; i < CELLS; i++)
        object[i] = (int32_t)(i / 1000);
    for (size_t i = 0; i < 3 * VERTS; i++)
        point[i] = rng_unit(&r);
    snprintf(path, sizeof path, "%s/large.vtkhdf", test_folder());
    CU_ASSERT_FATAL(!batch_create(&m, path, 0, IMP_FLOAT64, 1, &w));
    for (int f = 0; f < 2; f++)
        CU_ASSERT(!batch_append(w, &(imp_frame){&mesh, point, IMP_FLOAT64, 0}, f));
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    CU_ASSERT_FATAL(!batch_read(b, 1, 1, 1, &block));
    CU_ASSERT(!memcmp(block.frame[0].mesh->triangle, triangle, sizeof triangle));
    CU_ASSERT(!memcmp(block.frame[0].mesh->object, object, sizeof object));
    CU_ASSERT(!memcmp(block.frame[0].point, point, sizeof point));
    CU_ASSERT_EQUAL(batch_objects(&block, 0), CELLS / 1000);
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT(!unlink(path));
}

/* A name that is taken, and a batch that is given up. */
static void test_names(void)
{
    char path[300], part[320];
    mem m = {0};
    batch_writer *w = NULL;
    snprintf(path, sizeof path, "%s/name.vtkhdf", test_folder());
    snprintf(part, sizeof part, "%s.part", path);
    CU_ASSERT(!batch_create(&m, path, 0, IMP_FLOAT32, 0, &w));
    CU_ASSERT(access(part, F_OK) == 0 && access(path, F_OK) != 0);
    batch_discard(w);
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) != 0);
    CU_ASSERT(!batch_create(&m, path, 0, IMP_FLOAT32, 0, &w));
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) == 0);
    CU_ASSERT_EQUAL(batch_create(&m, path, 0, IMP_FLOAT32, 0, &w), IMP_ERR_EXISTS);
    CU_ASSERT(w == NULL && strstr(imp_error_text(), path) != NULL);
    CU_ASSERT(!batch_create(&m, path, 1, IMP_FLOAT32, 0, &w));
    batch_discard(w);
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) == 0);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    CU_ASSERT(!unlink(path));
}

/* ---- memory */

/* Peak of the reader's own memory for a batch of so many frames. */
static uint64_t reading_peak(size_t frames)
{
    make m = {0};
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0};
    make_moving(&m, frames, 2000, 1);
    CU_ASSERT_FATAL(!batch_open(&memory, make_write(&m, "peak.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    for (size_t f = 0; f + 4 <= frames; f += 4)
        CU_ASSERT(!batch_read(b, f, 1, 4, &block));
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    make_free(&m);
    return atomic_load(&memory.peak);
}

/* A frame adds its row of the steps, not its points (144 kB here). */
static void test_reading_streams(void)
{
    uint64_t few = reading_peak(8), many = reading_peak(104);
    EXPECT(many < few + 96 * 256, "peak %llu with 8 frames, %llu with 104", (unsigned long long)few,
           (unsigned long long)many);
    EXPECT(few < 2000000, "peak %llu", (unsigned long long)few);
}

static long peak_rss(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss / 1024;
}

static void write_long(mem *m, const char *path, const imp_mesh *mesh, double *point, int frames)
{
    batch_writer *w = NULL;
    CU_ASSERT_FATAL(!batch_create(m, path, 0, IMP_FLOAT64, 0, &w));
    for (int f = 0; f < frames; f++) {
        point[0] = f;
        CU_ASSERT(!batch_append(w, &(imp_frame){mesh, point, IMP_FLOAT64, 0}, f));
    }
    CU_ASSERT(!batch_finish(w));
}

/* A file of 150 MB passes through a process that does not grow by a tenth of it. */
static void test_long_file(void)
{
    if (TEST_SANITIZED)
        SKIP("sanitizers keep freed memory");
    enum { VERTS = 20000, FRAMES = 320 };
    static double point[3 * VERTS];
    static const uint32_t triangle[] = {0, 1, 2};
    const imp_mesh mesh = {VERTS, 1, triangle, NULL};
    char path[300];
    mem m = {0};
    batch *b = NULL;
    batch_block block = {0};
    snprintf(path, sizeof path, "%s/long.vtkhdf", test_folder());
    long before = peak_rss();
    write_long(&m, path, &mesh, point, FRAMES);
    EXPECT(peak_rss() - before < 15, "writing took %ld MB", peak_rss() - before);
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    for (uint64_t f = 0; f < FRAMES; f += 2) {
        CU_ASSERT(!batch_read(b, f, 1, 2, &block));
        CU_ASSERT_EQUAL(((const double *)block.frame[1].point)[0], (double)f + 1);
    }
    EXPECT(peak_rss() - before < 15, "reading took %ld MB", peak_rss() - before);
    EXPECT(atomic_load(&m.peak) < 8000000, "%llu bytes", (unsigned long long)m.peak);
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT(!unlink(path));
}

/* ---- the given data */

static const struct given {
    const char *name;
    uint64_t frames, vertices, triangles, objects;
    int type;
} given[] = {
    {"cloth-funnel", 2, 9450, 18484, 4, IMP_FLOAT64},
    {"rod-twist", 2, 39940, 79864, 4, IMP_FLOAT64},
    {"can-crush-surface", 4, 6724, 7360, 1, IMP_FLOAT32},
    {"torus-sphere-surface", 48, 6381, 9204, 2, IMP_FLOAT32},
    {"warping_spheres", 100, 1684, 3360, 1, IMP_FLOAT32}, /* of two parts a step, by VTK */
};

static void check_given(const struct given *g)
{
    char path[600];
    mem m = {0};
    batch *b = NULL;
    batch_block block = {0};
    batch_info info;
    snprintf(path, sizeof path, "%s/%s.vtkhdf", test_data(), g->name);
    int err = batch_open(&m, path, BATCH_OBJECT_ID, "", &b);
    EXPECT(!err, "%s", imp_error_text());
    if (err)
        return;
    batch_get_info(b, &info);
    EXPECT(info.frames == g->frames && info.vertices == g->vertices &&
               info.triangles == g->triangles && info.type == g->type && info.static_topology,
           "%s: %llu frames, %llu vertices, %llu triangles, type %d", g->name,
           (unsigned long long)info.frames, (unsigned long long)info.vertices,
           (unsigned long long)info.triangles, info.type);
    CU_ASSERT(!batch_read(b, 0, 1, g->frames, &block));
    for (size_t f = 0; f < block.count; f++) {
        CU_ASSERT_EQUAL(block.frame[f].mesh->triangles, g->triangles);
        CU_ASSERT_EQUAL(batch_objects(&block, f), g->objects);
    }
    batch_block_free(&block);
    batch_close(b);
}

static void test_given(void)
{
    if (!test_data())
        SKIP("shared/data is not here");
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        check_given(&given[i]);
}

static void test_given_tetrahedra(void)
{
    static const char *const names[] = {"can-crush-tets", "torus-sphere-tets"};
    char path[600];
    if (!test_data())
        SKIP("shared/data is not here");
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.vtkhdf", test_data(), names[i]);
        CU_ASSERT_EQUAL(read_code(path, 0), IMP_ERR_INPUT);
        EXPECT(strstr(imp_error_text(), "Types") && strstr(imp_error_text(), "10"), "%s",
               imp_error_text());
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"layouts", test_layouts},
                                 {"random_layouts", test_random_layouts},
                                 {"versions", test_versions},
                                 {"type_texts", test_type_texts},
                                 {"objects_static", test_objects_static},
                                 {"objects_per_step", test_objects_per_step},
                                 {"objects_array", test_objects_array},
                                 {"objects_connected", test_objects_connected},
                                 {"object_count", test_object_count},
                                 {"primitive_names", test_primitive_names},
                                 {"sharing", test_sharing},
                                 {"round_trip", test_round_trip},
                                 {"large", test_large},
                                 {"names", test_names},
                                 {"reading_streams", test_reading_streams},
                                 {"long_file", test_long_file},
                                 {"given", test_given},
                                 {"given_tetrahedra", test_given_tetrahedra},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "store", tests);
}
