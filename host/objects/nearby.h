/* Of a frame of two objects that are tested against each other alone: what comes near the other.
 * Everything else is left out before a room sees it, so its bounds are never made. */
#ifndef IMP_NEARBY_H
#define IMP_NEARBY_H

#include "view.h"

/* What is left, as a frame of its own with the same vertices. All zero at first; memory comes from
 * frame to frame. */
typedef struct nearby {
    imp_mesh mesh;
    imp_frame frame;           /* mesh: NULL: nothing was left out of the last one */
    double box[2][DIMENSIONS]; /* of the whole frame: least and greatest coordinates */
    cell_no *cell;             /* [mesh.primitives] which primitives are left, ascending */
    uint32_t *corner;          /* the mesh's arrays, in one allocation at `cell` */
    int32_t *object;
    uint8_t *own;
    const imp_mesh *wide; /* of it too much was left where `few` were allowed; not looked at, */
    uint32_t few;         /* if no more are, */
    uint32_t rest, wait;  /* for so many frames, of `wait` in all */
    int rigid;            /* both objects are rigid bodies of which poses are known */
} nearby;

/* Looks at a block of one frame. *done stays 0 where more than one primitive in `few` is left, or
 * where the whole frame must be looked at: if a point is not finite, or one that no primitive has
 * sets the box. Where too much is left in one frame after another few of them are looked at. */
int nearby_look(const context *c, const view *v, uint32_t few, nearby *k, int *done);
void nearby_free(mem *m, nearby *k);

/* Are both objects of a block rigid bodies, and lay in each other whenever they were looked at,
 * which was some times? */
int nearby_dense(const nearby *k, const view *v);

#endif
