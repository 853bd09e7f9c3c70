/* Two objects, most of whose primitives are culled before their bounds are computed
 * (object_clip.c): contacts are those between the objects among all contacts, to the last bit, for
 * any arrangement. */
#include "expect.h"
#include "engine.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define PRIMS 5000 /* two chunks */
#define CORNERS ((size_t)4)
#define VERTS (CORNERS * PRIMS + 1) /* one vertex is unused */
#define SIZE 0.05

typedef struct scene {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[CORNERS * PRIMS];
    int32_t object[PRIMS];
    uint8_t corner_count[PRIMS];
    double point[3 * VERTS];
    float single[3 * VERTS];
    double thickness[PRIMS];
} scene;

static scene s;

/* Primitives in a cube, those of the second object in a cube at distance `apart`; the second object
 * has one of `share` primitives. mixed: the objects alternate randomly. */
static void object_clip_test_fill(uint32_t share, int mixed, double apart, uint32_t seed)
{
    rng r = {seed};
    for (uint32_t i = 0; i < PRIMS; i++) {
        double at[3];
        s.object[i] = mixed ? rng_below(&r, share) == 0 : i < PRIMS / share;
        s.corner_count[i] = IMP_TETRAHEDRA;
        for (int k = 0; k < 3; k++)
            at[k] = rng_unit(&r) + (k ? 0 : apart * s.object[i]);
        for (size_t c = CORNERS * i; c < CORNERS * (i + 1); c++) {
            s.corner[c] = (uint32_t)c;
            for (int k = 0; k < 3; k++)
                s.point[3 * c + (size_t)k] = at[k] + SIZE * rng_unit(&r);
        }
    }
    for (size_t k = 0; k < 3; k++)
        s.point[3 * (VERTS - 1) + k] = 0.5;
    s.mesh = (imp_mesh){VERTS, PRIMS, s.corner, s.object, IMP_TETRAHEDRA};
    s.frame = (imp_frame){&s.mesh, s.point, IMP_FLOAT64, 0};
}

/* The vertex that triangles do not use must not affect the frame's box. */
static void drop_last(uint32_t i)
{
    memcpy(s.point + 3 * (CORNERS * i + 3), s.point + 3 * CORNERS * i, 3 * sizeof *s.point);
}

/* All become triangles of their first three corners. */
static void as_triangles(void)
{
    for (uint32_t i = 0; i < PRIMS; i++) {
        memmove(s.corner + (size_t)3 * i, s.corner + (size_t)4 * i, 3 * sizeof *s.corner);
        drop_last(i);
    }
    s.mesh.corners = IMP_TRIANGLES;
}

/* Every third becomes a triangle, whose last corner is unused. */
static void as_both(void)
{
    for (uint32_t i = 0; i < PRIMS; i += 3) {
        s.corner_count[i] = 3;
        s.corner[CORNERS * i + 3] = UINT32_MAX;
        drop_last(i);
    }
    s.mesh.corner_count = s.corner_count;
}

static void object_clip_test_as_single(void)
{
    for (size_t i = 0; i < 3 * VERTS; i++)
        s.single[i] = (float)s.point[i];
    s.frame.point = s.single;
    s.frame.type = IMP_FLOAT32;
}

static void object_clip_test_detect(imp *p, contact_list *out, imp_frame_info *info)
{
    EXPECT(!imp_detect(p, &s.frame, 1, contact_list_sink, out, info), "%s", imp_error_text());
}

static void drop_within(contact_list *l)
{
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++)
        if (s.object[l->row[i].a] != s.object[l->row[i].b])
            l->row[n++] = l->row[i];
    l->count = n;
}

/* Compares the contacts. most: upper bound of the primitives left by clipping; -1: no clipping; -2:
 * either. */
