/* A step of impinge_pcs.h: poses become bodies, hooks see poses. */
#include "imp_pcs_state.h"

#include "error.h"
#include "float_env.h"
#include "pcs_feature.h"

#include <string.h>

/* ---- poses and bodies */

static void imp_pcs_step_read_velocities(imp_pcs *p, size_t body)
{
    const imp_pose *from = &p->pose[body];
    pcs_body *to = &p->body[body];
    memcpy(to->velocity, from->velocity, sizeof to->velocity);
    memcpy(to->spin, from->spin, sizeof to->spin);
}

static void imp_pcs_step_set_body(imp_pcs *p, size_t body)
{
    pcs_set_pose(&p->body[body], &p->pose[body]);
}

static void imp_pcs_step_show_body(imp_pcs *p, uint32_t body)
{
    memcpy(p->pose[body].centre, p->body[body].centre, sizeof p->pose->centre);
    memcpy(p->pose[body].rotation, p->body[body].rotation, sizeof p->pose->rotation);
}

/* Fixed bodies have the caller's pose to the last bit. */
static void imp_pcs_step_get_pose(const imp_pcs *p, size_t body, imp_pose *out)
{
    const pcs_body *b = &p->body[body];
    if (!b->fixed)
        *out = pcs_pose_of(b);
}

/* ---- hooks */

/* After a hook. One that set an error text of its own keeps it. */
static int imp_pcs_step_after_hook(const char *hook, int result, unsigned long texts)
{
    float_from_caller();
    if (result && texts == error_texts())
        imp_fail(result, "imp_pcs_step: the hook `%s` ended the step with %d", hook, result);
    return result;
}

static int imp_pcs_step_forces(void *with, pcs_body *bodies, uint32_t count, double seconds)
{
    (void)bodies;
    imp_pcs *p = with;
    const unsigned long texts = error_texts();
    float_to_caller();
    const int result = p->hooks->forces(p->hooks->user, p->pose, seconds);
    for (uint32_t i = 0; i < count; i++)
        imp_pcs_step_read_velocities(p, i);
    return imp_pcs_step_after_hook("forces", result, texts);
}

static imp_pcs_contact imp_pcs_step_make_contact(const pcs_contact *c)
{
    const shape_nearest *near = &c->near;
    imp_pcs_contact out = {.a = c->a,
                           .b = c->b,
                           .time = c->time,
                           .distance = near->distance,
                           .kind = pcs_kind(near),
                           .inelastic = c->inelastic};
    memcpy(out.point, near->point, sizeof out.point);
    memcpy(out.normal, c->normal, sizeof out.normal);
    for (int i = 0; i < 2; i++) {
        out.triangle[i] = near->cell[i];
        out.feature_corners[i] = near->kind[i] == SHAPE_VERTEX ? IMP_VERTICES
                                 : near->kind[i] == SHAPE_EDGE ? IMP_EDGES
                                                               : IMP_TRIANGLES;
        out.feature[i] = pcs_feature_code(near, i, 0);
    }
    return out;
}

static void imp_pcs_step_set_changed(imp_pcs *p, const uint8_t *changed)
{
    const uint8_t *end = changed + p->bodies, *at = changed;
    while (at < end && (at = memchr(at, 1, (size_t)(end - at)))) {
        imp_pcs_step_read_velocities(p, (size_t)(at - changed));
        at++;
    }
}

static int contact(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                   uint8_t *changed)
{
    (void)bodies, (void)count;
    imp_pcs *p = with;
    const imp_pcs_contact of = imp_pcs_step_make_contact(c);
    const unsigned long texts = error_texts();
    imp_pcs_step_show_body(p, c->a);
    imp_pcs_step_show_body(p, c->b);
    p->in_contact = 1;
    float_to_caller();
    const int result = p->hooks->contact(p->hooks->user, p->pose, &of, changed);
    p->in_contact = 0;
    imp_pcs_step_set_changed(p, changed);
    return imp_pcs_step_after_hook("contact", result, texts);
}

int imp_pcs_advance(imp_pcs *p, uint32_t body)
{
    if (!p || !p->in_contact)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_bring: %s",
                        p ? "no contact hook runs" : "the set of bodies is NULL");
    if (body >= p->bodies)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_bring: body %u, but there are %u", body,
                        p->bodies);
    const float_entry entry = float_enter();
    pcs_advance(p->loop, body);
    imp_pcs_step_show_body(p, body);
    float_leave(entry);
    return IMP_OK;
}

/* ---- the step */

static int imp_pcs_step_check(const imp_pcs *p, const imp_pose *pose)
{
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_step: the set of bodies is NULL");
    if (p->running)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_step: a hook of a step cannot begin another");
    if (p->bodies && !pose)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_step: pose is NULL, but there are %u bodies",
                        p->bodies);
    return IMP_OK;
}

static imp_pcs_info imp_pcs_step_info(const pcs_counts *c)
{
    return (imp_pcs_info){.pairs = c->pairs,
                          .checks = c->checks,
                          .rechecks = c->rechecks,
                          .feature_steps = c->steps,
                          .contacts = c->contacts,
                          .inelastic = c->inelastic,
                          .resting = c->rested};
}

static int imp_pcs_step_run(imp_pcs *p, double seconds, const imp_pcs_hooks *hooks,
                            pcs_counts *counts)
{
    int err = IMP_OK;
    static const imp_pcs_hooks none;
    p->hooks = hooks ? hooks : &none;
    const pcs_hooks own = {.with = p,
                           .forces = p->hooks->forces ? imp_pcs_step_forces : NULL,
                           .resolve = p->hooks->contact ? contact : NULL};
    if (atomic_load(&p->cancel)) /* before any hook */
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    TRY(pcs_set_step(p->loop, seconds));
    for (uint32_t i = 0; i < p->bodies; i++)
        imp_pcs_step_set_body(p, i);
    TRY(pcs_frame(p->loop, p->body, &own, counts));
out:
    return err;
}

int imp_pcs_step(imp_pcs *p, imp_pose *pose, double seconds, const imp_pcs_hooks *hooks,
                 imp_pcs_info *info)
{
    pcs_counts counts = {0};
    int err = imp_pcs_step_check(p, pose);
    if (err)
        return err;
    const float_entry entry = float_enter();
    p->running = 1;
    if (p->bodies)
        memcpy(p->pose, pose, p->bodies * sizeof *pose);
    err = imp_pcs_step_run(p, seconds, hooks, &counts);
    for (uint32_t i = 0; i < p->bodies && !err; i++)
        imp_pcs_step_get_pose(p, i, &pose[i]);
    if (info)
        *info = imp_pcs_step_info(&counts);
    if (err)
        atomic_store(&p->cancel, 0); /* a request is served, or the step has ended without it */
    p->running = 0;
    float_leave(entry);
    return err;
}

/* A store alone, so that a signal handler may call it. */
void imp_pcs_cancel(imp_pcs *p)
{
    if (p)
        atomic_store(&p->cancel, 1);
}

const char *imp_pcs_device_name(const imp_pcs *p)
{
    return p ? pcs_device(p->loop) : "";
}
