/* The loop: see pcs.h. Each body has its motion since the last change of its velocities, and poses
 * are computed from that on demand. So measuring a pair moves no body, costs the same for any
 * number of bodies, and accumulates no rounding. */
#include "error.h"
#include "float_env.h"
#include "machine.h"
#include "pcs_state.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

/* ---- bodies */

static int pcs_frame_all_finite(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] - x[i]; /* 0, or NaN */
    return sum == 0;
}

static long long pcs_frame_body_name(const pcs *p, uint32_t i)
{
    return p->def.name ? p->def.name[i] : (long long)i;
}

/* Reads velocities from the caller's body. */
static int pcs_frame_read_velocities(pcs *p, uint32_t i)
{
    const pcs_body *b = &p->bodies[i];
    spin_motion *at = &p->motion[i].at;
    for (int k = 0; k < 3; k++) {
        at->velocity[k] = b->fixed ? 0 : b->velocity[k];
        at->spin[k] = b->fixed ? 0 : b->spin[k];
    }
    if (!pcs_frame_all_finite(at->velocity, 3) || !pcs_frame_all_finite(at->spin, 3))
        return imp_fail(IMP_ERR_ARGUMENT, "body %lld: a velocity is not finite",
                        pcs_frame_body_name(p, i));
    if (!(spin_angle(at, p->def.step) <= SPIN_MOST))
        return imp_fail(IMP_ERR_ARGUMENT, "body %lld turns by more than 2^30 radians in a frame",
                        pcs_frame_body_name(p, i));
    pcs_motion_speed(&p->motion[i]);
    return IMP_OK;
}

int pcs_body_make_box(pcs *p, uint32_t i)
{
    pcs_box(&p->motion[i], p->now, p->def.step, p->def.epsilon / 2, p->box[i]);
    if (!pcs_frame_all_finite(p->box[i], 6))
        return imp_fail(IMP_ERR_ARGUMENT, "body %lld goes beyond the range of float64",
                        pcs_frame_body_name(p, i));
    return IMP_OK;
}

static int pcs_frame_read_body(pcs *p, uint32_t i)
{
    const pcs_body *b = &p->bodies[i];
    pcs_motion *m = &p->motion[i];
    if (!pcs_frame_all_finite(b->centre, 3) || !pcs_frame_all_finite(b->rotation, 4) ||
        !pose_is_unit(b->rotation))
        return imp_fail(IMP_ERR_ARGUMENT, "body %lld: its pose is not finite, or no rotation",
                        pcs_frame_body_name(p, i));
    if (m->shape != b->shape)
        pcs_motion_shape(m, b->shape);
    memcpy(m->at.centre, b->centre, sizeof b->centre);
    memcpy(m->at.rotation, b->rotation, sizeof b->rotation);
    m->at.time = 0;
    const int err = pcs_frame_read_velocities(p, i);
    return err ? err : pcs_body_make_box(p, i);
}

void pcs_advance(pcs *p, uint32_t body)
{
    pcs_body *b = &p->bodies[body];
    spin_pose(&p->motion[body].at, p->now, b->centre, b->rotation);
}

/* ---- contacts */

/* From a to b if they overlap and always did: from centre to centre. */
static void make_normal(const pcs *p, pcs_pair *x)
{
    const double *n = x->normal;
    double offset[3];
    if (n[0] != 0 || n[1] != 0 || n[2] != 0)
        return;
    vec_sub(p->bodies[x->b].centre, p->bodies[x->a].centre, offset);
    const double length = pose_length(offset);
    for (int k = 0; k < 3; k++)
        x->normal[k] = length > 0 ? offset[k] / length : k == 2;
}

/* Lists the bodies marked by the caller, ascending; clears the marks. */
static uint32_t list_changed(pcs *p)
{
    uint32_t count = 0;
    uint8_t *end = p->changed + p->def.bodies, *at = p->changed;
    while (at < end && (at = memchr(at, 1, (size_t)(end - at)))) {
        *at = 0;
        if (!p->bodies[at - p->changed].fixed)
            p->list[count++] = (uint32_t)(at - p->changed);
        at++;
    }
    return count;
}

