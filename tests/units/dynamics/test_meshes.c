/* Bodies of arbitrary triangles that rest, fall and hang: the expected motion is known without a
 * second simulator. The depth of overlap is found by brute force. */
#include "dynamics.h"
#include "expect.h"
#include "geom.h"
#include "mesh_shapes.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define EPSILON 1e-4
#define STEP 0.01
#define DENSITY 1000.0
#define GRAVITY 9.81

static mem memory;
static mesh_shape mesh;
static atomic_int stop; /* pcs_def.cancel */

/* ---- a world and its frames */

typedef struct scene {
    world w;
    dynamics *d;
    pcs *loop;
    pcs_counts counts;
    double deepest;         /* greatest overlap in all frames */
    uint64_t contacts_most; /* per frame */
} scene;

/* One scene at a time. */
static scene *meshes_begin(uint32_t kinds, uint32_t bodies)
{
    static scene only;
    scene *s = &only;
    *s = (scene){.w = {.mem = &memory, .name = "meshes", .matter = {.mem = &memory}}};
    CU_ASSERT_EQUAL_FATAL(world_alloc(&s->w, kinds, bodies), IMP_OK);
    return s;
}

static void meshes_take_mesh(scene *s, uint32_t kind)
{
    geom *g = NULL;
    const int err = geom_make(&memory, mesh.point, mesh.vertices, mesh.corner, mesh.triangles, &g);
    CU_ASSERT_EQUAL_FATAL(world_set_shape(&s->w, kind, err, &g), IMP_OK);
}

static void take_box(scene *s, uint32_t kind, double x, double y, double z)
{
    geom *g = NULL;
    CU_ASSERT_EQUAL_FATAL(world_set_shape(&s->w, kind, geom_box(&memory, v3_make(x, y, z), &g), &g),
                          IMP_OK);
}

/* All have the same density. */
static void meshes_fill(world *w)
{
    CU_ASSERT_EQUAL_FATAL(matter_make(&w->matter, w->bodies), IMP_OK);
    w->matter.gravity[2] = -GRAVITY;
    for (uint32_t i = 0; i < w->bodies; i++) {
        const geom *g = w->geom[w->of[i]];
        w->matter.body[i].mass = DENSITY * g->volume;
        for (int k = 0; k < 6; k++)
            w->matter.body[i].inertia[k] = DENSITY * g->inertia[k];
    }
}

static void meshes_start(scene *s)
{
    meshes_fill(&s->w);
    const pcs_def def = {
        .mem = &memory, .step = STEP, .epsilon = EPSILON, .bodies = s->w.bodies, .cancel = &stop};
    CU_ASSERT_EQUAL_FATAL(dynamics_open(&memory, &s->w, STEP, EPSILON, &s->d), IMP_OK);
    CU_ASSERT_EQUAL_FATAL(pcs_open(&def, &s->loop), IMP_OK);
    dynamics_of(s->d, s->loop);
}

static void meshes_finish(scene *s)
{
    pcs_close(s->loop);
    dynamics_close(s->d);
    world_free(&s->w);
}

/* ---- overlap */

static v3 meshes_vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

static v3 meshes_place(const pcs_body *b, v3 x)
{
    double r[3][3];
    pose_matrix(b->rotation, r);
    return v3_make(r[0][0] * x.x + r[0][1] * x.y + r[0][2] * x.z + b->centre[0],
                   r[1][0] * x.x + r[1][1] * x.y + r[1][2] * x.z + b->centre[1],
                   r[2][0] * x.x + r[2][1] * x.y + r[2][2] * x.z + b->centre[2]);
}

/* The solid angle of a triangle (Van Oosterom, Strackee 1983). */
static double solid_angle(const v3 t[3])
{
    double l[3];
    for (int k = 0; k < 3; k++)
        l[k] = sqrt(v3_dot(t[k], t[k]));
    return 2 * atan2(v3_dot(t[0], v3_cross(t[1], t[2])),
                     l[0] * l[1] * l[2] + v3_dot(t[0], t[1]) * l[2] + v3_dot(t[1], t[2]) * l[0] +
                         v3_dot(t[2], t[0]) * l[1]);
}

static double square_to_segment(v3 a, v3 b)
{
    const v3 u = v3_sub(b, a);
    const double s = fmin(fmax(-v3_dot(a, u) / v3_dot(u, u), 0), 1);
    const v3 x = v3_add(a, v3_scale(u, s));
    return v3_dot(x, x);
}

