/* Trajectory boxes: see pcs_motion.h.
 *
 * Two boxes hold the body, so their intersection does. One is that of the ball about the centre.
 * The other follows the points of the hull: the turn is parted into arcs, and between the ends of
 * an arc of the angle s a point is no farther than r s^2 / 8 from the straight way between them.
 * (Its acceleration is at most r w^2, and a function is that close to the chord of an interval of
 * length h: its second derivative times h^2 / 8. The centre moves straight.) So the box of all
 * ends, which is larger by that on each side, holds the trajectories of all points, and of their
 * convex hull. */
#include "pcs_motion.h"

#define ARC 0.25            /* radians at most: then the box is larger by r / 128 */
#define FOLLOWED 7.0        /* radians: what turns farther comes by everywhere */
#define BOX_ROUNDED 0x1p-40 /* part of all lengths: far above what poses and sums are rounded by   \
                             */

static double pcs_box_least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* The corners of the box of some points. */
static void pcs_box_corners(const double *p, uint32_t count, double out[24])
{
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++)
        lo[k] = hi[k] = p[k];
    for (size_t i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) {
            lo[k] = pcs_box_least(lo[k], p[3 * i + (size_t)k]);
            hi[k] = most(hi[k], p[3 * i + (size_t)k]);
        }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = i >> k & 1 ? hi[k] : lo[k];
}

void pcs_motion_shape(pcs_motion *m, const shape *s)
{
    m->shape = s;
    m->convex = shape_is_convex(s);
    m->radius = shape_radius(s);
    m->points = shape_points(s, &m->vertices);
    m->hull = m->points;
    m->hulls = m->vertices;
    if (m->hulls <= HULL_MOST)
        return;
    pcs_box_corners(m->hull, m->hulls, m->corner);
    m->hull = m->corner;
    m->hulls = 8;
}

/* Makes a box larger, so that it holds the body at an instant. */
static void add_instant(const pcs_motion *m, double time, double box[6])
{
    const pose_map map = spin_map(&m->at, time);
    for (size_t i = 0; i < m->hulls; i++) {
        double x[3];
        pose_put(&map, m->hull + 3 * i, x);
        for (int k = 0; k < 3; k++) {
            box[k] = pcs_box_least(box[k], x[k]);
            box[3 + k] = most(box[3 + k], x[k]);
        }
    }
}

static void box_of_hull(const pcs_motion *m, double from, double to, double box[6])
{
    const double angle = spin_angle(&m->at, to - from);
    const int arcs = (int)(angle / ARC) + 1;
    const double arc = angle / arcs, bulge = m->radius * arc * arc * (1 + BOX_ROUNDED) / 8;
    for (int i = 0; i <= arcs; i++)
        add_instant(m, i < arcs ? from + (to - from) * i / arcs : to, box);
    for (int k = 0; k < 3; k++) {
        box[k] -= bulge;
        box[3 + k] += bulge;
    }
}

void pcs_box(const pcs_motion *m, double from, double to, double margin, double out[6])
{
    double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    const int followed = spin_angle(&m->at, to - from) <= FOLLOWED;
    if (followed)
        box_of_hull(m, from, to, box);
    for (int k = 0; k < 3; k++) {
        const double *v = m->at.velocity, c = m->at.centre[k];
        const double a = c + v[k] * (from - m->at.time), b = c + v[k] * (to - m->at.time);
        const double lo = pcs_box_least(a, b) - m->radius, hi = most(a, b) + m->radius;
        const double more =
            margin + (m->radius + fabs(c) + fabs(a) + fabs(b) + margin) * BOX_ROUNDED;
        out[k] = (followed ? most(lo, box[k]) : lo) - more;
        out[3 + k] = (followed ? pcs_box_least(hi, box[3 + k]) : hi) + more;
    }
}