/* Begins new motions, then updates their pairs. */
static int pcs_frame_respond(pcs *p, uint32_t count)
{
    int err = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t body = p->list[i];
        spin_motion *at = &p->motion[body].at;
        pcs_advance(p, body);
        memcpy(at->centre, p->bodies[body].centre, sizeof at->centre);
        memcpy(at->rotation, p->bodies[body].rotation, sizeof at->rotation);
        at->time = p->now;
        TRY(pcs_frame_read_velocities(p, body));
    }
    TRY(pcs_set_renew(p, count));
out:
    return err;
}

static int is_listed(const pcs *p, uint32_t count, uint32_t body)
{
    for (uint32_t i = 0; i < count; i++)
        if (p->list[i] == body)
            return 1;
    return 0;
}

/* Sets the state of a pair after its contact. A pair whose bodies keep their velocities would be in
 * contact again and again until they touch: it is ignored, or its next contact is at half the
 * distance of others. */
static void pcs_frame_rest(const pcs *p, pcs_pair *x, uint32_t count)
{
    const int moved = is_listed(p, count, x->a) || is_listed(p, count, x->b);
    const double part = moved ? 1 : p->def.watches_all ? UNMOVED : 0;
    x->held = fmax(x->gap.distance - x->gap.error, 0) * part;
    x->rest = x->contacts >= CONTACTS_MOST            ? PCS_OVER
              : x->held > p->def.epsilon * HELD_LEAST ? PCS_WATCHED
                                                      : PCS_RESTING;
}

static int pcs_frame_resolve_contact(pcs *p, size_t number, const pcs_hooks *hooks)
{
    int err = 0;
    pcs_pair *x = &p->pair[number];
    pcs_advance(p, x->a);
    pcs_advance(p, x->b);
    make_normal(p, x);
    const int inelastic = ++x->contacts >= INELASTIC;
    pcs_contact c = {.a = x->a, .b = x->b, .time = p->now, .near = x->near, .inelastic = inelastic};
    memcpy(c.normal, x->normal, sizeof c.normal);
    p->counts.contacts++;
    p->counts.inelastic += (uint64_t)inelastic;
    if (hooks->resolve)
        TRY(hooks->resolve(hooks->with, p->bodies, p->def.bodies, &c, p->changed));
    const uint32_t count = list_changed(p);
    pcs_frame_rest(p, x, count);
    pcs_pair_schedule(p, number);
    if (count)
        TRY(pcs_frame_respond(p, count));
out:
    return err;
}

/* ---- the frame */

static int cancelled(const pcs *p)
{
    return p->def.cancel && atomic_load(p->def.cancel);
}

static int pcs_frame_begin(pcs *p, const pcs_hooks *hooks)
{
    int err = 0;
    p->now = 0;
    p->response = 0;
    if (hooks->forces)
        TRY(hooks->forces(hooks->with, p->bodies, p->def.bodies, p->def.step));
    for (uint32_t i = 0; i < p->def.bodies; i++)
        TRY(pcs_frame_read_body(p, i));
    TRY(pcs_set_make(p));
#pragma omp parallel num_threads(p->threads) if (p->pairs > 64)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 16) nowait
    for (size_t i = 0; i < p->pairs; i++)
        if (!cancelled(p))
            pcs_pair_measure(p, &p->pair[i]);
    pcs_order_clear(&p->order);
    for (size_t i = 0; i < p->pairs; i++) {
        p->counts.steps += p->pair[i].near.steps;
        pcs_pair_schedule(p, i);
    }
out:
    return err;
}

