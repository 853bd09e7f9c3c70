/* See cell_types.h. */
#include "cell_types.h"

#include <stdio.h>

/* Plurals are listed if they are not formed with an s. Messages show the number of types that are
 * not listed. */
static const struct {
    int type;
    const char *name, *plural;
} types[] = {
    {1, "vertex cell", NULL},
    {2, "poly-vertex", "poly-vertices"},
    {3, "line", NULL},
    {4, "poly-line", NULL},
    {5, "triangle", NULL},
    {6, "triangle strip", NULL},
    {7, "polygon", NULL},
    {8, "pixel", NULL},
    {9, "quad", NULL},
    {10, "tetrahedron", "tetrahedra"},
    {11, "voxel", NULL},
    {12, "hexahedron", "hexahedra"},
    {13, "wedge", NULL},
    {14, "pyramid", NULL},
    {15, "pentagonal prism", NULL},
    {16, "hexagonal prism", NULL},
    {21, "quadratic edge", NULL},
    {22, "quadratic triangle", NULL},
    {23, "quadratic quad", NULL},
    {24, "quadratic tetrahedron", "quadratic tetrahedra"},
    {25, "quadratic hexahedron", "quadratic hexahedra"},
    {26, "quadratic wedge", NULL},
    {27, "quadratic pyramid", NULL},
    {28, "biquadratic quad", NULL},
    {29, "triquadratic hexahedron", "triquadratic hexahedra"},
    {34, "biquadratic triangle", NULL},
    {35, "cubic line", NULL},
    {36, "quadratic polygon", NULL},
    {42, "polyhedron", "polyhedra"},
    {68, "Lagrange curve", NULL},
    {69, "Lagrange triangle", NULL},
    {70, "Lagrange quad", NULL},
    {71, "Lagrange tetrahedron", "Lagrange tetrahedra"},
    {72, "Lagrange hexahedron", "Lagrange hexahedra"},
    {73, "Lagrange wedge", NULL},
    {74, "Lagrange pyramid", NULL},
    {75, "Bezier curve", NULL},
    {76, "Bezier triangle", NULL},
    {77, "Bezier quad", NULL},
    {78, "Bezier tetrahedron", "Bezier tetrahedra"},
    {79, "Bezier hexahedron", "Bezier hexahedra"},
    {80, "Bezier wedge", NULL},
    {81, "Bezier pyramid", NULL},
};

void cell_type_name(int type, int many, char *out, size_t size)
{
    snprintf(out, size, "cell%s of VTK type %d", many ? "s" : "", type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type != type)
            continue;
        const char *plural = many ? types[i].plural : NULL;
        snprintf(out, size, "%s%s", plural ? plural : types[i].name, many && !plural ? "s" : "");
    }
}
