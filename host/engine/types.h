/* The nouns that travel through the rooms: block, bounds, pairs. Mesh, frame and contacts are
 * public (impinge.h). Device buffers of one block are reused by the next. */
#ifndef IMP_TYPES_H
#define IMP_TYPES_H

#include "device.h"
#include "frame.h"

/* Frames that go through the rooms together. Primitives and vertices of all frames are numbered
 * consecutively; at most 2^32 - 2 of each. */
typedef struct block {
    const imp_frame *frame;
    uint32_t frames, prims, verts;
    uint32_t *prim0, *vert0; /* [frames + 1] first of each frame, then the total */
    uint32_t *tri0;          /* [frames] first triangle of the frame's mesh among the block's */
    uint32_t tri_total;      /* triangles of the block's different meshes */
    double *scale, *unscale; /* [2 * frames] two powers of two each, and their inverses */
    double *centre, *half;   /* [3 * frames] of the frame's box, scaled: no coordinate is farther
                                from the centre, whatever rounding did to that */
    uint32_t *bad;           /* [frames] primitives with a vertex that is not finite */
    uint32_t *parted; /* [frames] just two objects, and only pairs between them are asked for */
    uint32_t *place0; /* [frames + 1] like prim0, for those that a sorted grid holds */
    void *memory;     /* holds all these arrays */
} block;

/* A reduction over the primitives or vertices of a block is cut into chunks that do not cross
 * frames: chunk c is [first[c], last[c]) of frame[c]. The device has the same three arrays. */
typedef struct chunks {
    uint32_t count;
    uint32_t *first, *last, *frame; /* one allocation, at `first` */
    buffer first_buf, last_buf, frame_buf;
} chunks;

/* start[frames + 1]: the first item of each frame; chunks are of `length` items at most. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length);
void chunks_free(mem *m, device *d, chunks *c);

/* What the kernels that look for pairs need to know of the primitives. */
typedef struct prim_set {
    buffer corner; /* u32 [3 * prims] vertex numbers in the block */
    buffer object; /* i32 [prims], filled only if the rules ask for objects */
    buffer list;   /* u64 [listed] pairs of objects, ascending */
    buffer prim0;  /* u32 [frames + 1] */
    buffer box;    /* f32 [6 * prims] */
    buffer slab;   /* f32 [2 * extra * prims] */
} prim_set;

/* What the bound room leaves on the device for the others. */
typedef struct bounds {
    uint32_t extra;         /* axes beside the box: dop.h */
    uint32_t rules, listed; /* which pairs are asked for: prim.h */
    prim_set made;          /* on the device that made it, which has float64 */
    prim_set near;          /* on the device of the broad phase: the same, or a copy */
    buffer x;               /* f64 [3 * verts] scaled points */
    buffer unscale;         /* f64 [2 * frames] */
    chunks prims, verts;
    chunks prims_near; /* prims on the device of the broad phase: the same, or a copy */
} bounds;

/* Pairs of primitives of the block, a < b. */
typedef struct pairs {
    uint64_t count;
    buffer a, b; /* u32 [count] */
} pairs;

#endif
