/* Batches through the writer: what is written is read again, and nothing else is left. */
#include "error.h"
#include "expect.h"
#include "store.h"
#include "testlib.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the test is about, for messages. */
static char about[200];

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
    int wrong = mesh->vertices != want->vertices || mesh->primitives != want->primitives;
    EXPECT(!wrong, "%s: frame %zu: %u vertices, %u triangles", about, f, mesh->vertices,
           mesh->primitives);
    if (wrong)
        return;
    for (size_t i = 0; i < (size_t)3 * want->primitives; i++)
        wrong |= mesh->corner[i] != want->corner[i];
    for (size_t i = 0; objects && i < want->primitives; i++)
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
    CU_ASSERT(!memcmp(block.frame[0].mesh->corner, triangle, sizeof triangle));
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

int main(int argc, char **argv)
{
    static const test tests[] = {{"round_trip", test_round_trip},
                                 {"large", test_large},
                                 {"names", test_names},
                                 {"long_file", test_long_file},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "writer", tests);
}
