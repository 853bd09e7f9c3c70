/* Counting pairs of numbers (host/base/sort_tally.c), in the orders of objects and object pairs: in
 * rows, in columns, in diagonals, at random. */
#include "expect.h"
#include "sort_tally.h"
#include "testlib.h"

#include <string.h>

#define MANY 100000

static void number_pair(int kind, int32_t i, int32_t *a, int32_t *b)
{
    const int32_t all[][2] = {{i, 0},
                              {0, i},
                              {i, i},
                              {i, i + 1},
                              {-i, i},
                              {i * 4096, 7},
                              {i / 300, i % 300},
                              {i << 12, i << 4},
                              {INT32_MIN, i},
                              {i - 50000, INT32_MAX}};
    *a = all[kind][0];
    *b = all[kind][1];
}
#define KINDS 10

static void test_patterns(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        mem m = {0};
        tally t = {.mem = &m};
        int32_t a, b;
        for (uint64_t round = 1; round < 3; round++)
            for (int32_t i = 0; i < MANY; i++) {
                number_pair(kind, i, &a, &b);
                CU_ASSERT(!tally_add(&t, a, b, round));
            }
        tally_merge(&t);
        EXPECT(t.rows == MANY, "%zu rows of kind %d", t.rows, kind);
        size_t wrong = 0;
        for (size_t i = 0; i < t.rows; i++) {
            const tally_row *r = &t.row[i];
            wrong += r->count != 3;
            wrong += i > 0 && (r->a < r[-1].a || (r->a == r[-1].a && r->b <= r[-1].b));
        }
        EXPECT(!wrong, "%zu wrong rows of kind %d", wrong, kind);
        tally_free(&t);
        CU_ASSERT(atomic_load(&m.now) == 0);
    }
}

/* Against a plain table; cleared and reused. */
static void test_tally_random(void)
{
    static uint64_t want[40][40];
    rng r = {11};
    mem m = {0};
    tally t = {.mem = &m};
    for (int round = 0; round < 2; round++) {
        memset(want, 0, sizeof want);
        tally_clear(&t);
        for (int i = 0; i < 20000; i++) {
            uint32_t a = rng_below(&r, 40), b = rng_below(&r, 40), n = rng_below(&r, 3);
            want[a][b] += n;
            CU_ASSERT(!tally_add(&t, (int32_t)a - 20, (int32_t)b, n));
        }
        tally_merge(&t);
        size_t rows = 0;
        for (int a = 0; a < 40; a++)
            for (int b = 0; b < 40; b++)
                rows += want[a][b] > 0;
        EXPECT(t.rows == rows, "%zu rows, not %zu", t.rows, rows);
        for (size_t i = 0; i < t.rows; i++)
            CU_ASSERT(t.row[i].count == want[t.row[i].a + 20][t.row[i].b]);
        tally_sort(&t);
        for (size_t i = 1; i < t.rows; i++)
            CU_ASSERT(t.row[i].count <= t.row[i - 1].count);
    }
    tally_free(&t);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"patterns", test_patterns}, {"random", test_tally_random}, {0}};
    return test_main(argc, argv, "tally", tests);
}
