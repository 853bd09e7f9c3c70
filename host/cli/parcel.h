/* Contacts on their way from a worker to the I/O thread: rows of fixed capacity, so that
 * small frames share one, and no more of them at a time than memory allows. The rows are those of a
 * part of contact_rows.h; these have the size that the memory limit sets. */
#ifndef IMP_PARCEL_H
#define IMP_PARCEL_H

#include "contact_columns.h"
#include "store.h"

/* Contacts of any frames of one block. */
typedef struct row_chunk {
    struct row_chunk *next;
    int last; /* the block's last */
    column_rows rows;
    uint32_t *frame; /* of each row */
} row_chunk;

typedef struct row_chunks {
    mem *mem;
    column_set columns;
    size_t rows;         /* of a chunk */
    uint64_t made, most; /* chunks in memory */
} row_chunks;

/* For a run of this kind, with `bytes` for all chunks together. */
row_chunks row_chunks_of(mem *m, const imp_def *def, uint64_t bytes);
int row_chunk_new(row_chunks *p, row_chunk **out);
void row_chunks_free(mem *m, row_chunk *list);

/* Copies the first contacts, up to its capacity; *rest moves on by them. */
int row_chunk_fill(row_chunk *p, imp_contacts *rest);

/* Writes it step by step; these are the steps of its block. */
int row_chunk_write(const row_chunk *p, const result_step *step, result *r);

#endif
