/* Reference answer for two moving features: whether they meet, or approach within a distance, and
 * the first toi. Computed in integers of any length, from the definition of closed sets:
 * nonnegative weights of corners, or a position between two ends. All compared quantities are
 * polynomials in time. */
#ifndef IMP_ORACLE_CCD_H
#define IMP_ORACLE_CCD_H

#include "impinge.h"

/* Points in linear motion, at the start and at the end; all finite. */
typedef struct oracle_ccd_points {
    double at[2][4][3];
} oracle_ccd_points;

/* vertex_face: vertex 3 against the face 0 1 2; else the edge 0-1 against the edge 2-3. Returns 0
 * if they do not meet. *toi becomes the exact first toi, rounded down to float64. Thread-safe. */
int oracle_ccd_first(int vertex_face, const oracle_ccd_points *p, double *toi);

/* The same for features within `distance`, which must be greater than 0. */
int oracle_ccd_first_near(int vertex_face, const oracle_ccd_points *p, double distance,
                          double *toi);

/* A fast filter: returns whether the hulls of the first corners[0] of x and the first corners[1] of
 * y are farther apart than `distance` during the whole step, as most are. 0: undecided. */
int oracle_ccd_apart(const int corners[2], const oracle_ccd_points *x, const oracle_ccd_points *y,
                     double distance);

/* ---- Reference positions of rotating rigid bodies' primitives, and of others, at any fraction of
 * the step: in long double, by sines and cosines, relative to a point that moves with one of the
 * primitives. So rounding is a few times 2^-64 of their sizes, wherever they are. */

typedef long double real;

/* A primitive and its motion over the step. */
typedef struct rigid_mover {
    int corners; /* 3 or 4 */
    uint32_t vertex[4];
    int turns, either; /* either: half a turn, whose direction is ambiguous */
    real at[2][4][3];  /* its vertices at both ends of the step; if it rotates, only [0] is used,
                        * relative to the centre at the start */
    real centre[2][3];
    real axis[3], part;     /* rotation axis, and the fraction of a turn about it */
    int64_t whole;          /* plus this number of whole turns */
    real remainder_turn[3]; /* plus this small rotation vector */
    real radius;            /* greatest distance of a vertex from the centre */
    real off;               /* greatest distance of the frames' points from the posed ones */
    real most;              /* greatest coordinate */
} rigid_mover;

/* The index in the mesh's list of the primitive's body if it rotates between these frames, else
 * -1. */
int64_t oracle_rigid_turning_body(const imp_frame *f, const imp_frame *next, uint32_t prim);

rigid_mover rigid_mover_of(const imp_frame *f, const imp_frame *next, uint32_t prim);

/* Makes the positions of both, and `most`, relative to a point that moves with the second one; from
 * receives that point's positions at both ends of the step. */
void rigid_movers_relate(rigid_mover m[2], real from[2][3]);

/* Reverses the direction of half a turn. */
void rigid_mover_reverse(rigid_mover *m);

/* t must have at most 52 binary digits. */
void rigid_mover_place(const rigid_mover *m, real t, real x[4][3]);

/* Upper limit of the distance that any point of one moves relative to the other in a fraction t of
 * the step. */
real rigid_mover_reach(const rigid_mover m[2], real t);

/* Upper limit of a vertex's distance from its linear motion. */
double rigid_mover_chord_error(const rigid_mover *m);

/* ---- at one time */

real oracle_rigid_length(const real v[3]);

/* Distance of a vertex and a face, or of two edges; x: the face's three corners, then the vertex,
 * or the ends of both edges. */
real oracle_rigid_features_distance(int vertex_face, const real x[4][3]);

/* Returns whether an edge surely passes through a face, clear of the other's border on both
 * sides. */
int oracle_rigid_edge_pierces(const real edge[2][3], const real face[3][3]);

#endif