/* Processes the first pair: its distance, unless known at its time, and its contact. */
static int pcs_frame_advance_pair(pcs *p, const pcs_entry first, const pcs_hooks *hooks)
{
    pcs_pair *x = &p->pair[first.item];
    p->now = first.time;
    if (x->measured_at < p->now) {
        pcs_pair_measure(p, x);
        p->counts.rechecks++;
        p->counts.steps += x->near.steps;
    }
    if (pcs_pair_in_contact(p, x))
        return pcs_frame_resolve_contact(p, first.item, hooks);
    pcs_pair_schedule(p, first.item);
    return IMP_OK;
}

static void pcs_frame_end(pcs *p)
{
    p->now = p->def.step;
    for (uint32_t i = 0; i < p->def.bodies; i++)
        if (!p->bodies[i].fixed)
            pcs_advance(p, i);
    for (size_t i = 0; i < p->pairs; i++)
        p->counts.rested += p->pair[i].in && p->pair[i].rest != PCS_AWAKE;
}

int pcs_frame(pcs *p, pcs_body *bodies, const pcs_hooks *hooks, pcs_counts *counts)
{
    int err = 0;
    static const pcs_hooks none;
    const pcs_entry *first;
    const pcs_hooks *h = hooks ? hooks : &none;
    p->bodies = bodies;
    p->counts = (pcs_counts){0};
    TRY(pcs_frame_begin(p, h));
    while (!cancelled(p) && (first = pcs_order_first(&p->order)))
        TRY(pcs_frame_advance_pair(p, *first, h));
    if (cancelled(p))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    pcs_frame_end(p);
out:
    if (err)
        memset(p->changed, 0, p->def.bodies * sizeof *p->changed);
    pcs_counts_add(counts, &p->counts);
    return err;
}

/* ---- Opening and closing a loop: see pcs.h. */

#define ENGINE_LEAST 1024 /* bodies: with fewer, the host is faster than starting any device */

