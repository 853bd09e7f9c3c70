/* Rigid bodies through the writer of batches, as plain HDF5 finds them; and refused ones. */
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "program.h"
#include "store.h"
#include "testlib.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "impinge/bodies/"

enum { BODIES = 3, VERTS = 12, FRAMES = 2500, OTHER = FRAMES / 2 };

/* Triangles and tetrahedra: body -4 has vertices 8 1 3 5, body 2 has 9 10 0, body 7 none; object 3
 * is not rigid. With corner_count 3 the last corner, of another body, is ignored. */
static const uint32_t corner[] = {8, 1, 3, 9, 9, 10, 0, 1, 2, 4, 6, 7, 3, 8, 1, 5};
static const uint8_t corner_count[] = {3, 3, 4, 4};
static const int32_t object[] = {-4, 2, 3, -4}, body[BODIES] = {-4, 2, 7};
static const int64_t want_rows[] = {1, 3, 5, 8, 0, 9, 10};

/* the same shapes with other vertices, and the third body, 7, has vertices 2 4 6 */
static const uint32_t corner_other[] = {1, 2, 4, 5, 0, 9, 10, 10, 6, 7, 8, 8, 4, 1, 2, 5};
static const int32_t object_other[] = {-4, 2, 7, -4};
static const uint8_t corner_count_other[] = {3, 3, 3, 4};

typedef struct bodies {
    imp_mesh mesh[2];
    double rest[2][3 * VERTS], point[3 * VERTS];
    imp_pose pose[FRAMES][BODIES];
} bodies;

static bodies *bodies_write_test_make_bodies(void)
{
    static bodies all;
    rng r = {7};
    bodies *b = &all;
    b->mesh[0] =
        (imp_mesh){VERTS, 4, corner, object, 4, corner_count, NULL, BODIES, body, b->rest[0]};
    b->mesh[1] = (imp_mesh){VERTS, 4,      corner_other, object_other, 4, corner_count_other,
                            NULL,  BODIES, body,         b->rest[1]};
    for (int i = 0; i < 3 * VERTS; i++)
        b->rest[0][i] = b->rest[1][i] = rng_unit(&r);
    static const size_t from[] = {1, 3, 5, 8}, to[] = {1, 2, 4, 5};
    for (int i = 0; i < 4; i++)
        memcpy(b->rest[1] + 3 * to[i], b->rest[0] + 3 * from[i], 3 * sizeof(double));
    for (int f = 0; f < FRAMES; f++)
        for (int k = 0; k < BODIES; k++) {
            imp_pose *p = &b->pose[f][k];
            *p = (imp_pose){.rotation = {0.6, 0, -0.8, 0}};
            for (int i = 0; i < 3; i++) {
                p->centre[i] = rng_unit(&r);
                p->velocity[i] = rng_unit(&r);
                p->spin[i] = rng_unit(&r);
            }
        }
    return b;
}

static imp_frame bodies_write_test_frame(const bodies *b, int f)
{
    return (imp_frame){&b->mesh[f >= OTHER], b->point, IMP_FLOAT64, (uint64_t)f, b->pose[f]};
}

static int bodies_write_test_write_bodies(mem *m, const bodies *b, const char *path, int type,
                                          int named)
{
    batch_writer *w = NULL;
    const batch_def def = {.force = 1, .unstructured = 1, .type = type, .objects = 1, .bodies = 1};
    int err = batch_create(m, path, &def, &w);
    for (int f = 0; f < FRAMES && !err; f++) {
        const imp_frame frame = bodies_write_test_frame(b, f);
        err = batch_append(w, &frame, NULL, f);
    }
    if (!err && named)
        err = batch_name_object(w, 2, "two");
    if (!err)
        return batch_finish(w);
    batch_discard(w);
    return err;
}

static void check_poses(const char *path, const bodies *b, const char *name, size_t columns,
                        size_t from)
{
    size_t n, wrong = 0;
    double *got = h5_reals(path, name, &n);
    CU_ASSERT_EQUAL_FATAL(n, columns * FRAMES * BODIES);
    for (size_t i = 0; i < (size_t)FRAMES * BODIES; i++)
        wrong += memcmp(got + columns * i, (const char *)&b->pose[i / BODIES][i % BODIES] + from,
                        columns * sizeof *got) != 0;
    EXPECT(!wrong, "%s: %zu rows differ", name, wrong);
    free(got);
}

static void check_bodies_write_file(const char *path, const bodies *b)
{
    static const int64_t ends[BODIES + 1] = {0, 4, 7, 10}, third[] = {6, 7, 8};
    size_t n;
    int64_t *ids = h5_ints(path, GROUP "object_id", &n);
    CU_ASSERT_EQUAL_FATAL(n, BODIES);
    for (size_t i = 0; i < n; i++)
        CU_ASSERT_EQUAL(ids[i], body[i]);
    free(ids);
    int64_t *end = h5_ints(path, GROUP "point_offsets", &n);
    CU_ASSERT(n == BODIES + 1 && !memcmp(end, ends, sizeof ends));
    free(end);
    double *point = h5_reals(path, GROUP "points", &n);
    CU_ASSERT_EQUAL_FATAL(n, 30);
    for (int i = 0; i < 7; i++)
        CU_ASSERT(!memcmp(point + 3 * i, b->rest[0] + 3 * want_rows[i], 3 * sizeof *point));
    for (int i = 0; i < 3; i++)
        CU_ASSERT(!memcmp(point + 21 + 3 * i, b->rest[1] + 3 * third[i], 3 * sizeof *point));
    free(point);
    check_poses(path, b, GROUP "centre", 3, offsetof(imp_pose, centre));
    check_poses(path, b, GROUP "rotation", 4, offsetof(imp_pose, rotation));
    check_poses(path, b, GROUP "velocity", 3, offsetof(imp_pose, velocity));
    check_poses(path, b, GROUP "angular_velocity", 3, offsetof(imp_pose, spin));
}

