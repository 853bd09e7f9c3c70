/* The parts of two objects that come near each other, where only pairs between them are wanted.
 * Everything else is left out before any stage, so its bounds are never made. */
#ifndef IMP_OBJECT_CLIP_H
#define IMP_OBJECT_CLIP_H

#include "block_view.h"
#include "frame.h"

#include <math.h>

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

/* ---- Outcodes of a frame's vertices, after Cohen and Sutherland: one bit for each face of a box
 * that a vertex is beyond. A primitive with all its vertices beyond one face does not meet the box.
 */

#define OUTCODES_CHUNK 4096 /* vertices or primitives that a thread takes at a time */

/* An outcode: beyond which faces, the lower along x, y, z, then the upper ones. */
#define BEYOND 0x3fu
#define EXTREME 0x40u /* the vertex is one of outcodes.extreme */
#define FACES (2 * DIMENSIONS)

/* A box; lo > hi if it is empty. */
typedef struct object_extent {
    double lo[DIMENSIONS], hi[DIMENSIONS];
} object_extent;

static const object_extent extent_none = {{INFINITY, INFINITY, INFINITY},
                                          {-INFINITY, -INFINITY, -INFINITY}};

static inline void extent_point(object_extent *e, const double *x)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = x[k] < e->lo[k] ? x[k] : e->lo[k];
        e->hi[k] = x[k] > e->hi[k] ? x[k] : e->hi[k];
    }
}

static inline void extent_join(object_extent *e, const object_extent *other)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = other->lo[k] < e->lo[k] ? other->lo[k] : e->lo[k];
        e->hi[k] = other->hi[k] > e->hi[k] ? other->hi[k] : e->hi[k];
    }
}

static inline uint32_t chunks_of(uint32_t n)
{
    return n / OUTCODES_CHUNK + (n % OUTCODES_CHUNK != 0);
}

static inline uint32_t outcodes_chunk_end(uint32_t begin, uint32_t n)
{
    return n - begin < OUTCODES_CHUNK ? n : begin + OUTCODES_CHUNK;
}

/* The vertices of a frame. */
typedef struct outcodes {
    const imp_frame *frame;
    uint32_t verts;
    int threads;
    object_extent box;       /* of the frame, as if primitives had all vertices */
    uint32_t extreme[FACES]; /* a vertex on each face of the box */
    double margin;           /* added to boxes on all sides */
    uint8_t *code;           /* [verts] */
} outcodes;

/* Sets the frame's box, extreme vertices and margin. *finite: all points are finite; if not,
 * nothing else is set. Errors: MEMORY. */
int outcodes_look(mem *m, outcodes *o, int *finite);

/* Sets all codes: no vertex is beyond anything. */
void outcodes_clear(outcodes *o);

/* Sets the codes of vertices [first, last) against a box with the margin. */
void outcodes_set(outcodes *o, uint32_t first, uint32_t last, const object_extent *box);

#endif
