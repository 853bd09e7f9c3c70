/* The bounds of a view's primitives, and what kernels know of these. bound.c makes them. */
#ifndef IMP_BOUNDS_H
#define IMP_BOUNDS_H

#include "chunks.h"
#include "raw_points.h"
#include "units.h"
#include "view.h"

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
