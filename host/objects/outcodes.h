/* Outcodes of a frame's vertices, after Cohen and Sutherland: one bit for each face of a box that a
 * vertex is beyond. A primitive with all its vertices beyond one face does not meet the box. */
#ifndef IMP_OUTCODES_H
#define IMP_OUTCODES_H

#include "context.h"
#include "frame.h"

#include <math.h>

#define CHUNK 4096 /* vertices or primitives that a thread takes at a time */

/* An outcode: beyond which faces, the lower along x, y, z, then the upper ones. */
#define BEYOND 0x3fu
#define EXTREME 0x40u /* the vertex is one of outcodes.extreme */
#define FACES (2 * DIMENSIONS)

/* A box; lo > hi if it is empty. */
typedef struct extent {
    double lo[DIMENSIONS], hi[DIMENSIONS];
} extent;

static const extent extent_none = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

static inline void extent_point(extent *e, const double *x)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = x[k] < e->lo[k] ? x[k] : e->lo[k];
        e->hi[k] = x[k] > e->hi[k] ? x[k] : e->hi[k];
    }
}

static inline void extent_join(extent *e, const extent *other)
{
    for (int k = 0; k < DIMENSIONS; k++) {
        e->lo[k] = other->lo[k] < e->lo[k] ? other->lo[k] : e->lo[k];
        e->hi[k] = other->hi[k] > e->hi[k] ? other->hi[k] : e->hi[k];
    }
}

static inline uint32_t chunks_of(uint32_t n)
{
    return n / CHUNK + (n % CHUNK != 0);
}

static inline uint32_t outcodes_chunk_end(uint32_t begin, uint32_t n)
{
    return n - begin < CHUNK ? n : begin + CHUNK;
}

/* The vertices of a frame. */
typedef struct outcodes {
    const imp_frame *frame;
    uint32_t verts;
    int threads;
    extent box;              /* of the frame, as if primitives had all vertices */
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
void outcodes_set(outcodes *o, uint32_t first, uint32_t last, const extent *box);

#endif
