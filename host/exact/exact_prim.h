/* Points, triangles and tetrahedra. */
#ifndef IMP_EXACT_PRIM_H
#define IMP_EXACT_PRIM_H

typedef struct exact_point {
    double x[3];
} exact_point;

/* A triangle or a tetrahedron: three or four vertices. */
typedef struct exact_prim {
    int corners; /* 3 or 4 */
    exact_point v[4];
} exact_prim;

#endif
