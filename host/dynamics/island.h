/* The bodies that a contact reaches through others that touch, and where they touch. */
#ifndef IMP_ISLAND_H
#define IMP_ISLAND_H

#include "impulses.h"
#include "patch.h"
#include "touching.h"
#include "world.h"

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
