/* Batches through the writer: they read back unchanged, and nothing else is left. */
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "store.h"
#include "testlib.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The case, for messages. */
static char about[200];

#define MESHES 6
#define WRITTEN 14

typedef struct written {
    imp_mesh mesh[MESHES];
    uint32_t corner[MESHES][80];
    uint8_t corner_count[MESHES][20];
    int32_t object[MESHES][20];
    int64_t id[MESHES][20];
    double point[WRITTEN][90];
    float narrow[WRITTEN][90];
    int mesh_of[WRITTEN]; /* for each frame */
} written;

/* The options of a batch. */
typedef struct way {
    int solids; /* with tetrahedra */
    int from;   /* type of the frames' points */
    batch_def def;
} way;

/* Meshes of several sizes, one empty; with `solids` some of tetrahedra, of triangles and of both.
 */
static void fill_mesh(written *w, int i, int solids, rng *r)
{
    static const uint32_t verts[MESHES] = {12, 5, 0, 30, 9, 4},
                          cells[MESHES] = {7, 20, 0, 1, 16, 2};
    static const int kind[MESHES] = {4, 7, 4, 3, 7, 4}; /* 7: both */
    imp_mesh *m = &w->mesh[i];
    *m = (imp_mesh){verts[i], cells[i], w->corner[i], i == 1 ? NULL : w->object[i]};
    m->corners = !solids ? i % 2 * 3 : kind[i] == 7 ? 4 : kind[i]; /* 0 means 3, too */
    m->corner_count = solids && kind[i] == 7 ? w->corner_count[i] : NULL;
    for (uint32_t k = 0; k < 80 && cells[i]; k++)
        w->corner[i][k] = rng_below(r, verts[i]);
    for (uint32_t k = 0; k < cells[i]; k++) {
        w->corner_count[i][k] = rng_below(r, 2) ? 4 : 3;
        if (m->corner_count && m->corner_count[k] == 3) /* the form that the reader returns */
            w->corner[i][4 * k + 3] = w->corner[i][4 * k + 2];
        w->object[i][k] = (int32_t)rng_next(r);
        w->id[i][k] = (int64_t)rng_next(r);
    }
}

