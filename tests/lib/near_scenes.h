/* Scenes of primitives that are near each other, and the rows of pairs within a distance. */
#ifndef IMP_NEAR_SCENES_H
#define IMP_NEAR_SCENES_H

#include "impinge.h"
#include "testlib.h"

#define NEAR_PRIMS 48
#define NEAR_VERTS 56
#define NEAR_OBJECTS 3

typedef struct near_row {
    uint32_t a, b;
    int64_t kind, feature[2];
    double point[6], distance, weight[2][4], normal[3];
    double penetration, relative; /* 0 without thicknesses */
} near_row;

typedef struct near_list {
    size_t count, capacity;
    near_row *row;
} near_list;

/* An imp_sink that adds to the near_list `user`. */
int near_sink(void *user, const imp_contacts *c);

int near_lists_equal(const near_list *x, const near_list *y);

typedef struct near_scene {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[4 * NEAR_PRIMS];
    uint8_t corner_count[NEAR_PRIMS];
    int32_t object[NEAR_PRIMS];
    double point[3 * NEAR_VERTS];
    double distance;
    double thickness[NEAR_PRIMS]; /* about the distance; some are 0, and sums of some are rounded */
} near_scene;

/* Coordinates with few bits, so that many distances are equal and vertices are above vertices, or
 * with many; flat or not; small, large or far from the origin; objects that are apart or not. Some
 * primitives have a vertex twice or thrice, so that they have no face; some scenes have vertices
 * that are not finite. */
void near_scene_make(near_scene *s, uint64_t seed);

/* The options for rows of this scene: enum imp_rows, plus NEAR_THICK: within thicknesses. */
#define NEAR_THICK 16
imp_def near_scene_def(const near_scene *s, uint64_t seed, int rows);

#endif
