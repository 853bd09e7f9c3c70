/* Batches through the reader: every layout that VTKHDF allows is read as it was built, frame by
 * frame and in blocks. Objects are in test_objects.c, the writer in test_writer.c. */
#include "check_batch.h"
#include "error.h"
#include "expect.h"
#include "layouts.h"

#include <stdio.h>
#include <string.h>

/* ---- layouts and types */

static const char *const storage_names[] = {"chunked", "contiguous", "deflate", "fletcher32"};

/* All layouts, types, filters, and both types of file. */
static void check_batch_files_layout(const layout *l, int variant)
{
    make m = {.unstructured = l->solids || (variant & 1),
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

static void test_batch_files_layouts(void)
{
    for (const layout *l = layouts; l->name; l++)
        for (int variant = 0; variant < 32 * MAKE_STORAGES; variant += 1 + variant / 32)
            if (!l->solids || (variant & 1)) /* PolyData has no tetrahedra */
                check_batch_files_layout(l, variant);
}

/* Parts of any size, including empty ones, in steps of any number of parts. */
static void test_random_layouts(void)
{
    rng r = {77};
    for (uint64_t k = 0; k < test_count(150); k++) {
        make m = {.skip_empty = (int)rng_below(&r, 2), .unstructured = rng_below(&r, 2) == 0};
        int64_t kind = rng_below(&r, 2) ? 0 : 5 + 5 * rng_below(&r, 2);
        uint32_t frames = 1 + rng_below(&r, 6);
        for (uint32_t f = 0; f < frames; f++) {
            int64_t parts = rng_below(&r, 4), verts = 0;
            for (int64_t p = 0; p < parts; p++) {
                int64_t n = rng_below(&r, 3) ? 1 + rng_below(&r, 5) : 0;
                if (m.unstructured)
                    layout_cells(&m, 1 + rng_below(&r, 5), n, kind, &r);
                else
                    layout_part(&m, 1 + rng_below(&r, 5), n, &r);
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
        layout_parts(&m, &r);
        snprintf(about, sizeof about, "version %lld.%lld", (long long)versions[i][1],
                 (long long)versions[i][2]);
        check_file(&m, make_write(&m, "version.vtkhdf"), BATCH_OBJECT_ID, NULL, 1);
        make_free(&m);
    }
}

/* A text attribute may also have variable length, or another padding or termination. */
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

/* ---- meshes are shared */

static const imp_mesh *mesh_of(batch *b, uint64_t frame, batch_block *block)
{
    CU_ASSERT(!batch_read(b, frame, 1, 1, block));
    return block->count ? block->frame[0].mesh : NULL;
}

/* One mesh as long as the topology stays, within a block and from read to read. */
static void test_sharing(void)
{
    rng r = {10};
    make m = {0};
    mem memory = {0};
    batch *b = NULL;
    batch_block block = {0}, other = {0};
    layout_repeated_counts(&m, &r);
    CU_ASSERT(!batch_open(&memory, make_write(&m, "share.vtkhdf"), BATCH_OBJECT_ID, "", &b));
    CU_ASSERT(!batch_read(b, 0, 1, 3, &block));
    CU_ASSERT(block.frame[0].mesh == block.frame[1].mesh);
    CU_ASSERT(block.frame[0].mesh == block.frame[2].mesh);
    CU_ASSERT(mesh_of(b, 2, &other) == block.frame[0].mesh);
    batch_close(b); /* blocks outlive their batch */
    CU_ASSERT_EQUAL(block.frame[2].mesh->corner[5], 3);
    batch_block_free(&block);
    CU_ASSERT_EQUAL(other.frame[0].mesh->corner[5], 3);
    batch_block_free(&other);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    make_free(&m);
}

/* ---- memory */

/* Peak of the reader's own memory for a batch of `frames` frames. */
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

/* ---- the given data sets */

static const struct given {
    const char *name;
    uint64_t frames, vertices, primitives, objects;
    int type, corners;
} given[] = {
    {"cloth-funnel", 2, 9450, 18484, 4, IMP_FLOAT64, 3},
    {"rod-twist", 2, 39940, 79864, 4, IMP_FLOAT64, 3},
    {"can-crush-surface", 4, 6724, 7360, 1, IMP_FLOAT32, 3},
    {"torus-sphere-surface", 48, 6381, 9204, 2, IMP_FLOAT32, 3},
    {"warping_spheres", 100, 1684, 3360, 1, IMP_FLOAT32, 3}, /* two parts in each step, by VTK */
    {"can-crush-tets", 4, 6724, 28800, 1, IMP_FLOAT32, 4},
    {"torus-sphere-tets", 48, 6381, 24365, 2, IMP_FLOAT32, 4},
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
               info.primitives == g->primitives && info.type == g->type && info.static_topology &&
               info.corners == g->corners,
           "%s: %llu frames, %llu vertices, %llu primitives of %d corners, type %d", g->name,
           (unsigned long long)info.frames, (unsigned long long)info.vertices,
           (unsigned long long)info.primitives, info.corners, info.type);
    CU_ASSERT(!batch_read(b, 0, 1, g->frames, &block));
    for (size_t f = 0; f < block.count; f++) {
        CU_ASSERT_EQUAL(block.frame[f].mesh->primitives, g->primitives);
        CU_ASSERT_EQUAL(block.frame[f].mesh->corners, g->corners);
        CU_ASSERT_EQUAL(batch_block_objects(&block, f), g->objects);
    }
    batch_block_free(&block);
    batch_close(b);
}

static void test_batch_files_given(void)
{
    if (!test_data())
        SKIP("shared/data is not here");
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        check_given(&given[i]);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"layouts", test_batch_files_layouts},
                                 {"random_layouts", test_random_layouts},
                                 {"versions", test_versions},
                                 {"type_texts", test_type_texts},
                                 {"sharing", test_sharing},
                                 {"reading_streams", test_reading_streams},
                                 {"given", test_batch_files_given},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "store", tests);
}
