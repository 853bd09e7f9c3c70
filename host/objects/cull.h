/* Two phases: finds the objects that are near each other, then the primitives of these that are;
 * all other primitives are excluded from the broad phase (kernels/cull.cl). */
#ifndef IMP_CULL_H
#define IMP_CULL_H

#include "bounds.h"

/* Kept from block to block. All zero at first. */
typedef struct culling {
    chunks cluster;     /* clusters: ranges of primitives of one object */
    bounds bounds;      /* bounds of the clusters, as if they were primitives */
    struct rtree *tree; /* over their boxes; NULL: not built yet */
    buffer_u32 apart, count;
    buffer_f32 near;
} culling;

/* Excludes primitives that can have no partner, and sets normalisation.bipartite. Excludes nothing
 * if bounds are kept for the next frame. */
int cull_objects(const context *c, const block_view *v, culling *k, bounds *o, int cached);
void cull_free(const context *c, culling *k);

#endif
