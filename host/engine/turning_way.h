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

#endif
