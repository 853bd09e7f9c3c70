/* Point errors: rigid bodies far from their origin, whose points are not exactly where poses put
 * them, or are not finite; coordinates of all sizes. Trees with all volumes find the contacts of
 * the sorted grid. */
#include "expect.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define PRIMS 256
#define VERTS ((size_t)3 * PRIMS) /* each triangle has its own */

/* Triangles of bodies and of other objects. */
typedef struct scene {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[VERTS];
    int32_t object[PRIMS], body[2];
    double rest[3 * VERTS], point[3 * VERTS];
    float single[3 * VERTS];
    imp_pose pose[2];
} scene;

static scene s;

/* An empty scene with body 0, which is not rotated. */
static void scene_clear(scene *c, double x, double y, double z)
{
    memset(c, 0, sizeof *c);
    for (uint32_t i = 0; i < VERTS; i++)
        c->corner[i] = i;
    c->body[1] = 1;
    c->mesh = (imp_mesh){
        .corner = c->corner, .object = c->object, .bodies = 1, .body = c->body, .rest = c->rest};
    c->pose[0] = (imp_pose){.centre = {x, y, z}, .rotation = {1, 0, 0, 0}};
    c->frame = (imp_frame){.mesh = &c->mesh, .point = c->point, .pose = c->pose};
}

/* Adds a triangle of an object; `rest`: its corners in the body's coordinates. */
static void point_error_add(scene *c, int32_t object, const double rest[9])
{
    const size_t first = (size_t)3 * c->mesh.vertices;
    c->object[c->mesh.primitives++] = object;
    c->mesh.vertices += 3;
    for (size_t i = 0; i < 9; i++) {
        c->rest[first + i] = rest[i];
        c->point[first + i] = rest[i] + (object ? 0 : c->pose[0].centre[i % 3]);
    }
}

static void point_error_as_single(scene *c)
{
    for (size_t i = 0; i < 3 * VERTS; i++)
        c->single[i] = (float)c->point[i];
    c->frame.point = c->single;
    c->frame.type = IMP_FLOAT32;
}

static imp *pipelines[IMP_VOLUME_HYBRID + 1][2];

/* volume 0: the grid; leaf: triangles in a leaf, 0: the default. */
static imp *point_error_pipeline(int volume, uint32_t leaf)
{
    imp **p = &pipelines[volume][leaf];
    const imp_def def = {.device = "cpu",
                         .threads = 1,
                         .broad = volume ? NULL : "grid",
                         .volume = volume,
                         .leaf = leaf,
                         .on_bad = IMP_BAD_SKIP};
    if (!*p)
        CU_ASSERT_EQUAL_FATAL(imp_create(&def, p), 0);
    return *p;
}

static void pipelines_free(void)
{
    for (int v = 0; v <= IMP_VOLUME_HYBRID; v++)
        for (int leaf = 0; leaf < 2; leaf++)
            imp_destroy(pipelines[v][leaf]);
}

static int point_error_contacts(int volume, uint32_t leaf, const imp_frame *f, contact_list *out)
{
    imp *p = point_error_pipeline(volume, leaf);
    int yes = -1, err = imp_detect(p, f, 1, contact_list_sink, out, NULL);
    if (!err)
        CU_ASSERT(!imp_touches(p, f, &yes) && yes == (out->count > 0));
    return err;
}

#define VOLUMES(v)                                                                                 \
    int v = IMP_VOLUME_DOP;                                                                        \
    v <= IMP_VOLUME_HYBRID;                                                                        \
    v++
/* All volumes find the contacts of the grid, of which there are at least `least`. */
static void point_error_compare(const char *name, const scene *c, size_t least)
{
    contact_list want = {0};
    CU_ASSERT_EQUAL(point_error_contacts(0, 0, &c->frame, &want), 0);
    EXPECT(want.count >= least, "%s: %zu contacts", name, want.count);
    for (VOLUMES(v))
        for (uint32_t leaf = 0; leaf < 2; leaf++) {
            contact_list got = {0};
            CU_ASSERT_EQUAL(point_error_contacts(v, leaf, &c->frame, &got), 0);
            EXPECT(contact_list_equal(&want, &got), "%s: volume %d, leaf %u: %zu contacts, not %zu",
                   name, v, leaf, got.count, want.count);
            contact_list_free(&got);
        }
    contact_list_free(&want);
}

