/* Bounds of a view's primitives and what they are made of: points, their normalisation, chunks. */
#ifndef IMP_BOUNDS_H
#define IMP_BOUNDS_H

#include "block_view.h"
#include "mem.h"

/* ---- The coordinates that kernels compute with, frame by frame: points times a power of two. */

typedef struct normalisation {
    double *scale, *unscale; /* [2 * frames] two powers of two each, and their inverses */
    double *centre, *reach;  /* [3 * frames] near the middle of the frame's box, scaled: bounds are
                                within reach of the centre, but for rounding */
    uint32_t *bad;           /* [frames] primitives with a vertex that is not finite */
    uint32_t *bipartite;     /* [frames] just two objects, and only pairs between them are wanted */
    uint32_t capacity;       /* frames that there is memory for */
    void *memory;            /* holds all these arrays */
} normalisation;

/* Errors: MEMORY. */
int normalisation_fit(mem *m, normalisation *u, size_t frames);
void normalisation_free(mem *m, normalisation *u);

/* The unit of a frame with this box is 2 to the power of this. */
int normalisation_exponent(const double *lo, const double *hi);

/* Sets the unit and the centre of frame f by its box. */
void normalisation_set(normalisation *u, size_t f, const double *lo, const double *hi);

/* Bounds of frame f grow, none by more than that to each side. */
void normalisation_grow(normalisation *u, size_t f, double by);

/* Has a frame with this box the unit and centre of the first frame of `of`? */
int normalisation_same(const normalisation *of, const double lo[3], const double hi[3]);

/* ---- Ranges of primitives or vertices that do not cross frames. */

#define BOUND_CHUNK 1024u

/* A reduction over the items of a view is cut into chunks: chunk c is [first[c], last[c]) of
 * frame[c]. The device has the same three arrays. */
typedef struct chunks {
    uint32_t count;
    int there;                      /* are they on the device? */
    uint32_t *first, *last, *frame; /* one allocation, at `first` */
    buffer_u32 first_buf, last_buf, frame_buf;
} chunks;

/* start[frames + 1]: the first item of each frame. A chunk has at most `length` items; only the
 * last one of a frame may have fewer. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length);
void chunks_free(mem *m, device *d, chunks *c);

/* The first two or three arguments of kernels over chunks (kernels.def). */
#define CHUNKS_OF(c) &(c)->first_buf, &(c)->last_buf
#define FRAME_CHUNKS_OF(c) CHUNKS_OF(c), &(c)->frame_buf

/* ---- The block's points as the caller stores them: one array of one type, on the device with
 * float64.
 */

typedef struct raw_points {
    buffer_f32 in32;
    buffer_f64 in64;
    uint32_t wide;          /* in64 has the points, else in32; the other is empty */
    void *staged;           /* what that one shows, if the caller has frames in several places */
    const imp_frame *frame; /* [frames] of this call, of whose points there is a copy; NULL: none */
    size_t frames;
    source *list; /* where they are, while copies go ahead; of these [next, sources) are left, */
    size_t next, sources;
    size_t sent; /* after so many bytes */
} raw_points;

/* Arguments of kernels: POINTS of kernels.def. */
#define POINTS_OF(r) &(r)->in32, &(r)->in64, (r)->wide

/* The points of an instant of the view, `frame`: [frames], all of one type. All zero at first, then
 * closed before the next ones. Copies that *other has, if it is not NULL, change places with *r.
 * Errors: MEMORY, DEVICE. */
int raw_open(const context *c, const block_view *v, const imp_frame *frame, raw_points *r,
             raw_points *other);

void raw_swap(raw_points *a, raw_points *b);

/* Waits for what reads the caller's points. Copies may stay, and their memory for the next ones. */
void raw_close(const context *c, raw_points *r);

/* The call ends: the caller may change points and frames that there are copies of. */
void raw_invalidate(raw_points *r);

/* Copies a part of the points of frames that a view is opened for later, all of one type, beside
 * what the device computes, if that is possible. Returns 0 if nothing is left to do. */
int raw_prefetch(const context *c, const imp_frame *frame, size_t frames, raw_points *r);
void raw_free(const context *c, raw_points *r);

/* ---- The bounds of a view's primitives, and what kernels know of these. bound.c makes them. */

/* What the kernels that look for pairs need to know of the primitives. */
typedef struct prim_set {
    buffer_u32 corner; /* [corners * prims] vertex numbers in the view */
    buffer_i32 object; /* [prims], filled only if the rules ask for objects */
    buffer_u64 list;   /* [listed] pairs of objects, ascending */
    buffer_u32 prim0;  /* [frames + 1] */
    buffer_f32 box;    /* [BOX_BOUNDS * prims] */
    buffer_f32 slab;   /* [2 * extra * prims] */
    buffer_f32 point;  /* [FAR_POINT * verts] of the first instant, for far.h; may be empty */
} prim_set;

/* Whose corners and objects are on the device: they stay for frames of the same mesh. */
typedef struct held_mesh {
    uint64_t topology; /* block_view.topology; 0: none */
    uint32_t frames, corners;
    int objects; /* are they there as well? */
} held_mesh;

/* Working memory on the device, kept for the next view. */
typedef struct bound_scratch {
    buffer_u32 vert0, mesh0, bad; /* [frames], [chunks] */
    buffer_f64 box, scale, centre;
    raw_points raw, raw_to;     /* of both instants */
    raw_points prefetched;      /* of a later view */
    buffer_f32 box_to, slab_to; /* bounds of the second instant */
    buffer_f64 grow;            /* [frames] by how much bounds grow, */
    buffer_f64 margin;          /* [prims] and those of each primitive besides */
} bound_scratch;

typedef struct bounds {
    normalisation normalisation;
    int culled;         /* some primitives may be left out: cull.c */
    uint32_t extra;     /* axes beside the box: dop.h */
    prim_set on64;      /* on the device with float64, which made it */
    held_mesh held;     /* in on64 */
    prim_set broad;     /* on the device of the broad phase: the same, or a copy */
    buffer_f64 x;       /* [3 * verts] scaled points of the first instant, */
    buffer_f64 x_to;    /* and of the second, if bounds are of both */
    buffer_f64 unscale; /* [2 * frames] */
    chunks prims, verts;
    chunks broad_prims; /* prims on the device of the broad phase: the same, or a copy */
    bound_scratch scratch;
} bounds;

#endif
