/* missile: it flies over hills to a building, and through a thin wing of it. Three rigid bodies.
 * They, and what each is made of, are a little apart: contacts are those of the missile. */
#include "scene_kind.h"

#include "scene_flight.h"
#include "scene_shell.h"

#include <math.h>

enum { TERRAIN, BUILDING, MISSILE, BODIES };

#define MISSILE_BLOCKS 5    /* of the building */
#define MISSILE_FEW 500     /* triangles of a building with less blocks */
#define MISSILE_FINS 4      /* with all of them 4 of 10 triangles of the missile */
#define MISSILE_HILLS 2000  /* m, side of the terrain */
#define MISSILE_DEEP 40     /* m, half of the depth of its valleys */
#define MISSILE_LEVEL 120.0 /* m about the building and the rail that are nearly level */
#define MISSILE_FAR 950     /* m from the rail to the building */

/* of the building, in its own coordinates; the missile flies through the first, along x */
static const struct block {
    double low[3], high[3];
} blocks[MISSILE_BLOCKS] = {{{-1.25, -30, 0.3}, {1.25, 10, 16}},
                            {{-9, 10.3, 0.3}, {15, 30, 22}},
                            {{-3, 14, 22.3}, {9, 26, 40}},
                            {{1.6, -30, 0.3}, {25, -24, 8}},
                            {{-20, 12, 3}, {-9.3, 28, 3.6}}};

typedef struct missile {
    int blocks;
    grid hills;
    box block[MISSILE_BLOCKS], fin;
    lathe hull;
    flight flight;
} missile;

static v3 vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

/* ---- sizes */

static v3 block_size(int i)
{
    return v3_sub(vector(blocks[i].high), vector(blocks[i].low));
}

