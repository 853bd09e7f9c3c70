/* Within store_any_open.c (files and blocks) and store_any_read.c (cells). */
#ifndef IMP_STORE_ANY_FILE_H
#define IMP_STORE_ANY_FILE_H

#include "store_any.h"
#include "store_arrays.h"
#include "store_blocks.h"

typedef struct vtkhdf_reader_block {
    batch *cells, *strips; /* strips: NULL if there are none */
    batch_arrays arrays;
} vtkhdf_reader_block;

struct vtkhdf_reader {
    mem *mem;
    file_blocks blocks;
    vtkhdf_reader_block *block; /* [blocks.count] */
    batch_names names;
    cell_arrays arrays, lost; /* of all blocks */
    vtkhdf_reader_info info;
    const batch *first; /* the block whose steps are those of the file */
    vtkhdf_cells at;    /* what was read last */
    int64_t *chunk;     /* [BATCH_CHUNK + 1] */
};

/* Frees what was read last. */
void vtkhdf_reader_free_cells(vtkhdf_reader *f);

#endif
