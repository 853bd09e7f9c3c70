/* The motion of a body over a step: its centre moves linearly, and it rotates with constant angular
 * velocity about one axis, as described for imp_pose. The rotation at any fraction of the step is
 * computed directly, so that its error depends neither on the fraction nor on the number of turns.
 * Uses only + - * / and sqrt of float64, so the bits are the same on every system. */
#ifndef IMP_MOTION_H
#define IMP_MOTION_H

#include "impinge.h"

#include <math.h>

/* A point p of the body's coordinates is at turn(t) p + centre(t). */
typedef struct body_motion {
    double centre[2][3]; /* at the start and at the end of the step */
    double rotation[4];  /* rotation at the start: w x y z, of length 1 within POSE_UNIT */
    double axis[3];      /* unit rotation axis */
    double fraction;     /* fraction of a turn about it, -1/2 to 1/2 */
    int64_t whole_turns; /* whole turns in addition */
    double residual[3];  /* vector part of a further small rotation 1 + residual, below 2^-23
                          * radians */
    double angle;        /* upper limit of the total rotation angle in radians. Infinite: there are
                          * too many turns to count, and the body may be anywhere in the ball about
                          * its centre */
    int half_turn;       /* half a turn, whose direction is ambiguous */
} body_motion;

/* The motion of a body at rest, in the coordinates of the frame. */
body_motion motion_static(void);

/* Sets everything except the centre. seconds: length of the step, in the time unit of the angular
 * velocity of `from`; 0: unknown. */
void motion_set_rotation(body_motion *w, const imp_pose *from, const imp_pose *to, double seconds);

/* Returns whether a body rotates in that time between the two poses. It does not if the rotation is
 * the same in both and the angular velocity implies no whole turns. */
int motion_rotates(const imp_pose *from, const imp_pose *to, double seconds);

/* Reverses the direction of rotation if the reverse is equally short; a second call restores it. */
void motion_reverse(body_motion *w);

/* The centre at the fraction t of the step. */
static inline void motion_centre(const body_motion *w, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w->centre[0][k] + t * (w->centre[1][k] - w->centre[0][k]);
}

/* With at most this many binary digits in a fraction, its whole turns are counted exactly. */
#define MOTION_DIGITS 52

/* The rotation at the fraction t of the step, of length 1 within POSE_UNIT. */
void motion_rotation(const body_motion *w, double t, double out[4]);

/* The rotation after this angle about its axis, in turns, instead of at t. `residual` is applied to
 * the fraction t. */
void motion_rotation_after(const body_motion *w, double turns, double t, double out[4]);

/* Upper limit of the rotation angle in a fraction of the step of this length. */
static inline double motion_angle(const body_motion *w, double length)
{
    return length * w->angle;
}

/* Greatest distance between a rotation by this angle and the linear motion between its ends,
 * relative to the distance from the origin. The second derivative over the step is at most the
 * square of the angle, so the distance is at most an eighth of it; and both are in the same
 * ball. */
static inline double motion_chord_error(double angle)
{
    const double chord_error = angle * angle / 8;
    return chord_error < 2 ? chord_error : 2;
}

/* Default tolerance: this fraction of the largest extent of both frames. */
#define MOTION_TOLERANCE 1e-6

/* Rounding moves a point of a body at any time by less than this fraction of its distance from the
 * origin, and of the centre's coordinates. In units of 2^-53, the angle is off by 10, sine and
 * cosine by 3, the axis by 6, a product of quaternions by 8, of which there are two with
 * `residual`; a point moves by twice that; the matrix (bodies.h) adds 8, and its product with the
 * point 8. */
#define MOTION_ROUNDED 0x1p-46

/* The rotating bodies of a whole step; all zero: none. */
typedef struct imp_turns {
    double radius; /* greatest distance of a vertex from the origin of its body */
    double arc;    /* longest trajectory of a vertex around the origin; infinite for an infinite
                    * angle */
    double angle;  /* rotation angle of that vertex's body, in radians */
    int32_t body;  /* its object */
} imp_turns;

/* A frame, or a step between two, whose parts are computed one by one. */
typedef struct imp_whole {
    double box[2][3]; /* lower and upper corner of its finite primitives, for a step at both ends
                       * together */
    double half;      /* for a step: half of the largest extent of either frame, by its own finite
                       * primitives */
    imp_turns turns;  /* for a step */
    /* [vertices of a part] PART_ bits; NULL: rows are of primitives, not of features */
    const uint8_t *vertex_at;
    /* The next two are for parts that consist of whole objects, and NULL otherwise.
     * [primitives of a part] 1: of an object of a later part, so that its pairs with other such
     * objects belong to another part */
    const uint8_t *carried;
    const uint32_t *vertex; /* [vertices of a part] their numbers in the frame */
    int counts;             /* pairs of objects are counted, but not related */
} imp_whole;

/* Axes along which the lower bound of a vertex is before the part, or after it. Pairs of features
 * belong to the part that contains the greater of both lower bounds along each axis. */
#define PART_BEFORE(axis) (1u << (axis))
#define PART_AFTER(axis) (4u << (axis))
#define PART_BEFORE_ANY (PART_BEFORE(0) | PART_BEFORE(1))
#define PART_AFTER_ANY (PART_AFTER(0) | PART_AFTER(1))

/* Joins a body to the rotating bodies of a step. */
void motion_join(imp_turns *t, const body_motion *w, double radius, int32_t object);

/* The least tolerance that can be met for rotating bodies: rounding must be a small part of it
 * (relative to the largest extent of both frames and the bodies), and a fraction must have enough
 * digits for a time at which it holds (for the longest arc). */
static inline double motion_least_rounding(double extent, double radius)
{
    return 0x1p-40 * (extent + radius);
}

static inline double motion_least_arc(double arc)
{
    return 0x1p-48 * arc;
}

/* Inflation of the linear swept bounds of a rotating primitive, so that they overlap those of
 * everything that approaches within the tolerance. chord_error: of its trajectory, as a length;
 * point_error: greatest distance of its points from their trajectory. Rounding is a small part of
 * the tolerance. */
static inline double motion_margin(double chord_error, double point_error, double tolerance)
{
    return chord_error + 2 * point_error + 1.25 * tolerance;
}

#endif
