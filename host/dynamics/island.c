/* See dynamics.h. */
#include "dynamics.h"
#include "error.h"
#include "scene_math.h"

#include <math.h>
#include <string.h>

#define HELD 0.8          /* times epsilon: the gap to keep; pcs reports the next contact at 0.75 */
#define TURN_MOST 0.25    /* radians up to which second order is used */
#define AGAIN_TURN 0x1p-3 /* radians: the same for a pair in contact again and again */
#define APART 0.2         /* fraction of an overlap that is corrected in a frame */

int island_open(island *s)
{
    int err = IMP_OK;
    const uint32_t n = s->w->bodies;
    s->manifold.mem = s->patch.mem = s->mem;
    TRY(mem_alloc(s->mem, n * sizeof *s->member_index, &s->member_index));
    TRY(mem_alloc(s->mem, n * sizeof *s->member, &s->member));
    for (uint32_t i = 0; i < n; i++)
        s->member_index[i] = IMPULSE_FIXED;
out:
    return err;
}

void island_close(island *s)
{
    if (s->mem) {
        mem_free(s->mem, s->member_index);
        mem_free(s->mem, s->member);
        mem_free(s->mem, s->point);
    }
    manifold_free(&s->manifold);
    patch_free(&s->patch);
}

void island_clear(island *s, const pcs_body *body, double rest)
{
    for (uint32_t i = 0; i < s->members; i++)
        s->member_index[s->member[i]] = IMPULSE_FIXED;
    s->members = 0;
    s->points = 0;
    s->again = 0;
    s->body = body;
    s->rest = rest;
}

static void island_add_body(island *s, uint32_t body)
{
    if (s->body[body].fixed || s->member_index[body] != IMPULSE_FIXED)
        return;
    s->member_index[body] = s->members;
    s->member[s->members++] = body;
}

/* ---- contact points of a pair */

static v3 island_vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

static v3 arm(const pcs_body *b, v3 at)
{
    return v3_sub(at, island_vector(b->centre));
}

static v3 velocity_at(const pcs_body *b, v3 at)
{
    return v3_add(island_vector(b->velocity), v3_cross(island_vector(b->spin), arm(b, at)));
}

double island_speed(const pcs_body *a, const pcs_body *b, const island_point *p)
{
    return v3_dot(p->normal, v3_sub(velocity_at(b, p->at), velocity_at(a, p->at)));
}

/* A point of a rotating body moves on an arc: its displacement towards the axis, relative to the
 * tangent, to second order. */
static v3 island_chord_error(const pcs_body *b, v3 at, double seconds)
{
    const v3 spin = island_vector(b->spin);
    return v3_scale(v3_cross(spin, v3_cross(spin, arm(b, at))), seconds * seconds / 2);
}

/* The gap after that time minus its linear prediction: points move on arcs, and the normal rotates
 * with its surface while the other one slides along it. */
static double second_order(const island_point *p, const pcs_body *a, const pcs_body *b,
                           double seconds)
{
    const v3 slide = v3_sub(velocity_at(b, p->at), velocity_at(a, p->at));
    const v3 spin = v3_add(v3_scale(island_vector(a->spin), 1 - p->of_b),
                           v3_scale(island_vector(b->spin), p->of_b));
    const v3 more =
        v3_sub(island_chord_error(b, p->at, seconds), island_chord_error(a, p->at, seconds));
    const v3 turned = v3_scale(v3_cross(spin, p->normal), seconds * seconds);
    return v3_dot(p->normal, more) + v3_dot(turned, slide);
}

/* Second order is inaccurate for large rotations, and no point has to leave faster than it
 * approached. A pair that is in contact again and again in a frame is pushed together by second
 * order, such as one body that slides on a face of another, rotating one. It has to leave at the
 * speed required by that, for as long as second order is accurate: otherwise its contacts would end
 * only at the greatest number per pair, and the bodies would penetrate from there on. */
double island_least(const island *s, const island_point *p)
{
    const pcs_body *a = &s->body[p->a], *b = &s->body[p->b];
    const double turn =
        fmax(scene_norm(island_vector(a->spin)), scene_norm(island_vector(b->spin)));
    const double rest = p->again ? fmin(s->rest, AGAIN_TURN / turn) : s->rest;
    const double seconds = p->near && !p->again ? s->step : rest;
    const double missing = HELD * s->epsilon - p->gap;
    const double more = p->again || turn * seconds < TURN_MOST ? second_order(p, a, b, seconds) : 0;
    if (!(seconds > 0))
        return missing > 0 ? 0 : -INFINITY;
    if (more >= missing)
        return (missing - more) / seconds;
    const double apart = missing > 0 ? APART * missing / seconds : 0;
    const double least = apart + fmin(missing - more, fmax(-more, 0)) / seconds;
    return p->again ? least : fmin(least, fmax(apart, fabs(p->speed)));
}

