/* See turning_way.h. */
#include "turning_way.h"

#include "pose.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

/* ---- relative to the first one */

/* A difference is rounded by a part of itself. */
static void trajectory_relate(rigid_prim *m, const double from[2][3])
{
    for (int e = 0; e < 2; e++) {
        vec_sub(m->motion.centre[e], from[e], m->motion.centre[e]);
        for (int k = 0; k < m->corners && !m->rotates; k++)
            vec_sub(m->at[e][k], from[e], m->at[e][k]);
    }
}

void trajectories_make(const rigid_prim of[2], trajectories *out)
{
    for (int e = 0; e < 2; e++) {
        const rigid_prim *first = &of[0];
        memcpy(out->from[e], first->rotates ? first->motion.centre[e] : first->at[e][0],
               sizeof out->from[e]);
    }
    for (int s = 0; s < 2; s++) {
        out->of[s] = of[s];
        trajectory_relate(&out->of[s], (const double(*)[3])out->from);
    }
}

trajectories trajectories_round(const trajectories *w, const int back[2])
{
    trajectories out = *w;
    for (int s = 0; s < 2; s++)
        if (back[s])
            motion_reverse(&out.of[s].motion);
    return out;
}

/* ---- places */

static double linear(double from, double to, double t)
{
    return t <= 0 ? from : t >= 1 ? to : (1 - t) * from + t * to;
}

static void trajectory_place_linear(const rigid_prim *m, double t, double x[4][3])
{
    for (int k = 0; k < 3 * m->corners; k++)
        x[k / 3][k % 3] = linear(m->at[0][k / 3][k % 3], m->at[1][k / 3][k % 3], t);
}

static void trajectory_place_rotated(const rigid_prim *m, double t, const double turn[4],
                                     double x[4][3])
{
    pose_map map;
    pose_matrix(turn, map.r);
    motion_centre(&m->motion, t, map.t);
    for (int k = 0; k < m->corners; k++)
        pose_put(&map, m->at[0][k], x[k]);
}

void trajectories_place(const trajectories *w, int s, double t, double x[4][3])
{
    const rigid_prim *m = &w->of[s];
    double turn[4];
    if (!m->rotates) {
        trajectory_place_linear(m, t, x);
        return;
    }
    motion_rotation(&m->motion, t, turn);
    trajectory_place_rotated(m, t, turn, x);
}

void trajectories_place_after(const trajectories *w, int s, double turns, double t, double x[4][3])
{
    double turn[4];
    motion_rotation_after(&w->of[s].motion, turns, t, turn);
    trajectory_place_rotated(&w->of[s], t, turn, x);
}

void trajectories_places(const trajectories *w, double t, places *out)
{
    for (int s = 0; s < 2; s++)
        trajectories_place(w, s, t, out->x[s]);
}

void trajectories_absolute(const trajectories *w, double t, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] += linear(w->from[0][k], w->from[1][k], t);
}

/* The farthest of the points whose ways are straight, at either instant. */
static double trajectory_linear_size(const rigid_prim *m)
{
    double most = 0;
    for (int e = 0; e < 2; e++) {
        most = fmax(most, m->rotates ? pose_length(m->motion.centre[e]) : 0);
        for (int k = 0; k < m->corners && !m->rotates; k++)
            most = fmax(most, pose_length(m->at[e][k]));
    }
    return most;
}

double trajectories_rounding(const trajectories *w)
{
    double size = 0;
    for (int s = 0; s < 2; s++)
        size += w->of[s].radius + trajectory_linear_size(&w->of[s]);
    return MOTION_ROUNDED * size;
}

/* ---- how much moves */

/* The mean of the ways of the vertices, and how far one's is from that at most. */
static double trajectory_drift(const rigid_prim *m, double mean[3])
{
    double most = 0, off[3];
    for (int d = 0; d < 3; d++) {
        mean[d] = m->rotates ? m->motion.centre[1][d] - m->motion.centre[0][d] : 0;
        for (int k = 0; k < m->corners && !m->rotates; k++)
            mean[d] += (m->at[1][k][d] - m->at[0][k][d]) / m->corners;
    }
    for (int k = 0; k < m->corners && !m->rotates; k++) {
        for (int d = 0; d < 3; d++)
            off[d] = m->at[1][k][d] - m->at[0][k][d] - mean[d];
        most = fmax(most, pose_length(off));
    }
    return most;
}

double trajectories_apart(const trajectories *w)
{
    double x[3], y[3];
    const double own = trajectory_drift(&w->of[0], x) + trajectory_drift(&w->of[1], y);
    vec_sub(x, y, x);
    return pose_length(x) + own;
}

displacement trajectories_displacement(const trajectories *w, double length, double apart)
{
    displacement out = {0, length * apart};
    for (int s = 0; s < 2; s++) {
        const rigid_prim *m = &w->of[s];
        const double angle = m->rotates ? motion_angle(&m->motion, length) : 0;
        const double far = m->radius * (1 + 0x1p-40);
        out.chord_error += motion_chord_error(angle) * far;
        out.all += fmin(angle, 2) * far;
    }
    return out;
}
