/* See turners.h. */
#include "turners.h"

#include "boxes.h"
#include "store.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLADE 20 /* pairs of vertices, along x */
#define SHEET 9  /* vertices along each edge */
#define PI 3.14159265358979323846
#define STRIDE 7919 /* a prime above any number of vertices */
#define PILES 256   /* two triangles each */
#define VERTICES_MOST 2400
#define PRIMITIVES_MOST 1800

typedef struct turners {
    turners_def def;
    mem m;
    imp_mesh mesh;
    uint32_t corner[4 * PRIMITIVES_MOST], vertices;
    uint8_t corner_count[PRIMITIVES_MOST];
    int32_t object[PRIMITIVES_MOST], body[TURNERS_BODIES];
    double rest[3 * VERTICES_MOST]; /* in the order of creation */
    int of[VERTICES_MOST];          /* body of each vertex, or -1 */
    imp_pose pose[TURNERS_FRAMES][TURNERS_BODIES];
} turners;

/* ---- contents */

static uint32_t rotating_bodies_add_vertex(turners *t, int body, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    memcpy(t->rest + (size_t)3 * t->vertices, at, sizeof at);
    t->of[t->vertices] = body;
    return t->vertices++;
}

/* v[3] is used by tetrahedra only; a triangle repeats its last corner. */
static void rotating_bodies_add_cell(turners *t, int object, int corner_count, const uint32_t v[4])
{
    const uint32_t i = t->mesh.primitives++;
    const size_t corners = t->def.solids ? 4 : 3;
    for (size_t k = 0; k < corners; k++)
        t->corner[corners * i + k] = v[k < (size_t)corner_count ? k : (size_t)corner_count - 1];
    t->corner_count[i] = (uint8_t)corner_count;
    t->object[i] = object;
}

static void rotating_bodies_add_box(turners *t, int body, const double half[3])
{
    const uint32_t first = t->vertices;
    const int corner_count = t->def.solids && body % 2 ? 4 : 3;
    for (int i = 0; i < TURNERS_BOX; i++)
        rotating_bodies_add_vertex(t, body, i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                   i & 4 ? half[2] : -half[2]);
    for (int i = 0; i < (corner_count == 4 ? 5 : 12); i++) {
        uint32_t v[4];
        for (int k = 0; k < corner_count; k++)
            v[k] = first + (corner_count == 4 ? box_solids[i][k] : box_corners[i][k]);
        rotating_bodies_add_cell(t, body, corner_count, v);
    }
}

/* Quads of two triangles between rows of `wide` vertices, the last `rows` rows added. */
static void add_quads(turners *t, int object, uint32_t wide, uint32_t rows)
{
    const uint32_t first = t->vertices - wide * rows;
    for (uint32_t r = 0; r + 1 < rows; r++)
        for (uint32_t i = 0; i + 1 < wide; i++) {
            const uint32_t a = first + wide * r + i, b = a + wide;
            rotating_bodies_add_cell(t, object, 3, (uint32_t[4]){a, a + 1, b});
            rotating_bodies_add_cell(t, object, 3, (uint32_t[4]){b, a + 1, b + 1});
        }
}

/* Piles of triangles far from all bodies, side by side, with gaps about as small as the rounding of
 * bounds, across which nothing moves. */
static void add_piles(turners *t)
{
    for (int i = 0; i < 2 * PILES; i++) {
        const double x = 60 + 0.05 * (i / 2), y = 20 + i % 2 * (i / 2) * 0x1p-22;
        for (int k = 0; k < 3; k++)
            rotating_bodies_add_vertex(t, -1, x + 0.03 * (k == 1), y, 0.03 * (k == 2));
        rotating_bodies_add_cell(t, TURNERS_BODIES, 3,
                                 (uint32_t[4]){t->vertices - 3, t->vertices - 2, t->vertices - 1});
    }
}

static void rotating_bodies_add_all(turners *t, rng *r)
{
    for (int b = 0; b + 1 < TURNERS_BODIES; b++) {
        t->body[b] = b;
        rotating_bodies_add_box(t, b, (double[3]){0.2 + 0.5 * rng_unit(r), 0.2 + rng_unit(r), 0.3});
    }
    t->body[TURNERS_BODIES - 1] = TURNERS_BODIES - 1;
    for (int i = 0; i < BLADE; i++)
        for (int k = 0; k < 2; k++)
            rotating_bodies_add_vertex(t, TURNERS_BODIES - 1, i * 18.0 / BLADE - 9, k * 0.2, 0);
    add_quads(t, TURNERS_BODIES - 1, 2, BLADE);
    for (int y = 0; y < SHEET; y++)
        for (int x = 0; x < SHEET; x++)
            rotating_bodies_add_vertex(t, -1, x * 18.0 / SHEET - 9, y * 18.0 / SHEET - 9,
                                       0.02 * x * y);
    add_quads(t, TURNERS_BODIES, SHEET, SHEET);
    if (t->def.piles)
        add_piles(t);
    if (t->def.spread) {
        for (int k = 0; k < 3; k++)
            rotating_bodies_add_vertex(t, -1, 90 + k, k == 1, 0);
        rotating_bodies_add_cell(t, TURNERS_BODIES, 3,
                                 (uint32_t[4]){t->vertices - 3, t->vertices - 2, t->vertices - 1});
    }
}

/* ---- poses */

static void rotating_bodies_product(const double p[4], const double q[4], double out[4])
{
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[1 + k] = p[0] * q[1 + k] + q[0] * p[1 + k] + p[1 + i] * q[1 + j] - p[1 + j] * q[1 + i];
    }
}

