/* Contacts of a frame that are kept for the next: any number of rows, in order. */
#ifndef IMP_KEPT_ROWS_H
#define IMP_KEPT_ROWS_H

#include "contact_columns.h"

typedef struct kept_rows {
    mem *mem;
    column_set set;
    column_rows *part; /* [parts], of which `used` have rows */
    size_t parts, room, used;
    uint64_t count;
} kept_rows;

/* All zero before; there is nothing in it then. */
void kept_rows_open(mem *m, column_set set, kept_rows *r);
void kept_rows_clear(kept_rows *r); /* keeps the memory */
void kept_rows_free(kept_rows *r);

/* Appends all rows of a view. */
int kept_rows_add(kept_rows *r, const imp_contacts *c);

/* A place among the rows: a view of those that are left of a part. All zero: the first. */
typedef struct kept_place {
    size_t part;
    imp_contacts view;
} kept_place;

/* Moves on to the next part where the view is empty. Returns 0 past the last row. */
int kept_rows_at(const kept_rows *r, kept_place *p);

/* What the place moves on by, in a part. */
void kept_place_skip(kept_place *p, size_t rows);

#endif
