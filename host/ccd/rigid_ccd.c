/* See rigid_ccd.h. */
#include "rigid_ccd.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "bodies.h"
#include "prim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rotating bodies */

static int rigid_ccd_body_rotates(const imp_frame *from, uint32_t body)
{
    const imp_frame *to = from + 1;
    return motion_rotates(from->pose + body, to->pose + body, to->time - from->time);
}

/* Without poses at both ends vertices of bodies move linearly, as all others. */
static uint32_t bodies_of_step(const imp_frame *from)
{
    return from[0].pose && from[1].pose ? from->mesh->bodies : 0;
}

static int rigid_ccd_same_rotation(const imp_frame *x, const imp_frame *y)
{
    const uint32_t n = bodies_of_step(x);
    if (bodies_of_step(y) != n)
        return 0;
    for (uint32_t b = 0; b < n; b++)
        if (rigid_ccd_body_rotates(x, b) != rigid_ccd_body_rotates(y, b))
            return 0;
    return 1;
}

size_t rigid_ccd_steps(const imp_frame *frame, size_t steps)
{
    size_t n = 1;
    while (n < steps && rigid_ccd_same_rotation(frame, frame + n))
        n++;
    return n;
}

static int rigid_ccd_any_rotation(const imp_frame *from)
{
    for (uint32_t b = 0; b < bodies_of_step(from); b++)
        if (rigid_ccd_body_rotates(from, b))
            return 1;
    return 0;
}

static void rigid_ccd_find_bodies(const imp_frame *from, uint32_t *body)
{
    const imp_mesh *m = from->mesh;
    for (uint32_t i = 0; i < m->primitives; i++) {
        const int32_t object = m->object ? m->object[i] : 0;
        /* objects are mostly runs of primitives */
        if (i && m->object && object == m->object[i - 1]) {
            body[i] = body[i - 1];
            continue;
        }
        const uint32_t b = body_number(m->body, m->bodies, object);
        body[i] = b != NO_BODY && rigid_ccd_body_rotates(from, b) ? b : NO_BODY;
    }
}

/* ---- motions */

static void rigid_ccd_find_motions(rigid_ccd *t)
{
    for (uint32_t f = 0; f < t->frames; f++) {
        const double seconds = t->to[f].time - t->from[f].time;
        for (uint32_t b = 0; b < t->bodies; b++) {
            const size_t i = (size_t)t->bodies * f + b;
            t->motion[i] = motion_static();
            motion_set_rotation(&t->motion[i], t->from[f].pose + b, t->to[f].pose + b, seconds);
        }
    }
}

static void rigid_ccd_find_radii(rigid_ccd *t)
{
    const imp_mesh *m = t->from->mesh;
    memset(t->radius, 0, t->bodies * sizeof *t->radius);
    for (uint32_t i = 0; i < m->primitives; i++)
        for (uint32_t k = 0; k < mesh_corners_of(m, i) && t->body[i] != NO_BODY; k++) {
            double *radius = &t->radius[t->body[i]];
            *radius = fmax(*radius, pose_length(m->rest + (size_t)3 * mesh_vertex(m, i, k)));
        }
}

/* ---- the tolerance */

static int rigid_ccd_is_finite(const double x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* Reads the vertices of a primitive. 0: one is not finite. */
static int read_finite(const imp_frame *f, uint32_t i, double x[4][3])
{
    int finite = 1;
    for (uint32_t k = 0; k < 4; k++) {
        frame_vertex(f, mesh_vertex(f->mesh, i, k), x[k]);
        finite &= rigid_ccd_is_finite(x[k]);
    }
    return finite;
}

/* Adds a primitive to a box, if all of its vertices are finite. */
static void rigid_ccd_box_add(const imp_frame *f, uint32_t i, double lo[3], double hi[3])
{
    double x[4][3];
    const int finite = read_finite(f, i, x);
    for (int k = 0; k < 12 && finite; k++) {
        lo[k % 3] = fmin(lo[k % 3], x[k / 3][k % 3]);
        hi[k % 3] = fmax(hi[k % 3], x[k / 3][k % 3]);
    }
}

/* Half of the largest extent of a frame. */
static double rigid_ccd_half_extent(const imp_frame *f)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double most = 0;
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        rigid_ccd_box_add(f, i, lo, hi);
    for (int k = 0; k < 3; k++)
        most = lo[k] <= hi[k] ? fmax(most, 0.5 * hi[k] - 0.5 * lo[k]) : most;
    return most;
}