static void object_clip_test_compare(const char *name, imp_def def, int most)
{
    imp *p, *q;
    contact_list want = {0}, got = {0};
    imp_frame_info all = {0}, info = {0};
    imp_def every = def;
    def.device = every.device = "cpu";
    every.broad = "brute";
    CU_ASSERT_EQUAL_FATAL(imp_create(&every, &p), 0);
    def.pairs = IMP_PAIRS_BETWEEN;
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &q), 0);
    object_clip_test_detect(p, &want, &all);
    drop_within(&want);
    for (int again = 0; again < 2; again++) {
        got.count = 0;
        object_clip_test_detect(q, &got, &info);
        EXPECT(contact_list_equal(&want, &got), "%s: %zu contacts, not %zu", name, got.count,
               want.count);
        int left = q->workspace.clip.frame.mesh ? (int)q->workspace.clip.mesh.primitives : -1;
        uint64_t most_written = (uint64_t)(left < 0 ? (int)s.mesh.primitives : left) *
                                (def.broad && !strcmp(def.broad, "hash") ? 64 : 1);
        EXPECT(info.entries_written <= most_written && info.bad == all.bad &&
                   info.contacts == got.count,
               "%s: %llu touched of %d, %u bad", name, (unsigned long long)info.entries_written,
               left, info.bad);
        EXPECT(most < -1 || (most < 0 ? left < 0 : left >= 0 && left <= most), "%s: %d left", name,
               left);
    }
    EXPECT(most == 0 || most == PRIMS / 16 || want.count, "%s: %zu contacts", name, want.count);
    imp_destroy(p);
    imp_destroy(q);
    contact_list_free(&want);
    contact_list_free(&got);
}

static void test_object_clip_solids(void)
{
    const imp_def bounds_alone = {.stage = IMP_STAGE_CANDIDATES, .dop_k = 26};
    for (int mixed = 0; mixed < 2; mixed++) {
        object_clip_test_fill(8, mixed, 0.9, 1);
        object_clip_test_compare("solids", (imp_def){.dop_k = 6}, PRIMS / 4);
        object_clip_test_compare("candidates", bounds_alone, PRIMS / 4);
        as_both();
        object_clip_test_compare("both", (imp_def){.dop_k = 6, .broad = "hash"}, PRIMS / 4);
        object_clip_test_fill(8, mixed, -0.9, 2);
        object_clip_test_as_single();
        object_clip_test_compare("float32", (imp_def){.dop_k = 6, .broad = "grid"}, PRIMS / 4);
        object_clip_test_compare("one thread", (imp_def){.threads = 1}, PRIMS / 4);
    }
}

/* Bounds are inflated where pairs within a distance are wanted. */
static void test_object_clip_distance(void)
{
    const imp_def near = {.rows = IMP_ROWS_PRIMITIVES, .distance = 0.08},
                  bounds_alone = {
                      .rows = IMP_ROWS_PRIMITIVES, .distance = 0.3, .stage = IMP_STAGE_CANDIDATES};
    object_clip_test_fill(8, 1, 0.9, 9);
    object_clip_test_compare("solids", near, PRIMS / 2);
    object_clip_test_fill(2, 0, 1.06, 10);
    as_triangles();
    object_clip_test_compare("triangles", near, PRIMS / 2);
    object_clip_test_compare("candidates", bounds_alone, PRIMS / 2);
}

/* The same for thicknesses, which the remaining primitives keep. */
static void test_object_clip_thickness(void)
{
    const imp_def near = {.rows = IMP_ROWS_PRIMITIVES, .thickness = 1};
    rng r = {12};
    for (uint32_t i = 0; i < PRIMS; i++)
        s.thickness[i] = 0.12 * rng_unit(&r);
    object_clip_test_fill(8, 1, 0.9, 9);
    s.mesh.thickness = s.thickness;
    object_clip_test_compare("solids", near, PRIMS / 2);
    object_clip_test_fill(2, 0, 1.06, 10);
    as_triangles();
    s.mesh.thickness = s.thickness;
    object_clip_test_compare("triangles", near, PRIMS / 2);
}

static void test_object_clip_triangles(void)
{
    object_clip_test_fill(2, 1, 0.9, 3);
    as_triangles();
    object_clip_test_compare("triangles", (imp_def){.dop_k = 6}, PRIMS / 3);
    object_clip_test_compare("adjacent", (imp_def){.adjacent = IMP_ADJACENT_TEST}, PRIMS / 3);
    object_clip_test_fill(8, 0, 1.5, 4);
    as_triangles();
    object_clip_test_compare("apart", (imp_def){.dop_k = 6}, 0);
}

/* Coordinates are multiples of 1/32, so the cubes' sides touch; also where such a step is close to
 * the rounding of the numbers, and far out along an axis. */
static void test_object_clip_touching(void)
{
    static const double far[][3] = {{0, 0, 0}, {0x1p45, 0, 0}, {0, 0, 0x1p60}};
    for (size_t f = 0; f < sizeof far / sizeof *far; f++) {
        object_clip_test_fill(8, 1, 0, 5);
        for (uint32_t i = 0; i < PRIMS; i++)
            for (size_t v = CORNERS * i; v < CORNERS * (i + 1); v++)
                for (size_t k = 0; k < 3; k++) {
                    double x = rint(s.point[3 * v + k] * 32) / 32;
                    s.point[3 * v + k] = far[f][k] + fmin(x, 1) + (k ? 0 : s.object[i]);
                }
        for (size_t k = 0; k < 3; k++)
            s.point[3 * (VERTS - 1) + k] = s.point[k];
        object_clip_test_compare("touching", (imp_def){.dop_k = 6}, PRIMS / 2);
    }
}

