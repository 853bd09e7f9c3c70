/* Clips two objects to the parts near each other, if only pairs between them are wanted. All other
 * primitives are excluded before any stage, so their bounds are never computed. */
#ifndef IMP_OBJECT_CLIP_H
#define IMP_OBJECT_CLIP_H

#include "block_view.h"
#include "frame.h"

#include <math.h>
#include <stdatomic.h>

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
    _Atomic uint8_t *used; /* block_view.used */
    double *thickness;     /* NULL: the frame's mesh has none */
    const imp_mesh *wide;  /* mesh to skip, since too much of it remained with `few` */
    uint32_t few;          /* a smaller `few` allows more, so it is tried */
    uint32_t rest, wait;   /* frames to skip it: remaining, and total */
    int rigid;             /* both objects are rigid bodies with known poses */
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

/* ---- the whole frame */

#define CLIP_CHUNK 1024 /* vertices or primitives per thread and step */
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
    return n / CLIP_CHUNK + (n % CLIP_CHUNK != 0);
}

static inline uint32_t clip_chunk_end(uint32_t begin, uint32_t n)
{
    return n - begin < CLIP_CHUNK ? n : begin + CLIP_CHUNK;
}

/* The extent of a frame's vertices. */
typedef struct frame_extremes {
    const imp_frame *frame;
    uint32_t verts;
    int threads;
    object_extent box;       /* box of the frame, as if all vertices belonged to primitives */
    uint32_t extreme[FACES]; /* a vertex on each face of the box */
    double distance;         /* bounds of two primitives are inflated by at most this together */
    double margin;           /* the same, with what bounds are rounded by */
} frame_extremes;

/* *finite: all points are finite; otherwise nothing else is set. Errors: MEMORY. */
int extremes_look(mem *m, frame_extremes *o, int *finite);

#endif
