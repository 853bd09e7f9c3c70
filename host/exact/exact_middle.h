/* The middle of the part of a segment that is inside a tetrahedron, and its distance from the
 * surface; distances as roots of quotients of integers. Private to host/exact. */
#ifndef IMP_EXACT_MIDDLE_H
#define IMP_EXACT_MIDDLE_H

#include "exact_cut.h"

/* A face of the tetrahedron and the ends of the segment. */
typedef struct middle_face {
    const cut_plane *plane;
    const cut_end *end[2];
    int own;     /* 1, -1: the side of the plane on which the tetrahedron is */
    int side[2]; /* of the ends: 1: that side; 0: in the plane; -1: the other side */
} middle_face;

/* The least distance of the middle from the plane of a face, correctly rounded; 0 if the segment
 * has no part in the interior. The tetrahedron has a volume, and neither end is in its interior;
 * for each face an end is on the inner side. Never fails or allocates. */
double exact_middle_depth(const middle_face face[4]);

/* The same by integers alone: for tests. */
double exact_middle_integers(const middle_face face[4]);

/* A distance: the root of height / weight, in units of 2^unit. Both are squares, 0 or more. */
typedef struct exact_squares {
    big_view height, weight;
    int unit;
} exact_squares;

/* Limbs of the longest number: the square of a product of nine differences of coordinates, of at
 * most 37,850 bits, shifted by twice the difference of two exponents, at most 4,300. */
#define DISTANCE_LIMBS 760

/* The distance, rounded correctly. */
double exact_squares_root(const exact_squares *x);

/* The square of the length of the normal (b - a) x (c - a), in units of 2^(4 unit). */
void exact_normal_square(const exact_point *const p[3], int unit, exact_big *out);

#endif
