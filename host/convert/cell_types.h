/* VTK's cell types and their names. */
#ifndef IMP_CELL_TYPES_H
#define IMP_CELL_TYPES_H

#include <stddef.h>

enum vtk_type {
    VTK_POLY_VERTEX = 2,
    VTK_POLY_LINE = 4,
    VTK_TRIANGLE = 5,
    VTK_STRIP = 6,
    VTK_POLYGON = 7,
    VTK_PIXEL = 8,
    VTK_QUAD = 9,
    VTK_TETRAHEDRON = 10,
    VTK_VOXEL = 11,
    VTK_HEXAHEDRON = 12,
    VTK_WEDGE = 13,
    VTK_PYRAMID = 14,
    VTK_ANY_ORDER = 60 /* Lagrange and Bezier cells, and types that VTK may add, are greater */
};

/* "triangle", or "triangles" if `many`; "cell of VTK type 99" for one without a name here. */
void cell_type_name(int type, int many, char *out, size_t size);

#endif
