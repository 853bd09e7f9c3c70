/* Legacy VTK files, the ASCII ones: DATASET UNSTRUCTURED_GRID and POLYDATA.
 *
 * CELLS and its like are read in both forms, each cell as "n numbers" (up to version 4.2) and as
 * OFFSETS and CONNECTIVITY (from 5.0 on), whatever version the file says it has. Triangles, quads,
 * pixels, polygons and strips become triangles, tetrahedra stay; vertices and lines are passed over
 * and counted. Other types of cells are an error. FIELD and METADATA are passed over, and nothing
 * is read from CELL_DATA or POINT_DATA on: attributes have no use here. Numbers may stand in any
 * number of lines; # begins a comment. */
#ifndef IMP_VTK_H
#define IMP_VTK_H

#include "shape.h"
#include "text.h"

/* Is a text that was just opened of this kind? */
int vtk_begins(const text *t);

/* The rest of it. On failure *out is as it was. Errors: as shape_read. */
int vtk_read(text *t, shape *out);

#endif
