/* Two phases: which objects come near each other, and then which of their primitives; the others
 * are left out of the broad phase (kernels/cull.cl). */
#ifndef IMP_CULL_H
#define IMP_CULL_H

#include "bounds.h"

/* Kept from block to block. All zero at first. */
typedef struct culling {
    chunks cluster;     /* primitives of one object, */
    bounds bounds;      /* and these as if they were primitives */
    struct rtree *tree; /* of their boxes; NULL: not yet */
    buffer_u32 apart, count;
    buffer_f32 near;
} culling;

/* Leaves out what can have no partner, and sets normalisation.bipartite. Nothing is left out where
 * bounds are kept for the next frame. */
int cull_objects(const context *c, const block_view *v, culling *k, bounds *o, int cached);
void cull_free(const context *c, culling *k);

#endif
