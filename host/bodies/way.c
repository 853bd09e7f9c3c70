/* See way.h. */
#include "way.h"

#include "pose.h"

/* With a dot product as small as this the shorter arc is unknown: it is half a turn. */
#define HALF_TURN 0x1p-45

body_way way_still(double slack)
{
    return (body_way){.turn = {{1, 0, 0, 0}, {1, 0, 0, 0}}, .slack = slack};
}

/* q and -q are one rotation: the sign that makes the dot product positive gives the shorter arc.
 * Lengths are corrected, since poses may be off by POSE_UNIT. */
void way_turn(body_way *w, const imp_pose *from, const imp_pose *to)
{
    const imp_pose *pose[2] = {from, to};
    double dot = 0;
    for (int k = 0; k < 4; k++)
        dot += from->rotation[k] * to->rotation[k];
    w->either = fabs(dot) < HALF_TURN;
    for (int e = 0; e < 2; e++) {
        const double size = sqrt(pose_square(pose[e]->rotation));
        for (int k = 0; k < 4; k++)
            w->turn[e][k] = (e && dot < 0 ? -1 : 1) * pose[e]->rotation[k] / size;
    }
}

/* Called twice it changes nothing. */
void way_turn_back(body_way *w)
{
    for (int k = 0; k < 4 && w->either; k++)
        w->turn[1][k] = -w->turn[1][k];
}

void way_box(const body_way *w, double far, double out[6])
{
    const double reach = far + w->slack;
    for (int k = 0; k < 3; k++) {
        const double a = w->centre[0][k], b = w->centre[1][k];
        const double lo = a < b ? a : b, hi = a < b ? b : a;
        /* For what the caller's coordinates and this sum are rounded by. */
        const double margin = reach * 0x1p-40 + (fabs(a) + fabs(b)) * 0x1p-40;
        out[k] = lo - reach - margin;
        out[3 + k] = hi + reach + margin;
    }
}
