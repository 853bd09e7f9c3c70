/* The time of impact of two primitives while bodies rotate, within a tolerance: their trajectories,
 * separating directions over intervals, many turns at once, and the query. */
#ifndef IMP_RIGID_TOI_H
#define IMP_RIGID_TOI_H

#include "rigid_ccd.h"

#include <stdatomic.h>

/* ---- Internal: positions of the vertices of two primitives while bodies rotate, and their
 * displacement in an interval of time. Positions are relative to a point that moves with the first
 * primitive, so that rounding errors are relative to the sizes of both primitives and to their
 * distance, not to the distance from the origin. */

/* Positions of the vertices of both primitives at an instant. */
typedef struct places {
    double x[2][4][3];
} places;

/* The trajectories of both primitives. A rotation by exactly half a turn has one of its two
 * senses. */
typedef struct trajectories {
    rigid_prim of[2];  /* motions relative to `from` */
    double from[2][3]; /* the reference point at both instants */
} trajectories;

void trajectories_make(const rigid_prim of[2], trajectories *out);

/* The same trajectories, with the rotation of primitive s reversed if back[s]: for half turns. */
trajectories trajectories_round(const trajectories *w, const int back[2]);

/* Positions at a fraction t of the step, which has at most MOTION_DIGITS binary digits. */
void trajectories_places(const trajectories *w, double t, places *out);

/* Positions of the corners of primitive s at t; in the second form with its centre at t, but after
 * the given number of turns about its axis (motion_rotation_after). */
void trajectories_place(const trajectories *w, int s, double t, double x[4][3]);
void trajectories_place_after(const trajectories *w, int s, double turns, double t, double x[4][3]);

/* Turns a relative point at t into an absolute one. */
void trajectories_absolute(const trajectories *w, double t, double x[3]);

/* Bound on the rounding error of the distance of the two at any t. */
double trajectories_rounding(const trajectories *w);

/* Bounds on the displacement in an interval of time. */
typedef struct displacement {
    double chord_error; /* distance of the vertices of both from the chords of their trajectories,
                           summed */
    double all;         /* displacement of any vertex relative to the other primitive */
} displacement;

/* length: the interval's, as a fraction of the step; apart: trajectories_apart */
displacement trajectories_displacement(const trajectories *w, double length, double apart);

/* Bound on the relative translation over the whole step, without rotation: that of one primitive
 * relative to the other, plus that of vertices relative to their primitive. */
double trajectories_apart(const trajectories *w);

/* ---- Internal: the query for two primitives. */

/* Features of two primitives: a vertex and a face, or two edges. */
typedef struct rigid_couple {
    int kind;                 /* enum imp_kind */
    int64_t feature[2];       /* number of each, as in imp_contacts */
    int split;                /* corners of the first feature: 3 for a face, 2 for an edge */
    uint8_t of[4], corner[4]; /* the primitive of each corner, and the corner's number in it; a face
                                 is first */
} rigid_couple;

#define RIGID_COUPLES 68 /* the number for two tetrahedra */

/* For rigid_phase.c: cells: the maximum number of cells into which the next interval is divided;
 * vain: the number of cells so far that proved nothing. */
typedef struct rigid_tries {
    uint64_t cells, vain;
} rigid_tries;

#define RIGID_CELLS 64 /* initial rigid_tries.cells */

typedef struct toi_pair {
    rigid_prim of[2]; /* in an order that does not depend on their numbers */
    int swapped;      /* primitive b is of[0] */
    int couples;      /* number of feature pairs without a shared vertex */
    int shared;       /* some features share a vertex */
    rigid_couple couple[RIGID_COUPLES];
    double distance, tolerance;
    const atomic_int *cancel;
    uint32_t intervals; /* intervals tested so far */
    rigid_tries tries;
    int nearest; /* the nearest couple of the last query */
} toi_pair;

/* Returns whether there were too many intervals, or the call was cancelled: the result is then
 * undefined. */
static inline int rigid_toi_over(const toi_pair *p)
{
    return p->intervals > RIGID_INTERVALS_MOST || atomic_load(p->cancel);
}

/* Two convex hulls: their corners, and the couples of their features. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
    const rigid_couple *couple;
    int couples;
} hulls;

/* The query: the first time at which the hulls are at most `least` apart. */
typedef struct toi_query {
    toi_pair *p;
    const trajectories *w;
    hulls h;
    double apart; /* trajectories_apart */
    double least;
    double before; /* only earlier times matter */
} toi_query;

