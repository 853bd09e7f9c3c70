/* k-DOPs: convex hulls by k half-spaces in k/2 fixed directions (README.md, Klosowski 1998).
 *
 * Directions have components -1, 0 and 1, so a projection is only additions. The first three are
 * the axes: every k carries the axis-aligned box, and k = 6 is that box alone. The axes that a k
 * adds are one contiguous range of the table below:
 *
 *    k = 6   nothing            k = 18  the 6 edge directions
 *    k = 8   the 4 diagonals    k = 26  diagonals and edge directions
 *    k = 14  the 4 diagonals
 *
 * Bounds are float32, relative to the frame's centre, in units of a power of two that makes the
 * frame's half extent about 1, and rounded outward. */
#ifndef IMP_DOP_H
#define IMP_DOP_H
#include "lane.h"

#define DOP_AXES 13

CONSTANT i32 dop_axis[DOP_AXES][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1},                                    /* box */
    {1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1},                       /* space diagonals */
    {1, 1, 0}, {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1} /* edge directions */
};

/* index of the first axis that k adds to the box */
FN u32 dop_extra_first(u32 k)
{
    return k == 18 ? 7 : 3;
}

/* number of axes that k adds to the box */
FN u32 dop_extra_count(u32 k)
{
    return k == 6 ? 0 : k == 18 ? 6 : k == 26 ? 10 : 4;
}

#ifdef IMP_FP64

/* Sum of three centred coordinates, each in about [-1, 1]: the centring and two additions err by
 * less than 2^-50 altogether, which DOP_SLACK in dop_below and dop_above covers. */
FN f64 dop_project(u32 axis, f64 x, f64 y, f64 z)
{
    return (f64)dop_axis[axis][0] * x + (f64)dop_axis[axis][1] * y + (f64)dop_axis[axis][2] * z;
}

#define DOP_SLACK 0x1p-49
#define DOP_TINY 0x1p-64f /* smallest non-zero bound: far above denormals, far below any slack */

#include "lane_dop.h"

#endif
#endif
