/* See scene_flight.h. The missile is a point with a heading: the scene needs a body that approaches
 * its target fast and turning, like a steered one, but no aerodynamics. */
#include "scene_flight.h"

#include "bodies.h"

#include <math.h>

#define FLIGHT_RAIL 60      /* m flown until it is steered, including the rail */
#define FLIGHT_BOOST 225.0  /* m flown until it reaches its full speed */
#define FLIGHT_RADIUS 150.0 /* m, radius of the narrowest turn */
#define FLIGHT_STRAIGHT 100 /* m before its aim: steering ends */
#define FLIGHT_LOOKS 12     /* iterations for a moving aim */

/* rotation a followed by b, quaternions w x y z */
static void quaternion_times(const double a[4], const double b[4], double out[4])
{
    pose_product(a, b, out);
    const double n = 1 / sqrt(pose_square(out));
    for (int i = 0; i < 4; i++)
        out[i] *= n;
}

/* The shortest rotation from one unit vector to another; not for opposite ones. */
static void quaternion_between(v3 a, v3 b, double out[4])
{
    static const double none[4] = {1, 0, 0, 0};
    const v3 axis = v3_cross(a, b);
    const double q[4] = {1 + v3_dot(a, b), axis.x, axis.y, axis.z};
    quaternion_times(q, none, out);
}

/* The vector to where the aim will be on arrival, at full speed. Each iteration divides the error
 * by the ratio of the missile's speed to the aim's; a slower missile may never converge. */
static v3 way_to_aim(const flight *f)
{
    const double now = (double)f->tick / FLIGHT_TICKS;
    v3 way = v3_sub(f->aim(f->of, now), f->place);
    for (int i = 0; i < FLIGHT_LOOKS; i++)
        way = v3_sub(f->aim(f->of, now + scene_norm(way) / f->speed), f->place);
    return way;
}

/* The heading after a tick: towards the aim, as far as the narrowest turn allows. */
static v3 steer(flight *f)
{
    const v3 d = f->heading;
    if (f->straight)
        return d;
    const v3 way = way_to_aim(f);
    const double most = f->now / (FLIGHT_RADIUS * FLIGHT_TICKS), left = scene_norm(way);
    if (left < FLIGHT_STRAIGHT && f->way > FLIGHT_RAIL)
        f->straight = 1;
    if (f->straight || f->way < FLIGHT_RAIL)
        return d;
    const v3 u = v3_scale(way, 1 / left), across = v3_sub(u, v3_scale(d, v3_dot(u, d)));
    const double sine = scene_norm(across);
    if (sine <= most && v3_dot(u, d) > 0)
        return u;
    return scene_unit(v3_add(d, v3_scale(across, most / (sine > 1e-9 ? sine : 1))));
}

/* Computes the motion until the next tick. */
static void look_ahead(flight *f, v3 *next)
{
    *next = steer(f);
    f->turn = v3_scale(v3_cross(f->heading, *next), FLIGHT_TICKS);
}

static void one_tick(flight *f)
{
    double turn[4], gain = f->speed * f->speed / (2 * FLIGHT_BOOST * FLIGHT_TICKS);
    v3 next;
    look_ahead(f, &next);
    f->place = v3_add(f->place, v3_scale(f->heading, f->now / FLIGHT_TICKS));
    f->way += f->now / FLIGHT_TICKS;
    quaternion_between(f->heading, next, turn);
    quaternion_times(turn, f->attitude, f->attitude);
    f->heading = next;
    f->now = f->now + gain < f->speed ? f->now + gain : f->speed;
    f->tick++;
}

void flight_begin(flight *f, v3 rail, v3 heading, double speed, double roll)
{
    *f = (flight){.speed = speed, .roll = roll, .place = rail, .heading = heading};
    quaternion_between(v3_make(1, 0, 0), heading, f->attitude);
}

void flight_aim_at(flight *f, flight_aim *aim, const void *of)
{
    f->aim = aim;
    f->of = of;
}

imp_pose flight_pose(flight *f, double time)
{
    v3 next;
    while ((double)(f->tick + 1) <= time * FLIGHT_TICKS)
        one_tick(f);
    look_ahead(f, &next);
    const double since = time - (double)f->tick / FLIGHT_TICKS, half = 0.5 * f->roll * time;
    const double roll[4] = {scene_cos(half), scene_sin(half), 0, 0};
    const v3 at = v3_add(f->place, v3_scale(f->heading, f->now * since));
    imp_pose p;
    scene_store(p.centre, at);
    scene_store(p.velocity, v3_scale(f->heading, f->now));
    scene_store(p.spin, v3_add(f->turn, v3_scale(f->heading, f->roll)));
    quaternion_times(f->attitude, roll, p.rotation);
    return p;
}
