/* missile: flies over hills to a target (scene_target.h), and through it. Three rigid bodies.
 * These, and the parts of each, are slightly apart: all contacts involve the missile. */
#include "scene_kind.h"

#include "scene_flight.h"
#include "scene_target.h"

#include <math.h>

enum { TERRAIN, TARGET, MISSILE, BODIES };

#define MISSILE_FINS 4      /* all fins together have 4 of 10 triangles of the missile */
#define MISSILE_HILLS 2000  /* m, side length of the terrain */
#define MISSILE_DEEP 40     /* m, half the depth of its valleys */
#define MISSILE_LEVEL 120.0 /* m about the building and the rail, nearly level */
#define MISSILE_FAR 950     /* m from the rail to the building */

static const v3 launch = {-MISSILE_FAR, 0, 4};

typedef struct missile {
    grid hills;
    target target;
    box fin;
    lathe hull;
    flight flight;
} missile;

/* ---- sizes */

/* The fins, swept back. */
static const plate fin = {{-2.9, 0.21, -0.012}, {-2.1, 0.6, 0.012}, 1};

static uint64_t missile_triangles(const missile *m, int body)
{
    if (body == TERRAIN)
        return grid_triangles(&m->hills);
    if (body == TARGET)
        return target_triangles(&m->target);
    return lathe_triangles(&m->hull) + MISSILE_FINS * box_triangles(&m->fin);
}

static uint64_t missile_vertices(const missile *m, int body)
{
    if (body == TERRAIN)
        return grid_vertices(&m->hills);
    if (body == TARGET)
        return target_vertices(&m->target);
    return lathe_vertices(&m->hull) + MISSILE_FINS * box_vertices(&m->fin);
}

/* The terrain gets the remaining triangles. */
static void missile_sizes(missile *m, int kind, double all, double share)
{
    target_sizes(&m->target, kind, (1 - share) * all * (4.0 / 9));
    m->hull = lathe_of((uint64_t)(0.6 * share * all), 2.4);
    m->fin = box_of((uint64_t)(0.4 / MISSILE_FINS * share * all), v3_sub(fin.high, fin.low));
    const double taken = (double)(missile_triangles(m, TARGET) + missile_triangles(m, MISSILE));
    m->hills = grid_of(all > taken ? (uint64_t)(all - taken) : 0);
}

/* ---- shapes */

/* Hills of height 0 at most, however coarse the grid is, so that the building stands free. */
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

/* An ogive nose, 1.2 m out of 6, and a cylinder. */
static lathe_ring hull_profile(double t)
{
    const double u = t < 0.4 ? 1 - t / 0.4 : 0;
    return (lathe_ring){t < 0.4 ? 1.8 + 1.2 * u : 1.8 - 4.8 * ((t - 0.4) / 0.6), 0.2 * (1 - u * u)};
}

static void missile_shapes(scene *s, const missile *m)
{
    uint32_t v = (uint32_t)missile_vertices(m, TERRAIN), *t = s->triangle;
    grid_fill(&m->hills, 0, t);
    hill_points(m, s->def.seed, s->rest);
    t += 3 * missile_triangles(m, TERRAIN);
    target_shape(&m->target, v, t, s->rest + (size_t)3 * v);
    v += (uint32_t)missile_vertices(m, TARGET);
    t += 3 * missile_triangles(m, TARGET);
    lathe_fill(&m->hull, v, t);
    lathe_points(&m->hull, hull_profile, s->rest + (size_t)3 * v);
    v += (uint32_t)lathe_vertices(&m->hull);
    t += 3 * lathe_triangles(&m->hull);
    for (int k = 0; k < MISSILE_FINS; k++) {
        box_fill(&m->fin, v, t);
        plate_points(&m->fin, &fin, k, s->rest + (size_t)3 * v);
        v += (uint32_t)box_vertices(&m->fin);
        t += 3 * box_triangles(&m->fin);
    }
}

/* ---- the scene */

/* The direction of the rail. An aircraft is far from the building's site: the rail points to its
 * initial position. */
static v3 rail_direction(const missile *m, double rail)
{
    const v3 ahead = v3_make(scene_cos(rail), scene_sin(rail), 0);
    if (!target_flies(&m->target))
        return ahead;
    const v3 to = v3_sub(target_aim(&m->target, 0), launch);
    const v3 u = scene_unit(v3_make(to.x, to.y, 0));
    return v3_make(u.x * ahead.x - u.y * ahead.y, u.y * ahead.x + u.x * ahead.y, 0);
}

static v3 aim_of(const void *of, double time)
{
    return target_aim(of, time);
}

static void missile_aim(scene *s, missile *m)
{
    scene_rng r = scene_rng_at(s->def.seed, 2);
    const double yaw = scene_rng_range(&r, -0.1, 0.1), rail = scene_rng_range(&r, -0.3, 0.3);
    const double side = scene_rng_range(&r, -16, -4), high = scene_rng_range(&r, 6, 12);
    const double up = scene_rng_range(&r, 0.8, 1), roll = scene_rng_range(&r, 2, 4);
    s->pose[TERRAIN].centre[0] = -0.5 * MISSILE_FAR;
    if (target_flies(&m->target))
        aircraft_place(&m->target, s->def.seed, launch);
    else
        building_place(&m->target, yaw, side, high);
    const v3 d = rail_direction(m, rail);
    const v3 heading = v3_make(d.x * scene_cos(up), d.y * scene_cos(up), scene_sin(up));
    flight_begin(&m->flight, launch, heading, s->setting[SETTING_missile_speed], roll);
    flight_aim_at(&m->flight, aim_of, &m->target);
}

static const char *const with_aircraft[] = {"terrain", "aircraft", "missile", NULL};

int scene_missile_build(scene *s)
{
    int err;
    missile *m;
    uint64_t verts[BODIES + 1] = {0}, cells[BODIES + 1] = {0};
    err = scene_alloc(s, 1, sizeof *m, &m);
    s->state = m;
    if (err)
        return err;
    missile_sizes(m, (int)s->setting[SETTING_missile_target], (double)s->def.primitives,
                  s->setting[SETTING_missile_share]);
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
    s->objects = target_flies(&m->target) ? with_aircraft : s->objects;
    missile_shapes(s, m);
    missile_aim(s, m);
    scene_pose_points(s, TERRAIN, verts[TERRAIN], verts[TERRAIN + 1]);
    return IMP_OK;
}

/* The terrain is static. */
void scene_missile_move(scene *s, uint64_t frame)
{
    missile *m = s->state;
    const double time = s->setting[SETTING_missile_begin] + (double)frame * s->seconds;
    const uint64_t after = missile_vertices(m, TERRAIN);
    const uint64_t first = after + missile_vertices(m, TARGET);
    s->pose[TARGET] = target_pose(&m->target, time);
    s->pose[MISSILE] = flight_pose(&m->flight, time);
    scene_pose_points(s, TARGET, after, first);
    scene_pose_points(s, MISSILE, first, s->mesh[0].vertices);
}
