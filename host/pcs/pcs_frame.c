/* The loop: see pcs.h. Each body has its motion since its velocities were last changed, and poses
 * are computed from that when they are needed. So measuring a pair moves no body, costs the same
 * for any number of bodies, and leaves no rounding behind. */
#include "pcs_state.h"

#include "error.h"
#include "float_env.h"
#include "vec3.h"

#include <string.h>

/* ---- bodies */

static int pcs_frame_all_finite(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[i] - x[i]; /* 0, or not a number */
    return sum == 0;
}

static long long pcs_frame_body_name(const pcs *p, uint32_t i)
{
    return p->def.name ? p->def.name[i] : (long long)i;
}

/* Velocities from the caller's body. */
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

/* From a to b, where they overlap and always have: from centre to centre. */
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

/* The bodies that the caller has marked, ascending; takes the marks away. */
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

/* New motions begin here; then their pairs. */
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

/* What a pair that was resolved does next. One whose bodies keep their velocities would be in
 * contact again and again until they touch: it is left alone, or comes again at half the distance
 * of others.
 */
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

/* The first pair: its distance, if it is not known at its time, and its contact. */
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
