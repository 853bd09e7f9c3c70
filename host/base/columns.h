/* Tables of columns: types of numbers, descriptions of columns, rows in memory; and the table of
 * contacts, which contact.def describes. */
#ifndef IMP_COLUMNS_H
#define IMP_COLUMNS_H

#include "impinge.h"
#include "mem.h"

#include <stddef.h>
#include <stdint.h>

/* ---- The types of numbers in a column, or in a dataset of a file. */

enum column_type {
    COLUMN_U8,
    COLUMN_U32,
    COLUMN_U64,
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_F32,
    COLUMN_F64,
    COLUMN_TYPES
};

/* The column type of a C type. */
#define COLUMN_TYPE(type)                                                                          \
    _Generic((type)0, uint8_t                                                                      \
             : COLUMN_U8, uint32_t                                                                 \
             : COLUMN_U32, uint64_t                                                                \
             : COLUMN_U64, int32_t                                                                 \
             : COLUMN_I32, int64_t                                                                 \
             : COLUMN_I64, float                                                                   \
             : COLUMN_F32, double                                                                  \
             : COLUMN_F64)

/* Bytes of a value. */
static inline size_t column_value_bytes(enum column_type type)
{
    static const size_t bytes[COLUMN_TYPES] = {
        [COLUMN_U8] = 1,  [COLUMN_U32] = 4, [COLUMN_U64] = 8, [COLUMN_I32] = 4,
        [COLUMN_I64] = 8, [COLUMN_F32] = 4, [COLUMN_F64] = 8};
    return bytes[type];
}

/* ---- Rows of several columns, as a table describes them: contacts between the pipeline and a
 * file, in either direction. Operations on all columns are written once, for any table; the table
 * of contacts is below.
 *
 * A row struct, such as imp_contacts, has a pointer for each column of rows that are stored
 * elsewhere. The pointer of a missing column is NULL. A column of varying length has two pointers:
 * row i has the items [first[i], first[i + 1]); the first row of a row struct may begin anywhere
 * among them. */

/* The group of a file that has a column: see result.h. */
enum column_group { COLUMN_CellData, COLUMN_VTKHDF, COLUMN_impinge };

typedef struct column_def {
    const char *name;
    enum column_type type;
    uint32_t width;                  /* values in a row, or in an item if the length varies */
    size_t at;                       /* offset of its pointer in a row struct */
    size_t first_at;                 /* offset of the pointer to `first`; 0: the length is fixed */
    int (*when)(const imp_def *def); /* whether the column is present; NULL: always */
    enum column_group group;         /* its group in a file, if it has a name there */
    const char *file, *file_first;
} column_def;

typedef struct column_table {
    const column_def *column;
    int count; /* at most COLUMNS_MOST */
} column_table;

#define COLUMNS_MOST 32
typedef uint32_t column_set; /* bit c: column c is present */
#define COLUMN_BIT(c) ((column_set)1 << (c))

static inline int column_in(column_set set, int c)
{
    return (int)(set >> c & 1);
}

/* The columns of a run with these options. */
column_set columns_when(const column_table *t, const imp_def *def);

/* Bytes of a row of a column, or of an item if its length varies. */
size_t column_bytes(const column_def *c);

/* A column's values in a row struct, and the first item of each row if the length varies. */
const void *column_values(const column_def *c, const void *rows);
const uint64_t *column_first(const column_def *c, const void *rows);

/* The columns that a row struct has. */
column_set columns_present(const column_table *t, const void *rows);

/* Advances the row struct by `count` rows. The caller keeps the number of rows. */
void columns_skip(const column_table *t, void *rows, size_t count);

/* FNV-1a over every bit of the first `count` rows, row by row, continued from h. */
#define COLUMNS_HASH UINT64_C(14695981039346656037)
uint64_t columns_hash(const column_table *t, const void *rows, size_t count, uint64_t h);

/* ---- rows of our own, in one allocation */

typedef struct column_rows {
    const column_table *table;
    column_set set;
    size_t count, capacity;
    mem *mem;
    void *memory;
    char *value[COLUMNS_MOST]; /* NULL for a missing column */
    uint64_t *first[COLUMNS_MOST];
    uint64_t items[COLUMNS_MOST]; /* capacity */
    void *grown[COLUMNS_MOST];    /* own allocation of a column that outgrew `memory` */
} column_rows;

/* Bytes of a row in column_rows. Columns of varying length are expected to have a few items in each
 * row: if rows have more, fewer rows fit. */
size_t columns_row_bytes(const column_table *t, column_set set);

int columns_open(mem *m, const column_table *t, column_set set, size_t capacity, column_rows *out);

