/* The contacts of a frame again, or of the step from a frame to the next, by the plainest means:
 * every pair of boxes in float64, then the oracle's rational numbers. For `check` and the tests;
 * nothing of kernels/ and exact/ is used. */
#ifndef IMP_TRUTH_H
#define IMP_TRUTH_H

#include "oracle.h"
#include "truth_rows.h"

/* Contacts, or in stage candidates the pairs with overlapping exact bounds (kind 0). Options are
 * those of the run. wanted[triangles]: only pairs with at least one wanted triangle; NULL: all. */
int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out);

/* The same of the step between two frames of one mesh, in which vertices move evenly and bodies
 * turn, as imp_detect has it with imp_def.continuous; of candidates the bounds over the step. */
int truth_ccd_find(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                   const uint8_t *wanted, int threads, truth *out);

/* Where two primitives meet, as a result has it; they do meet. */
typedef struct truth_claim {
    int kind;
    const double *point;     /* six */
    int deep;                /* there are collision points and a depth */
    const double *collision; /* three for each */
    uint64_t collisions;
    double depth;
} truth_claim;

/* NULL if the claim is right, else what is wrong; of triangles within tolerances (oracle.h). One
 * `o` per thread. */
const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim);

/* The same of a row of a step, whose kind, share and features are right. One that meets at the
 * start is as in the first frame; else one point is on each of its features, and no two others are
 * nearer. */
const char *truth_ccd_points_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                   const truth_row *row, const truth_claim *claim);

#endif
