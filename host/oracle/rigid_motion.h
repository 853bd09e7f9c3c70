/* How rigid bodies move within a frame of a simulation, from what its batch says of it: poses and
 * velocities at the beginning, forces, and how velocities change. By sines in long double. */
#ifndef IMP_RIGID_MOTION_H
#define IMP_RIGID_MOTION_H

#include "matter.h"
#include "rigid_gap.h"
#include "velocity_change.h"

/* From `time` on, until the next one. */
typedef struct rigid_interval {
    double time; /* seconds since the frame began */
    real centre[3], rotation[4];
    double velocity[3], spin[3];
} rigid_interval;

/* The intervals first[b] to first[b + 1] - 1 are those of body b, by time. */
typedef struct rigid_motion {
    mem *mem;
    double step;
    uint32_t bodies;
    size_t *first;
    rigid_interval *interval;
    double *point_error; /* [bodies] what rounding may do to a place in the frame, generously */
    double (*box)[6];    /* [bodies] around all that it sweeps */
} rigid_motion;

/* What a frame is made of. */
typedef struct rigid_frame {
    const rigid_shapes *shapes;
    const matter *matter;
    uint64_t number;
    double step;
    const imp_pose *from, *to; /* at its ends */
    const velocity_change *change;
    size_t changes;
} rigid_frame;

/* Errors: MEMORY; DIFFERS, with a text: changes that are not in order, of a body that is fixed, or
 * that do not lead to the poses and velocities at the end. object: [bodies] their names. */
int rigid_motion_make(mem *m, const rigid_frame *f, const int32_t *object, rigid_motion *out);
void rigid_motion_free(rigid_motion *r); /* a zeroed one, too */

/* Where body b is, by the interval that `time` is in. */
rigid_pose rigid_motion_pose(const rigid_motion *r, uint32_t b, double time);

/* The interval of body b at `time`: the last that begins then or before. */
const rigid_interval *rigid_motion_interval(const rigid_motion *r, uint32_t b, double time);

#endif
