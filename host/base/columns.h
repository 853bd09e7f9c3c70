/* Columns and rows of them: types of numbers, a table of columns, rows in memory; and the table of
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

/* That of a C type. */
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

/* ---- Rows of several columns, as a table describes them: contacts on their way from the pipeline
 * to a file, and from a file back. What must treat all columns alike is written here, once, for any
 * table; columns.h has the table of the contacts.
 *
 * A row struct has a pointer for each column, such as imp_contacts: rows that are stored elsewhere.
 * The pointer of a missing column is NULL. A column of varying length has two: row i has the items
 * [first[i], first[i + 1]); the first row of a row struct may begin anywhere among them. */

/* The group of a file where a column is: result.h says what that means. */
enum column_group { COLUMN_CellData, COLUMN_VTKHDF, COLUMN_impinge };

typedef struct column_def {
    const char *name;
    enum column_type type;
    uint32_t width;                  /* values in a row; of varying length: in an item */
    size_t at;                       /* of its pointer in a row struct */
    size_t first_at;                 /* of that to `first`; 0: not of varying length */
    int (*when)(const imp_def *def); /* is it there? NULL: always */
    enum column_group group;         /* in a file, if it has a name there */
    const char *file, *file_first;
} column_def;

typedef struct column_table {
    const column_def *column;
    int count; /* at most COLUMNS_MOST */
} column_table;

#define COLUMNS_MOST 32
typedef uint32_t column_set; /* bit c: column c is there */
#define COLUMN_BIT(c) ((column_set)1 << (c))

static inline int column_in(column_set set, int c)
{
    return (int)(set >> c & 1);
}

/* The columns that a run of this kind has. */
column_set columns_when(const column_table *t, const imp_def *def);

/* Bytes of a row of a column, or of an item if its length varies. */
size_t column_bytes(const column_def *c);

/* A column's values in a row struct, and where its rows begin if their length varies. */
const void *column_values(const column_def *c, const void *rows);
const uint64_t *column_first(const column_def *c, const void *rows);

/* The columns that a row struct has. */
column_set columns_present(const column_table *t, const void *rows);

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

/* The same, but columns of fixed length that `rows` lacks are 0 until a later stage fills them. */
int columns_append_incomplete(column_rows *r, const void *rows, size_t count);

/* The same of one column, whose values and first items are those of a row struct; first: NULL
 * unless its length varies. Rows are not counted: the caller does that after all columns. */
int columns_append_values(column_rows *r, int c, const void *values, const uint64_t *first,
                          size_t count);

/* Reserves capacity in a column of varying length, for this number of items in all. */
int columns_reserve(column_rows *r, int c, uint64_t items);

/* Some of its rows, in its memory: nothing is to be closed. They stay as they are while no more are
 * appended. */
column_rows columns_range(const column_rows *r, size_t first, size_t count);

/* Sets the pointers of a row struct. */
void columns_as_rows(const column_rows *r, void *rows);

/* ---- The columns of contacts as the pipeline hands them out: contact.def as a table over
 * imp_contacts. What a file has of them is in result.h. */

enum contact_column {
#define CONTACT(name, ...) CONTACT_##name,
#define VARYING(name, ...) CONTACT_##name,
#include "contact.def"
    CONTACT_COLUMNS
};

extern const column_table contact_table;

/* Does row i of x come before row j of y? */
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

/* Rows of a part, and the most that a sink gets at a time: they stay in a cache. */
#define CONTACT_ROWS_PART 4096

typedef struct contact_rows {
    mem *mem;
    column_set set;
    column_rows *part; /* [parts], of which `used` have rows */
    size_t parts, capacity, used;
    uint64_t count;
} contact_rows;

/* All zero before, or with rows, which are removed. Memory is kept. */
void contact_rows_open(mem *m, column_set set, contact_rows *r);
void contact_rows_free(contact_rows *r);

/* Appends all rows of a row struct. Errors: MEMORY. */
int contact_rows_add(contact_rows *r, const imp_contacts *c);

/* Appends rows to a list that has none: row i is in part i / CONTACT_ROWS_PART. The caller sets its
 * values in the columns `mine`; in others they are zero. Errors: MEMORY. */
int contact_rows_more(contact_rows *r, size_t count, column_set mine);

/* A position among the rows: a row struct of the rest of a part. */
typedef struct contact_cursor {
    const contact_rows *rows; /* NULL: `rest` is all there is */
    size_t part;              /* the next one */
    imp_contacts rest;
} contact_cursor;

static inline contact_cursor contact_first(const contact_rows *r)
{
    return (contact_cursor){.rows = r};
}

/* Moves on to the next part where `rest` is empty. Returns 0 past the last row. */
int contact_more(contact_cursor *at);

/* Moves past rows of `rest`. */
void contact_skip(contact_cursor *at, size_t rows);

/* The one merge of two ordered lists: *run becomes the next rows in the order of both, all of one
 * list that come before the next of the other, and that list's cursor moves past them. *of_x: it is
 * x. Returns 0 past the last row of both. */
int contact_merge(contact_cursor *x, contact_cursor *y, imp_contacts *run, int *of_x);

#endif
