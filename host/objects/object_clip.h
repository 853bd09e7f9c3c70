/* Clips two objects to the parts near each other, if only pairs between them are wanted. All other
 * primitives are excluded before any stage, so their bounds are never computed. */
#ifndef IMP_OBJECT_CLIP_H
#define IMP_OBJECT_CLIP_H

#include "block_view.h"
#include "frame.h"

#include <math.h>

/* The remaining primitives, as a frame of its own with the same vertices. All zero at first; memory
 * is kept from frame to frame. */
typedef struct object_clip {
    imp_mesh mesh;
    imp_frame frame;           /* mesh is NULL if nothing of the last frame was excluded */
    double box[2][DIMENSIONS]; /* least and greatest coordinates of the whole frame */
    input_no *input;           /* [mesh.primitives] the remaining primitives, ascending */
    uint32_t *corner;          /* the mesh's arrays, in the same allocation as `input` */
    int32_t *object;
    uint8_t *corner_count;
    double *thickness;    /* NULL: the frame's mesh has none */
    const imp_mesh *wide; /* mesh to skip, since too much of it remained with `few` */
    uint32_t few;         /* a smaller `few` allows more, so it is tried */
    uint32_t rest, wait;  /* frames to skip it: remaining, and total */
    int rigid;            /* both objects are rigid bodies with known poses */
} object_clip;

/* Clips a block of one frame. *done stays 0 if more than one primitive in `few` remains, or if the
 * whole frame must be processed: a point is not finite, or a point without primitives determines
 * the box. If too much remains in successive frames, few of them are tried. */
int object_clip_find(const context *c, const block_view *v, uint32_t few, object_clip *k,
                     int *done);
void object_clip_free(mem *m, object_clip *k);

/* Returns whether both objects of a block are rigid bodies that overlapped everywhere at each of
 * several tries. */
int object_clip_dense(const object_clip *k, const block_view *v);

/* ---- Outcodes of a frame's vertices, after Cohen and Sutherland: one bit for each face of a box,
 * set if the vertex is beyond it. A primitive with all vertices beyond one face does not overlap
 * the box. */

#define OUTCODES_CHUNK 4096 /* vertices or primitives per thread and step */

/* The faces that a vertex is beyond: the lower ones along x, y, z, then the upper ones. */
#define BEYOND 0x3fu
#define EXTREME 0x40u /* the vertex is in outcodes.extreme */
#define FACES (2 * DIMENSIONS)

/* A box; lo > hi if empty. */
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
    object_extent box;       /* box of the frame, as if all vertices belonged to primitives */
    uint32_t extreme[FACES]; /* a vertex on each face of the box */
    double distance;         /* bounds of two primitives are inflated by at most this together */
    double margin;           /* inflation of boxes on all sides */
    uint8_t *code;           /* [verts] */
} outcodes;

/* Sets the frame's box, extreme vertices and margin. *finite: all points are finite; otherwise
 * nothing else is set. Errors: MEMORY. */
int outcodes_look(mem *m, outcodes *o, int *finite);

/* Resets all codes: no vertex is beyond any face. */
void outcodes_clear(outcodes *o);

/* Sets the codes of vertices [first, last) against a box with the margin. */
void outcodes_set(outcodes *o, uint32_t first, uint32_t last, const object_extent *box);

#endif
