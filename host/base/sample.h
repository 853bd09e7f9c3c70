/* A sample of a set whose elements come in pieces, in any order: the elements with the least
 * hashes. So it depends on the set alone, and is spread over all of it as if drawn by lot. */
#ifndef IMP_SAMPLE_H
#define IMP_SAMPLE_H

#include "mem.h"

/* A pair of primitives, or with `code` of features of them (feature_tests.h). */
typedef struct sampled {
    uint64_t hash; /* of the other three */
    uint32_t a, b, code;
    uint32_t verdict; /* what the device says of it: verify.c */
} sampled;

/* All zero at first. */
typedef struct sample {
    sampled *list; /* fewer than twice as many as asked for */
    size_t count, capacity;
    uint64_t limit; /* elements with a greater hash are not in it, if `full` */
    int full;
    uint64_t verified; /* that were decided again, to be added to the profile */
} sample;

/* The set gets n elements that it does not have: `a` and `b`, and `code`, or NULL for 0. Of all up
 * to now the `most` (>= 1) with the least hashes are in the list, and perhaps others. Errors:
 * MEMORY. */
int sample_add(mem *m, sample *s, uint32_t most, const uint32_t *a, const uint32_t *b,
               const uint32_t *code, size_t n);

/* At the end: exactly `most`, or all if there are fewer, in order of a, b, code. */
void sample_end(sample *s, uint32_t most);

/* qsort's and bsearch's order of `sampled`: by a, b, code. */
int sampled_compare(const void *x, const void *y);

void sample_clear(sample *s); /* the set is empty again */
void sample_free(mem *m, sample *s);

#endif
