/* What a pass sees of a block of frames: one or two instants of it, and the primitives that take
 * part. All frames go through the stages together; primitives (prim_no) and vertices of all of them
 * are numbered consecutively, at most 2^32 - 2 of each.
 *
 * A view shows whole frames, or one frame by stable ids (slots.h), or what of one frame comes near
 * another object (nearby.h). block_view_input is the only way back to the caller's numbers. */
#ifndef IMP_VIEW_H
#define IMP_VIEW_H

#include "context.h"
#include "frame.h"
#include "numbers.h"

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
