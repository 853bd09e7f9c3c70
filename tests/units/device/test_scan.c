/* Prefix sums and sorting on every device, in both forms, against plain loops. */
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the length that a work-item or a work-group owns, or a launch merges into one, and one less or
 * more: kernels/scan.cl, sort.cl, merge.cl */
static const uint32_t sizes[] = {0,     1,     2,     127,   128,    129,   255,   256,
                                 257,   1023,  1024,  1025,  2047,   2048,  2049,  4095,
                                 4096,  4097,  6143,  6144,  6145,   8193,  16384, 16385,
                                 32767, 32768, 32769, 65535, 100000, 524289};
#define SIZES (sizeof sizes / sizeof *sizes)

/* one more than the lengths up to which a group adds the tiles' sums, and up to which a group sums
 * their digits in one pass */
#define SUMS_MOST (2048 * 2048 + 1)
#define KEYS_MOST (1024 * 2048 + 1)
#define SIZE_MOST SUMS_MOST

enum fill { EQUAL, ASCENDING, DESCENDING, MOST, ZERO, FEW, ANY, FILLS };

static const char *const fill_names[] = {"equal", "ascending",  "descending", "most",
                                         "zero",  "few values", "any"};

static void fill_words(uint32_t *x, uint32_t n, enum fill f, uint32_t below, rng *r)
{
    for (uint32_t i = 0; i < n; i++)
        x[i] = f == EQUAL        ? 5
               : f == ASCENDING  ? i
               : f == DESCENDING ? n - i
               : f == MOST       ? UINT32_MAX
               : f == ZERO       ? 0
               : f == FEW        ? rng_below(r, 3) * 0x01010101u
                                 : (uint32_t)rng_next(r);
    for (uint32_t i = 0; i < n && below; i++)
        x[i] &= below - 1;
}

/* a device and its working memory */
typedef struct bench {
    const way *way;
    mem mem;
    device *d;
    scanner scan;
    sorter sort;
    buffer_u32 count, index, a, b; /* a, b: keys and values to sort */
    buffer_u64 offset;
    uint32_t *key, *value, *key_out, *value_out; /* [SIZE_MOST] */
    uint64_t *sum, *sum_out;                     /* [SIZE_MOST + 1] */
} bench;

static int scan_test_bench_open(bench *t, const way *w)
{
    *t = (bench){.way = w};
    t->d = way_open(w, &t->mem, NULL);
    uint32_t *words = malloc((size_t)4 * SIZE_MOST * sizeof *words);
    uint64_t *sums = malloc((size_t)2 * (SIZE_MOST + 1) * sizeof *sums);
    t->key = words;
    t->sum = sums;
    CU_ASSERT_FATAL(words && sums);
    t->value = t->key + SIZE_MOST;
    t->key_out = t->value + SIZE_MOST;
    t->value_out = t->key_out + SIZE_MOST;
    t->sum_out = t->sum + SIZE_MOST + 1;
    return t->d != NULL;
}

static void scan_test_bench_close(bench *t)
{
    if (t->d) {
        buffer *all[] = {&t->count.raw, &t->index.raw, &t->a.raw, &t->b.raw, &t->offset.raw};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            bytes_free(t->d, all[i]);
        scanner_free(t->d, &t->scan);
        sorter_free(t->d, &t->sort);
    }
    device_close(t->d);
    CU_ASSERT_EQUAL(t->mem.now, 0);
    free(t->key);
    free(t->sum);
}

static void scan_test_each_device(void (*run)(bench *t))
{
    way list[WAYS_MOST];
    size_t n = ways_find(list);
    for (size_t i = 0; i < n; i++) {
        bench t;
        if (list[i].no_fp64)
            continue; /* the same kernels */
        if (scan_test_bench_open(&t, &list[i]))
            run(&t);
        scan_test_bench_close(&t);
    }
}

/* ---- scan */

/* t->sum from t->key; returns the total */
static uint64_t plain_scan(bench *t, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        t->sum[i] = sum;
        sum += t->key[i];
    }
    t->sum[n] = sum;
    return sum;
}

static int scan(bench *t, uint32_t n, uint64_t *total)
{
    int err = buffer_put(t->d, &t->count, t->key, n);
    return err ? err : scan_counts(t->d, &t->scan, &t->count, n, &t->offset, total);
}

