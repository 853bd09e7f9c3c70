/* See tally.h. */
#include "tally.h"

#include "error.h"

#include <stdlib.h>

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

void tally_merge(tally *t)
{
    size_t kept = 0;
    if (!t->row)
        return;
    qsort(t->row, t->rows, sizeof *t->row, by_name);
    for (size_t i = 0; i < t->rows; i++) {
        if (kept && !by_name(&t->row[kept - 1], &t->row[i]))
            t->row[kept - 1].count += t->row[i].count;
        else
            t->row[kept++] = t->row[i];
    }
    t->rows = t->merged = kept;
}

void tally_sort(tally *t)
{
    if (t->row)
        qsort(t->row, t->rows, sizeof *t->row, by_count);
}

#define LEAST 4096

/* Neighbours mostly are the same. Others are put together whenever they have become as many again
 * as there were different ones. */
int tally_add(tally *t, int32_t a, int32_t b, uint64_t count)
{
    int err = IMP_OK;
    tally_row *last = t->rows ? &t->row[t->rows - 1] : NULL;
    if (last && last->a == a && last->b == b) {
        last->count += count;
        return IMP_OK;
    }
    if (t->rows >= 2 * t->merged + LEAST)
        tally_merge(t);
    if (!t->row || t->rows == t->room) {
        size_t room = 2 * t->room + LEAST;
        TRY(mem_grow(t->mem, t->rows * sizeof *t->row, room * sizeof *t->row, &t->row));
        t->room = room;
    }
    t->row[t->rows++] = (tally_row){a, b, count};
out:
    return err;
}

void tally_clear(tally *t)
{
    t->rows = t->merged = 0;
}

void tally_free(tally *t)
{
    if (t->mem)
        mem_free(t->mem, t->row);
    *t = (tally){.mem = t->mem};
}
