/* Meshes of bodies for tests: cells of a grid, tori, trays. */
#ifndef IMP_MESH_SHAPES_H
#define IMP_MESH_SHAPES_H

#include <stdint.h>

#define MESH_MOST 6000 /* capacity of each array */

typedef struct mesh_shape {
    double point[MESH_MOST];
    uint32_t corner[MESH_MOST];
    uint32_t vertices, triangles;
} mesh_shape;

/* The union of cells of a grid with planes at x, y and z and n[k] cells along axis k. `full` has
 * one character for each cell, x first, '#' for those in the union. Its surface is closed; its
 * faces are cell faces, so that many edges are flat. */
void mesh_cells(mesh_shape *m, const int n[3], const double *const at[3], const char *full);

/* A torus about the z axis: n segments around the axis, k around the tube. */
void mesh_torus(mesh_shape *m, double radius, double tube, uint32_t n, uint32_t k);

/* The floor, at z = 0, and four walls of a tray, as one sheet. */
void mesh_tray(mesh_shape *m, double x, double y, double high);

#endif
