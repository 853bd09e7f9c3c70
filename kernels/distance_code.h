/* Numbers that distance.cl and the host share. */
#ifndef IMP_DISTANCE_CODE_H
#define IMP_DISTANCE_CODE_H

/* The squares of lengths of a frame: a way shorter than BELOW is certainly within the distance, one
 * longer than ABOVE certainly beyond it. */
#define DISTANCE_BELOW 0
#define DISTANCE_ABOVE 1
#define DISTANCE_LIMITS 2

/* Where primitives have thicknesses, limits begin with HAS_HALVES, which is no square, and from
 * element HALVES on have half of the thickness of each primitive, in the unit of its frame. */
#define DISTANCE_HAS_HALVES -1.0
#define DISTANCE_HALVES 1

/* Words of an item's scratch row on devices (distance.h). */
#define DISTANCE_NOTE 8

/* Nearest features of two triangles. VERTEX + i: vertex i of the first and the face of the second;
 * FACE
 * + j: the face of the first and vertex j of the second; EDGES + 3 i + j: edge i and edge j. OPEN:
 * not certain, or the triangles may meet. */
#define DISTANCE_VERTEX 0u
#define DISTANCE_FACE 3u
#define DISTANCE_EDGES 6u
#define DISTANCE_OPEN 15u

#endif
