/* The relations of a step, from one part or from several, of which each has relations of other
 * pairs of objects. They are few: they are always copied. */
#include "error.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>

/* A row in the order of its table: relations by both objects, swallowed parts by both and by the
 * first primitive. */
typedef struct relation_key {
    int64_t major[2], minor;
    uint64_t row;
} relation_key;

static int relation_key_order(const void *p, const void *q)
{
    const relation_key *x = p, *y = q;
    for (int i = 0; i < 2; i++)
        if (x->major[i] != y->major[i])
            return x->major[i] < y->major[i] ? -1 : 1;
    return (x->minor > y->minor) - (x->minor < y->minor);
}

static relation_key relation_key_of(const step_relations *of, int t, uint64_t row)
{
    const swallowed_rows *w = &of->swallowed;
    return t == RELATION_PAIRS
               ? (relation_key){{of->pairs.a[row], of->pairs.b[row]}, 0, row}
               : (relation_key){{w->object[row], w->in[row]}, w->primitive[row], row};
}

/* Reads the relations of a part, which are valid until the next ones of its file. */
static int join_relations_read(const result_part *part, step_relations *out)
{
    int err = IMP_OK;
    result_reader *r = part->reader;
    TRY(result_read_relations(r, part->frame, out));
    if (result_relations_checksum(out) != r->info.of.relations_checksum[part->frame])
        FAIL(IMP_ERR_INPUT,
             "%s: frame %llu is damaged: it has other relations than when it was written", r->path,
             (unsigned long long)r->info.of.input_frame[part->frame]);
out:
    return err;
}

static const void *join_relations_rows(const step_relations *of, int t, uint64_t *count)
{
    *count = t == RELATION_PAIRS ? of->pairs.count : of->swallowed.count;
    return t == RELATION_PAIRS ? (const void *)&of->pairs : &of->swallowed;
}

static void join_relations_view(const column_rows rows[RELATION_TABLES], step_relations *out)
{
    out->pairs = (relation_rows){.count = rows[RELATION_PAIRS].count};
    out->swallowed = (swallowed_rows){.count = rows[RELATION_SWALLOWED].count};
    if (out->pairs.count)
        columns_as_rows(&rows[RELATION_PAIRS], &out->pairs);
    if (out->swallowed.count)
        columns_as_rows(&rows[RELATION_SWALLOWED], &out->swallowed);
}

/* Makes room for `more` rows. */
static int join_relations_fit(mem *m, int t, uint64_t more, column_rows *rows)
{
    int err = IMP_OK;
    const column_table *table = &relation_tables[t];
    const column_set all = COLUMN_BIT(table->count) - 1;
    column_rows grown = {0};
    union {
        relation_rows pairs;
        swallowed_rows swallowed;
    } old = {0};
    if (rows->table && rows->capacity - rows->count >= more)
        return IMP_OK;
    TRY(columns_open(m, table, all, 2 * rows->count + (size_t)more, &grown));
    if (rows->count) {
        columns_as_rows(rows, &old);
        TRY(columns_append(&grown, &old, rows->count));
    }
    if (rows->table)
        columns_close(rows);
    *rows = grown;
    grown = (column_rows){0};
out:
    if (grown.table)
        columns_close(&grown);
    return err;
}

/* Appends the relations of all parts. */
static int join_relations_collect(mem *m, const result_part *part, size_t parts,
                                  column_rows rows[RELATION_TABLES], step_relations *sum)
{
    int err = IMP_OK;
    for (size_t i = 0; i < parts; i++) {
        step_relations of;
        TRY(join_relations_read(&part[i], &of));
        sum->closed += of.closed;
        sum->open += of.open;
        for (int t = 0; t < RELATION_TABLES; t++) {
            uint64_t count;
            const void *view = join_relations_rows(&of, t, &count);
            if (!count)
                continue;
            TRY(join_relations_fit(m, t, count, &rows[t]));
            TRY(columns_append(&rows[t], view, (size_t)count));
        }
    }
out:
    return err;
}

/* Sorts the rows of a table; of: their view. */
static int join_relations_sort(mem *m, const step_relations *of, int t, column_rows *rows)
{
    int err = IMP_OK;
    const uint64_t n = rows->count;
    relation_key *key = NULL;
    column_rows sorted = {0};
    TRY(mem_alloc(m, n * sizeof *key, &key));
    for (uint64_t i = 0; i < n; i++)
        key[i] = relation_key_of(of, t, i);
    qsort(key, n, sizeof *key, relation_key_order);
    TRY(join_relations_fit(m, t, n, &sorted));
    for (uint64_t i = 0; i < n; i++) {
        step_relations at = *of;
        void *row = t == RELATION_PAIRS ? (void *)&at.pairs : &at.swallowed;
        columns_skip(&relation_tables[t], row, key[i].row);
        TRY(columns_append(&sorted, row, 1));
    }
    columns_close(rows);
    *rows = sorted;
    sorted = (column_rows){0};
out:
    if (sorted.table)
        columns_close(&sorted);
    mem_free(m, key);
    return err;
}

int join_relations(result *r, mem *m, const result_part *part, size_t parts)
{
    int err = IMP_OK;
    column_rows rows[RELATION_TABLES] = {0};
    step_relations of = {0};
    if (!part->reader->info.relations)
        return IMP_OK;
    TRY(join_relations_collect(m, part, parts, rows, &of));
    join_relations_view(rows, &of);
    for (int t = 0; t < RELATION_TABLES && parts > 1; t++)
        if (rows[t].count)
            TRY(join_relations_sort(m, &of, t, &rows[t]));
    join_relations_view(rows, &of);
    TRY(result_relate(r, &of));
out:
    for (int t = 0; t < RELATION_TABLES; t++)
        if (rows[t].table)
            columns_close(&rows[t]);
    return err;
}
