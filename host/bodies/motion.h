/* How a body moves between two instants: its centre linearly, and it turns with constant angular
 * velocity about one axis, as imp_pose says. Its rotation at any fraction of the step is computed
 * by itself, so that its error depends neither on the fraction nor on the number of turns. Only + -
 * * / and sqrt of float64, so the bits are the same on every system. */
#ifndef IMP_MOTION_H
#define IMP_MOTION_H

#include "impinge.h"

#include <math.h>

/* A point p of the body's coordinates is at turn(t) p + centre(t). */
typedef struct body_motion {
    double centre[2][3]; /* at the first and at the second instant */
    double rotation[4];  /* the rotation at the first instant: w x y z, of length 1 within
                        POSE_UNIT */
    double axis[3];      /* unit axis of the turn */
    double fraction;     /* fraction of a turn about it, -1/2 to 1/2 */
    int64_t whole_turns; /* whole turns besides */
    double residual[3];  /* vector part of a further small rotation 1 + left, below 2^-23
                        radians */
    double angle;        /* at least the angle of all of it, in radians. Infinite: there are
                            too many turns to be counted, and the body may be anywhere in
                            the ball about its centre */
    int half_turn;       /* half a turn, which may go either way round */
} body_motion;

/* The way of what does not move, in the coordinates of the frame. */
body_motion motion_static(void);

/* Sets the turn, all but the centre. seconds: from the first to the second instant, in the unit of
 * the angular velocity of `from`; 0: not known. */
void motion_set_rotation(body_motion *w, const imp_pose *from, const imp_pose *to, double seconds);

/* Does a body turn, with that time between the two poses? Not if the rotation is the same in both
 * and the angular velocity says nothing of whole turns. */
int motion_rotates(const imp_pose *from, const imp_pose *to, double seconds);

/* The other way round, if that is as short; and back again. */
void motion_reverse(body_motion *w);

/* The centre at the fraction t of the step. */
static inline void motion_centre(const body_motion *w, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w->centre[0][k] + t * (w->centre[1][k] - w->centre[0][k]);
}

/* A fraction has at most so many binary digits: then its whole turns are counted exactly. */
#define MOTION_DIGITS 52

/* The rotation at the fraction t of the step, of length 1 within POSE_UNIT. */
void motion_rotation(const body_motion *w, double t, double out[4]);

/* After this angle about its axis, in turns, instead of at t. What is `left` has the part t.
 */
void motion_rotation_after(const body_motion *w, double turns, double t, double out[4]);

/* At least the angle of the turn in a part of the way of this length. */
static inline double motion_angle(const body_motion *w, double length)
{
    return length * w->angle;
}

/* How far a turn by this angle is from the straight way between its ends, in distances from the
 * origin. The second derivative along the way is at most the square of the angle, so that is at
 * most an eighth of it; and both are in the same ball. */
static inline double motion_chord_error(double angle)
{
    const double chord_error = angle * angle / 8;
    return chord_error < 2 ? chord_error : 2;
}

/* Where no tolerance is given: this part of the largest extent of both frames. */
#define MOTION_TOLERANCE 1e-6

/* Rounding moves a point of a body at any instant by less than this part of its distance from the
 * origin, and of the centre's coordinates. In units of 2^-53 the angle is off by 10, sine and
 * cosine by 3, the axis by 6, a product of quaternions by 8, of which there are two with `left`;
 * twice that is how far a point moves; the matrix (bodies.h) adds 8, and its product with the
 * point 8. */
#define MOTION_ROUNDED 0x1p-46

/* The bodies of a whole step that turn; all zero: none does. */
typedef struct imp_turns {
    double radius; /* the distance of the farthest vertex from the origin of its body */
    double arc;    /* the longest way of a vertex around that, in an infinite turn infinite */
    double angle;  /* by which the body of that vertex turns, in radians */
    int32_t body;  /* and its object */
} imp_turns;

/* A frame, or a step between two, whose parts are computed one by one. */
typedef struct imp_whole {
    double box[2][3]; /* lower and upper corner of its finite primitives, of a step at both instants
                         together */
    double half;      /* of a step half of the largest extent of either frame, by its own finite
                         primitives */
    imp_turns turns;  /* of a step */
} imp_whole;

/* Joins a body to those that turn in a step. */
void motion_join(imp_turns *t, const body_motion *w, double radius, int32_t object);

/* The least tolerance that can be kept for bodies that turn: so that rounding is a small part of it
 * (for points of which the largest extent of both frames and the bodies are the sizes), and so that
 * the digits of a fraction are enough for an instant at which it holds (for the longest arc). */
static inline double motion_least_rounding(double extent, double radius)
{
    return 0x1p-40 * (extent + radius);
}

static inline double motion_least_arc(double arc)
{
    return 0x1p-48 * arc;
}

/* By how much bounds over the straight way of a primitive that turns have to grow, so that they
 * overlap those of all that comes as near as the tolerance. chord_error: of its way, as a length;
 * point_error: how far its points may be from their way. Rounding is a small part of the tolerance.
 */
static inline double motion_margin(double chord_error, double point_error, double tolerance)
{
    return chord_error + 2 * point_error + 1.25 * tolerance;
}

#endif
