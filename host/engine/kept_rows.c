/* See kept_rows.h. */
#include "kept_rows.h"

#include "error.h"

#include <string.h>

#define PART 4096 /* rows */

void kept_rows_open(mem *m, column_set set, kept_rows *r)
{
    r->mem = m;
    r->set = set;
    kept_rows_clear(r);
}

void kept_rows_clear(kept_rows *r)
{
    for (size_t i = 0; i < r->used; i++)
        columns_clear(&r->part[i]);
    r->used = 0;
    r->count = 0;
}

void kept_rows_free(kept_rows *r)
{
    for (size_t i = 0; i < r->parts; i++)
        columns_close(&r->part[i]);
    mem_free(r->mem, r->part);
    *r = (kept_rows){0};
}

static int part_open(kept_rows *r)
{
    int err = IMP_OK;
    if (r->used < r->parts) {
        r->used++;
        return IMP_OK;
    }
    if (r->parts == r->room) {
        size_t room = 2 * r->room + 16;
        TRY(mem_grow(r->mem, r->parts * sizeof *r->part, room * sizeof *r->part, &r->part));
        r->room = room;
    }
    r->part[r->parts] = (column_rows){0};
    TRY(columns_open(r->mem, &contact_table, r->set, PART, &r->part[r->parts]));
    r->used = ++r->parts;
out:
    return err;
}

int kept_rows_add(kept_rows *r, const imp_contacts *c)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count) {
        size_t fit = r->used ? columns_fit(&r->part[r->used - 1], &rest, rest.count) : 0;
        if (!fit) {
            TRY(part_open(r));
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

int kept_rows_at(const kept_rows *r, kept_place *p)
{
    while (!p->view.count) {
        if (p->part == r->used)
            return 0;
        const column_rows *part = &r->part[p->part++];
        p->view = (imp_contacts){.count = part->count};
        columns_view(part, &p->view);
    }
    return 1;
}

void kept_place_skip(kept_place *p, size_t rows)
{
    columns_skip(&contact_table, &p->view, rows);
    p->view.count -= rows;
}