/* A part of a frame has the tolerance of the whole frame. */
static double rigid_ccd_extent(const context *c, const imp_frame *f)
{
    return c->opt.whole ? c->opt.whole->half : rigid_ccd_half_extent(f);
}

static imp_turns rigid_ccd_find_rotating(const context *c, const rigid_ccd *t, uint32_t f)
{
    imp_turns out = {0};
    if (c->opt.whole)
        return c->opt.whole->turns;
    for (uint32_t b = 0; b < t->bodies; b++)
        if (rigid_ccd_body_rotates(&t->from[f], b))
            motion_join(&out, &t->motion[(size_t)t->bodies * f + b], t->radius[b],
                        t->from->mesh->body[b]);
    return out;
}

/* Fails: the rotation of a body is too long for any tolerance, or for this one. The text has the
 * least possible tolerance, rounded up. */
static int rigid_ccd_fail_rotation(const rigid_ccd *t, uint32_t f, const imp_turns *turns)
{
    const unsigned long long frame = t->from[f].number;
    if (!(turns->arc <= DBL_MAX))
        return imp_fail(
            IMP_ERR_INPUT,
            "bodies: frame %llu: body %d turns too often to be counted until the next frame; are "
            "its angular velocity and the times of both frames right?",
            frame, turns->body);
    return imp_fail(IMP_ERR_INPUT,
                    "bodies: frame %llu: body %d turns by %.4g radians until the next frame, too "
                    "much for shares of the "
                    "step at which its contacts are within the tolerance %.3g: at least %.3e is "
                    "needed; are its "
                    "angular velocity and the times of both frames right?",
                    frame, turns->body, turns->angle, 2 * t->tolerance[f],
                    1.001 * motion_least_arc(turns->arc));
}

/* half: half of the largest extent of both frames. */
static int check_tolerance(const context *c, const rigid_ccd *t, uint32_t f, double half)
{
    const imp_turns turns = rigid_ccd_find_rotating(c, t, f);
    const double least = motion_least_rounding(half, turns.radius / 2);
    if (!(t->tolerance[f] >= motion_least_arc(turns.arc / 2)))
        return rigid_ccd_fail_rotation(t, f, &turns);
    if (!(t->tolerance[f] >= least))
        return imp_fail(
            IMP_ERR_ARGUMENT,
            "bodies: frame %llu: the tolerance %.3g cannot be kept for bodies that turn: with an "
            "extent of %.3g and vertices %.3g from the origins of their bodies at least "
            "%.3e is needed",
            (unsigned long long)t->from[f].number, 2 * t->tolerance[f], 2 * half, turns.radius,
            2 * 1.001 * least);
    return IMP_OK;
}

static int rigid_ccd_find_tolerances(const context *c, rigid_ccd *t)
{
    int err = IMP_OK;
    const double given = c->opt.tolerance / 2;
    double before = rigid_ccd_extent(c, &t->from[0]);
    for (uint32_t f = 0; f < t->frames; f++) {
        const double next = rigid_ccd_extent(c, &t->to[f]), half = fmax(before, next);
        t->tolerance[f] = given > 0 ? given : MOTION_TOLERANCE * half;
        TRY(check_tolerance(c, t, f, half));
        before = next;
    }
out:
    return err;
}

/* The body that rotates more, of those of the two primitives. */
static uint32_t faster_of(const rigid_ccd *t, uint32_t f, uint32_t a, uint32_t b)
{
    const uint32_t x = t->body[a], y = t->body[b];
    const body_motion *motion = t->motion + (size_t)t->bodies * f;
    return x == NO_BODY || (y != NO_BODY && motion[y].angle > motion[x].angle) ? y : x;
}

int rigid_ccd_fail_tests(const rigid_ccd *t, uint32_t f, uint32_t a, uint32_t b)
{
    const uint32_t body = faster_of(t, f, a, b);
    return imp_fail(
        IMP_ERR_INPUT,
        "bodies: frame %llu: body %d turns by %.4g radians until the next frame, and whether "
        "primitives %u and %u meet takes more than %u looks; with a greater tolerance or "
        "more frames it takes fewer",
        (unsigned long long)t->from[f].number, t->from->mesh->body[body],
        t->motion[(size_t)t->bodies * f + body].angle, a, b, RIGID_INTERVALS_MOST);
}

/* ---- pairs of objects */

static int compare_keys(const void *p, const void *q)
{
    const uint64_t x = *(const uint64_t *)p, y = *(const uint64_t *)q;
    return (x > y) - (x < y);
}

