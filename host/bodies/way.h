/* How a body moves between two instants: its centre evenly, and it turns evenly about one axis, as
 * imp_pose says. Halves of a turn are square roots and sums of quaternions, so no sine is needed,
 * and the bits are the same everywhere.
 *
 * A turn of more than half a turn is parted into arcs of at most a quarter of a turn, whose ends
 * are known; an arc is then halved by the mean of its ends. */
#ifndef IMP_WAY_H
#define IMP_WAY_H

#include "impinge.h"

#include <math.h>

/* A point p of the body's coordinates is at turn(t) (p - pivot) + centre(t). */
typedef struct body_way {
    double pivot[3], centre[2][3]; /* [2]: at the first and at the second instant */
    double turn[2][4]; /* w x y z, of length 1; neighbours on the sphere of quaternions if there is
                          one arc */
    double slack;      /* how far points may be from there */
    double tilt;       /* part of their distance from the pivot that is to be added to it */
    int either;        /* half a turn, which may go either way round */
    int far;           /* more than half a turn: the turn is the following one */
    double cosine, sine, axis[3]; /* of half its angle without whole turns, and its axis */
    int64_t whole;                /* turns, which it makes besides */
} body_way;

/* The way of what does not move, in the coordinates of the frame. */
body_way way_still(double slack);

/* Sets the turn, tilt and either. seconds: from the first to the second instant, in the unit
 * of the angular velocity of `from`; 0: not known. */
void way_turn(body_way *w, const imp_pose *from, const imp_pose *to, double seconds);

/* Does a body turn, with that time between the two poses? Not if the rotation is the same in both
 * and the angular velocity says nothing of whole turns. */
int way_turns(const imp_pose *from, const imp_pose *to, double seconds);

/* The other way round, if that is as short. */
void way_turn_back(body_way *w);

/* The centre at a share t of the way. */
static inline void way_centre(const body_way *w, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w->centre[0][k] + t * (w->centre[1][k] - w->centre[0][k]);
}

/* The arcs of a way. */
#define WAY_LEVELS 40 /* 2^40 arcs at most: beyond that a body is anywhere in its ball */
typedef struct way_arcs {
    int levels;                     /* 2^levels arcs */
    double arc;                     /* at least the angle of one, if there are several */
    double part[WAY_LEVELS + 1][4]; /* the turn of a 2^i-th of the way, if there are several */
} way_arcs;

void way_arcs_make(const body_way *w, way_arcs *out);

/* Of a turn: some arcs, a power of two, or a part of one. */
typedef struct way_part {
    double turn[2][4];    /* both ends, of a part of one arc */
    uint64_t first, arcs; /* 0 arcs: a part of one */
} way_part;

way_part way_whole(const body_way *w, const way_arcs *a);

/* In the middle of it. */
void way_middle(const body_way *w, const way_arcs *a, const way_part *p, double out[4]);

/* How far an even turn by this angle is from the straight way between its ends, in distances from
 * the pivot. The second derivative along the way is at most the square of the angle, so that is at
 * most an eighth of it; and both are in the same ball. */
static inline double way_bulge(double angle)
{
    const double bulge = angle * angle / 8;
    return bulge < 2 ? bulge : 2;
}

/* The same of the whole way. */
double way_bulge_all(const body_way *w);

/* Where no tolerance is given: this part of the largest extent of both frames. */
#define WAY_TOLERANCE 1e-6

/* This part of its coordinates rounding may move a point of a body at any instant: sums of a few
 * products, and up to some sixty halvings of a turn, each of which rounds by less than 2^-51. */
#define WAY_ROUNDED 0x1p-44

/* By how much bounds over the straight way of a primitive that turns have to grow, so that they
 * overlap those of all that comes as near as the tolerance. `bulge` is a length here; slack: how
 * far points may be from their way; rounded: how far rounding may take them from there. */
static inline double way_margin(double bulge, double slack, double rounded, double tolerance)
{
    return bulge + 2 * slack + 8 * rounded + tolerance;
}

/* The first half, or the second. */
way_part way_half(const body_way *w, const way_arcs *a, const way_part *p, int second);

/* At least the angle of its turn. */
double way_angle(const way_arcs *a, const way_part *p);

/* A box around all positions of points that are at most `far` from the pivot: low x y z, high. */
void way_box(const body_way *w, double far, double out[6]);

#endif
