/* Pairs of primitives that touch in the frame of --baseline, and are left out of a result. */
#ifndef IMP_BASELINE_H
#define IMP_BASELINE_H

#include "impinge.h"
#include "mem.h"

/* All zero: there is no such frame. */
typedef struct baseline {
    int given;
    uint64_t frame; /* of the input */
    size_t count, capacity;
    uint32_t (*pair)[2]; /* [count] ascending */
} baseline;

/* The next contacts of that frame, in order. number, here and below: of primitives in the frame;
 * NULL: theirs. */
int baseline_add(baseline *b, mem *m, const imp_contacts *c, const uint32_t *number);
void baseline_free(baseline *b, mem *m);

/* Passes the contacts of all other pairs on to a sink, in order; returns what it returns. */
int baseline_filter(const baseline *b, const imp_contacts *c, const uint32_t *number,
                    imp_sink *sink, void *user);

#endif
