/* Rows of several columns, as a table describes them: contacts on their way from the pipeline to a
 * file, and from a file back. What must treat all columns alike is written here, once, for any
 * table; contact_columns.h has the table of the contacts.
 *
 * A row struct has a pointer for each column, such as imp_contacts: rows that are stored elsewhere.
 * The pointer of a missing column is NULL. A column of varying length has two: row i has the items
 * [first[i], first[i + 1]); the first row of a row struct may begin anywhere among them. */
#ifndef IMP_COLUMNS_H
#define IMP_COLUMNS_H

#include "column_type.h"
#include "impinge.h"
#include "mem.h"

/* The group of a file where a column is: store_columns.h says what that means. */
enum column_group { COLUMN_CellData, COLUMN_VTKHDF, COLUMN_impinge };

typedef struct column {
    const char *name;
    enum column_type type;
    uint32_t width;                  /* values in a row; of varying length: in an item */
    size_t at;                       /* of its pointer in a row struct */
    size_t first_at;                 /* of that to `first`; 0: not of varying length */
    int (*when)(const imp_def *def); /* is it there? NULL: always */
    enum column_group group;         /* in a file, if it has a name there */
    const char *file, *file_first;
} column;

typedef struct column_table {
    const column *column;
    int count; /* at most COLUMNS_MOST */
} column_table;

#define COLUMNS_MOST 16
typedef uint32_t column_set; /* bit c: column c is there */
#define COLUMN_BIT(c) ((column_set)1 << (c))

static inline int column_in(column_set set, int c)
{
    return (int)(set >> c & 1);
}

/* The columns that a run of this kind has. */
column_set columns_when(const column_table *t, const imp_def *def);

/* Bytes of a row of a column, or of an item if its length varies. */
size_t column_bytes(const column *c);

/* A column's values in a row struct, and where its rows begin if their length varies. */
const void *column_values(const column *c, const void *rows);
const uint64_t *column_first(const column *c, const void *rows);

/* The row struct begins `count` rows later. How many it has is the caller's to count. */
void columns_skip(const column_table *t, void *rows, size_t count);

/* FNV-1a over every bit of the first `count` rows, row by row, going on from h. */
#define COLUMNS_HASH UINT64_C(14695981039346656037)
uint64_t columns_hash(const column_table *t, const void *rows, size_t count, uint64_t h);

/* ---- rows of our own, in one allocation */

typedef struct column_rows {
    const column_table *table;
    column_set set;
    size_t count, capacity;
    mem *mem;
    void *memory;
    char *value[COLUMNS_MOST]; /* of a column that is not there NULL */
    uint64_t *first[COLUMNS_MOST];
    uint64_t items[COLUMNS_MOST]; /* capacity */
    void *grown[COLUMNS_MOST];    /* where they are if they did not fit in `memory` */
} column_rows;

/* Bytes that a row takes there. In columns of varying length a few items for each row are expected:
 * where rows have more, fewer rows fit. */
size_t columns_row_bytes(const column_table *t, column_set set);

int columns_open(mem *m, const column_table *t, column_set set, size_t capacity, column_rows *out);

/* The same in the caller's memory of columns_bytes, which stays the caller's. */
void columns_place(mem *m, const column_table *t, column_set set, size_t capacity, void *memory,
                   column_rows *out);

/* What columns_open allocates; 0: more than is possible. */
size_t columns_bytes(const column_table *t, column_set set, size_t capacity);
void columns_close(column_rows *r);
void columns_clear(column_rows *r);

/* Sets all rows up to the capacity to zero, without items, except in those columns. */
void columns_zero(column_rows *r, column_set except);

/* How many of the first `count` rows of a row struct fit; the first one always does if there is
 * none yet, however long it is. */
size_t columns_fit(const column_rows *r, const void *rows, size_t count);

/* Appends that many, at most. IMP_ERR_ARGUMENT if `rows` lacks one of the columns. */
int columns_append(column_rows *r, const void *rows, size_t count);

/* Reserves capacity in a column of varying length, for this number of items in all. */
int columns_reserve(column_rows *r, int c, uint64_t items);

/* Sets the pointers of a row struct. */
void columns_as_rows(const column_rows *r, void *rows);

#endif
