/* The parts of two objects that come near each other, where only pairs between them are wanted.
 * Everything else is left out before any stage, so its bounds are never made. */
#ifndef IMP_NEARBY_H
#define IMP_NEARBY_H

#include "view.h"

/* What remains, as a frame of its own with the same vertices. All zero at first; memory is kept
 * from frame to frame. */
typedef struct object_clip {
    imp_mesh mesh;
    imp_frame frame;           /* mesh: NULL: nothing was left out of the last one */
    double box[2][DIMENSIONS]; /* of the whole frame: least and greatest coordinates */
    input_no *input;           /* [mesh.primitives] the remaining primitives, ascending */
    uint32_t *corner;          /* the mesh's arrays, in one allocation at `input` */
    int32_t *object;
    uint8_t *corner_count;
    const imp_mesh *wide; /* mesh of which too much remained where `few` were allowed; skipped */
    uint32_t few;         /* unless more are allowed, */
    uint32_t rest, wait;  /* for `rest` more frames, of `wait` */
    int rigid;            /* both objects are rigid bodies of which poses are known */
} object_clip;

/* Looks at a block of one frame. *done stays 0 where more than one primitive in `few` is left, or
 * where the whole frame must be looked at: if a point is not finite, or one that no primitive has
 * sets the box. Where too much remains in one frame after another few of them are looked at. */
int object_clip_find(const context *c, const block_view *v, uint32_t few, object_clip *k,
                     int *done);
void object_clip_free(mem *m, object_clip *k);

/* Are both objects of a block rigid bodies that overlapped everywhere each time that they were
 * tried, which was several times? */
int object_clip_dense(const object_clip *k, const block_view *v);

#endif
