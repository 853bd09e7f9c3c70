/* Within turning_pair.h: where the vertices of two primitives are while bodies turn, and how far
 * they get in an interval of time. Places are relative to a point that moves with the first
 * primitive, so that rounding is a part of the sizes of both and of how far they are from each
 * other, wherever that is. */
#ifndef IMP_TURNING_WAY_H
#define IMP_TURNING_WAY_H

#include "turning.h"

/* Where the vertices of both are at an instant. */
typedef struct places {
    double x[2][4][3];
} places;

/* The ways of both: of half a turn one way round. */
typedef struct turning_ways {
    turning_prim of[2]; /* relative to `from` */
    double from[2][3];  /* at both instants */
} turning_ways;

void turning_ways_make(const turning_prim of[2], turning_ways *out);

/* A way round of half a turn: whether either goes back. */
turning_ways turning_ways_round(const turning_ways *w, const int back[2]);

/* At a fraction t of the step, of at most WAY_DIGITS binary digits. */
void turning_ways_places(const turning_ways *w, double t, places *out);

/* Places the corners of primitive s at t; the second form: with its centre at t, but
 * after a given number of turns about its axis (way_rotation_after). */
void turning_ways_place(const turning_ways *w, int s, double t, double x[4][3]);
void turning_ways_place_after(const turning_ways *w, int s, double turns, double t, double x[4][3]);

/* Turns a relative point at t into an absolute one. */
void turning_ways_absolute(const turning_ways *w, double t, double x[3]);

/* By how much rounding may change the distance of the two at any t. */
double turning_ways_rounded(const turning_ways *w);

/* In an interval of time. */
typedef struct moves {
    double bulge; /* how far vertices of both are from the straight ways between its ends, */
    double all;   /* and how far any of one gets, as the other one sees it */
} moves;

/* length: of the interval, as a fraction of the step; apart: turning_ways_apart */
moves turning_ways_moves(const turning_ways *w, double length, double apart);

/* How far one gets from the other all the way, without turns, or any vertex from its primitive. */
double turning_ways_apart(const turning_ways *w);

#endif