static void scan_once(bench *t, uint32_t n, enum fill f)
{
    rng r = {n};
    uint64_t total = 1;
    fill_words(t->key, n, f, 0, &r);
    uint64_t want = plain_scan(t, n);
    int err = scan(t, n, &total);
    if (!err)
        err = buffer_read(t->d, &t->offset, 0, t->sum_out, n + 1);
    if (err || total != want || memcmp(t->sum, t->sum_out, (n + 1) * sizeof *t->sum))
        way_failed(t->way, fill_names[f], "scan_counts", err ? imp_error_text() : "wrong sums");
    CU_ASSERT_EQUAL(t->offset.raw.bytes, (n + 1) * sizeof *t->sum);
}

static void scan_sizes(bench *t)
{
    for (size_t i = 0; i < SIZES; i++)
        for (enum fill f = 0; f < FILLS; f++)
            scan_once(t, sizes[i], f);
    scan_once(t, SUMS_MOST, ANY);
}

static void test_scan(void)
{
    scan_test_each_device(scan_sizes);
}

static void take_places(bench *t)
{
    uint32_t n = 5000, index[700];
    uint64_t got[700];
    rng r = {7};
    fill_words(t->key, n, ANY, 0, &r);
    plain_scan(t, n);
    CU_ASSERT_EQUAL(scan(t, n, NULL), 0);
    for (uint32_t i = 0; i < 700; i++)
        index[i] = i == 0 ? n : rng_below(&r, n + 1);
    for (uint32_t count = 0; count <= 700; count += 175) {
        int wrong = 0;
        CU_ASSERT_EQUAL(buffer_put(t->d, &t->index, index, count), 0);
        CU_ASSERT_EQUAL(scan_gather(t->d, &t->scan, &t->offset, &t->index, count, got), 0);
        for (uint32_t i = 0; i < count; i++)
            wrong += got[i] != t->sum[index[i]];
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

static void test_take(void)
{
    scan_test_each_device(take_places);
}

/* the rule of parallel.h, index by index */
static uint32_t plain_find(const uint64_t *sum, uint32_t n, uint32_t first, uint64_t limit)
{
    uint32_t place = first + 1;
    for (uint32_t p = first + 1; p <= n; p++)
        if (sum[p] <= limit)
            place = p;
    return place;
}

static void scan_test_find_places(bench *t, uint32_t n, enum fill f, rng *r)
{
    fill_words(t->key, n, f, 16, r);
    uint64_t total = plain_scan(t, n);
    CU_ASSERT_EQUAL(scan(t, n, NULL), 0);
    for (uint32_t i = 0; i < 60; i++) {
        uint32_t first = rng_below(r, n), place = 0;
        uint64_t at = 0, limit = t->sum[first] + rng_below(r, (uint32_t)total + 2) / (1 + i % 7);
        uint32_t want = plain_find(t->sum, n, first, limit);
        int err = scan_find(t->d, &t->scan, &t->offset, n, first, limit, &place, &at);
        if (err || place != want || at != t->sum[want])
            way_failed(t->way, fill_names[f], "scan_find", "wrong place");
    }
}

static void find_sizes(bench *t)
{
    static const uint32_t lengths[] = {1, 2, 3, 1000};
    rng r = {8};
    for (size_t i = 0; i < 4; i++)
        for (enum fill f = 0; f < FILLS; f++)
            scan_test_find_places(t, lengths[i], f, &r);
}

static void test_find(void)
{
    scan_test_each_device(find_sizes);
}

/* ---- sort */

typedef struct key_value {
    uint32_t key, value;
} key_value;

/* values are positions before the sort, so that this is the order of a stable sort */
static int compare(const void *a, const void *b)
{
    const key_value *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void plain_sort(bench *t, uint32_t n)
{
    key_value *list = malloc((n + 1) * sizeof *list);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (key_value){t->key[i], t->value[i]};
    qsort(list, n, sizeof *list, compare);
    for (uint32_t i = 0; i < n; i++) {
        t->key[i] = list[i].key;
        t->value[i] = list[i].value;
    }
    free(list);
}

/* The keys are t->key. */
static void sort_once(bench *t, uint32_t n, uint32_t bits, const char *what)
{
    for (uint32_t i = 0; i < n; i++)
        t->value[i] = i;
    int err = buffer_put(t->d, &t->a, t->key, n);
    if (!err)
        err = buffer_put(t->d, &t->b, t->value, n);
    if (!err)
        err = sort_by_key(t->d, &t->sort, &t->a, &t->b, n, bits);
    if (!err)
        err = buffer_read(t->d, &t->a, 0, t->key_out, n);
    if (!err)
        err = buffer_read(t->d, &t->b, 0, t->value_out, n);
    plain_sort(t, n);
    if (err || memcmp(t->key, t->key_out, n * sizeof *t->key))
        way_failed(t->way, what, "sort_by_key", err ? imp_error_text() : "keys out of order");
    else if (memcmp(t->value, t->value_out, n * sizeof *t->value))
        way_failed(t->way, what, "sort_by_key", "not stable");
}

static void sort_sizes(bench *t)
{
    for (size_t i = 0; i < SIZES; i++)
        for (enum fill f = 0; f < FILLS; f++) {
            rng r = {sizes[i] + 1};
            if (sizes[i] > 200000 && f != ANY)
                continue;
            fill_words(t->key, sizes[i], f, 0, &r);
            sort_once(t, sizes[i], 32, fill_names[f]);
        }
}

static void test_sort(void)
{
    scan_test_each_device(sort_sizes);
}

/* Keys of so many bits need no more passes than these. */
static void scan_test_sort_bits(bench *t)
{
    rng r = {9};
    for (uint32_t bits = 0; bits <= 32; bits++) {
        for (uint32_t i = 0; i < 5000; i++)
            t->key[i] = bits ? (uint32_t)rng_next(&r) >> (32 - bits) : 0;
        sort_once(t, 5000, bits, "bits");
    }
}

static void test_bits(void)
{
    scan_test_each_device(scan_test_sort_bits);
}

/* Returns whether keys are in order, stable, and equal to those at their values: then none is lost.
 */
static int sorted_well(const bench *t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (t->value_out[i] >= n || t->key_out[i] != t->key[t->value_out[i]])
            return 0;
        if (i && t->key_out[i] == t->key_out[i - 1] && t->value_out[i] <= t->value_out[i - 1])
            return 0;
        if (i && t->key_out[i] < t->key_out[i - 1])
            return 0;
    }
    return 1;
}

static void sort_many(bench *t)
{
    const uint32_t n = KEYS_MOST;
    rng r = {n};
    for (uint32_t i = 0; i < n; i++) {
        t->key[i] = rng_below(&r, 256);
        t->value[i] = i;
    }
    int err = buffer_put(t->d, &t->a, t->key, n);
    err = err ? err : buffer_put(t->d, &t->b, t->value, n);
    err = err ? err : sort_by_key(t->d, &t->sort, &t->a, &t->b, n, 8);
    err = err ? err : buffer_read(t->d, &t->a, 0, t->key_out, n);
    err = err ? err : buffer_read(t->d, &t->b, 0, t->value_out, n);
    if (err || !sorted_well(t, n))
        way_failed(t->way, "many", "sort_by_key", err ? imp_error_text() : "out of order");
}

static void test_scan_many(void)
{
    scan_test_each_device(sort_many);
}

/* ---- pairs */

enum pair_fill {
    ANY_PAIR,
    ONE_A,
    ONE_B,
    ONE_PAIR,
    FEW_OF_BOTH,
    FORWARDS,
    BACKWARDS,
    HALF_ONE_A,
    TILES_ALIKE,
    TILES_APART,
    PAIR_FILLS
};

/* Element i of a; `any` is random. */
static uint32_t number_a(enum pair_fill f, uint32_t i, uint32_t any, uint32_t most)
{
    switch (f) {
    case ONE_A:
    case ONE_PAIR:
        return most / 2;
    case HALF_ONE_A:
        return i % 2 ? most / 2 : any;
    case FEW_OF_BOTH:
        return any % 3;
    case FORWARDS:
        return i;
    case BACKWARDS:
        return most - (i & most);
    case TILES_ALIKE: /* each run is needed for each tile of the merge */
        return i % 2048;
    case TILES_APART: /* disjoint runs in a permuted order */
        return (i / 2048 * 5 & 127) * 16 + any % 16;
    default:
        return any;
    }
}

static void fill_pairs(bench *t, uint32_t n, uint32_t bits, enum pair_fill f, rng *r)
{
    uint32_t most = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = number_a(f, i, (uint32_t)rng_next(r) & most, most);
        uint32_t b = (uint32_t)rng_next(r) & most;
        t->key[i] = a < most ? a : most;
        t->value[i] = f == ONE_B ? most : f == ONE_PAIR ? 0 : f == FEW_OF_BOTH ? b % 5 & most : b;
    }
}

static void pairs_once(bench *t, uint32_t n, uint32_t bits, enum pair_fill f)
{
    int err = buffer_put(t->d, &t->a, t->key, n);
    err = err ? err : buffer_put(t->d, &t->b, t->value, n);
    err = err ? err : sort_pairs(t->d, &t->sort, &t->a, &t->b, n, bits);
    err = err ? err : buffer_read(t->d, &t->a, 0, t->key_out, n);
    err = err ? err : buffer_read(t->d, &t->b, 0, t->value_out, n);
    plain_sort(t, n);
    if (err || memcmp(t->key, t->key_out, n * sizeof *t->key) ||
        memcmp(t->value, t->value_out, n * sizeof *t->value)) {
        char what[80];
        snprintf(what, sizeof what, "%u pairs of %u bits, fill %d", n, bits, (int)f);
        way_failed(t->way, what, "sort_pairs", err ? imp_error_text() : "pairs out of order");
    }
}

static void pairs_sizes(bench *t)
{
    static const uint32_t bits[] = {1, 3, 8, 11, 12, 16, 17, 20, 21, 22, 27, 32};
    rng r = {4};
    for (size_t i = 0; i < SIZES; i++)
        for (size_t k = 0; k < sizeof bits / sizeof *bits; k++)
            for (enum pair_fill f = 0; f < PAIR_FILLS; f++) {
                const size_t every = sizes[i] > 4000 ? 12 : sizes[i] > 1 ? 4 : 1;
                if ((i + k + f) % every || (sizes[i] > 200000 && f != ANY_PAIR))
                    continue;
                fill_pairs(t, sizes[i], bits[k], f, &r);
                pairs_once(t, sizes[i], bits[k], f);
            }
}

static void test_scan_pairs(void)
{
    scan_test_each_device(pairs_sizes);
}

/* For any number of bits, and as many runs as a launch merges, or fewer. */
static void pairs_bits(bench *t)
{
    rng r = {6};
    for (uint32_t bits = 0; bits <= 32; bits++) {
        const uint32_t n = 2048 * (1 + bits % 16) + rng_below(&r, 2048);
        fill_pairs(t, n, bits, ANY_PAIR, &r);
        pairs_once(t, n, bits, ANY_PAIR);
    }
}

static void test_pairs_bits(void)
{
    scan_test_each_device(pairs_bits);
}

/* All pairs are different: b is the original position. */
static void pairs_many(bench *t)
{
    const uint32_t n = KEYS_MOST;
    rng r = {n + 1};
    for (uint32_t i = 0; i < n; i++) {
        t->key[i] = i % 3 ? rng_below(&r, 1u << 22) : rng_below(&r, 1024);
        t->value[i] = i;
    }
    int err = buffer_put(t->d, &t->a, t->key, n);
    err = err ? err : buffer_put(t->d, &t->b, t->value, n);
    err = err ? err : sort_pairs(t->d, &t->sort, &t->a, &t->b, n, 22);
    err = err ? err : buffer_read(t->d, &t->a, 0, t->key_out, n);
    err = err ? err : buffer_read(t->d, &t->b, 0, t->value_out, n);
    if (err || !sorted_well(t, n))
        way_failed(t->way, "many", "sort_pairs", err ? imp_error_text() : "out of order");
}

static void test_pairs_many(void)
{
    scan_test_each_device(pairs_many);
}

static void test_bits_for(void)
{
    CU_ASSERT_EQUAL(bits_for(0), 0);
    CU_ASSERT_EQUAL(bits_for(1), 0);
    CU_ASSERT_EQUAL(bits_for(2), 1);
    CU_ASSERT_EQUAL(bits_for(3), 2);
    CU_ASSERT_EQUAL(bits_for(4), 2);
    for (uint32_t b = 2; b <= 40; b++) {
        CU_ASSERT_EQUAL(bits_for(UINT64_C(1) << b), b);
        CU_ASSERT_EQUAL(bits_for((UINT64_C(1) << b) + 1), b + 1);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"scan", test_scan},
        {"take", test_take},
        {"find", test_find},
        {"sort", test_sort},
        {"bits", test_bits},
        {"many", test_scan_many},
        {"pairs", test_scan_pairs},
        {"pairs of bits", test_pairs_bits},
        {"many pairs", test_pairs_many},
        {"bits_for", test_bits_for},
        {0},
    };
    return test_main(argc, argv, "scan", tests);
}
