/* What bodies that touch do to each other at one instant: the velocities after it, such that
 * nothing goes into anything and friction and bounce are as asked. All contacts of the bodies are
 * solved together, as a linear complementarity problem, by ODE (dWorldStep); of its step only
 * velocities are used, so no position and no collision of ODE has a part in this. */
#ifndef IMP_IMPULSES_H
#define IMP_IMPULSES_H

#include "mem.h"
#include "vec.h"

#include <stdint.h>

/* A body that can move. */
typedef struct impulse_body {
    double mass;
    double inertia[6]; /* in its own coordinates: xx, yy, zz, xy, xz, yz */
    v3 centre;
    double rotation[4];
    v3 velocity, spin; /* in and out */
} impulse_body;

#define IMPULSE_FIXED UINT32_MAX

typedef struct impulse_contact {
    uint32_t a, b; /* bodies, or IMPULSE_FIXED; not both */
    v3 at, normal; /* from a to b */
    double least;  /* velocity of b - a along the normal after it, at least; may be below 0 */
    double bounce; /* of the velocity before it, what comes back; 0 to 1 */
    double friction;
} impulse_contact;

typedef struct impulses impulses;

/* Is there a library that computes them? Without one impulses_open fails. */
int impulses_are_built(void);

/* Errors: MEMORY; ARGUMENT if ODE was not built in, or calculates with float32. One thread may use
 * it, and only one of them may exist at a time. */
int impulses_open(mem *m, impulses **out);
void impulses_close(impulses *s);

/* The same bits for the same arguments on one machine. Errors: MEMORY; DIVERGED if ODE cannot solve
 * it, or finds no finite velocities: the next ones can be solved. */
int impulses_solve(impulses *s, impulse_body *body, uint32_t bodies, const impulse_contact *contact,
                   size_t contacts);

#endif
