/* impinge_regions.h: regions of scenes whose areas are known. */
#include "region_scenes.h"

#include "expect.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is expected of the n-th region of two objects. */
static void check_region(const region_scene *s, int32_t object, int32_t other, int n, double area,
                         uint32_t faces, uint32_t vertices, uint32_t contours)
{
    const imp_region *r = scene_region(s, object, other, n);
    EXPECT(fabs(r->area - area) <= 1e-12 * area, "%d with %d: area %.17g, not %.17g", object, other,
           r->area, area);
    EXPECT(r->faces == faces && r->vertices == vertices && r->contours == contours,
           "%d with %d: %u faces, %u vertices, %u contours; not %u, %u, %u", object, other,
           r->faces, r->vertices, r->contours, faces, vertices, contours);
}

static void check_parting(const region_scene *s, int32_t object, int32_t other, uint32_t contours,
                          uint32_t parting, uint64_t regions, int listed)
{
    const imp_parting *p = scene_parting(s, object, other);
    int count = 0;
    while (scene_region(s, object, other, count)->faces)
        count++;
    EXPECT(p->contours == contours && p->parting == parting && p->regions == regions &&
               count == listed,
           "%d with %d: %u contours, %u part, %d regions, %d listed; not %u, %u, %d, %d", object,
           other, p->contours, p->parting, (int)p->regions, count, contours, parting, (int)regions,
           listed);
}

/* ---- boxes and sheets */

/* The foot of the box is a region on both. */
static void test_foot(void)
{
    region_scene s = {0};
    scene_box(&s, 1, (double[]){0, 0, 0}, (double[]){3, 3, 1});
    scene_box(&s, 2, (double[]){1, 1, 1}, (double[]){2, 2, 2});
    scene_regions(&s);
    check_parting(&s, 1, 2, 1, 1, 2, 1);
    check_parting(&s, 2, 1, 1, 1, 2, 1);
    check_region(&s, 1, 2, 0, 1, 2, 0, 1);
    check_region(&s, 2, 1, 0, 1, 2, 0, 1);
    scene_free(&s);
}

/* A box through a sheet: a disc in the sheet, the lesser part of the box. */
static void test_through(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 6, 6, (double[]){-0.55, -0.45, 0.375}, (double[]){2, 0, 0},
                (double[]){0, 2, 0});
    scene_box(&s, 5, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    scene_regions(&s);
    check_parting(&s, 0, 5, 1, 1, 2, 1);
    check_parting(&s, 5, 0, 1, 1, 2, 1);
    const imp_region *disc = scene_region(&s, 0, 5, 0), *part = scene_region(&s, 5, 0, 0);
    EXPECT(fabs(disc->area - 1) < 1e-14, "%.17g", disc->area);
    EXPECT(fabs(part->area - (1 + 4 * 0.375)) < 1e-14, "%.17g", part->area);
    CU_ASSERT(part->vertices == 4 && part->faces == 10);
    scene_free(&s);
}

/* A spike through one face: a loop within the face, and the tip. */
static void test_spike(void)
{
    region_scene s = {0};
    const uint32_t v = scene_vertex(&s, -3, -2, 0);
    scene_vertex(&s, 4, -2, 0);
    scene_vertex(&s, 0, 5, 0);
    scene_face(&s, 0, v, v + 1, v + 2);
    scene_vertex(&s, -1, -1, 1);
    scene_vertex(&s, 1, -1, 1);
    scene_vertex(&s, 0, 1, 1);
    scene_vertex(&s, 0, 0, -1);
    for (uint32_t k = 0; k < 3; k++)
        scene_face(&s, 1, 3 + k, 6, 3 + (k + 1) % 3);
    scene_face(&s, 1, 3, 4, 5);
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_region(&s, 0, 1, 0, 0.5, 1, 0, 1); /* half of the triangle's size, 2 */
    CU_ASSERT(s.found->share[scene_region(&s, 0, 1, 0)->first] < 1);
    CU_ASSERT(scene_region(&s, 1, 0, 0)->vertices == 1 && scene_region(&s, 1, 0, 0)->faces == 3);
    scene_free(&s);
}