/* With and without names; with points of either type. */
static void test_bodies_write_file(void)
{
    const char *path = at("bodies.vtkhdf");
    const bodies *b = bodies_write_test_make_bodies();
    for (int k = 0; k < 4; k++) {
        mem m = {0};
        CU_ASSERT_FATAL(!bodies_write_test_write_bodies(&m, b, path,
                                                        k & 1 ? IMP_FLOAT32 : IMP_FLOAT64, k >> 1));
        CU_ASSERT_EQUAL(atomic_load(&m.now), 0);
        check_bodies_write_file(path, b);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        CU_ASSERT_EQUAL(H5Lexists(file, "impinge/object_names", H5P_DEFAULT) > 0, k >> 1);
        H5Fclose(file);
    }
}

/* No frames, no bodies. */
static void test_bodies_write_none(void)
{
    const char *path = at("no_bodies.vtkhdf");
    mem m = {0};
    batch_writer *w = NULL;
    CU_ASSERT_FATAL(!batch_create(&m, path, &(batch_def){.force = 1, .bodies = 1}, &w));
    CU_ASSERT(!batch_finish(w));
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CU_ASSERT(file >= 0 && H5Lexists(file, "impinge", H5P_DEFAULT) == 0);
    H5Fclose(file);
}

/* An invalid frame after a valid one, or as the first one if `first`. */
static void check_bodies_write_refused(const bodies *b, const imp_frame *bad, int first,
                                       const char *word)
{
    const char *path = at("refused.vtkhdf");
    mem m = {0};
    batch_writer *w = NULL;
    const imp_frame good = bodies_write_test_frame(b, 0);
    const batch_def def = {.force = 1, .unstructured = 1, .objects = 1, .bodies = 1};
    CU_ASSERT_FATAL(!batch_create(&m, path, &def, &w));
    CU_ASSERT(first || !batch_append(w, &good, NULL, 0));
    CU_ASSERT_EQUAL(batch_append(w, bad, NULL, 1), IMP_ERR_ARGUMENT);
    EXPECT(strstr(imp_error_text(), word), "'%s' lacks '%s'", imp_error_text(), word);
    batch_discard(w);
    CU_ASSERT(access(path, F_OK) != 0 && atomic_load(&m.now) == 0);
}

static void test_bodies_write_refused(void)
{
    static const int32_t others[] = {-4, 2, 8}, twice[] = {-4, -4, 7};
    const bodies *b = bodies_write_test_make_bodies();
    imp_mesh mesh = b->mesh[0];
    imp_pose pose[BODIES];
    imp_frame bad = bodies_write_test_frame(b, 1);
    bad.pose = NULL;
    check_bodies_write_refused(b, &bad, 0, "frame 1 has no poses");
    check_bodies_write_refused(b, &bad, 1, "frame 1 has no poses");
    bad.pose = pose;
    memcpy(pose, b->pose[1], sizeof pose);
    pose[2].rotation[0] = 0.61;
    check_bodies_write_refused(b, &bad, 0, "body 7: its rotation is not a quaternion of length 1");
    bad = bodies_write_test_frame(b, 1);
    bad.mesh = &mesh;
    mesh.bodies = 2;
    check_bodies_write_refused(b, &bad, 0, "2 rigid bodies, those before 3");
    mesh.bodies = 0;
    check_bodies_write_refused(b, &bad, 0, "no poses");
    mesh.bodies = BODIES;
    mesh.body = others;
    check_bodies_write_refused(b, &bad, 0, "rigid body 8 is not of those before");
    mesh.body = twice;
    check_bodies_write_refused(b, &bad, 1, "body -4 is out of order");
    mesh.body = body;
    mesh.rest = b->rest[1];
    check_bodies_write_refused(b, &bad, 0, "rigid body -4 has another shape");
    mesh.rest = b->rest[0];
    mesh.corner_count = NULL;
    check_bodies_write_refused(b, &bad, 1, "vertex 9 belongs to two bodies");
    mesh.corner_count = corner_count;
    mesh.primitives = 3;
    check_bodies_write_refused(b, &bad, 0, "rigid body -4 has 3 vertices, and had 4 before");
}

/* For every memory limit: an error or the file, and nothing is left. */
static void test_bodies_write_memory(void)
{
    const char *path = at("limit.vtkhdf");
    const bodies *b = bodies_write_test_make_bodies();
    int failed = 0, wrote = 0;
    for (uint64_t limit = 1000; limit < 20000000; limit += limit / 4) {
        mem m = {.limit = limit};
        int err = bodies_write_test_write_bodies(&m, b, path, IMP_FLOAT64, 0);
        CU_ASSERT(!err || err == IMP_ERR_MEMORY);
        CU_ASSERT((access(path, F_OK) == 0) == !err && atomic_load(&m.now) == 0);
        failed += err != 0;
        wrote += err == 0;
        unlink(path);
    }
    EXPECT(failed > 5 && wrote > 5, "%d failed, %d did not", failed, wrote);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"file", test_bodies_write_file},
                                 {"none", test_bodies_write_none},
                                 {"refused", test_bodies_write_refused},
                                 {"memory", test_bodies_write_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "writer_bodies", tests);
}
