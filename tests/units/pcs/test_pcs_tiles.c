/* The possible collision set equals a comparison of all pairs of boxes: none missing, none twice,
 * for sizes that differ by any factor, while boxes change, and by the engine on each device. */
#include "expect.h"
#include "pcs_state.h"
#include "pcs_motion.h"
#include "pcs_tiles.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 400 /* boxes */

typedef struct scene {
    mem m;
    uint32_t count;
    double box[MOST][6];
    pcs_tiles tiles;
    pcs_pairs found, want;
} scene;

static const double (*boxes(const scene *s))[6]
{
    return (const double(*)[6])s->box;
}

/* Compared here, by the definition. */
static int pcs_tiles_test_boxes_meet(const double a[6], const double b[6])
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

static void brute(scene *s, uint32_t only)
{
    s->want.count = 0;
    for (uint32_t a = 0; a < s->count; a++)
        for (uint32_t b = a + 1; b < s->count; b++)
            if ((only == UINT32_MAX || a == only || b == only) &&
                pcs_tiles_test_boxes_meet(s->box[a], s->box[b]))
                CU_ASSERT_FATAL(pcs_pairs_add(&s->m, &s->want, a, b) == IMP_OK);
}

static int pcs_tiles_test_same(scene *s)
{
    CU_ASSERT_FATAL(pcs_pairs_sort(&s->m, &s->found, s->count) == IMP_OK);
    return s->found.count == s->want.count &&
           (!s->want.count ||
            memcmp(s->found.at, s->want.at, s->want.count * sizeof *s->want.at) == 0);
}

static void check_pcs_tiles_all(scene *s, const char *name)
{
    s->found.count = 0;
    CU_ASSERT(pcs_tiles_all_pairs(&s->m, &s->tiles, &s->found) == IMP_OK);
    brute(s, UINT32_MAX);
    EXPECT(pcs_tiles_test_same(s), "%s: %zu pairs, not %zu", name, s->found.count, s->want.count);
}

static void check_pcs_tiles_one(scene *s, uint32_t body, const char *name)
{
    s->found.count = 0;
    CU_ASSERT(pcs_tiles_pairs_of_body(&s->m, &s->tiles, body, &s->found) == IMP_OK);
    brute(s, body);
    EXPECT(pcs_tiles_test_same(s), "%s: %zu pairs of one, not %zu", name, s->found.count,
           s->want.count);
}

static void pcs_tiles_test_scene_free(scene *s)
{
    pcs_tiles_free(&s->m, &s->tiles);
    mem_free(&s->m, s->found.at);
    mem_free(&s->m, s->want.at);
    mem_close(&s->m);
    free(s);
}

/* Sizes from 1 to `ratio`, each with about the same density; some on a grid, so that faces touch
 * and lie on borders of tiles; some without extent. */
static void random_box(double box[6], double ratio, rng *r)
{
    const double size = pow(ratio, rng_unit(r)), room = 4 * pow(ratio, 0.7);
    const int grid = rng_below(r, 3) == 0, flat = (int)rng_below(r, 12);
    for (int k = 0; k < 3; k++) {
        double low = room * (2 * rng_unit(r) - 1), high;
        low = grid ? rint(low) : low;
        high = low + (grid ? rint(size) : size * (0.2 + 0.8 * rng_unit(r)));
        box[k] = low;
        box[3 + k] = flat == k || flat == 4 ? low : high;
    }
}

static scene *pcs_tiles_test_scene_make(uint32_t count, double ratio, rng *r)
{
    scene *s = calloc(1, sizeof *s);
    CU_ASSERT_FATAL(s != NULL);
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        random_box(s->box[i], ratio, r);
    return s;
}

static void pcs_tiles_test_tile(scene *s)
{
    CU_ASSERT_FATAL(pcs_tiles_make(&s->m, &s->tiles, boxes(s), s->count) == IMP_OK);
}

static void test_pcs_tiles_random(void)
{
    rng r = {1};
    for (uint64_t i = 0; i < test_cases(40); i++) {
        const double ratio = pow(10, (double)(i % 5)); /* 1 to 10^4 */
        scene *s = pcs_tiles_test_scene_make(1 + rng_below(&r, MOST), ratio, &r);
        pcs_tiles_test_tile(s);
        check_pcs_tiles_all(s, "random");
        pcs_tiles_test_tile(s); /* again, in the same memory */
        check_pcs_tiles_all(s, "again");
        s->count -= s->count / 3; /* entries of the other boxes are gone */
        pcs_tiles_test_tile(s);
        check_pcs_tiles_all(s, "fewer");
        pcs_tiles_test_scene_free(s);
    }
}

