/* The view of a block of frames, the numbers of its primitives, and the context that every stage
 * gets. */
#ifndef IMP_BLOCK_VIEW_H
#define IMP_BLOCK_VIEW_H

#include "columns.h"
#include "device.h"
#include "frame.h"
#include "tree.h"

#include <stdint.h>

/* ---- Numbers of primitives. Each space has a type of its own, so that mixing them does not
 * compile; block_view_input (block_view.h) and the maps of persistent_ids.h lead from one to
 * another. Kernels and device buffers have plain uint32_t; their names say the space:
 * kernels/README.md.
 *
 *     input  the caller's: the position in the mesh of imp_frame, which contacts are reported by
 *     prim   the position in a view, whose frames are numbered one after another
 *     stable what a primitive with an id keeps while it exists; of a view by stable ids the prim
 *     rank   the position in an order of a broad method, which only candidates leave it with
 */

#define NO_NUMBER UINT32_MAX /* in every space: none */

typedef struct input_no {
    uint32_t n;
} input_no;

typedef struct prim_no {
    uint32_t n;
} prim_no;

typedef struct stable_id {
    uint32_t n;
} stable_id;

/* ---- Options, and what every stage may use beside its inputs. */

/* imp_def as the stages take it. members: options, each of which is used by itself */
typedef struct options {
    uint32_t dop_k;
    double cell;       /* 0: the mean edge of a frame */
    int stage, on_bad; /* enum imp_stage, imp_on_bad */
    int continuous;    /* contacts between each frame and the next, */
    double separation; /* of features that come as near as that; */
    double tolerance;  /* of bodies that turn; 0: a part of the extent */
    uint32_t verify;   /* candidates of a block that are decided again; 0: none */
    int only_features; /* are found, and not decided; */
    double *queries;
    const struct imp_whole *whole; /* what frames are parts of, or NULL: motion.h */
    int timed;                     /* the end of each stage is waited for */
    int update;                    /* enum imp_update */
    int ids;                       /* meshes have ids */
    tree_def tree;                 /* of the method "tree" */
    uint32_t rules;                /* which pairs: prim.h */
    uint32_t listed;               /* pairs of objects that the rules name, */
    const uint64_t *list;          /* as keys (prim.h: object_pair), ascending */
    int solids;                    /* contacts have depth and collision points */
    column_set columns;            /* that contacts of a frame have: columns.h */
    column_set step_columns;       /* and those between two frames */
} options;

typedef struct context {
    mem *mem;
    device *dev;   /* runs the broad phase */
    device *dev64; /* runs float64 kernels: the same, or the host if that has none */
    const atomic_int *cancel;
    int threads; /* of the host */
    options opt;
} context;

/* ---- What a pass sees of a block of frames: one or two instants of it, and the primitives that
 * take part. All frames go through the stages together; primitives (prim_no) and vertices of all of
 * them are numbered consecutively, at most 2^32 - 2 of each.
 *
 * A view shows whole frames, or one frame by stable ids (persistent_ids.h), or what of one frame
 * comes near another object (object_clip.h). block_view_input is the only way back to the caller's
 * numbers. */

typedef struct block_view {
    const imp_frame *frame; /* [frames] the first instant */
    const imp_frame *to;    /* [frames] the second instant, each of the same mesh; NULL: none */
    uint32_t frames, prims, verts;
    uint32_t corners; /* of every primitive: 3, or 4 if there are tetrahedra; a primitive with
                         fewer repeats its last one */
    uint32_t *prim0, *vert0; /* [frames + 1] the first of each frame, then the total */
    uint32_t *mesh0;         /* [frames] the first of the frame's mesh among those of all meshes */
    uint32_t mesh_prims;     /* primitives of the view's different meshes */
    uint64_t mesh;           /* number of the mesh: the same for frames that follow one another */
    uint64_t topology;       /* the same of blocks of which all frames have one mesh; 0: several */
    const input_no *input;   /* [prims] the caller's numbers; NULL: positions in the frames */
    struct persistent_ids *ids;    /* the one frame is of stable ids; NULL: it is not */
    const struct rigid_ccd *rigid; /* the bodies that turn between both instants; NULL: none does */
    const double (*box)[DIMENSIONS]; /* [2] of the whole frame, if the one frame is a part; NULL */
    void *memory;                    /* holds the arrays */
} block_view;

/* frame: [count], the caller's; `to`: NULL, or their second instants. Errors: MEMORY. */
int block_view_open(mem *m, const imp_frame *frame, const imp_frame *to, size_t count,
                    block_view *out);
void block_view_close(mem *m, block_view *v);

/* Are its primitives those of the caller's frames, all and as they are? */
static inline int block_view_whole(const block_view *v)
{
    return !v->ids && !v->input && !v->box;
}

/* The caller's number of a primitive of frame f. */
static inline input_no block_view_input(const block_view *v, uint32_t f, prim_no p)
{
    return v->input ? v->input[p.n] : (input_no){p.n - v->prim0[f]};
}

/* Is that the number that it has in the view? */
static inline int block_view_inputs_same(const block_view *v, uint32_t f)
{
    return !v->input && v->prim0[f] == 0;
}

/* The corners of a primitive of a mesh, as many as its view has: as kernels take them. */
void block_view_corners(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out);

#endif
