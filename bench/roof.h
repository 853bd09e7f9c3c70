/* Two convex bodies whose distance is known by construction: one is below a plane that contains a
 * vertex, an edge or a face of it, the other one above a parallel plane. These features are above
 * each other, so the distance of the planes is that of the bodies. */
#ifndef BENCH_ROOF_H
#define BENCH_ROOF_H

#include "shape.h"

enum roof_top { ROOF_VERTEX, ROOF_EDGE, ROOF_FACE, ROOF_TOPS };

#define ROOF_POINTS 16
#define ROOF_TRIANGLES 28

/* Below the plane z = 0; the centre of its top is the origin. Faces are exactly planar, and the
 * body is exactly convex: all coordinates are integers times a power of two. */
typedef struct roof {
    double x[3 * ROOF_POINTS];
    uint32_t vertices, corner[3 * ROOF_TRIANGLES], triangles;
} roof;

/* (along, across), integers below 2^24, is the direction of the edge if the top is one; other tops
 * are rotated likewise. The size is about 1. */
void roof_make(enum roof_top top, double along, double across, roof *out);

/* A pair: both bodies, their poses, and their distance; if negative, its depth of overlap. */
typedef struct roof_pair {
    enum roof_top top[2];
    roof body[2];
    pose_map put[2];
    double gap;
} roof_pair;

/* Makes pair number i. `power`: the gap is about 2^-power of the size, and negative for odd i. */
void roof_pair_make(uint64_t i, int power, roof_pair *out);

#endif
