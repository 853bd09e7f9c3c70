/* What a pass sees of a block of frames: one or two instants of it, and the primitives that take
 * part. All frames go through the stages together; primitives (prim_no) and vertices of all of them
 * are numbered consecutively, at most 2^32 - 2 of each.
 *
 * A view shows whole frames, or one frame by slots (slots.h), or what of one frame comes near
 * another object (nearby.h). view_cell is the only way back to the caller's numbers. */
#ifndef IMP_VIEW_H
#define IMP_VIEW_H

#include "context.h"
#include "frame.h"
#include "numbers.h"

typedef struct view {
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
    const cell_no *cell;     /* [prims] the caller's numbers; NULL: positions in the frames */
    struct slots *slots;     /* the one frame is of slots; NULL: it is not */
    const struct turning *turns; /* the bodies that turn between both instants; NULL: none does */
    const double (*box)[DIMENSIONS]; /* [2] of the whole frame, if the one frame is a part; NULL */
    void *memory;                    /* holds the arrays */
} view;

/* frame: [count], the caller's; `to`: NULL, or their second instants. Errors: MEMORY. */
int view_open(mem *m, const imp_frame *frame, const imp_frame *to, size_t count, view *out);
void view_close(mem *m, view *v);

/* Are its primitives those of the caller's frames, all and as they are? */
static inline int view_whole(const view *v)
{
    return !v->slots && !v->cell && !v->box;
}

/* The caller's number of a primitive of frame f. */
static inline cell_no view_cell(const view *v, uint32_t f, prim_no p)
{
    return v->cell ? v->cell[p.n] : (cell_no){p.n - v->prim0[f]};
}

/* Is that the number that it has in the view? */
static inline int view_cells_same(const view *v, uint32_t f)
{
    return !v->cell && v->prim0[f] == 0;
}

/* The corners of a primitive of a mesh, as many as its view has: as kernels take them. */
void view_corners(const imp_mesh *m, uint32_t i, uint32_t corners, uint32_t *out);

#endif
