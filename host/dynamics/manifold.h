/* Where two convex bodies touch, or are about to: for the resolver of contacts, which needs all
 * corners of the common area and not only the closest points. Other bodies: patch.h. */
#ifndef IMP_MANIFOLD_H
#define IMP_MANIFOLD_H

#include "bodies.h"
#include "geom.h"

typedef struct manifold_point {
    v3 at;      /* in the coordinates of the frame, half way between the two surfaces */
    v3 normal;  /* of length 1, from a to b */
    double gap; /* from a to b along the normal; below 0: they overlap there */
    double
        of_b; /* whose surface the normal belongs to, and turns with: 0: a's, 1: b's, 0.5: both */
} manifold_point;

/* All zero at first, except mem. */
typedef struct manifold {
    mem *mem;
    v3 normal; /* of all points that manifold_find found */
    size_t count, capacity;
    manifold_point *point;
} manifold;

/* The vertices of each body that have the other one above them along the normal, and the crossings
 * of edges as seen along it, where the gap is at most `reach`. `normal`, from a to b, is replaced
 * by the normal of a face where it is that within 1e-3: of bodies that nearly touch it has an
 * error. `slack`: a vertex that is beside a face by so much still counts as above it. Errors:
 * MEMORY. */
int manifold_find(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb, v3 normal,
                  double reach, double slack, manifold *out);

/* Of bodies that overlap: the normal of the face, of either, that the other one is least far
 * behind.
 */
v3 manifold_exit_normal(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb);

/* Adds a point. Errors: MEMORY. */
int manifold_add(manifold *m, const manifold_point *point);

void manifold_free(manifold *m);

#endif