/* ---- Internal: directions that separate two convex hulls, at an instant and while they move. A
 * gap along a direction proves separation whatever the direction is, so only the rounding of the
 * gap matters, not how the direction was found.
 *
 * A direction's gap must be within a small part of the tolerance of the distance. The difference of
 * the two closest points is not good enough if they are near each other: rounding moves each point,
 * and turns the difference by the ratio of that error to the distance. Then directions normal to
 * features are tried: normals of faces, of two edges, of an edge and a vertex, and from vertex to
 * vertex. Each is made normal to within its own rounding, so it is the direction between the
 * closest points of features that are a rounding error away from these; and one of them is the best
 * possible within rounding. */

/* The closest points of two features, in lexicographic order; returns their distance. */
double separation_nearest(const rigid_couple *c, const places *at, double point[6]);

/* The direction from the mean of the first hull's corners to that of the second's: of length 1, or
 * 0. */
void separation_of_middles(const hulls *h, const places *at, double n[3]);

/* The direction, of length 1, with the largest gap from the first hull to the second, to within
 * `loose`. Returns that gap. *guess: the couple that is tried first, since it was the nearest last
 * time. */
double separation_direction(const hulls *h, const places *at, double loose, int *guess,
                            double n[3]);

/* Bounds along a direction that changes linearly from n[0] to n[1] while corners move linearly: no
 * corner of the first hull exceeds, and no corner of the second one falls below, these values at
 * any time (Bernstein form of a polynomial of degree 2). */
typedef struct separation_range {
    double of[2][3];
} separation_range;

separation_range separation_range_begin(void);
void separation_range_add(const hulls *h, int s, const double from[4][3], const double to[4][3],
                          const double n[2][3], separation_range *r);

/* Returns 1 if the gap from the first hull to the second exceeds `least` at all times, 0 if not or
 * if unknown. */
int separation_range_exceeds(const separation_range *r, double least);

/* Tries three such directions: from n[0] to n[1], and each of both held constant, which is better
 * if the hulls are far apart, or one passes the other. */
int separation_stays(const hulls *h, const places *from, const places *to, const double n[2][3],
                     double least);

/* The direction n[e] at both ends. */
static inline void separation_same(const double n[2][3], int e, double out[2][3])
{
    for (int k = 0; k < 6; k++)
        out[k / 3][k % 3] = n[e][k % 3];
}

/* ---- The first time in a step at which two primitives, one or both of which rotate, meet or are
 * within a distance.
 *
 * Conservative advancement by bisection, in order of time. In an interval all vertices are near the
 * chords between their positions at its ends; the distance from the chord is bounded by the angle
 * of rotation. A direction that is also linear in time proves, by three numbers, that the
 * primitives are apart throughout (separation_range). If the gap does not exceed the distance of
 * vertices from chords, the interval is halved, until nothing moves by more than an eighth of the
 * tolerance: the pair is then reported to meet at the beginning of the interval. So no contact is
 * missed, reported pairs are within the tolerance of the distance, and the toi is a number with few
 * binary digits, not after the true one.
 *
 * Termination: the distance from chords falls with the square of an interval's length, so a pair
 * that stays just beyond the tolerance takes about turns * sqrt(size / tolerance) intervals; a pair
 * that takes more than RIGID_INTERVALS_MOST has no result. */

/* Opens the query for primitives a and b of frame f. distance: in units of the frame. */
void rigid_toi_open(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t a, uint32_t b,
                    double distance, const atomic_int *cancel, toi_pair *out);

/* Returns whether the primitives get within the distance; *toi: not after the first such time. 0 if
 * rigid_toi_over. */
int rigid_toi_find(toi_pair *p, double *toi);

/* The closest features at a fraction of the step, and their closest points. Of several within
 * rounding it is the least by (kind, feature of a, feature of b). */
typedef struct rigid_closest {
    int kind;
    int64_t feature[2]; /* feature of a, then of b */
    uint32_t vertex[4]; /* those of a face and a vertex, or of two edges */
    double point[6];    /* in lexicographic order */
} rigid_closest;
void rigid_toi_closest(const toi_pair *p, double toi, rigid_closest *out);

/* ---- Internal: proves for all turns at once that a body with many turns in an interval of time
 * stays apart from another primitive.
 *
 * Time and rotation phase are treated as independent: a body that is apart at all times in all
 * phases is also apart in its own phase at each time. This is proven by subdividing time and phases
 * as rigid_toi.c subdivides time, and takes as long for a thousand turns as for one. The converse
 * does not hold: two rotating bodies need not have, at one time, the two phases with which they
 * meet. Then nothing is proven, and each turn is tested. */

/* Returns 1 if they are apart in an interval in which one of them makes many turns, 0 if that is
 * unknown or neither makes many turns. */
int rigid_phases_separated(const toi_query *q, double from, double to);

#endif
