/* Contacts of places under their positions, in order of these. */
#include "engine.h"

#include "error.h"
#include "rows.h"

#include <stdlib.h>

typedef struct placed_row {
    uint64_t key; /* positions of a and b */
    uint32_t part, row;
} placed_row;

static int placed_compare(const void *p, const void *q)
{
    const placed_row *x = p, *y = q;
    return x->key < y->key ? -1 : x->key > y->key;
}

/* Are the positions of all rows their places? */
static int in_place(const kept_rows *k, const roster *r)
{
    for (uint32_t p = 0; p < k->used; p++) {
        imp_contacts c = {.count = k->part[p].count};
        columns_view(&k->part[p], &c);
        for (uint32_t i = 0; i < c.count; i++)
            if (r->position[c.a[i]] != c.a[i] || r->position[c.b[i]] != c.b[i])
                return 0;
    }
    return 1;
}

/* All rows; are they in order as they are? */
static int list_rows(const kept_rows *k, const roster *r, placed_row *out)
{
    uint64_t n = 0, before = 0;
    int ordered = 1;
    for (uint32_t p = 0; p < k->used; p++) {
        imp_contacts c = {.count = k->part[p].count};
        columns_view(&k->part[p], &c);
        for (uint32_t i = 0; i < c.count; i++, n++) {
            uint64_t key = (uint64_t)r->position[c.a[i]] << 32 | r->position[c.b[i]];
            out[n] = (placed_row){key, p, i};
            ordered &= key >= before;
            before = key;
        }
    }
    return ordered;
}

/* How many of the first rows stand in one part one after another. */
static size_t run_of(const placed_row *row, uint64_t count)
{
    size_t n = 1;
    while (n < count && row[n].part == row->part && row[n].row == row->row + n)
        n++;
    return n;
}

/* Some rows into `out`, which is empty; how many. */
static int fill(const kept_rows *k, const placed_row *row, uint64_t count, column_rows *out,
                uint64_t *filled)
{
    int err = IMP_OK;
    uint32_t *a = (uint32_t *)(void *)out->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)out->value[CONTACT_b];
    *filled = 0;
    while (*filled < count) {
        const placed_row *first = row + *filled;
        imp_contacts c = {0};
        columns_view(&k->part[first->part], &c);
        columns_skip(&contact_table, &c, first->row);
        size_t n = columns_fit(out, &c, run_of(first, count - *filled));
        if (!n)
            break;
        TRY(columns_append(out, &c, n));
        for (size_t i = 0; i < n; i++) {
            a[*filled + i] = (uint32_t)(first[i].key >> 32);
            b[*filled + i] = (uint32_t)first[i].key;
        }
        *filled += n;
    }
out:
    return err;
}

int keep_hand_out_placed(const context *c, const keep *k, const roster *r, imp_sink *sink,
                         void *user)
{
    int err = IMP_OK;
    uint64_t count = k->rows.count, n;
    placed_row *row = NULL;
    column_rows piece = {0};
    if (in_place(&k->rows, r))
        return keep_hand_out(k, sink, user);
    TRY(mem_alloc(c->mem, count * sizeof *row, &row));
    if (!list_rows(&k->rows, r, row))
        qsort(row, count, sizeof *row, placed_compare);
    TRY(columns_open(c->mem, &contact_table, c->opt.columns,
                     rows_room(c, c->opt.columns, ROWS_MOST), &piece));
    for (uint64_t done = 0; done < count; done += n) {
        imp_contacts view = {0};
        columns_clear(&piece);
        TRY(fill(&k->rows, row + done, count - done, &piece, &n));
        view.count = n;
        columns_view(&piece, &view);
        if (sink(user, &view))
            TRY(IMP_ERR_CANCELLED);
    }
out:
    columns_close(&piece);
    mem_free(c->mem, row);
    return err;
}
