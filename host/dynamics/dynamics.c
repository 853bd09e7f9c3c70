/* See dynamics.h. */
#include "dynamics.h"

#include "error.h"
#include "scene_math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 4 /* greatest number of solutions of the same contacts */

#define SAME_TIME 0x1p-50 /* relative rounding error of a time */

/* Greatest number of points of a pair in the solution: for a round body that moves far in a frame,
 * nearly all would be included, and the solver's work is the cube of their number. */
#define POINTS_MOST 192

/* A point that may be included; `excess`: its approach speed above the allowed one. */
typedef struct candidate {
    double excess;
    size_t point;
} candidate;

struct dynamics {
    mem *mem;
    const world *w;
    double step, epsilon;
    uint64_t frames; /* number of frames begun */
    touching touching;
    island island;
    impulses *impulses;
    impulse_body *start, *body; /* [bodies] the island's members, before and during the solution */
    size_t bodies;
    impulse_contact *contact;
    size_t contacts, contacts_capacity;
    candidate *candidate;
    size_t candidates_capacity;
};

int dynamics_open(mem *m, const world *w, double step, double epsilon, dynamics **out)
{
    int err = IMP_OK;
    dynamics *d = NULL;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *d, &d));
    *d = (dynamics){.mem = m,
                    .w = w,
                    .step = step,
                    .epsilon = epsilon,
                    .touching = {.mem = m},
                    .island = {.mem = m, .w = w, .step = step, .epsilon = epsilon}};
    TRY(touching_open(&d->touching, w->bodies));
    TRY(island_open(&d->island));
    TRY(impulses_open(m, &d->impulses));
    *out = d;
    d = NULL;
out:
    dynamics_close(d);
    return err;
}

void dynamics_close(dynamics *d)
{
    if (!d)
        return;
    touching_close(&d->touching);
    island_close(&d->island);
    impulses_close(d->impulses);
    mem_free(d->mem, d->start);
    mem_free(d->mem, d->body);
    mem_free(d->mem, d->contact);
    mem_free(d->mem, d->candidate);
    mem_free(d->mem, d);
}

void dynamics_of(dynamics *d, pcs *p)
{
    d->island.pcs = p;
    d->island.patch.cancel = pcs_cancel(p);
}

size_t dynamics_save(const dynamics *d, touching_saved *out)
{
    return touching_save(&d->touching, out);
}

int dynamics_restore(dynamics *d, uint64_t frames, const touching_saved *saved, size_t count)
{
    d->frames = frames;
    return touching_restore(&d->touching, saved, count);
}

/* ---- forces */

static v3 dynamics_vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

static void dynamics_add_vector(double x[3], v3 more)
{
    x[0] += more.x;
    x[1] += more.y;
    x[2] += more.z;
}

/* Solves I x = y for the symmetric matrix xx, yy, zz, xy, xz, yz, by Cramer's rule. */
static v3 solve_inertia(const double i[6], v3 y)
{
    const v3 a = v3_make(i[0], i[3], i[4]), b = v3_make(i[3], i[1], i[5]);
    const v3 c = v3_make(i[4], i[5], i[2]);
    const double det = v3_dot(a, v3_cross(b, c));
    return v3_make(v3_dot(y, v3_cross(b, c)) / det, v3_dot(a, v3_cross(y, c)) / det,
                   v3_dot(a, v3_cross(b, y)) / det);
}

static void dynamics_push(const matter_push *p, const matter_body *of, pcs_body *b, double seconds)
{
    double r[3][3];
    pose_matrix(b->rotation, r);
    const m3 m = {{v3_make(r[0][0], r[0][1], r[0][2]), v3_make(r[1][0], r[1][1], r[1][2]),
                   v3_make(r[2][0], r[2][1], r[2][2])}};
    const m3 back = {{v3_make(r[0][0], r[1][0], r[2][0]), v3_make(r[0][1], r[1][1], r[2][1]),
                      v3_make(r[0][2], r[1][2], r[2][2])}};
    const v3 torque = scene_turn(
        &back, v3_cross(scene_turn(&m, dynamics_vector(p->at)), dynamics_vector(p->force)));
    const v3 spin = scene_turn(&m, solve_inertia(of->inertia, torque));
    dynamics_add_vector(b->velocity, v3_scale(dynamics_vector(p->force), seconds / of->mass));
    dynamics_add_vector(b->spin, v3_scale(spin, seconds));
}

/* Adds gravity and springs. */
static void dynamics_add_forces(const matter *m, uint32_t body, pcs_body *b, double seconds)
{
    for (int k = 0; k < 3; k++) {
        b->velocity[k] += m->gravity[k] * seconds;
        if (m->home)
            b->velocity[k] -=
                m->spring[k] * (b->centre[k] - m->home[3 * (size_t)body + (size_t)k]) * seconds;
    }
}

/* Seconds of the frame during which it is pushed: over all frames as long as the push lasts,
 * whatever the length of frames. Almost none or almost all of the frame is rounded to that, since
 * times are rounded. */
