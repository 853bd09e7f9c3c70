/* The contacts of a frame once more, by the plainest means: every pair of boxes in float64, then
 * exact arithmetic. For `check`; nothing of kernels/ is used. */
#ifndef IMP_TRUTH_H
#define IMP_TRUTH_H

#include "exact.h"
#include "mem.h"

typedef struct truth_row {
    uint32_t a, b;         /* a < b */
    exact_contact contact; /* of solids only the kind: exact_prims_contact tells where */
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

#endif
