/* The checksum of a frame's rows that come in chunks: that of columns_sum. */
#ifndef IMP_STORE_SUMS_H
#define IMP_STORE_SUMS_H

#include "columns.h"

#include <xxhash.h>

typedef struct row_sums {
    const column_table *table;
    XXH3_state_t *values[COLUMNS_MOST], *ends[COLUMNS_MOST]; /* NULL: no such column */
    uint64_t items[COLUMNS_MOST];                            /* of varying length, so far */
} row_sums;

/* *s is all zero. Errors: MEMORY. */
int row_sums_open(const column_table *t, column_set set, row_sums *s);
void row_sums_close(row_sums *s);

/* The next rows, the first of a view. */
void row_sums_add(row_sums *s, const void *view, size_t rows);

/* The same of one column: its values, of this number of bytes; and where the items of each row end,
 * from `first` as in a view. */
void row_sums_values(row_sums *s, int c, const void *values, size_t bytes);
void row_sums_ends(row_sums *s, int c, const uint64_t *first, size_t rows);

/* The checksum; the next row is the first of another frame. */
uint64_t row_sums_end(row_sums *s);

#endif