/* The corner of a cube within another cube. */
static void test_corner(void)
{
    region_scene s = {0};
    scene_box(&s, 0, (double[]){0, 0, 0}, (double[]){2, 2, 2});
    scene_box(&s, 1, (double[]){1.5, 1.25, 1.75}, (double[]){3, 3, 3});
    scene_regions(&s);
    const double area = 0.5 * 0.75 + 0.75 * 0.25 + 0.5 * 0.25;
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_parting(&s, 1, 0, 1, 1, 2, 1);
    CU_ASSERT(fabs(scene_region(&s, 0, 1, 0)->area - area) < 1e-14);
    CU_ASSERT(fabs(scene_region(&s, 1, 0, 0)->area - area) < 1e-14);
    CU_ASSERT(scene_region(&s, 0, 1, 0)->vertices == 1);
    scene_free(&s);
}

static void sheet_across(region_scene *s, int32_t object, double x, double y)
{
    scene_sheet(s, object, 3, 3, (double[]){x, y, -1.03}, (double[]){0, 2.11, 0},
                (double[]){0, 0, 2.09});
}

/* Sheets across a tube of a torus: one parts nothing, two make two regions, three contradict. */
static void test_torus(void)
{
    for (int sheets = 1; sheets <= 3; sheets++) {
        region_scene s = {0};
        scene_torus(&s, 0, 24, 12, 3, 0.8);
        sheet_across(&s, 1, 0.11, 1.97);
        if (sheets > 1)
            sheet_across(&s, 1, 0.13, -3.99);
        if (sheets > 2)
            sheet_across(&s, 1, -0.95, 1.76);
        scene_regions(&s);
        const uint32_t n = (uint32_t)sheets;
        check_parting(&s, 0, 1, n, n == 1 ? 0 : n, n, n - 1 ? (int)n - 1 : 0);
        check_parting(&s, 1, 0, n, n, 2 * n, sheets);
        scene_free(&s);
    }
}

/* ---- open surfaces */

/* A wall across a sheet. The sheet is cut from border to border; the wall has a slit. */
static void test_open(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 5, 4, (double[]){0, 0, 0}, (double[]){4, 0, 0}, (double[]){0, 2, 0});
    scene_sheet(&s, 1, 3, 3, (double[]){1.125, -1, -1}, (double[]){0, 4, 0}, (double[]){0, 0, 3});
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_parting(&s, 1, 0, 1, 0, 1, 0);
    const imp_region *r = scene_region(&s, 0, 1, 0);
    EXPECT(fabs(r->area - 2.25) < 1e-14 && r->vertices == 10, "%.17g %u", r->area, r->vertices);
    CU_ASSERT(s.found->of_contour[0] == 0 && s.found->of_contour[1] == -1);
    scene_free(&s);
}

/* Of two equal halves that without the first face is listed. */
static void test_halves(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 4, 1, (double[]){0, 0, 0}, (double[]){4, 0, 0}, (double[]){0, 1, 0});
    scene_sheet(&s, 1, 1, 1, (double[]){2, -1, -1}, (double[]){0, 3, 0}, (double[]){0, 0, 2});
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_region(&s, 0, 1, 0, 2, 4, 4, 1);
    CU_ASSERT(s.found->face[scene_region(&s, 0, 1, 0)->first] == 4);
    scene_free(&s);
}

