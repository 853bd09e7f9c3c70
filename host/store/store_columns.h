/* The columns of a table in a file that grows frame by frame, and reading them: for any table; that
 * of contacts is in store_contact.h.
 *
 *   CellData  a dataset there, and in Steps/CellDataOffsets where each frame begins in it
 *   VTKHDF    a dataset that the file has anyway: Points, the rows of several of its rows
 *   impinge   two there, of varying length: all items, and where those of each row begin, one more
 *             than there are rows, counted over the whole file
 *
 * Errors are those of h5.h. */
#ifndef IMP_STORE_COLUMNS_H
#define IMP_STORE_COLUMNS_H

#include "columns.h"
#include "h5.h"
#include "store_sums.h"

/* The groups, which must stay open; `path` is for messages. */
typedef struct column_groups {
    const char *path;
    hid_t root, cells, frames, own; /* /VTKHDF, CellData, Steps/CellDataOffsets; /impinge */
} column_groups;

/* ---- writing */

typedef struct column_writer_column {
    h5_grow values, first, frames;
    h5_grow *to;    /* `values`, or what the file has anyway */
    uint64_t items; /* of varying length: in the file */
} column_writer_column;

typedef struct column_writer {
    mem *mem;
    const column_table *table;
    column_set set;
    column_groups at;
    column_writer_column *out; /* [table->count] */
    row_sums sums;             /* of the frame */
} column_writer;

/* Makes the datasets (rows and frames H5_NEW), or opens those of a file with this number of valid
 * rows and frames; column_writer_truncate cuts off what is beyond. `points` gets the rows of a
 * column of group VTKHDF, and is not cut here. *w is all zero. */
int column_writer_open(mem *m, const column_groups *at, const column_table *t, column_set set,
                       h5_grow *points, uint64_t rows, uint64_t frames, column_writer *w);
int column_writer_truncate(column_writer *w);

/* Appends rows of column c; `first` as in a view, if its length varies. */
int column_writer_add_rows(column_writer *w, int c, const void *values, const uint64_t *first,
                           size_t rows);

/* The same of rows that are elsewhere: counts them for the checksum, and appends where their items
 * end. */
int column_writer_add_virtual(column_writer *w, int c, const void *values, const uint64_t *first,
                              size_t rows);

/* The checksum of all rows since the last one: of a frame's. */
uint64_t column_writer_end_sum(column_writer *w);

/* Begins a frame with row `row`. */
int column_writer_begin_frame(column_writer *w, uint64_t row);

int column_writer_flush(column_writer *w);
void column_writer_close(column_writer *w);

/* The same checksum of rows in memory, over the checksums of the columns that exist, in the order
 * of the table. One of varying length has two: of where the items of each row end, counted from the
 * first row's (which begins at 0), and of the items. */
uint64_t columns_sum(const column_table *t, const void *view, size_t rows);

/* ---- reading */

typedef struct column_reader_column {
    h5_data values, first;
    uint64_t per_row; /* rows of `values` in one of ours */
} column_reader_column;

typedef struct column_reader {
    mem *mem;
    const column_table *table;
    column_set set;
    column_reader_column *in; /* [table->count] */
} column_reader;

/* Opens the columns that exist, with `rows` rows at least. A column without a condition must exist.
 * *r is all zero. */
int column_reader_open(mem *m, const column_groups *at, const column_table *t, uint64_t rows,
                       column_reader *r);
void column_reader_close(column_reader *r);

/* Rows [first, first + rows), into `out`, whose capacity suffices, replacing its rows; or of one
 * column of fixed length into the caller's array. */
int column_reader_read_all(const column_reader *r, uint64_t first, size_t rows, column_rows *out);
int column_reader_read(const column_reader *r, int c, uint64_t first, size_t rows, void *out);

#endif
