/* Sorting on the host, by all threads. */
#ifndef IMP_SORT_TALLY_H
#define IMP_SORT_TALLY_H

#include "mem.h"

/* A sort key. Indices make all keys different, so that the order is total. */
typedef struct sort_key {
    uint32_t high, index;
    uint64_t low;
} sort_key;

/* Sorts by (high, low, index). Uses nine eighths of the keys' memory in addition. Errors:
 * MEMORY. */
int sort_keys(mem *m, int threads, sort_key *key, size_t n);

/* ---- Counts of things identified by one or two numbers: objects, or pairs of them. Memory grows
 * with the number of different ones. */

typedef struct tally_row {
    int32_t a, b;
    uint64_t count; /* never 0 */
} tally_row;

typedef struct tally {
    mem *mem; /* set by the caller; the rest is zero at first */
    size_t rows, capacity;
    tally_row *row; /* a hash table of `capacity` entries, until tally_merge */
} tally;

/* Errors: MEMORY. */
int tally_add(tally *t, int32_t a, int32_t b, uint64_t count);

/* After the last tally_add: makes row[0 .. rows - 1] the counts, ascending. */
void tally_merge(tally *t);

/* After tally_merge: sorts by count, the most frequent first; ties by number. */
void tally_sort(tally *t);
void tally_clear(tally *t); /* empties the table */
void tally_free(tally *t);

#endif
