/* Closed surfaces from which scenes of rigid bodies are built: boxes, plates and surfaces of
 * revolution. No vertex is duplicated, and all triangles are counter-clockwise seen from outside.
 */
#ifndef IMP_SCENE_SHELL_H
#define IMP_SCENE_SHELL_H

#include "scene_math.h"

/* ---- box: each face a grid of quads, two triangles each */

typedef struct box {
    uint64_t cells[3]; /* along x y z */
} box;

box box_of(uint64_t triangles,
           v3 size); /* about that many triangles, at least 12; quads are nearly square */
uint64_t box_vertices(const box *b);
uint64_t box_triangles(const box *b);
void box_fill(const box *b, uint32_t first, uint32_t *triangle);
void box_points(const box *b, v3 low, v3 high, double *point);

/* ---- plate: a box beside the x axis, rotated about it; for wings and fins */

typedef struct plate {
    v3 low, high; /* before the rotation, on the side of positive y */
    double taper; /* reduction of its length along x per unit outwards; its back stays straight */
} plate;

/* Rotated by a number of quarter turns, 0 to 3. */
void plate_points(const box *b, const plate *p, int quarters, double *point);

/* ---- lathe: rings of vertices about the x axis, and a vertex before the first and after the last
 */

typedef struct lathe {
    uint64_t rings, sides;
} lathe;

/* About that many triangles, at least 6; aspect: rings for each side. */
lathe lathe_of(uint64_t triangles, double aspect);
uint64_t lathe_vertices(const lathe *l);
uint64_t lathe_triangles(const lathe *l);
void lathe_fill(const lathe *l, uint32_t first, uint32_t *triangle);

/* profile: position on the axis and radius, at 0 <= t <= 1 from the front, where x is greatest, to
 * the back. The ends are vertices on the axis. */
typedef struct lathe_ring {
    double x, radius;
} lathe_ring;
void lathe_points(const lathe *l, lathe_ring (*profile)(double t), double *point);

#endif
