/* A sample of a set contains the same elements for any chunks and any order of insertion. The
 * reference is a selection by the hashes of the whole set. */
#include "expect.h"
#include "sample.h"
#include "testlib.h"

#include <stdlib.h>

#define LARGEST 20000
#define TENTHS 10

static mem memory = {.limit = 1 << 30};

/* Different elements in a random order; some differ in the code only. */
typedef struct set {
    uint32_t a[LARGEST], b[LARGEST], code[LARGEST], n;
} set;

static void sample_test_swap(uint32_t *list, uint32_t i, uint32_t j)
{
    const uint32_t x = list[i];
    list[i] = list[j];
    list[j] = x;
}

static void sample_test_shuffle(set *s, rng *r)
{
    for (uint32_t i = s->n; i > 1; i--) {
        const uint32_t j = rng_below(r, i);
        sample_test_swap(s->a, i - 1, j);
        sample_test_swap(s->b, i - 1, j);
        sample_test_swap(s->code, i - 1, j);
    }
}

static void make_set(set *s, uint32_t n, rng *r)
{
    s->n = n;
    for (uint32_t i = 0; i < n; i++) {
        s->a[i] = i / 16;
        s->b[i] = i / 16 + 1 + i / 4 % 4;
        s->code[i] = i % 4;
    }
    sample_test_shuffle(s, r);
}

/* In chunks of random lengths. */
static void sample_test_collect(const set *of, uint32_t most, rng *r, sample *s)
{
    const uint32_t longest = 1 + rng_below(r, of->n + 1);
    for (uint32_t at = 0, n; at < of->n; at += n) {
        n = 1 + rng_below(r, longest);
        n = n < of->n - at ? n : of->n - at;
        CU_ASSERT_EQUAL_FATAL(
            sample_add(&memory, s, most, of->a + at, of->b + at, of->code + at, n), 0);
        CU_ASSERT_FATAL(s->count < 2 * (size_t)most);
    }
    sample_end(s, most);
}

/* Number of elements with a lower hash. No two hashes are equal in sets of this size. */
static size_t sample_test_rank(const sample *all, uint64_t hash)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++)
        n += all->list[i].hash < hash;
    return n;
}

static int sample_test_number(const sampled *x)
{
    return (int)(x->a * 16 + (x->b - x->a - 1) * 4 + x->code);
}

/* Checks that the sample has the elements with the least hashes, each once, in order. */
static void is_selected(const sample *s, const sample *all, uint32_t most)
{
    size_t wrong = s->count != (all->count < most ? all->count : most);
    for (size_t i = 0; i < s->count; i++) {
        const sampled *x = &s->list[i], *same = &all->list[sample_test_number(x)];
        wrong += x->hash != same->hash || sample_test_number(x) != sample_test_number(same);
        wrong += sample_test_rank(all, x->hash) >= most;
        wrong += i && sample_test_number(x) <= sample_test_number(x - 1);
    }
    EXPECT(!wrong, "%u of %zu: %zu are wrong", most, all->count, wrong);
}

static uint32_t random_size(rng *r, uint32_t most)
{
    return rng_below(r, 1 + rng_below(r, most));
}

static void test_sample_pieces(void)
{
    static set of;
    rng r = {3};
    for (uint64_t k = test_cases(200); k--;) {
        sample s = {0}, all = {0};
        const uint32_t most = 1 + random_size(&r, 1500);
        make_set(&of, random_size(&r, 3000), &r);
        sample_test_collect(&of, of.n + 1, &r, &all);
        CU_ASSERT_EQUAL_FATAL(all.count, of.n);
        for (int again = 0; again < 2; again++) { /* the second pass reuses the list */
            sample_test_shuffle(&of, &r);
            sample_test_collect(&of, most, &r, &s);
            is_selected(&s, &all, most);
            sample_clear(&s);
        }
        sample_free(&memory, &s);
        sample_free(&memory, &all);
    }
}

/* Each tenth of the numbers has its proportion, within five standard deviations. */
static void test_spread(void)
{
    static set of;
    const uint32_t most = 4000;
    rng r = {5};
    sample s = {0};
    int count[TENTHS] = {0};
    make_set(&of, LARGEST, &r);
    sample_test_collect(&of, most, &r, &s);
    for (size_t i = 0; i < s.count; i++)
        count[sample_test_number(&s.list[i]) / (LARGEST / TENTHS)]++;
    for (int t = 0; t < TENTHS; t++)
        EXPECT(abs(count[t] - 400) < 100, "tenth %d has %d of %u", t, count[t], most);
    sample_free(&memory, &s);
}

/* Too little memory is reported; no product overflows 32 bits. */
static void test_sample_memory(void)
{
    mem small = {.limit = 5000};
    static const uint32_t zero[1000];
    sample s = {0};
    CU_ASSERT_EQUAL(sample_add(&small, &s, UINT32_MAX, zero, zero, zero, 1000), IMP_ERR_MEMORY);
    CU_ASSERT(s.count > 0 && s.count < 1000);
    sample_free(&small, &s);
    CU_ASSERT_EQUAL(sample_add(&memory, &s, UINT32_MAX, zero, zero, NULL, 1000), 0);
    CU_ASSERT_EQUAL(s.count, 1000);
    sample_free(&memory, &s);
    mem_close(&small);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"pieces", test_sample_pieces},
                                 {"spread", test_spread},
                                 {"memory", test_sample_memory},
                                 {0}};
    const int failed = test_main(argc, argv, "sample", tests);
    mem_close(&memory);
    return failed;
}
