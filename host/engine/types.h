/* The nouns that travel through the rooms: block, bounds, pairs. Mesh, frame and contacts are
 * public (impinge.h). Device buffers of one block are reused by the next. */
#ifndef IMP_TYPES_H
#define IMP_TYPES_H

#include "columns.h"
#include "device.h"
#include "frame.h"
#include "tree.h"

/* What is asked for: imp_def as the rooms take it. */
typedef struct options {
    uint32_t dop_k;
    double cell;          /* 0: the mean edge of a frame */
    int stage, on_bad;    /* enum imp_stage, imp_on_bad */
    int update;           /* enum imp_update */
    int names;            /* meshes have names */
    tree_def tree;        /* of the method "tree", */
    int trees;            /* which was asked for */
    uint32_t rules;       /* which pairs: prim.h */
    uint32_t listed;      /* pairs of objects that the rules name, */
    column_set columns;   /* of contacts: contact_columns.h */
    const uint64_t *list; /* as keys (prim.h: object_pair), ascending */
} options;

/* What a room may use beside its inputs. */
typedef struct context {
    mem *mem;
    device *dev;   /* where the broad phase runs */
    device *dev64; /* where float64 kernels run: the same, or the host if that cannot */
    const atomic_int *cancel;
    int threads; /* of the host */
    options opt;
} context;

/* Frames that go through the rooms together: their topology. Primitives and vertices of all frames
 * are numbered consecutively; at most 2^32 - 2 of each. */
typedef struct block {
    const imp_frame *frame; /* [frames] of the caller's */
    uint32_t frames, prims, verts;
    uint32_t corners; /* of every primitive: 3, or 4 if there are tetrahedra; those that need fewer
                         repeat their last one */
    uint32_t *prim0, *vert0;   /* [frames + 1] first of each frame, then the total */
    uint32_t *mesh0;           /* [frames] first of the frame's mesh among those of all meshes */
    uint32_t mesh_prims;       /* primitives of the block's different meshes */
    void *memory;              /* holds all these arrays */
    struct roster *roster;     /* its one frame is of places (roster.h), or NULL */
    const struct nearby *near; /* its one frame is what is left of one (nearby.h), or NULL */
} block;

#define BOUND_CHUNK 1024u

/* A reduction over the primitives or vertices of a block is cut into chunks that do not cross
 * frames: chunk c is [first[c], last[c]) of frame[c]. The device has the same three arrays. */
typedef struct chunks {
    uint32_t count;
    uint32_t *first, *last, *frame; /* one allocation, at `first` */
    buffer_u32 first_buf, last_buf, frame_buf;
} chunks;

/* start[frames + 1]: the first item of each frame; chunks are of `length` items at most, which
 * those of bounds below have all but a frame's last: BOUND_CHUNK. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length);
void chunks_free(mem *m, device *d, chunks *c);

/* The first two or three arguments of kernels over chunks (kernels.def). */
#define CHUNKS_OF(c) &(c)->first_buf, &(c)->last_buf
#define FRAME_CHUNKS_OF(c) CHUNKS_OF(c), &(c)->frame_buf

/* What the kernels that look for pairs need to know of the primitives. */
typedef struct prim_set {
    buffer_u32 corner; /* [corners * prims] vertex numbers in the block */
    buffer_i32 object; /* [prims], filled only if the rules ask for objects */
    buffer_u64 list;   /* [listed] pairs of objects, ascending */
    buffer_u32 prim0;  /* [frames + 1] */
    buffer_f32 box;    /* [BOX_BOUNDS * prims] */
    buffer_f32 slab;   /* [2 * extra * prims] */
} prim_set;

/* The coordinates that kernels compute with, frame by frame: points times a power of two. */
typedef struct units {
    double *scale, *unscale; /* [2 * frames] two powers of two each, and their inverses */
    double *centre, *half;   /* [3 * frames] near the middle of the frame's box, scaled: no
                                coordinate is farther from the centre than half */
    uint32_t *bad;           /* [frames] primitives with a vertex that is not finite */
    uint32_t *bipartite; /* [frames] just two objects, and only pairs between them are asked for */
    uint32_t capacity;   /* frames that there is memory for */
    void *memory;        /* holds all these arrays */
} units;

/* What the bound room needs for a moment, on the device: kept for the next block. */
typedef struct bound_scratch {
    buffer_u32 vert0, mesh0, bad; /* [frames], [chunks] */
    buffer_f64 box, scale, centre;
} bound_scratch;

/* What the bound room makes of a block and one set of points. */
typedef struct bounds {
    const imp_frame *frame; /* [frames] the points */
    units units;
    int culled;         /* some primitives may be left out: cull.c */
    uint32_t extra;     /* axes beside the box: dop.h */
    prim_set wide;      /* on the device that made it, which has float64 */
    prim_set broad;     /* on the device of the broad phase: the same, or a copy */
    buffer_f64 x;       /* [3 * verts] scaled points */
    buffer_f64 unscale; /* [2 * frames] */
    chunks prims, verts;
    chunks broad_prims; /* prims on the device of the broad phase: the same, or a copy */
    bound_scratch scratch;
} bounds;

/* Pairs of primitives of the block, a < b. Or, if `id` is there, of places in an order of the broad
 * phase's own, that of the lower primitive in a: then id[place] is the primitive, and
 * triangle[TRIANGLE_WORDS * place ..] its vertices, on the device of the narrow phase. */
typedef struct pairs {
    uint64_t count;
    buffer_u32 a, b; /* [count] */
    const buffer_u32 *id;
    const buffer_f64 *triangle;
} pairs;

/* Pairs that would need more than 16 GB: less of the block at a time has fewer. */
int pairs_few(uint64_t count);

int pairs_fit(device *d, pairs *out, uint64_t count);
void pairs_free(device *d, pairs *p);

#endif