static int island_add_point(island *s, uint32_t a, uint32_t b, const manifold_point *from)
{
    int err = mem_fit(s->mem, s->points, &s->points_capacity, sizeof *s->point, &s->point);
    if (err)
        return err;
    island_point p = {.a = a, .b = b, .at = from->at, .normal = from->normal, .gap = from->gap};
    p.of_b = from->of_b;
    p.again = s->again;
    p.speed = island_speed(&s->body[a], &s->body[b], &p);
    p.near = from->gap <= 2 * s->epsilon;
    p.least = island_least(s, &p);
    s->point[s->points++] = p;
    return IMP_OK;
}

/* Upper limit of their relative angular velocity, in radians per second. */
static double island_angular_speed(const pcs_body *a, const pcs_body *b)
{
    return scene_norm(island_vector(a->spin)) + scene_norm(island_vector(b->spin));
}

/* The greatest gap of points that matter in this frame: their possible approach, and a little
 * more. */
static double island_reach(const island *s, const pcs_body *a, const pcs_body *b)
{
    const v3 velocity = v3_sub(island_vector(b->velocity), island_vector(a->velocity));
    const double surface = scene_norm(island_vector(a->spin)) * shape_radius(a->shape) +
                           scene_norm(island_vector(b->spin)) * shape_radius(b->shape);
    return 2 * s->epsilon + s->step * (scene_norm(velocity) + surface);
}

static int island_find_convex(island *s, const patch_body body[2], const patch_query *query)
{
    const geom *a = body[0].geom, *b = body[1].geom;
    const pose_map *pa = body[0].pose, *pb = body[1].pose;
    const v3 normal = query->overlap ? manifold_exit_normal(a, pa, b, pb) : query->normal;
    return manifold_find(a, pa, b, pb, normal, query->reach, query->slack, &s->manifold);
}

int island_pair(island *s, uint32_t a, uint32_t b, const manifold_point *nearest)
{
    int err = IMP_OK;
    const pcs_body *of_a = &s->body[a], *of_b = &s->body[b];
    const pose_map pa = pcs_map_of(of_a), pb = pcs_map_of(of_b);
    const patch_body body[2] = {{s->w->geom[s->w->of[a]], of_a->shape, &pa},
                                {s->w->geom[s->w->of[b]], of_b->shape, &pb}};
    /* closest points give no information about overlaps */
    const patch_query query = {.normal = nearest->normal,
                               .reach = island_reach(s, of_a, of_b),
                               .slack = 2 * s->epsilon,
                               .turn = s->step * island_angular_speed(of_a, of_b),
                               .overlap = !(nearest->gap > 0)};
    const manifold *m = &s->manifold;
    double least = INFINITY;
    TRY(body[0].geom->convex && body[1].geom->convex
            ? island_find_convex(s, body, &query)
            : patch_find(&s->patch, body, &query, &s->manifold));
    for (size_t i = 0; i < m->count; i++) {
        least = m->point[i].gap < least ? m->point[i].gap : least;
        TRY(island_add_point(s, a, b, &m->point[i]));
    }
    if (nearest->gap < least - s->epsilon / 16)
        TRY(island_add_point(s, a, b, nearest));
    island_add_body(s, a);
    island_add_body(s, b);
out:
    return err;
}

/* ---- touching bodies */

/* The present closest points of two bodies; returns 0 if they are too far apart to matter. */
static int still_near(const island *s, touching_pair *p, manifold_point *nearest)
{
    const pcs_body *a = &s->body[p->body[0]], *b = &s->body[p->body[1]];
    for (int i = 0; i < 2; i++)
        pcs_advance(s->pcs, p->body[i]);
    const pose_map pa = pcs_map_of(a), pb = pcs_map_of(b);
    shape_nearest near;
    shape_distance(a->shape, &pa, b->shape, &pb, &p->cache, &near);
    if (near.distance > island_reach(s, a, b))
        return 0;
    const v3 from = island_vector(near.point[0]), to = island_vector(near.point[1]);
    if (near.distance > 2 * near.error && near.distance > s->epsilon / 16)
        p->normal = scene_unit(v3_sub(to, from));
    *nearest = (manifold_point){v3_scale(v3_add(from, to), 0.5), p->normal, near.distance,
                                island_owner(&near)};
    return 1;
}

