/* Sorting on the host, by all threads. */
#ifndef IMP_SORT_TALLY_H
#define IMP_SORT_TALLY_H

#include "mem.h"

/* What is sorted, by these words. Indexes make all keys different, so that their order is one. */
typedef struct sort_key {
    uint32_t high, index;
    uint64_t low;
} sort_key;

/* By (high, low, index). Errors: MEMORY, for as much again and an eighth. */
int sort_keys(mem *m, int threads, sort_key *key, size_t n);

/* ---- Counts of things that one or two numbers name: objects, or pairs of them. Memory is taken
 * for the different ones, not for all. */

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
