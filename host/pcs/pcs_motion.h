/* A body between two changes of its velocity, as the parts of pcs see it. */
#ifndef IMP_PCS_MOTION_H
#define IMP_PCS_MOTION_H

#include "shape.h"
#include "spin.h"

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

#endif
