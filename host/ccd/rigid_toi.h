/* The time of impact of two primitives while bodies rotate, within a tolerance: their trajectories,
 * the intervals in which directions keep them apart, many turns at once, and the query. */
#ifndef IMP_RIGID_TOI_H
#define IMP_RIGID_TOI_H

#include "rigid_ccd.h"

#include <stdatomic.h>

/* ---- Within rigid_toi.h: where the vertices of two primitives are while bodies turn, and how far
 * they get in an interval of time. Places are relative to a point that moves with the first
 * primitive, so that rounding is a part of the sizes of both and of how far they are from each
 * other, wherever that is. */

/* Where the vertices of both are at an instant. */
typedef struct places {
    double x[2][4][3];
} places;

/* The ways of both: of half a turn one way round. */
typedef struct trajectories {
    rigid_prim of[2];  /* relative to `from` */
    double from[2][3]; /* at both instants */
} trajectories;

void trajectories_make(const rigid_prim of[2], trajectories *out);

/* A way round of half a turn: whether either goes back. */
trajectories trajectories_round(const trajectories *w, const int back[2]);

/* At a fraction t of the step, of at most MOTION_DIGITS binary digits. */
void trajectories_places(const trajectories *w, double t, places *out);

/* Places the corners of primitive s at t; the second form: with its centre at t, but
 * after a given number of turns about its axis (motion_rotation_after). */
void trajectories_place(const trajectories *w, int s, double t, double x[4][3]);
void trajectories_place_after(const trajectories *w, int s, double turns, double t, double x[4][3]);

/* Turns a relative point at t into an absolute one. */
void trajectories_absolute(const trajectories *w, double t, double x[3]);

/* By how much rounding may change the distance of the two at any t. */
double trajectories_rounding(const trajectories *w);

/* In an interval of time. */
typedef struct displacement {
    double chord_error; /* how far vertices of both are from the straight ways between its ends, */
    double all;         /* and how far any of one gets, as the other one sees it */
} displacement;

/* length: of the interval, as a fraction of the step; apart: trajectories_apart */
displacement trajectories_displacement(const trajectories *w, double length, double apart);

/* How far one gets from the other all the way, without turns, or any vertex from its primitive. */
double trajectories_apart(const trajectories *w);

/* ---- Within rigid_toi.h: what is asked of two primitives. */

/* Features of two primitives: a vertex and a face, or two edges. */
typedef struct rigid_couple {
    int kind;                 /* enum imp_kind */
    int64_t feature[2];       /* of either, as in imp_contacts */
    int split;                /* corners of the first feature: 3 of a face, 2 of an edge */
    uint8_t of[4], corner[4]; /* which primitive's, and which of its corners; a face comes first */
} rigid_couple;

#define RIGID_COUPLES 68 /* of two tetrahedra */

/* For rigid_phase.c: the most cells into which the next interval is divided, and the number of
 * cells so far that proved nothing. */
typedef struct rigid_tries {
    uint64_t cells, vain;
} rigid_tries;

#define RIGID_CELLS 64 /* at first */

typedef struct toi_pair {
    rigid_prim of[2]; /* in an order that does not depend on their numbers */
    int swapped;      /* is of[0] the second one? */
    int couples;      /* features that share no vertex */
    int shared;       /* some do */
    rigid_couple couple[RIGID_COUPLES];
    double distance, tolerance;
    const atomic_int *cancel;
    uint32_t intervals; /* tested up to now, */
    rigid_tries tries;
    int nearest; /* the couple that was, the last time */
} toi_pair;

/* Were there too many intervals, or was it cancelled? Then nothing more is said. */
static inline int rigid_toi_over(const toi_pair *p)
{
    return p->intervals > RIGID_INTERVALS_MOST || atomic_load(p->cancel);
}

/* Two convex hulls: their corners, and the couples of features of both. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
    const rigid_couple *couple;
    int couples;
} hulls;

/* What is asked of them: when are they first no farther apart than `least`? */
typedef struct toi_query {
    toi_pair *p;
    const trajectories *w;
    hulls h;
    double apart; /* trajectories_apart */
    double least;
    double before; /* only times before that matter */
} toi_query;

