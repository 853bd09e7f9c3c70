/* See rigid_acts.h. */
#include "rigid_acts.h"

#include "boxes.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>

const act_case act_cases[ACT_CASES] = {
    {"boxes", 3, 60, 0, {.continuous = 1}},
    {"far", 3, 170, 0, {.continuous = 1, .tolerance = 1e-4}},
    {"spins", 3, 500, 0, {.continuous = 1}},
    {"pivots", 3, 1.5, 30, {.continuous = 1, .pairs = IMP_PAIRS_BETWEEN}},
    {"near", 3, 90, 0, {.continuous = 1, .min_separation = 0.05}},
    {"solids", 4, 90, 0, {.continuous = 1, .solids = 1}},
    {"adjacent", 4, 40, 0, {.continuous = 1, .adjacent = 1, .tolerance = 1e-3}},
};

void act_add_box(act *s, const double half[3], const double at[3])
{
    const uint32_t first = s->mesh.vertices, body = (uint32_t)s->bodies++;
    const uint32_t prims = s->corners == 4 ? 5 : 12;
    for (uint32_t i = 0; i < BODY_VERTICES; i++)
        for (uint32_t k = 0; k < 3; k++)
            s->rest[3 * (first + i) + k] = at[k] + (i >> k & 1 ? half[k] : -half[k]);
    for (uint32_t i = 0; i < prims; i++) {
        const uint32_t p = s->mesh.primitives++;
        for (uint32_t k = 0; k < (uint32_t)s->corners; k++)
            s->corner[(uint32_t)s->corners * p + k] =
                first + (s->corners == 4 ? box_solids[i][k] : box_corners[i][k]);
        s->object[p] = (int32_t)body;
    }
    s->mesh.vertices += BODY_VERTICES;
    s->body[body] = (int32_t)body;
    s->pose[0][body] = (imp_pose){.rotation = {1}};
}