static const double plain[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

/* Translates a triangle. */
static void point_error_shifted(const double from[9], double x, double y, double z, double to[9])
{
    const double by[3] = {x, y, z};
    for (int i = 0; i < 9; i++)
        to[i] = from[i] + by[i % 3];
}

/* Two layers of one body, so close that they coincide at the body's position. */
static void test_within(void)
{
    double one[9];
    scene_clear(&s, 0, 0, 1e7);
    for (int i = 0; i < 34; i++) {
        point_error_shifted(plain, 0, 0, i < 17 ? 0 : 5e-10, one);
        point_error_add(&s, 0, one);
    }
    point_error_compare("one on another", &s, 34 * 33 / 2);
    scene_clear(&s, 0, 0, 1000);
    for (int i = 0; i < 128; i++) {
        point_error_shifted(plain, i / 2 % 8 + 0.3 * (i / 64), i / 16 % 4 + 0.3 * (i % 2),
                            1e-5 * (i / 64), one);
        point_error_add(&s, 0, one);
    }
    point_error_as_single(&s);
    point_error_compare("layers", &s, 100);
}

/* Points that are not finite do not affect the known errors of the body's other points. */
static void test_point_error_nowhere(void)
{
    const double small[9] = {0.2, 0.2, 0, 0.3, 0.2, 0, 0, 0, 0};
    double other[9];
    scene_clear(&s, 0, 0, 1000);
    point_error_add(&s, 0, plain);
    point_error_add(&s, 0, small);
    point_error_shifted(plain, 0.1, 0.1, 1000 + 5e-4, other);
    point_error_add(&s, 1, other);
    for (size_t v = 0; v < 3; v++)
        s.point[3 * v + 2] += 5e-4; /* 9.5e-4 is allowed */
    point_error_as_single(&s);
    point_error_compare("not quite there", &s, 1);
    for (size_t v = 0; v < 6; v++) {
        const float x = s.single[3 * v + v % 3];
        s.single[3 * v + v % 3] = v % 2 ? NAN : INFINITY;
        point_error_compare("nowhere", &s, v < 3 ? 0 : 1);
        s.single[2] += 0.5f; /* far from its position by the pose: an error, if finite */
        contact_list none = {0};
        EXPECT(point_error_contacts(IMP_VOLUME_OBB, 1, &s.frame, &none) ==
                   (v ? IMP_ERR_ARGUMENT : IMP_OK),
               "point %zu nowhere, another far: taken", v);
        s.single[2] -= 0.5f;
        s.single[3 * v + v % 3] = x;
        contact_list_free(&none);
    }
}

/* The scale of a frame is that of finite primitives; a body may be far larger. */
static void test_reach(void)
{
    for (double far = 1; far < 1e300; far *= 1e25) {
        double long_one[9] = {0, 0, 0, far, far, far, 0, 0, far}, other[9];
        scene_clear(&s, 3, 4, 5);
        point_error_add(&s, 0, plain);
        point_error_add(&s, 0, long_one);
        point_error_shifted(plain, 3.1, 4.1, 5, other);
        point_error_add(&s, 1, other);
        s.point[12] = s.point[15] = NAN;
        point_error_compare("a body of which most is nowhere", &s, 1);
    }
}

/* Rotated and moved, then scaled by a power of two: the same results. */
static void test_point_error_sizes(void)
{
    const double rest[9] = {.1, .2, .3, 1.7, .4, .1, .3, 1.1, .2};
    for (int e = -1000; e <= 1000; e += 125) {
        double other[9];
        scene_clear(&s, 3.1, 5.1, 1000.1);
        point_error_add(&s, 0, rest);
        for (size_t i = 0; i < 9; i++)
            other[i] = s.point[i] + 0.1 * (double)(i / 3);
        point_error_add(&s, 1, other);
        for (size_t i = 0; i < 18; i++) {
            s.point[i] = ldexp(s.point[i], e);
            s.rest[i] = ldexp(s.rest[i], e);
        }
        for (int k = 0; k < 3; k++)
            s.pose[0].centre[k] = ldexp(s.pose[0].centre[k], e);
        point_error_compare("sizes", &s, 1);
        s.point[4] += ldexp(1, e - 30);
        contact_list none = {0};
        EXPECT(point_error_contacts(IMP_VOLUME_SPHERE, 1, &s.frame, &none) == IMP_ERR_ARGUMENT,
               "2^%d: taken, though off its pose", e);
        contact_list_free(&none);
    }
}

/* Invalid arguments, and values that have no effect. */
static void test_point_error_arguments(void)
{
    double other[9];
    scene_clear(&s, 0, 0, 0);
    point_error_add(&s, 0, plain);
    point_error_shifted(plain, 5, 0, 0, other);
    point_error_add(&s, 1, other);
    s.mesh.vertices++; /* a vertex that no primitive uses */
    for (VOLUMES(v)) {
        contact_list none = {0};
        s.point[18] = v % 2 ? 1e20 : INFINITY;
        CU_ASSERT(!point_error_contacts(v, 1, &s.frame, &none) && !none.count);
        for (int i = 0; i < 4; i++) {
            imp_mesh m = s.mesh;
            imp_frame f = s.frame;
            const int32_t body[2] = {1, i == 2 ? 1 : 2};
            const uint32_t shared[6] = {0, 1, 2, 2, 4, 5};
            f.mesh = &m;
            m.bodies = 2;
            m.body = i == 3 ? s.body : i ? body : NULL;
            m.rest = i == 1 ? NULL : s.rest;
            m.corner = i == 3 ? shared : s.corner;
            s.pose[1] = s.pose[0];
            EXPECT(point_error_contacts(v, 0, &f, &none) == IMP_ERR_ARGUMENT,
                   "volume %d: %d is taken", v, i);
        }
        contact_list_free(&none);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"within", test_within},
                                 {"nowhere", test_point_error_nowhere},
                                 {"reach", test_reach},
                                 {"sizes", test_point_error_sizes},
                                 {"arguments", test_point_error_arguments},
                                 {0}};
    int failed = test_main(argc, argv, "point_error", tests);
    pipelines_free();
    return failed;
}
