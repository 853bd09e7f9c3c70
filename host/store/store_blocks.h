/* The blocks of a VTKHDF file: where their data is, and their names. */
#ifndef IMP_STORE_BLOCKS_H
#define IMP_STORE_BLOCKS_H

#include "store_batch.h"

typedef struct file_block {
    char *name;    /* "outer/inner"; "" if the file is not composite */
    char *group;   /* below /VTKHDF; "." for that itself */
    int64_t index; /* in a collection */
} file_block;

typedef struct file_blocks {
    int composite;
    size_t count;
    file_block *block; /* [count] those that have data, in order */
} file_blocks;

/* Errors: INPUT, MEMORY; *out is then empty. */
int file_blocks_find(const char *path, file_blocks *out);
void file_blocks_free(file_blocks *b);

#endif
