/* The truth about a pair of triangles, by other means than the product: the hull of the first
 * triangle's vertices is clipped by half-spaces that intersect in the second, in integers of
 * any length. Nothing of the product but the numbers of its kinds is used. */
#ifndef IMP_ORACLE_H
#define IMP_ORACLE_H

#include "oracle_number.h"

#include <gmp.h>
#include <stdint.h>

#define ORACLE_CORNERS 6 /* two triangles of one plane overlap in a hexagon at most */

/* Two triangles: corner[0..2] and corner[3..5] are numbers of vertices x. Corners of equal number
 * are shared, or one vertex named twice. */
typedef struct tri_pair {
    double x[6][3];
    uint32_t corner[6];
} tri_pair;

typedef struct oracle_verdict {
    int kind;    /* enum imp_kind, 0: they do not meet, or not beyond what they share */
    int dim;     /* of the intersection of the closed sets: 0, 1, 2; -1 if it is empty */
    int corners; /* of the intersection, in lexicographic order, truncated to float64 */
    double corner[ORACLE_CORNERS][3];
    int end[2]; /* the farthest two corners, of ties the least pair: compared exactly */
    int plain;  /* dim 2, and all corners are vertices with few enough bits that equal
                    distances come out equal */
    /* for tolerances */
    int unit;               /* the pair's extent is within 0.5 and 1 times 2^unit */
    double low[3], high[3]; /* box of all six corners */
    double tolerance[3];    /* in units of 2^unit: 1e-9, and 1e-15 of the coordinates; 0 along
                               an axis that keeps its value */
} oracle_verdict;

typedef struct oracle oracle; /* memory to work in */

oracle *oracle_open(void); /* NULL: out of memory */
void oracle_close(oracle *o);

/* All coordinates finite. */
void oracle_decide(oracle *o, const tri_pair *t, oracle_verdict *out);

/* Sets the fields for tolerances; oracle_decide calls it. */
void oracle_scale(const tri_pair *t, oracle_verdict *out);

/* a - b in units of 2^unit, also where a - b itself would overflow. */
double oracle_gap(double a, double b, int unit);

/* Checks of a contact that the product reports. Each returns what is wrong, or NULL. */

/* Finite, no -0, in lexicographic order, equal for a point. */
const char *contact_form_fault(int kind, const double point[6]);

/* The kind is right and both points are in the box of the pair. */
const char *oracle_box_fault(const oracle_verdict *want, int kind, const double point[6]);

/* The points are the right ends, in any order. */
const char *oracle_ends_fault(const oracle_verdict *want, const double point[6]);

/* Of ties the ends are the least pair, where float64 can decide that. */
const char *oracle_tie_fault(const oracle_verdict *want, const double point[6]);

/* Neither triangle is a sliver (height over length), nor are their planes nearly parallel (sine):
 * all over 1e-3. */
int oracle_clear(const oracle_verdict *want, const tri_pair *t);

/* ---- A quick test whether two primitives are apart: most are, and the full answer takes far
 * longer. */

/* Does the plane of a face separate them? Each has 3 or 4 corners x. `within`: their interiors,
 * which may touch. 0: it is not known. */
int oracle_apart(const int corners[2], const double x[2][4][3], int within);

/* ---- Points of rational coordinates: integers with a common denominator. Fractions are never
 * shortened, as that takes longer than all else. */

/* Coordinate k is v[k] / v[3] in units of 2^unit, the same for all points of a pair. v[3] > 0. */
typedef struct rational_point {
    mpz_t v[4];
    double near[3]; /* the coordinates, not in units: so exact that most comparisons need no more */
} rational_point;

void point_init(rational_point *p);
void point_clear(rational_point *p);

/* Sets near: after each change of v. */
void point_approximate(rational_point *p, int unit);

/* Lexicographic: less than 0 if a is before b, 0 if they are equal. */
int point_compare(const rational_point *a, const rational_point *b);

/* Is each coordinate of x the float64 nearest to that of p, of two the even one? */
int point_rounds_to(const rational_point *p, int unit, const double x[3]);

/* r = (b - a) times both denominators */
void point_between(vector r, const rational_point *a, const rational_point *b);

/* The two of n different points that are farthest apart, the lesser first; of ties the least pair,
 * compared exactly. */
void points_farthest(const rational_point *p, int n, int end[2]);

/* ---- The truth about two triangles or tetrahedra, in integers of any length, by other means than
 * the product: systems of linear equations instead of signs of determinants. A point is in a hull
 * if it is a weighted mean of some of its vertices. Weights change linearly along an edge: it meets
 * a face where one of them becomes 0 and none is negative. */

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

/* ---- Vectors whose coordinates are polynomials of the time of a step. */

typedef polynomial polynomial_vector[3];

/* Four points, which have coordinates from[0] at the start and from[1] at the end, and
 * `length` as integers of one unit. Both are made. */
void vectors_read(const double from[2][4][3], double length, polynomial_vector out[4],
                  mpz_t in_units);
void vectors_clear(int count, polynomial_vector *v);

/* These make r, which is not one of the others. */
void vectors_between(polynomial_vector r, polynomial_vector from, polynomial_vector to);
void vectors_cross(polynomial_vector r, polynomial_vector a, polynomial_vector b);
void vectors_dot(polynomial *r, polynomial_vector a, polynomial_vector b);

/* ---- Systems of linear equations in integers, without fractions. */

#define ROWS 4
#define COLUMNS 10

/* Row r says that the sum of at[r][c] times unknown c is a right side; there are several. */
typedef struct matrix {
    int unknowns, columns; /* right sides are the columns from `unknowns` on */
    mpz_t at[ROWS][COLUMNS];
} matrix;

/* All numbers become 0. */
void matrix_init(matrix *m, int unknowns, int columns);
void matrix_clear(matrix *m);

/* Eliminates until each row has only one unknown, of the first ones that are independent, in their
 * order, with the same factor > 0 in all rows. 0: the first `needed` unknowns' columns are
 * dependent. The columns of all unknowns have rank 4. */
int matrix_reduce(matrix *m, int needed);

#endif