/* A prism like a U, whose two arms are in one face: they are one region, with one share. */
static void test_arms(void)
{
    static const double at[8][2] = {{-3, -1}, {3, -1}, {3, 3},  {1, 3},
                                    {1, 0},   {-1, 0}, {-1, 3}, {-3, 3}};
    region_scene s = {0};
    scene_vertex(&s, -20, 0.5, 0);
    scene_vertex(&s, 20, 0.5, 0);
    scene_vertex(&s, 0, 30.5, 0);
    scene_vertex(&s, 0, -30, 0);
    scene_face(&s, 0, 0, 1, 2);
    scene_face(&s, 0, 1, 0, 3);
    for (int i = 0; i < 8; i++)
        for (int k = -1; k < 2; k += 2)
            scene_vertex(&s, at[i][0], at[i][1], k);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t v = 4 + 2 * i, w = 4 + 2 * ((i + 1) % 8);
        scene_face(&s, 1, v, w, w + 1);
        scene_face(&s, 1, v, w + 1, v + 1);
    }
    scene_regions(&s);
    check_region(&s, 0, 1, 0, 18, 2, 0, 1);
    const size_t first = scene_region(&s, 0, 1, 0)->first;
    EXPECT(fabs(s.found->share[first] - 10.0 / 600) < 1e-15, "%.17g", s.found->share[first]);
    scene_free(&s);
}

/* The flood of the larger side has few triangles, and ends first. */
static void test_few_large(void)
{
    region_scene s = {0};
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 2; k++)
            scene_vertex(&s, i ? 10 + 0.125 * i : 0, k, 0);
    for (uint32_t v = 0; v < 22; v += 2) {
        scene_face(&s, 0, v, v + 2, v + 3);
        scene_face(&s, 0, v, v + 3, v + 1);
    }
    scene_sheet(&s, 1, 1, 1, (double[]){9, -1, -1}, (double[]){0, 3, 0}, (double[]){0, 0, 2});
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_region(&s, 0, 1, 0, 2.375, 22, 22, 1);
    scene_free(&s);
}

/* A wall that ends within the sheet, and a sheet that ends within the wall: each parts the other
 * one nowhere. */
static void test_slit(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 5, 4, (double[]){0, 0, 0}, (double[]){4, 0, 0}, (double[]){0, 2, 0});
    scene_sheet(&s, 1, 3, 3, (double[]){1.125, 0.5, -1}, (double[]){0, 4, 0}, (double[]){0, 0, 3});
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 0, 1, 0);
    check_parting(&s, 1, 0, 1, 0, 1, 0);
    CU_ASSERT(s.found->count == 0 && s.found->faces == 0);
    CU_ASSERT(s.found->of_contour[0] == -1 && s.found->of_contour[1] == -1);
    scene_free(&s);
}

static void big_face(region_scene *s)
{
    scene_vertex(s, -40, -30, 0);
    scene_vertex(s, 40, -30, 0);
    scene_vertex(s, 0, 50, 0);
    scene_face(s, 0, 0, 1, 2);
}

/* A wall over a line of the plane z = 0. */
static void wall(region_scene *s, double x, double y, double to_x, double to_y)
{
    scene_sheet(s, 1, 1, 1, (double[]){x, y, -1}, (double[]){to_x - x, to_y - y, 0},
                (double[]){0, 0, 2});
}

/* ---- loops in loops */

/* A torus that lies in a sheet: the ring is listed, the disc in it and the outside are not. */
static void test_lying_ring(void)
{
    region_scene s = {0};
    scene_torus(&s, 0, 24, 12, 3, 1);
    scene_sheet(&s, 1, 7, 5, (double[]){-6, -6, 0.0625}, (double[]){13, 0, 0},
                (double[]){0, 13, 0});
    scene_regions(&s);
    check_parting(&s, 0, 1, 2, 2, 2, 1);
    check_parting(&s, 1, 0, 2, 2, 3, 1);
    const double share = 0.0625 / 0.5 * (1 - cos(acos(-1) / 6)), /* of the tube's radius */
        outer = 4 - share, inner = 2 + share, turn = acos(-1) / 12,
                 area = 12 * sin(turn) * (outer * outer - inner * inner);
    const imp_region *r = scene_region(&s, 1, 0, 0);
    CU_ASSERT(r->contours == 2);
    EXPECT(fabs(r->area - area) < 1e-12, "%.17g, not %.17g", r->area, area);
    scene_free(&s);
}

