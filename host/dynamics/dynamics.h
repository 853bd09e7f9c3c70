/* The response of touching bodies at one time: their velocities after it, such that no body
 * penetrates another, with the given friction and bounce. All contacts of the bodies are solved
 * together, as a linear complementarity problem, by ODE (dWorldStep). Only the velocities of its
 * step are used, so positions and collisions of ODE play no role. */
#ifndef IMP_DYNAMICS_H
#define IMP_DYNAMICS_H

#include "mem.h"
#include "patch.h"
#include "shape.h"
#include "vec.h"
#include "world.h"

#include <stdint.h>

/* A movable body. */
typedef struct impulse_body {
    double mass;
    double inertia[6]; /* in its own coordinates: xx, yy, zz, xy, xz, yz */
    v3 centre;
    double rotation[4];
    v3 velocity, spin; /* input and output */
} impulse_body;

#define IMPULSE_FIXED UINT32_MAX

typedef struct impulse_contact {
    uint32_t a, b; /* bodies, or IMPULSE_FIXED; not both */
    v3 at, normal; /* normal from a to b */
    double least;  /* least velocity of b - a along the normal after the response; may be
                    * negative */
    double bounce; /* restitution: ratio of the velocities after and before, 0 to 1 */
    double friction;
} impulse_contact;

typedef struct impulses impulses;

/* Returns whether a solver library was built in. Without one, impulses_open fails. */
int impulses_are_built(void);

/* Errors: MEMORY; ARGUMENT if ODE was not built in, or uses float32. Only one instance may exist at
 * a time, used by one thread. */
int impulses_open(mem *m, impulses **out);
void impulses_close(impulses *s);

/* Gives the same bits for the same arguments on one machine. Errors: MEMORY; DIVERGED if ODE cannot
 * solve the problem or finds no finite velocities; later calls can succeed. */
int impulses_solve(impulses *s, impulse_body *body, uint32_t bodies, const impulse_contact *contact,
                   size_t contacts);

/* ---- Pairs of bodies that touched in this frame or the last one, through which a contact may
 * spread. */

#define TOUCHING_NONE UINT32_MAX

typedef struct touching_pair {
    uint32_t body[2];
    uint32_t next[2]; /* pair in the list of that body, or TOUCHING_NONE */
    int listed[2];    /* the body has a list */
    uint64_t frame;   /* the last frame in which they touched */
    uint64_t turn;    /* number of the last traversal that reached it */
    v3 normal;        /* from body[0] to body[1], the last one known */
    shape_pair cache; /* cache of shape_distance */
} touching_pair;

/* All zero at first, except mem. */
typedef struct touching {
    mem *mem;
    uint32_t *first; /* [bodies] first pair, or TOUCHING_NONE */
    touching_pair *pair;
    size_t count, capacity;
    uint64_t frame, turn;
} touching;

/* A pair of the last frame in saved form, for resuming a simulation. */
typedef struct touching_saved {
    uint32_t body[2];
    int32_t listed[2];
    shape_pair cache;
    double normal[3];
} touching_saved;

int touching_open(touching *t, uint32_t bodies);
void touching_close(touching *t);

/* Begins a frame: drops pairs that did not touch in the last one. */
void touching_begin(touching *t);

/* Adds a touching pair. `listed`: the bodies that have lists, from which the pair can be found; at
 * least one. *pair: its number until the next frame. Errors: MEMORY. */
int touching_add(touching *t, uint32_t a, uint32_t b, const int listed[2], v3 normal,
                 uint32_t *pair);

/* Writes the pairs of the last frame to out[], unless it is NULL; returns their number.
 * touching_restore replaces all pairs by them. Errors: MEMORY. */
size_t touching_save(const touching *t, touching_saved *out);
int touching_restore(touching *t, const touching_saved *saved, size_t count);

/* The next pair in the list of a body. */
static inline uint32_t touching_next(const touching *t, uint32_t pair, uint32_t body)
{
    return t->pair[pair].next[t->pair[pair].body[1] == body];
}

