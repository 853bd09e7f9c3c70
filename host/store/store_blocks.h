/* The blocks of a VTKHDF file: where their data is, and their names. */
#ifndef IMP_STORE_BLOCKS_H
#define IMP_STORE_BLOCKS_H

#include "store_batch.h"

typedef struct batch_block_of {
    char *name;    /* "outer/inner"; "" if the file is not composite */
    char *group;   /* below /VTKHDF; "." for that itself */
    int64_t index; /* in a collection */
} batch_block_of;

typedef struct batch_blocks {
    int composite;
    size_t count;
    batch_block_of *block; /* [count] those that have data, in order */
} batch_blocks;

/* Errors: INPUT, MEMORY; *out is then empty. */
int batch_blocks_find(const char *path, batch_blocks *out);
void batch_blocks_free(batch_blocks *b);

#endif
