/* Directions of a body in the frame, and back. */
#ifndef IMP_POSE_TURN_H
#define IMP_POSE_TURN_H

#include "pose.h"
#include "vec.h"

static inline v3 pose_turn(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[0][1] * x.y + m->r[0][2] * x.z,
                   m->r[1][0] * x.x + m->r[1][1] * x.y + m->r[1][2] * x.z,
                   m->r[2][0] * x.x + m->r[2][1] * x.y + m->r[2][2] * x.z);
}

/* By the transposed matrix: into the coordinates of the body. */
static inline v3 pose_turn_back(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[1][0] * x.y + m->r[2][0] * x.z,
                   m->r[0][1] * x.x + m->r[1][1] * x.y + m->r[2][1] * x.z,
                   m->r[0][2] * x.x + m->r[1][2] * x.y + m->r[2][2] * x.z);
}

#endif
