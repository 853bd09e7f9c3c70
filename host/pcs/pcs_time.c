/* See pcs_time.h. Between convex bodies two planes across the direction at which they are closest
 * bound a gap as wide as their distance. A point of a body moves along that direction by no more
 * than the centre's velocity along it, and r |w|. So the gap lasts at least as long as the formula
 * says. Bodies that are not convex may reach around the planes, and only the greatest speed counts.
 */
#include "pcs_time.h"

#include "vec3.h"

#define UP (1 + 0x1p-48) /* more than five roundings */
#define DOWN (1 - 0x1p-50)

pcs_gap pcs_gap_of(const shape_nearest *near, double moved)
{
    pcs_gap g = {.distance = near->distance, .error = (near->error + moved) * UP};
    for (int k = 0; k < 3; k++)
        g.unit[k] = near->direction[k];
    return g;
}

static double pcs_time_speed(const pcs_motion *a, const pcs_motion *b, double v[3])
{
    vec_sub(a->at.velocity, b->at.velocity, v);
    return pose_length(v) * UP;
}

double pcs_speed_most(const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    return (pcs_time_speed(a, b, v) + a->turning + b->turning) * UP;
}

/* At least the speed at which the gap closes; 0 or less: it does not. */
static double closing_most(const pcs_gap *g, const pcs_motion *a, const pcs_motion *b)
{
    double v[3];
    const double speed = pcs_time_speed(a, b, v), turning = a->turning + b->turning;
    const double *u = g->unit;
    double along = speed;
    if (a->convex && b->convex && pcs_gap_is_directed(g)) {
        along = vec_dot(v, u) + speed * 0x1p-49;
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
