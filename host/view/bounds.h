/* Bounds of a view's primitives, and the data they are made from: points, their normalisation,
 * chunks. */
#ifndef IMP_BOUNDS_H
#define IMP_BOUNDS_H

#include "block_view.h"
#include "mem.h"

/* ---- Normalisation: kernels compute with points scaled by a power of two for each frame. */

typedef struct normalisation {
    double *scale, *unscale; /* [2 * frames] two powers of two each, and their inverses */
    double *centre, *reach;  /* [3 * frames] scaled; the centre is near the middle of the frame's
                                box, and bounds are within `reach` of it, except for rounding */
    uint32_t *bad;           /* [frames] primitives with a vertex that is not finite */
    uint32_t *bipartite;     /* [frames] 1: only pairs between the frame's two objects are wanted */
    uint32_t capacity;       /* allocated frames */
    void *memory;            /* holds all these arrays */
} normalisation;

/* Errors: MEMORY. */
int normalisation_fit(mem *m, normalisation *u, size_t frames);
void normalisation_free(mem *m, normalisation *u);

/* The exponent e of the unit 2^e of a frame with this box. */
int normalisation_exponent(const double *lo, const double *hi);

/* Sets the unit and the centre of frame f by its box. */
void normalisation_set(normalisation *u, size_t f, const double *lo, const double *hi);

/* Enlarges the reach of frame f, whose bounds are inflated by at most `by` to each side. */
void normalisation_grow(normalisation *u, size_t f, double by);

/* Returns whether a frame with this box has the unit and centre of the first frame of `of`. */
int normalisation_same(const normalisation *of, const double lo[3], const double hi[3]);

/* ---- Chunks: ranges of primitives or vertices that do not cross frames. */

#define BOUND_CHUNK 1024u

/* A reduction over the items of a view is divided into chunks: chunk c is [first[c], last[c]) of
 * frame[c]. The device has the same three arrays. */
typedef struct chunks {
    uint32_t count;
    int there;                      /* the device has them */
    uint32_t *first, *last, *frame; /* one allocation, at `first` */
    buffer_u32 first_buf, last_buf, frame_buf;
} chunks;

/* start[frames + 1]: the first item of each frame. A chunk has at most `length` items; only the
 * last one of a frame may have fewer. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length);

/* The same without the chunks i of the one frame for which used[i] is 0. */
int chunks_make_used(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                     uint32_t length, const _Atomic uint8_t *used);
void chunks_free(mem *m, device *d, chunks *c);

/* The first two or three arguments of kernels over chunks (kernels.def). */
#define CHUNKS_OF(c) &(c)->first_buf, &(c)->last_buf
#define FRAME_CHUNKS_OF(c) CHUNKS_OF(c), &(c)->frame_buf

/* ---- Raw points: the block's points as the caller stores them, as one array of one type on the
 * device with float64. */

typedef struct raw_points {
    buffer_f32 in32;
    buffer_f64 in64;
    uint32_t wide; /* in64 has the points, else in32; the other is empty */
    void *staged;  /* host copy that the buffer shows if the caller's frames are not in one array;
                      else NULL */
    const imp_frame *frame; /* [frames] frames of this call whose points are copied; NULL: none */
    size_t frames;
    source *list; /* sources of a prefetch; [next, sources) are left to copy */
    size_t next, sources;
    size_t sent; /* bytes copied so far */
} raw_points;

/* Kernel arguments POINTS of kernels.def. */
#define POINTS_OF(r) &(r)->in32, &(r)->in64, (r)->wide

/* Opens the points of an instant of the view. frame: [frames], all of one type. *r: zero at first,
 * later closed before the next raw_open. If `other` is not NULL and has copies of these points, it
 * is swapped with *r. Errors: MEMORY, DEVICE. */
int raw_open(const context *c, const block_view *v, const imp_frame *frame, raw_points *r,
             raw_points *other);

void raw_swap(raw_points *a, raw_points *b);

/* Waits for kernels that read the caller's points. Copies and their memory may stay for the next
 * call. */
void raw_close(const context *c, raw_points *r);

/* Invalidates copies at the end of a call: the caller may change points and frames. */
void raw_invalidate(raw_points *r);

/* Prefetches a part of the points of a later view's frames, all of one type, while the device
 * computes, if it can. Returns 0 if nothing is left to do. */
int raw_prefetch(const context *c, const imp_frame *frame, size_t frames, raw_points *r);
void raw_free(const context *c, raw_points *r);

/* ---- The bounds of a view's primitives, and the buffers for kernels. bound.c makes them. */

/* The buffers of primitives that kernels of the broad phase read. */
typedef struct prim_set {
    buffer_u32 corner; /* [corners * prims] vertex numbers in the view */
    buffer_i32 object; /* [prims], filled only if the rules ask for objects */
    buffer_u64 list;   /* [listed] pairs of objects, ascending */
    buffer_u32 prim0;  /* [frames + 1] */
    buffer_f32 box;    /* [BOX_BOUNDS * prims] */
    buffer_f32 slab;   /* [2 * extra * prims] */
    buffer_f32 point;  /* [FAR_POINT * verts] points of the first instant for far.h; may be empty */
} prim_set;

/* The mesh whose corners and objects are on the device, where they stay for frames of the same
 * mesh. */
typedef struct held_mesh {
    uint64_t topology; /* block_view.topology; 0: none */
    uint32_t frames, corners;
    int objects; /* objects are there as well */
} held_mesh;

/* Working memory on the device, reused for the next view. */
typedef struct bound_scratch {
    buffer_u32 vert0, mesh0, bad; /* [frames], [chunks] */
    buffer_f64 box, scale, centre;
    raw_points raw, raw_to;     /* raw points of both instants */
    raw_points prefetched;      /* raw points of a later view */
    buffer_f32 box_to, slab_to; /* bounds of the second instant */
    buffer_f64 grow;            /* [frames] inflation of bounds */
    buffer_f64 margin;          /* [prims] additional inflation of each primitive */
} bound_scratch;

typedef struct bounds {
    normalisation normalisation;
    int culled;         /* cull.c may have left out some primitives */
    uint32_t extra;     /* axes beside the box: dop.h */
    prim_set on64;      /* on the device with float64, which made them */
    held_mesh held;     /* the mesh in on64 */
    prim_set broad;     /* on the device of the broad phase: the same, or a copy */
    buffer_f64 x;       /* [3 * verts] scaled points of the first instant */
    buffer_f64 x_to;    /* the same for the second instant, if there is one */
    buffer_f64 unscale; /* [2 * frames] */
    chunks prims, verts;
    chunks broad_prims; /* prims on the device of the broad phase: the same, or a copy */
    bound_scratch scratch;
} bounds;

#endif
