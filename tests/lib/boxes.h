/* A box as triangles, and as tetrahedra: bit k of i says whether corner i is on the upper side
 * along axis k. */
#ifndef IMP_BOXES_H
#define IMP_BOXES_H

#include <stdint.h>

static const uint32_t box_corners[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 7, 5}, {4, 6, 7},
                                            {0, 4, 5}, {0, 5, 1}, {2, 3, 7}, {2, 7, 6},
                                            {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
static const uint32_t box_solids[5][4] = {
    {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}};

#endif
