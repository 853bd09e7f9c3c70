/* Within turning_pair.h: where the vertices of two primitives are while bodies turn, interval by
 * interval of time, and how far they get there. */
#ifndef IMP_TURNING_WAY_H
#define IMP_TURNING_WAY_H

#include "turning.h"

/* Where the vertices of both are at an instant. */
typedef struct places {
    double x[2][4][3];
} places;

/* An interval of time: the parts of both turns, and the places at its ends. */
typedef struct interval {
    double t[2];
    way_part turn[2];
    places end[2];
} interval;

/* The ways round of both. */
typedef struct rounds {
    turning_prim of[2];
    way_arcs arcs[2];
} rounds;

/* back: whether either goes the other way round, of half a turn. */
void rounds_make(const turning_prim of[2], const int back[2], rounds *out);

void whole_way(const rounds *r, interval *out);
void place_middle(const rounds *r, const interval *in, places *out);

/* The first half of an interval, or the second; `middle`: the places there. */
void halve(const rounds *r, const interval *in, const places *middle, int second, interval *out);

/* At a share that is the beginning of an interval which halving leads to: with the same bits. */
void place_at(const rounds *r, double share, places *out);

/* In half of an interval. */
typedef struct moves {
    double bulge; /* how far vertices of both are from straight ways, */
    double all;   /* and how far any of one gets, as the other one sees it */
} moves;

/* `apart`: of drifts_apart */
moves moves_in(const rounds *r, const interval *in, double apart);

/* How far one gets from the other all the way, without turns, or any vertex from its primitive. */
double drifts_apart(const rounds *r);

#endif
