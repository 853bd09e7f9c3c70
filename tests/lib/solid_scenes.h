/* Scenes of closed objects, and pairs of these on a lattice. */
#ifndef IMP_SOLID_SCENES_H
#define IMP_SOLID_SCENES_H

#include "impinge.h"
#include "testlib.h"

#define SOLID_VERTS 20000
#define SOLID_PRIMS 40000

/* Make one with solid_scene_open, then add to it; mesh and frame follow. All have four corners: of
 * a triangle the last one is ignored. */
typedef struct solid_scene {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[4 * SOLID_PRIMS];
    uint8_t corner_count[SOLID_PRIMS];
    int32_t object[SOLID_PRIMS];
    double point[3 * SOLID_VERTS];
} solid_scene;

solid_scene *solid_scene_open(void); /* free() closes it */
void solid_scene_clear(solid_scene *s);

uint32_t solid_vertex(solid_scene *s, double x, double y, double z);
void solid_triangle(solid_scene *s, int32_t object, uint32_t a, uint32_t b, uint32_t c);
void solid_tet(solid_scene *s, int32_t object, const uint32_t corner[4]);

/* Closed surfaces with their fronts outside. Each returns its first vertex. */
uint32_t solid_box(solid_scene *s, int32_t object, const double lo[3], const double hi[3]);
uint32_t solid_cube(solid_scene *s, int32_t object, double x, double y, double z, double edge);
uint32_t solid_pyramid(solid_scene *s, int32_t object, const double x[4][3]); /* of any volume */
uint32_t solid_octahedron(solid_scene *s, int32_t object, const double centre[3], double radius);
uint32_t solid_prism(solid_scene *s, int32_t object, const double base[3][2], double low,
                     double high);
uint32_t solid_sphere(solid_scene *s, int32_t object, const double centre[3], double radius,
                      uint32_t rings);
uint32_t solid_torus(solid_scene *s, int32_t object, const double centre[3], double radius,
                     double tube, uint32_t n, uint32_t k);

/* A union of cubes of a lattice, n[k] along axis k, as mesh_cells; at `from`. */
uint32_t solid_cells(solid_scene *s, int32_t object, const int n[3], const char *full,
                     const double from[3]);

void solid_flip(solid_scene *s, int32_t object); /* turns all triangles of an object over */

/* Prints the triangles of an object, whose vertices follow each other: " V T", x y z of each vertex
 * in hexadecimal, three vertices of each triangle from 0 on. */
void solid_print(const solid_scene *s, int32_t object);

/* Adds to each vertex from `first` on. */
void solid_move(solid_scene *s, uint32_t first, double x, double y, double z);

#define SOLID_KINDS 7

/* Makes a scene of objects 0 and 1 by a seed: 2-manifolds of small integers that do not meet
 * themselves, often with faces, edges or corners in common, one in another, or the same; some are
 * sheared, or a little moved. */
void solid_pair_make(solid_scene *s, uint64_t seed);

#endif