/* ---- Within rigid_toi.h: directions along which two convex hulls are apart, at an instant and
 * while they move. What a direction says is true whatever the direction is: so only the sums of a
 * gap count, not how the direction was found.
 *
 * A direction must be good to a small part of the tolerance. The difference of two nearest points
 * is not where they are near: rounding moves each, and turns the difference by the ratio of that to
 * the distance. So what is tried then are the directions that are normal to features: of faces, of
 * two edges, of an edge and a vertex, and between two vertices. Each is made normal to within a
 * rounding of itself, so it is the direction of nearest points of features that are a rounding away
 * from these; and one of them is, within rounding, the best there is. */

/* Where two features are nearest, in lexicographic order; returns how far from each other. */
double separation_nearest(const rigid_couple *c, const places *at, double point[6]);

/* The direction from the middle of the first hull to that of the second: of length 1, or 0. */
void separation_of_middles(const hulls *h, const places *at, double n[3]);

/* The direction, of length 1, along which the second hull is farthest beyond the first, to within
 * `loose`. Returns how far. *guess: the couple that is tried first, since it was the nearest. */
double separation_direction(const hulls *h, const places *at, double loose, int *guess,
                            double n[3]);

/* Along a direction that turns from n[0] to n[1], linearly, while corners go from place to place on
 * straight ways: numbers that no corner of the first hull exceeds, and no corner of the second one
 * falls below, at any time (Bernstein's form of a polynomial of degree 2). */
typedef struct separation_range {
    double of[2][3];
} separation_range;

separation_range separation_range_begin(void);
void separation_range_add(const hulls *h, int s, const double from[4][3], const double to[4][3],
                          const double n[2][3], separation_range *r);

/* Is the second hull farther than that beyond the first one at all times? 0 also where it is not
 * known. */
int separation_range_exceeds(const separation_range *r, double least);

/* Tries three such directions: from n[0] to n[1], and each of these all the time, which is better
 * where hulls are far from each other, or one passes the other. */
int separation_stays(const hulls *h, const places *from, const places *to, const double n[2][3],
                     double least);

/* The end `e` of what is n[2]. */
static inline void separation_same(const double n[2][3], int e, double out[2][3])
{
    for (int k = 0; k < 6; k++)
        out[k / 3][k % 3] = n[e][k % 3];
}

/* ---- Two primitives between two instants, one or both of which turn: when do they meet first, or
 * come as near as a distance?
 *
 * Conservative advancement by halves, in order of time. In an interval of time all vertices are
 * near the straight ways between their places at its ends; how near is known by the angle of the
 * turn. A direction that is linear in time, too, shows by three numbers that the primitives are
 * apart all the time (rigid_toi.h). Where they are not farther apart than vertices may be from
 * straight ways, the interval is halved, until nothing moves by more than an eighth of the
 * tolerance: then the pair may meet from the beginning of the interval on. So nothing that meets is
 * missed, what is reported comes as near as the tolerance, and the toi is a number with few
 * binary digits, not after the true one.
 *
 * It ends: what is away from straight ways falls with the square of the length of an interval, so a
 * pair that stays just beyond the tolerance takes about turns * sqrt(size / tolerance) intervals;
 * and of a pair that takes more than RIGID_INTERVALS_MOST nothing is said. */

/* Primitives a and b of frame f. distance: in units of the frame. */
void rigid_toi_open(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t a, uint32_t b,
                    double distance, const atomic_int *cancel, toi_pair *out);

/* Do they come as near as the distance? *toi: not before that. 0 if it is over. */
int rigid_toi_find(toi_pair *p, double *toi);

/* The features that are nearest at a fraction of the step: of several, within rounding, the least
 * by (kind, feature of a, feature of b); and where. */
typedef struct rigid_closest {
    int kind;
    int64_t feature[2]; /* of a, and of b */
    uint32_t vertex[4]; /* of a face and a vertex, or of two edges */
    double point[6];    /* in lexicographic order */
} rigid_closest;
void rigid_toi_closest(const toi_pair *p, double toi, rigid_closest *out);

/* ---- Within rigid_toi.h: a body that makes many turns in an interval of time is proven to be
 * apart from another primitive in all of them at once.
 *
 * Time and the phase of its turn count as independent there: where the body is apart at all times
 * with all phases, it is apart at all times with its own. That is found by dividing time and phases
 * as rigid_toi.c divides time, and takes as long for a thousand turns as for one. The converse
 * is not true: two bodies that turn need not have the two phases at one time with which they meet.
 * So it says nothing then, and each turn is looked at. */

/* Are they apart in an interval in which one of them makes many turns? 0 also if that is not known,
 * or neither does. */
int rigid_phases_separated(const toi_query *q, double from, double to);

#endif