/* ---- The dynamics of a scene's bodies: the hooks of pcs. Forces change velocities at the start of
 * a frame (semi-implicit Euler); at a contact, all bodies that touch each other, starting from the
 * two, are solved together (dynamics.h). Positions and times of contact are computed only by pcs.
 *
 * pcs moves bodies with constant velocities, and treats a resolved pair as resting until it has
 * separated. So within the rest of the frame, nothing prevents a body from tipping into another one
 * on which it rests. Therefore a point of it may approach by at most its gap until the frame ends;
 * where it stops, the next frame begins with a contact. */

typedef struct dynamics dynamics;

/* epsilon, step: see pcs_def. The world must outlive it. Errors: MEMORY, ARGUMENT (no ODE). */
int dynamics_open(mem *m, const world *w, double step, double epsilon, dynamics **out);
void dynamics_close(dynamics *d);

/* Sets the pcs whose hooks these are; call it before its first frame. */
void dynamics_of(dynamics *d, pcs *p);

/* The state on which the next frame depends: pairs that touched in the last one (dynamics.h), and
 * the number of frames begun. Errors: MEMORY. */
size_t dynamics_save(const dynamics *d, touching_saved *out);
int dynamics_restore(dynamics *d, uint64_t frames, const touching_saved *saved, size_t count);

/* pcs_hooks.forces and .resolve, for with = the dynamics. */
int dynamics_forces(void *with, pcs_body *bodies, uint32_t count, double seconds);
int dynamics_resolve(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                     uint8_t *changed);

/* ---- The island of a contact: the bodies that it reaches through others that touch, and their
 * contact points. */

/* A point at which two bodies are in contact, or may be before the frame ends. */
typedef struct island_point {
    uint32_t a, b; /* bodies of the scene */
    v3 at, normal;
    double speed;     /* velocity of b - a along the normal before the solution */
    double least;     /* least allowed velocity until the frame ends: island_least */
    double gap, of_b; /* see manifold_point */
    int near;         /* within 2 epsilon */
    int again;        /* value of island.again when it was added */
    size_t contact;   /* its index among the solved contacts, plus 1; 0: not solved */
} island_point;

/* All zero at first, except the members before member_index. */
typedef struct island {
    mem *mem;
    const world *w;
    pcs *pcs;             /* gives present positions */
    const pcs_body *body; /* [w->bodies] bodies of pairs are at their present positions */
    double step, epsilon;
    double rest; /* seconds until the frame ends */
    int again;   /* the next pair has often been in contact in this frame */

    uint32_t *member_index; /* [w->bodies] index in `member`, or IMPULSE_FIXED */
    uint32_t *member;       /* [members] movable bodies */
    uint32_t members;
    island_point *point;
    size_t points, points_capacity;
    manifold manifold;
    patch patch;
} island;

int island_open(island *s);
void island_close(island *s);

/* Empties the island and sets the present state: bodies as in `body`, `rest` seconds before the
 * frame ends. */
void island_clear(island *s, const pcs_body *body, double rest);

/* Adds the points of two bodies. `nearest`: the midpoint of their closest points, their distance
 * and a normal that may have an error; it is added as a point unless the others are as near.
 * Errors: MEMORY, CANCELLED. */
int island_pair(island *s, uint32_t a, uint32_t b, const manifold_point *nearest);

/* Adds all bodies that touch those of pair `first`, whose points were added, or each other, and
 * their points. Errors: MEMORY, CANCELLED. */
int island_spread(island *s, touching *t, uint32_t first);

/* manifold_point.of_b for closest points. */
static inline double island_owner(const shape_nearest *near)
{
    const int a = near->kind[0] == SHAPE_FACE, b = near->kind[1] == SHAPE_FACE;
    return a == b ? 0.5 : b;
}

/* The least velocity at a point, that is, the greatest allowed approach speed, given the present
 * velocities: such that most of epsilon is left of its gap when the frame ends, or for a near point
 * a whole frame from now. Overlaps are separated slowly. */
double island_least(const island *s, const island_point *p);

/* The velocity of b - a at a point, along its normal. */
double island_speed(const pcs_body *a, const pcs_body *b, const island_point *p);

#endif
