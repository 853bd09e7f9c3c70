/* The contacts of a frame again, by the plainest means: every pair of boxes in float64, then the
 * oracle's rational numbers. For `check` and the tests; nothing of kernels/ and exact/ is used. */
#ifndef IMP_TRUTH_H
#define IMP_TRUTH_H

#include "impinge.h"
#include "mem.h"
#include "oracle.h"

typedef struct truth_row {
    uint32_t a, b; /* a < b */
    int kind;      /* enum imp_kind */
} truth_row;

typedef struct truth {
    size_t count;
    truth_row *row; /* sorted by (a, b) */
} truth;

/* Contacts, or in stage candidates the pairs whose exact bounds overlap (kind 0). Options are those
 * of the run. wanted[triangles]: only pairs with at least one wanted triangle; NULL: all. */
int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out);
void truth_free(mem *m, truth *t);

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

#endif
