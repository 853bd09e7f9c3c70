/* See sort_tally.h. A sample of the keys divides them into buckets of about equal length. Threads
 * move keys to their buckets, then sort one bucket after the other, each within a CPU cache. */
#include "sort_tally.h"

#include "error.h"
#include "float_env.h"
#include "hash64.h"

#include <stdlib.h>
#include <string.h>

#define RUN_LENGTH 16 /* keys in a run sorted by insertion */
#define BUCKET 1024   /* approximate number of keys */
#define BUCKETS_MOST 1024
#define SAMPLED 8 /* keys of the sample for each bucket */

static inline int key_before(const sort_key *x, const sort_key *y)
{
    if (x->high != y->high)
        return x->high < y->high;
    return x->low != y->low ? x->low < y->low : x->index < y->index;
}

/* ---- small sorts by one thread */

static void sort_run(sort_key *key, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const sort_key k = key[i];
        size_t at = i;
        for (; at && key_before(&k, &key[at - 1]); at--)
            key[at] = key[at - 1];
        key[at] = k;
    }
}

static void merge(const sort_key *x, size_t nx, const sort_key *y, size_t ny, sort_key *to)
{
    while (nx && ny) {
        const int second = key_before(y, x);
        *to++ = second ? *y : *x;
        y += second;
        ny -= (size_t)second;
        x += !second;
        nx -= (size_t)!second;
    }
    memcpy(to, nx ? x : y, (nx + ny) * sizeof *to);
}

static void sort_keys_merge_all(const sort_key *from, size_t n, size_t length, sort_key *to)
{
    for (size_t at = 0; at < n; at += 2 * length) {
        const size_t left = n - at, one = left < length ? left : length;
        const size_t two = left - one < length ? left - one : length;
        merge(from + at, one, from + at + one, two, to + at);
    }
}

/* Leaves the sorted keys in `to`; overwrites `from`. */
static void merge_sort(sort_key *from, size_t n, sort_key *to)
{
    int odd = 0;
    for (size_t length = RUN_LENGTH; length < n; length *= 2)
        odd = !odd;
    sort_key *now = odd ? from : to, *next = odd ? to : from;
    if (!odd && n)
        memcpy(to, from, n * sizeof *to);
    for (size_t at = 0; at < n; at += RUN_LENGTH)
        sort_run(now + at, n - at < RUN_LENGTH ? n - at : RUN_LENGTH);
    for (size_t length = RUN_LENGTH; length < n; length *= 2) {
        sort_key *swap = now;
        sort_keys_merge_all(now, n, length, next);
        now = next;
        next = swap;
    }
}

/* ---- large sorts by buckets */

typedef struct sorting {
    sort_key *key, *other;           /* [n] other: the keys in their buckets */
    uint16_t *bucket;                /* [n] bucket of each key */
    size_t *at;                      /* [chunks * buckets] counts, then where the next key goes */
    size_t n, chunk, chunks;         /* a chunk of keys is the work of one thread */
    size_t buckets;                  /* a power of two */
    sort_key splitter[BUCKETS_MOST]; /* the first key of each bucket but the first one */
} sorting;

/* Uses every SAMPLED-th key of the sorted sample as a splitter. Uses the memory of `other`. */
static void choose_splitters(sorting *s)
{
    const size_t count = SAMPLED * s->buckets, step = s->n / count;
    sort_key *some = s->other, *sorted = s->other + count;
    for (size_t i = 0; i < count; i++)
        some[i] = s->key[i * step];
    merge_sort(some, count, sorted);
    for (size_t i = 0; i + 1 < s->buckets; i++)
        s->splitter[i] = sorted[SAMPLED * (i + 1)];
}

/* The number of splitters before or equal to the key. */
static uint16_t sort_keys_bucket(const sorting *s, const sort_key *k)
{
    size_t at = 0;
    for (size_t step = s->buckets / 2; step; step /= 2)
        at += key_before(k, &s->splitter[at + step - 1]) ? 0 : step;
    return (uint16_t)at;
}

static size_t sort_keys_chunk_end(const sorting *s, size_t c)
{
    return (c + 1) * s->chunk < s->n ? (c + 1) * s->chunk : s->n;
}

static void count_chunk(const sorting *s, size_t c)
{
    size_t *count = s->at + c * s->buckets;
    memset(count, 0, s->buckets * sizeof *count);
    for (size_t i = c * s->chunk; i < sort_keys_chunk_end(s, c); i++) {
        s->bucket[i] = sort_keys_bucket(s, &s->key[i]);
        count[s->bucket[i]]++;
    }
}

static void sum_counts(const sorting *s)
{
    size_t sum = 0;
    for (size_t b = 0; b < s->buckets; b++)
        for (size_t c = 0; c < s->chunks; c++) {
            size_t *at = &s->at[c * s->buckets + b];
            const size_t count = *at;
            *at = sum;
            sum += count;
        }
}