/* The same in the caller's memory of columns_bytes bytes, which stays the caller's. */
void columns_place(mem *m, const column_table *t, column_set set, size_t capacity, void *memory,
                   column_rows *out);

/* The bytes that columns_open allocates; 0: more than is possible. */
size_t columns_bytes(const column_table *t, column_set set, size_t capacity);
void columns_close(column_rows *r);
void columns_clear(column_rows *r);

/* Sets all rows up to the capacity to zero, without items, except in the columns `except`. */
void columns_zero(column_rows *r, column_set except);

/* The number of the first `count` rows of a row struct that fit. If *r is empty the first one
 * always fits, however long it is. */
size_t columns_fit(const column_rows *r, const void *rows, size_t count);

/* Appends `count` rows, at most columns_fit. Errors: ARGUMENT if `rows` lacks one of the columns;
 * MEMORY. */
int columns_append(column_rows *r, const void *rows, size_t count);

/* The same, but a column of fixed length that `rows` lacks is 0 until a later stage fills it. */
int columns_append_incomplete(column_rows *r, const void *rows, size_t count);

/* columns_append for one column, whose values and first items are those of a row struct; first:
 * NULL unless the length varies. The caller counts the rows after all columns. */
int columns_append_values(column_rows *r, int c, const void *values, const uint64_t *first,
                          size_t count);

/* Sets row i to row j of `from`; columns that `from` lacks become 0. Columns of varying length stay
 * as they are. */
void columns_put(column_rows *r, size_t i, const column_rows *from, size_t j);

/* Reserves capacity in a column of varying length for this number of items in total. */
int columns_reserve(column_rows *r, int c, uint64_t items);

/* A view of some of its rows, which needs no closing. Valid until rows are appended. */
column_rows columns_range(const column_rows *r, size_t first, size_t count);

/* Sets the pointers of a row struct. */
void columns_as_rows(const column_rows *r, void *rows);

/* ---- The columns of contacts as the pipeline delivers them: contact.def as a table over
 * imp_contacts. result.h has those of a file. */

enum contact_column {
#define CONTACT(name, ...) CONTACT_##name,
#define VARYING(name, ...) CONTACT_##name,
#include "contact.def"
    CONTACT_COLUMNS
};

extern const column_table contact_table;

/* Returns whether row i of x precedes row j of y. */
static inline int contact_before(const imp_contacts *x, size_t i, const imp_contacts *y, size_t j)
{
#define ORDER(name)                                                                                \
    if (x->name && y->name && x->name[i] != y->name[j])                                            \
        return x->name[i] < y->name[j];
#include "contact.def"
    return 0;
}

/* The conditions, for tables. */
#define when_always NULL
#define WHEN(name, is)                                                                             \
    static inline int when_##name(const imp_def *def)                                              \
    {                                                                                              \
        return is;                                                                                 \
    }
#include "contact.def"

/* ---- Contacts between the narrow phase and the sink: any number of rows, in order, in parts of
 * fixed size. Parts are column_rows (columns.h). */

/* Rows of a part, and the maximum that a sink receives at a time: they stay in a CPU cache. */
#define CONTACT_ROWS_PART 4096

typedef struct contact_rows {
    mem *mem;
    column_set set;
    column_rows *part; /* [parts], of which `used` have rows */
    size_t parts, capacity, used;
    uint64_t count;
} contact_rows;

/* *r: zero at first, or with rows, which are removed; its memory is reused. */
void contact_rows_open(mem *m, column_set set, contact_rows *r);
void contact_rows_free(contact_rows *r);

/* Appends all rows of a row struct. Errors: MEMORY. */
int contact_rows_add(contact_rows *r, const imp_contacts *c);

/* Appends rows to an empty list: row i is in part i / CONTACT_ROWS_PART. The caller sets the values
 * of the columns `mine`; others are zero. Errors: MEMORY. */
int contact_rows_more(contact_rows *r, size_t count, column_set mine);

/* A position among the rows: a row struct of the rest of a part. */
typedef struct contact_cursor {
    const contact_rows *rows; /* NULL: `rest` has all rows */
    size_t part;              /* the next part */
    imp_contacts rest;
} contact_cursor;

static inline contact_cursor contact_first(const contact_rows *r)
{
    return (contact_cursor){.rows = r};
}

/* Moves to the next part if `rest` is empty. Returns 0 past the last row. */
int contact_more(contact_cursor *at);

/* Moves past rows of `rest`. */
void contact_skip(contact_cursor *at, size_t rows);

/* Merges two ordered lists: *run becomes the next rows in the order of both, all from one list, up
 * to the next row of the other; that list's cursor moves past them. *of_x: whether they are from x.
 * Returns 0 past the last row of both. */
int contact_merge(contact_cursor *x, contact_cursor *y, imp_contacts *run, int *of_x);

#endif
