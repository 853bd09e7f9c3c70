/* kernels/cell.h as C: cells, levels and the hash, against integers of any length. */
#include "cell.h"
#include "prim.h"

#include "testlib.h"

#include <gmp.h>
#include <math.h>

#define MOST (BOUND_REACH << 24) /* cells are within this */

static int64_t cell_floor_divide(int64_t i, int64_t by)
{
    return i / by - (i % by < 0);
}

/* a number with uniformly distributed magnitude and sign */
static int32_t any_cell(rng *r)
{
    int32_t i = (int32_t)rng_below(r, (uint32_t)1 << rng_below(r, 27));
    return rng_below(r, 2) ? i : -i;
}

/* ---- cells */

static void test_floor(void)
{
    static const struct {
        float x, inv;
        int32_t cell;
    } rows[] = {
        {0.0f, 1, 0},
        {-0.0f, 1, 0},
        {0.999999f, 1, 0},
        {1, 1, 1},
        {-1e-30f, 1, -1},
        {-0.5f, 1, -1},
        {-1, 1, -1},
        {-1.0000001f, 1, -2},
        {0.75f, 4, 3},
        {-0.75f, 4, -3},
        {-0.76f, 4, -4},
        {1, 0x1p24f, 1 << 24},
        {-1, 0x1p24f, -(1 << 24)},
        {-1, 0.25f, -1},
        {0x1p-64f, 0x1p24f, 0},
        {-0x1p-64f, 0x1p24f, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CU_ASSERT_EQUAL(cell_of(rows[i].x, rows[i].inv), rows[i].cell);
}

/* A product of two float32 is exact in float64; rounding that is the only rounding. */
static void test_product(void)
{
    rng r = {1};
    int wrong = 0;
    for (uint64_t i = test_count(2000000); i > 0; i--) {
        float x = (float)(4 * rng_unit(&r) - 2);
        float inv = (float)exp2(26 * rng_unit(&r) - 2);
        float product = (float)((double)x * (double)inv);
        wrong += cell_of(x, inv) != (int32_t)floor((double)product);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Steps of one ulp over a border are monotonic, and cross it exactly where the product does. */
static void test_borders(void)
{
    rng r = {2};
    int wrong = 0;
    for (uint64_t i = test_count(500000); i > 0; i--) {
        float inv = (float)exp2(24 * rng_unit(&r));
        float x = (float)any_cell(&r) / inv;
        if (fabsf(x) > BOUND_REACH)
            continue;
        float below = nextafterf(x, -INFINITY), above = nextafterf(x, INFINITY);
        wrong += cell_of(below, inv) > cell_of(x, inv) || cell_of(x, inv) > cell_of(above, inv);
        wrong += cell_of(above, inv) - cell_of(below, inv) > 1 && inv < 0x1p20f;
        wrong += (double)cell_of(x, inv) > (double)(x * inv);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_up(void)
{
    rng r = {3};
    int wrong = 0;
    static const int32_t ends[] = {-MOST, -MOST + 1, -2, -1, 0, 1, 2, MOST - 1, MOST};
    for (uint32_t level = 0; level < CELL_LEVELS; level++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            wrong += cell_up(ends[i], level) != cell_floor_divide(ends[i], INT64_C(1) << level);
        for (uint64_t i = test_count(50000); i > 0; i--) {
            int32_t c = any_cell(&r);
            wrong += cell_up(c, level) != cell_floor_divide(c, INT64_C(1) << level);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Boxes that overlap share a cell at every level: the one with the lower corner of their
 * intersection. */
static void test_owner(void)
{
    rng r = {4};
    int wrong = 0;
    for (uint64_t i = test_count(500000); i > 0; i--) {
        float a[2], b[2], inv = (float)exp2(24 * rng_unit(&r));
        for (int k = 0; k < 2; k++) {
            a[k] = (float)(BOUND_REACH * (2 * rng_unit(&r) - 1));
            b[k] = rng_below(&r, 4) ? (float)(BOUND_REACH * (2 * rng_unit(&r) - 1)) : a[1];
        }
        float alo = fminf(a[0], a[1]), ahi = fmaxf(a[0], a[1]);
        float blo = fminf(b[0], b[1]), bhi = fmaxf(b[0], b[1]);
        uint32_t l = rng_below(&r, CELL_LEVELS);
        if (alo > bhi || blo > ahi)
            continue;
        int32_t owner = i32_max(cell_up(cell_of(alo, inv), l), cell_up(cell_of(blo, inv), l));
        wrong += owner > cell_up(cell_of(ahi, inv), l) || owner > cell_up(cell_of(bhi, inv), l);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* ---- levels */

static int spans(const float box[6], float inv, uint32_t level)
{
    for (int k = 0; k < 3; k++) {
        int64_t size = INT64_C(1) << level;
        int64_t lo = cell_floor_divide((int64_t)floorf(box[k] * inv), size);
        int64_t hi = cell_floor_divide((int64_t)floorf(box[3 + k] * inv), size);
        if (hi - lo + 1 > CELL_SPAN)
            return 0;
    }
    return 1;
}

/* The lowest level at which a box covers at most CELL_SPAN cells along each axis. */
static void test_cell_level(void)
{
    rng r = {5};
    int wrong = 0;
    for (uint64_t i = test_count(500000); i > 0; i--) {
        float box[6], inv = (float)exp2(26 * rng_unit(&r) - 2);
        for (int k = 0; k < 3; k++) {
            double at = BOUND_REACH * (2 * rng_unit(&r) - 1), size = exp2(3 - 29 * rng_unit(&r));
            box[k] = (float)at;
            box[3 + k] = (float)(at + size > BOUND_REACH ? BOUND_REACH : at + size);
        }
        uint32_t level = cell_level(box, inv), want = 0;
        while (!spans(box, inv, want))
            want++;
        wrong += level != want;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    const float most = BOUND_REACH, all[6] = {-most, -most, -most, most, most, most};
    CU_ASSERT(cell_level(all, 0x1p24f) < CELL_LEVELS);
    CU_ASSERT(spans(all, 0x1p24f, cell_level(all, 0x1p24f)));
}

static void test_at(void)
{
    const float p[3] = {-0.31f, 0.7f, 1};
    cell3 c = cell_at(p, 10, 0), up = cell_at(p, 10, 1), most = cell_max(c, up);
    CU_ASSERT(c.x == -4 && c.y == 7 && c.z == 10);
    CU_ASSERT(up.x == -2 && up.y == 3 && up.z == 5);
    CU_ASSERT(most.x == -2 && most.y == 7 && most.z == 10);
    CU_ASSERT(cell_same(c, c) && !cell_same(c, up));
}

/* ---- the hash */

/* the formula of kernels/README.md, remainder not negative */
static uint32_t big_hash(const cell3 *c, uint32_t length)
{
    static const unsigned long prime[3] = {2000689, 8000981, 5123693};
    const int32_t at[3] = {c->x, c->y, c->z};
    mpz_t sum, part;
    mpz_inits(sum, part, NULL);
    for (int k = 0; k < 3; k++) {
        mpz_set_si(part, at[k]);
        mpz_mul_ui(part, part, prime[k]);
        mpz_add(sum, sum, part);
    }
    uint32_t h = (uint32_t)mpz_fdiv_ui(sum, length);
    mpz_clears(sum, part, NULL);
    return h;
}

static void test_cell_hash(void)
{
    static const int32_t ends[] = {INT32_MIN, -MOST, -1074, -420, -1, 0, 1, 269, MOST, INT32_MAX};
    static const uint32_t lengths[] = {1, 2, 3, 6, 2000689, 8000981, 1u << 31, UINT32_MAX};
    rng r = {6};
    int wrong = 0;
    for (int i = 0; i < 1000; i++)
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            const cell3 c = {ends[i % 10], ends[i / 10 % 10], ends[i / 100]};
            wrong += cell_hash(c, lengths[n]) != big_hash(&c, lengths[n]);
        }
    for (uint64_t i = test_count(500000); i > 0; i--) {
        const cell3 c = {any_cell(&r), any_cell(&r), any_cell(&r)};
        uint32_t length = 1 + (uint32_t)(rng_next(&r) >> (32 + rng_below(&r, 32)));
        wrong += cell_hash(c, length ? length : 1) != big_hash(&c, length ? length : 1);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* From a cell to the next one along an axis, h grows by the axis's step, for every length. */
static void test_cell_steps(void)
{
    static const uint32_t lengths[] = {1, 2, 3, 6, 2000689, 5123693, 8000981, 1u << 31, UINT32_MAX};
    rng r = {7};
    int wrong = 0;
    for (uint64_t i = test_count(200000); i > 0; i--) {
        uint32_t length = i % 2 ? lengths[i / 2 % 9] : 1 + (uint32_t)(rng_next(&r) >> 33);
        const cell_steps step = cell_hash_steps(length);
        const cell3 c = {any_cell(&r), any_cell(&r), any_cell(&r)};
        const cell3 x = {c.x + 1, c.y, c.z}, y = {c.x, c.y + 1, c.z}, z = {c.x, c.y, c.z + 1};
        uint32_t h = cell_hash(c, length);
        wrong += cell_hash_add(h, step.x, length) != big_hash(&x, length);
        wrong += cell_hash_add(h, step.y, length) != big_hash(&y, length);
        wrong += cell_hash_add(h, step.z, length) != big_hash(&z, length);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"floor", test_floor},
        {"product", test_product},
        {"borders", test_borders},
        {"up", test_up},
        {"owner", test_owner},
        {"level", test_cell_level},
        {"at", test_at},
        {"hash", test_cell_hash},
        {"steps", test_cell_steps},
        {0},
    };
    return test_main(argc, argv, "cell", tests);
}
