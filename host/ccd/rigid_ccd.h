/* Bodies that rotate between two instants of a block's frames: which they are, their motions, and
 * by how much linear swept bounds are inflated to contain the curved trajectories.
 *
 * A vertex of such a body follows the motion of the body's pose (motion.h). The caller's points may
 * differ from that by rounding; the difference at both instants is measured, and allowed for at all
 * times between. */
#ifndef IMP_RIGID_CCD_H
#define IMP_RIGID_CCD_H

#include "bodies.h"
#include "block_view.h"
#include "bounds.h"
#include "motion.h"

typedef struct rigid_ccd {
    const imp_frame *from, *to; /* [frames] both ends of the steps; all have one mesh */
    uint32_t frames, bodies;
    uint32_t *body;      /* [primitives] number of its body if that rotates, else NO_BODY */
    body_motion *motion; /* [frames * bodies] motions of these, without the centre */
    double *radius;      /* [bodies] radii of rotating bodies, in units of the input */
    double *tolerance;   /* [frames] half of it, in units of the input: all of it may overflow */
    uint64_t *list;      /* [listed] the options' list of object pairs, changed by list_pairs */
    uint32_t listed;
    uint32_t rules;
} rigid_ccd;

/* The number of leading steps, at least one, with the same rotating bodies, as a block must have.
 * frame: [steps + 1]. */
size_t rigid_ccd_steps(const imp_frame *frame, size_t steps);

/* Finds the rotations of `frames` consecutive steps; *out is all zero if no body rotates. Errors:
 * MEMORY; ARGUMENT for a tolerance that rounding does not allow; INPUT for a rotation that is too
 * long for the tolerance. */
int rigid_ccd_open(const context *c, const imp_frame *frame, size_t frames, rigid_ccd *out);
void rigid_ccd_close(mem *m, rigid_ccd *t);

static inline int rigid_ccd_any(const rigid_ccd *t)
{
    return t->bodies > 0;
}

/* The maximum number of intervals tested for a pair; and the number after which an instant with a
 * distance within half of the tolerance counts as the contact. The latter limits the work for
 * assembled parts with less clearance than that, although each interval could be proven free. */
#define RIGID_INTERVALS_MOST ((uint32_t)1 << 21)
#define RIGID_INTERVALS_FINE 1024

/* Fails with IMP_ERR_INPUT: primitives a and b of a frame need too many intervals. */
int rigid_ccd_fail_tests(const rigid_ccd *t, uint32_t f, uint32_t a, uint32_t b);

/* The broad phase's options for steps in which these bodies rotate; t: NULL or all zero if none
 * does. Trees use k-DOPs: only these are built from bounds over both instants, all other volumes
 * from points at one. Two primitives of one rotating body are no candidates: nothing moves between
 * them. */
context step_context(const rigid_ccd *t, const context *c);

/* A primitive's motion between two instants, in units of a frame. */
typedef struct rigid_prim {
    int corners; /* 3 or 4 */
    uint32_t vertex[4];
    int rotates;
    double at[2][4][3]; /* its vertices at both instants; if it rotates, only [0], in the body's
                           coordinates */
    double radius; /* 0, or if it rotates the largest distance of a vertex from the body's origin */
    double point_error; /* largest distance of a point from its posed position */
    body_motion motion;
} rigid_prim;

/* Primitive i of frame f. */
rigid_prim rigid_prim_of(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t i);

/* The tolerance of a frame, in its unit. */
double rigid_ccd_tolerance(const rigid_ccd *t, const normalisation *u, uint32_t f);

/* Inflation of the linear swept bounds of each primitive of all frames, in units of their frames: 0
 * for primitives that do not rotate or have a vertex that is not finite; at most
 * BOUND_GROW_MOST. */
void rigid_ccd_margins(const rigid_ccd *t, const normalisation *u, int threads, double *margin);

#endif