static uint64_t rigid_ccd_self_key(const rigid_ccd *t, uint32_t b)
{
    const int32_t object = t->from->mesh->body[b];
    return object_pair(object, object);
}

/* Returns whether the key is the pair of a rotating body with itself. */
static int rigid_ccd_is_self_pair(const rigid_ccd *t, uint64_t key)
{
    const imp_mesh *m = t->from->mesh;
    for (uint32_t low = 0, high = m->bodies; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        const uint64_t own = rigid_ccd_self_key(t, middle);
        if (own == key)
            return rigid_ccd_body_rotates(t->from, middle);
        low = own < key ? middle + 1 : low;
        high = own < key ? high : middle;
    }
    return 0;
}

/* Excludes pairs of a rotating body with itself: removes them from a list of allowed pairs, or adds
 * them to a list of excluded pairs. */
static int list_pairs(const context *c, rigid_ccd *t)
{
    int err = IMP_OK;
    const options *o = &c->opt;
    TRY(mem_alloc(c->mem, ((size_t)o->listed + t->bodies) * sizeof *t->list, &t->list));
    for (uint32_t i = 0; i < o->listed; i++)
        if (!(o->rules & RULE_LIST_ONLY) || !rigid_ccd_is_self_pair(t, o->list[i]))
            t->list[t->listed++] = o->list[i];
    t->rules = o->rules;
    if (o->rules & RULE_LIST_ONLY)
        return IMP_OK;
    t->rules |= RULE_LIST_NOT;
    for (uint32_t b = 0; b < t->bodies; b++)
        if (rigid_ccd_body_rotates(t->from, b))
            t->list[t->listed++] = rigid_ccd_self_key(t, b);
    qsort(t->list, t->listed, sizeof *t->list, compare_keys);
out:
    return err;
}

context step_context(const rigid_ccd *t, const context *c)
{
    context out = *c;
    out.opt.tree.volume = IMP_VOLUME_DOP;
    if (!t || !rigid_ccd_any(t))
        return out;
    out.opt.list = t->list;
    out.opt.listed = t->listed;
    out.opt.rules = (out.opt.rules & ~RULE_OBJECTS) | (t->rules & RULE_OBJECTS);
    return out;
}

/* ---- opening */

int rigid_ccd_open(const context *c, const imp_frame *frame, size_t frames, rigid_ccd *out)
{
    int err = IMP_OK;
    *out = (rigid_ccd){0};
    if (!frames || !rigid_ccd_any_rotation(frame))
        return IMP_OK;
    out->from = frame;
    out->to = frame + 1;
    out->frames = (uint32_t)frames;
    out->bodies = frame->mesh->bodies;
    const size_t motions = frames * out->bodies;
    TRY(mem_alloc(c->mem, frame->mesh->primitives * sizeof *out->body, &out->body));
    TRY(mem_alloc(c->mem, motions * sizeof *out->motion, &out->motion));
    TRY(mem_alloc(c->mem, frames * sizeof *out->tolerance, &out->tolerance));
    TRY(mem_alloc(c->mem, out->bodies * sizeof *out->radius, &out->radius));
    rigid_ccd_find_bodies(frame, out->body);
    rigid_ccd_find_motions(out);
    rigid_ccd_find_radii(out);
    TRY(rigid_ccd_find_tolerances(c, out));
    TRY(list_pairs(c, out));
out:
    if (err)
        rigid_ccd_close(c->mem, out);
    return err;
}

void rigid_ccd_close(mem *m, rigid_ccd *t)
{
    mem_free(m, t->body);
    mem_free(m, t->motion);
    mem_free(m, t->tolerance);
    mem_free(m, t->radius);
    mem_free(m, t->list);
    *t = (rigid_ccd){0};
}

/* ---- primitives */

