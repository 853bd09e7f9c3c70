/* Within store_any_open.c (files and blocks) and store_any_read.c (cells). */
#ifndef IMP_STORE_ANY_FILE_H
#define IMP_STORE_ANY_FILE_H

#include "store_any.h"
#include "store_arrays.h"
#include "store_blocks.h"

typedef struct any_block {
    batch *cells, *strips; /* strips: NULL if there are none */
    batch_arrays arrays;
} any_block;

struct any_file {
    mem *mem;
    batch_blocks blocks;
    any_block *block; /* [blocks.count] */
    batch_names names;
    cell_arrays arrays, lost; /* of all blocks */
    any_info info;
    const batch *first; /* the block whose steps are those of the file */
    any_cells at;       /* what was read last */
    int64_t *piece;     /* [BATCH_PIECE + 1] */
};

/* Frees what was read last. */
void any_forget_cells(any_file *f);

#endif
