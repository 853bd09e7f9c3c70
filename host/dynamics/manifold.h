/* The contact manifold of two convex bodies that touch or are about to: all corners of the common
 * area, which the contact resolver needs, not only the closest points. For other bodies, see
 * patch.h. */
#ifndef IMP_MANIFOLD_H
#define IMP_MANIFOLD_H

#include "bodies.h"
#include "geom.h"

typedef struct manifold_point {
    v3 at;       /* in the frame's coordinates, midway between the two surfaces */
    v3 normal;   /* unit vector from a to b */
    double gap;  /* from a to b along the normal; negative: they overlap there */
    double of_b; /* the surface with the normal, with which it rotates: 0: a's, 1: b's, 0.5: both */
} manifold_point;

/* All zero at first, except mem. */
typedef struct manifold {
    mem *mem;
    v3 normal; /* common to all points that manifold_find found */
    size_t count, capacity;
    manifold_point *point;
} manifold;

/* Finds the vertices of each body with the other one above them along the normal, and the crossings
 * of edges as seen along it, where the gap is at most `reach`. `normal`, from a to b, is replaced
 * by the normal of a face if it is that within 1e-3, since it has an error for bodies that nearly
 * touch. `slack`: a vertex that is beside a face by at most this still counts as above it. Errors:
 * MEMORY. */
int manifold_find(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb, v3 normal,
                  double reach, double slack, manifold *out);

/* For overlapping bodies: the normal of the face of either behind which the other one is least
 * deep. */
v3 manifold_exit_normal(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb);

/* Adds a point. Errors: MEMORY. */
int manifold_add(manifold *m, const manifold_point *point);

void manifold_free(manifold *m);

#endif