/* Scales by two factors, since their product may overflow. */
static void scale_by(const normalisation *u, uint32_t f, double x[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = x[k] * u->scale[(size_t)2 * f] * u->scale[(size_t)2 * f + 1];
}

static void read_scaled(const imp_frame *frame, const normalisation *u, uint32_t f, uint32_t v,
                        double out[3])
{
    frame_vertex(frame, v, out);
    scale_by(u, f, out);
}

/* Reads the vertices of a primitive that moves linearly. */
static void rigid_ccd_read_linear(const rigid_ccd *t, const normalisation *u, uint32_t f,
                                  rigid_prim *p)
{
    for (int k = 0; k < p->corners; k++) {
        read_scaled(&t->from[f], u, f, p->vertex[k], p->at[0][k]);
        read_scaled(&t->to[f], u, f, p->vertex[k], p->at[1][k]);
    }
}

/* The largest distance of an instant's points from their posed positions, relative to the centre,
 * so that its rounding error does not depend on the centre's position. */
static double off_pose(const imp_frame *frame, const normalisation *u, uint32_t f,
                       const imp_pose *pose, const double centre[3], const rigid_prim *p)
{
    pose_map map = {.t = {0, 0, 0}};
    double most = 0;
    pose_matrix(pose->rotation, map.r);
    for (int k = 0; k < p->corners; k++) {
        double at[3], posed[3];
        read_scaled(frame, u, f, p->vertex[k], at);
        pose_put(&map, p->at[0][k], posed);
        for (int d = 0; d < 3; d++)
            at[d] = at[d] - centre[d] - posed[d];
        most = fmax(most, pose_length(at));
    }
    return most;
}

static void rigid_ccd_read_rotating(const rigid_ccd *t, const normalisation *u, uint32_t f,
                                    uint32_t body, rigid_prim *p)
{
    const imp_pose *pose[2] = {t->from[f].pose + body, t->to[f].pose + body};
    p->motion = t->motion[(size_t)t->bodies * f + body];
    for (int e = 0; e < 2; e++) {
        memcpy(p->motion.centre[e], pose[e]->centre, sizeof p->motion.centre[e]);
        scale_by(u, f, p->motion.centre[e]);
    }
    for (int k = 0; k < p->corners; k++) {
        memcpy(p->at[0][k], t->from->mesh->rest + (size_t)3 * p->vertex[k], sizeof p->at[0][k]);
        scale_by(u, f, p->at[0][k]);
        p->radius = fmax(p->radius, pose_length(p->at[0][k]));
    }
    p->point_error = fmax(off_pose(&t->from[f], u, f, pose[0], p->motion.centre[0], p),
                          off_pose(&t->to[f], u, f, pose[1], p->motion.centre[1], p));
}

rigid_prim rigid_prim_of(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t i)
{
    const imp_mesh *m = t->from->mesh;
    rigid_prim p = {.corners = mesh_corners_of(m, i) == IMP_TETRAHEDRA ? 4 : 3};
    p.rotates = t->body[i] != NO_BODY;
    for (int k = 0; k < p.corners; k++)
        p.vertex[k] = mesh_vertex(m, i, (uint32_t)k);
    if (p.rotates)
        rigid_ccd_read_rotating(t, u, f, t->body[i], &p);
    else
        rigid_ccd_read_linear(t, u, f, &p);
    return p;
}

double rigid_ccd_tolerance(const rigid_ccd *t, const normalisation *u, uint32_t f)
{
    return 2 * (t->tolerance[f] * u->scale[(size_t)2 * f] * u->scale[(size_t)2 * f + 1]);
}

/* ---- bounds */

/* Returns whether a vertex is not finite at either instant. */
static int is_bad(const rigid_ccd *t, uint32_t f, uint32_t i)
{
    double x[4][3];
    return !read_finite(&t->from[f], i, x) || !read_finite(&t->to[f], i, x);
}

/* With this margin a pair is a candidate if its distance falls to the tolerance at any time, so
 * that results do not depend on bounds. The sum may be NaN by overflow, even for finite points. */
static double rigid_ccd_margin(const rigid_ccd *t, const normalisation *u, uint32_t f, uint32_t i)
{
    if (t->body[i] == NO_BODY)
        return 0;
    const rigid_prim p = rigid_prim_of(t, u, f, i);
    const double chord_error = motion_chord_error(motion_angle(&p.motion, 1)) * p.radius;
    const double sum = motion_margin(chord_error, p.point_error, rigid_ccd_tolerance(t, u, f));
    const double margin = sum * 1.000001 + 1e-12;
    return margin < BOUND_GROW_MOST ? margin : is_bad(t, f, i) ? 0 : BOUND_GROW_MOST;
}

void rigid_ccd_margins(const rigid_ccd *t, const normalisation *u, int threads, double *margin)
{
    const int64_t n = t->from->mesh->primitives, all = n * t->frames;
#pragma omp parallel num_threads(threads) if (all > 1024)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < all; i++)
        margin[i] = rigid_ccd_margin(t, u, (uint32_t)(i / n), (uint32_t)(i % n));
}
