/* Bodies that turn between two instants of a block's frames: which they are, their ways, and by how
 * much bounds of straight ways grow so that they contain curved ones.
 *
 * A vertex of such a body is where the way of its pose (way.h) has it. The caller's points may
 * differ from that by rounding; how much they do at both instants is measured, and allowed for at
 * all instants between. */
#ifndef IMP_TURNING_H
#define IMP_TURNING_H

#include "bodies.h"
#include "context.h"
#include "units.h"
#include "way.h"

typedef struct turning {
    const imp_frame *from, *to; /* [frames] of one mesh */
    uint32_t frames, bodies;
    uint32_t *body;    /* [primitives] the number of its body if that turns, else NO_BODY */
    body_way *way;     /* [frames * bodies] of those: without the centre */
    double *radius;    /* [bodies] of those that turn, in units of the input */
    double *tolerance; /* [frames] half of it, in units of the input: the whole may overflow */
    uint64_t *list;    /* the options' list of pairs of objects, changed: */
    uint32_t listed;
    uint32_t rules;
} turning;

/* How many of these steps, at least one, have the same bodies that turn, as those of one block
 * must. frame: [steps + 1]. */
size_t turning_steps(const imp_frame *frame, size_t steps);

/* The turns of `frames` steps in a row; *out is all zero if no body turns. Errors: MEMORY;
 * ARGUMENT for a tolerance that rounding does not allow, INPUT for a turn that is too long for it.
 */
int turning_open(const context *c, const imp_frame *frame, size_t frames, turning *out);
void turning_close(mem *m, turning *t);

static inline int turning_any(const turning *t)
{
    return t->bodies > 0;
}

/* Intervals of a pair that are looked at, at most; and after how many an instant at which they are
 * as near as half of the tolerance is enough: so parts that are assembled with less than that
 * between them take few, though each interval could be proven to be free. */
#define TURNING_LOOKS ((uint32_t)1 << 21)
#define TURNING_LOOKS_FINE 1024

/* Whether primitives a and b of a frame meet takes too many looks: INPUT. */
int turning_fail_looks(const turning *t, uint32_t f, uint32_t a, uint32_t b);

/* The options of the broad phase of steps, in which these bodies turn; t: NULL or all zero, none
 * does. Volumes of trees are k-DOPs: only these are made of bounds over both instants, all others
 * of points at one. No primitive of a body that turns has another one of it as its partner: nothing
 * moves between them. */
context step_context(const turning *t, const context *c);

/* A primitive, in units of a frame, between two instants. */
typedef struct turning_prim {
    int corners; /* 3 or 4 */
    uint32_t vertex[4];
    int turns;
    double at[2][4][3]; /* its vertices: at both instants, or of one that turns only [0], in the
                           coordinates of its body */
    double radius;      /* 0, or of the farthest of them from the origin of these */
    double slack;       /* how far points may be from their way */
    body_way way;
} turning_prim;

/* Primitive i of frame f. */
turning_prim turning_prim_of(const turning *t, const units *u, uint32_t f, uint32_t i);

/* The tolerance of a frame, in its unit. */
double turning_tolerance(const turning *t, const units *u, uint32_t f);

/* By how much bounds over the straight ways of all primitives of all frames are to grow, in units
 * of their frames: 0 for those that do not turn, or have a vertex that is not finite; and no more
 * than BOUND_GROW_MOST. */
void turning_margins(const turning *t, const units *u, int threads, double *margin);

#endif
