/* The truth about two triangles or tetrahedra, in rational numbers, by other means than the
 * product: systems of linear equations instead of signs of determinants. A point lies in a hull if
 * it is a weighted mean of some of its vertices; an edge meets a face where two such means are
 * equal. */
#ifndef IMP_ORACLE_SOLID_H
#define IMP_ORACLE_SOLID_H

typedef struct solid_case {
    int corners[2];
    double x[2][4][3];
} solid_case;

/* What the product says of a pair, to be judged. */
typedef struct solid_said {
    int meet, within; /* within: asked only if one is a tetrahedron */
    int count;
    const double (*point)[3];
    const double *ends; /* six */
    double depth;
} solid_said;

/* NULL if all of it is right, else what is wrong. All coordinates finite. Any number of threads. */
const char *solid_fault(const solid_case *c, const solid_said *said);

#endif
