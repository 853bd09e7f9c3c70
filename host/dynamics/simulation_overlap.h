/* The greatest overlap of a simulation: part of simulation.h. */
#ifndef IMP_SIMULATION_OVERLAP_H
#define IMP_SIMULATION_OVERLAP_H

#include <stdint.h>

/* Bodies in each other, at the beginnings of frames and where contacts are. */
typedef struct simulation_overlap {
    double most;         /* length of the shortest way out of it, or more (overlap.h); 0: none */
    int32_t a, b;        /* objects */
    uint64_t frame;      /* in which it was */
    uint64_t contacts;   /* of pairs that were in each other, or exactly touched */
    uint64_t unmeasured; /* of these, such that one is not convex, so of unknown depth */
} simulation_overlap;

#endif
