/* See turning_way.h. */
#include "turning_way.h"

#include "pose.h"

#include <math.h>
#include <string.h>

static void place_straight(const turning_prim *m, double t, double x[4][3])
{
    for (int k = 0; k < 3 * m->corners; k++) {
        const double from = m->at[0][k / 3][k % 3], to = m->at[1][k / 3][k % 3];
        x[k / 3][k % 3] = t <= 0 ? from : t >= 1 ? to : (1 - t) * from + t * to;
    }
}

static void place_turned(const turning_prim *m, double t, const double turn[4], double x[4][3])
{
    pose_map map;
    pose_matrix(turn, map.r);
    way_centre(&m->way, t, map.t);
    for (int k = 0; k < m->corners; k++)
        pose_put(&map, m->at[0][k], x[k]);
}

void rounds_make(const turning_prim of[2], const int back[2], rounds *out)
{
    for (int s = 0; s < 2; s++) {
        out->of[s] = of[s];
        if (back[s])
            way_turn_back(&out->of[s].way);
        if (out->of[s].turns)
            way_arcs_make(&out->of[s].way, &out->arcs[s]);
    }
}

static void place_end(const rounds *r, int e, places *out)
{
    for (int s = 0; s < 2; s++) {
        const turning_prim *m = &r->of[s];
        if (m->turns)
            place_turned(m, e, m->way.turn[e], out->x[s]);
        else
            place_straight(m, e, out->x[s]);
    }
}

void whole_way(const rounds *r, interval *out)
{
    out->t[0] = 0;
    out->t[1] = 1;
    for (int s = 0; s < 2; s++)
        if (r->of[s].turns)
            out->turn[s] = way_whole(&r->of[s].way, &r->arcs[s]);
    place_end(r, 0, &out->end[0]);
    place_end(r, 1, &out->end[1]);
}

void place_middle(const rounds *r, const interval *in, places *out)
{
    const double t = (in->t[0] + in->t[1]) / 2;
    double turn[4];
    for (int s = 0; s < 2; s++) {
        const turning_prim *m = &r->of[s];
        if (!m->turns) {
            place_straight(m, t, out->x[s]);
            continue;
        }
        way_middle(&m->way, &r->arcs[s], &in->turn[s], turn);
        place_turned(m, t, turn, out->x[s]);
    }
}

void halve(const rounds *r, const interval *in, const places *middle, int second, interval *out)
{
    out->t[second] = in->t[second];
    out->t[!second] = (in->t[0] + in->t[1]) / 2;
    for (int s = 0; s < 2; s++)
        if (r->of[s].turns)
            out->turn[s] = way_half(&r->of[s].way, &r->arcs[s], &in->turn[s], second);
    out->end[second] = in->end[second];
    out->end[!second] = *middle;
}

/* By the halves that led to the share, so that the turns have the same bits. */
void place_at(const rounds *r, double share, places *out)
{
    interval in, half;
    places middle;
    whole_way(r, &in);
    while (in.t[0] != share && in.t[1] != share) {
        place_middle(r, &in, &middle);
        halve(r, &in, &middle, share >= (in.t[0] + in.t[1]) / 2, &half);
        in = half;
    }
    *out = in.end[in.t[0] != share];
}

/* ---- how much moves */

static double turned(const rounds *r, const interval *in, int s)
{
    return r->of[s].turns ? way_angle(&r->arcs[s], &in->turn[s]) / 2 : 0;
}

/* The mean of the ways of the vertices, and how far one's is from that at most. */
static double drift(const turning_prim *m, double mean[3])
{
    double most = 0, off[3];
    for (int d = 0; d < 3; d++) {
        mean[d] = m->turns ? m->way.centre[1][d] - m->way.centre[0][d] : 0;
        for (int k = 0; k < m->corners && !m->turns; k++)
            mean[d] += (m->at[1][k][d] - m->at[0][k][d]) / m->corners;
    }
    for (int k = 0; k < m->corners && !m->turns; k++) {
        for (int d = 0; d < 3; d++)
            off[d] = m->at[1][k][d] - m->at[0][k][d] - mean[d];
        most = fmax(most, pose_length(off));
    }
    return most;
}

double drifts_apart(const rounds *r)
{
    double x[3], y[3];
    const double own = drift(&r->of[0], x) + drift(&r->of[1], y);
    for (int d = 0; d < 3; d++)
        x[d] -= y[d];
    return pose_length(x) + own;
}

moves moves_in(const rounds *r, const interval *in, double apart)
{
    moves out = {0, (in->t[1] - in->t[0]) / 2 * apart};
    for (int s = 0; s < 2; s++) {
        const double angle = turned(r, in, s), far = r->of[s].radius * (1 + 0x1p-40);
        out.bulge += way_bulge(angle) * far;
        out.all += (angle < 2 ? angle : 2) * far;
    }
    return out;
}
