/* Contact points of bodies of arbitrary triangles: against those known for boxes, rings and sheets,
 * and against their distance. */
#include "expect.h"
#include "mesh_shapes.h"
#include "patch.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem memory;
static mesh_shape mesh;

typedef struct made {
    geom *g;
    shape *s;
} made;

static made patch_test_make(void)
{
    made m = {0};
    CU_ASSERT_EQUAL_FATAL(
        geom_make(&memory, mesh.point, mesh.vertices, mesh.corner, mesh.triangles, &m.g), IMP_OK);
    const shape_def def = {m.g->point, m.g->vertices, m.g->corner, m.g->triangles};
    CU_ASSERT_EQUAL_FATAL(shape_make(&memory, &def, &m.s), IMP_OK);
    return m;
}

static void patch_test_free(made m)
{
    geom_free(&memory, m.g);
    shape_free(&memory, m.s);
}

/* A block around the origin of n[k] cells along each axis. */
static made patch_test_make_block(double x, double y, double z, const int n[3])
{
    const double size[3] = {x, y, z};
    double at[3][9];
    char full[513];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i <= n[k]; i++)
            at[k][i] = size[k] * ((double)i / n[k] - 0.5);
    memset(full, '#', sizeof full - 1);
    full[512] = 0;
    mesh_cells(&mesh, n, (const double *const[3]){at[0], at[1], at[2]}, full);
    return patch_test_make();
}

static pose_map patch_test_placed(double x, double y, double z)
{
    return (pose_map){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {x, y, z}};
}

static patch scratch = {.mem = &memory};
static manifold points = {.mem = &memory};

static void patch_test_find(made a, pose_map pa, made b, pose_map pb, patch_query ask)
{
    const patch_body body[2] = {{a.g, a.s, &pa}, {b.g, b.s, &pb}};
    CU_ASSERT_EQUAL(patch_find(&scratch, body, &ask, &points), IMP_OK);
}

/* Number of points at a position, all with that normal and gap. */
static int patch_test_count_at(double x, double y, double z, v3 normal, double gap)
{
    int count = 0;
    for (size_t i = 0; i < points.count; i++) {
        const manifold_point *p = &points.point[i];
        const v3 d = v3_sub(p->at, v3_make(x, y, z));
        if (v3_dot(d, d) > 1e-16)
            continue;
        EXPECT(v3_dot(p->normal, normal) > 1 - 1e-9 && fabs(p->gap - gap) < 1e-12,
               "normal %g %g %g, gap %g", p->normal.x, p->normal.y, p->normal.z, p->gap);
        count++;
    }
    return count;
}

static const int one[3] = {1, 1, 1}, many[3] = {8, 8, 2};

/* A block over a plate, whose faces are divided into many triangles or few: its corners, and no
 * interior edge. Slightly penetrating it is the same with other gaps. */
static void test_patch_corners(void)
{
    for (int c = 0; c < 8; c++) {
        const double gap = c & 1 ? -0.003 : 0.01;
        const made plate = patch_test_make_block(8, 8, 1, c & 2 ? many : one);
        const made block =
            patch_test_make_block(0.7, 0.7, 0.7, c & 4 ? (const int[3]){2, 2, 2} : one);
        patch_test_find(plate, patch_test_placed(0, 0, -0.5), block,
                        patch_test_placed(0.1, 0.2, 0.35 + gap),
                        (patch_query){v3_make(1, 0, 0), 0.02, 1e-4, 0, gap < 0});
        for (int i = 0; i < 4; i++)
            EXPECT(patch_test_count_at(i & 1 ? 0.45 : -0.25, i & 2 ? 0.55 : -0.15, gap / 2,
                                       v3_make(0, 0, 1), gap) == 1,
                   "case %d: corner %d", c, i);
        EXPECT(points.count == (c & 4 ? 8 : 4), "case %d: %zu points", c, points.count);
        patch_test_free(plate);
        patch_test_free(block);
    }
}

