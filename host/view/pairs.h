/* Pairs of primitives on a device. */
#ifndef IMP_PAIRS_H
#define IMP_PAIRS_H

#include "block_view.h"

/* Pairs of prims of the view, a < b. */
typedef struct pairs {
    uint64_t count;
    buffer_u32 a, b; /* [count] */
} pairs;

/* A number of pairs that the device alone knows as yet. sums: [words] of it; the first two are the
 * number that was found, the lower word first. settle: gets them; returns that number, or 0 if
 * there was no room for all: then the method finds them again. */
typedef struct deferred_count {
    buffer_u32 sums;
    size_t words;
    uint64_t (*resolve)(void *user, const uint32_t *sums);
    void *user;
} deferred_count;

/* What a broad method gives to narrow: pairs of prims; or, with `ranks`, pairs of ranks, the lower
 * prim first. */
typedef struct candidates {
    pairs of;
    const struct ranks *ranks; /* NULL: `of` are prims */
    const deferred_count
        *deferred; /* of.count is what there is room for; NULL: it is their number */
} candidates;

/* Makes of.count the number of pairs, which waits for the device if it is not known. with: what is
 * read in the same wait; NULL: nothing. */
int candidates_resolve_count(const context *c, candidates *found, const readout *with);

/* A method's order of the primitives, on the device of the narrow phase. */
typedef struct ranks {
    const buffer_u32 *prim;     /* of each rank */
    const buffer_f64 *triangle; /* [TRIANGLE_WORDS * ranks] its vertices */
} ranks;

/* IMP_ERR_MEMORY for more pairs than kernels can count: a smaller part of the view has fewer. */
int pairs_few(uint64_t count);

int pairs_fit(device *d, pairs *out, uint64_t count);
void pairs_free(device *d, pairs *p);

/* The pairs that the broad phase found, on the device of the narrow phase: *out is found->of, or
 * `local`, a copy. */
int candidates_to_device(const context *c, candidates *found, pairs *local, pairs **out);

/* Pairs p of these candidates, on the device of the narrow phase, become pairs of prims if they are
 * of ranks. */
int candidates_to_prims(device *d, const candidates *found, pairs *p);

#endif
