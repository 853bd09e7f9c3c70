/* How far two rigid bodies are from each other in given poses, and in each other: by all pairs of
 * triangles, in long double. Closed bodies are solid. */
#ifndef IMP_RIGID_GAP_H
#define IMP_RIGID_GAP_H

#include "oracle_turning.h"
#include "rigid_shape.h"

typedef struct rigid_pose {
    real centre[3], r[3][3]; /* x goes to r x + centre */
} rigid_pose;

/* Two bodies in their poses, relative to the centre of the first. */
typedef struct rigid_placed {
    const rigid_shape *shape;
    real (*at)[3];          /* [vertices] */
    double (*box)[6];       /* [triangles] low x y z, high */
    double low[3], high[3]; /* of all */
} rigid_placed;

typedef struct rigid_pair {
    mem *mem;
    real origin[3];
    rigid_placed body[2];
} rigid_pair;

/* Room for any two of the shapes. Errors: MEMORY. */
int rigid_pair_open(mem *m, const rigid_shapes *s, rigid_pair *p);
void rigid_pair_close(rigid_pair *p); /* a zeroed one, too */

void rigid_pair_place(rigid_pair *p, const rigid_shape *a, const rigid_pose *pa,
                      const rigid_shape *b, const rigid_pose *pb);

/* ---- of the bodies as they are placed. A rounding error of less than 1e-12 of their sizes is in
 * all of it. */

/* Of their surfaces. What is more than `most` may be any number of more than `most`. */
real rigid_distance(const rigid_pair *p, real most);

/* Of two of their triangles. */
real rigid_triangles_distance(const rigid_pair *p, uint32_t a, uint32_t b);

/* Of a point, relative to the origin, from a triangle of body 0 or 1. */
real rigid_point_distance(const rigid_pair *p, int body, uint32_t triangle, const real x[3]);

/* Of a point from edge 0 to 2 of a triangle, by its first corner. */
real rigid_edge_distance(const rigid_pair *p, int body, uint32_t triangle, int edge,
                         const real x[3]);

/* Is the point inside body 0 or 1, which is closed? */
int rigid_inside(const rigid_pair *p, int body, const real x[3]);

/* Is a part of one inside the other, where surfaces are apart? */
int rigid_nested(const rigid_pair *p);

/* Of two convex bodies: the shortest way out of each other, 0 or less if they are apart. With more
 * than `edges` pairs of edges that by a face. */
real rigid_depth(const rigid_pair *p, uint64_t edges);

#endif
