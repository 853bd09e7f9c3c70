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

#include "turning_ask.h"

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

#endif
