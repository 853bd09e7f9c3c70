/* The target of the missile of scene_missile.c: a building, or an aircraft that flies in a circle.
 * A rigid body of closed parts that are slightly apart. */
#ifndef IMP_SCENE_TARGET_H
#define IMP_SCENE_TARGET_H

#include "impinge.h"
#include "scene_shell.h"

#define TARGET_BOXES 8 /* most boxes of a target */

/* The values of the scene's setting. */
enum { TARGET_BUILDING, TARGET_AIRCRAFT };

typedef struct target {
    int kind;
    int boxes; /* the building's blocks; or the aircraft's wings, fins and booms */
    box box[TARGET_BOXES];
    lathe hull; /* the aircraft's only */
    v3 aim;     /* the point that the missile aims at; in the aircraft's own coordinates */
    double yaw; /* the building's; or the aircraft's at time 0 */
    v3 centre;  /* centre of the aircraft's circle */
} target;

/* About that many triangles. */
void target_sizes(target *t, int kind, double triangles);
uint64_t target_triangles(const target *t);
uint64_t target_vertices(const target *t);

/* Writes its triangles, with vertices from number `first` on, and these in its own coordinates. */
void target_shape(const target *t, uint32_t first, uint32_t *triangle, double *point);

int target_flies(const target *t);
imp_pose target_pose(const target *t, double time);

/* Position of the aim. */
v3 target_aim(const target *t, double time);

/* side: metres along the wall, high: above the ground. */
void building_place(target *t, double yaw, double side, double high);

/* ---- scene_aircraft.c */

/* The seed chooses the part that the missile aims at. */
void aircraft_place(target *t, uint64_t seed, v3 about);
void aircraft_sizes(target *t, double triangles);
void aircraft_shape(const target *t, uint32_t first, uint32_t *triangle, double *point);
imp_pose aircraft_pose(const target *t, double time);

#endif
