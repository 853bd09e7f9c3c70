/* What a frame took, and what happened in it. */
#ifndef IMP_PCS_COUNTS_H
#define IMP_PCS_COUNTS_H

#include <stdint.h>

/* Of one frame, or summed up. */
typedef struct pcs_counts {
    uint64_t pairs;    /* of the possible collision set: u */
    uint64_t checks;   /* each pair of the set once a frame (the paper's measure) */
    uint64_t rechecks; /* further distances within the frame */
    uint64_t steps;    /* of the feature walk */
    uint64_t contacts; /* handed to resolve */
    uint64_t rested; /* pairs that rest at the frame's end: resolved, and not found 2 epsilon apart
                        since. What cannot come near again is not looked at again */
    uint64_t inelastic; /* contacts that were taken as inelastic, so that the frame ends */
} pcs_counts;

static inline void pcs_counts_add(pcs_counts *to, const pcs_counts *c)
{
    to->pairs += c->pairs;
    to->checks += c->checks;
    to->rechecks += c->rechecks;
    to->steps += c->steps;
    to->contacts += c->contacts;
    to->rested += c->rested;
    to->inelastic += c->inelastic;
}

#endif
