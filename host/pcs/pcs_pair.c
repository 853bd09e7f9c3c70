/* A pair: its distance, whether it is in contact, and when to look at it next.
 *
 * Why a frame ends. A pair is in contact where its distance may be epsilon or less, and else the
 * next time is that at which it may be epsilon / 2. So each step in which nothing happens takes at
 * least epsilon / 2 divided by the greatest speed. A pair that rests steps by a quarter of the
 * distance `held` at which it was resolved; held is more than epsilon / 1024, or the steps are those
 * of REST_STEPS. A step also is at least the next float64 after now. A pair has at most
 * CONTACTS_MOST contacts, and there are as many pairs as pairs of bodies at most; whatever
 * velocities the caller sets, only that number of times are they set. */
#include "pcs_state.h"

#define NEAREST 0x1p-10  /* of epsilon: what is held at less rests until it separates */
#define AGAIN 0.75       /* of `held`: a new contact of a pair that rests */
#define REST_STEPS 256  /* in a frame, of a pair that is left: how often it is looked at at most */

/* The distance at which it is in contact; less than 0: at none. */
static double contact_at(const pcs *p, const pcs_pair *x)
{
    return x->rest == PCS_AWAKE     ? p->def.epsilon
           : x->rest == PCS_WATCHED ? AGAIN * x->held
                                    : -1;
}

int pcs_touches(const pcs *p, const pcs_pair *x)
{
    const int fixed = p->bodies[x->a].fixed && p->bodies[x->b].fixed;
    return !fixed && x->gap.distance - x->gap.error <= contact_at(p, x);
}

void pcs_look(const pcs *p, pcs_pair *x)
{
    const pcs_motion *a = &p->motion[x->a], *b = &p->motion[x->b];
    const pose_map pa = spin_map(&a->at, p->now), pb = spin_map(&b->at, p->now);
    shape_distance(a->shape, &pa, b->shape, &pb, &x->kept, &x->near);
    x->gap = pcs_gap_of(&x->near, spin_error(&a->at, p->now - a->at.time, a->radius) +
                                      spin_error(&b->at, p->now - b->at.time, b->radius));
    x->looked = p->now;
    if (x->gap.off < 2)
        for (int k = 0; k < 3; k++)
            x->normal[k] = x->gap.unit[k];
    if (x->rest != PCS_OVER && x->gap.distance - x->gap.error >= 2 * p->def.epsilon)
        x->rest = PCS_AWAKE;
}

/* Seconds until a pair that is left can have separated and come back, or a small part of a frame: it
 * has been resolved, and nobody has moved it apart. */
static double rest_seconds(const pcs *p, const pcs_pair *x)
{
    const double speed = pcs_speed_most(&p->motion[x->a], &p->motion[x->b]);
    const double seconds = (3 * p->def.epsilon - x->gap.distance - x->gap.error) / speed;
    const double least = p->def.step / REST_STEPS;
    return !(speed > 0) ? INFINITY : seconds > least ? seconds : least;
}

static double seconds_left(const pcs *p, const pcs_pair *x)
{
    const double keep = x->rest == PCS_AWAKE ? p->def.epsilon / 2 : x->held / 2;
    if (x->rest == PCS_OVER)
        return INFINITY;
    return x->rest == PCS_LEFT
               ? rest_seconds(p, x)
               : pcs_time_least(&x->gap, keep, &p->motion[x->a], &p->motion[x->b]);
}

/* Rounded down, but later than now. */
double pcs_next(const pcs *p, const pcs_pair *x)
{
    if (pcs_touches(p, x))
        return p->now;
    const double time = (p->now + seconds_left(p, x)) * (1 - 0x1p-52);
    return time > p->now ? time : nextafter(p->now, INFINITY);
}

void pcs_enter(pcs *p, size_t pair)
{
    const pcs_pair *x = &p->pair[pair];
    const double time = pcs_next(p, x);
    if (time < p->def.step)
        pcs_order_set(&p->order, &(pcs_entry){time, x->a, x->b, pair});
    else
        pcs_order_remove(&p->order, pair);
}
