/* A world for impinge_pcs.h: bodies, recorded contacts, and the hook's answer. */
#ifndef IMP_PCS_WORLD_H
#define IMP_PCS_WORLD_H

#include "impinge_pcs.h"

#include <stddef.h>
#include <stdint.h>

#define EPSILON 1e-5
#define MOST 32 /* bodies */

extern const uint32_t world_box_corner[36];

typedef struct world world;
struct world {
    imp_pcs_mesh mesh[MOST];
    uint32_t meshes;
    imp_pcs_body body[MOST];
    imp_pose pose[MOST];
    uint32_t bodies;
    imp_pcs *p;
    imp_pcs_contact contact[1000];
    size_t contacts;
    int (*answer)(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed);
    int result; /* returned by hooks that end a step */
    imp_pose seen[MOST];
};

/* A box of these half sides; its corners are stored in `point`. */
imp_pcs_mesh world_box(double x, double y, double z, double point[24]);

/* Adds a body that does not turn; returns its pose. */
imp_pose *world_add(world *w, uint32_t mesh, int fixed, double x, double y, double z);

imp_pcs_def world_def(const world *w);

void world_create(world *w);

/* The hook `contact`: records the contact, and asks w->answer. user: the world. */
int world_hook(void *user, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed);

/* A step with this hook, which must succeed. */
imp_pcs_info world_step(world *w, double seconds);

void world_done(world *w);

world *world_begin(void);

/* Equal masses in a head-on collision exchange their velocities along x, if they approach. */
int world_exchange(world *w, imp_pose *pose, const imp_pcs_contact *c, uint8_t *changed);

/* Two cubes that meet at 0.45. */
world *world_box_pair(double point[24]);

#endif