static double block_area(int i)
{
    const v3 s = block_size(i);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

static const v3 fin_low = {-2.9, 0.21, -0.012}, fin_high = {-2.1, 0.6, 0.012};

static uint64_t missile_triangles(const missile *m, int body)
{
    uint64_t n = 0;
    if (body == TERRAIN)
        return grid_triangles(&m->hills);
    if (body == MISSILE)
        return lathe_triangles(&m->hull) + MISSILE_FINS * box_triangles(&m->fin);
    for (int i = 0; i < m->blocks; i++)
        n += box_triangles(&m->block[i]);
    return n;
}

static uint64_t missile_vertices(const missile *m, int body)
{
    uint64_t n = 0;
    if (body == TERRAIN)
        return grid_vertices(&m->hills);
    if (body == MISSILE)
        return lathe_vertices(&m->hull) + MISSILE_FINS * box_vertices(&m->fin);
    for (int i = 0; i < m->blocks; i++)
        n += box_vertices(&m->block[i]);
    return n;
}

/* The terrain has what the others leave. */
static void missile_sizes(missile *m, double all, double share)
{
    double building = (1 - share) * all * (4.0 / 9), area = 0;
    m->blocks = building < MISSILE_FEW ? 2 : MISSILE_BLOCKS;
    for (int i = 0; i < m->blocks; i++)
        area += block_area(i);
    for (int i = 0; i < m->blocks; i++)
        m->block[i] = box_of((uint64_t)(building * block_area(i) / area), block_size(i));
    m->hull = lathe_of((uint64_t)(0.6 * share * all), 2.4);
    m->fin = box_of((uint64_t)(0.4 / MISSILE_FINS * share * all), v3_sub(fin_high, fin_low));
    const double taken = (double)(missile_triangles(m, BUILDING) + missile_triangles(m, MISSILE));
    m->hills = grid_of(all > taken ? (uint64_t)(all - taken) : 0);
}

/* ---- shapes */

/* Hills up to height 0 at most, however coarse the grid is, so that the building stands free. */
static double hill_height(double x, double y, const double phase[4])
{
    const double waves = scene_sin(0.0071 * x + phase[0]) * scene_cos(0.0063 * y + phase[1]) +
                         0.6 * scene_sin(0.011 * x - 0.013 * y + phase[2]) +
                         0.3 * scene_cos(0.027 * x + 0.019 * y + phase[3]);
    const double flat = MISSILE_LEVEL * MISSILE_LEVEL * MISSILE_LEVEL * MISSILE_LEVEL;
    const double near = x - 0.5 * MISSILE_FAR, far = x + 0.5 * MISSILE_FAR;
    const double a = near * near + y * y, b = far * far + y * y;
    return MISSILE_DEEP * (waves / 1.9 - 1) * (a * a / (a * a + flat)) * (b * b / (b * b + flat));
}

static void hill_points(const missile *m, uint64_t seed, double *point)
{
    scene_rng r = scene_rng_at(seed, 1);
    double phase[4], *at = point;
    for (int i = 0; i < 4; i++)
        phase[i] = scene_rng_range(&r, 0, 2 * SCENE_PI);
    for (uint64_t row = 0; row <= m->hills.rows; row++)
        for (uint64_t col = 0; col <= m->hills.cols; col++, at += 3) {
            const double y = MISSILE_HILLS * ((double)row / (double)m->hills.rows - 0.5);
            const double x = MISSILE_HILLS * ((double)col / (double)m->hills.cols - 0.5);
            scene_store(at, v3_make(x, y, hill_height(x, y, phase)));
        }
}

/* An ogive nose, 1.2 m of 6, and a cylinder. */
static lathe_ring hull_profile(double t)
{
    const double u = t < 0.4 ? 1 - t / 0.4 : 0;
    return (lathe_ring){t < 0.4 ? 1.8 + 1.2 * u : 1.8 - 4.8 * ((t - 0.4) / 0.6), 0.2 * (1 - u * u)};
}

/* Fin number k, a quarter turn from the one before; swept back. */
static void fin_points(const box *fin, int k, double *point)
{
    static const double turn[MISSILE_FINS][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const double c = turn[k][0], s = turn[k][1];
    box_points(fin, fin_low, fin_high, point);
    for (double *at = point; at < point + 3 * box_vertices(fin); at += 3) {
        const double y = at[1], z = at[2];
        at[0] -= (y - fin_low.y) * (at[0] - fin_low.x);
        at[1] = c * y - s * z;
        at[2] = s * y + c * z;
    }
}

static void missile_shapes(scene *s, const missile *m)
{
    uint32_t v = (uint32_t)missile_vertices(m, TERRAIN), *t = s->triangle;
    grid_fill(&m->hills, 0, t);
    hill_points(m, s->def.seed, s->rest);
    t += 3 * missile_triangles(m, TERRAIN);
    for (int i = 0; i < m->blocks; i++) {
        box_fill(&m->block[i], v, t);
        box_points(&m->block[i], vector(blocks[i].low), vector(blocks[i].high),
                   s->rest + (size_t)3 * v);
        v += (uint32_t)box_vertices(&m->block[i]);
        t += 3 * box_triangles(&m->block[i]);
    }
    lathe_fill(&m->hull, v, t);
    lathe_points(&m->hull, hull_profile, s->rest + (size_t)3 * v);
    v += (uint32_t)lathe_vertices(&m->hull);
    t += 3 * lathe_triangles(&m->hull);
    for (int k = 0; k < MISSILE_FINS; k++) {
        box_fill(&m->fin, v, t);
        fin_points(&m->fin, k, s->rest + (size_t)3 * v);
        v += (uint32_t)box_vertices(&m->fin);
        t += 3 * box_triangles(&m->fin);
    }
}

/* ---- the scene */

static void missile_aim(scene *s, missile *m)
{
    scene_rng r = scene_rng_at(s->def.seed, 2);
    const double yaw = scene_rng_range(&r, -0.1, 0.1), rail = scene_rng_range(&r, -0.3, 0.3);
    const double side = scene_rng_range(&r, -16, -4), high = scene_rng_range(&r, 6, 12);
    const double up = scene_rng_range(&r, 0.8, 1), roll = scene_rng_range(&r, 2, 4);
    imp_pose *hills = &s->pose[TERRAIN], *building = &s->pose[BUILDING];
    hills->centre[0] = -0.5 * MISSILE_FAR;
    building->rotation[0] = scene_cos(0.5 * yaw);
    building->rotation[3] = scene_sin(0.5 * yaw);
    const v3 aim = v3_make(-side * scene_sin(yaw), side * scene_cos(yaw), high);
    const v3 heading =
        v3_make(scene_cos(rail) * scene_cos(up), scene_sin(rail) * scene_cos(up), scene_sin(up));
    flight_begin(&m->flight, v3_make(-MISSILE_FAR, 0, 4), heading, aim,
                 s->setting[SETTING_missile_speed], roll);
}

int scene_missile_build(scene *s)
{
    int err;
    missile *m;
    uint64_t verts[BODIES + 1] = {0}, cells[BODIES + 1] = {0};
    err = scene_alloc(s, 1, sizeof *m, &m);
    s->state = m;
    if (err)
        return err;
    missile_sizes(m, (double)s->def.primitives, s->setting[SETTING_missile_share]);
    for (int b = 0; b < BODIES; b++) {
        verts[b + 1] = verts[b] + missile_vertices(m, b);
        cells[b + 1] = cells[b] + missile_triangles(m, b);
    }
    err = scene_mesh_alloc(s, verts[BODIES], cells[BODIES], 1);
    if (!err)
        err = scene_bodies_alloc(s, BODIES);
    if (err)
        return err;
    for (int b = 0; b < BODIES; b++) {
        s->body[b] = b;
        for (uint64_t i = cells[b]; i < cells[b + 1]; i++)
            s->object[i] = b;
    }
    s->seconds = s->setting[SETTING_missile_step];
    missile_shapes(s, m);
    missile_aim(s, m);
    scene_pose_points(s, TERRAIN, verts[TERRAIN], verts[TERRAIN + 1]);
    scene_pose_points(s, BUILDING, verts[BUILDING], verts[BUILDING + 1]);
    return IMP_OK;
}

/* Only the missile moves. */
void scene_missile_move(scene *s, uint64_t frame)
{
    missile *m = s->state;
    const uint64_t last = s->mesh[0].vertices;
    s->pose[MISSILE] =
        flight_pose(&m->flight, s->setting[SETTING_missile_begin] + (double)frame * s->seconds);
    scene_pose_points(s, MISSILE, last - missile_vertices(m, MISSILE), last);
}
