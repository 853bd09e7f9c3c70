/* The triangles of a frame's closed objects as kernels read them (../../kernels/inside_tree.h), on
 * a device, and the buffers of a batch of queries. Objects that have tetrahedra are not in it. */
#ifndef IMP_SOLIDS_PACK_H
#define IMP_SOLIDS_PACK_H

#include "device.h"
#include "solids.h"

#define PACK_BATCH 65536 /* queries of a launch, at most */

/* Zero at first, except `dev`. members: the arrays of a tree, on the host and on the device, and
 * the buffers of a launch */
typedef struct solids_pack {
    device *dev; /* with float64 */
    enum { PACK_NONE, PACK_MADE, PACK_TOO_LARGE } state;
    uint64_t asked;         /* queries until it was made */
    uint32_t nodes, leaves; /* leaves: the lowest nodes */
    uint32_t batch;         /* queries of a launch that fit the device's buffers */
    uint32_t *root;         /* [solids.mesh.count] its root, or INSIDE_NONE */
    uint32_t *prim;         /* [INSIDE_WIDTH * leaves] the triangle at each place, or CLOSED_NONE */
    float *box;             /* [INSIDE_NODE * nodes] */
    uint32_t *below;        /* [nodes] the first child */
    double *position;       /* [9 * INSIDE_WIDTH * leaves] */
    double middle[3];
    buffer_f32 node;
    buffer_u32 child;
    buffer_f64 corner, centre;
    /* of a batch */
    buffer_f64 x;
    buffer_u32 from, way, count, face;
    buffer_i32 winding;
} solids_pack;

/* Makes it, if that is worth it for so many more queries of a kind that takes it. *made: it is
 * there; else the host does without: it is too large for the device or the memory. Errors: DEVICE,
 * CANCELLED. */
int solids_pack_ready(const solids *s, size_t queries, int *made);

/* Before solids_free. */
void solids_pack_free(const solids *s);

#endif