/* Distance to the origin, squared. */
static double square_to_triangle(const v3 t[3])
{
    const v3 n = v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0]));
    double least = INFINITY;
    int inside = 1;
    for (int k = 0; k < 3; k++) {
        const v3 a = t[k], b = t[(k + 1) % 3];
        least = fmin(least, square_to_segment(a, b));
        inside &= v3_dot(v3_cross(n, v3_sub(b, a)), a) <= 0;
    }
    const double h = v3_dot(n, t[0]);
    return inside ? h * h / v3_dot(n, n) : least;
}

/* Depth of a point inside a closed body; 0 outside. */
static double meshes_depth(const geom *g, const pcs_body *b, v3 x)
{
    double angle = 0, least = INFINITY;
    for (uint32_t c = 0; c < g->triangles; c++) {
        v3 t[3];
        for (int k = 0; k < 3; k++)
            t[k] = v3_sub(meshes_place(b, geom_corner(g, c, k)), x);
        angle += solid_angle(t);
        least = fmin(least, square_to_triangle(t));
    }
    return fabs(angle) > 6 ? sqrt(least) : 0;
}

/* Depth of all vertices of a body, and of points along its edges, in another one. */
static double depth_in(const scene *s, uint32_t body, uint32_t other)
{
    const geom *g = s->w.geom[s->w.of[body]], *to = s->w.geom[s->w.of[other]];
    const pcs_body *of = &s->w.body[body], *in = &s->w.body[other];
    double most = 0;
    for (uint32_t e = 0; e < g->edges; e++) {
        const v3 a = meshes_place(of, geom_vertex(g, g->edge[e].vertex[0]));
        const v3 b = meshes_place(of, geom_vertex(g, g->edge[e].vertex[1]));
        for (int k = 0; k <= 8; k++) {
            const v3 x = v3_add(v3_scale(a, k / 8.0), v3_scale(b, 1 - k / 8.0));
            most = fmax(most, meshes_depth(to, in, x));
        }
    }
    return most;
}

static double meshes_distance(const scene *s, uint32_t a, uint32_t b)
{
    pose_map map[2];
    shape_pair cache = {0};
    shape_nearest near;
    const pcs_body *body[2] = {&s->w.body[a], &s->w.body[b]};
    for (int k = 0; k < 2; k++) {
        memcpy(map[k].t, body[k]->centre, sizeof map[k].t);
        pose_matrix(body[k]->rotation, map[k].r);
    }
    shape_distance(body[0]->shape, &map[0], body[1]->shape, &map[1], &cache, &near);
    return near.distance;
}

static double meshes_overlap(const scene *s, uint32_t a, uint32_t b)
{
    const geom *of_a = s->w.geom[s->w.of[a]], *of_b = s->w.geom[s->w.of[b]];
    if (meshes_distance(s, a, b) > 0)
        return 0;
    return fmax(of_b->closed ? depth_in(s, a, b) : 0, of_a->closed ? depth_in(s, b, a) : 0);
}

static void frame(scene *s)
{
    const pcs_hooks hooks = {.with = s->d, .forces = dynamics_forces, .resolve = dynamics_resolve};
    pcs_counts now = {0};
    CU_ASSERT_EQUAL_FATAL(pcs_frame(s->loop, s->w.body, &hooks, &now), IMP_OK);
    pcs_counts_add(&s->counts, &now);
    s->contacts_most = now.contacts > s->contacts_most ? now.contacts : s->contacts_most;
    for (uint32_t a = 0; a < s->w.bodies; a++)
        for (uint32_t b = 0; b < a; b++)
            s->deepest = fmax(s->deepest, meshes_overlap(s, b, a));
}

/* Kinetic and potential energy of all movable bodies. */
static double meshes_energy(const scene *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->w.bodies; i++) {
        const pcs_body *b = &s->w.body[i];
        const geom *g = s->w.geom[s->w.of[i]];
        const double *j = g->inertia, density = DENSITY;
        double r[3][3], w[3] = {0};
        if (b->fixed)
            continue;
        pose_matrix(b->rotation, r);
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < 3; n++)
                w[k] += r[n][k] * b->spin[n];
        const v3 v = meshes_vector(b->velocity);
        sum += density * g->volume * (v3_dot(v, v) / 2 + GRAVITY * b->centre[2]);
        sum += density / 2 *
               (j[0] * w[0] * w[0] + j[1] * w[1] * w[1] + j[2] * w[2] * w[2] +
                2 * (j[3] * w[0] * w[1] + j[4] * w[0] * w[2] + j[5] * w[1] * w[2]));
    }
    return sum;
}

