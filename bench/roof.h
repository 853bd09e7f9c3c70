/* Two convex bodies whose distance is known because of how they are made: one is below a plane with
 * a vertex, an edge or a face in it, the other one above a plane beside it. These features are
 * above each other, so the distance of the planes is that of the bodies. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

#include "shape.h"

enum roof_top { ROOF_VERTEX, ROOF_EDGE, ROOF_FACE, ROOF_TOPS };

#define ROOF_POINTS 16
#define ROOF_TRIANGLES 28

/* Below the plane z = 0; the middle of its top is the origin. Faces are in one plane exactly, and
 * the body is convex exactly: all coordinates are whole numbers times a power of two. */
typedef struct roof {
    double x[3 * ROOF_POINTS];
    uint32_t vertices, corner[3 * ROOF_TRIANGLES], triangles;
} roof;

/* Edges of its top have the direction (along, across), whole numbers below 2^24, or that of others.
 * Its size is about 1. */
void roof_make(enum roof_top top, double along, double across, roof *out);

/* A question: both bodies, where they are, and how far from each other; below 0: how deep they
 * overlap. */
typedef struct roof_pair {
    enum roof_top top[2];
    roof body[2];
    pose_map put[2];
    double gap;
} roof_pair;

/* Number i of them all. `power`: the gap is 2^-power of the size, about, and negative for odd i. */
void roof_pair_make(uint64_t i, int power, roof_pair *out);

#endif
