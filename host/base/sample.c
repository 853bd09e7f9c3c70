/* See sample.h. */
#include "sample.h"

#include "error.h"

#include <stdlib.h>

void sample_clear(sample *s)
{
    s->count = 0;
    s->full = 0;
}

void sample_free(mem *m, sample *s)
{
    mem_free(m, s->list);
    s->list = NULL;
    s->capacity = 0;
    sample_clear(s);
}

int sampled_compare(const void *x, const void *y)
{
    const sampled *p = x, *q = y;
    return p->a != q->a   ? (p->a > q->a) - (p->a < q->a)
           : p->b != q->b ? (p->b > q->b) - (p->b < q->b)
                          : (p->code > q->code) - (p->code < q->code);
}

/* A total order, also for equal hashes. */
static int by_hash(const void *x, const void *y)
{
    const sampled *p = x, *q = y;
    return p->hash != q->hash ? (p->hash > q->hash) - (p->hash < q->hash) : sampled_compare(x, y);
}

/* The last steps of splitmix64, which spread neighbouring numbers over the whole range. */
static uint64_t sample_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t sample_hash(uint32_t a, uint32_t b, uint32_t code)
{
    return sample_mix(sample_mix((uint64_t)a << 32 | b) + code);
}

/* Removes all but the `most` elements with the least hashes. */
static void sample_trim(sample *s, uint32_t most)
{
    if (s->count <= most)
        return;
    qsort(s->list, s->count, sizeof *s->list, by_hash);
    s->count = most;
    s->limit = s->list[most - 1].hash;
    s->full = 1;
}

int sample_add(mem *m, sample *s, uint32_t most, const uint32_t *a, const uint32_t *b,
               const uint32_t *code, size_t n)
{
    int err = IMP_OK;
    for (size_t i = 0; i < n; i++) {
        const uint32_t of = code ? code[i] : 0;
        const uint64_t hash = sample_hash(a[i], b[i], of);
        if (s->full && hash > s->limit)
            continue;
        TRY(mem_fit(m, s->count, &s->capacity, sizeof *s->list, &s->list));
        s->list[s->count++] = (sampled){.hash = hash, .a = a[i], .b = b[i], .code = of};
        if (s->count == 2 * (uint64_t)most)
            sample_trim(s, most);
    }
out:
    return err;
}

void sample_end(sample *s, uint32_t most)
{
    sample_trim(s, most);
    if (s->count)
        qsort(s->list, s->count, sizeof *s->list, sampled_compare);
}
