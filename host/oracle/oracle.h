/* Reference answer for a pair of triangles, computed independently of the product: the hull of the
 * first triangle's vertices is clipped by half-spaces whose intersection is the second triangle, in
 * integers of any length. It shares only the numbers of the contact kinds with the product. */
#ifndef IMP_ORACLE_H
#define IMP_ORACLE_H

#include "oracle_number.h"

#include <gmp.h>
#include <stdint.h>

#define ORACLE_CORNERS 6 /* two coplanar triangles overlap in a hexagon at most */

/* Two triangles: corner[0..2] and corner[3..5] are vertex numbers, x their coordinates. Corners
 * with the same number are shared, or one vertex named twice. */
typedef struct tri_pair {
    double x[6][3];
    uint32_t corner[6];
} tri_pair;

typedef struct oracle_verdict {
    int kind;    /* enum imp_kind; 0: no contact, or none beyond what they share */
    int dim;     /* dimension of the intersection of the closed sets: 0, 1, 2; -1 if empty */
    int corners; /* number of corners; `corner` is in lexicographic order, rounded correctly */
    double corner[ORACLE_CORNERS][3];
    int end[2]; /* the two corners farthest apart, of ties the least pair; compared exactly */
    uint8_t feature[2][2]; /* of the first and of the second triangle at each of these ends: enum
                            * imp_end_feature */
} oracle_verdict;

typedef struct oracle oracle; /* working memory */

oracle *oracle_open(void); /* NULL: out of memory */
void oracle_close(oracle *o);

/* All coordinates must be finite. */
void oracle_decide(oracle *o, const tri_pair *t, oracle_verdict *out);

/* a - b in units of 2^unit, even if a - b itself would overflow. */
double oracle_gap(double a, double b, int unit);

/* Checks of a reported contact. Each returns a description of the fault, or NULL. */

/* Checks that the points are finite, without -0, in lexicographic order, and equal for a point
 * contact. */
const char *contact_form_fault(int kind, const double point[6]);

/* Checks that the kind is right. */
const char *oracle_kind_fault(const oracle_verdict *want, int kind);

/* Checks that the points are the ends, in any order, each coordinate correctly rounded. */
const char *oracle_ends_fault(const oracle_verdict *want, const double point[6]);

/* Checks the features at the ends: those of both triangles at the first point, then at the second.
 */
const char *oracle_end_features_fault(const oracle_verdict *want, const double point[6],
                                      const uint8_t feature[4]);

/* As oracle_ends_fault, and of ties any pair: of a pair that was mirrored. */
const char *oracle_mirrored_fault(const oracle_verdict *want, const double point[6]);

/* ---- A fast filter for primitives that are apart: most are, and the full answer takes far
 * longer. */

/* Returns whether the plane of a face separates the primitives. Each has 3 or 4 corners x.
 * `within`: separates their interiors, which may touch. 0: undecided. */
int oracle_apart(const int corners[2], const double x[2][4][3], int within);

/* ---- Points with rational coordinates: integers with a common denominator. Fractions are never
 * reduced, since that takes longer than all else. */

/* Coordinate k is v[k] / v[3] in units of 2^unit, which is the same for all points of a pair. v[3]
 * > 0. */
typedef struct rational_point {
    mpz_t v[4];
    double near[3]; /* approximate coordinates, not in units; exact enough for most comparisons */
} rational_point;

void point_init(rational_point *p);
void point_clear(rational_point *p);

/* Sets near; call it after each change of v. */
void point_approximate(rational_point *p, int unit);

/* Lexicographic comparison: negative if a is before b, 0 if they are equal. */
int point_compare(const rational_point *a, const rational_point *b);

/* Returns whether x is the float64 nearest to v / w in units of 2^unit, ties to even; w > 0. */
int quotient_rounds_to(const mpz_t v, const mpz_t w, int unit, double x);

/* Returns whether each coordinate of x is the float64 nearest to that of p, ties to even. */
int point_rounds_to(const rational_point *p, int unit, const double x[3]);

/* r = (b - a) times both denominators */
void point_between(vector r, const rational_point *a, const rational_point *b);

/* Finds the two of n different points that are farthest apart, the lesser first; of ties the least
 * pair, compared exactly. */
void points_farthest(const rational_point *p, int n, int end[2]);

/* ---- Reference answer for two triangles or tetrahedra, in integers of any length, computed
 * independently of the product: by systems of linear equations instead of signs of determinants. A
 * point is in a hull if it is a weighted mean of some of its vertices. Weights change linearly
 * along an edge: the edge meets a face where one weight becomes 0 and none is negative. */

typedef struct solid_case {
    int corners[2];
    double x[2][4][3];
} solid_case;

/* A claim about a pair, to be checked. */
typedef struct solid_claim {
    int meet, within;    /* within: only if one is a tetrahedron; -1: no claim */
    int count;           /* number of collision points; -1: no claim about them and the depth */
    const double *point; /* three each */
    const double *ends;  /* six; NULL: no claim */
    double depth;
    int any_depth; /* 1: no claim about the depth */
} solid_claim;

/* Returns whether the closed sets have a common point, or with `within` the interiors. Then one
 * must be a tetrahedron; a triangle is its own interior, and a tetrahedron without volume has no
 * interior. All coordinates must be finite, as below. Thread-safe. */
int oracle_solids_intersect(const solid_case *c, int within);

/* Returns NULL if the claim is right, else a description of the fault. */
const char *oracle_solids_fault(const solid_case *c, const solid_claim *claim);

/* ---- Reference answer for the nearest features of two primitives, in integers of any length:
 * normal equations of all pairs of sets of corners. */

