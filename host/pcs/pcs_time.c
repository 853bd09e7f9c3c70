/* See pcs_time.h. Between convex bodies two planes across the direction at which they are closest
 * bound a gap as wide as their distance. A point of a body moves along that direction by no more than
 * the centre's velocity along it, and r |w|. So the gap lasts at least as long as the formula
 * says. Bodies that are not convex may reach around the planes, and only the greatest speed counts.
 *
 * Rounding. Computed closest points are in the bodies within the error e, so their difference w is
 * in the Minkowski difference, a convex set, within e. The true difference w' is its shortest
 * vector, so w w' >= |w'|^2 - e |w'|, and the cosine of the angle between them is at least
 * (|w'| - e) / |w|, with |w'| >= d - e and |w| <= d + e. The distance of their directions is
 * sqrt(2 - 2 cosine) <= sqrt(6 e / d) for e << d; `off` is a little more than that. The velocity along the
 * true direction is at most that along the computed one, and `off` times the speed. */
#include "pcs_time.h"

#define UP (1 + 0x1p-48) /* more than five roundings */
#define DOWN (1 - 0x1p-50)

pcs_gap pcs_gap_of(const shape_nearest *near, double moved)
{
    pcs_gap g = {.distance = near->distance, .error = (near->error + moved) * UP, .off = 2};
    double way[3];
    for (int k = 0; k < 3; k++)
        way[k] = near->point[1][k] - near->point[0][k];
    const double length = pose_length(way);
    if (!(length > 0) || !(g.distance > 8 * g.error))
        return g; /* a direction of rounding errors alone */
    for (int k = 0; k < 3; k++)
        g.unit[k] = way[k] / length;
    g.off = sqrt(8 * g.error / g.distance) + 0x1p-50;
    return g;
}

static double speed_between(const pcs_motion *a, const pcs_motion *b, double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = a->at.velocity[k] - b->at.velocity[k];
    return pose_length(v) * UP;
}

double pcs_speed_most(const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    return (speed_between(a, b, v) + a->turning + b->turning) * UP;
}

/* At least the speed at which the gap closes; 0 or less: it does not. */
static double closing_most(const pcs_gap *g, const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    const double speed = speed_between(a, b, v), turning = a->turning + b->turning;
    const double *u = g->unit;
    double along = speed;
    if (a->convex && b->convex && g->off < 2) {
        along = v[0] * u[0] + v[1] * u[1] + v[2] * u[2] + speed * (g->off + 0x1p-49);
        along = along < speed ? along : speed;
    }
    return along + turning + (fabs(along) + turning) * 0x1p-50;
}

double pcs_time_least(const pcs_gap *g, double keep, const pcs_motion *a, const pcs_motion *b)
{
    const double room = (g->distance - g->error) * DOWN - keep, closing = closing_most(g, a, b);
    if (!(room > 0))
        return 0;
    return closing > 0 ? room / closing * DOWN : INFINITY;
}