static int pcs_open_check_step(double seconds)
{
    if (!(seconds > 0) || !(seconds <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: the step of a frame is %g, not above 0", seconds);
    return IMP_OK;
}

static int pcs_open_check_def(const pcs_def *d)
{
    if (!(d->epsilon > 0) || !(d->epsilon <= DBL_MAX))
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: epsilon is %g, not above 0", d->epsilon);
    if (d->bodies > PCS_BODIES_MOST)
        return imp_fail(IMP_ERR_ARGUMENT, "pcs: %u bodies, more than %u", d->bodies,
                        PCS_BODIES_MOST);
    return pcs_open_check_step(d->step);
}

int pcs_set_step(pcs *p, double seconds)
{
    const int err = pcs_open_check_step(seconds);
    if (!err)
        p->def.step = seconds;
    return err;
}

static int make_arrays(pcs *p)
{
    int err = 0;
    mem *m = p->def.mem;
    const size_t n = p->def.bodies;
    TRY(mem_alloc(m, n * sizeof *p->motion, &p->motion));
    TRY(mem_alloc(m, n * sizeof *p->box, &p->box));
    TRY(mem_alloc(m, n * sizeof *p->first, &p->first));
    TRY(mem_alloc(m, n * sizeof *p->partner, &p->partner));
    TRY(mem_alloc(m, n * sizeof *p->changed, &p->changed));
    TRY(mem_alloc(m, n * sizeof *p->list, &p->list));
    memset(p->motion, 0, n * sizeof *p->motion);
    memset(p->first, 0, n * sizeof *p->first);
    memset(p->partner, 0, n * sizeof *p->partner);
    memset(p->changed, 0, n * sizeof *p->changed);
out:
    return err;
}

/* A missing or unsuitable device is an error even if there are too few bodies for it. If any device
 * is allowed and there are few bodies, the host is used. */
static int open_device(pcs *p, const char *device)
{
    int err = 0;
    imp *proven = NULL;
    const int automatic = !strcmp(device, "auto");
    snprintf(p->device, sizeof p->device, "cpu");
    if (!strcmp(device, "cpu") || (automatic && p->def.bodies < ENGINE_LEAST))
        return IMP_OK;
    if (p->def.bodies >= ENGINE_LEAST)
        TRY(pcs_engine_open(p->def.mem, &p->engine, device, p->threads, p->def.bodies));
    else
        TRY(imp_create(&(imp_def){.device = device, .threads = p->threads}, &proven));
    snprintf(p->device, sizeof p->device, "%s",
             imp_device_name(proven ? proven : p->engine.pipeline));
out:
    imp_destroy(proven);
    return err;
}

const char *pcs_device(const pcs *p)
{
    return p->device;
}

const atomic_int *pcs_cancel(const pcs *p)
{
    return p->def.cancel;
}

int pcs_open(const pcs_def *def, pcs **out)
{
    int err = 0;
    pcs *p = NULL;
    *out = NULL;
    TRY(pcs_open_check_def(def));
    TRY(mem_alloc(def->mem, sizeof *p, &p));
    *p = (pcs){.def = *def, .threads = processors_threads(def->threads)};
    TRY(make_arrays(p));
    TRY(open_device(p, def->device ? def->device : "cpu"));
    *out = p;
    p = NULL;
out:
    pcs_close(p);
    return err;
}

void pcs_close(pcs *p)
{
    if (!p)
        return;
    mem *m = p->def.mem;
    pcs_engine_close(m, &p->engine);
    pcs_tiles_free(m, &p->tiles);
    pcs_order_free(m, &p->order);
    void *arrays[] = {p->motion,  p->box,  p->first, p->partner,
                      p->changed, p->list, p->pair,  p->found.at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        mem_free(m, arrays[i]);
    mem_free(m, p);
}

/* ---- A pair: its distance, whether it is in contact, and the time of its next check.
 *
 * Why a frame ends. Steps without an event have a least length, since S, the greatest speed at
 * which a distance can change, is finite between two responses:
 *     a pair that is awake is farther than epsilon, and steps to where it may be at epsilon / 2:
 *         at least epsilon / (2 S);
 *     one that is watched may approach by WATCH_GAP epsilon: at least WATCH_GAP epsilon / S;
 *     one that is ignored: at least a REST_STEPS-th of the frame;
 *     and each of them at least 2^-52 of the frame, where rounding would take less.
 * Responses are as many as contacts: at most CONTACTS_MOST for each pair of bodies, whatever
 * velocities the caller sets. */

#define FEW 4       /* checks in the rest of the frame: with fewer, the simple bound is used */
#define POINTS 4096 /* vertices of a body: with more, the longer bound costs more than a check */
#define AGAIN 0.75  /* times `held`: distance of a new contact of a pair at rest */
#define AIM 0.65    /* times `held`: target distance of steps of a watched pair */
#define WATCH_GAP 0x1p-6 /* times epsilon: greatest approach of a watched pair in a step */
#define REST_STEPS 64    /* greatest number of checks per frame of an ignored pair */

/* The contact distance of the pair; negative: none. */
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

/* The direction between the closest points, if it is more than rounding errors. */
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

/* shape_distance treats convex bodies as solid; others may be in each other while their surfaces
 * are apart. They can get there only by touching. */
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

/* Seconds until an ignored pair can have separated and approached again, or a small part of a
 * frame: it was resolved, and nothing has moved it apart. */
static double pcs_pair_rest_seconds(const pcs *p, const pcs_pair *x)
{
    const double speed = pcs_speed_most(&p->motion[x->a], &p->motion[x->b]);
    const double seconds = (3 * p->def.epsilon - x->gap.distance - x->gap.error) / speed;
    const double least = p->def.step / REST_STEPS;
    return !(speed > 0) ? INFINITY : seconds > least ? seconds : least;
}

/* Seconds until it can be within that distance: the simple bound, or a longer one if the simple one
 * would need more than a few checks. */
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

/* For a watched pair: seconds until it can be at AIM, or WATCH_GAP nearer. */
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

/* Rounded down, but later than now by the resolution of float64 at the end of a frame. */
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
