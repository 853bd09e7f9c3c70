/* What measure8.cl makes of feature pairs, for the host. */
#ifndef IMP_MEASURE_CODE_H
#define IMP_MEASURE_CODE_H

/* A pair's points: a face's, then the vertex; or those of the first edge, then those of the second.
 * A part's: a vertex's, then those of what it is nearest to; or of both edges. */
#define MEASURE_POINTS 4

/* The points of the feature pairs of two triangles, numbered as in ccd.h: 4 * triangle + corner. */
static const unsigned char measure_places[15][MEASURE_POINTS] = {
    {4, 5, 6, 0}, {4, 5, 6, 1}, {4, 5, 6, 2}, {0, 1, 2, 4}, {0, 1, 2, 5},
    {0, 1, 2, 6}, {0, 1, 4, 5}, {0, 1, 5, 6}, {0, 1, 6, 4}, {1, 2, 4, 5},
    {1, 2, 5, 6}, {1, 2, 6, 4}, {2, 0, 4, 5}, {2, 0, 5, 6}, {2, 0, 6, 4}};

/* The parts whose insides are nearest to each other. */
enum measure_parts {
    MEASURE_VERTICES,
    MEASURE_VERTEX_EDGE,
    MEASURE_VERTEX_FACE,
    MEASURE_EDGES,
    MEASURE_PARTS
};

#define MEASURE_OPEN 255 /* a pair whose nearest parts are uncertain; else see lane_measure.h */

/* Numbers of a pair: the distance, see exact_quick, and the float64 that is not above it; the
 * weights of a part's points; the normal; the nearest points. */
enum measure_result {
    MEASURE_HI,
    MEASURE_LO,
    MEASURE_RELATIVE_ERROR,
    MEASURE_DISTANCE,
    MEASURE_WEIGHT,
    MEASURE_NORMAL = MEASURE_WEIGHT + 4,
    MEASURE_NEAREST = MEASURE_NORMAL + 3,
    MEASURE_RESULTS = MEASURE_NEAREST + 6
};

#endif
