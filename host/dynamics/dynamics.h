/* What moves the bodies of a scene: the hooks of pcs. Forces change velocities at the start of a
 * frame (semi-implicit Euler); at a contact all bodies that touch each other, from the two on, are
 * solved together (impulses.h). Where they are and when they touch is pcs's alone.
 *
 * pcs moves bodies with constant velocities, and takes a pair that was resolved as resting until it
 * has come apart. So within the rest of the frame nothing keeps a body from tipping into another
 * one that it rests on. Here a point of it may come nearer only by its gap until the frame ends;
 * where it stops, the next frame begins with a contact. */
#ifndef IMP_DYNAMICS_H
#define IMP_DYNAMICS_H

#include "touching.h"
#include "world.h"

typedef struct dynamics dynamics;

/* epsilon, step: as in pcs_def. The world must outlive it. Errors: MEMORY, ARGUMENT (no ODE). */
int dynamics_open(mem *m, const world *w, double step, double epsilon, dynamics **out);
void dynamics_close(dynamics *d);

/* Whose hooks these are: before its first frame. */
void dynamics_of(dynamics *d, pcs *p);

/* What the next frame depends on: pairs that touched in the last one (touching.h), and how many
 * frames have begun. Errors: MEMORY. */
size_t dynamics_save(const dynamics *d, touching_saved *out);
int dynamics_restore(dynamics *d, uint64_t frames, const touching_saved *saved, size_t count);

/* pcs_hooks.forces and .resolve, for with = the dynamics. */
int dynamics_forces(void *with, pcs_body *bodies, uint32_t count, double seconds);
int dynamics_resolve(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                     uint8_t *changed);

#endif
