/* Within turning_pair.h: directions along which two convex hulls are apart, at an instant and while
 * they move. What a direction says is true whatever the direction is: so only the sums of a gap
 * count, not how the direction was found.
 *
 * A direction must be good to a small part of the tolerance. The difference of two nearest points
 * is not where they are near: rounding moves each, and turns the difference by the ratio of that to
 * the distance. So what is tried then are the directions that are normal to features: of faces, of
 * two edges, of an edge and a vertex, and between two vertices. Each is made normal to within a
 * rounding of itself, so it is the direction of nearest points of features that are a rounding away
 * from these; and one of them is, within rounding, the best there is. */
#ifndef IMP_TURNING_APART_H
#define IMP_TURNING_APART_H

#include "turning_pair.h"
#include "turning_way.h"

/* Corners of two convex hulls. */
typedef struct hulls {
    int count[2];
    uint8_t corner[2][4];
} hulls;

/* Where two features are nearest, in lexicographic order; returns how far from each other. */
double apart_nearest(const turning_couple *c, const places *at, double point[6]);

/* The direction from the middle of the first hull to that of the second: of length 1, or 0. */
void apart_middles(const hulls *h, const places *at, double n[3]);

/* The direction, of length 1, along which the second hull is farthest beyond the first, to within
 * `loose`. The couples are features of both. */
void apart_aim(const hulls *h, const turning_couple *couple, int couples, const places *at,
               double loose, double n[3]);

/* At two instants hulls are at `from` and `to`, with straight ways between; n[2]: a direction at
 * each, which turns in between, linearly. Is the second hull farther than `least` beyond the first
 * one along the direction at all times? 0 also where that is not known. */
int apart_stays(const hulls *h, const places *from, const places *to, const double n[2][3],
                double least);

#endif
