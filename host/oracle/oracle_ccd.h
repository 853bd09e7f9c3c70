/* The truth about two features that move: do they meet, or come near, and when first? In integers
 * of any length, from the definition of closed sets: weights of corners that are not negative, or a
 * place between two ends. All that the definition compares are polynomials of the time. */
#ifndef IMP_ORACLE_CCD_H
#define IMP_ORACLE_CCD_H

#include "impinge.h"

/* Points that move evenly, at the start and at the end; all finite. */
typedef struct oracle_ccd_points {
    double at[2][4][3];
} oracle_ccd_points;

/* vertex_face: vertex 3 against the face
 * 0 1 2; else the edge 0-1 against the edge 2-3. 0: they do not meet. *toi: the part of the way
 * after which they first do, exactly, rounded down to float64. Any number of threads. */
int oracle_ccd_first(int vertex_face, const oracle_ccd_points *p, double *toi);

/* The same, where they meet if their distance is at most `distance`, which is greater than 0. */
int oracle_ccd_first_near(int vertex_face, const oracle_ccd_points *p, double distance,
                          double *toi);

/* A quick test whether the hulls of the first corners[0] of x and the first corners[1] of y are
 * farther apart than `distance` all the way: most are. 0: it is not known. */
int oracle_ccd_apart(const int corners[2], const oracle_ccd_points *x, const oracle_ccd_points *y,
                     double distance);

/* ---- The truth about primitives of rigid bodies that turn, and of others, at any fraction of the
 * step between two instants: in long double, by sines and cosines, relative to a point that moves
 * with one of them. So rounding is 2^-64 of their sizes, or a few times that, wherever they are. */

typedef long double real;

/* A primitive from one instant to the other. */
typedef struct rigid_mover {
    int corners; /* 3 or 4 */
    uint32_t vertex[4];
    int turns, either; /* either: half a turn, which may go both ways round */
    real at[2][4][3];  /* its vertices at both instants: of one that turns [0] relative to the
                          centre, at the first one */
    real centre[2][3];
    real axis[3], part;     /* by how many turns it turns about which axis, */
    int64_t whole;          /* whole ones besides, */
    real remainder_turn[3]; /* and the vector of a small rotation besides */
    real radius;            /* of the farthest vertex from the centre */
    real off;               /* how far the points of the frames are from their poses */
    real most;              /* the greatest coordinate */
} rigid_mover;

/* The body of a primitive in the mesh's list if it turns between these frames, else -1. */
int64_t oracle_rigid_turning_body(const imp_frame *f, const imp_frame *next, uint32_t prim);

rigid_mover rigid_mover_of(const imp_frame *f, const imp_frame *next, uint32_t prim);

/* From now on places of both are relative to a point that moves with the second one, from from[0]
 * to from[1], and so is `most`. */
void rigid_movers_relate(rigid_mover m[2], real from[2][3]);

/* The other way round, of half a turn. */
void rigid_mover_reverse(rigid_mover *m);

/* t: with at most 52 binary digits. */
void rigid_mover_place(const rigid_mover *m, real t, real x[4][3]);

/* How far any point of one may get, as the other sees it, in so much of the way. */
real rigid_mover_reach(const rigid_mover m[2], real t);

/* How far a vertex may be from the straight way between both instants. */
double rigid_mover_chord_error(const rigid_mover *m);

/* ---- at an instant */

real oracle_rigid_length(const real v[3]);

/* Of a vertex and a face of three corners, and of two edges; x: the face, then the vertex, or the
 * edges. */
real oracle_rigid_features_distance(int vertex_face, const real x[4][3]);

/* Does an edge surely go through a face, with all of both clear of the other's border? */
int oracle_rigid_edge_pierces(const real edge[2][3], const real face[3][3]);

#endif