/* Nothing is clipped if that would change the frame's box or an error. */
static void test_object_clip_all(void)
{
    object_clip_test_fill(8, 0, 0.9, 6);
    s.point[3 * VERTS - 1] = 3;
    object_clip_test_compare("a vertex beyond", (imp_def){.dop_k = 6}, -1);
    s.point[3 * VERTS - 1] = NAN;
    object_clip_test_compare("a vertex nowhere", (imp_def){.dop_k = 6}, -1);
    s.point[3 * VERTS - 1] = 0.5;
    s.point[77] = INFINITY;
    object_clip_test_compare("a bad primitive", (imp_def){.on_bad = IMP_BAD_SKIP}, -1);
    object_clip_test_fill(8, 0, 0.9, 7);
    s.object[PRIMS - 1] = 5;
    object_clip_test_compare("three objects", (imp_def){.dop_k = 6}, -1);
    object_clip_test_fill(2, 0, 0.01, 8);
    object_clip_test_compare("most of it", (imp_def){.dop_k = 6}, -1);
}

/* ---- bodies with surfaces */

#define SIDE 34 /* of a body: 2 * SIDE^2 triangles around a ball, whose vertices are shared */

/* A point of a wavy ball; u, v: in steps of the grid. */
static void wavy_point(double *out, const double *centre, double radius, uint32_t u, uint32_t v)
{
    const double a = 2 * 3.14159265358979 * u / SIDE, b = 3.14159265358979 * v / SIDE;
    const double r = radius * (1 + 0.05 * sin(5 * a) * sin(4 * b));
    out[0] = centre[0] + r * cos(a) * sin(b);
    out[1] = centre[1] + r * sin(a) * sin(b);
    out[2] = centre[2] + r * cos(b);
}

/* Body `which` of two. */
static void ball_fill(uint32_t which, double x, double radius)
{
    const uint32_t side = SIDE + 1, first = which * side * side, prim = which * 2 * SIDE * SIDE;
    const double centre[3] = {x, 0.01 * x, 0};
    for (uint32_t v = 0; v < side; v++)
        for (uint32_t u = 0; u < side; u++)
            wavy_point(s.point + (size_t)3 * (first + side * v + u), centre, radius, u, v);
    for (uint32_t i = 0; i < 2 * SIDE * SIDE; i++) {
        const uint32_t at = first + i / 2 / SIDE * side + i / 2 % SIDE, odd = i % 2;
        uint32_t *c = s.corner + (size_t)3 * (prim + i);
        c[0] = at;
        c[1] = odd ? at + side + 1 : at + 1;
        c[2] = odd ? at + side : at + side + 1;
        s.object[prim + i] = (int32_t)(4 - which);
    }
}

static void balls_fill(double x, double radius)
{
    ball_fill(0, 0, 1);
    ball_fill(1, x, radius);
    s.mesh =
        (imp_mesh){2 * (SIDE + 1) * (SIDE + 1), 4 * SIDE * SIDE, s.corner, s.object, IMP_TRIANGLES};
    s.frame = (imp_frame){&s.mesh, s.point, IMP_FLOAT64, 0};
}

static void swap_prims(uint32_t i, uint32_t j)
{
    uint32_t corner[3];
    const int32_t object = s.object[i];
    memcpy(corner, s.corner + (size_t)3 * i, sizeof corner);
    memcpy(s.corner + (size_t)3 * i, s.corner + (size_t)3 * j, sizeof corner);
    memcpy(s.corner + (size_t)3 * j, corner, sizeof corner);
    s.object[i] = s.object[j];
    s.object[j] = object;
}

/* The numbers of a mesh tell nothing of where its primitives are. */
static void balls_shuffle(void)
{
    rng r = {3};
    for (uint32_t i = s.mesh.primitives; i-- > 1;)
        swap_prims(i, rng_below(&r, i + 1));
}

static void balls_scale(double by)
{
    for (size_t i = 0; i < (size_t)3 * s.mesh.vertices; i++)
        s.point[i] *= by;
}

