/* Sorting on the host (host/base/sort_tally.c): keys in many orders, with few and with many
 * different values, by several numbers of threads. The reference is the C library's qsort. */
#include "expect.h"
#include "sort_tally.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST 300000

static sort_key given[LARGEST], sorted[LARGEST], want[LARGEST];

static int compare(const void *p, const void *q)
{
    const sort_key *x = p, *y = q;
    const uint64_t one[] = {x->high, x->low, x->index}, two[] = {y->high, y->low, y->index};
    for (int i = 0; i < 3; i++)
        if (one[i] != two[i])
            return one[i] < two[i] ? -1 : 1;
    return 0;
}

/* Distributions of keys; indices are distinct, in any order. */
enum way { RANDOM, EQUAL, FEW, HIGH, ASCENDING, DESCENDING, MOSTLY_ZERO, WAYS };

static void sort_keys_test_fill(enum way w, size_t n, rng *r)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = (uint64_t)rng_below(r, UINT32_MAX) << 32 | rng_below(r, UINT32_MAX);
        const uint64_t low[] = {
            random, 7, random % 3, random % 3, i, n - i, random % 4 ? 0 : random};
        given[i] = (sort_key){
            .high = w == HIGH ? rng_below(r, 5) : 0, .index = (uint32_t)i, .low = low[w]};
    }
    for (size_t i = n; w != ASCENDING && w != DESCENDING && i > 1; i--) {
        const size_t j = rng_below(r, (uint32_t)i);
        const uint32_t index = given[i - 1].index;
        given[i - 1].index = given[j].index;
        given[j].index = index;
    }
}

static void check_sort_keys(enum way w, size_t n, int threads)
{
    mem m = {0};
    memcpy(sorted, given, n * sizeof *given);
    CU_ASSERT(sort_keys(&m, threads, sorted, n) == 0);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += compare(&sorted[i], &want[i]) != 0;
    EXPECT(wrong == 0, "way %d, %zu keys, %d threads: %zu are at a wrong place", (int)w, n, threads,
           wrong);
    CU_ASSERT(atomic_load(&m.now) == 0);
}

static void test_sort_keys_orders(void)
{
    static const size_t sizes[] = {0, 1, 2, 16, 17, 32, 33, 1000, 1024, 1025, 5000, 70000, LARGEST};
    static const int threads[] = {1, 2, 7};
    rng r = {5};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int w = 0; w < WAYS; w++) {
            sort_keys_test_fill((enum way)w, sizes[s], &r);
            memcpy(want, given, sizes[s] * sizeof *want);
            qsort(want, sizes[s], sizeof *want, compare);
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                check_sort_keys((enum way)w, sizes[s], threads[t]);
        }
}

/* Running out of memory at any time is an error, and no key is lost. */
static void test_sort_keys_memory(void)
{
    rng r = {6};
    sort_keys_test_fill(RANDOM, 5000, &r);
    for (uint64_t limit = 1; limit < 200000; limit += 4001) {
        mem m = {.limit = limit};
        memcpy(sorted, given, sizeof *given * 5000);
        const int err = sort_keys(&m, 3, sorted, 5000);
        CU_ASSERT(err == (limit < 5000 * 18 ? IMP_ERR_MEMORY : err));
        CU_ASSERT(err == 0 || !memcmp(sorted, given, sizeof *given * 5000));
        CU_ASSERT(atomic_load(&m.now) == 0);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"orders", test_sort_keys_orders}, {"memory", test_sort_keys_memory}, {0}};
    return test_main(argc, argv, "sort_keys", tests);
}
