/* The pose of a body at any instant, while its centre moves with constant velocity and it turns
 * with constant angular velocity, by any number of turns. Only + - * / and sqrt of float64, so the
 * bits are the same on every system. */
#ifndef IMP_SPIN_H
#define IMP_SPIN_H

#include "pose.h"

typedef struct spin_motion {
    double centre[3], rotation[4]; /* at `time`; w x y z, of length 1 within POSE_UNIT */
    double velocity[3], spin[3];   /* a second; the spin about an axis of the frame, in radians */
    double time;                   /* seconds */
} spin_motion;

/* Angles of more than this between two instants have no proven bound. */
#define SPIN_MOST 0x1p30

/* The rotation after `seconds`, of length 1 within 2^-51. */
void spin_turn(const double rotation[4], const double spin[3], double seconds, double out[4]);

void spin_pose(const spin_motion *m, double time, double centre[3], double rotation[4]);
pose_map spin_map(const spin_motion *m, double time);

/* At least the angle, in radians, by which it turns in so long a time. */
double spin_angle(const spin_motion *m, double seconds);

/* At least how far spin_map puts a point, at most `far` from the origin of the body's coordinates,
 * from where the motion takes it. For angles of up to SPIN_MOST. */
double spin_error(const spin_motion *m, double seconds, double far);

#endif
