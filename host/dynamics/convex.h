/* Convex bodies of constant density: what dynamics needs to know of their shape. */
#ifndef IMP_CONVEX_H
#define IMP_CONVEX_H

#include "mem.h"
#include "vec.h"

#include <stdint.h>

/* The plane n . x = d of a triangle; n has length 1 and points outward. */
typedef struct convex_plane {
    v3 n;
    double d;
} convex_plane;

/* In coordinates whose origin is the centre of mass. */
typedef struct convex {
    uint32_t vertices, triangles, edges;
    double *point;       /* [3 * vertices] */
    uint32_t *corner;    /* [3 * triangles], anticlockwise as seen from outside */
    convex_plane *plane; /* [triangles] */
    uint32_t *edge; /* [2 * edges] vertices; edges between triangles of one plane are left out */
    double volume;
    double inertia[6]; /* of density 1 about the centre: xx, yy, zz, xy, xz, yz of the matrix */
    v3 moved;          /* from the given points to these */
} convex;

/* Of a closed surface of triangles that bounds a convex body, all of them anticlockwise as seen
 * from outside. Mass properties are sums over tetrahedra from the origin to each triangle (Tonon
 * 2004). Errors: MEMORY; ARGUMENT if there is no volume or an edge has not two triangles. */
int convex_make(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
                uint32_t triangles, convex **out);
void convex_free(mem *m, convex *s);

static inline v3 convex_vertex(const convex *s, uint32_t i)
{
    const double *p = s->point + (size_t)3 * i;
    return v3_make(p[0], p[1], p[2]);
}

/* ---- shapes for scenes, with the same errors */

/* A cuboid with these edges. */
int convex_box(mem *m, v3 edges, convex **out);

/* A ball: an icosahedron with each face cut in cuts * cuts triangles, and a corner at +x and -x.
 * Its vertices are on the sphere. */
int convex_ball(mem *m, double radius, uint32_t cuts, convex **out);

/* A wedge on its base: x from 0 to length, y from -width/2 to width/2, z from 0 to height at the
 * far end of x. */
int convex_wedge(mem *m, double length, double width, double height, convex **out);

#endif