/* Long blocks across each other: four crossings, separate or penetrating. */
static void test_patch_crossings(void)
{
    for (int sunk = 0; sunk < 2; sunk++) {
        const double gap = sunk ? -0.004 : 0.006;
        const made a = patch_test_make_block(6, 1, 1, (const int[3]){5, 1, 1}),
                   b = patch_test_make_block(1, 6, 1, one);
        patch_test_find(a, patch_test_placed(0, 0, 0), b, patch_test_placed(0, 0, 1 + gap),
                        (patch_query){v3_make(0, 1, 0), 0.02, 1e-4, 0, sunk});
        for (int i = 0; i < 4; i++)
            EXPECT(patch_test_count_at(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0.5 + gap / 2,
                                       v3_make(0, 0, 1), gap) == 1,
                   "sunk %d: crossing %d", sunk, i);
        for (size_t i = 0; i < points.count; i++)
            EXPECT(points.point[i].normal.z > 1 - 1e-9, "sunk %d: normal %g", sunk,
                   points.point[i].normal.z);
        patch_test_free(a);
        patch_test_free(b);
    }
}

/* Exactly above each other: each corner is supported, despite rounding beside an edge. */
static void test_patch_aligned(void)
{
    for (int c = 0; c < 3; c++) {
        const double beside = c == 1 ? 1e-16 : c == 2 ? -1e-16 : 0;
        const made a = patch_test_make_block(1, 1, 1, one), b = patch_test_make_block(1, 1, 1, one);
        patch_test_find(a, patch_test_placed(0, 0, 0), b, patch_test_placed(beside, 0, 1.001),
                        (patch_query){v3_make(0, 0, 1), 0.02, 2e-3, 0, 0});
        for (int i = 0; i < 4; i++)
            EXPECT(patch_test_count_at(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, 0.5005,
                                       v3_make(0, 0, 1), 0.001) >= 1,
                   "case %d: corner %d", c, i);
        patch_test_free(a);
        patch_test_free(b);
    }
}

/* A U over a bar, near its top and one side: each place has its own normal. If it penetrates both
 * there is one curve, and one normal away from both. */
static void test_patch_staple(void)
{
    static const double x[4] = {-0.75, -0.5, 0.5, 0.75}, y[2] = {-0.2, 0.2}, z[3] = {-1, 0, 0.2};
    const made bar = patch_test_make_block(0.9, 6, 0.4, one);
    mesh_cells(&mesh, (const int[3]){3, 1, 2}, (const double *const[3]){x, y, z}, "#.####");
    const made u = patch_test_make();
    for (int sunk = 0; sunk < 2; sunk++) {
        const double gap = sunk ? -0.002 : 0.003;
        int up = 0, across = 0;
        patch_test_find(bar, patch_test_placed(0, 0, 0), u,
                        patch_test_placed(0.05 - gap - u.g->moved.x, 0, 0.2 + gap - u.g->moved.z),
                        (patch_query){v3_make(0, 0, 1), 0.01, 1e-4, 0, sunk});
        for (size_t i = 0; i < points.count; i++) {
            const manifold_point *p = &points.point[i];
            EXPECT(sunk || p->gap > 0, "gap %g", p->gap);
            up += p->normal.z > 1 - 1e-9 && fabs(p->gap - gap) < 1e-12;
            across += p->normal.x < -1 + 1e-9 && fabs(p->gap - gap) < 1e-12;
            EXPECT(sunk ? p->normal.z > 0.5 && p->normal.x < -0.1
                        : p->gap > gap || p->normal.z > 1 - 1e-9 || p->normal.x < -1 + 1e-9,
                   "normal %g %g %g", p->normal.x, p->normal.y, p->normal.z);
        }
        EXPECT(points.count >= 4 && (sunk || (up >= 4 && across >= 4)),
               "sunk %d: %d points up, %d across, %zu", sunk, up, across, points.count);
    }
    patch_test_free(bar);
    patch_test_free(u);
}

/* The end of a pipe in a plate: two curves, one normal. A thorn through it: the shortest way back.
 */
