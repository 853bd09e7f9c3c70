/* The time during which planes orthogonal to a direction separate two bodies: see pcs_motion.h.
 *
 * The direction u(t) rotates with the angular velocity w: 0, or that of a body with a face whose
 * normal it is and stays. A point p about the centre of a body with the angular velocity W is,
 * along the direction, at f(t) = u . p, where u' = w x u and p' = W x p. So
 *     f'   = (u' + u x W) . p
 *     f''  = (u'' + 2 u' x W + (u x W) x W) . p
 *     f''' <= r (|u'| |w|^2 + 3 |u'| |w| |W| + 3 |u'| |W|^2 + |u x W| |W|^2)
 * and until the time t the body reaches no farther than
 *     max over p of f + f' t + max(f'', 0) t^2 / 2, and the bound of f''' t^3 / 6
 * A body that rotates with the direction has a constant reach. The vector between the centres c(t)
 * = c + v t is bounded alike. The gap between the bodies is its length along the direction minus
 * both reaches. That is a concave function of t: if the gap is wide enough now and at t, it is at
 * all times between. This holds for any bodies and any direction. So a body that rolls or spins on
 * a face, lies on it or is carried by it has steps that do not depend on its distance, while r |w|
 * would make them as short as the gap. Fixed planes would not suffice for a large rotating body:
 * the far corners of its face pass through them at the speed of its surface. */
#include "pcs_motion.h"
#include "vec3.h"

#define HALVINGS 5 /* bisections of the ratio of the least known time to the greatest */
#define REACH_ROUNDED                                                                              \
    0x1p-44 /* relative to lengths: exceeds the rounding of rotated points and sums */
#define UP (1 + 0x1p-40)
#define ENOUGH 0.25 /* fraction of the greatest time: if reached, no other planes are tried */

/* A rotating direction with its first two derivatives. */
typedef struct direction {
    double u[3][3];
    double spin, rate; /* |w|, and |u'|, which is constant */
    int with;          /* the body that it rotates with, or -1 if fixed */
} direction;

/* A length as a function of time: `at` + rate t + bend t^2 / 2 + jerk t^3 / 6. */
typedef struct trajectory {
    double at, rate, bend, jerk;
} trajectory;

/* The reach of a body along the direction, in its own coordinates. */
typedef struct reach {
    const double *p;
    uint32_t count;
    double along[3][3]; /* vectors whose dot product with a point gives its value and first two
                         * derivatives */
    double jerk;
    double still; /* its reach if constant */
    int stays;
} reach;

static direction direction_of(const double u[3], const pcs_motion *with, int number)
{
    direction d = {.with = number};
    for (int k = 0; k < 3; k++)
        d.u[0][k] = u[k];
    if (number < 0)
        return d;
    vec_cross(with->at.spin, d.u[0], d.u[1]);
    vec_cross(with->at.spin, d.u[1], d.u[2]);
    d.spin = pose_length(with->at.spin);
    d.rate = pose_length(d.u[1]);
    return d;
}

/* ---- a body */

static double reach_at(const reach *r, double t)
{
    double a[3], b[3], most = -INFINITY;
    if (r->stays)
        return r->still;
    for (int k = 0; k < 3; k++) {
        a[k] = r->along[0][k] + t * r->along[1][k];
        b[k] = t * t / 2 * r->along[2][k];
    }
    for (size_t i = 0; i < r->count; i++) {
        const double bend = vec_dot(b, r->p + 3 * i);
        const double x = vec_dot(a, r->p + 3 * i) + (bend > 0 ? bend : 0);
        most = x > most ? x : most;
    }
    return most + r->jerk * t * t * t / 6;
}

/* Upper limit of the third derivative of a point's position. |u x W| is valid at all times only if
 * u is fixed. */
static double point_jerk(const pcs_motion *m, const direction *d, double across)
{
    const double w = d->spin, own = pose_length(m->at.spin);
    const double own_last = d->with < 0 ? across : own;
    return m->radius * UP *
           (d->rate * (w * w + 3 * w * own + 3 * own * own) + own_last * own * own);
}

/* side: 1 or -1, the sign of the direction in which the reach is measured. */
static reach pcs_reach_along(const pcs_motion *m, double now, const direction *d, int is_with,
                             double side)
{
    reach r = {.p = m->points, .count = m->vertices};
    const double *w = m->at.spin;
    double across[3], again[3], turned[3];
    const pose_map map = spin_map(&m->at, now);
    vec_cross(d->u[0], w, across);
    vec_cross(across, w, again);
    vec_cross(d->u[1], w, turned);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            r.along[0][k] += side * map.r[i][k] * d->u[0][i];
            r.along[1][k] += side * map.r[i][k] * (d->u[1][i] + across[i]);
            r.along[2][k] += side * map.r[i][k] * (d->u[2][i] + 2 * turned[i] + again[i]);
        }
    r.jerk = point_jerk(m, d, pose_length(across));
    r.still = reach_at(&r, 0);
    r.stays = is_with || (d->with < 0 && pose_length(across) == 0);
    return r;
}