/* Boxes change one by one, also from the smallest class to the largest one. */
static void test_change(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(20); i++) {
        const double ratio = pow(10, (double)(i % 5));
        scene *s = pcs_tiles_test_scene_make(120, ratio, &r);
        pcs_tiles_test_tile(s);
        for (int k = 0; k < 200; k++) {
            const uint32_t body = rng_below(&r, s->count);
            pcs_tiles_remove(&s->tiles, body);
            random_box(s->box[body], k % 20 ? ratio : 1e6, &r);
            CU_ASSERT(pcs_tiles_add(&s->m, &s->tiles, body) == IMP_OK);
            check_pcs_tiles_one(s, body, "change");
        }
        check_pcs_tiles_all(s, "after changes");
        pcs_tiles_test_scene_free(s);
    }
}

/* Coordinates and edges at the limits of float64: no tile index wraps around. */
static void test_pcs_tiles_far(void)
{
    static const double scales[] = {0x1p-1060, 0x1p-900, 0x1p-30, 0x1p100, 0x1p1000};
    rng r = {3};
    for (int i = 0; i < 5; i++) {
        scene *s = pcs_tiles_test_scene_make(200, 100, &r);
        for (uint32_t b = 0; b < s->count; b++)
            for (int k = 0; k < 6; k++)
                s->box[b][k] *= scales[i];
        pcs_tiles_test_tile(s);
        check_pcs_tiles_all(s, "scaled");
        for (uint32_t b = 0; b < s->count; b += 3) /* small boxes far away: several at one place */
            for (int k = 0; k < 6; k++)
                s->box[b][k] = (b % 2 ? 1e300 : -1e300) + (k < 3 ? 0 : fabs(s->box[b][k]));
        pcs_tiles_test_tile(s);
        check_pcs_tiles_all(s, "far");
        for (uint32_t b = 0; b < s->count; b += 7)
            check_pcs_tiles_one(s, b, "far");
        pcs_tiles_test_scene_free(s);
    }
}

/* Corners of any magnitude on both sides of 0: in larger classes the smaller ones are rounded to 0.
 */
static void test_near_zero(void)
{
    rng r = {9};
    for (uint64_t i = 0; i < test_cases(10); i++) {
        scene *s = pcs_tiles_test_scene_make(200, 1, &r);
        for (uint32_t b = 0; b < s->count; b++)
            for (int k = 0; k < 3; k++) {
                const int side = (int)rng_below(&r, 4); /* 0: both, else one */
                const double x = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 1170) - 1074);
                const double y = ldexp(1 + rng_unit(&r), (int)rng_below(&r, 1170) - 1074);
                s->box[b][k] = side == 0 ? -x : side == 1 ? fmin(x, y) : -fmax(x, y);
                s->box[b][3 + k] = side == 0 ? y : side == 1 ? fmax(x, y) : -fmin(x, y);
            }
        pcs_tiles_test_tile(s);
        check_pcs_tiles_all(s, "near 0");
        for (uint32_t b = 0; b < s->count; b += 7)
            check_pcs_tiles_one(s, b, "near 0");
        pcs_tiles_test_scene_free(s);
    }
}

/* Points only; all at one place; one box that contains all others. */
static void test_pcs_tiles_degenerate(void)
{
    rng r = {4};
    scene *s = pcs_tiles_test_scene_make(60, 10, &r);
    for (uint32_t b = 0; b < s->count; b++)
        for (int k = 0; k < 3; k++)
            s->box[b][k] = s->box[b][3 + k] = (double)rng_below(&r, 3);
    pcs_tiles_test_tile(s);
    check_pcs_tiles_all(s, "points");
    for (int k = 0; k < 6; k++)
        s->box[17][k] = k < 3 ? -1e4 : 1e4;
    pcs_tiles_test_tile(s);
    check_pcs_tiles_all(s, "one holds all");
    for (uint32_t b = 0; b < s->count; b++)
        check_pcs_tiles_one(s, b, "one holds all");
    memset(s->box, 0, sizeof s->box);
    pcs_tiles_test_tile(s);
    check_pcs_tiles_all(s, "one place");
    check_pcs_tiles_one(s, 3, "one place");
    pcs_tiles_test_scene_free(s);
}