static void test_holes(void)
{
    const made plate = patch_test_make_block(8, 8, 0.1, many);
    static const double r[4] = {-0.3, -0.2, 0.2, 0.3}, z[2] = {0, 1};
    mesh_cells(&mesh, (const int[3]){3, 3, 1}, (const double *const[3]){r, r, z}, "####.####");
    const made pipe = patch_test_make();
    patch_test_find(plate, patch_test_placed(0, 0, -0.05), pipe,
                    patch_test_placed(0.01, 0.02, 0.5 - 0.004),
                    (patch_query){v3_make(1, 0, 0), 0.02, 1e-4, 0, 1});
    EXPECT(points.count >= 4, "%zu points", points.count);
    for (size_t i = 0; i < points.count; i++)
        EXPECT(points.point[i].normal.z > 1 - 1e-9 && points.point[i].gap < 0.02, "normal %g",
               points.point[i].normal.z);
    EXPECT(patch_test_count_at(0.31, 0.32, -0.002, v3_make(0, 0, 1), -0.004) == 1, "no corner");
    patch_test_free(pipe);
    mesh = (mesh_shape){.point = {-0.1, -0.1, 1, 0.1, -0.1, 1, 0, 0.1, 1, 0, 0, -0.3},
                        .corner = {0, 1, 2, 3, 1, 0, 3, 2, 1, 3, 0, 2},
                        .vertices = 4,
                        .triangles = 4};
    const made thorn = patch_test_make();
    patch_test_find(
        plate, patch_test_placed(0, 0, -0.05), thorn,
        patch_test_placed(0.05 - thorn.g->moved.x, 0.02 - thorn.g->moved.y, -thorn.g->moved.z),
        (patch_query){v3_make(1, 0, 0), 0.02, 1e-4, 0, 1});
    EXPECT(points.count > 0, "a thorn has no points");
    for (size_t i = 0; i < points.count; i++)
        EXPECT(points.point[i].normal.z > 0, "a thorn is pushed on: %g", points.point[i].normal.z);
    patch_test_free(thorn);
    patch_test_free(plate);
}

/* A corner through a sheet, from above or below, for either orientation of its triangles. */
static void test_sheet(void)
{
    for (int c = 0; c < 4; c++) {
        const double down = c & 1 ? 1 : -1;
        mesh = (mesh_shape){.point = {-4, -4, 0, 4, -4, 0, 4, 4, 0, -4, 4, 0},
                            .corner = {0, 1, 2, 0, 2, 3},
                            .vertices = 4,
                            .triangles = 2};
        if (c & 2)
            memcpy(mesh.corner, (const uint32_t[6]){2, 1, 0, 3, 2, 0}, 6 * sizeof(uint32_t));
        const made sheet = patch_test_make(), block = patch_test_make_block(1, 1, 1, one);
        CU_ASSERT(!sheet.g->closed && sheet.g->volume == 0);
        patch_test_find(sheet, patch_test_placed(0, 0, 0), block,
                        patch_test_placed(0.2, 0.1, down * (0.5 - 0.003)),
                        (patch_query){v3_make(1, 0, 0), 0.02, 1e-4, 0, 1});
        for (int i = 0; i < 4; i++)
            EXPECT(patch_test_count_at(i & 1 ? 0.7 : -0.3, i & 2 ? 0.6 : -0.4, -down * 0.0015,
                                       v3_make(0, 0, down), -0.003) == 1,
                   "case %d: corner %d of %zu", c, i, points.count);
        patch_test_free(sheet);
        patch_test_free(block);
    }
}

