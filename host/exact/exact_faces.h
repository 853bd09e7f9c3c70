/* Faces and edges of a triangle or a tetrahedron. Within host/exact. */
#ifndef IMP_EXACT_FACES_H
#define IMP_EXACT_FACES_H

#include "exact_prim.h"

extern const int tet_face[4][3]; /* numbers of vertices; face f of a tetrahedron lacks vertex f */

static inline int faces_count(const exact_prim *p)
{
    return p->corners == 4 ? 4 : 1;
}

/* n: 0, 1, 2 */
static inline const exact_point *face_vertex(const exact_prim *p, int face, int n)
{
    return &p->v[p->corners == 4 ? tet_face[face][n] : n];
}

/* Face f has these edges, in the order of its vertices; face_turn: -1 where one goes the other way.
 * A triangle's are those of face 3. */
extern const int face_edge[4][3], face_turn[4][3];

/* Of a primitive's faces: the side of the vertex that is not of it, and those of another
 * primitive's vertices. */
typedef struct face_sides {
    int solid; /* it has a volume */
    int own[4], side[4][4];
} face_sides;

void face_sides_find(const exact_prim *p, const exact_prim *q, face_sides *out);

/* Is vertex v of the other inside this one, or on its surface? Only if it has a volume. */
int face_sides_vertex_inside(const face_sides *s, int v);

extern const int prim_edge[6][2]; /* numbers of vertices; those of a triangle come first */

static inline int edges_count(const exact_prim *p)
{
    return p->corners == 4 ? 6 : 3;
}

#endif
