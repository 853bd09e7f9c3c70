/* Recognition of convex bodies: bodies with integer coordinates against a test of all vertices
 * against all triangles, in integers. And the copies and the cost of a shape. */
#include "expect.h"
#include "shape_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem store;

/* Returns the truth. */
static int check_shape(const char *what, body *b)
{
    const int want = true_convex(b);
    CU_ASSERT(!body_make(&store, b));
    EXPECT(shape_is_convex(b->s) == want, "%s: %d triangles are %sconvex", what, (int)b->triangles,
           want ? "" : "not ");
    return want;
}

static int check_and_free(const char *what, body b)
{
    const int want = check_shape(what, &b);
    body_free(&store, &b);
    return want;
}

static void turn_over(body *b, uint32_t first, uint32_t last)
{
    for (uint32_t t = first; t < last; t++) {
        const uint32_t was = b->corner[3 * (size_t)t];
        b->corner[3 * (size_t)t] = b->corner[3 * (size_t)t + 1];
        b->corner[3 * (size_t)t + 1] = was;
    }
}

/* ---- convex bodies */

static body whole_box(uint32_t kind)
{
    const double h[3] = {7, 2, 1000};
    body b = kind == 0 ? body_box(h) : kind == 1 ? body_box_apart(h) : body_grid_box(kind);
    if (kind > 1)
        body_scale(&b, kind); /* integers again, except for rounding */
    for (size_t i = 0; kind > 1 && i < 3 * (size_t)b.vertices; i++)
        b.x[i] = rint(b.x[i]);
    return b;
}

/* As given, inside out, and with permuted vertices and triangles. */
static void test_shape_convex(void)
{
    rng r = {3};
    const uint64_t cases = test_cases(60);
    for (uint64_t c = 0; c < cases; c++) {
        body b = c < 8 ? whole_box((uint32_t)c) : body_hull(&r, 4 + rng_below(&r, 12)),
             over = body_copy(&b);
        turn_over(&over, 0, over.triangles);
        for (uint32_t i = over.triangles; i > 1; i--) {
            uint32_t *p = over.corner + 3 * (size_t)(i - 1), was[3];
            uint32_t *q = over.corner + 3 * (size_t)rng_below(&r, i);
            memcpy(was, p, sizeof was);
            memmove(p, q, sizeof was);
            memcpy(q, was, sizeof was);
        }
        CU_ASSERT(check_and_free("convex", b));
        CU_ASSERT(check_and_free("inside out", over));
    }
}

/* A box after two more triangles, with corners at positions of the box and one more. */
static body box_and(const uint32_t corner[6])
{
    body box = body_box((const double[]){1, 2, 3}), more = body_soup(&(rng){1}, 5);
    body b = body_join(&box, &more); /* vertices 8 to 22 */
    b.triangles = box.triangles + 2;
    memcpy(b.corner, corner, 6 * sizeof *b.corner);
    memcpy(b.corner + 6, box.corner, 3 * sizeof *b.corner * box.triangles);
    memcpy(b.x + 24, b.x, 24 * sizeof *b.x); /* from 8 on, the positions of the box again */
    b.x[3 * 16] = 9;
    body_free(NULL, &box);
    body_free(NULL, &more);
    return b;
}

/* A triangle with a repeated position has no effect, unless it sticks out. */
static void test_collapsed(void)
{
    static const uint32_t corner[4][6] = {
        {0, 0, 5, 3, 3, 3}, {0, 8, 13, 3, 11, 6}, {0, 0, 16, 3, 3, 3}, {0, 1, 2, 3, 11, 4}};
    for (int i = 0; i < 4; i++) {
        body b = box_and(corner[i]), box = body_box((const double[]){1, 1, 1});
        CU_ASSERT(!body_make(&store, &b) && !body_make(&store, &box));
        EXPECT(shape_is_convex(b.s) == (i < 2), "corners %d", i);
        for (int k = 0; k < 20; k++) {
            const pose_map put = map_of((const double[]){1, 0, 0, 0}, (const double[]){0, 0, 0});
            const pose_map other = map_of((const double[]){1, 0.1 * k, 0, 0.3},
                                          (const double[]){4, 0.2 * k - 2, 0.3 * k});
            shape_nearest n;
            shape_distance(b.s, &put, box.s, &other, &(shape_pair){0}, &n);
            const double want = (double)true_distance(&b, &put, &box, &other, i < 2);
            EXPECT(fabs(n.distance - want) <= n.error, "corners %d: %g, not %g", i, n.distance,
                   want);
        }
        body_free(&store, &b);
        body_free(&store, &box);
    }
}