static double pushed_seconds(const dynamics *d, const matter_push *p, double seconds)
{
    const double from = fmax(p->begin, (double)d->frames * d->step);
    const double to = fmin(p->end, (double)(d->frames + 1) * d->step);
    const double part = to - from, nearly = SAME_TIME * fmax(d->step, p->end);
    return part <= nearly ? 0 : part >= seconds - nearly ? seconds : part;
}

int dynamics_forces(void *with, pcs_body *bodies, uint32_t count, double seconds)
{
    dynamics *d = with;
    const matter *m = &d->w->matter;
    touching_begin(&d->touching);
    for (uint32_t i = 0; i < count; i++) {
        if (bodies[i].fixed)
            continue;
        dynamics_add_forces(m, i, &bodies[i], seconds);
    }
    for (const matter_push *p = m->push; p < m->push + m->pushes; p++) {
        const double pushed = pushed_seconds(d, p, seconds);
        if (pushed > 0 && !bodies[p->body].fixed)
            dynamics_push(p, &m->body[p->body], &bodies[p->body], pushed);
    }
    d->frames++;
    return IMP_OK;
}

/* ---- contacts */

/* Speeds with a smaller difference count as equal: it is due to the solver's softness and
 * rounding. */
static double same_speed(const dynamics *d)
{
    return 1e-3 * d->epsilon / d->step;
}

static double excess(const pcs_body *bodies, const island_point *p)
{
    return p->least - island_speed(&bodies[p->a], &bodies[p->b], p);
}

static int is_closing(const dynamics *d, const pcs_body *bodies, const island_point *p)
{
    return excess(bodies, p) > same_speed(d);
}

/* Returns whether any point approaches faster than allowed. */
static int any_closing(const dynamics *d, const pcs_body *bodies)
{
    for (size_t i = 0; i < d->island.points; i++)
        if (is_closing(d, bodies, &d->island.point[i]))
            return 1;
    return 0;
}

static int dynamics_reserve(dynamics *d, uint32_t members)
{
    int err = IMP_OK;
    const size_t bodies = (size_t)2 * members;
    if (members <= d->bodies)
        return IMP_OK;
    d->bodies = 0;
    TRY(mem_grow(d->mem, 0, bodies * sizeof *d->start, &d->start));
    TRY(mem_grow(d->mem, 0, bodies * sizeof *d->body, &d->body));
    d->bodies = bodies;
out:
    return err;
}

static int dynamics_read_bodies(dynamics *d, const pcs_body *bodies)
{
    const island *s = &d->island;
    int err = dynamics_reserve(d, s->members);
    for (uint32_t i = 0; !err && i < s->members; i++) {
        const uint32_t number = s->member[i];
        const pcs_body *b = &bodies[number];
        impulse_body *to = &d->start[i];
        *to = (impulse_body){.mass = d->w->matter.body[number].mass,
                             .centre = dynamics_vector(b->centre),
                             .velocity = dynamics_vector(b->velocity),
                             .spin = dynamics_vector(b->spin)};
        memcpy(to->rotation, b->rotation, sizeof to->rotation);
        memcpy(to->inertia, d->w->matter.body[number].inertia, sizeof to->inertia);
    }
    return err;
}

/* Adds a point as a contact; it bounces if it is fast enough. */
static int dynamics_add_point(dynamics *d, island_point *p, int inelastic)
{
    const matter *m = &d->w->matter;
    const matter_body *a = &m->body[p->a], *b = &m->body[p->b];
    const double bounce = fmax(a->restitution, b->restitution);
    const int bounces = !inelastic && bounce > 0 && p->near && p->speed < -m->slowest;
    int err = mem_fit(d->mem, d->contacts, &d->contacts_capacity, sizeof *d->contact, &d->contact);
    if (err)
        return err;
    p->contact = d->contacts + 1;
    d->contact[d->contacts++] = (impulse_contact){.a = d->island.member_index[p->a],
                                                  .b = d->island.member_index[p->b],
                                                  .at = p->at,
                                                  .normal = p->normal,
                                                  .least = bounces ? 0 : p->least,
                                                  .bounce = bounces ? bounce : 0,
                                                  .friction = fmin(a->friction, b->friction)};
    return IMP_OK;
}

/* Copies the solver's velocities to the bodies. */
static void dynamics_write_velocities(const dynamics *d, pcs_body *bodies)
{
    for (uint32_t i = 0; i < d->island.members; i++) {
        pcs_body *b = &bodies[d->island.member[i]];
        scene_store(b->velocity, d->body[i].velocity);
        scene_store(b->spin, d->body[i].spin);
    }
}

static int by_excess(const void *x, const void *y)
{
    const candidate *a = x, *b = y;
    return a->excess != b->excess ? (a->excess < b->excess ? 1 : -1)
                                  : (a->point > b->point) - (a->point < b->point);
}

