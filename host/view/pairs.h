/* Pairs of primitives on a device. */
#ifndef IMP_PAIRS_H
#define IMP_PAIRS_H

#include "block_view.h"

/* Pairs of prims of the view, a < b. */
typedef struct pairs {
    uint64_t count;
    buffer_u32 a, b; /* [count] */
} pairs;

/* A number of pairs that only the device knows so far. sums: [words]; the first two words are the
 * number of pairs found, the lower one first. resolve: receives the words; returns that number, or
 * 0 if there was no room for all pairs: the method then finds them again. */
typedef struct deferred_count {
    buffer_u32 sums;
    size_t words;
    uint64_t (*resolve)(void *user, const uint32_t *sums);
    void *user;
} deferred_count;

/* The result of a broad method for narrow: pairs of prims or, with `ranks`, pairs of ranks, the
 * lower prim first. */
typedef struct candidates {
    pairs of;
    const struct ranks *ranks;      /* NULL: `of` are prims */
    const deferred_count *deferred; /* not NULL: of.count is only the capacity */
} candidates;

/* Sets of.count to the number of pairs; waits for the device if it is deferred. with: a readout to
 * complete in the same wait, or NULL. */
int candidates_resolve_count(const context *c, candidates *found, const readout *with);

/* Ends device.alone if these candidates are many. */
void candidates_share(const context *c, const candidates *found);

/* A method's order of the primitives, on the device of the narrow phase. */
typedef struct ranks {
    const buffer_u32 *prim;     /* prim of each rank */
    const buffer_f64 *triangle; /* [triangle_words * ranks] vertices of each rank */
} ranks;

/* Fails with IMP_ERR_MEMORY for more pairs than kernels can count: a smaller range of the view has
 * fewer. */
int pairs_few(uint64_t count);

int pairs_fit(device *d, pairs *out, uint64_t count);
void pairs_free(device *d, pairs *p);

/* The candidates on the device of the narrow phase: *out is found->of, or `local`, a copy. */
int candidates_to_device(const context *c, candidates *found, pairs *local, pairs **out);

/* Converts pairs *p of these candidates, on the device of the narrow phase, to prims if they are
 * ranks. */
int candidates_to_prims(device *d, const candidates *found, pairs *p);

#endif