/* Boxes in boxes through one face: of the loops in each other every second ring is listed. */
static void test_loops_in_loops(void)
{
    region_scene s = {0};
    big_face(&s);
    for (int i = 1; i <= 3; i++) {
        const double h = i;
        scene_box(&s, 1, (double[]){-h, -h, -h}, (double[]){h, h, h});
        scene_box(&s, 1, (double[]){1 - h, 10 - h, -h}, (double[]){1 + h, 10 + h, h});
    }
    scene_regions(&s);
    check_parting(&s, 0, 1, 6, 6, 7, 4);
    double area = 0, share = 0;
    for (int n = 0; n < 4; n++) {
        const imp_region *r = scene_region(&s, 0, 1, n);
        area += r->area;
        share += s.found->share[r->first];
        CU_ASSERT(r->faces == 1 && r->vertices == 0 && s.found->face[r->first] == 0);
        CU_ASSERT((fabs(r->area - 4) < 1e-12 && r->contours == 1) ||
                  (fabs(r->area - 20) < 1e-12 && r->contours == 2));
    }
    CU_ASSERT(fabs(area - 48) < 1e-12 && fabs(share - 48.0 / 3200) < 1e-15);
    scene_free(&s);
}

/* ---- segments that cross in a face */

static double turn_of(const double *p, const double *q, const double *r)
{
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

static int cross(const double *p, const double *q)
{
    return turn_of(p, p + 3, q) * turn_of(p, p + 3, q + 3) < 0 &&
           turn_of(q, q + 3, p) * turn_of(q, q + 3, p + 3) < 0;
}

/* Whether an end of a segment is on the border of the face, the first triangle. */
static int end_on_border(const region_scene *s, size_t i, int end)
{
    const uint8_t feature = s->end_features[4 * i + 2 * (size_t)end];
    return feature >= IMP_END_EDGE && feature < IMP_END_FACE;
}

/* Pieces by Euler's formula: n segments in one face have ends, crossings and connected groups. */
static uint64_t pieces_of(const region_scene *s)
{
    const size_t n = s->contacts.count;
    uint64_t groups = n + 1, crossings = 0, ends = 0;
    size_t *group = malloc((n + 1) * sizeof *group);
    CU_ASSERT_FATAL(group != NULL);
    for (size_t i = 0; i <= n; i++)
        group[i] = i;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k <= n; k++) {
            const int border = k == n, count = border
                                                   ? end_on_border(s, i, 0) + end_on_border(s, i, 1)
                                                   : cross(s->points + 6 * i, s->points + 6 * k);
            ends += border ? (uint64_t)count : 0;
            crossings += border ? 0 : (uint64_t)count;
            if (!count || group[i] == group[k])
                continue;
            groups--;
            for (size_t j = 0, was = group[i], now = group[k]; j <= n; j++)
                group[j] = group[j] == was ? now : group[j];
        }
    free(group);
    return groups + crossings + ends - n;
}

static void test_crossings(void)
{
    uint64_t state = 7;
    for (int round = 0; round < 40; round++) {
        region_scene s = {0};
        const double size = round % 4 == 0 ? 8 : 2;
        scene_vertex(&s, 0, 0, 0);
        scene_vertex(&s, 6, 1, 0);
        scene_vertex(&s, 1, 7, 0);
        scene_face(&s, 3, 0, 1, 2);
        for (uint32_t i = 0; i < 5 + 4 * (uint32_t)round; i++) {
            const double x = 6 * scene_random(&state), y = 7 * scene_random(&state);
            for (int k = 0; k < 3; k++)
                scene_vertex(&s, x + size * (scene_random(&state) - 0.5),
                             y + size * (scene_random(&state) - 0.5), scene_random(&state) - 0.5);
            scene_face(&s, 9, s.vertices - 3, s.vertices - 2, s.vertices - 1);
        }
        scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
        const imp_parting *p = scene_parting(&s, 3, 9);
        EXPECT(p->regions == pieces_of(&s), "round %d: %d pieces, not %d", round, (int)p->regions,
               (int)pieces_of(&s));
        scene_free(&s);
    }
}