/* Weight of all movable bodies, in N. */
static double weight(const scene *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->w.bodies; i++)
        sum += s->w.body[i].fixed ? 0 : DENSITY * s->w.geom[s->w.of[i]]->volume * GRAVITY;
    return sum;
}

static double speed(const pcs_body *b)
{
    return pose_length(b->velocity) + pose_length(b->spin);
}

static void meshes_report(const scene *s, const char *what)
{
    printf("  %s: %llu contacts (%llu in a frame), %llu rechecks, %llu inelastic, overlap %.3g\n",
           what, (unsigned long long)s->counts.contacts, (unsigned long long)s->contacts_most,
           (unsigned long long)s->counts.rechecks, (unsigned long long)s->counts.inelastic,
           s->deepest);
}

/* The lowest vertex of a body, and the highest one. */
static double lowest(const scene *s, uint32_t body)
{
    const geom *g = s->w.geom[s->w.of[body]];
    double least = INFINITY;
    for (uint32_t i = 0; i < g->distinct; i++)
        least = fmin(least, meshes_place(&s->w.body[body], geom_vertex(g, g->vertex[i])).z);
    return least;
}

#define NEEDS_ODE                                                                                  \
    if (!impulses_are_built())                                                                     \
    SKIP("built without ODE")

/* Runs frames; in none of them may energy grow by more than lifting all bodies by epsilon. */
static void meshes_run(scene *s, int frames)
{
    double before = meshes_energy(s);
    for (int i = 0; i < frames; i++) {
        frame(s);
        const double now = meshes_energy(s);
        EXPECT(now - before <= weight(s) * EPSILON + 1e-9 * fabs(before),
               "frame %d: energy goes from %.9g to %.9g", i, before, now);
        before = now;
    }
}

static void expect_rest(const scene *s, const char *what)
{
    for (uint32_t i = 0; i < s->w.bodies; i++)
        EXPECT(speed(&s->w.body[i]) < 1e-4, "%s: body %u moves, %g", what, i, speed(&s->w.body[i]));
}

/* ---- scenes */

static void make_l(void)
{
    static const double at[4] = {0, 1, 2, 3};
    mesh_cells(&mesh, (const int[3]){3, 1, 2}, (const double *const[3]){at, at, at}, "####..");
}

static void make_u(double scale)
{
    const double x[4] = {-0.75 * scale, -0.5 * scale, 0.5 * scale, 0.75 * scale};
    const double y[2] = {-0.2 * scale, 0.2 * scale}, z[3] = {-scale, 0, 0.2 * scale};
    mesh_cells(&mesh, (const int[3]){3, 1, 2}, (const double *const[3]){x, y, z}, "#.####");
}

static void turn_about(pcs_body *b, int axis, double angle)
{
    memset(b->rotation, 0, sizeof b->rotation);
    b->rotation[0] = cos(angle / 2);
    b->rotation[1 + axis] = sin(angle / 2);
}

/* An L on its long side stays there. One that stands on its short leg falls over it, and rests on
 * the leg and the end of the long side. */
static void test_l(void)
{
    NEEDS_ODE;
    for (int falls = TEST_SLOW; falls < 2; falls++) {
        scene *s = meshes_begin(2, 2);
        take_box(s, 0, 40, 40, 2);
        make_l();
        meshes_take_mesh(s, 1);
        world_set_body(&s->w, 0, 0, v3_make(0, 0, -1), 1);
        world_set_body(&s->w, 1, 1, v3_make(0, 0, 0), 0);
        if (falls)
            turn_about(&s->w.body[1], 0, acos(-1)); /* the leg is at the bottom */
        s->w.body[1].centre[2] += 2e-4 - lowest(s, 1);
        const double high = s->w.body[1].centre[2];
        meshes_start(s);
        meshes_run(s, 150);
        meshes_report(s, falls ? "L falls" : "L rests");
        expect_rest(s, "L");
        EXPECT(fabs(lowest(s, 1) - 0.8 * EPSILON) < 0.1 * EPSILON, "L: %g above the ground",
               lowest(s, 1));
        EXPECT(falls ? s->w.body[1].centre[2] < high - 0.2
                     : fabs(s->w.body[1].centre[2] - high) < 2 * EPSILON,
               "L: from %g to %g", high, s->w.body[1].centre[2]);
        EXPECT(s->deepest < EPSILON, "L: %g deep", s->deepest);
        meshes_finish(s);
    }
}