/* The tiles of a body have different hashes; finding each pair once relies on that. */
static void test_pcs_tiles_hash(void)
{
    rng r = {8};
    for (int i = 0; i < 1000; i++) {
        int64_t at[3];
        uint32_t hash[8];
        const int class = (int)rng_below(&r, PCS_CLASSES) + PCS_CLASS_LEAST;
        for (int k = 0; k < 3; k++)
            at[k] = (int64_t)(ldexp(rng_unit(&r) - 0.5, (int)rng_below(&r, 63)));
        for (int k = 0; k < 8; k++) {
            hash[k] = pcs_tile_hash(at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2), class);
            for (int j = 0; j < k; j++)
                EXPECT(hash[j] != hash[k], "tiles %d and %d have one hash", j, k);
        }
    }
}

/* A small box in two tiles of a larger one's class: the other box is in the second tile and in the
 * next one, which has the hash of the first. */
static void test_one_hash(void)
{
    static const int64_t first = 1034549132;
    const double x = (double)first;
    scene *s = pcs_tiles_test_scene_make(2, 1, &(rng){10});
    CU_ASSERT_EQUAL_FATAL(pcs_tile_hash(first, 0, 0, 0), pcs_tile_hash(first + 2, 0, 0, 0));
    memcpy(s->box[0], (double[]){x + 1.25, 0.25, 0.25, x + 2.125, 0.5, 0.5}, sizeof *s->box);
    memcpy(s->box[1], (double[]){x + 0.9375, 0.25, 0.25, x + 1.375, 0.5, 0.5}, sizeof *s->box);
    pcs_tiles_test_tile(s);
    check_pcs_tiles_all(s, "one hash");
    check_pcs_tiles_one(s, 0, "one hash");
    check_pcs_tiles_one(s, 1, "one hash");
    pcs_tiles_test_scene_free(s);
}

/* ---- work */

/* With the same density of each size, entries do not grow with the ratio, and classes only with its
 * logarithm. A body has at most 8 entries. */
static void test_pcs_tiles_work(void)
{
    rng r = {5};
    for (double ratio = 1; ratio < 1e5; ratio *= 10) {
        scene *s = pcs_tiles_test_scene_make(MOST, ratio, &r);
        pcs_tiles_test_tile(s);
        EXPECT(s->tiles.tiles <= 8 * MOST, "%zu entries", s->tiles.tiles);
        EXPECT(s->tiles.presents <= log2(5 * ratio) + 3, "%d classes", s->tiles.presents);
        pcs_tiles_test_scene_free(s);
    }
}

/* ---- the engine */

static void by_engine(const char *device)
{
    rng r = {6};
    for (int i = 0; i < 5; i++) {
        scene *s = pcs_tiles_test_scene_make(MOST, pow(10, i), &r);
        pcs_engine e = {0};
        CU_ASSERT_FATAL(pcs_engine_open(&s->m, &e, device, 1, s->count) == IMP_OK);
        for (int round = 0; round < 2; round++) {
            s->found.count = 0;
            CU_ASSERT(pcs_engine_all_pairs(&s->m, &e, boxes(s), s->count, NULL, &s->found) ==
                      IMP_OK);
            brute(s, UINT32_MAX);
            EXPECT(pcs_tiles_test_same(s), "%s: %zu pairs, not %zu", device, s->found.count,
                   s->want.count);
            random_box(s->box[5], 1e4, &r);
        }
        pcs_engine_close(&s->m, &e);
        pcs_tiles_test_scene_free(s);
    }
}

static void test_engine(void)
{
    imp_device_info info;
    by_engine("cpu");
    if (!imp_device_at(1, &info)) {
        test_partial("no OpenCL device");
        return;
    }
    by_engine("opencl");
}

static void test_engine_stops(void)
{
    rng r = {7};
    scene *s = pcs_tiles_test_scene_make(MOST, 10, &r);
    pcs_engine e = {0};
    const atomic_int stop = 1;
    CU_ASSERT_FATAL(pcs_engine_open(&s->m, &e, "cpu", 1, s->count) == IMP_OK);
    CU_ASSERT(pcs_engine_all_pairs(&s->m, &e, boxes(s), s->count, &stop, &s->found) ==
              IMP_ERR_CANCELLED);
    pcs_engine_close(&s->m, &e);
    pcs_tiles_test_scene_free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"random", test_pcs_tiles_random},
                                 {"change", test_change},
                                 {"far", test_pcs_tiles_far},
                                 {"near zero", test_near_zero},
                                 {"degenerate", test_pcs_tiles_degenerate},
                                 {"hash", test_pcs_tiles_hash},
                                 {"one hash", test_one_hash},
                                 {"work", test_pcs_tiles_work},
                                 {"engine", test_engine},
                                 {"engine_stops", test_engine_stops},
                                 {0}};
    return test_main(argc, argv, "pcs_tiles", tests);
}