static pose_map random_map(rng *r, double reach)
{
    imp_pose p = {.rotation = {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++)
        p.centre[k] = reach * (2 * rng_unit(r) - 1);
    for (int k = 0; k < 4; k++)
        p.rotation[k] = 2 * rng_unit(r) - 1;
    return pose_map_of(&p);
}

static made random_body(rng *r)
{
    static const double x[4] = {0, 0.4, 0.9, 1.3};
    const double *const at[3] = {x, x, x};
    switch (rng_below(r, 5)) {
    case 0:
        mesh_torus(&mesh, 0.6, 0.2, 12, 7);
        break;
    case 1:
        mesh_tray(&mesh, 0.7, 0.5, 0.3);
        break;
    case 2:
        mesh_cells(&mesh, (const int[3]){3, 1, 2}, at, "#.####");
        break;
    case 3:
        mesh_cells(&mesh, (const int[3]){3, 3, 1}, at, "####.####");
        break;
    default:
        mesh_cells(&mesh, (const int[3]){2, 2, 2}, at, "###.#...");
    }
    return patch_test_make();
}

/* For separate bodies the closest points are among the contact points, no gap is smaller than the
 * distance, and each gap is correct. */
static void test_distance(void)
{
    rng r = {17};
    uint64_t apart = 0, most = 0;
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        const made a = random_body(&r), b = random_body(&r);
        const pose_map pa = random_map(&r, 0.6), pb = random_map(&r, 0.6);
        shape_pair cache = {0};
        shape_nearest near;
        shape_distance(a.s, &pa, b.s, &pb, &cache, &near);
        if (near.distance > 1e-6) {
            double least = INFINITY;
            patch_test_find(
                a, pa, b, pb,
                (patch_query){v3_make(0, 0, 1), near.distance * (1.1 + rng_unit(&r)), 1e-4, 0, 0});
            for (size_t i = 0; i < points.count; i++) {
                least = fmin(least, points.point[i].gap);
                EXPECT(fabs(v3_dot(points.point[i].normal, points.point[i].normal) - 1) < 1e-12,
                       "case %llu: a normal of length %g", (unsigned long long)c,
                       v3_dot(points.point[i].normal, points.point[i].normal));
            }
            EXPECT(fabs(least - near.distance) < 1e-12, "case %llu: %.17g, least gap %.17g of %zu",
                   (unsigned long long)c, near.distance, least, points.count);
            apart++;
            most = points.count > most ? points.count : most;
        }
        patch_test_free(a);
        patch_test_free(b);
    }
    printf("  %llu apart, at most %llu points\n", (unsigned long long)apart,
           (unsigned long long)most);
}

/* A disc of points in two planes: the supporting points remain. */
static void test_reduce(void)
{
    rng r = {3};
    points.count = 0;
    for (int i = 0; i < 1000; i++) {
        const double a = 6.2831853 * rng_unit(&r), d = i < 8 ? 1 : 0.9 * sqrt(rng_unit(&r));
        const double turn = i < 8 ? 0.78539816339744828 * i : a;
        const manifold_point p = {v3_make(d * cos(turn), d * sin(turn), i % 2),
                                  i % 2 && i >= 8 ? v3_make(1, 0, 0) : v3_make(0, 0, 1),
                                  i == 500 ? 1e-6 : 1e-5 + 1e-6 * rng_unit(&r), 0.5};
        CU_ASSERT_EQUAL(manifold_add(&points, &p), IMP_OK);
    }
    CU_ASSERT_EQUAL(patch_reduce(&points, 1e-3), IMP_OK);
    EXPECT(points.count >= 10 && points.count <= 18, "%zu points", points.count);
    double far[8] = {0}, least = 1;
    for (size_t i = 0; i < points.count; i++) {
        least = fmin(least, points.point[i].gap);
        for (int k = 0; k < 8; k++)
            far[k] = fmax(far[k], points.point[i].at.x * cos(0.78539816339744828 * k) +
                                      points.point[i].at.y * sin(0.78539816339744828 * k));
    }
    for (int k = 0; k < 8; k++)
        EXPECT(far[k] > 0.99, "direction %d: %g", k, far[k]);
    EXPECT(least == 1e-6, "the least gap is %g", least);
}

static void test_patch_all_freed(void)
{
    patch_free(&scratch);
    manifold_free(&points);
    EXPECT(atomic_load(&memory.now) == 0, "%llu bytes are left",
           (unsigned long long)atomic_load(&memory.now));
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"corners", test_patch_corners}, {"crossings", test_patch_crossings},
        {"aligned", test_patch_aligned}, {"staple", test_patch_staple},
        {"holes", test_holes},           {"sheet", test_sheet},
        {"distance", test_distance},     {"reduce", test_reduce},
        {"freed", test_patch_all_freed}, {0}};
    return test_main(argc, argv, "patch", tests);
}