/* A U that falls over a bar, straight or askew, hangs there and keeps its gaps. */
static void test_meshes_staple(void)
{
    NEEDS_ODE;
    for (int askew = TEST_SLOW; askew < 2; askew++) {
        scene *s = meshes_begin(2, 2);
        take_box(s, 0, 0.8, 6, 0.4);
        make_u(1);
        meshes_take_mesh(s, 1);
        world_set_body(&s->w, 0, 0, v3_make(0, 0, 0), 1);
        world_set_body(&s->w, 1, 1, v3_make(askew ? 0.06 : 0.03, 0, 0.5), 0);
        if (askew) {
            turn_about(&s->w.body[1], 1, 0.1);
            s->w.body[1].spin[2] = 0.6;
        }
        meshes_start(s);
        meshes_run(s, 200);
        meshes_report(s, askew ? "staple, askew" : "staple");
        expect_rest(s, "staple");
        EXPECT(s->w.body[1].centre[2] > -0.2 && fabs(s->w.body[1].centre[0]) < 0.2,
               "the staple is at %g %g", s->w.body[1].centre[0], s->w.body[1].centre[2]);
        EXPECT(meshes_distance(s, 0, 1) > 0.6 * EPSILON && meshes_distance(s, 0, 1) < EPSILON,
               "a gap of %g", meshes_distance(s, 0, 1));
        EXPECT(s->deepest < 10 * EPSILON, "staple: %g deep", s->deepest);
        meshes_finish(s);
    }
}

/* A ring that swings and turns on a peg, and does not leave it. */
static void test_ring(void)
{
    NEEDS_ODE;
    for (int swings = TEST_SLOW; swings < 2; swings++) {
        scene *s = meshes_begin(2, 2);
        take_box(s, 0, 0.3, 6, 0.3);
        mesh_torus(&mesh, 0.5, 0.1, 24, 10);
        meshes_take_mesh(s, 1);
        world_set_body(&s->w, 0, 0, v3_make(0, 0, 0), 1);
        world_set_body(&s->w, 1, 1, v3_make(0, 0, -0.2), 0);
        turn_about(&s->w.body[1], 0, acos(0));
        if (swings) {
            s->w.body[1].spin[1] = 4;
            s->w.body[1].velocity[0] = 0.5;
        }
        meshes_start(s);
        meshes_run(s, TEST_SLOW ? 60 : 150);
        meshes_report(s, swings ? "ring, swinging" : "ring");
        if (!swings)
            expect_rest(s, "ring");
        EXPECT(s->w.body[1].centre[2] > -0.5 && fabs(s->w.body[1].centre[0]) < 0.5 &&
                   fabs(s->w.body[1].centre[1]) < 1,
               "the ring is at %g %g %g", s->w.body[1].centre[0], s->w.body[1].centre[1],
               s->w.body[1].centre[2]);
        EXPECT(s->deepest < 10 * EPSILON, "ring: %g deep", s->deepest);
        meshes_finish(s);
    }
}

/* A box that slides to and fro in a tray, one sheet, and stays in it. */
static void test_tray(void)
{
    NEEDS_ODE;
    scene *s = meshes_begin(2, 2);
    mesh_tray(&mesh, 1, 1, 0.5);
    meshes_take_mesh(s, 0);
    take_box(s, 1, 0.6, 0.4, 0.3);
    world_set_body(&s->w, 0, 0, v3_make(0, 0, 0), 1);
    world_set_body(&s->w, 1, 1, v3_make(0, 0, 0.3), 0);
    memcpy(s->w.body[1].velocity, (const double[3]){4, 1, 0}, 3 * sizeof(double));
    s->w.body[1].spin[2] = 2;
    meshes_start(s);
    for (int i = 0; i < 200; i++) {
        const geom *g = s->w.geom[1];
        meshes_run(s, 1);
        for (uint32_t v = 0; v < g->vertices; v++) {
            const v3 x = meshes_place(&s->w.body[1], geom_vertex(g, v));
            EXPECT(x.z > -EPSILON && fabs(x.x) < 1 + EPSILON && fabs(x.y) < 1 + EPSILON,
                   "frame %d: a corner is at %g %g %g", i, x.x, x.y, x.z);
        }
    }
    meshes_report(s, "tray");
    expect_rest(s, "tray");
    EXPECT(fabs(lowest(s, 1) - 0.8 * EPSILON) < 0.1 * EPSILON, "%g above", lowest(s, 1));
    meshes_finish(s);
}

