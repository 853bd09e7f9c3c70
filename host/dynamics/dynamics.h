/* What bodies that touch do to each other at one instant: the velocities after it, such that
 * nothing goes into anything and friction and bounce are as asked. All contacts of the bodies are
 * solved together, as a linear complementarity problem, by ODE (dWorldStep); of its step only
 * velocities are used, so no position and no collision of ODE has a part in this. */
#ifndef IMP_DYNAMICS_H
#define IMP_DYNAMICS_H

#include "mem.h"
#include "patch.h"
#include "shape.h"
#include "vec.h"
#include "world.h"

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

/* ---- Pairs of bodies that touched in this frame or the last one: what a contact may pass on to.
 */

#define TOUCHING_NONE UINT32_MAX

typedef struct touching_pair {
    uint32_t body[2];
    uint32_t next[2]; /* pair in the list of that body, or TOUCHING_NONE */
    int listed[2];    /* whether that body has a list */
    uint64_t frame;   /* when they touched last */
    uint64_t turn;    /* of the last walk that came to it */
    v3 normal;        /* from body[0] to body[1], the last one known */
    shape_pair cache; /* of shape_distance */
} touching_pair;

/* All zero at first, except mem. */
typedef struct touching {
    mem *mem;
    uint32_t *first; /* [bodies] pair, or TOUCHING_NONE */
    touching_pair *pair;
    size_t count, capacity;
    uint64_t frame, turn;
} touching;

/* A pair of the last frame as it is kept, for a simulation that goes on later. */
typedef struct touching_saved {
    uint32_t body[2];
    int32_t listed[2];
    shape_pair cache;
    double normal[3];
} touching_saved;

int touching_open(touching *t, uint32_t bodies);
void touching_close(touching *t);

/* A frame begins: pairs that did not touch in the last one are dropped. */
void touching_begin(touching *t);

/* Two bodies touch now. `listed`: which of them have lists, of pairs that can be found from them;
 * at least one. *pair: their number until the next frame. Errors: MEMORY. */
int touching_add(touching *t, uint32_t a, uint32_t b, const int listed[2], v3 normal,
                 uint32_t *pair);

/* The pairs of the last frame into out[], unless it is NULL; returns how many. They are recalled in
 * place of all. Errors: MEMORY. */
size_t touching_save(const touching *t, touching_saved *out);
int touching_restore(touching *t, const touching_saved *saved, size_t count);

/* The next pair in the list of a body. */
static inline uint32_t touching_next(const touching *t, uint32_t pair, uint32_t body)
{
    return t->pair[pair].next[t->pair[pair].body[1] == body];
}

/* ---- What moves the bodies of a scene: the hooks of pcs. Forces change velocities at the start of
 * a frame (semi-implicit Euler); at a contact all bodies that touch each other, from the two on,
 * are solved together (dynamics.h). Where they are and when they touch is pcs's alone.
 *
 * pcs moves bodies with constant velocities, and takes a pair that was resolved as resting until it
 * has come apart. So within the rest of the frame nothing keeps a body from tipping into another
 * one that it rests on. Here a point of it may come nearer only by its gap until the frame ends;
 * where it stops, the next frame begins with a contact. */

typedef struct dynamics dynamics;

/* epsilon, step: as in pcs_def. The world must outlive it. Errors: MEMORY, ARGUMENT (no ODE). */
int dynamics_open(mem *m, const world *w, double step, double epsilon, dynamics **out);
void dynamics_close(dynamics *d);

/* Whose hooks these are: before its first frame. */
void dynamics_of(dynamics *d, pcs *p);

/* What the next frame depends on: pairs that touched in the last one (dynamics.h), and how many
 * frames have begun. Errors: MEMORY. */
size_t dynamics_save(const dynamics *d, touching_saved *out);
int dynamics_restore(dynamics *d, uint64_t frames, const touching_saved *saved, size_t count);

/* pcs_hooks.forces and .resolve, for with = the dynamics. */
int dynamics_forces(void *with, pcs_body *bodies, uint32_t count, double seconds);
int dynamics_resolve(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                     uint8_t *changed);

/* ---- The bodies that a contact reaches through others that touch, and where they touch. */

/* A place where two bodies are, or may come, in contact until the frame ends. */
typedef struct island_point {
    uint32_t a, b; /* bodies of the scene */
    v3 at, normal;
    double speed;     /* of b - a along the normal before anything is solved */
    double least;     /* what it may be until the frame ends: island_least */
    double gap, of_b; /* as in manifold_point */
    int near;         /* within 2 epsilon */
    int again;        /* island.again, when it was added */
    size_t contact;   /* its number among those that are solved, plus 1; 0: none */
} island_point;

/* All zero at first, except the first part. */
typedef struct island {
    mem *mem;
    const world *w;
    pcs *pcs;             /* knows where bodies are now */
    const pcs_body *body; /* [w->bodies] those of pairs are where they are now */
    double step, epsilon;
    double rest; /* seconds until the frame ends */
    int again;   /* the next pair has been in contact often in this frame */

    uint32_t *member_index; /* [w->bodies] place in `member`, or IMPULSE_FIXED */
    uint32_t *member;       /* [members] bodies that can move */
    uint32_t members;
    island_point *point;
    size_t points, points_capacity;
    manifold manifold;
    patch patch;
} island;

int island_open(island *s);
void island_close(island *s);

/* Empties it: the scene's bodies are now as in `body`, `rest` seconds before the frame ends. */
void island_clear(island *s, const pcs_body *body, double rest);

/* The points of two bodies. `nearest`: the middle of their closest points, their distance and a
 * normal that may have an error, which is a point too unless the others are as near. Errors:
 * MEMORY, CANCELLED. */
int island_pair(island *s, uint32_t a, uint32_t b, const manifold_point *nearest);

/* All bodies that touch those of pair number `first`, whose points are there, or each other, and
 * their points. Errors: MEMORY, CANCELLED. */
int island_spread(island *s, touching *t, uint32_t first);

/* manifold_point.of_b of closest points. */
static inline double island_owner(const shape_nearest *near)
{
    const int a = near->kind[0] == SHAPE_FACE, b = near->kind[1] == SHAPE_FACE;
    return a == b ? 0.5 : b;
}

/* How fast the bodies may come nearer at a point, with the velocities that they have now: so that
 * most of epsilon is left of its gap when the frame ends, or, of a point that is near, a whole
 * frame from now. What overlaps comes apart slowly. */
double island_least(const island *s, const island_point *p);

/* The velocity of b - a at a point, along its normal. */
double island_speed(const pcs_body *a, const pcs_body *b, const island_point *p);

#endif
