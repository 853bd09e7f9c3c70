/* How long planes across a direction keep two bodies apart: see pcs_time.h.
 *
 * Along the direction u a point p of a body, turned, is at u p, moves at (u x w) p, and its
 * acceleration is at most |u x w| |w| r. So until the time t the body reaches no farther than
 *     max over p of p (u + t (u x w)) + |u x w| |w| r t^2 / 2
 * and between two bodies there is a gap of the way between their centres less what both reach. That
 * is a concave function of t: where the gap is wide enough now and at t, it is at all times
 * between. It holds for any bodies and any direction. What rolls or turns on a face, or rests on
 * it, so has steps that do not depend on how near it is, while r |w| would make them as short as
 * the gap. */
#include "pcs_time.h"

#define HALVINGS 5      /* of the ratio of the least time that is known to the greatest one */
#define ROUNDED 0x1p-44 /* part of radii: above what turned points and sums are rounded by */

/* A body along the direction, in its own coordinates. */
typedef struct reach {
    const double *p;
    uint32_t count;
    double along[3], turn[3]; /* the direction, and how it turns seen from the body */
    double bend, still;       /* still: how far it reaches, if it does not turn */
} reach;

static double reach_at(const reach *r, double t)
{
    double d[3], most = -INFINITY;
    for (int k = 0; k < 3; k++)
        d[k] = r->along[k] + t * r->turn[k];
    for (size_t i = 0; i < r->count; i++) {
        const double x = r->p[3 * i] * d[0] + r->p[3 * i + 1] * d[1] + r->p[3 * i + 2] * d[2];
        most = x > most ? x : most;
    }
    return most + r->bend * t * t;
}

static reach reach_of(const pcs_motion *m, double now, const double u[3])
{
    reach r = {.p = m->points, .count = m->vertices};
    const double *w = m->at.spin;
    const double turn[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2],
                            u[0] * w[1] - u[1] * w[0]};
    const pose_map map = spin_map(&m->at, now);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            r.along[k] += map.r[i][k] * u[i];
            r.turn[k] += map.r[i][k] * turn[i];
        }
    r.bend = pose_length(turn) * m->turning / 2 * (1 + 0x1p-40);
    r.still = r.bend > 0 ? 0 : reach_at(&r, 0);
    return r;
}

/* What the planes keep free at a time: two bodies, and the way between their centres. */
typedef struct between {
    reach side[2];
    double way, speed, error;
} between;

static double gap_at(const between *g, double t)
{
    double gap = g->way - g->speed * t - g->error;
    for (int i = 0; i < 2; i++)
        gap -= g->side[i].bend > 0 ? reach_at(&g->side[i], t) : g->side[i].still;
    return gap;
}

static between between_of(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                          double error)
{
    const double back[3] = {-u[0], -u[1], -u[2]};
    between g = {.side = {reach_of(a, now, u), reach_of(b, now, back)}};
    double size = 0;
    for (int k = 0; k < 3; k++) {
        const double *va = a->at.velocity, *vb = b->at.velocity;
        const double ca = a->at.centre[k] + va[k] * (now - a->at.time);
        const double cb = b->at.centre[k] + vb[k] * (now - b->at.time);
        g.way += (cb - ca) * u[k];
        g.speed += (va[k] - vb[k]) * u[k];
        size += fabs(cb - ca) + fabs(va[k] - vb[k]) * (fabs(now) + fabs(a->at.time));
    }
    g.error = error + (size + a->radius + b->radius) * ROUNDED;
    return g;
}

double pcs_time_longer(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                       double error, double keep, double least, double most)
{
    const between g = between_of(a, b, now, u, error);
    double low = least, high = most, at_low = gap_at(&g, low) - keep, at_high;
    if (!(at_low >= 0 && gap_at(&g, 0) >= keep))
        return least;
    at_high = gap_at(&g, high) - keep;
    if (at_high >= 0)
        return INFINITY;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = sqrt(low) * sqrt(high), at = gap_at(&g, middle) - keep;
        *(at >= 0 ? &low : &high) = middle;
        *(at >= 0 ? &at_low : &at_high) = at;
    }
    /* the chord is below the function */
    return (low + (high - low) * (at_low / (at_low - at_high))) * (1 - 0x1p-40);
}
