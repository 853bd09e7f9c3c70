/* A sample of a set whose elements arrive in pieces, in any order: the elements with the least
 * hashes. So it depends on the set alone, and is spread over it as a random sample is. */
#ifndef IMP_SAMPLE_H
#define IMP_SAMPLE_H

#include "mem.h"

/* A pair of primitives, or with `code` of their features (feature_tests.h). */
typedef struct sampled {
    uint64_t hash; /* hash of a, b and code */
    uint32_t a, b, code;
    uint32_t verdict; /* the device's verdict: verify.c */
} sampled;

/* Zero at first. */
typedef struct sample {
    sampled *list; /* fewer than twice the requested number */
    size_t count, capacity;
    uint64_t limit; /* elements with a greater hash are not in it, if `full` */
    int full;
    uint64_t verified; /* elements re-checked, to be added to the profile */
} sample;

/* Adds n new elements to the set: `a`, `b` and `code`, or NULL for code 0. The list then has the
 * `most` (>= 1) elements with the least hashes so far, and perhaps others. Errors: MEMORY. */
int sample_add(mem *m, sample *s, uint32_t most, const uint32_t *a, const uint32_t *b,
               const uint32_t *code, size_t n);

/* Ends sampling: leaves exactly `most` elements, or all if there are fewer, in order of a, b,
 * code. */
void sample_end(sample *s, uint32_t most);

/* qsort's and bsearch's order of `sampled`: by a, b, code. */
int sampled_compare(const void *x, const void *y);

void sample_clear(sample *s); /* empties the set */
void sample_free(mem *m, sample *s);

#endif
