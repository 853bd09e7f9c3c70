/* The faces, edges and vertices of a convex body: triangles in one plane are one face, and edges on
 * one line between the same two faces are one edge. Within host/shape. */
#ifndef IMP_SHAPE_HULL_H
#define IMP_SHAPE_HULL_H

#include "shape_parts.h"

typedef struct hull_edge {
    uint32_t vertex[2]; /* tail, head: of the hull */
    uint32_t face[2];   /* to the left and to the right of it, seen from outside */
    double along[3];    /* unit vector from tail to head */
} hull_edge;

typedef struct shape_hull {
    uint32_t vertices, edges, faces;
    double *x;            /* [3 * vertices] in units of `unit` */
    double unit;          /* a power of two near the radius */
    int turned;           /* triangles are clockwise seen from outside */
    int fine;             /* products with x are exact: see shape_support.c */
    uint32_t *vertex;     /* [vertices] of the shape; the lowest with this position */
    uint32_t *corner;     /* [vertices] a corner of a triangle that is there: 3 t + i */
    uint32_t *spoke0;     /* [vertices + 1] */
    uint32_t *spoke;      /* [2 * edges] the edges at each vertex */
    hull_edge *edge;      /* [edges] */
    uint32_t *edge_part0; /* [edges + 1] */
    uint32_t *edge_part;  /* edges of triangles, 3 t + i, that an edge consists of, tail first */
    double *normal;       /* [3 * faces] unit vectors outward */
    uint32_t *side0;      /* [faces + 1] */
    uint32_t *side;       /* [2 * edges] the edges around each face */
    uint32_t *cell0;      /* [faces + 1] */
    uint32_t *cell;       /* triangles of each face, the least first */
    uint32_t *face_of;    /* [triangles] or SHAPE_NONE */
} shape_hull;

/* Sets s->hull if the triangles bound a convex body. Errors: MEMORY. */
int shape_hull_make(mem *m, shape *s);
void shape_hull_free(mem *m, shape_hull *h);

/* Is the face to the right of its edge? */
static inline int hull_right(const hull_edge *e, uint32_t face)
{
    return e->face[0] != face;
}

/* The unit vector outward from a face, in the coordinates of the shape: shape_direct.c. */
void shape_direct_normal(const shape_hull *h, uint32_t face, double out[3]);

/* ---- shape_skin.c: the triangles while it is decided */

/* Corners by position; triangles that have the same position twice are left out, as their edges
 * cancel each other. Edge i of triangle t, from its corner i on, is number 3 t + i. */
typedef struct shape_skin {
    const shape *s;
    uint32_t count;   /* triangles that are left */
    uint32_t *cell;   /* [count] which */
    uint32_t *corner; /* [3 * count] vertices of the shape, counter-clockwise seen from outside */
    int turned;       /* they were clockwise: corners 1 and 2 have changed places */
    uint32_t *twin;   /* [3 * count] the same edge of the neighbour */
    uint8_t *flat;    /* [3 * count] the neighbour is in the same plane */
    uint32_t
        within[4]; /* vertices that are not in one plane; the first is the greatest by x, y, z */
} shape_skin;

/* *convex: do they bound a convex body? Errors: MEMORY. */
int shape_skin_make(mem *m, const shape *s, shape_skin *out, int *convex);
void shape_skin_free(mem *m, shape_skin *k);

static inline uint32_t skin_next(uint32_t edge)
{
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

static inline uint32_t skin_previous(uint32_t edge)
{
    return edge % 3 ? edge - 1 : edge + 2;
}

#endif