/* Three walls through one line, in a box: six sectors, of which every second one is listed. */
static void test_star(void)
{
    region_scene s = {0};
    big_face(&s);
    wall(&s, -3, -1, 3, 1);
    wall(&s, -3, 1.5, 3, -1.5);
    wall(&s, 0, -3, 0, 3);
    scene_box(&s, 1, (double[]){-2, -2, -1}, (double[]){2, 2, 1});
    scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
    const imp_parting *p = scene_parting(&s, 0, 1);
    CU_ASSERT(p->regions == 7);
    double area = 0;
    int count = 0;
    for (; scene_region(&s, 0, 1, count)->faces; count++)
        area += scene_region(&s, 0, 1, count)->area;
    EXPECT(count == 6 && fabs(area - 16) < 1e-13, "%d regions of %.17g", count, area);
    scene_free(&s);
}

/* A triangle of four walls, each by itself, two of which lie on one line in part. */
static void test_overlapping(void)
{
    region_scene s = {0};
    big_face(&s);
    wall(&s, -3, 2, 1, 2);
    wall(&s, 3, 2, -1, 2);
    wall(&s, -3, 2, 0, 6);
    wall(&s, 3, 2, 0, 6);
    scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
    check_parting(&s, 0, 1, 4, 4, 2, 1);
    check_region(&s, 0, 1, 0, 12, 1, 0, 4);
    scene_free(&s);
}

/* Walls that end within another one, which is added first, or last. */
static void test_tee(void)
{
    for (int last = 0; last < 2; last++) {
        region_scene s = {0};
        big_face(&s);
        if (!last)
            wall(&s, -3, 2, 3, 2);
        wall(&s, -2, 2, 0, 6);
        wall(&s, 0, 6, 2, 2);
        if (last)
            wall(&s, -3, 2, 3, 2);
        scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
        check_parting(&s, 0, 1, 3, 3, 2, 1);
        check_region(&s, 0, 1, 0, 8, 1, 0, 3);
        scene_free(&s);
    }
}

/* A chain of walls from border to border that comes back to a point, which has another name then.
 */
static void test_comes_back(void)
{
    static const double at[6][2] = {{-60, 20}, {0, 0}, {2, 2}, {2, -2}, {0, 0}, {-60, -20}};
    region_scene s = {0};
    big_face(&s);
    for (int i = 0; i < 6; i++)
        for (int k = -1; k < 2; k += 2)
            scene_vertex(&s, at[i][0], at[i][1], k);
    for (uint32_t v = 3; v < 13; v += 2) {
        scene_face(&s, 1, v, v + 2, v + 3);
        scene_face(&s, 1, v, v + 3, v + 1);
    }
    scene_contacts_of(&s, IMP_PAIRS_BETWEEN);
    const imp_parting *p = scene_parting(&s, 0, 1);
    EXPECT(p->regions == 3, "%d regions", (int)p->regions);
    scene_free(&s);
}

/* Three triangles through a fourth one: two of the segments cross so near the end of one that the
 * crossing has the coordinates of that end. */
static void test_near_end(void)
{
    static const double point[8][3] = {
        {0.7793589924914853, 0.12343833783765838, 0.10395584540887966},
        {-0.0341397469394582, -0.0054072047118273875, 0.3715724127386971},
        {0.005407204711827393, -0.03413974693945819, 0.3715724127386971},
        {0.0341397469394582, 0.005407204711827382, 0.3715724127386971},
        {-0.14370026098359684, -0.02275988541037676, -0.47552825814757677},
        {0.12343833783765823, -0.7793589924914853, 0.10395584540887966},
        {-0.0054072047118273805, 0.0341397469394582, 0.3715724127386971},
        {0.022759885410376754, -0.14370026098359684, -0.47552825814757677}};
    static const uint32_t corner[4][3] = {{2, 3, 4}, {3, 6, 7}, {3, 7, 4}, {5, 0, 1}};
    region_scene s = {0};
    for (int i = 0; i < 8; i++)
        scene_vertex(&s, point[i][0], point[i][1], point[i][2]);
    for (int i = 0; i < 4; i++)
        scene_face(&s, 0, corner[i][0], corner[i][1], corner[i][2]);
    scene_regions(&s);
    const imp_parting *p = scene_parting(&s, 0, 0);
    EXPECT(p->regions == 3 && p->parting == 1, "%d regions, %u part", (int)p->regions, p->parting);
    scene_free(&s);
}