/* The grid drops what boxes cannot: most of two surfaces that are near each other in a ring. */
static void test_object_clip_bodies(void)
{
    const imp_def plain = {.dop_k = 6}, boxes = {.stage = IMP_STAGE_CANDIDATES},
                  near = {.rows = IMP_ROWS_PRIMITIVES, .distance = 0.01};
    static const double scales[] = {1, 1e300, 1e-300, 1e-310};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        balls_fill(1.2, 1);
        balls_scale(scales[i]);
        /* the cells of the last one have no size that is a normal number */
        object_clip_test_compare("bodies", plain, i < 3 ? PRIMS / 4 : -2);
        object_clip_test_compare("boxes of bodies", boxes, i < 3 ? PRIMS / 4 : -2);
    }
    balls_fill(1.2, 1);
    object_clip_test_compare("bodies within a distance", near, PRIMS / 4);
    balls_shuffle();
    object_clip_test_compare("shuffled", plain, PRIMS / 4);
    balls_fill(-0.7, 0.4);
    object_clip_test_as_single();
    object_clip_test_compare("a small one", plain, PRIMS / 4);
    balls_fill(0.02, 0.8);
    object_clip_test_compare("one in the other", plain, PRIMS / 16);
    object_clip_test_compare("boxes of one in the other", boxes, PRIMS / 16);
}

/* Triangles without area, vertices of both bodies, a few large triangles. */
static void test_object_clip_odd_bodies(void)
{
    const imp_def plain = {.dop_k = 6}, adjacent = {.adjacent = IMP_ADJACENT_TEST};
    const uint32_t second = 2 * SIDE * SIDE, first = (SIDE + 1) * (SIDE + 1);
    rng r = {5};
    balls_fill(1.2, 1);
    for (uint32_t i = 0; i < second; i += 5)
        s.corner[3 * i + rng_below(&r, 3)] = s.corner[3 * i];
    for (uint32_t i = 0; i < second; i += 97)
        s.corner[3 * (second + i)] = s.corner[3 * rng_below(&r, second)];
    object_clip_test_compare("common vertices", plain, PRIMS / 2);
    object_clip_test_compare("common vertices, adjacent", adjacent, PRIMS / 2);
    balls_fill(1.2, 1);
    s.mesh.primitives = second + 2;
    s.mesh.vertices = first + 4;
    for (uint32_t i = 0; i < 6; i++)
        s.corner[3 * second + i] = first + (i < 3 ? i : i - 2);
    for (size_t i = 0; i < 12; i++)
        s.point[3 * first + i] = i % 3 == 2 ? 0.3 : i % 3 == i / 3 % 2 || i > 8 ? 3 : -2;
    object_clip_test_compare("a few large ones", plain, PRIMS / 4);
}

/* Objects overlap in some frames, then part: while they overlap, clipping is not tried in all
 * frames; later it is soon tried again; contacts are right in all frames. */
static void test_parting(void)
{
    imp *p, *q;
    contact_list want = {0}, got = {0};
    imp_frame_info info;
    object_clip_test_fill(2, 0, 0.01, 9);
    CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
    CU_ASSERT_EQUAL_FATAL(
        imp_create(&(imp_def){.device = "cpu", .pairs = IMP_PAIRS_BETWEEN, .block = 1}, &q), 0);
    for (int i = 0; i < 24; i++) {
        for (size_t v = 0; i == 6 && v < CORNERS * PRIMS; v++)
            s.point[3 * v] += 0.9 * s.object[v / CORNERS];
        want.count = got.count = 0;
        object_clip_test_detect(p, &want, &info);
        drop_within(&want);
        object_clip_test_detect(q, &got, &info);
        EXPECT(contact_list_equal(&want, &got) && got.count, "%d: %zu contacts, not %zu", i,
               got.count, want.count);
        if (i == 4)
            CU_ASSERT(q->workspace.clip.wait > 1 && q->workspace.clip.rest > 0 &&
                      !q->workspace.clip.frame.mesh);
    }
    CU_ASSERT(q->workspace.clip.frame.mesh && q->workspace.clip.mesh.primitives < PRIMS);
    imp_destroy(p);
    imp_destroy(q);
    contact_list_free(&want);
    contact_list_free(&got);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"solids", test_object_clip_solids},
                                 {"triangles", test_object_clip_triangles},
                                 {"distance", test_object_clip_distance},
                                 {"thickness", test_object_clip_thickness},
                                 {"touching", test_object_clip_touching},
                                 {"all", test_object_clip_all},
                                 {"parting", test_parting},
                                 {"bodies", test_object_clip_bodies},
                                 {"odd_bodies", test_object_clip_odd_bodies},
                                 {0}};
    return test_main(argc, argv, "object_clip", tests);
}
