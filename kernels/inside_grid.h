/* The grid in which points lie whose rays along an axis meet the triangles of an object: cells
 * across the axis. For kernels and the host that sorts the points. */
#ifndef IMP_INSIDE_GRID_H
#define IMP_INSIDE_GRID_H
#include "dialect.h"

/* float64 of a grid: the points' least coordinates across the rays, the cells for each unit of
 * length, the greatest coordinates, and the least one along the rays */
#define INSIDE_GRID 7
#define INSIDE_PAD 8u /* places after the last point, which are loaded with it */

/* The cell of a coordinate. It is monotone, so that what is between two coordinates is in a cell
 * between theirs. */
FN u32 inside_cell(f64 x, f64 least, f64 per_unit, u32 cells)
{
    f64 at = (x - least) * per_unit;
    return at > 0 ? at < (f64)cells ? (u32)at : cells - 1 : 0;
}

#endif
