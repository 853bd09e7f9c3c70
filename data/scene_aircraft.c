/* See scene_target.h. The aircraft: a fuselage with wings, tail planes and a fin, 14 m long
 * and 11.6 m wide. It flies in a circle, at the bank angle for its speed and radius. */
#include "scene_target.h"

#include "bodies.h"

#define SPEED 100.0  /* m/s */
#define CIRCLE 600.0 /* m, radius */
#define BANK 1.04    /* radians; tangent: SPEED^2 / (CIRCLE g) */
#define AROUND 200.0 /* m, largest distance from the rail to the circle's centre along x and y */
#define RADIUS 0.8   /* m, radius of the fuselage */
#define HULL 0.4     /* fraction of the triangles in the fuselage */

/* x forwards, y to the left, z upwards. Booms are 4 cm thick, like those of air data probes. */
static const struct part {
    plate plate;
    int quarters; /* quarter turns about the axis */
} parts[TARGET_BOXES] = {
    {{{-1.6, 0.81, -0.08}, {1.6, 5.8, 0.08}, 0.125}, 0},  /* wings */
    {{{-1.6, 0.81, -0.08}, {1.6, 5.8, 0.08}, 0.125}, 2},  /* */
    {{{-6.8, 0.81, -0.05}, {-5.2, 2.6, 0.05}, 0.3}, 0},   /* tail planes */
    {{{-6.8, 0.81, -0.05}, {-5.2, 2.6, 0.05}, 0.3}, 2},   /* */
    {{{-6.8, 0.81, -0.05}, {-5, 3, 0.05}, 0.25}, 1},      /* fin */
    {{{-1.6, 5.81, -0.02}, {2.6, 5.85, 0.02}, 0}, 0},     /* booms: at the left wing, */
    {{{7.01, -0.02, -0.02}, {9.5, 0.02, 0.02}, 0}, 0},    /* at the nose, */
    {{{-9.8, -0.02, -0.02}, {-7.01, 0.02, 0.02}, 0}, 0}}; /* at the tail */

/* Points that the missile may aim at, chosen by the seed: the fuselage and a wing, with the axis of
 * the missile; booms, which its axis passes at up to PAST metres. */
#define AIMS 5
#define PAST_LEAST 0.06
#define PAST_MOST 0.15
static const struct {
    v3 at, past;
} aims[AIMS] = {{{2, 0, 0}, {0, 0, 0}},
                {{-0.6, 3, 0}, {0, 0, 0}},
                {{1.6, 5.83, 0}, {0, 0, 1}},
                {{8.5, 0, 0}, {0, 0, 1}},
                {{-9, 0, 0}, {0, 0, 1}}};

static v3 part_size(int i)
{
    return v3_sub(parts[i].plate.high, parts[i].plate.low);
}

static double part_area(int i)
{
    const v3 s = part_size(i);
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

void aircraft_sizes(target *t, double triangles)
{
    double area = 0;
    t->boxes = TARGET_BOXES;
    t->hull = lathe_of((uint64_t)(HULL * triangles), 2);
    for (int i = 0; i < TARGET_BOXES; i++)
        area += part_area(i);
    for (int i = 0; i < TARGET_BOXES; i++)
        t->box[i] = box_of((uint64_t)((1 - HULL) * triangles * part_area(i) / area), part_size(i));
}

/* Profile of the fuselage, thin at both ends. */
static lathe_ring fuselage(double t)
{
    const double u = t < 0.3 ? 1 - t / 0.3 : t > 0.6 ? (t - 0.6) / 0.8 : 0;
    return (lathe_ring){7 - 14 * t, RADIUS * (1 - u * u)};
}

void aircraft_shape(const target *t, uint32_t first, uint32_t *triangle, double *point)
{
    lathe_fill(&t->hull, first, triangle);
    lathe_points(&t->hull, fuselage, point);
    first += (uint32_t)lathe_vertices(&t->hull);
    triangle += 3 * lathe_triangles(&t->hull);
    point += 3 * lathe_vertices(&t->hull);
    for (int i = 0; i < TARGET_BOXES; i++) {
        const uint64_t n = box_vertices(&t->box[i]);
        box_fill(&t->box[i], first, triangle);
        plate_points(&t->box[i], &parts[i].plate, parts[i].quarters, point);
        first += (uint32_t)n;
        triangle += 3 * box_triangles(&t->box[i]);
        point += 3 * n;
    }
}

void aircraft_place(target *t, uint64_t seed, v3 about)
{
    scene_rng r = scene_rng_at(seed, 3);
    const double x = scene_rng_range(&r, -AROUND, AROUND), y = scene_rng_range(&r, -AROUND, AROUND);
    const double high = scene_rng_range(&r, 250, 450);
    t->yaw = scene_rng_range(&r, 0, 2 * SCENE_PI);
    t->centre = v3_add(about, v3_make(x, y, high));
    const double past = scene_rng_range(&r, PAST_LEAST, PAST_MOST);
    t->aim = v3_add(aims[seed % AIMS].at, v3_scale(aims[seed % AIMS].past, past));
}

/* The pose in a left turn, so that the left wing is the lower one. */
imp_pose aircraft_pose(const target *t, double time)
{
    const double yaw = t->yaw + time * (SPEED / CIRCLE), c = scene_cos(yaw), s = scene_sin(yaw);
    const double turn[4] = {scene_cos(0.5 * yaw), 0, 0, scene_sin(0.5 * yaw)};
    const double bank[4] = {scene_cos(-0.5 * BANK), scene_sin(-0.5 * BANK), 0, 0};
    imp_pose p = {.spin = {0, 0, SPEED / CIRCLE}};
    scene_store(p.centre, v3_add(t->centre, v3_make(CIRCLE * s, -CIRCLE * c, 0)));
    scene_store(p.velocity, v3_make(SPEED * c, SPEED * s, 0));
    pose_product(turn, bank, p.rotation);
    return p;
}