/* ---- bodies that are not convex */

/* A vertex of a convex body is moved, by one unit or far. */
static void test_dented(void)
{
    rng r = {5};
    uint64_t convex = 0;
    const uint64_t cases = test_cases(400);
    for (uint64_t c = 0; c < cases; c++) {
        body b =
            rng_below(&r, 2) ? whole_box(rng_below(&r, 6)) : body_hull(&r, 4 + rng_below(&r, 8));
        const size_t at = 3 * (size_t)rng_below(&r, b.vertices) + rng_below(&r, 3);
        const double by =
            rng_below(&r, 2) ? (rng_below(&r, 2) ? 1 : -1) : (double)rng_below(&r, 2000) - 1000;
        b.x[at] += by;
        convex += (uint64_t)check_and_free("dented", b);
    }
    EXPECT(convex > cases / 10 && convex < cases - cases / 10, "%llu of %llu are convex",
           (unsigned long long)convex, (unsigned long long)cases);
}

/* One triangle missing, one repeated, one flipped; the whole body twice. */
static void test_not_closed(void)
{
    rng r = {9};
    for (int c = 0; c < 20; c++) {
        body b = body_hull(&r, 4 + rng_below(&r, 8)), less = body_copy(&b), over = body_copy(&b);
        body twice = body_join(&b, &b);
        less.triangles--;
        turn_over(&over, 1, 2);
        CU_ASSERT(!check_and_free("open", less));
        CU_ASSERT(!check_and_free("one over", over));
        CU_ASSERT(!check_and_free("twice", twice));
        memcpy(b.corner, b.corner + 3, 3 * sizeof *b.corner);
        CU_ASSERT(!check_and_free("repeated", b));
    }
}

/* Two tetrahedra side by side, and one inside the other. */
static void test_shape_two(void)
{
    rng r = {15};
    for (int c = 0; c < 20; c++) {
        body a = body_hull(&r, 4), b = body_hull(&r, 4);
        if (c % 2)
            body_move(&b, (const double[]){3000, 0, 0});
        else
            body_scale(&a, 40);
        CU_ASSERT(!check_and_free("two", body_join(&a, &b)));
        body_free(NULL, &a);
        body_free(NULL, &b);
    }
}

static void test_shape_flat(void)
{
    body b = body_box((const double[]){1, 1, 0});
    CU_ASSERT(!check_and_free("without volume", b));
    rng r = {1};
    CU_ASSERT(!check_and_free("sheet", body_sheet(&r, 1)));
}

/* Two pyramids on one polygon that winds twice, first around its small loop. No edge is concave,
 * and the first vertices are inside all planes; only a walk around an apex shows it. */
static void test_winding(void)
{
    CU_ASSERT(!check_and_free("winds twice", body_winding(12)));
    CU_ASSERT(!check_and_free("winds twice", body_winding(30)));
}

static void test_radius(void)
{
    body b = body_box((const double[]){3, 4, 12});
    CU_ASSERT(!body_make(&store, &b));
    EXPECT(shape_radius(b.s) >= 13 && shape_radius(b.s) < 13 * (1 + 1e-14), "%.17g",
           shape_radius(b.s));
    body_free(&store, &b);
}

/* Memory is freed, also if there is too little. */
static void test_shape_memory(void)
{
    body b = body_grid_box(4);
    mem all = {0};
    CU_ASSERT(!body_make(&all, &b));
    const uint64_t whole = all.peak;
    shape_free(&all, b.s);
    b.s = NULL;
    EXPECT(all.now == 0, "%llu bytes are left", (unsigned long long)all.now);
    for (uint64_t limit = whole / 40; limit < whole; limit += whole / 40) {
        mem few = {.limit = limit};
        CU_ASSERT(body_make(&few, &b) == IMP_ERR_MEMORY && !b.s);
        EXPECT(few.now == 0, "limit %llu: %llu bytes are left", (unsigned long long)limit,
               (unsigned long long)few.now);
        mem_close(&few);
    }
    body_free(&store, &b);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"convex", test_shape_convex}, {"collapsed", test_collapsed},
                                 {"dented", test_dented},       {"not_closed", test_not_closed},
                                 {"two", test_shape_two},       {"flat", test_shape_flat},
                                 {"winding", test_winding},     {"radius", test_radius},
                                 {"memory", test_shape_memory}, {0}};
    return test_main(argc, argv, "shape", tests);
}