/* Returns whether the distance of two closed sets is at most `distance`, which is finite and not
 * negative; 0: they have a common point. A primitive has 1 to 4 corners: a point, a segment, a
 * triangle or a tetrahedron. All coordinates must be finite. Exact; thread-safe, as all below. */
int oracle_prims_within(const solid_case *c, double distance);

/* Two primitives with the numbers of their vertices; corners of a primitive with the same number
 * are one vertex and have the same coordinates. */
typedef struct nearest_case {
    solid_case of;
    uint32_t vertex[2][4];
} nearest_case;

typedef struct nearest_answer {
    int kind;           /* enum imp_kind: VERTEX_FACE to VERTEX_VERTEX */
    int64_t feature[2]; /* as in imp_contacts */
    double distance;    /* the greatest float64 not above the exact one */
} nearest_answer;

/* Finds the pair of features with the least (distance, kind, feature[0], feature[1]), by exact
 * distances. Pairs are a vertex and a face, with three different vertices, in both orders; and two
 * edges, with two different vertices. If neither primitive has a face and one has no edge, its
 * vertex and an edge of the other; if neither has an edge, both vertices. Returns 0 if the
 * primitives touch. */
int oracle_nearest(const nearest_case *c, nearest_answer *out);

/* A claim about the nearest features of a pair, to be checked. */
typedef struct nearest_claim {
    int kind;
    int64_t feature[2];
    double distance;
    double weight[2][4]; /* a corner's; the first of corners with one number has all of theirs */
    double point[6];     /* nearest point of the first primitive, then of the second */
    double normal[3];    /* direction from the first point to the second, of length 1 */
} nearest_claim;

/* Returns NULL if the claim is right, else a description of the fault. Kind, features and distance
 * must be equal. Weights and the normal may be 2^-48 off, a coordinate of a point 2^-48 of its
 * primitive's extent, 2^-52 of itself and 2^-1074. If two edges have several nearest points, those
 * are right that have the least parameter on the first edge, then on the second: 0 at the first end
 * in the order of VTK. For a face without area, any weights that give the point are right. */
const char *oracle_nearest_fault(const nearest_case *c, const nearest_claim *claim);

/* The same for two given features, which may touch: a vertex and a face, two edges, a vertex and an
 * edge, or two vertices. Each is given as a primitive that has its vertices as corners, all
 * different. Features that touch have the distance 0, the normal 0, and weights. */
double oracle_features_distance(const nearest_case *c);
const char *oracle_features_fault(const nearest_case *c, const nearest_claim *claim);

/* The distance of two primitives, exactly: the root of a fraction, in units of 2^unit. */
typedef struct oracle_distance {
    fraction square;
    int unit;
} oracle_distance;

void oracle_distance_init(oracle_distance *d);
void oracle_distance_clear(oracle_distance *d);

/* Returns 0, with *out unchanged, if a fast filter shows that the distance exceeds `most`. */
int oracle_distance_find(const solid_case *c, double most, oracle_distance *out);
int oracle_distance_compare(oracle_distance *x, oracle_distance *y); /* the sign of x - y */
int oracle_distance_is_zero(oracle_distance *d);

/* The greatest float64 not above it. */
double oracle_distance_rounded(oracle_distance *d);

/* ---- Thicknesses, finite and not negative: the contact distance of two primitives is half of the
 * sum of theirs, exactly. */

/* Returns whether the distance of two closed sets is at most their contact distance. */
int oracle_within_thickness(const solid_case *c, const double thickness[2]);

/* The contact distance minus the distance, and that divided by the contact distance, 0 if that is
 * 0: the greatest float64 not above them. Returns 0 if the distance exceeds the contact
 * distance. */
int oracle_depth(const solid_case *c, const double thickness[2], double *depth, double *relative);

/* Returns whether an edge of one of two triangles passes through the other one: its ends are
 * strictly on different sides of the other's plane, and it meets the closed other triangle. */
int oracle_triangles_cross(const solid_case *c);

/* Returns whether their interiors have a common point. A tetrahedron without volume has none, and a
 * triangle with a tetrahedron is its own interior. Two triangles in one plane, or without area, do
 * not count. */
int oracle_interiors_cross(const solid_case *c);

/* ---- Vectors whose coordinates are polynomials in the time of a step. */

typedef polynomial polynomial_vector[3];

/* Makes four points with coordinates from[0] at the start and from[1] at the end, and `length`, as
 * integers in one unit. Initialises both outputs. */
void vectors_read(const double from[2][4][3], double length, polynomial_vector out[4],
                  mpz_t in_units);
void vectors_clear(int count, polynomial_vector *v);

/* Initialise and set r, which must differ from the other arguments. */
void vectors_between(polynomial_vector r, polynomial_vector from, polynomial_vector to);
void vectors_cross(polynomial_vector r, polynomial_vector a, polynomial_vector b);
void vectors_dot(polynomial *r, polynomial_vector a, polynomial_vector b);

/* ---- Systems of linear equations in integers, without fractions. */

#define ROWS 4
#define COLUMNS 10

/* Row r states that the sum of at[r][c] times unknown c equals a right side, of which there may be
 * several. */
typedef struct matrix {
    int unknowns, columns; /* right sides are the columns from `unknowns` on */
    mpz_t at[ROWS][COLUMNS];
} matrix;

/* Sets all elements to 0. */
void matrix_init(matrix *m, int unknowns, int columns);
void matrix_clear(matrix *m);

/* Eliminates until each row has only one unknown, the first independent ones in order, with the
 * same factor > 0 in all rows. Returns 0 if the columns of the first `needed` unknowns are
 * dependent. The columns of all unknowns must have rank 4. */
int matrix_reduce(matrix *m, int needed);

#endif
