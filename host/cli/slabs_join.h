/* The slabs of each step become one: after run --space, and in merge. */
#ifndef IMP_SLABS_JOIN_H
#define IMP_SLABS_JOIN_H

#include "store.h"

/* A result of units, some in a row. */
typedef struct slab_file {
    const char *path;
    uint64_t first, count;
    result_reader *reader; /* while it is open */
} slab_file;

/* Appends all steps, each of `slabs` units. Sources are in the order of their units, and have all
 * of them. No more are open at a time than have slabs of one step. Errors: those of result_open and
 * result_join_slabs, CANCELLED. */
int slabs_join(mem *m, result_join *j, slab_file *source, size_t sources, uint64_t slabs);

#endif
