/* Contacts between the narrow phase and the sink: any number of rows, in order, in parts of fixed
 * size. Parts are column_rows (columns.h). */
#ifndef IMP_CONTACT_ROWS_H
#define IMP_CONTACT_ROWS_H

#include "contact_columns.h"

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