static int spread_over(island *s, touching *t, uint32_t pair)
{
    touching_pair *p = &t->pair[pair];
    manifold_point nearest;
    const int err = patch_check_cancel(&s->patch);
    if (err || p->turn == t->turn)
        return err;
    p->turn = t->turn;
    return still_near(s, p, &nearest) ? island_pair(s, p->body[0], p->body[1], &nearest) : IMP_OK;
}

int island_spread(island *s, touching *t, uint32_t first)
{
    int err = IMP_OK;
    s->again = 0;
    t->pair[first].turn = ++t->turn;
    for (uint32_t i = 0; i < s->members; i++)
        for (uint32_t k = t->first[s->member[i]]; k != TOUCHING_NONE;
             k = touching_next(t, k, s->member[i]))
            TRY(spread_over(s, t, k));
out:
    return err;
}

int touching_open(touching *t, uint32_t bodies)
{
    int err = mem_alloc(t->mem, bodies * sizeof *t->first, &t->first);
    for (uint32_t i = 0; !err && i < bodies; i++)
        t->first[i] = TOUCHING_NONE;
    return err;
}

void touching_close(touching *t)
{
    if (t->mem) {
        mem_free(t->mem, t->first);
        mem_free(t->mem, t->pair);
    }
    *t = (touching){0};
}

static void touching_insert(touching *t, uint32_t number)
{
    touching_pair *p = &t->pair[number];
    for (int i = 0; i < 2; i++)
        if (p->listed[i]) {
            p->next[i] = t->first[p->body[i]];
            t->first[p->body[i]] = number;
        }
}

void touching_begin(touching *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++)
        for (int k = 0; k < 2; k++)
            t->first[t->pair[i].body[k]] = TOUCHING_NONE;
    for (size_t i = 0; i < t->count; i++) {
        if (t->pair[i].frame != t->frame)
            continue;
        t->pair[count] = t->pair[i];
        touching_insert(t, (uint32_t)count++);
    }
    t->count = count;
    t->frame++;
}

int touching_add(touching *t, uint32_t a, uint32_t b, const int listed[2], v3 normal,
                 uint32_t *pair)
{
    int err = IMP_OK;
    const uint32_t from = listed[0] ? a : b;
    uint32_t i = t->first[from];
    while (i != TOUCHING_NONE && (t->pair[i].body[0] != a || t->pair[i].body[1] != b))
        i = touching_next(t, i, from);
    if (i == TOUCHING_NONE) {
        TRY(mem_fit(t->mem, t->count, &t->capacity, sizeof *t->pair, &t->pair));
        i = (uint32_t)t->count++;
        t->pair[i] = (touching_pair){.body = {a, b}, .listed = {listed[0], listed[1]}};
        touching_insert(t, i);
    }
    t->pair[i].frame = t->frame;
    t->pair[i].normal = normal;
    *pair = i;
out:
    return err;
}

/* ---- saved between two frames */

size_t touching_save(const touching *t, touching_saved *out)
{
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const touching_pair *p = &t->pair[i];
        if (p->frame != t->frame)
            continue;
        if (out) {
            touching_saved *k = &out[count];
            memset(k, 0, sizeof *k); /* no padding bytes that differ from run to run */
            for (int side = 0; side < 2; side++) {
                k->body[side] = p->body[side];
                k->listed[side] = p->listed[side];
            }
            k->cache = p->cache;
            k->normal[0] = p->normal.x, k->normal[1] = p->normal.y, k->normal[2] = p->normal.z;
        }
        count++;
    }
    return count;
}

int touching_restore(touching *t, const touching_saved *saved, size_t count)
{
    int err = IMP_OK;
    t->count = 0;
    TRY(mem_grow(t->mem, 0, (count + 1) * sizeof *t->pair, &t->pair));
    t->capacity = count + 1;
    t->count = count;
    t->frame = t->turn = 0;
    for (size_t i = 0; i < count; i++) {
        const touching_saved *k = &saved[i];
        t->pair[i] = (touching_pair){.body = {k->body[0], k->body[1]},
                                     .listed = {k->listed[0], k->listed[1]},
                                     .normal = v3_make(k->normal[0], k->normal[1], k->normal[2]),
                                     .cache = k->cache};
    }
out:
    return err;
}
