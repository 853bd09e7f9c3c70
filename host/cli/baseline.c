/* See baseline.h. */
#include "baseline.h"

#include "error.h"
#include "pass_rows.h"

#include <stdlib.h>

int baseline_add(baseline *b, mem *m, const imp_contacts *c, const uint32_t *number)
{
    int err = IMP_OK;
    if (b->count + c->count > b->capacity) {
        const size_t capacity = 2 * (b->count + c->count);
        TRY(mem_grow(m, b->count * sizeof *b->pair, capacity * sizeof *b->pair, &b->pair));
        b->capacity = capacity;
    }
    for (size_t i = 0; i < c->count; i++, b->count++) {
        b->pair[b->count][0] = number ? number[c->a[i]] : c->a[i];
        b->pair[b->count][1] = number ? number[c->b[i]] : c->b[i];
    }
out:
    return err;
}

void baseline_free(baseline *b, mem *m)
{
    mem_free(m, b->pair);
    *b = (baseline){0};
}

static int baseline_compare_pairs(const void *x, const void *y)
{
    const uint32_t *p = x, *q = y;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

typedef struct baseline_pairs {
    const baseline *baseline;
    const uint32_t *number;
} baseline_pairs;

static int baseline_has_pair(const void *by, const imp_contacts *c, size_t i)
{
    const baseline_pairs *f = by;
    const baseline *b = f->baseline;
    const uint32_t pair[2] = {f->number ? f->number[c->a[i]] : c->a[i],
                              f->number ? f->number[c->b[i]] : c->b[i]};
    return b->count &&
           bsearch(pair, b->pair, b->count, sizeof *b->pair, baseline_compare_pairs) != NULL;
}

int baseline_filter(const baseline *b, const imp_contacts *c, const uint32_t *number,
                    imp_sink *sink, void *user)
{
    return rows_filter(c, baseline_has_pair, &(baseline_pairs){b, number}, sink, user);
}