static void move_chunk(const sorting *s, size_t c)
{
    size_t *at = s->at + c * s->buckets;
    for (size_t i = c * s->chunk; i < sort_keys_chunk_end(s, c); i++)
        s->other[at[s->bucket[i]]++] = s->key[i];
}

/* After moving, the last chunk's places are the ends of buckets. */
static void sort_bucket(const sorting *s, size_t b)
{
    const size_t *end = s->at + (s->chunks - 1) * s->buckets;
    const size_t first = b ? end[b - 1] : 0;
    merge_sort(s->other + first, end[b] - first, s->key + first);
}

static void sort_buckets(sorting *s, int threads)
{
    choose_splitters(s);
#pragma omp parallel num_threads(threads)
    EACH_IN_FLOAT_ENV
    {
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->chunks; c++)
            count_chunk(s, c);
#pragma omp single
        sum_counts(s);
#pragma omp for schedule(static)
        for (size_t c = 0; c < s->chunks; c++)
            move_chunk(s, c);
#pragma omp for schedule(dynamic)
        for (size_t b = 0; b < s->buckets; b++)
            sort_bucket(s, b);
    }
}

static size_t buckets_for(size_t n)
{
    size_t buckets = 1;
    while (buckets < BUCKETS_MOST && buckets * BUCKET < n)
        buckets *= 2;
    return buckets;
}

int sort_keys(mem *m, int threads, sort_key *key, size_t n)
{
    int err = IMP_OK;
    sorting s = {.key = key, .n = n, .chunks = (size_t)threads, .buckets = buckets_for(n)};
    s.chunk = (n + s.chunks - 1) / s.chunks;
    TRY(mem_alloc(m, n * sizeof *s.other, &s.other));
    if (s.buckets == 1) {
        if (n)
            memcpy(s.other, key, n * sizeof *key);
        merge_sort(s.other, n, key);
        goto out;
    }
    TRY(mem_alloc(m, n * sizeof *s.bucket, &s.bucket));
    TRY(mem_alloc(m, s.buckets * s.chunks * sizeof *s.at, &s.at));
    sort_buckets(&s, threads);
out:
    mem_free(m, s.other);
    mem_free(m, s.bucket);
    mem_free(m, s.at);
    return err;
}

#define ROOM_FIRST ((size_t)64) /* a power of two, as all later capacities */

/* Its entry, or the free entry for it. Terminates, since half of the entries are free. */
static tally_row *tally_find(tally_row *row, size_t capacity, int32_t a, int32_t b)
{
    size_t i = (size_t)mix64((uint64_t)(uint32_t)a << 32 | (uint32_t)b) & (capacity - 1);
    while (row[i].count && (row[i].a != a || row[i].b != b))
        i = (i + 1) & (capacity - 1);
    return &row[i];
}

/* Positions depend on the capacity, so all rows are entered again. */
static int tally_grow(tally *t)
{
    tally_row *row;
    size_t capacity = t->capacity ? 2 * t->capacity : ROOM_FIRST;
    int err = mem_alloc(t->mem, capacity * sizeof *row, &row);
    if (err)
        return err;
    memset(row, 0, capacity * sizeof *row);
    for (size_t i = 0; i < t->capacity; i++)
        if (t->row[i].count)
            *tally_find(row, capacity, t->row[i].a, t->row[i].b) = t->row[i];
    mem_free(t->mem, t->row);
    t->row = row;
    t->capacity = capacity;
    return IMP_OK;
}

int tally_add(tally *t, int32_t a, int32_t b, uint64_t count)
{
    int err = t->rows >= t->capacity / 2 ? tally_grow(t) : IMP_OK; /* half of it stays free */
    /* Nothing to add: a row with count 0 would be a free entry. */
    if (err || !count)
        return err;
    tally_row *r = tally_find(t->row, t->capacity, a, b);
    t->rows += r->count == 0;
    *r = (tally_row){a, b, r->count + count};
    return IMP_OK;
}

/* A total order, so that the result is the same with every qsort, which is not stable. */
static int by_name(const void *x, const void *y)
{
    const tally_row *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int by_count(const void *x, const void *y)
{
    const tally_row *p = x, *q = y;
    if (p->count != q->count)
        return p->count > q->count ? -1 : 1;
    return by_name(x, y);
}

/* Compacts in place: a row only moves towards the start. */
void tally_merge(tally *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->row[i].count)
            t->row[kept++] = t->row[i];
    for (size_t i = kept; i < t->capacity; i++)
        t->row[i].count = 0;
    if (kept)
        qsort(t->row, kept, sizeof *t->row, by_name);
}

void tally_sort(tally *t)
{
    if (t->rows)
        qsort(t->row, t->rows, sizeof *t->row, by_count);
}

/* The table keeps its size, since the next use is mostly as large. */
void tally_clear(tally *t)
{
    if (t->capacity)
        memset(t->row, 0, t->capacity * sizeof *t->row);
    t->rows = 0;
}

void tally_free(tally *t)
{
    if (t->mem)
        mem_free(t->mem, t->row);
    *t = (tally){.mem = t->mem};
}
