/* The view of a block of frames, the numbering of its primitives, and the context of all stages. */
#ifndef IMP_BLOCK_VIEW_H
#define IMP_BLOCK_VIEW_H

#include "columns.h"
#include "device.h"
#include "frame.h"
#include "tree.h"

#include <stdint.h>

/* ---- Numbers of primitives. Each numbering has a type of its own, so that mixing them does not
 * compile; block_view_input (block_view.h) and the maps of persistent_ids.h convert between them.
 * Kernels and device buffers have plain uint32_t; their names tell the numbering:
 * kernels/README.md.
 *
 *     input  the caller's number: the position in the mesh of imp_frame, which contacts report
 *     prim   the position in a view, whose frames are numbered one after another
 *     stable the number of a primitive with an id while it exists; the prim in a view by stable ids
 *     rank   the position in an order of a broad method; only candidates use it outside the method
 */

#define NO_NUMBER UINT32_MAX /* no primitive, in every numbering */

typedef struct input_no {
    uint32_t n;
} input_no;

typedef struct prim_no {
    uint32_t n;
} prim_no;

typedef struct stable_id {
    uint32_t n;
} stable_id;

/* ---- Options, and the context that every stage may use beside its inputs. */

/* imp_def in the form that stages use. members: options, each of which is used by itself */
typedef struct options {
    uint32_t dop_k;
    double cell;       /* 0: the mean edge length of a frame */
    int stage, on_bad; /* enum imp_stage, imp_on_bad */
    int continuous;    /* imp_def.continuous */
    int rows;          /* enum imp_rows */
    uint32_t ring;     /* imp_def.ring */
    int crossing;      /* imp_def.crossing */
    double separation; /* with continuous: contact distance of features; with rows: the distance */
    int thickness;     /* imp_def.thickness: meshes have thicknesses instead */
    double tolerance;  /* tolerance of rotating bodies; 0: a part of the extent */
    uint32_t verify;   /* candidates of each block to re-check; 0: none */
    int only_features; /* internal.h: feature pairs are found and not decided */
    double *queries;
    const struct imp_whole *whole; /* motion.h: the whole of which frames are parts, or NULL */
    int timed;                     /* each stage ends by waiting for the device */
    int update;                    /* enum imp_update */
    int ids;                       /* meshes have ids */
    tree_def tree;                 /* options of the method "tree" */
    uint32_t rules;                /* RULE_ bits, which choose the pairs: prim.h */
    uint32_t listed;               /* number of object pairs in `list` */
    const uint64_t *list;          /* keys of object pairs (prim.h: object_pair), ascending */
    int solids;                    /* imp_def.solids: contacts have depth and collision points */
    int inside;                    /* imp_def.inside, or rows INSIDE */
    const int32_t *inside_object;  /* [inside_objects] ascending; or NULL */
    size_t inside_objects;
    int inside_open, inside_winding;
    int (*relations)(void *user, const imp_relations *relations);
    void *relations_user;
    column_set columns;         /* columns of a frame's contacts: columns.h */
    column_set contact_columns; /* with inside: of the contacts that it needs */
    column_set step_columns;    /* columns of a step's contacts */
} options;

typedef struct context {
    mem *mem;
    device *dev;   /* runs the broad phase */
    device *dev64; /* runs float64 kernels: the same device, or the host if `dev` lacks float64 */
    const atomic_int *cancel;
    int threads; /* host threads */
    options opt;
} context;

/* Returns whether the list of object pairs, if there is one, allows pairs of two different objects.
 */
int context_allows(const context *c, int32_t i, int32_t j);

/* ---- The view: a block of frames as a pass sees it, at one or two instants, with the primitives
 * that take part. All frames go through the stages together; their primitives (prim_no) and
 * vertices are numbered consecutively, at most 2^32 - 2 of each.
 *
 * A view shows whole frames, or one frame by stable ids (persistent_ids.h), or the part of one
 * frame that is near another object (object_clip.h). Only block_view_input converts back to the
 * caller's numbers. */

typedef struct block_view {
    const imp_frame *frame; /* [frames] the first instant */
    const imp_frame *to;    /* [frames] the second instant, with the same meshes; NULL: none */
    uint32_t frames, prims, verts;
    uint32_t corners; /* per primitive: 3, or 4 if there are tetrahedra; a primitive with fewer
                         repeats its last one */
    uint32_t *prim0, *vert0; /* [frames + 1] the first of each frame, then the total */
    uint32_t *mesh0;         /* [frames] the first of the frame's mesh among those of all meshes */
    uint32_t mesh_prims;     /* primitives of the view's different meshes */
    uint64_t mesh;           /* number of the mesh, the same for consecutive frames with one mesh */
    uint64_t topology;     /* number of the one mesh of all frames of a block; 0: several meshes */
    const input_no *input; /* [prims] the caller's numbers; NULL: positions in the frames */
    struct persistent_ids *ids;      /* the view is one frame by stable ids; else NULL */
    const struct rigid_ccd *rigid;   /* the bodies that rotate between both instants; NULL: none */
    const double (*box)[DIMENSIONS]; /* [2] box of the whole frame if the view is a part; or NULL */
    const _Atomic uint8_t *used;     /* with `box`: 0 for chunks of BOUND_CHUNK vertices that no
                                        primitive of the view has */
    void *memory;                    /* holds the arrays */
} block_view;

/* frame: [count] the caller's frames; to: [count] their second instants, or NULL. Errors:
 * MEMORY. */
int block_view_open(mem *m, const imp_frame *frame, const imp_frame *to, size_t count,
                    block_view *out);
void block_view_close(mem *m, block_view *v);

/* Returns whether its primitives are all those of the caller's frames, in the same order. */
static inline int block_view_whole(const block_view *v)
{
    return !v->ids && !v->input && !v->box;
}

/* The caller's number of a primitive of frame f. */
static inline input_no block_view_input(const block_view *v, uint32_t f, prim_no p)
{
    return v->input ? v->input[p.n] : (input_no){p.n - v->prim0[f]};
}

/* Returns whether primitives of frame f have the same number in the view and in the caller's
 * frame. */
static inline int block_view_inputs_same(const block_view *v, uint32_t f)
{
    return !v->input && v->prim0[f] == 0;
}

/* The corners of a primitive of a mesh, padded to the view's number as kernels expect them. */
void block_view_corners(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out);

#endif
