/* See rigid.h. */
#include "rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes */

static const uint32_t box_corner[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                           {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                           {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void box_points(double low, double high, double y, double z, double out[8][3])
{
    for (int i = 0; i < 8; i++) {
        out[i][0] = i & 1 ? high : low;
        out[i][1] = i & 2 ? y : -y;
        out[i][2] = i & 4 ? z : -z;
    }
}

static shape *rigid_world_make(mem *m, const void *points, uint32_t vertices, const void *corner,
                               uint32_t triangles)
{
    shape *s = NULL;
    const shape_def def = {
        .points = points, .vertices = vertices, .corner = corner, .triangles = triangles};
    CU_ASSERT_FATAL(shape_make(m, &def, &s) == IMP_OK);
    return s;
}

shape *rigid_box(mem *m, double x, double y, double z)
{
    double p[8][3];
    box_points(-x, x, y, z, p);
    return rigid_world_make(m, p, 8, box_corner, 12);
}

shape *rigid_dumbbell(mem *m, double length, double end, double bar)
{
    double p[24][3];
    uint32_t c[36][3];
    box_points(-length - end, -length + end, end, end, p);
    box_points(-length, length, bar, bar, p + 8);
    box_points(length - end, length + end, end, end, p + 16);
    for (uint32_t i = 0; i < 36; i++)
        for (int k = 0; k < 3; k++)
            c[i][k] = box_corner[i % 12][k] + i / 12 * 8;
    return rigid_world_make(m, p, 24, c, 36);
}

/* Each triangle of the octahedron is divided into n^2, whose vertices are projected to the sphere.
 * Neighbours have separate vertices at equal points. */
typedef struct ball {
    double (*p)[3], radius;
    uint32_t n, count;
} ball;

static void ball_point(ball *b, const int sign[3], uint32_t i, uint32_t j)
{
    const double x[3] = {i, j, b->n - i - j};
    const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; k++)
        b->p[b->count][k] = sign[k] * x[k] / size * b->radius;
    b->count++;
}

static void ball_side(ball *b, const int sign[3])
{
    const int turned = sign[0] * sign[1] * sign[2] < 0;
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t j = 0; i + j < b->n; j++)
            for (uint32_t up = 0; up < 2 && i + j + up < b->n; up++) {
                const uint32_t t[3][2] = {{i + up, j + up}, {i + 1, j}, {i, j + 1}};
                for (int k = 0; k < 3; k++) {
                    const uint32_t *at = t[turned != (up > 0) ? 2 - k : k];
                    ball_point(b, sign, at[0], at[1]);
                }
            }
}

/* Merges equal points, so that the surface is closed. */
static shape *weld(mem *m, const ball *b)
{
    uint32_t *c = malloc(b->count * sizeof *c), used = 0;
    double(*p)[3] = malloc(b->count * sizeof *p);
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t k = 0;
        while (k < used &&
               (p[k][0] != b->p[i][0] || p[k][1] != b->p[i][1] || p[k][2] != b->p[i][2]))
            k++;
        if (k == used)
            memcpy(p[used++], b->p[i], sizeof *p);
        c[i] = k;
    }
    shape *s = rigid_world_make(m, p, used, c, b->count / 3);
    free(c);
    free(p);
    return s;
}

shape *rigid_ball(mem *m, double radius, int levels)
{
    ball b = {.radius = radius, .n = 1u << levels};
    b.p = malloc((size_t)24 * b.n * b.n * sizeof *b.p);
    for (int i = 0; i < 8; i++)
        ball_side(&b, (const int[3]){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1});
    shape *s = weld(m, &b);
    free(b.p);
    return s;
}

shape *rigid_random(mem *m, rng *r, double size)
{
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    double p[4][3];
    const uint32_t triangles = rng_below(r, 4) ? 4 : 1 + rng_below(r, 2);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = size * (2 * rng_unit(r) - 1);
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
        w[k] = p[3][k] - p[0][k];
    }
    const double volume = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                          u[2] * (v[0] * w[1] - v[1] * w[0]);
    for (int k = 0; k < 3 && volume < 0; k++) { /* orients faces outward */
        const double x = p[0][k];
        p[0][k] = p[1][k];
        p[1][k] = x;
    }
    return rigid_world_make(m, p, triangles == 1 ? 3 : 4, faces, triangles);
}

/* ---- a world */

static void *rigid_world_grown(void *p, size_t count, size_t size)
{
    p = realloc(p, count * size);
    CU_ASSERT_FATAL(p != NULL);
    return p;
}

pcs_body *rigid_add(rigid_world *w, shape *s, double mass, double x, double y, double z)
{
    const size_t n = w->count + 1;
    w->body = rigid_world_grown(w->body, n, sizeof *w->body);
    w->mass = rigid_world_grown(w->mass, n, sizeof *w->mass);
    w->inertia = rigid_world_grown(w->inertia, n, sizeof *w->inertia);
    pcs_body *b = &w->body[w->count];
    *b = (pcs_body){
        .shape = s, .fixed = !(mass < INFINITY), .centre = {x, y, z}, .rotation = {1, 0, 0, 0}};
    w->mass[w->count] = mass;
    w->inertia[w->count++] = mass * 0.4 * shape_radius(s) * shape_radius(s);
    return b;
}

void rigid_free(rigid_world *w)
{
    const shape *last = NULL;
    pcs_close(w->loop);
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->body[i].shape != last)
            shape_free(&w->m, (shape *)(uintptr_t)w->body[i].shape);
        last = w->body[i].shape;
    }
    free(w->body);
    free(w->mass);
    free(w->inertia);
    free(w->event);
    mem_close(&w->m);
    CU_ASSERT_EQUAL(w->m.now, 0);
    *w = (rigid_world){0};
}

