/* See store_sums.h. */
#include "store_sums.h"

#include "error.h"

#define ROW_SUMS_CHUNK 256

int row_sums_open(const column_table *t, column_set set, row_sums *s)
{
    s->table = t;
    for (int c = 0; c < t->count; c++) {
        if (!column_in(set, c))
            continue;
        s->values[c] = XXH3_createState();
        s->ends[c] = XXH3_createState();
        if (!s->values[c] || !s->ends[c])
            return imp_fail(IMP_ERR_MEMORY, "out of memory");
        XXH3_64bits_reset(s->values[c]);
        XXH3_64bits_reset(s->ends[c]);
    }
    return IMP_OK;
}

void row_sums_close(row_sums *s)
{
    for (int c = 0; c < COLUMNS_MOST; c++) {
        XXH3_freeState(s->values[c]);
        XXH3_freeState(s->ends[c]);
    }
    *s = (row_sums){0};
}

void row_sums_values(row_sums *s, int c, const void *values, size_t bytes)
{
    XXH3_64bits_update(s->values[c], values, bytes);
}

/* Ends are counted from the frame's first item, so that the checksum does not depend on the frames
 * before. */
void row_sums_ends(row_sums *s, int c, const uint64_t *first, size_t rows)
{
    uint64_t end[ROW_SUMS_CHUNK];
    for (size_t done = 0, n; done < rows; done += n) {
        n = rows - done < ROW_SUMS_CHUNK ? rows - done : ROW_SUMS_CHUNK;
        for (size_t i = 0; i < n; i++)
            end[i] = s->items[c] + (first[done + i + 1] - first[0]);
        XXH3_64bits_update(s->ends[c], end, n * sizeof *end);
    }
    s->items[c] += first[rows] - first[0];
}

void row_sums_add(row_sums *s, const void *view, size_t rows)
{
    for (int c = 0; c < s->table->count; c++) {
        const column *k = &s->table->column[c];
        const uint64_t *first = k->first_at ? column_first(k, view) : NULL;
        if (!s->values[c])
            continue;
        const char *from = (const char *)column_values(k, view);
        if (first)
            row_sums_ends(s, c, first, rows);
        row_sums_values(s, c, from + (first ? first[0] * column_bytes(k) : 0),
                        (first ? first[rows] - first[0] : rows) * column_bytes(k));
    }
}

/* In the order of columns_sum, which must give the same number for the rows that are read back. */
uint64_t row_sums_end(row_sums *s)
{
    XXH64_hash_t sums[2 * COLUMNS_MOST];
    size_t n = 0;
    for (int c = 0; c < s->table->count; c++) {
        if (!s->values[c])
            continue;
        if (s->table->column[c].first_at)
            sums[n++] = XXH3_64bits_digest(s->ends[c]);
        sums[n++] = XXH3_64bits_digest(s->values[c]);
        XXH3_64bits_reset(s->ends[c]);
        XXH3_64bits_reset(s->values[c]);
        s->items[c] = 0;
    }
    return XXH3_64bits(sums, n * sizeof *sums);
}