/* ---- objects with common vertices */

static void test_common_vertices(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 4, 4, (double[]){0, 0, 0}, (double[]){4, 0, 0}, (double[]){0, 4, 0});
    for (uint32_t i = 0; i < s.primitives; i++)
        s.object[i] = i < s.primitives / 2 ? 0 : 7;
    scene_sheet(&s, 1, 1, 1, (double[]){-1, 1.5, -1}, (double[]){6, 0, 0}, (double[]){0, 0, 2});
    scene_regions(&s);
    check_parting(&s, 0, 1, 1, 1, 2, 1);
    check_parting(&s, 7, 1, 1, 1, 2, 1);
    check_region(&s, 0, 1, 0, 3, 8, 6, 1);
    check_region(&s, 7, 1, 0, 3, 8, 6, 1);
    check_parting(&s, 1, 0, 1, 0, 1, 0);
    scene_free(&s);
}

/* ---- an object with itself, edges of several faces, faces without area */

static void test_self(void)
{
    region_scene s = {0};
    scene_box(&s, 4, (double[]){0, 0, 0}, (double[]){2, 2, 2});
    scene_box(&s, 4, (double[]){1.5, 1.25, 1.75}, (double[]){3, 3, 3});
    scene_regions(&s);
    const double area = 0.5 * 0.75 + 0.75 * 0.25 + 0.5 * 0.25;
    check_parting(&s, 4, 4, 1, 1, 4, 2);
    for (int n = 0; n < 2; n++)
        check_region(&s, 4, 4, n, area, 6, 1, 1);
    CU_ASSERT(s.found->of_contour[0] == 0 && s.found->of_contour[1] == 1);
    scene_free(&s);
}

/* A sheet that is folded through itself: one surface, cut along both images of the segment. */
static void test_folded(void)
{
    region_scene s = {0};
    static const double x[5] = {-2, 2, 2.5, 0, -0.25}, z[5] = {0, 0, 2, 2, -1};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++)
            scene_vertex(&s, x[i], k, z[i]);
    for (uint32_t i = 0; i < 4; i++) {
        scene_face(&s, 0, 2 * i, 2 * i + 2, 2 * i + 3);
        scene_face(&s, 0, 2 * i, 2 * i + 3, 2 * i + 1);
    }
    scene_regions(&s);
    const imp_parting *p = scene_parting(&s, 0, 0);
    CU_ASSERT(p->contours == 1);
    /* before, between and after: the middle one is the largest, on the other side of both */
    CU_ASSERT(p->parting == 1 && p->regions == 3);
    double area = 0;
    for (int n = 0; n < 2; n++)
        area += scene_region(&s, 0, 0, n)->area;
    const double at = -0.25 / 3 * 2; /* x where it comes back */
    EXPECT(fabs(area - (2 + at + hypot(1, 0.25 / 3))) < 1e-13, "%.17g", area);
    scene_free(&s);
}

