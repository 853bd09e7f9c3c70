/* All triangles of two shapes that are near each other. */
#ifndef IMP_SHAPE_NEAR_H
#define IMP_SHAPE_NEAR_H

#include "shape.h"

/* Gets pairs of triangles. What it returns, unless it is 0, ends the search. */
typedef struct shape_pair_sink {
    int (*add)(void *with, const uint32_t cell[2]);
    void *with;
} shape_pair_sink;

/* Every pair of triangles at most `reach` apart, once, and a few that are farther by what rounding
 * does. Time in proportion to what is near, by the trees of both; the order follows from the
 * arguments. Returns what `take` returned. */
int shape_near(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb, double reach,
               const shape_pair_sink *to);

#endif
