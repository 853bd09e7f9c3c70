/* Bodies that turn between two instants of a block's frames: which they are, their ways, and by how
 * much bounds of straight ways grow so that they contain curved ones.
 *
 * A vertex of such a body is where the way of its pose (motion.h) has it. The caller's points may
 * differ from that by rounding; how much they do at both instants is measured, and allowed for at
 * all instants between. */
#ifndef IMP_RIGID_CCD_H
#define IMP_RIGID_CCD_H

#include "bodies.h"
#include "block_view.h"
#include "bounds.h"
#include "motion.h"

typedef struct rigid_ccd {
    const imp_frame *from, *to; /* [frames] of one mesh */
    uint32_t frames, bodies;
    uint32_t *body;      /* [primitives] the number of its body if that turns, else NO_BODY */
    body_motion *motion; /* [frames * bodies] of those: without the centre */
    double *radius;      /* [bodies] of those that turn, in units of the input */
    double *tolerance;   /* [frames] half of it, in units of the input: the whole may overflow */
    uint64_t *list;      /* the options' list of pairs of objects, changed: */
    uint32_t listed;
    uint32_t rules;
} rigid_ccd;

/* How many of these steps, at least one, have the same bodies that turn, as those of one block
 * must. frame: [steps + 1]. */
size_t rigid_ccd_steps(const imp_frame *frame, size_t steps);

/* The turns of `frames` steps in a row; *out is all zero if no body turns. Errors: MEMORY;
 * ARGUMENT for a tolerance that rounding does not allow, INPUT for a turn that is too long for it.
 */
int rigid_ccd_open(const context *c, const imp_frame *frame, size_t frames, rigid_ccd *out);
void rigid_ccd_close(mem *m, rigid_ccd *t);

static inline int rigid_ccd_any(const rigid_ccd *t)
{
    return t->bodies > 0;
}

/* Intervals of a pair that are looked at, at most; and after how many an instant at which they are
 * as near as half of the tolerance is enough: so parts that are assembled with less than that
 * between them take few, though each interval could be proven to be free. */
#define RIGID_INTERVALS_MOST ((uint32_t)1 << 21)
#define RIGID_INTERVALS_FINE 1024

/* Whether primitives a and b of a frame meet takes too many intervals: INPUT. */
int rigid_ccd_fail_tests(const rigid_ccd *t, uint32_t f, uint32_t a, uint32_t b);

/* The options of the broad phase of steps, in which these bodies turn; t: NULL or all zero, none
 * does. Volumes of trees are k-DOPs: only these are made of bounds over both instants, all others
 * of points at one. No primitive of a body that turns has another one of it as its partner: nothing
 * moves between them. */
context step_context(const rigid_ccd *t, const context *c);

/* A primitive, in units of a frame, between two instants. */
typedef struct rigid_prim {
    int corners; /* 3 or 4 */
    uint32_t vertex[4];
    int rotates;
    double at[2][4][3]; /* its vertices: at both instants, or of one that turns only [0], in the
                           coordinates of its body */
    double radius;      /* 0, or of the farthest of them from the origin of these */
    double point_error; /* how far points may be from their way */
    body_motion motion;
} rigid_prim;

/* Primitive i of frame f. */
rigid_prim rigid_prim_of(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t i);

/* The tolerance of a frame, in its unit. */
double rigid_ccd_tolerance(const rigid_ccd *t, const normalisation *u, uint32_t f);

/* By how much bounds over the straight ways of all primitives of all frames are to grow, in units
 * of their frames: 0 for those that do not turn, or have a vertex that is not finite; and no more
 * than BOUND_GROW_MOST. */
void rigid_ccd_margins(const rigid_ccd *t, const normalisation *u, int threads, double *margin);

#endif
