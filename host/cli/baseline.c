/* See baseline.h. */
#include "baseline.h"

#include "contact_columns.h"
#include "error.h"

#include <stdlib.h>

int baseline_add(baseline *b, mem *m, const imp_contacts *c)
{
    int err = IMP_OK;
    if (b->count + c->count > b->capacity) {
        const size_t capacity = 2 * (b->count + c->count);
        TRY(mem_grow(m, b->count * sizeof *b->pair, capacity * sizeof *b->pair, &b->pair));
        b->capacity = capacity;
    }
    for (size_t i = 0; i < c->count; i++, b->count++) {
        b->pair[b->count][0] = c->a[i];
        b->pair[b->count][1] = c->b[i];
    }
out:
    return err;
}

void baseline_free(baseline *b, mem *m)
{
    mem_free(m, b->pair);
    *b = (baseline){0};
}

static int pair_compare(const void *x, const void *y)
{
    const uint32_t *p = x, *q = y;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return (p[1] > q[1]) - (p[1] < q[1]);
}

static int has_pair(const baseline *b, const uint32_t *number, const imp_contacts *c, size_t i)
{
    const uint32_t pair[2] = {number ? number[c->a[i]] : c->a[i],
                              number ? number[c->b[i]] : c->b[i]};
    return b->count && bsearch(pair, b->pair, b->count, sizeof *b->pair, pair_compare) != NULL;
}

/* Rows that stay next to each other are passed on together, without a copy. */
int baseline_pass(const baseline *b, const imp_contacts *c, const uint32_t *number, imp_sink *sink,
                  void *user)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count && !err) {
        size_t left_out = 0, kept = 0;
        while (left_out < rest.count && has_pair(b, number, &rest, left_out))
            left_out++;
        columns_skip(&contact_table, &rest, left_out);
        rest.count -= left_out;
        while (kept < rest.count && !has_pair(b, number, &rest, kept))
            kept++;
        imp_contacts run = rest;
        run.count = kept;
        if (kept)
            err = sink(user, &run);
        columns_skip(&contact_table, &rest, kept);
        rest.count -= kept;
    }
    return err;
}
