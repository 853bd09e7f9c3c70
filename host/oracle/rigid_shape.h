/* The surfaces of rigid bodies, each in its body's own coordinates, and what they bound: decided by
 * other code than that of host/shape. */
#ifndef IMP_RIGID_SHAPE_H
#define IMP_RIGID_SHAPE_H

#include "impinge.h"
#include "mem.h"

typedef struct rigid_shape {
    uint32_t vertices, triangles, parts;
    double *point;    /* [3 * vertices] */
    uint32_t *vertex; /* [vertices] their numbers in the mesh, ascending */
    uint32_t *corner; /* [3 * triangles] below vertices */
    uint32_t *cell;   /* [triangles] their numbers in the mesh, ascending */
    uint32_t *part;   /* [parts] a vertex of each part that hangs together */
    double radius;    /* of the farthest vertex from the origin */
    int closed;       /* each edge is that of an even number of triangles */
    int oriented;     /* and is as often one way as the other */
    int convex;       /* it bounds a convex body, exactly */
} rigid_shape;

/* The bodies of a mesh, whose primitives are triangles that all belong to one of them. */
typedef struct rigid_shapes {
    mem *mem;
    uint32_t bodies;
    rigid_shape *shape; /* [bodies] */
    uint32_t *body;     /* [primitives] the body of each */
    uint32_t most_vertices, most_triangles;
} rigid_shapes;

/* Errors: MEMORY; INPUT: a primitive that belongs to no body. */
int rigid_shapes_make(mem *m, const imp_mesh *mesh, rigid_shapes *out);
void rigid_shapes_free(rigid_shapes *s); /* a zeroed one, too */

/* The triangle of a body that is this primitive, which must be one of its. */
uint32_t rigid_triangle(const rigid_shape *s, uint32_t cell);

#endif
