/* See contact_rows.h. */
#include "contact_rows.h"

#include "error.h"

/* Parts keep their memory for the next rows. */
void contact_rows_open(mem *m, column_set set, contact_rows *r)
{
    r->mem = m;
    r->set = set;
    for (size_t i = 0; i < r->used; i++)
        columns_clear(&r->part[i]);
    r->used = 0;
    r->count = 0;
}

/* Rows that were never opened have no parts, and no memory to free. */
void contact_rows_free(contact_rows *r)
{
    for (size_t i = 0; i < r->parts; i++)
        columns_close(&r->part[i]);
    mem_free(r->mem, r->part);
    *r = (contact_rows){0};
}

/* Parts have a fixed size, so that rows never move when more come. */
static int contact_rows_part_open(contact_rows *r)
{
    int err = IMP_OK;
    if (r->used < r->parts) {
        r->used++;
        return IMP_OK;
    }
    TRY(mem_fit(r->mem, r->parts, &r->capacity, sizeof *r->part, &r->part));
    r->part[r->parts] = (column_rows){0};
    TRY(columns_open(r->mem, &contact_table, r->set, CONTACT_ROWS_PART, &r->part[r->parts]));
    r->used = ++r->parts;
out:
    return err;
}

int contact_rows_add(contact_rows *r, const imp_contacts *c)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count) {
        size_t fit = r->used ? columns_fit(&r->part[r->used - 1], &rest, rest.count) : 0;
        if (!fit) {
            /* Not even one row fits the last part. In an empty one it always does: columns_fit. */
            TRY(contact_rows_part_open(r));
            continue;
        }
        TRY(columns_append(&r->part[r->used - 1], &rest, fit));
        columns_skip(&contact_table, &rest, fit);
        rest.count -= fit;
        r->count += fit;
    }
out:
    return err;
}

int contact_rows_more(contact_rows *r, size_t count, column_set mine)
{
    int err = IMP_OK;
    for (size_t left = count; left; left -= r->part[r->used - 1].count) {
        TRY(contact_rows_part_open(r));
        column_rows *part = &r->part[r->used - 1];
        columns_zero(part, mine);
        part->count = left < CONTACT_ROWS_PART ? left : CONTACT_ROWS_PART;
        r->count += part->count;
    }
out:
    return err;
}

int contact_more(contact_cursor *at)
{
    while (!at->rest.count) {
        if (!at->rows || at->part == at->rows->used)
            return 0;
        /* A view has all columns, those that are not there as NULL. */
        const column_rows *part = &at->rows->part[at->part++];
        at->rest = (imp_contacts){.count = part->count};
        columns_as_rows(part, &at->rest);
    }
    return 1;
}

void contact_skip(contact_cursor *at, size_t rows)
{
    columns_skip(&contact_table, &at->rest, rows);
    at->rest.count -= rows;
}

/* How many of the first rows of x come before the first of y. Without a bisection: where lists have
 * rows near each other, runs are short. */
static size_t contact_rows_before(const imp_contacts *x, const imp_contacts *y)
{
    size_t n = 0;
    while (n < x->count && contact_before(x, n, y, 0))
        n++;
    return n;
}

/* Whole runs, not rows: one copy of a run costs far less than many of rows. */
int contact_merge(contact_cursor *x, contact_cursor *y, imp_contacts *run, int *of_x)
{
    const int more_x = contact_more(x), more_y = contact_more(y);
    if (!more_x && !more_y)
        return 0;
    const int first_y = more_y && (!more_x || contact_before(&y->rest, 0, &x->rest, 0));
    *of_x = !first_y;
    contact_cursor *from = first_y ? y : x, *other = first_y ? x : y;
    *run = from->rest;
    if (more_x && more_y) {
        size_t n = contact_rows_before(&from->rest, &other->rest);
        run->count = n ? n : 1; /* the same pair in both: that of x comes first */
    }
    contact_skip(from, run->count);
    return 1;
}
