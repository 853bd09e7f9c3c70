/* The cost of cuboids simulated and collided by ODE alone. ODE looks for overlaps at the end of
 * each step, so it does not see contacts in between. Its bodies, contact forces, gravity and solver
 * (dWorldStep) are those that impinge uses from it; its error correction (dWorldGetERP) is its own.
 * Failures end the program. */
#ifndef BENCH_PCS_ODE_H
#define BENCH_PCS_ODE_H

#include "world.h"

enum pcs_ode_space { PCS_ODE_HASH, PCS_ODE_SWEEP, PCS_ODE_SPACES };
extern const char *const pcs_ode_names[PCS_ODE_SPACES];

/* Returns 1 if all shapes of the world are cuboids along their own axes about their centre of mass,
 * and only gravity acts on them. Only such worlds can be simulated here. */
int pcs_ode_can(const world *w);

typedef struct pcs_ode pcs_ode;

/* One thread. The world must outlive it; only one may be open at a time. */
pcs_ode *pcs_ode_open(const world *w, enum pcs_ode_space space);
void pcs_ode_step(pcs_ode *o, double seconds);
void pcs_ode_close(pcs_ode *o);

/* Pairs that overlapped at the beginning of a step, summed over all steps so far. */
uint64_t pcs_ode_contacts(const pcs_ode *o);

/* Copies poses and velocities of the bodies to those of the world, in their order. */
void pcs_ode_bodies(const pcs_ode *o, pcs_body *out);

#endif
