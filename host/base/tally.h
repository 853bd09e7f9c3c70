/* Counts of things that one or two numbers name: objects, or pairs of them. Memory is taken for the
 * different ones, not for all. */
#ifndef IMP_TALLY_H
#define IMP_TALLY_H

#include "mem.h"

typedef struct tally_row {
    int32_t a, b;
    uint64_t count; /* never 0 */
} tally_row;

typedef struct tally {
    mem *mem; /* given by the caller; the rest is zeroed at first */
    size_t rows, capacity;
    tally_row *row; /* a hash table of `capacity` entries, until tally_merge */
} tally;

/* IMP_ERR_MEMORY. */
int tally_add(tally *t, int32_t a, int32_t b, uint64_t count);

/* After the last one: row[0 .. rows - 1], ascending. */
void tally_merge(tally *t);

/* After tally_merge: the most frequent first; of ties the lesser. */
void tally_sort(tally *t);
void tally_clear(tally *t); /* empty again */
void tally_free(tally *t);

#endif