/* ---- two bodies */

/* The free gap between the planes at a time: two bodies, and the vector between their centres. */
typedef struct between {
    reach side[2];
    trajectory centre;
    double error;
} between;

static double gap_at(const between *g, double t)
{
    const trajectory *w = &g->centre;
    const double bend = w->bend < 0 ? w->bend : 0;
    const double distance = w->at + t * (w->rate + t * (bend / 2 - t * w->jerk / 6));
    return distance - reach_at(&g->side[0], t) - reach_at(&g->side[1], t) - g->error;
}

/* The trajectory between the centres, for times up to `most`. *size: upper limit of the lengths in
 * it. */
static trajectory pcs_reach_trajectory(const pcs_motion *a, const pcs_motion *b, double now,
                                       const direction *d, double most, double *size)
{
    double c[3], v[3];
    *size = 0;
    for (int k = 0; k < 3; k++) {
        const double *va = a->at.velocity, *vb = b->at.velocity;
        c[k] = b->at.centre[k] + vb[k] * (now - b->at.time) -
               (a->at.centre[k] + va[k] * (now - a->at.time));
        v[k] = vb[k] - va[k];
        *size += fabs(c[k]) + fabs(v[k]) * (fabs(now) + fabs(a->at.time) + most);
    }
    const double speed = pose_length(v), far = pose_length(c) + speed * most;
    return (trajectory){.at = vec_dot(d->u[0], c),
                        .rate = vec_dot(d->u[1], c) + vec_dot(d->u[0], v),
                        .bend = vec_dot(d->u[2], c) + 2 * vec_dot(d->u[1], v),
                        .jerk = UP * d->rate * d->spin * (d->spin * far + 3 * speed)};
}

/* The error grows with the angles of all rotations, as the terms do. */
static between between_of(const pcs_motion *a, const pcs_motion *b, double now, const direction *d,
                          double error, double most)
{
    between g = {.side = {pcs_reach_along(a, now, d, d->with == 0, 1),
                          pcs_reach_along(b, now, d, d->with == 1, -1)}};
    double size;
    g.centre = pcs_reach_trajectory(a, b, now, d, most, &size);
    const double turn = 1 + (d->spin + pose_length(a->at.spin) + pose_length(b->at.spin)) * most;
    g.error = error + (size + a->radius + b->radius) * REACH_ROUNDED * turn * turn * turn;
    return g;
}

/* For one direction. */
static double longer_along(const between *g, double keep, double least, double most)
{
    double low = least, high = most, at_low = gap_at(g, low) - keep, at_high;
    if (!(at_low >= 0 && gap_at(g, 0) >= keep))
        return least;
    at_high = gap_at(g, high) - keep;
    if (at_high >= 0)
        return INFINITY;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = sqrt(low) * sqrt(high), at = gap_at(g, middle) - keep;
        *(at >= 0 ? &low : &high) = middle;
        *(at >= 0 ? &at_low : &at_high) = at;
    }
    /* the chord is below the function */
    return (low + (high - low) * (at_low / (at_low - at_high))) * (1 - 0x1p-40);
}

double pcs_time_longer(const pcs_motion *a, const pcs_motion *b, double now, const double u[3],
                       double error, double keep, double least, double most)
{
    double best = least;
    for (int with = -1; with < 2 && best < most * ENOUGH; with++) {
        const pcs_motion *m = with == 1 ? b : a;
        if (with >= 0 && pose_length(m->at.spin) == 0)
            continue;
        const direction d = direction_of(u, m, with);
        const between g = between_of(a, b, now, &d, error, most);
        const double time = longer_along(&g, keep, least, most);
        best = time > best ? time : best;
    }
    return best;
}

/* ---- Trajectory boxes: see pcs_motion.h.
 *
 * Two boxes contain the body, so their intersection does. One is that of the ball about the
 * centre. The other tracks the points of the hull: the rotation is divided into arcs, and between
 * the ends of an arc of angle s a point is at most r s^2 / 8 from the line segment between them.
 * (Its acceleration is at most r w^2, and a function is that close to the chord of an interval of
 * length h: its second derivative times h^2 / 8. The centre moves straight.) So the box of all
 * ends, inflated by that on each side, contains the trajectories of all points, and of their
 * convex hull. */

#define ARC 0.25     /* greatest angle in radians: the box is inflated by r / 128 */
#define FOLLOWED 7.0 /* radians: with greater rotation the body sweeps nearly the whole ball */
#define BOX_ROUNDED                                                                                \
    0x1p-40 /* relative to all lengths: far above the rounding of poses and sums                   \
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

/* Enlarges a box to contain the body at one time. */
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
