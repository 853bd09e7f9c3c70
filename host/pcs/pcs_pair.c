/* A pair: its distance, whether it is in contact, and when to look at it next.
 *
 * Why a frame ends. Steps in which nothing happens have a least length, for S, the greatest speed
 * at which a distance can change, is finite between two responses:
 *     a pair that is awake is farther than epsilon, and steps to where it may be at epsilon / 2:
 *         at least epsilon / (2 S);
 *     one that is watched may come nearer by WATCH_GAP epsilon: at least WATCH_GAP epsilon / S;
 *     one that is left: at least a REST_STEPS-th of the frame;
 *     and each of them at least 2^-52 of the frame, where rounding would take less.
 * Responses are as many as contacts: at most CONTACTS_MOST for each pair of bodies, whatever
 * velocities the caller sets. */
#include "pcs_state.h"

#include <string.h>

#define FEW 4            /* looks in the rest of the frame: with fewer the simple bound will do */
#define POINTS 4096      /* of a body: with more it takes longer than a look */
#define AGAIN 0.75       /* of the distance `held`: a new contact of a pair that rests */
#define AIM 0.65         /* of it: where steps of a pair that is watched aim */
#define WATCH_GAP 0x1p-6 /* of epsilon: one that is watched may come nearer by that in a step */
#define REST_STEPS 64    /* of a frame: how often a pair that is left is looked at at most */

/* The distance at which it is in contact; less than 0: at none. */
static double pcs_pair_contact_distance(const pcs *p, const pcs_pair *x)
{
    return x->rest == PCS_AWAKE ? p->def.epsilon : x->rest == PCS_WATCHED ? AGAIN * x->held : -1;
}

static int pcs_pair_is_fixed(const pcs *p, const pcs_pair *x)
{
    return p->bodies[x->a].fixed && p->bodies[x->b].fixed;
}

int pcs_pair_in_contact(const pcs *p, const pcs_pair *x)
{
    return !pcs_pair_is_fixed(p, x) &&
           x->gap.distance - x->gap.error <= pcs_pair_contact_distance(p, x);
}

/* The direction at which they are closest, while that is more than rounding errors. */
static void pcs_pair_set_normal(pcs_pair *x)
{
    const double(*p)[3] = (const double(*)[3])x->near.point;
    const double offset[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
    const double length = pose_length(offset);
    if (pcs_gap_is_directed(&x->gap))
        memcpy(x->normal, x->gap.unit, sizeof x->normal);
    else if (x->gap.distance > 64 * x->gap.error && length > 0)
        for (int k = 0; k < 3; k++)
            x->normal[k] = offset[k] / length;
}

/* Convex bodies are solid for shape_distance; others may be in each other while their surfaces are
 * apart. They get there only by touching. */
static void pcs_pair_test_inside(pcs_pair *x, const pcs_motion *a, const pose_map *pa,
                                 const pcs_motion *b, const pose_map *pb)
{
    if (!(x->near.distance > x->near.error))
        x->outside = 0;
    else if (!x->outside && !(a->convex && b->convex))
        x->outside = (uint8_t)!shape_nested(a->shape, pa, b->shape, pb, &x->near);
}

void pcs_pair_measure(const pcs *p, pcs_pair *x)
{
    const pcs_motion *a = &p->motion[x->a], *b = &p->motion[x->b];
    const pose_map pa = spin_map(&a->at, p->now), pb = spin_map(&b->at, p->now);
    shape_distance(a->shape, &pa, b->shape, &pb, &x->cache, &x->near);
    pcs_pair_test_inside(x, a, &pa, b, &pb);
    x->gap = pcs_gap_of(&x->near, spin_error(&a->at, p->now - a->at.time, a->radius) +
                                      spin_error(&b->at, p->now - b->at.time, b->radius));
    x->measured_at = p->now;
    pcs_pair_set_normal(x);
    if (x->rest != PCS_OVER && x->gap.distance - x->gap.error >= 2 * p->def.epsilon)
        x->rest = PCS_AWAKE;
}

/* Seconds until a pair that is left can have separated and come back, or a small part of a frame:
 * it has been resolved, and nobody has moved it apart. */
static double pcs_pair_rest_seconds(const pcs *p, const pcs_pair *x)
{
    const double speed = pcs_speed_most(&p->motion[x->a], &p->motion[x->b]);
    const double seconds = (3 * p->def.epsilon - x->gap.distance - x->gap.error) / speed;
    const double least = p->def.step / REST_STEPS;
    return !(speed > 0) ? INFINITY : seconds > least ? seconds : least;
}

/* Until it can be as near as that. The simple bound, or a longer one where that would lead to more
 * than a few looks. */
static double pcs_pair_approach_seconds(const pcs *p, const pcs_pair *x, double keep)
{
    const pcs_motion *a = &p->motion[x->a], *b = &p->motion[x->b];
    const double least = pcs_time_least(&x->gap, keep, a, b), remaining = p->def.step - p->now;
    const double *n = x->normal;
    if (!(least > 0) || least * FEW >= remaining || a->vertices > POINTS || b->vertices > POINTS ||
        (n[0] == 0 && n[1] == 0 && n[2] == 0))
        return least;
    return pcs_time_longer(a, b, p->now, n, x->gap.error, keep, least, remaining);
}

/* Of a pair that is watched, until it can be at AIM, or WATCH_GAP nearer. */
static double pcs_pair_watch_seconds(const pcs *p, const pcs_pair *x)
{
    const double seconds = pcs_pair_approach_seconds(p, x, AIM * x->held);
    const double speed = pcs_speed_most(&p->motion[x->a], &p->motion[x->b]);
    const double least = WATCH_GAP * p->def.epsilon / speed;
    return seconds > least ? seconds : least;
}

static double pcs_pair_seconds_to_next(const pcs *p, const pcs_pair *x)
{
    switch (x->rest) {
    case PCS_AWAKE:
        return pcs_pair_approach_seconds(p, x, p->def.epsilon / 2);
    case PCS_WATCHED:
        return pcs_pair_watch_seconds(p, x);
    case PCS_RESTING:
        return pcs_pair_rest_seconds(p, x);
    default:
        return INFINITY;
    }
}

/* Rounded down, but later than now by what float64 can tell apart at the end of a frame. */
double pcs_pair_next_time(const pcs *p, const pcs_pair *x)
{
    if (pcs_pair_is_fixed(p, x))
        return INFINITY;
    if (pcs_pair_in_contact(p, x))
        return p->now;
    const double time = (p->now + pcs_pair_seconds_to_next(p, x)) * (1 - 0x1p-52);
    const double least = p->now + p->def.step * 0x1p-52;
    return time > least ? time : least;
}

void pcs_pair_schedule(pcs *p, size_t pair)
{
    const pcs_pair *x = &p->pair[pair];
    const double time = pcs_pair_next_time(p, x);
    if (time < p->def.step)
        pcs_order_set(&p->order, &(pcs_entry){time, x->a, x->b, pair});
    else
        pcs_order_remove(&p->order, pair);
}
