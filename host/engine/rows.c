/* See rows.h. */
#include "nearby.h"
#include "rows.h"

#include "budget.h"
#include "error.h"

#define ROWS_LEAST 64

size_t rows_room(const context *c, column_set set, uint64_t most)
{
    uint64_t row = columns_row_bytes(&contact_table, set);
    uint64_t fit = mem_left(c->mem) / BUDGET_ROWS_SHARE / row;
    return (size_t)(fit < ROWS_LEAST ? ROWS_LEAST : fit < most ? fit : most);
}

int rows_open(const context *c, const block *b, contact_rows *r)
{
    column_set set = c->opt.columns;
    r->prim0 = b->prim0;
    r->id = b->near ? b->near->id : NULL;
    return columns_open(c->mem, &contact_table, set, rows_room(c, set, ROWS_MOST), &r->at);
}

int rows_flush(contact_rows *r)
{
    int err = IMP_OK;
    imp_contacts c = {.frame = r->frame, .count = r->at.count};
    columns_view(&r->at, &c);
    r->info[r->frame].contacts += c.count;
    if (c.count && r->sink && r->sink(r->user, &c))
        err = IMP_ERR_CANCELLED; /* of no device, of no memory: nothing is tried again */
    columns_clear(&r->at);
    return err;
}

/* The first `count` rows of a view, all of the current frame. */
static int rows_append(contact_rows *r, const imp_contacts *c, size_t count, uint32_t prim0)
{
    uint32_t *a = (uint32_t *)(void *)r->at.value[CONTACT_a] + r->at.count;
    uint32_t *b = (uint32_t *)(void *)r->at.value[CONTACT_b] + r->at.count;
    int err = columns_append(&r->at, c, count);
    for (size_t i = 0; i < count && !err; i++) {
        a[i] = r->id ? r->id[a[i]] : a[i] - prim0;
        b[i] = r->id ? r->id[b[i]] : b[i] - prim0;
    }
    return err;
}

int rows_add(contact_rows *r, imp_contacts c)
{
    int err = IMP_OK;
    const uint32_t *prim0 = r->prim0;
    while (c.count) {
        size_t n = 0, fit = columns_fit(&r->at, &c, c.count);
        while (n < fit && c.a[n] < prim0[r->frame + 1])
            n++;
        TRY(rows_append(r, &c, n, prim0[r->frame]));
        columns_skip(&contact_table, &c, n);
        c.count -= n;
        if (c.count) {
            TRY(rows_flush(r));
            while (c.a[0] >= prim0[r->frame + 1])
                r->frame++;
        }
    }
out:
    return err;
}

/* The first n rows, of one frame, to the sink. */
static int hand_out(contact_rows *r, const imp_contacts *rows, size_t n)
{
    imp_contacts c = *rows;
    c.frame = r->frame;
    c.count = n;
    r->info[r->frame].contacts += n;
    return r->sink && r->sink(r->user, &c) ? IMP_ERR_CANCELLED : IMP_OK;
}

int rows_hand_out(contact_rows *r, column_rows *m)
{
    int err = IMP_OK;
    const uint32_t *prim0 = r->prim0;
    uint32_t *a = (uint32_t *)(void *)m->value[CONTACT_a];
    uint32_t *b = (uint32_t *)(void *)m->value[CONTACT_b];
    imp_contacts c = {.count = m->count};
    columns_view(m, &c);
    TRY(rows_flush(r));
    for (size_t done = 0, n; done < m->count; done += n) {
        while (a[done] >= prim0[r->frame + 1])
            r->frame++;
        uint32_t first = prim0[r->frame], end = prim0[r->frame + 1];
        for (n = 0; n < ROWS_MOST && done + n < m->count && a[done + n] < end; n++) {
            a[done + n] = r->id ? r->id[a[done + n]] : a[done + n] - first;
            b[done + n] = r->id ? r->id[b[done + n]] : b[done + n] - first;
        }
        TRY(hand_out(r, &c, n));
        columns_skip(&contact_table, &c, n);
        c.count -= n;
    }
out:
    return err;
}

void rows_close(contact_rows *r)
{
    columns_close(&r->at);
}
