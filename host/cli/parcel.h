/* Contacts on their way from the caller of a relay to its thread: rows of fixed capacity, so that
 * small frames share one, and no more of them at a time than memory allows. The rows are those of a
 * part of contact_rows.h; these have the size that the memory limit sets. */
#ifndef IMP_PARCEL_H
#define IMP_PARCEL_H

#include "contact_columns.h"
#include "store.h"

/* Contacts of any frames of one block. */
typedef struct parcel {
    struct parcel *next;
    int last; /* the block's last */
    column_rows rows;
    uint32_t *frame; /* of each row */
} parcel;

typedef struct parcels {
    mem *mem;
    column_set columns;
    size_t rows;         /* of a parcel */
    uint64_t made, most; /* parcels in memory */
} parcels;

/* For a run of this kind, with `bytes` for all parcels together. */
parcels parcels_of(mem *m, const imp_def *def, uint64_t bytes);
int parcel_new(parcels *p, parcel **out);
void parcels_free(mem *m, parcel *list);

/* Copies the first contacts, up to its capacity; *rest moves on by them. */
int parcel_fill(parcel *p, imp_contacts *rest);

/* Writes it step by step; these are the steps of its block. */
int parcel_write(const parcel *p, const result_step *step, result *r);

#endif