/* Pages of a book, cut across, and along the edge that they have in common. */
static void test_book(void)
{
    region_scene s = {0};
    static const double page[3][2] = {{2, 0}, {-1, 1}, {-1, -1.5}};
    scene_vertex(&s, 0, 0, 0);
    scene_vertex(&s, 0, 0, 1);
    double width = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t v = scene_vertex(&s, page[i][0], page[i][1], 0);
        scene_vertex(&s, page[i][0], page[i][1], 1);
        scene_face(&s, 0, 0, v, v + 1);
        scene_face(&s, 0, 0, v + 1, 1);
        width += hypot(page[i][0], page[i][1]);
    }
    scene_sheet(&s, 1, 1, 1, (double[]){-4, -4, 0.25}, (double[]){9, 0, 0}, (double[]){0, 9, 0});
    scene_sheet(&s, 2, 1, 1, (double[]){1, -4, -2}, (double[]){-2, 8, 0}, (double[]){0, 0, 4});
    scene_regions(&s);
    check_region(&s, 0, 1, 0, 0.25 * width, 6, 4, 3);
    check_parting(&s, 0, 1, 3, 3, 2, 1);
    /* the pages are apart; the larger two contradict nothing where the third is between them */
    const imp_parting *p = scene_parting(&s, 0, 2);
    CU_ASSERT(p->regions == 3 && scene_region(&s, 0, 2, 1)->faces > 0 &&
              !scene_region(&s, 0, 2, 2)->faces);
    scene_free(&s);
}

/* A face without area between two triangles, whose long edge has a vertex of the others on it. */
static void test_needle(void)
{
    region_scene s = {0};
    scene_vertex(&s, 0, 0, 0);
    scene_vertex(&s, 4, 0, 0);
    scene_vertex(&s, 2, 0, 0); /* on the edge */
    scene_vertex(&s, 2, 3, 0);
    scene_vertex(&s, 2, -3, 0);
    scene_face(&s, 0, 0, 1, 3);
    scene_face(&s, 0, 0, 2, 1);
    scene_face(&s, 0, 0, 4, 2);
    scene_face(&s, 0, 2, 4, 1);
    scene_sheet(&s, 1, 1, 1, (double[]){-1, 2, -1}, (double[]){6, 0, 0}, (double[]){0, 0, 3});
    scene_sheet(&s, 2, 1, 1, (double[]){-1, -2, -1}, (double[]){6, 0, 0}, (double[]){0, 0, 3});
    scene_regions(&s);
    check_region(&s, 0, 1, 0, 6.0 / 9, 1, 1, 1);
    check_region(&s, 0, 2, 0, 6.0 / 9, 2, 1, 1);
    scene_free(&s);
}

/* Halves of a sheet that are joined by a face without an area: its long edge is the right half's,
 * the two others, with a vertex between them, the left half's. A box through it, beside that vertex
 * or about it, or that passes through it with its side. */
static void test_seam(void)
{
    static const double from[] = {-0.5, 0.25, 0};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        for (int turn = 0; turn < 3; turn++) {
            region_scene s = {0};
            const uint32_t top = scene_vertex(&s, 0, 2, 0), low = scene_vertex(&s, 0, -2, 0),
                           middle = scene_vertex(&s, 0, 0, 0), left = scene_vertex(&s, -4, 0, 0),
                           right = scene_vertex(&s, 4, 0.5, 0);
            const uint32_t seam[3] = {top, middle, low};
            scene_face(&s, 0, low, right, top);
            scene_face(&s, 0, top, left, middle);
            scene_face(&s, 0, middle, left, low);
            scene_face(&s, 0, seam[turn], seam[(turn + 1) % 3], seam[(turn + 2) % 3]);
            scene_box(&s, 1, (double[]){-0.5, from[i], -1}, (double[]){0.5, from[i] + 1, 1});
            scene_regions(&s);
            const imp_parting *p = scene_parting(&s, 0, 1);
            const imp_region *r = scene_region(&s, 0, 1, 0);
            CU_ASSERT_FATAL(p->regions == 2 && r->faces > 0);
            EXPECT(fabs(r->area - 1) < 1e-14 && r->vertices == (i == 0),
                   "%zu: area %.17g, %u vertices", i, r->area, r->vertices);
            CU_ASSERT(s.found->face[r->first + r->faces - 1] == 3);
            const double share = s.found->share[r->first + r->faces - 1];
            EXPECT(share == 0.25, "%g", share);
            scene_free(&s);
        }
}

