/* Sorting on the host, by all threads. */
#ifndef IMP_SORT_KEYS_H
#define IMP_SORT_KEYS_H

#include "mem.h"

/* What is sorted, by these words. Indexes make all keys different, so that their order is one. */
typedef struct sort_key {
    uint32_t high, index;
    uint64_t low;
} sort_key;

/* By (high, low, index). Errors: MEMORY, for as much again and an eighth. */
int sort_keys(mem *m, int threads, sort_key *key, size_t n);

#endif
