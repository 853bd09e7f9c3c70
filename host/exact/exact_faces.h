/* Faces and edges of a triangle or a tetrahedron. Within host/exact. */
#ifndef IMP_EXACT_FACES_H
#define IMP_EXACT_FACES_H

#include "exact_solid.h"

int faces_count(const exact_prim *p); /* 4 or 1; face f of a tetrahedron lacks vertex f */
const exact_point *face_vertex(const exact_prim *p, int face, int n); /* n: 0, 1, 2 */

/* On which side of the face's plane: 1, -1, 0. */
int face_side(const exact_prim *p, int face, const exact_point *x);

/* Of a primitive's faces: the side of the vertex that is not of it, and those of another
 * primitive's vertices. */
typedef struct face_sides {
    int solid; /* it has a volume */
    int own[4], side[4][4];
} face_sides;

void faces_ask(const exact_prim *p, const exact_prim *q, face_sides *out);

/* Is vertex v of the other inside this one, or on its surface? Only if it has a volume. */
int vertex_inside(const face_sides *s, int v);

int edges_count(const exact_prim *p); /* 6 or 3 */
extern const int prim_edge[6][2];     /* numbers of vertices; those of a triangle come first */

#endif
