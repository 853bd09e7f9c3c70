/* imp_pcs_create and imp_pcs_destroy of impinge_pcs.h. */
#include "error.h"
#include "float_env.h"
#include "mem.h"
#include "pcs.h"
#include "pcs_state.h"

#include <stdlib.h>
#include <string.h>

#define TRIANGLES_MOST (UINT32_C(1) << 30) /* shapes number their edges in 32 bits */

/* ---- validation of the input */

static int imp_pcs_points_check(const imp_pcs_mesh *m, uint32_t number)
{
    for (size_t i = 0; i < 3 * (size_t)m->vertices; i++)
        if (!(fabs(m->point[i]) <= DBL_MAX))
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_pcs_create: mesh %u: a coordinate of vertex %zu is not finite",
                            number, i / 3);
    return IMP_OK;
}

static int check_corners(const imp_pcs_mesh *m, uint32_t number)
{
    for (size_t i = 0; i < 3 * (size_t)m->triangles; i++)
        if (m->corner[i] >= m->vertices)
            return imp_fail(IMP_ERR_ARGUMENT,
                            "imp_pcs_create: mesh %u: corner %zu of triangle %zu is vertex %u, but "
                            "there are %u",
                            number, i % 3, i / 3, m->corner[i], m->vertices);
    return IMP_OK;
}

static int imp_pcs_mesh_check(const imp_pcs_mesh *m, uint32_t number)
{
    if (!m->triangles || m->triangles > TRIANGLES_MOST)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_create: mesh %u has %u triangles, not 1 to 2^30",
                        number, m->triangles);
    if (!m->corner || (m->vertices && !m->point))
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_create: mesh %u: %s is NULL", number,
                        m->corner ? "point" : "corner");
    const int err = imp_pcs_points_check(m, number);
    return err ? err : check_corners(m, number);
}

static int imp_pcs_def_check(const imp_pcs_def *d)
{
    int err = IMP_OK;
    if (!(d->epsilon > 0) || !(d->epsilon <= DBL_MAX))
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: epsilon is %g, not finite and above 0", d->epsilon);
    if (d->threads < 0)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: %d threads", d->threads);
    if ((d->meshes && !d->mesh) || (d->bodies && !d->body))
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: %s is NULL",
             d->meshes && !d->mesh ? "mesh" : "body");
    for (uint32_t i = 0; i < d->meshes; i++)
        TRY(imp_pcs_mesh_check(&d->mesh[i], i));
    for (uint32_t i = 0; i < d->bodies; i++)
        if (d->body[i].mesh >= d->meshes)
            FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: body %u has mesh %u, but there are %u", i,
                 d->body[i].mesh, d->meshes);
out:
    return err;
}

/* ---- create and destroy */

static int imp_pcs_make_shapes(imp_pcs *p, const imp_pcs_def *d)
{
    int err = IMP_OK;
    TRY(mem_alloc(&p->mem, d->meshes * sizeof(shape *), &p->shape));
    for (; p->shapes < d->meshes; p->shapes++) {
        const imp_pcs_mesh *m = &d->mesh[p->shapes];
        const shape_def def = {.points = m->point,
                               .vertices = m->vertices,
                               .corner = m->corner,
                               .triangles = m->triangles};
        TRY(shape_make(&p->mem, &def, &p->shape[p->shapes]));
    }
out:
    return err;
}

static int imp_pcs_make_bodies(imp_pcs *p, const imp_pcs_def *d)
{
    int err = IMP_OK;
    TRY(mem_alloc(&p->mem, d->bodies * sizeof *p->body, &p->body));
    TRY(mem_alloc(&p->mem, d->bodies * sizeof *p->pose, &p->pose));
    for (uint32_t i = 0; i < d->bodies; i++)
        p->body[i] = (pcs_body){.shape = p->shape[d->body[i].mesh], .fixed = d->body[i].fixed != 0};
    p->bodies = d->bodies;
out:
    return err;
}

static int open_loop(imp_pcs *p, const imp_pcs_def *d)
{
    const pcs_def def = {.mem = &p->mem,
                         .step = 1, /* overwritten by each step */
                         .epsilon = d->epsilon,
                         .device = d->device,
                         .threads = d->threads,
                         .bodies = d->bodies,
                         .cancel = &p->cancel};
    return pcs_open(&def, &p->loop);
}

int imp_pcs_create(const imp_pcs_def *def, imp_pcs **out)
{
    int err = IMP_OK;
    imp_pcs *p = NULL;
    const float_entry entry = float_enter();
    if (!out)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: out is NULL");
    *out = NULL;
    if (!def)
        FAIL(IMP_ERR_ARGUMENT, "imp_pcs_create: def is NULL");
    TRY(imp_pcs_def_check(def));
    p = calloc(1, sizeof *p); /* not from p->mem, which is part of it */
    if (!p)
        FAIL(IMP_ERR_MEMORY, "out of memory");
    p->mem.limit = def->mem_limit ? def->mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
    TRY(imp_pcs_make_shapes(p, def));
    TRY(imp_pcs_make_bodies(p, def));
    TRY(open_loop(p, def));
    *out = p;
    p = NULL;
out:
    imp_pcs_destroy(p); /* NULL after success */
    float_leave(entry);
    return err;
}

void imp_pcs_destroy(imp_pcs *p)
{
    if (!p)
        return;
    pcs_close(p->loop);
    for (uint32_t i = 0; i < p->shapes; i++)
        shape_free(&p->mem, p->shape[i]);
    mem_free(&p->mem, p->shape);
    mem_free(&p->mem, p->body);
    mem_free(&p->mem, p->pose);
    mem_close(&p->mem);
    free(p);
}

/* ---- A step of impinge_pcs.h: poses become bodies, hooks see poses. */

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

/* Fixed bodies keep the caller's pose to the last bit. */
static void imp_pcs_step_get_pose(const imp_pcs *p, size_t body, imp_pose *out)
{
    const pcs_body *b = &p->body[body];
    if (!b->fixed)
        *out = pcs_pose_of(b);
}

/* ---- hooks */

/* Called after a hook. An error text set by the hook is kept. */
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
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_advance: %s",
                        p ? "no contact hook runs" : "the set of bodies is NULL");
    if (body >= p->bodies)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_pcs_advance: body %u, but there are %u", body,
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
        atomic_store(&p->cancel, 0); /* the request was handled, or the step ended without it */
    p->running = 0;
    float_leave(entry);
    return err;
}

/* Only an atomic store, so that a signal handler may call it. */
void imp_pcs_cancel(imp_pcs *p)
{
    if (p)
        atomic_store(&p->cancel, 1);
}

const char *imp_pcs_device_name(const imp_pcs *p)
{
    return p ? pcs_device(p->loop) : "";
}
