/* How many pairs of nodes a sphere in addition to each oriented box would separate: for levels with
 * both volumes, which [S] section 2.1.2 argues against. */
#ifndef BENCH_BESIDE_H
#define BENCH_BESIDE_H

#include "tree.h"

typedef struct beside {
    uint64_t pairs;   /* pairs of nodes tested by a descent with boxes only */
    uint64_t boxes;   /* pairs among them whose boxes do not overlap */
    uint64_t spheres; /* pairs whose spheres do not overlap */
    uint64_t alone;   /* pairs whose spheres do not overlap although their boxes do */
} beside;

/* Trees of the same nodes, with boxes and with spheres; stack: of tree_stack_size(). Adds to the
 * counts. */
void beside_count(const tree_duo *boxes, const tree_duo *spheres, tree_stack_entry *stack,
                  beside *out);

#endif
