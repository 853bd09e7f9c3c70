/* See tally.h. */
#include "tally.h"

#include "error.h"
#include "mix.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST ((size_t)64) /* a power of two, like all that follow */

/* Its entry, or the free one where it belongs. Ends, since half of the entries are free. */
static tally_row *tally_find(tally_row *row, size_t capacity, int32_t a, int32_t b)
{
    size_t i = (size_t)mix64((uint64_t)(uint32_t)a << 32 | (uint32_t)b) & (capacity - 1);
    while (row[i].count && (row[i].a != a || row[i].b != b))
        i = (i + 1) & (capacity - 1);
    return &row[i];
}

/* Rows are found by their position, which depends on the capacity: all are entered again. */
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
    /* Nothing to add; and a row with count 0 would be a free entry. */
    if (err || !count)
        return err;
    tally_row *r = tally_find(t->row, t->capacity, a, b);
    t->rows += r->count == 0;
    *r = (tally_row){a, b, r->count + count};
    return IMP_OK;
}

/* qsort is not stable, so the order is total: the same on every system. */
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

/* Without a second array: a row only moves towards the start. */
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

/* The table keeps its size: what comes next is mostly as large. */
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
