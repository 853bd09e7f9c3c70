/* Meshes of bodies for tests: cells of a grid, tori, trays. */
#ifndef IMP_MESH_SHAPES_H
#define IMP_MESH_SHAPES_H

#include <stdint.h>

#define MESH_MOST 6000 /* numbers of each array */

typedef struct mesh_shape {
    double point[MESH_MOST];
    uint32_t corner[MESH_MOST];
    uint32_t vertices, triangles;
} mesh_shape;

/* The union of cells of a grid whose planes are at x, y and z: of n[k] cells along axis k. `full`
 * has one character for each cell, x first, '#' for those that are part of it. Its surface is
 * closed; faces are those of cells, so that many edges are flat. */
void mesh_cells(mesh_shape *m, const int n[3], const double *const at[3], const char *full);

/* A ring about the z axis: n pieces around, k around its tube. */
void mesh_torus(mesh_shape *m, double radius, double tube, uint32_t n, uint32_t k);

/* The floor, at z = 0, and four walls of a tray, as one sheet. */
void mesh_tray(mesh_shape *m, double x, double y, double high);

#endif
