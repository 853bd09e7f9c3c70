/* Contacts of a frame as rows of a result. */
#ifndef IMP_EVENT_ROWS_H
#define IMP_EVENT_ROWS_H

#include "body_mesh.h"
#include "contact_columns.h"

typedef struct impact_row {
    double toi;
    uint32_t a, b;
    uint32_t number; /* in the order in which they were added */
    uint8_t kind;
    double point[6];
    int64_t feature[2];
} impact_row;

/* All zero at first, except mem. */
typedef struct impact_rows {
    mem *mem;
    impact_row *row;
    size_t count, capacity;
    column_rows columns; /* of impact_rows_view */
} impact_rows;

/* One more. toi: of a step of that many seconds, rounded down. Errors: MEMORY. */
int impact_rows_add(impact_rows *r, const body_mesh *m, const pcs_contact *c, double step);

/* Sorts them by (toi, a, b), and makes the columns that *out points to. Errors: MEMORY. */
int impact_rows_view(impact_rows *r, imp_contacts *out);

void impact_rows_free(impact_rows *r);

#endif
