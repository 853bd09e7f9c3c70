/* Gmsh meshes, the ASCII ones of format 2 (2.0 to 2.2) and 4.1.
 *
 * Triangles and tetrahedra are read; quadrangles become triangles; points and lines, which mark
 * boundaries, are passed over and counted. Other elements, those of higher order too, are an error.
 * Nodes are called by any numbers and stay vertices of the shape if no element uses them, in their
 * order in the file. Sections that are not about the mesh are passed over.
 *
 * Each element is in a section of the shape: that of its physical group, of several that of the
 * first (format 2 lists an element once for each), by the name that $PhysicalNames gives it, else
 * "physical surface 3"; without a group that of the entity, "surface 3"; without either one with an
 * empty name. */
#ifndef IMP_MSH_H
#define IMP_MSH_H

#include "shape.h"
#include "text.h"

/* Is a text that was just opened of this kind? */
int msh_begins(const text *t);

/* The rest of it. On failure *out is as it was. Errors: as shape_read. */
int msh_read(text *t, shape *out);

#endif
