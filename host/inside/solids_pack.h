/* The trees of a frame's closed objects and their triangles on a device, for kernels
 * (../../kernels/inside.cl), and the buffers of a batch of queries. Objects that have tetrahedra
 * have no triangles in it. */
#ifndef IMP_SOLIDS_PACK_H
#define IMP_SOLIDS_PACK_H

#include "device.h"
#include "solids.h"

#define PACK_BATCH 65536 /* queries of a launch, at most */

/* Zero at first, except `dev`. */
typedef struct solids_pack {
    device *dev; /* with float64 */
    enum { PACK_NONE, PACK_MADE, PACK_TOO_LARGE } state;
    uint64_t asked;   /* queries until it was made */
    uint64_t met;     /* triangles that few points have met (solids_batch.c) */
    uint32_t batch;   /* queries of a launch that fit the device's buffers */
    double *position; /* [9 * INSIDE_WIDTH * plain leaves] */
    buffer_f32 node;
    buffer_u32 child;
    buffer_f64 corner, centre;
    /* of a batch */
    buffer_f64 x;
    buffer_u32 from, way, count, face;
    buffer_i32 winding;
} solids_pack;

/* Makes it from the trees, if that is worth it for so many more queries of a kind that takes it.
 * *made: it is there; else the host does without: it is too large for the device or the memory.
 * Errors: DEVICE, CANCELLED. */
int solids_pack_ready(const solids *s, size_t queries, int *made);

/* Before solids_free. */
void solids_pack_free(const solids *s);

#endif