void rigid_open(rigid_world *w, double step, double epsilon)
{
    const pcs_def def = {
        .mem = &w->m, .step = step, .epsilon = epsilon, .threads = 1, .bodies = w->count};
    w->step = step;
    w->epsilon = epsilon;
    CU_ASSERT_FATAL(pcs_open(&def, &w->loop) == IMP_OK);
}

int rigid_forces(void *world, pcs_body *bodies, uint32_t count, double seconds)
{
    const rigid_world *w = world;
    for (uint32_t i = 0; i < count; i++)
        if (w->mass[i] < INFINITY)
            bodies[i].velocity[2] -= w->gravity * seconds;
    return IMP_OK;
}

/* ---- impulses */

static void rigid_world_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double rigid_world_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* One body at a contact: its arm, the cross product of arm and normal, its effective inverse mass,
 * and its speed along the normal. */
typedef struct lever {
    double arm[3], turn[3], ease, along;
} lever;

static lever rigid_world_lever(const rigid_world *w, const pcs_body *b, uint32_t i,
                               const pcs_contact *c, int side)
{
    lever l;
    double around[3];
    for (int k = 0; k < 3; k++)
        l.arm[k] = c->near.point[side][k] - b->centre[k];
    rigid_world_cross(l.arm, c->normal, l.turn);
    rigid_world_cross(b->spin, l.arm, around);
    l.ease = 1 / w->mass[i] + rigid_world_dot(l.turn, l.turn) / w->inertia[i];
    l.along = rigid_world_dot(b->velocity, c->normal) + rigid_world_dot(around, c->normal);
    return l;
}

static void rigid_world_push(const rigid_world *w, pcs_body *b, uint32_t i, const lever *l,
                             const double n[3], double impulse)
{
    for (int k = 0; k < 3; k++) {
        b->velocity[k] += impulse / w->mass[i] * n[k];
        b->spin[k] += impulse / w->inertia[i] * l->turn[k];
    }
}

static void rigid_world_record(rigid_world *w, const pcs_contact *c)
{
    if (w->events == w->capacity) {
        w->capacity = 2 * w->capacity + 16;
        w->event = rigid_world_grown(w->event, w->capacity, sizeof *w->event);
    }
    rigid_event *e = &w->event[w->events++];
    *e = (rigid_event){c->a, c->b, c->time, c->near.distance, {0}, c->inelastic};
    memcpy(e->normal, c->normal, sizeof e->normal);
    if (w->look)
        w->look(w->with, w, c);
}

int rigid_ignore(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                 uint8_t *changed)
{
    (void)bodies, (void)count, (void)changed;
    rigid_world_record(world, c);
    return IMP_OK;
}

/* Separating speed of bodies closer than half of epsilon, so that resting bodies do not sink into
 * each other frame by frame. */
static double apart_speed(const rigid_world *w, const pcs_contact *c)
{
    const double room = w->epsilon / 2 - c->near.distance;
    return room > 0 ? room / w->step / 4 : 0;
}

int rigid_resolve(void *world, pcs_body *bodies, uint32_t count, const pcs_contact *c,
                  uint8_t *changed)
{
    rigid_world *w = world;
    (void)count;
    rigid_world_record(w, c);
    pcs_body *a = &bodies[c->a], *b = &bodies[c->b];
    const lever la = rigid_world_lever(w, a, c->a, c, 0), lb = rigid_world_lever(w, b, c->b, c, 1);
    const double closing = la.along - lb.along, ease = la.ease + lb.ease;
    const double back = apart_speed(w, c);
    if (!(closing + back > 0) || !(ease > 0))
        return IMP_OK;
    const double bounce = closing > 0 && !c->inelastic ? w->bounce * closing : 0;
    const double impulse = (closing + (bounce > back ? bounce : back)) / ease;
    rigid_world_push(w, a, c->a, &la, c->normal, -impulse);
    rigid_world_push(w, b, c->b, &lb, c->normal, impulse);
    changed[c->a] = changed[c->b] = 1;
    return IMP_OK;
}

pcs_counts rigid_frame(rigid_world *w,
                       int (*resolve)(void *, pcs_body *, uint32_t, const pcs_contact *, uint8_t *))
{
    pcs_counts counts = {0};
    const pcs_hooks hooks = {.with = w, .forces = rigid_forces, .resolve = resolve};
    const int err = pcs_frame(w->loop, w->body, &hooks, &counts);
    CU_ASSERT_EQUAL(err, IMP_OK);
    return counts;
}

double rigid_energy(const rigid_world *w)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->mass[i] < INFINITY)
            sum += w->mass[i] * rigid_world_dot(w->body[i].velocity, w->body[i].velocity) / 2 +
                   w->inertia[i] * rigid_world_dot(w->body[i].spin, w->body[i].spin) / 2;
    return sum;
}

const rigid_event *rigid_find(const rigid_world *w, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < w->events; i++)
        if (w->event[i].a == a && w->event[i].b == b)
            return &w->event[i];
    return NULL;
}

/* ---- random */

void rigid_rotation(rng *r, double out[4])
{
    double axis[3];
    rng_direction(r, axis);
    const double half = 3.14159 * rng_unit(r);
    out[0] = cos(half);
    for (int k = 0; k < 3; k++)
        out[1 + k] = axis[k] * sin(half);
}
