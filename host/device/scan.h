/* Prefix sums and sorting on a device; sources in kernels/scan.cl and sort.cl. */
#ifndef IMP_SCAN_H
#define IMP_SCAN_H

#include "device.h"

/* Working memory, reused from call to call. All zero at first. */
typedef struct scanner {
    buffer_u64 partial, found;
} scanner;

typedef struct sorter {
    buffer_u32 key, value, histogram;
    buffer_u64 offset, total; /* total: of a digit, by work-groups */
    scanner scan;
} sorter;

void scanner_free(device *d, scanner *s);
void sorter_free(device *d, sorter *s);

/* offset[i] = count[0] + ... + count[i - 1], u64 [n + 1] from u32 [n]; *total = offset[n]. */
int scan_counts(device *d, scanner *s, const buffer_u32 *count, uint32_t n, buffer_u64 *offset,
                uint64_t *total);

/* Values of offset[index[i]], i < n. */
int scan_gather(device *d, scanner *s, const buffer_u64 *offset, const buffer_u32 *index,
                uint32_t n, uint64_t *out);

/* The largest index p with first < p <= n and offset[p] <= limit, or first + 1 if there is none;
 * *at = offset[p]. */
int scan_find(device *d, scanner *s, const buffer_u64 *offset, uint32_t n, uint32_t first,
              uint64_t limit, uint32_t *place, uint64_t *at);

/* Sorts n (key, value) pairs of u32 by the low `bits` of the key; stable. The sorted arrays are in
 * *key and *value afterwards; their buffers may have been swapped with the sorter's. */
int sort_by_key(device *d, sorter *s, buffer_u32 *key, buffer_u32 *value, uint64_t n,
                uint32_t bits);

/* Sorts n pairs of numbers below 2^bits by (a, b). Buffers may be swapped as by sort_by_key. */
int sort_pairs(device *d, sorter *s, buffer_u32 *a, buffer_u32 *b, uint64_t n, uint32_t bits);

/* bits needed for numbers below n */
uint32_t bits_for(uint64_t n);

#endif