/* A U upside down on its legs, and another one on it, rotated. */
static void test_meshes_two(void)
{
    NEEDS_ODE;
    scene *s = meshes_begin(2, 3);
    take_box(s, 0, 10, 10, 2);
    make_u(1);
    meshes_take_mesh(s, 1);
    world_set_body(&s->w, 0, 0, v3_make(0, 0, -1), 1);
    world_set_body(&s->w, 1, 1, v3_make(0, 0, 1.01), 0);
    world_set_body(&s->w, 2, 1, v3_make(0, 0, 0), 0);
    turn_about(&s->w.body[2], 0, acos(-1)); /* legs up */
    s->w.body[2].centre[2] += 1.22 - lowest(s, 2);
    meshes_start(s);
    meshes_run(s, 200);
    meshes_report(s, "two staples");
    expect_rest(s, "two staples");
    EXPECT(fabs(lowest(s, 1) - 0.8 * EPSILON) < 0.1 * EPSILON &&
               fabs(lowest(s, 2) - 1.2 - 1.6 * EPSILON) < 0.2 * EPSILON,
           "%g and %g", lowest(s, 1), lowest(s, 2));
    EXPECT(s->deepest == 0, "%g deep", s->deepest);
    meshes_finish(s);
}

/* A body that begins in the ground is pushed out, slowly. */
static void test_sunk(void)
{
    NEEDS_ODE;
    for (int kind = 0; kind < 2; kind++) {
        scene *s = meshes_begin(2, 2);
        take_box(s, 0, 10, 10, 2);
        if (kind)
            mesh_torus(&mesh, 0.5, 0.1, 24, 10);
        else
            make_l();
        meshes_take_mesh(s, 1);
        world_set_body(&s->w, 0, 0, v3_make(0, 0, -1), 1);
        world_set_body(&s->w, 1, 1, v3_make(0, 0, 0), 0);
        s->w.body[1].centre[2] -= lowest(s, 1) + 5 * EPSILON;
        meshes_start(s);
        for (int i = 0; i < 200; i++) {
            frame(s);
            EXPECT(speed(&s->w.body[1]) < 0.5, "sunk: frame %d: %g", i, speed(&s->w.body[1]));
        }
        meshes_report(s, kind ? "ring, sunk" : "L, sunk");
        expect_rest(s, "sunk");
        EXPECT(lowest(s, 1) > 0.5 * EPSILON && lowest(s, 1) < EPSILON, "sunk: %g", lowest(s, 1));
        EXPECT(s->deepest < 6 * EPSILON, "sunk: %g deep", s->deepest);
        meshes_finish(s);
    }
}

/* dynamics_resolve, asked to stop once it has begun. */
static int resolve_stopped(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                           uint8_t *changed)
{
    stop = 1;
    const int err = dynamics_resolve(with, bodies, count, contact, changed);
    EXPECT(err == IMP_ERR_CANCELLED, "a contact ends with %d", err);
    return err;
}

/* A contact can take long with many nearby triangles or touching bodies: stopping does not wait for
 * it. For triangles, for intersection curves, and for convex bodies. */
static void test_meshes_stopped(void)
{
    NEEDS_ODE;
    for (int kind = 0; kind < 3; kind++) {
        scene *s = meshes_begin(2, 2);
        pcs_counts now = {0};
        take_box(s, 0, 10, 10, 2);
        make_l();
        kind < 2 ? meshes_take_mesh(s, 1) : take_box(s, 1, 1, 1, 1);
        world_set_body(&s->w, 0, 0, v3_make(0, 0, -1), 1);
        world_set_body(&s->w, 1, 1, v3_make(0, 0, 0), 0);
        s->w.body[1].centre[2] -= lowest(s, 1) + (kind == 1 ? 5 : -0.5) * EPSILON;
        meshes_start(s);
        const pcs_hooks hooks = {s->d, dynamics_forces, resolve_stopped};
        EXPECT(pcs_frame(s->loop, s->w.body, &hooks, &now) == IMP_ERR_CANCELLED && stop &&
                   now.contacts == 1,
               "stopped %d: %llu contacts", kind, (unsigned long long)now.contacts);
        stop = 0;
        frame(s); /* the next one can begin */
        meshes_finish(s);
    }
}

