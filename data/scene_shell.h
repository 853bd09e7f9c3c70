/* Closed surfaces that scenes of rigid bodies are put together from: boxes, and what a lathe makes.
 * No vertex is there twice, and seen from outside all triangles turn to the left. */
#ifndef IMP_SCENE_SHELL_H
#define IMP_SCENE_SHELL_H

#include "scene_math.h"

/* ---- box: each face a grid of quads, two triangles each */

typedef struct box {
    uint64_t cells[3]; /* along x y z */
} box;

box box_of(uint64_t triangles,
           v3 size); /* about that number, at least 12; quads are nearly square */
uint64_t box_vertices(const box *b);
uint64_t box_triangles(const box *b);
void box_fill(const box *b, uint32_t first, uint32_t *triangle);
void box_points(const box *b, v3 low, v3 high, double *point);

/* ---- plate: a box beside the x axis, turned about it; of wings and fins */

typedef struct plate {
    v3 low, high; /* as it is without turn, on the side of positive y */
    double taper; /* of its length along x, for each unit outwards; its back stays straight */
} plate;

/* By a number of quarter turns, 0 to 3. */
void plate_points(const box *b, const plate *p, int quarters, double *point);

/* ---- lathe: rings of vertices about the x axis, and a vertex before the first and after the last
 */

typedef struct lathe {
    uint64_t rings, sides;
} lathe;

/* About that number of triangles, at least 6; aspect: rings for each side. */
lathe lathe_of(uint64_t triangles, double aspect);
uint64_t lathe_vertices(const lathe *l);
uint64_t lathe_triangles(const lathe *l);
void lathe_fill(const lathe *l, uint32_t first, uint32_t *triangle);

/* profile: where on the axis and how wide it is, at 0 <= t <= 1 from its front, which is where x is
 * greatest, to its back. The ends are taken for vertices on the axis. */
typedef struct lathe_ring {
    double x, radius;
} lathe_ring;
void lathe_points(const lathe *l, lathe_ring (*profile)(double t), double *point);

#endif