/* The same with several faces without an area side by side: vertices of the left half are on the
 * right half's edge. */
static void test_fan_seam(void)
{
    static const double y[5] = {-1, -0.75, -0.625, 0.375, 1};
    for (int turn = 0; turn < 3; turn++) {
        region_scene s = {0};
        for (int i = 0; i < 5; i++)
            scene_vertex(&s, 0, y[i], 0);
        const uint32_t left = scene_vertex(&s, -1, -1, 0), right = scene_vertex(&s, 1, 0, 0);
        for (uint32_t i = 0; i < 4; i++)
            scene_face(&s, 0, left, i, i + 1);
        static const uint32_t fan[3][2] = {{2, 1}, {3, 2}, {4, 3}};
        for (int i = 0; i < 3; i++) {
            const uint32_t v[3] = {0, fan[i][0], fan[i][1]};
            scene_face(&s, 0, v[turn], v[(turn + 1) % 3], v[(turn + 2) % 3]);
        }
        scene_face(&s, 0, 4, 0, right);
        scene_box(&s, 1, (double[]){-0.25, -0.25, -0.5}, (double[]){0.25, 0.125, 0.5});
        scene_regions(&s);
        check_parting(&s, 0, 1, 2, 2, 2, 1);
        EXPECT(fabs(scene_region(&s, 0, 1, 0)->area - 0.5 * 0.375) < 1e-15, "%.17g",
               scene_region(&s, 0, 1, 0)->area);
        scene_free(&s);
        /* an open contour, which comes to one side, parts nothing */
        region_scene t = {0};
        for (int i = 0; i < 5; i++)
            scene_vertex(&t, 0, y[i], 0);
        scene_vertex(&t, 1, 0, 0);
        for (int i = 0; i < 3; i++)
            scene_face(&t, 0, 0, fan[i][0], fan[i][1]);
        scene_face(&t, 0, 4, 0, 5);
        scene_box(&t, 1, (double[]){-0.25, -0.25, -0.5}, (double[]){0.25, 0.125, 0.5});
        scene_regions(&t);
        check_parting(&t, 0, 1, 1, 0, 1, 0);
        scene_free(&t);
    }
}

/* A triangle with one vertex twice, on an edge of a sheet. */
static void test_double_edge(void)
{
    region_scene s = {0};
    scene_sheet(&s, 0, 1, 1, (double[]){0, 0, 0}, (double[]){2, 0, 0}, (double[]){0, 2, 0});
    scene_face(&s, 0, 0, 3, 3); /* on the diagonal */
    scene_face(&s, 0, 3, 0, 3);
    scene_sheet(&s, 1, 1, 1, (double[]){-1, 0.5, -1}, (double[]){4, 0, 0}, (double[]){0, 0, 2});
    scene_regions(&s);
    check_region(&s, 0, 1, 0, 1, 4, 2, 1);
    scene_free(&s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"foot", test_foot},
                                 {"through", test_through},
                                 {"spike", test_spike},
                                 {"corner", test_corner},
                                 {"torus", test_torus},
                                 {"open", test_open},
                                 {"halves", test_halves},
                                 {"arms", test_arms},
                                 {"few_large", test_few_large},
                                 {"slit", test_slit},
                                 {"ring", test_lying_ring},
                                 {"nested", test_loops_in_loops},
                                 {"crossings", test_crossings},
                                 {"star", test_star},
                                 {"overlapping", test_overlapping},
                                 {"tee", test_tee},
                                 {"touching", test_comes_back},
                                 {"common_vertices", test_common_vertices},
                                 {"near_end", test_near_end},
                                 {"self", test_self},
                                 {"folded", test_folded},
                                 {"book", test_book},
                                 {"needle", test_needle},
                                 {"seam", test_seam},
                                 {"stack", test_fan_seam},
                                 {"double_edge", test_double_edge},
                                 {0}};
    const int failed = test_main(argc, argv, "regions", tests);
    scenes_end();
    return failed;
}
