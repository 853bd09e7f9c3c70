/* The truth about two triangles or tetrahedra, in integers of any length, by other means than the
 * product: systems of linear equations instead of signs of determinants. A point is in a hull if
 * it is a weighted mean of some of its vertices. Weights change linearly along an edge: it meets
 * a face where one of them becomes 0 and none is negative. */
#ifndef IMP_ORACLE_SOLID_H
#define IMP_ORACLE_SOLID_H

typedef struct solid_case {
    int corners[2];
    double x[2][4][3];
} solid_case;

/* A statement about a pair, which may be wrong. */
typedef struct solid_claim {
    int meet, within;    /* within: only if one is a tetrahedron; -1: no claim */
    int count;           /* of collision points; -1: no claim about them and the depth */
    const double *point; /* three each */
    const double *ends;  /* six; NULL: no claim */
    double depth;
} solid_claim;

/* Have the closed sets a point in common? `within`: have the interiors? Then one is a tetrahedron;
 * a triangle is its own interior, and a tetrahedron of no volume has none. All coordinates finite,
 * as below. Any number of threads. */
int oracle_solids_intersect(const solid_case *c, int within);

/* NULL if the claim is right, else what is wrong. */
const char *oracle_solids_fault(const solid_case *c, const solid_claim *claim);

#endif