/* Frames that keep, change and reuse their mesh. */
static void written_fill(written *w, int solids, rng *r)
{
    static const int order[WRITTEN] = {0, 0, 1, 2, 2, 1, 1, 3, 0, 2, 3, 3, 4, 5};
    for (int i = 0; i < MESHES; i++)
        fill_mesh(w, i, solids, r);
    for (int f = 0; f < WRITTEN; f++) {
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

static int batch_writer_test_same_cells(const imp_mesh *got, const imp_mesh *want)
{
    const int corners = want->corners ? want->corners : 3;
    if (got->primitives && got->corners != corners)
        return 0;
    if (want->corner_count &&
        (!got->corner_count || memcmp(got->corner_count, want->corner_count, want->primitives)))
        return 0;
    size_t bytes = (size_t)corners * want->primitives * sizeof *want->corner;
    return !bytes || !memcmp(got->corner, want->corner, bytes);
}

static void check_batch_writer_written(const written *w, const way *how, const imp_frame *got,
                                       size_t f)
{
    const imp_mesh *want = &w->mesh[w->mesh_of[f]], *mesh = got->mesh;
    int wrong = mesh->vertices != want->vertices || mesh->primitives != want->primitives;
    EXPECT(!wrong, "%s: frame %zu: %u vertices, %u primitives", about, f, mesh->vertices,
           mesh->primitives);
    if (wrong)
        return;
    EXPECT(batch_writer_test_same_cells(mesh, want), "%s: frame %zu has other cells", about, f);
    for (size_t i = 0; how->def.objects && i < want->primitives; i++)
        wrong |= !mesh->object || mesh->object[i] != (want->object ? want->object[i] : 0);
    for (size_t i = 0; i < (size_t)3 * want->vertices; i++) {
        double x = got->type == IMP_FLOAT32 ? (double)((const float *)got->point)[i]
                                            : ((const double *)got->point)[i];
        int rounded = how->from == IMP_FLOAT32 || got->type == IMP_FLOAT32;
        wrong |= x != (rounded ? (double)w->narrow[f][i] : w->point[f][i]);
    }
    EXPECT(!wrong, "%s: frame %zu differs", about, f);
}

static int batch_writer_test_write_all(mem *m, const written *w, const char *path, const way *how)
{
    batch_writer *out = NULL;
    int err = batch_create(m, path, &how->def, &out);
    for (size_t f = 0; f < WRITTEN && !err; f++) {
        imp_frame frame = written_frame(w, f, how->from);
        const int64_t *id = how->def.ids ? w->id[w->mesh_of[f]] : NULL;
        err = batch_append(out, &frame, id, 0.125 * (double)f);
    }
    CU_ASSERT(access(path, F_OK) != 0); /* not before it is complete */
    if (!err)
        return batch_finish(out);
    batch_discard(out);
    return err;
}

/* The ids of each frame, found as by any reader. */
static void check_batch_writer_names(const written *w, const char *path)
{
    size_t names, frames;
    int64_t *id = h5_ints(path, "VTKHDF/CellData/PrimitiveId", &names);
    int64_t *first = h5_ints(path, "VTKHDF/Steps/CellDataOffsets/PrimitiveId", &frames);
    CU_ASSERT_EQUAL_FATAL(frames, WRITTEN);
    for (size_t f = 0; f < WRITTEN; f++) {
        const imp_mesh *m = &w->mesh[w->mesh_of[f]];
        size_t at = (size_t)first[f];
        EXPECT(at + m->primitives <= names, "%s: frame %zu: names end at %zu", about, f, names);
        if (at + m->primitives <= names && m->primitives)
            EXPECT(!memcmp(id + at, w->id[w->mesh_of[f]], 8 * (size_t)m->primitives),
                   "%s: frame %zu: other names", about, f);
    }
    free(id);
    free(first);
}

static void check_round_trip(const written *w, const way *how)
{
    char path[300];
    mem m = {0};
    batch *b = NULL;
    batch_block block = {0};
    batch_info info;
    snprintf(path, sizeof path, "%s/trip.vtkhdf", test_folder());
    snprintf(about, sizeof about, "round trip from type %d to %d, objects %d, names %d, grid %d",
             how->from, how->def.type, how->def.objects, how->def.ids, how->def.unstructured);
    EXPECT(!batch_writer_test_write_all(&m, w, path, how), "%s: %s", about, imp_error_text());
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    batch_get_info(b, &info);
    CU_ASSERT(info.frames == WRITTEN && info.has_object == how->def.objects);
    CU_ASSERT(info.type == how->def.type && info.unstructured == how->def.unstructured);
    CU_ASSERT_EQUAL(info.name_bytes > 0, how->def.ids);
    CU_ASSERT(!batch_read(b, 0, 1, WRITTEN, &block));
    for (size_t f = 0; f < block.count; f++) {
        check_batch_writer_written(w, how, &block.frame[f], f);
        CU_ASSERT_EQUAL(batch_frame_time(b, f), 0.125 * (double)f);
        CU_ASSERT_EQUAL(block.frame[f].time, 0.125 * (double)f);
    }
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    if (how->def.ids)
        check_batch_writer_names(w, path);
    CU_ASSERT(!unlink(path));
}

static void test_batch_writer_round_trip(void)
{
    static written w;
    rng r = {11};
    for (int k = 0; k < 64; k++) {
        way how = {.solids = k & 1,
                   .from = k >> 1 & 1,
                   .def = {.type = k >> 2 & 1,
                           .objects = k >> 3 & 1,
                           .ids = k >> 4 & 1,
                           .unstructured = (k & 1) || k >> 5}};
        written_fill(&w, how.solids, &r);
        check_round_trip(&w, &how);
    }
}

/* Primitives without a cell type in the file, and primitives without ids; no output is left. */
static void test_batch_writer_refused(void)
{
    static const uint32_t corner[] = {0, 1, 2, 3};
    static const uint8_t corner_count[] = {3};
    static const double point[12];
    static const struct {
        imp_mesh mesh;
        batch_def def;
        const char *word;
    } cases[] = {
        {{4, 1, corner, NULL, 4}, {0}, "primitives of 4 corners; PolyData"},
        {{4, 1, corner, NULL, 4, corner_count}, {0}, "primitives of 4 corners; PolyData"},
        {{4, 2, corner, NULL, 2}, {.unstructured = 1}, "only triangles and tetrahedra"},
        {{4, 4, corner, NULL, 1}, {0}, "primitives of 1 corners"},
        {{4, 1, corner, NULL, 4}, {.unstructured = 1, .ids = 1}, "no names"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[300];
        mem m = {0};
        batch_writer *w = NULL;
        snprintf(path, sizeof path, "%s/refused.vtkhdf", test_folder());
        CU_ASSERT_FATAL(!batch_create(&m, path, &cases[i].def, &w));
        imp_frame f = {&cases[i].mesh, point, IMP_FLOAT64, 0};
        CU_ASSERT_EQUAL(batch_append(w, &f, NULL, 0), IMP_ERR_ARGUMENT);
        EXPECT(strstr(imp_error_text(), cases[i].word), "%s", imp_error_text());
        batch_discard(w);
        CU_ASSERT(access(path, F_OK) != 0 && atomic_load(&m.now) == 0);
    }
}

/* For every memory limit: an error or the file, and nothing is left after an error. */
static void test_batch_writer_memory(void)
{
    static written w;
    rng r = {13};
    char path[300];
    const way how = {.solids = 1, .def = {.objects = 1, .ids = 1, .unstructured = 1}};
    int failed = 0, wrote = 0;
    snprintf(path, sizeof path, "%s/limit.vtkhdf", test_folder());
    written_fill(&w, 1, &r);
    for (uint64_t limit = 1000; limit < 100000; limit += limit / 30) {
        mem m = {.limit = limit};
        int err = batch_writer_test_write_all(&m, &w, path, &how);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        CU_ASSERT((access(path, F_OK) == 0) == !err && atomic_load(&m.now) == 0);
        failed += err != 0;
        wrote += err == 0;
        unlink(path);
    }
    EXPECT(failed > 20 && wrote > 5, "%d failed, %d did not", failed, wrote);
}

/* Large arrays are written in pieces. */
static void check_batch_writer_large(int corners)
{
    enum { VERTS = 70000, CELLS = 150000 };
    static uint32_t corner[4 * CELLS];
    static uint8_t corner_count[CELLS];
    static int32_t object[CELLS];
    static int64_t id[CELLS];
    static double point[3 * VERTS];
    rng r = {12};
    char path[300];
    mem m = {0};
    batch_writer *w = NULL;
    batch *b = NULL;
    batch_block block = {0};
    imp_mesh mesh = {VERTS, CELLS, corner, object, corners, corners == 4 ? corner_count : NULL};
    for (size_t i = 0; i < 4 * CELLS; i++)
        corner[i] = rng_below(&r, VERTS);
    for (size_t i = 0; i < CELLS; i++) {
        object[i] = (int32_t)(i / 1000);
        id[i] = (int64_t)(i * 0x9e3779b97f4a7c15u); /* odd factor: all differ */
        corner_count[i] = rng_below(&r, 3) ? 4 : 3;
        if (corners == 4 && corner_count[i] == 3)
            corner[4 * i + 3] = corner[4 * i + 2];
    }
    for (size_t i = 0; i < 3 * VERTS; i++)
        point[i] = rng_unit(&r);
    snprintf(path, sizeof path, "%s/large.vtkhdf", test_folder());
    const batch_def def = {.objects = 1, .ids = 1, .unstructured = corners == 4};
    CU_ASSERT_FATAL(!batch_create(&m, path, &def, &w));
    for (int f = 0; f < 2; f++)
        CU_ASSERT(!batch_append(w, &(imp_frame){&mesh, point, IMP_FLOAT64, 0}, id, f));
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT_FATAL(!batch_open(&m, path, BATCH_OBJECT_ID, "", &b));
    CU_ASSERT_FATAL(!batch_read(b, 1, 1, 1, &block));
    CU_ASSERT(batch_writer_test_same_cells(block.frame[0].mesh, &mesh));
    CU_ASSERT(!memcmp(block.frame[0].mesh->object, object, sizeof object));
    CU_ASSERT(!memcmp(block.frame[0].point, point, sizeof point));
    CU_ASSERT_EQUAL(batch_block_objects(&block, 0), CELLS / 1000);
    batch_block_free(&block);
    batch_close(b);
    CU_ASSERT(!unlink(path));
}

static void test_batch_writer_large(void)
{
    check_batch_writer_large(3);
    check_batch_writer_large(4);
}

/* An existing name, and a discarded batch. */
static void test_batch_writer_names(void)
{
    char path[300], part[320];
    mem m = {0};
    batch_writer *w = NULL;
    const batch_def def = {.type = IMP_FLOAT32}, again = {.force = 1, .type = IMP_FLOAT32};
    snprintf(path, sizeof path, "%s/name.vtkhdf", test_folder());
    snprintf(part, sizeof part, "%s.part", path);
    CU_ASSERT(!batch_create(&m, path, &def, &w));
    CU_ASSERT(access(part, F_OK) == 0 && access(path, F_OK) != 0);
    batch_discard(w);
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) != 0);
    CU_ASSERT(!batch_create(&m, path, &def, &w));
    CU_ASSERT(!batch_finish(w));
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) == 0);
    CU_ASSERT_EQUAL(batch_create(&m, path, &def, &w), IMP_ERR_EXISTS);
    CU_ASSERT(w == NULL && strstr(imp_error_text(), path) != NULL);
    CU_ASSERT(!batch_create(&m, path, &again, &w));
    batch_discard(w);
    CU_ASSERT(access(part, F_OK) != 0 && access(path, F_OK) == 0);
    CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
    CU_ASSERT(!unlink(path));
}

/* ---- memory */

static long peak_rss(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss / 1024;
}

static void write_long(mem *m, const char *path, const imp_mesh *mesh, double *point, int frames)
{
    batch_writer *w = NULL;
    CU_ASSERT_FATAL(!batch_create(m, path, &(batch_def){0}, &w));
    for (int f = 0; f < frames; f++) {
        point[0] = f;
        CU_ASSERT(!batch_append(w, &(imp_frame){mesh, point, IMP_FLOAT64, 0}, NULL, f));
    }
    CU_ASSERT(!batch_finish(w));
}

/* A file of 150 MB is written by a process that grows by less than a tenth of that. */
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

int main(int argc, char **argv)
{
    static const test tests[] = {{"round_trip", test_batch_writer_round_trip},
                                 {"refused", test_batch_writer_refused},
                                 {"memory", test_batch_writer_memory},
                                 {"large", test_batch_writer_large},
                                 {"names", test_batch_writer_names},
                                 {"long_file", test_long_file},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "writer", tests);
}