/* Selects among the points from..to - 1 of a pair; of more than POINTS_MOST, the fastest. */
static int dynamics_select_pair_points(dynamics *d, const pcs_body *bodies, size_t from, size_t to,
                                       int near, int inelastic)
{
    int err = IMP_OK;
    size_t used = 0, count = 0;
    for (size_t i = from; i < to; i++) {
        const island_point *p = &d->island.point[i];
        used += p->contact > 0;
        if (p->contact || !(near ? p->near : is_closing(d, bodies, p)))
            continue;
        TRY(mem_fit(d->mem, count, &d->candidates_capacity, sizeof *d->candidate, &d->candidate));
        d->candidate[count++] = (candidate){excess(bodies, p), i};
    }
    if (count > POINTS_MOST - used) {
        qsort(d->candidate, count, sizeof *d->candidate, by_excess);
        count = POINTS_MOST - used;
    }
    for (size_t i = 0; i < count; i++)
        TRY(dynamics_add_point(d, &d->island.point[d->candidate[i].point], inelastic));
out:
    return err;
}

/* Selects the points that are near, or those that approach too fast. */
static int dynamics_select_points(dynamics *d, const pcs_body *bodies, int near, int inelastic)
{
    int err = IMP_OK;
    const island *s = &d->island;
    for (size_t from = 0, to; from < s->points; from = to) {
        const island_point *p = &s->point[from];
        for (to = from; to < s->points && s->point[to].a == p->a && s->point[to].b == p->b; to++)
            ;
        TRY(dynamics_select_pair_points(d, bodies, from, to, near, inelastic));
    }
out:
    return err;
}

/* Updates the limits, which depend on the changed velocities. Contacts without bounce that approach
 * too fast get the new limit. Returns whether there are any. */
static int renew_least(dynamics *d, const pcs_body *bodies)
{
    int any = 0;
    island *s = &d->island;
    for (size_t i = 0; i < s->points; i++) {
        island_point *p = &s->point[i];
        p->least = island_least(s, p);
        if (!p->contact || d->contact[p->contact - 1].bounce > 0 || !is_closing(d, bodies, p))
            continue;
        d->contact[p->contact - 1].least = p->least;
        any = 1;
    }
    return any;
}

/* Includes near points and those that approach too fast. The changed velocities may make others
 * approach too fast: then all is solved again from the velocities before, a few times at most. */
static int dynamics_solve(dynamics *d, pcs_body *bodies, int inelastic)
{
    int err = IMP_OK, again = 1;
    island *s = &d->island;
    d->contacts = 0;
    TRY(dynamics_select_points(d, bodies, 1, inelastic));
    TRY(dynamics_select_points(d, bodies, 0, inelastic));
    TRY(dynamics_read_bodies(d, bodies));
    for (int round = 0; again && round < ROUNDS; round++) {
        const size_t solved = d->contacts;
        TRY(patch_check_cancel(&s->patch));
        memcpy(d->body, d->start, s->members * sizeof *d->body);
        TRY(impulses_solve(d->impulses, d->body, s->members, d->contact, solved));
        dynamics_write_velocities(d, bodies);
        again = renew_least(d, bodies);
        TRY(dynamics_select_points(d, bodies, 0, inelastic));
        again |= d->contacts > solved;
    }
out:
    return err;
}

static int dynamics_same_vector(v3 x, v3 y)
{
    return x.x == y.x && x.y == y.y && x.z == y.z;
}

static void dynamics_mark_changed(const dynamics *d, uint8_t *changed)
{
    for (uint32_t i = 0; i < d->island.members; i++) {
        const impulse_body *x = &d->start[i], *y = &d->body[i];
        if (!dynamics_same_vector(x->velocity, y->velocity) ||
            !dynamics_same_vector(x->spin, y->spin))
            changed[d->island.member[i]] = 1;
    }
}

/* Tests the two bodies alone first: once one contact of several bodies is solved, so are the
 * others, which pcs reports next. */
int dynamics_resolve(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                     uint8_t *changed)
{
    int err = IMP_OK;
    dynamics *d = with;
    island *s = &d->island;
    const shape_nearest *near = &contact->near;
    const v3 normal = dynamics_vector(contact->normal);
    const manifold_point nearest = {
        v3_scale(v3_add(dynamics_vector(near->point[0]), dynamics_vector(near->point[1])), 0.5),
        normal, near->distance, island_owner(near)};
    const int listed[2] = {!bodies[contact->a].fixed, !bodies[contact->b].fixed};
    uint32_t pair;
    (void)count;
    TRY(touching_add(&d->touching, contact->a, contact->b, listed, normal, &pair));
    island_clear(s, bodies, d->step - contact->time);
    s->again = contact->inelastic;
    TRY(island_pair(s, contact->a, contact->b, &nearest));
    if (!any_closing(d, bodies))
        goto out;
    TRY(island_spread(s, &d->touching, pair));
    TRY(dynamics_solve(d, bodies, contact->inelastic));
    dynamics_mark_changed(d, changed);
out:
    return err;
}
