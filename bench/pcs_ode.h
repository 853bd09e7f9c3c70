/* A scene of cuboids that move freely, moved and collided by ODE alone: what it takes. ODE looks
 * for overlaps at the end of each step; what meets in between it does not see. Its bodies, forces
 * of contacts and solver (dWorldStep) are those that impinge asks it for. Failures end the program.
 */
#ifndef BENCH_PCS_ODE_H
#define BENCH_PCS_ODE_H

#include "world.h"

enum pcs_ode_space { PCS_ODE_HASH, PCS_ODE_SWEEP, PCS_ODE_SPACES };

typedef struct pcs_ode_run {
    double seconds;    /* for all steps */
    uint64_t contacts; /* pairs that overlap at the end of a step */
} pcs_ode_run;

/* One thread. All shapes of the world are cuboids along their own axes, and no body is fixed. */
pcs_ode_run pcs_ode(const world *w, double step, uint64_t steps, enum pcs_ode_space space);

#endif