/* first q, then p */
static void multiply(const double p[4], const double q[4], double out[4])
{
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

void act_vertex_at(const act *s, int f, int body, uint32_t v, long double t, long double out[3])
{
    const route *g = &s->going[f][body];
    const imp_pose *p = &s->pose[f][body];
    const double *q = p->rotation, *x = s->rest + 3 * (size_t)v;
    long double r[3], w[3], side[3], along = 0, size = 0;
    for (int k = 0; k < 4; k++)
        size += (long double)q[k] * q[k];
    for (int k = 0; k < 3; k++)
        w[k] = (long double)q[1 + (k + 1) % 3] * x[(k + 2) % 3] -
               (long double)q[1 + (k + 2) % 3] * x[(k + 1) % 3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] + 2 / size *
                          (q[0] * w[k] + q[1 + (k + 1) % 3] * w[(k + 2) % 3] -
                           q[1 + (k + 2) % 3] * w[(k + 1) % 3]);
    const long double c = cosl(t * g->angle), sine = sinl(t * g->angle);
    for (int k = 0; k < 3; k++)
        r[k] *= 1 + t * g->stretch;
    for (int k = 0; k < 3; k++) {
        side[k] = g->axis[(k + 1) % 3] * r[(k + 2) % 3] - g->axis[(k + 2) % 3] * r[(k + 1) % 3];
        along += g->axis[k] * r[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] =
            c * r[k] + sine * side[k] + (1 - c) * along * g->axis[k] + p->centre[k] + t * g->way[k];
}

/* Poses from the motions of bodies. A rotation by more than 180 degrees is in the angular velocity.
 */
static void poses_make(act *s)
{
    for (int f = 0; f < s->steps; f++)
        for (int b = 0; b < s->bodies; b++) {
            const route *g = &s->going[f][b];
            const double half = g->angle / 2;
            const double q[4] = {cos(half), sin(half) * g->axis[0], sin(half) * g->axis[1],
                                 sin(half) * g->axis[2]};
            imp_pose *from = &s->pose[f][b], *to = &s->pose[f + 1][b];
            *to = *from;
            if (g->angle != 0)
                multiply(q, from->rotation, to->rotation);
            for (int k = 0; k < 3; k++) {
                to->centre[k] = from->centre[k] + g->way[k];
                from->spin[k] = fabs(g->angle) > 3.2 ? g->angle * g->axis[k] : 0;
                to->spin[k] = 0;
            }
        }
}

void act_frames(act *s)
{
    poses_make(s);
    s->mesh.corners = s->corners;
    s->mesh.corner = s->corner;
    s->mesh.object = s->object;
    s->mesh.bodies = (uint32_t)(s->bodies - s->soft);
    s->mesh.body = s->body;
    s->mesh.rest = s->rest;
    for (int f = 0; f <= s->steps; f++) {
        for (uint32_t v = 0; v < s->mesh.vertices; v++) {
            long double x[3];
            act_vertex_at(s, f < s->steps ? f : f - 1, (int)(v / BODY_VERTICES), v, f == s->steps,
                          x);
            for (size_t k = 0; k < 3; k++) {
                s->point[f][3 * v + k] = (double)x[k];
                s->narrow[f][3 * v + k] = (float)x[k];
            }
        }
        s->frame[f] = (imp_frame){.mesh = &s->mesh,
                                  .point = s->single ? (void *)s->narrow[f] : (void *)s->point[f],
                                  .type = s->single ? IMP_FLOAT32 : IMP_FLOAT64,
                                  .number = (uint64_t)f,
                                  .pose = s->pose[f],
                                  .time = f};
    }
}

act *act_new(int steps, int corners)
{
    act *s = calloc(1, sizeof *s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    s->steps = steps;
    s->corners = corners;
    return s;
}

void act_random_axis(rng *r, double axis[3])
{
    double size = 0;
    while (size < 0.01) {
        for (int k = 0; k < 3; k++)
            axis[k] = rng_unit(r) - 0.5;
        size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    }
    for (int k = 0; k < 3; k++)
        axis[k] /= size;
}

act *act_crowded(uint64_t seed, int steps, int corners, double most, double pivot)
{
    rng r = {seed};
    act *s = act_new(steps, corners);
    for (int b = 0; b < BODIES; b++) {
        const double half[3] = {0.02 + 0.3 * rng_unit(&r), 0.02 + 0.05 * rng_unit(&r),
                                0.02 + 0.2 * rng_unit(&r)};
        const double at[3] = {pivot, -pivot, pivot / 2};
        act_add_box(s, half, at);
        for (int k = 0; k < 3; k++)
            s->pose[0][b].centre[k] = 0.9 * rng_unit(&r) - at[k];
        for (int f = 0; f < steps; f++) {
            route *g = &s->going[f][b];
            act_random_axis(&r, g->axis);
            /* one does not rotate, another one does not move, the last is soft */
            g->angle =
                b == 3 || b == 4 || b == 7 ? 0 : (2 * rng_unit(&r) - 1) * most * (double)(PI / 180);
            for (int k = 0; k < 3 && b != 4; k++)
                g->way[k] = rng_unit(&r) - 0.5;
        }
    }
    s->soft = 1;
    s->going[0][BODIES - 1].stretch = steps > 1 ? 0 : 0.5;
    act_frames(s);
    return s;
}

/* ---- rows */

void act_rows_by(imp *p, const act *s, contact_list *out)
{
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(
        imp_detect(p, s->frame, (size_t)s->steps + 1, contact_list_sink, out, NULL), 0);
}

void act_find_rows(const imp_def *def, const act *s, contact_list *out)
{
    const way w = way_host();
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    act_rows_by(p, s, out);
    imp_destroy(p);
}

const struct contact_row *act_find_row(const contact_list *l, uint64_t f, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == f && l->row[i].a == a && l->row[i].b == b)
            return &l->row[i];
    return NULL;
}
