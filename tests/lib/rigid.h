/* Rigid bodies for tests of pcs: shapes, a world of bodies, and the resolution of their contacts by
 * an impulse along the normal at the two closest points, without friction, of bodies whose inertia
 * is the same about all axes. Events are recorded. */
#ifndef IMP_RIGID_H
#define IMP_RIGID_H

#include "pcs.h"
#include "testlib.h"

/* Bodies around the origin. NULL: no memory. */
shape *rigid_box(mem *m, double x, double y, double z);               /* half edges */
shape *rigid_ball(mem *m, double radius, int levels);                 /* a subdivided octahedron */
shape *rigid_dumbbell(mem *m, double length, double end, double bar); /* three boxes along x */
shape *rigid_random(mem *m, rng *r, double size); /* a tetrahedron, or some triangles */

typedef struct rigid_event {
    uint32_t a, b;
    double time, distance;
    double normal[3];
    int inelastic;
} rigid_event;

typedef struct rigid_world {
    mem m;
    pcs_body *body;
    double *mass, *inertia; /* for each body; infinite: immovable */
    uint32_t count;
    double bounce;  /* restitution: 1 conserves energy */
    double gravity; /* along -z, applied at each frame's start */
    rigid_event *event;
    size_t events, capacity;
    /* called at each contact before it is resolved; or NULL */
    void (*look)(void *with, const struct rigid_world *w, const pcs_contact *c);
    void *with;
    pcs *loop;
    double step, epsilon; /* the loop's */
} rigid_world;

/* Adds a body at rest, unrotated; the world frees the shape, which may be that of the previous
 * body. */
pcs_body *rigid_add(rigid_world *w, shape *s, double mass, double x, double y, double z);
void rigid_free(rigid_world *w);

/* Opens a loop over the world's bodies. */
void rigid_open(rigid_world *w, double step, double epsilon);

int rigid_forces(void *world, pcs_body *bodies, uint32_t count, double seconds);
int rigid_resolve(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                  uint8_t *changed);

/* Records the contact and changes nothing. */
int rigid_ignore(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                 uint8_t *changed);

/* One frame with rigid_forces and this. */
pcs_counts rigid_frame(rigid_world *w, int (*resolve)(void *, pcs_body *, uint32_t,
                                                      const pcs_contact *, uint8_t *));

/* Kinetic energy of the bodies that can move. */
double rigid_energy(const rigid_world *w);

/* The first event of a pair after a time; NULL if none. */
const rigid_event *rigid_find(const rigid_world *w, uint32_t a, uint32_t b);

/* A random rotation. */
void rigid_rotation(rng *r, double out[4]);

#endif
