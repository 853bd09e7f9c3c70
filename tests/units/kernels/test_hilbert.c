/* kernels/hilbert.h as C: a curve through all cells whose steps are one cell long. */
#include "hilbert.h"

#include "testlib.h"

#include <stdlib.h>

#define BITS 5
#define SIDE (1 << BITS)
#define CELLS (SIDE * SIDE * SIDE)

typedef struct cell {
    int x, y, z;
} cell;

/* `digits` of a cell's position; the state continues */
static uint32_t hilbert_walk(uint32_t *state, uint32_t x, uint32_t y, uint32_t z, uint32_t digits)
{
    uint32_t c = hilbert_cell(x, y, z, digits), four[4] = {c, c, c, c}, out[4];
    uint32_t states[4] = {*state, *state, *state, *state};
    hilbert_positions4(states, four, digits, out);
    *state = states[0];
    return out[0];
}

static uint32_t hilbert_place(uint32_t x, uint32_t y, uint32_t z, uint32_t digits)
{
    uint32_t state = HILBERT_START;
    return hilbert_walk(&state, x, y, z, digits);
}

/* Every cell has its own position, and neighbours along the curve are neighbours in space. */
static void test_curve(void)
{
    cell *at = calloc(CELLS, sizeof *at);
    uint8_t *seen = calloc(CELLS, 1);
    int wrong = 0;
    CU_ASSERT_FATAL(at && seen);
    for (uint32_t i = 0; i < CELLS; i++) {
        cell c = {(int)(i % SIDE), (int)(i / SIDE % SIDE), (int)(i / SIDE / SIDE)};
        uint32_t p = hilbert_place((uint32_t)c.x, (uint32_t)c.y, (uint32_t)c.z, BITS);
        CU_ASSERT_FATAL(p < CELLS);
        wrong += seen[p]++;
        at[p] = c;
    }
    for (int i = 1; i < CELLS; i++)
        wrong +=
            abs(at[i].x - at[i - 1].x) + abs(at[i].y - at[i - 1].y) + abs(at[i].z - at[i - 1].z) !=
            1;
    CU_ASSERT_EQUAL(wrong, 0);
    free(at);
    free(seen);
}

/* The digits of two successive walks are those of one; fewer digits are the position of the larger
 * cell. */
static void test_digits(void)
{
    rng r = {5};
    int wrong = 0;
    for (uint64_t i = test_count(200000); i > 0; i--) {
        uint32_t n = 1 + rng_below(&r, HILBERT_DIGITS), more = rng_below(&r, n);
        uint32_t x = rng_below(&r, 1u << n), y = rng_below(&r, 1u << n), z = rng_below(&r, 1u << n);
        uint32_t state = HILBERT_START, few = n - more;
        uint32_t first = hilbert_walk(&state, x >> more, y >> more, z >> more, few);
        uint32_t rest = hilbert_walk(&state, x, y, z, more);
        wrong += (first << 3 * more | rest) != hilbert_place(x, y, z, n);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Four walks in parallel equal each walk alone. */
static void test_four(void)
{
    rng r = {7};
    int wrong = 0;
    for (uint64_t i = test_count(50000); i > 0; i--) {
        uint32_t n = 1 + rng_below(&r, HILBERT_DIGITS), at[4], four[4];
        uint32_t states[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START};
        for (int k = 0; k < 4; k++)
            at[k] = rng_below(&r, 1u << 3 * n);
        hilbert_positions4(states, at, n, four);
        for (int k = 0; k < 4; k++) {
            uint32_t alone[4] = {at[k], at[k], at[k], at[k]}, out[4];
            uint32_t state[4] = {HILBERT_START, HILBERT_START, HILBERT_START, HILBERT_START};
            hilbert_positions4(state, alone, n, out);
            wrong += four[k] != out[3] || states[k] != state[3];
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"curve", test_curve}, {"digits", test_digits}, {"four", test_four}, {0}};
    return test_main(argc, argv, "hilbert", tests);
}
