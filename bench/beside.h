/* What a sphere beside each oriented box would separate: of levels with both volumes, which [S]
 * section 2.1.2 argues against. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include "tree_step.h"

typedef struct beside {
    uint64_t pairs;   /* of nodes, that a descent of boxes alone tests */
    uint64_t boxes;   /* of these, those whose boxes are apart, */
    uint64_t spheres; /* those whose spheres are, */
    uint64_t alone;   /* and those of which only the spheres are */
} beside;

/* Trees of the same nodes, with boxes and with spheres; stack: of tree_stack(). Counts grow. */
void beside_count(const tree_duo *boxes, const tree_duo *spheres, tree_step *stack, beside *out);

#endif
