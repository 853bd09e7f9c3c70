/* The motion of a body between two changes of its velocity: poses, lower bounds of the time to
 * contact, and an order along a curve. */
#ifndef IMP_PCS_MOTION_H
#define IMP_PCS_MOTION_H

#include "bodies.h"
#include "shape.h"

#include <stdint.h>

/* ---- The pose of a body at any time while its centre moves with constant velocity and it rotates
 * with constant angular velocity, by any number of turns. Uses only + - * / and sqrt of float64, so
 * the bits are the same on every system. */

typedef struct spin_motion {
    double centre[3], rotation[4]; /* at `time`; w x y z, of length 1 within POSE_UNIT */
    double velocity[3], spin[3];   /* per second; the spin is about an axis of the frame, in
                                    * radians */
    double time;                   /* seconds */
} spin_motion;

/* Greater rotation angles between two times have no proven error bound. */
#define SPIN_MOST 0x1p30

/* The rotation after `seconds`, of length 1 within 2^-51. */
void spin_turn(const double rotation[4], const double spin[3], double seconds, double out[4]);

void spin_pose(const spin_motion *m, double time, double centre[3], double rotation[4]);
pose_map spin_map(const spin_motion *m, double time);

/* Upper limit of the rotation angle, in radians, in that time. */
double spin_angle(const spin_motion *m, double seconds);

/* Upper limit of the distance between a point's position by spin_map and by the exact motion, for
 * points at most `far` from the origin of the body's coordinates. For angles up to SPIN_MOST. */
double spin_error(const spin_motion *m, double seconds, double far);

/* ---- A body between two changes of its velocity, as used by all parts of pcs. */

#define HULL_MOST 32 /* vertices; of bodies with more, the corners of their box are tracked */

typedef struct pcs_motion {
    spin_motion at;
    const shape *shape;
    int convex;
    double radius;        /* greatest distance of a vertex from the centre, rounded up */
    double turning;       /* upper limit of the speed of any point about the centre: radius *
                           * |spin| */
    const double *points; /* [3 * vertices] the shape's */
    uint32_t vertices;
    const double *hull; /* [3 * hulls] points whose convex hull contains the body */
    uint32_t hulls;
    double corner[24]; /* storage for the hull's points if they are corners of a box */
} pcs_motion;

/* Sets the members derived from the shape. The hull may point into *m, which then must not move. */
void pcs_motion_shape(pcs_motion *m, const shape *s);

/* Updates `turning` after a change of the spin. */
static inline void pcs_motion_speed(pcs_motion *m)
{
    m->turning = m->radius * pose_length(m->at.spin) * (1 + 0x1p-49);
}

/* A box around the volume swept by the body from `from` to `to` (seconds, not before m->at.time),
 * inflated by `margin` on each side: low x y z, high. Rounded outward. */
void pcs_box(const pcs_motion *m, double from, double to, double margin, double out[6]);

/* Without branches, which would be unpredictable. */
static inline int pcs_boxes_overlap(const double a[6], const double b[6])
{
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) &
           (b[2] <= a[5]);
}

/* ---- Lower bounds of the time at which two bodies may be within a distance, while velocities are
 * constant. */

/* The known separation of two bodies at one time. */
typedef struct pcs_gap {
    double distance, error; /* error: upper limit of |distance - the true one| */
    double unit[3]; /* from a to b. For convex bodies: all of b is at least distance - error beyond
                     * all of a along it. 0 0 0: unknown */
} pcs_gap;

/* The separation by the closest points of two bodies. moved: upper limit of the distance of their
 * points from the exact motions. */
pcs_gap pcs_gap_of(const shape_nearest *near, double moved);

static inline int pcs_gap_is_directed(const pcs_gap *g)
{
    return g->unit[0] != 0 || g->unit[1] != 0 || g->unit[2] != 0;
}

/* Seconds, rounded down, before which the distance of a and b does not fall to `keep`:
 *     (distance - keep) / ((va - vb) unit + ra |wa| + rb |wb|)       both convex
 *     (distance - keep) / (|va - vb| + ra |wa| + rb |wb|)            otherwise
 * for the least distance that they may have. 0: it may have been reached. INFINITY: they do not
 * approach. */
double pcs_time_least(const pcs_gap *g, double keep, const pcs_motion *a, const pcs_motion *b);

/* A longer lower bound of the same kind, if one is found between `least`, which must be such a
 * bound above 0, and `most`; INFINITY: not before `most`. Uses the planes orthogonal to the
 * direction u, a unit vector from a to b, fixed or rotating with a body, and the trajectories of
 * all points: see pcs_reach.c. error: upper limit of the distance of points from the exact motions.
 * now: in the time of the motions. */
double pcs_time_longer(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                       double error, double keep, double least, double most);

/* Upper limit of the speed at which their distance can change. */
double pcs_speed_most(const pcs_motion *a, const pcs_motion *b);

/* ---- An order of boxes in which neighbours in space are near each other, so that the parts of a
 * table that they access are still in the cache. No result depends on it. */

typedef struct pcs_curve_entry {
    uint64_t key;
    uint32_t box;
} pcs_curve_entry;

#define PCS_CURVE_MOST 10 /* greatest number of bits per coordinate */

/* Bits per coordinate that distinguish that many boxes, if they fill a cube. */
int pcs_curve_bits(uint32_t boxes);

/* The key of a tile along a Z curve (Morton), 3 * bits long, from the lower bits of its numbers:
 * the curve repeats every 2^bits tiles. */
uint64_t pcs_curve_key(const int64_t tile[3], int bits);

/* Sorts spots by keys of that many bits, stably. Half of spot[2 * count] is scratch; returns the
 * half with the result. */
const pcs_curve_entry *pcs_curve_sort(pcs_curve_entry *spot, uint32_t count, int bits);

#endif
