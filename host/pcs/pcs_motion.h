/* The motion of a body between two changes of its velocity: poses, bounds of the time to contact,
 * and an order along a curve. */
#ifndef IMP_PCS_MOTION_H
#define IMP_PCS_MOTION_H

#include "bodies.h"
#include "shape.h"

#include <stdint.h>

/* ---- The pose of a body at any instant, while its centre moves with constant velocity and it
 * turns with constant angular velocity, by any number of turns. Only + - * / and sqrt of float64,
 * so the bits are the same on every system. */

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

/* ---- A body between two changes of its velocity, as the parts of pcs see it. */

#define HULL_MOST 32 /* vertices of which each is followed; of more the corners of their box */

typedef struct pcs_motion {
    spin_motion at;
    const shape *shape;
    int convex;
    double radius;        /* of the farthest vertex from the centre, rounded up */
    double turning;       /* at least the speed of any point about the centre: radius * |spin| */
    const double *points; /* [3 * vertices] of the shape */
    uint32_t vertices;
    const double *hull; /* [3 * hulls] points whose convex hull holds the body */
    uint32_t hulls;
    double corner[24]; /* the hull's points, where they are corners of a box */
} pcs_motion;

/* Sets what follows from the shape. The hull may point into *m, which then must stay where it is.
 */
void pcs_motion_shape(pcs_motion *m, const shape *s);

/* Sets `turning` after the spin. */
static inline void pcs_motion_speed(pcs_motion *m)
{
    m->turning = m->radius * pose_length(m->at.spin) * (1 + 0x1p-49);
}

/* A box around all that the body sweeps from `from` to `to` (seconds, not before m->at.time),
 * `margin` larger on each side: low x y z, high. Rounded outward. */
void pcs_box(const pcs_motion *m, double from, double to, double margin, double out[6]);

/* Without branches, which could not be foreseen. */
static inline int pcs_boxes_overlap(const double a[6], const double b[6])
{
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) &
           (b[2] <= a[5]);
}

/* ---- The earliest time at which two bodies can be as near as that: a lower bound, while
 * velocities stay as they are. */

/* What is known of two bodies at an instant. */
typedef struct pcs_gap {
    double distance, error; /* which is at least |distance - the true one| */
    double unit[3]; /* from a to b. Of convex bodies: all of b is at least distance - error beyond
                       all of a along it. 0 0 0: not known */
} pcs_gap;

/* From where two bodies are closest. moved: at least how far their points are from where the
 * motions take them. */
pcs_gap pcs_gap_of(const shape_nearest *near, double moved);

static inline int pcs_gap_is_directed(const pcs_gap *g)
{
    return g->unit[0] != 0 || g->unit[1] != 0 || g->unit[2] != 0;
}

/* Seconds, rounded down, before which the distance of a and b does not fall to `keep`:
 *     (distance - keep) / ((va - vb) unit + ra |wa| + rb |wb|)       both convex
 *     (distance - keep) / (|va - vb| + ra |wa| + rb |wb|)            otherwise
 * of the distance that they have at least. 0: it may be that already. INFINITY: they do not come
 * nearer. */
double pcs_time_least(const pcs_gap *g, double keep, const pcs_motion *a, const pcs_motion *b);

/* A longer time of the same meaning, if there is one between `least`, which is above 0 and of that
 * meaning, and `most`; INFINITY: it is not before `most`. By the planes across the direction u, of
 * length 1, from a to b, that stay as they are or turn with a body, and the trajectories of all
 * points: see pcs_reach.c. error: at least how far points are from where the motions take them.
 * now: in the time of the motions. */
double pcs_time_longer(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                       double error, double keep, double least, double most);

/* At least the speed at which their distance can change. */
double pcs_speed_most(const pcs_motion *a, const pcs_motion *b);

/* ---- An order of boxes in which neighbours in space are near each other: what they touch of a
 * table is then still in the cache. No result depends on it. */

typedef struct pcs_curve_entry {
    uint64_t key;
    uint32_t box;
} pcs_curve_entry;

#define PCS_CURVE_MOST 10 /* bits of each coordinate */

/* Bits of each coordinate that tell that many boxes apart, if they fill a cube. */
int pcs_curve_bits(uint32_t boxes);

/* The key of a tile along a Z curve (Morton), 3 * bits long, by the lower bits of its numbers: the
 * curve begins again after 2^bits tiles. */
uint64_t pcs_curve_key(const int64_t tile[3], int bits);

/* Sorts spots by keys of that many bits; equal ones keep their order. Half of spot[2 * count] is
 * used up; returns the half that has the result. */
const pcs_curve_entry *pcs_curve_sort(pcs_curve_entry *spot, uint32_t count, int bits);

#endif