/* Convex boxes in a stack: the general method for triangles gives the same, within epsilon. */
static void test_forced(void)
{
    enum { HIGH = 6 };
    double z[2][HIGH];
    NEEDS_ODE;
    for (int forced = 0; forced < 2; forced++) {
        scene *s = meshes_begin(2, HIGH);
        take_box(s, 0, 10, 10, 2);
        take_box(s, 1, 0.5, 0.5, 0.5);
        CU_ASSERT(s->w.geom[0]->convex && s->w.geom[1]->convex);
        for (int k = 0; k < 2 && forced; k++)
            s->w.geom[k]->convex = 0;
        world_set_body(&s->w, 0, 0, v3_make(0, 0, -1), 1);
        for (uint32_t i = 1; i < HIGH; i++)
            world_set_body(&s->w, i, 1, v3_make(i == 3 ? 0.1 : 0, 0, 0.51 * i - 0.25), 0);
        meshes_start(s);
        meshes_run(s, 200);
        meshes_report(s, forced ? "stack, any triangles" : "stack, convex");
        expect_rest(s, "stack");
        for (uint32_t i = 0; i < HIGH; i++)
            z[forced][i] = s->w.body[i].centre[2];
        EXPECT(s->deepest == 0, "stack: %g deep", s->deepest);
        meshes_finish(s);
    }
    for (int i = 0; i < HIGH; i++)
        EXPECT(fabs(z[0][i] - z[1][i]) < EPSILON, "box %d: %.9g and %.9g", i, z[0][i], z[1][i]);
}

/* Bodies of four kinds that turn and fall into a tray, onto each other. */
static void test_meshes_pile(void)
{
    enum { COUNT = 6 };
    static const double x[4] = {-0.3, -0.15, 0.15, 0.3}, y[4] = {-0.1, -0.05, 0.05, 0.1};
    rng r = {3};
    NEEDS_ODE;
    scene *s = meshes_begin(5, COUNT);
    mesh_tray(&mesh, 1, 1, 3);
    meshes_take_mesh(s, 0);
    make_u(0.4);
    meshes_take_mesh(s, 1);
    mesh_cells(&mesh, (const int[3]){3, 3, 1}, (const double *const[3]){x, x, y}, "#..##..##");
    meshes_take_mesh(s, 2);
    mesh_torus(&mesh, 0.3, 0.1, 16, 8);
    meshes_take_mesh(s, 3);
    take_box(s, 4, 0.5, 0.3, 0.4);
    world_set_body(&s->w, 0, 0, v3_make(0, 0, 0), 1);
    for (uint32_t i = 1; i < COUNT; i++) {
        pcs_body *b = &s->w.body[i];
        world_set_body(&s->w, i, 1 + i % 4,
                       v3_make(0.6 * rng_unit(&r) - 0.3, 0.6 * rng_unit(&r) - 0.3, 0.7 * i), 0);
        for (int k = 0; k < 3; k++)
            b->spin[k] = 6 * rng_unit(&r) - 3;
    }
    meshes_start(s);
    meshes_run(s, TEST_SLOW ? 60 : 150);
    meshes_report(s, "pile");
    for (uint32_t i = 1; i < COUNT; i++) {
        const double *c = s->w.body[i].centre;
        EXPECT(fabs(c[0]) < 1 && fabs(c[1]) < 1 && c[2] > 0, "body %u is at %g %g %g", i, c[0],
               c[1], c[2]);
        EXPECT(lowest(s, i) > -10 * EPSILON, "body %u: %g", i, lowest(s, i));
    }
    EXPECT(s->deepest < 0.02 * 0.2, "pile: %g deep",
           s->deepest); /* relative to the thinnest part */
    meshes_finish(s);
}

static void test_meshes_all_freed(void)
{
    EXPECT(atomic_load(&memory.now) == 0, "%llu bytes are left",
           (unsigned long long)atomic_load(&memory.now));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"l", test_l},
                                 {"staple", test_meshes_staple},
                                 {"ring", test_ring},
                                 {"tray", test_tray},
                                 {"two", test_meshes_two},
                                 {"sunk", test_sunk},
                                 {"stopped", test_meshes_stopped},
                                 {"forced", test_forced},
                                 {"pile", test_meshes_pile},
                                 {"freed", test_meshes_all_freed},
                                 {0}};
    return test_main(argc, argv, "meshes", tests);
}
