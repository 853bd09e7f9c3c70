/* A sample of a sequence whose length is known only at its end: elements at equal distances, which
 * double where it grows. It depends on the sequence alone, not on the pieces in which it comes. */
#ifndef IMP_SAMPLE_H
#define IMP_SAMPLE_H

#include "context.h"

/* A pair of primitives, or with `code` of features of them (feature.h). */
typedef struct sampled {
    uint32_t a, b, code;
    uint32_t said; /* what the device says of it: verify.c */
} sampled;

/* All zero at first. */
typedef struct sample {
    uint64_t seen, step; /* elements up to now; 0, step, 2 step ... of them are in the list */
    sampled *list;       /* in order of the sequence */
    size_t count, capacity;
    uint64_t verified; /* that were decided again, to be added to the profile */
} sample;

/* Of a piece the elements first, first + step, ..., `count` of them. */
typedef struct sample_part {
    uint64_t first, step;
    size_t count;
} sample_part;

/* The sequence grows by a piece of `n` elements: thins the list so that it and the part of the
 * piece have fewer than 2 `most` elements (most >= 1), but no fewer than `most` where the sequence
 * has as many; makes room for that part, which the caller adds. Errors: MEMORY. */
int sample_piece(mem *m, sample *s, uint64_t n, uint32_t most, sample_part *out);

/* Those of the part that a piece on the device has: out[part->count]. Errors: DEVICE. */
int sample_read(device *d, const buffer_u32 *piece, const sample_part *part, uint32_t *out);

/* At the end: exactly `most` of the list stay, again at equal distances, or all if it has fewer. */
void sample_cut(sample *s, uint32_t most);

void sample_clear(sample *s); /* the sequence begins again */
void sample_free(mem *m, sample *s);

#endif
