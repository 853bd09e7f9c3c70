/* See turning_way.h. */
#include "turning_way.h"

#include "pose.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/* ---- relative to the first one */

/* A difference is rounded by a part of itself. */
static void trajectory_relate(turning_prim *m, const double from[2][3])
{
    for (int e = 0; e < 2; e++) {
        vec_sub(m->way.centre[e], from[e], m->way.centre[e]);
        for (int k = 0; k < m->corners && !m->turns; k++)
            vec_sub(m->at[e][k], from[e], m->at[e][k]);
    }
}

void turning_ways_make(const turning_prim of[2], turning_ways *out)
{
    for (int e = 0; e < 2; e++) {
        const turning_prim *first = &of[0];
        memcpy(out->from[e], first->turns ? first->way.centre[e] : first->at[e][0],
               sizeof out->from[e]);
    }
    for (int s = 0; s < 2; s++) {
        out->of[s] = of[s];
        trajectory_relate(&out->of[s], (const double(*)[3])out->from);
    }
}

turning_ways turning_ways_round(const turning_ways *w, const int back[2])
{
    turning_ways out = *w;
    for (int s = 0; s < 2; s++)
        if (back[s])
            way_turn_back(&out.of[s].way);
    return out;
}

/* ---- places */

static double linear(double from, double to, double t)
{
    return t <= 0 ? from : t >= 1 ? to : (1 - t) * from + t * to;
}

static void place_straight(const turning_prim *m, double t, double x[4][3])
{
    for (int k = 0; k < 3 * m->corners; k++)
        x[k / 3][k % 3] = linear(m->at[0][k / 3][k % 3], m->at[1][k / 3][k % 3], t);
}

static void place_turned(const turning_prim *m, double t, const double turn[4], double x[4][3])
{
    pose_map map;
    pose_matrix(turn, map.r);
    way_centre(&m->way, t, map.t);
    for (int k = 0; k < m->corners; k++)
        pose_put(&map, m->at[0][k], x[k]);
}

void turning_ways_place(const turning_ways *w, int s, double t, double x[4][3])
{
    const turning_prim *m = &w->of[s];
    double turn[4];
    if (!m->turns) {
        place_straight(m, t, x);
        return;
    }
    way_rotation(&m->way, t, turn);
    place_turned(m, t, turn, x);
}

void turning_ways_place_after(const turning_ways *w, int s, double turns, double t, double x[4][3])
{
    double turn[4];
    way_rotation_after(&w->of[s].way, turns, t, turn);
    place_turned(&w->of[s], t, turn, x);
}

void turning_ways_places(const turning_ways *w, double t, places *out)
{
    for (int s = 0; s < 2; s++)
        turning_ways_place(w, s, t, out->x[s]);
}

void turning_ways_absolute(const turning_ways *w, double t, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] += linear(w->from[0][k], w->from[1][k], t);
}

/* The farthest of the points whose ways are straight, at either instant. */
static double straight_size(const turning_prim *m)
{
    double most = 0;
    for (int e = 0; e < 2; e++) {
        most = fmax(most, m->turns ? pose_length(m->way.centre[e]) : 0);
        for (int k = 0; k < m->corners && !m->turns; k++)
            most = fmax(most, pose_length(m->at[e][k]));
    }
    return most;
}

double turning_ways_rounded(const turning_ways *w)
{
    double size = 0;
    for (int s = 0; s < 2; s++)
        size += w->of[s].radius + straight_size(&w->of[s]);
    return WAY_ROUNDED * size;
}

/* ---- how much moves */

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

double turning_ways_apart(const turning_ways *w)
{
    double x[3], y[3];
    const double own = drift(&w->of[0], x) + drift(&w->of[1], y);
    vec_sub(x, y, x);
    return pose_length(x) + own;
}

moves turning_ways_moves(const turning_ways *w, double length, double apart)
{
    moves out = {0, length * apart};
    for (int s = 0; s < 2; s++) {
        const turning_prim *m = &w->of[s];
        const double angle = m->turns ? way_angle(&m->way, length) : 0;
        const double far = m->radius * (1 + 0x1p-40);
        out.bulge += way_bulge(angle) * far;
        out.all += fmin(angle, 2) * far;
    }
    return out;
}