/* From pose to pose: by a small angle, half a turn, more than two turns, a moderate angle, or not
 * at all. */
static void rotating_bodies_next_pose(int body, rng *r, imp_pose *from, imp_pose *to)
{
    static const double angles[5] = {0.2, PI, 14, 1.1, 0};
    const int blade = body == TURNERS_BODIES - 1;
    const double angle = blade ? 2.4 : angles[body % 5];
    double axis[3] = {0, 0, 1}, size = 0;
    for (int k = 0; k < 3 && !blade; k++)
        axis[k] = 2 * rng_unit(r) - 1;
    for (int k = 0; k < 3; k++)
        size += axis[k] * axis[k];
    double turn[4] = {cos(angle / 2)};
    for (int k = 0; k < 3; k++) {
        axis[k] /= sqrt(size);
        turn[1 + k] = sin(angle / 2) * axis[k];
        to->centre[k] = from->centre[k] + (blade ? 0 : 0.4 * (2 * rng_unit(r) - 1));
        from->spin[k] = angle > 4 ? angle * axis[k] : 0;
    }
    memcpy(to->rotation, from->rotation, sizeof to->rotation);
    if (angle > 0)
        rotating_bodies_product(turn, from->rotation, to->rotation);
}

static void rotating_bodies_pose_all(turners *t, rng *r)
{
    for (int b = 0; b < TURNERS_BODIES; b++) {
        imp_pose *p = &t->pose[0][b];
        p->rotation[0] = 1;
        for (int k = 0; k < 3 && b + 1 < TURNERS_BODIES; k++)
            p->centre[k] = (k == 2 ? 3 : 18) * (rng_unit(r) - 0.5);
        for (int f = 0; f + 1 < TURNERS_FRAMES; f++)
            rotating_bodies_next_pose(b, r, &t->pose[f][b], &t->pose[f + 1][b]);
    }
}

static void rotating_bodies_vertex(const turners *t, int f, uint32_t v, double out[3])
{
    const double *x = t->rest + (size_t)3 * v;
    if (t->of[v] < 0) {
        for (int k = 0; k < 3; k++)
            out[k] = x[k] + (k == 2 ? 0.3 * f : 0);
        return;
    }
    const imp_pose *p = &t->pose[f][t->of[v]];
    const double *q = p->rotation, back[4] = {q[0], -q[1], -q[2], -q[3]};
    const double at[4] = {0, x[0], x[1], x[2]};
    double half[4], all[4];
    rotating_bodies_product(q, at, half);
    rotating_bodies_product(half, back, all);
    for (int k = 0; k < 3; k++)
        out[k] = all[1 + k] + p->centre[k];
}

/* ---- the file, in which vertices are renumbered */

static size_t rotating_bodies_number(size_t v, size_t vertices)
{
    return v * STRIDE % vertices;
}

static void rotating_bodies_write_frames(turners *t, batch_writer *w)
{
    static double rest[3 * VERTICES_MOST], point[3 * VERTICES_MOST];
    const size_t n = t->vertices, corners = (size_t)t->mesh.primitives * (t->def.solids ? 4 : 3);
    for (size_t i = 0; i < corners; i++)
        t->corner[i] = (uint32_t)rotating_bodies_number(t->corner[i], n);
    for (size_t v = 0; v < n; v++)
        memcpy(rest + 3 * rotating_bodies_number(v, n), t->rest + 3 * v, 3 * sizeof *rest);
    t->mesh.vertices = t->vertices;
    t->mesh.corner = t->corner;
    t->mesh.corners = t->def.solids ? 4 : 3;
    t->mesh.corner_count = t->def.solids ? t->corner_count : NULL;
    t->mesh.object = t->object;
    t->mesh.bodies = TURNERS_BODIES;
    t->mesh.body = t->body;
    t->mesh.rest = rest;
    for (int f = 0; f < TURNERS_FRAMES; f++) {
        for (uint32_t v = 0; v < n; v++)
            rotating_bodies_vertex(t, f, v, point + 3 * rotating_bodies_number(v, n));
        const imp_frame frame = {&t->mesh, point, IMP_FLOAT64, (uint64_t)f, t->pose[f], f};
        CU_ASSERT_FATAL(batch_append(w, &frame, NULL, f) == IMP_OK);
    }
}

void turners_write(const char *path, const turners_def *def)
{
    static turners t;
    batch_writer *w;
    rng r = {11};
    const batch_def file = {.force = 1,
                            .unstructured = def->solids,
                            .type = def->single ? IMP_FLOAT32 : IMP_FLOAT64,
                            .objects = 1,
                            .bodies = 1};
    t = (turners){.def = *def};
    rotating_bodies_add_all(&t, &r);
    rotating_bodies_pose_all(&t, &r);
    CU_ASSERT_FATAL(batch_create(&t.m, path, &file, &w) == IMP_OK);
    rotating_bodies_write_frames(&t, w);
    CU_ASSERT_FATAL(batch_finish(w) == IMP_OK);
}

size_t turners_vertices(const turners_def *def)
{
    return (size_t)TURNERS_BOX * (TURNERS_BODIES - 1) + 2 * BLADE + SHEET * SHEET +
           (def->piles ? 6 * PILES : 0) + (def->spread ? 3 : 0);
}

size_t turners_vertex(const turners_def *def, int body, int k)
{
    const size_t n = turners_vertices(def);
    return rotating_bodies_number(body < 0 ? n - 3 + (size_t)k : (size_t)(TURNERS_BOX * body + k),
                                  n);
}
