/* organ: a scalpel with few triangles is pressed into a large organ with many, and drawn along it.
 * The scalpel is rigid; the organ yields beneath the tip. */
#include "scene_kind.h"

#include "scene_shell.h"

#include <math.h>

#define ORGAN_SHARE 0.015 /* the scalpel's fraction of the triangles */
#define ORGAN_BLADE 0.35  /* length; the organ is about 2 wide, the scalpel's tip is its origin */
#define ORGAN_WIDTH 0.04  /* half the width */
#define ORGAN_THICK 0.006 /* half the thickness */
#define ORGAN_DEPTH 0.08  /* the tip's, under the organ's undeformed surface */
#define ORGAN_DENT 0.03   /* indentation at the tip ... */
#define ORGAN_ROUND 0.12  /* ... and its radius */
#define ORGAN_SWING 0.35  /* radians of the cut, on each side of the top */
#define ORGAN_TILT 0.5    /* radians, of the scalpel */
#define ORGAN_PERIOD 60   /* frames */
#define ORGAN_BUMPS 4
#define ORGAN_INSTANT 1e-3 /* frames, over which a velocity is measured */

typedef struct organ {
    uint64_t cuts;
    box blade;
    lathe handle;
    double phase[ORGAN_BUMPS];
    double *still; /* [3 * vertices of the organ] undeformed */
} organ;

/* ---- shapes */

/* The point of the surface in direction u, a unit vector. */
static v3 organ_surface(const organ *o, v3 u)
{
    static const v3 wave[ORGAN_BUMPS] = {{3, 1, 0}, {-1, 4, 2}, {2, -3, 5}, {7, 6, -4}};
    double r = 1;
    for (int i = 0; i < ORGAN_BUMPS; i++)
        r += 0.05 / (1 + 0.5 * i) * scene_sin(v3_dot(wave[i], u) + o->phase[i]);
    return v3_make(1.3 * r * u.x, r * u.y, 0.7 * r * u.z);
}

static void organ_still(organ *o)
{
    double *at = o->still;
    ball_points(o->cuts, at);
    for (uint64_t i = 0; i < ball_vertices(o->cuts); i++, at += 3)
        scene_store(at, organ_surface(o, v3_make(at[0], at[1], at[2])));
}

/* Makes the blade's box pointed at the bottom, and sharp in front; z is up along the scalpel. */
static void scene_organ_blade_points(const box *b, double *point)
{
    box_points(b, v3_make(-1, -1, 0), v3_make(1, 1, 1), point);
    for (double *at = point; at < point + 3 * box_vertices(b); at += 3) {
        const double wide = at[2] < 0.4 ? 0.05 + 0.95 * at[2] / 0.4 : 1;
        at[1] *= ORGAN_THICK * wide * (0.15 + 0.85 * (0.5 + 0.5 * at[0]));
        at[0] *= ORGAN_WIDTH * wide;
        at[2] *= ORGAN_BLADE;
    }
}

/* The handle, from its rounded end down to slightly above the blade. */
static lathe_ring handle_profile(double t)
{
    const double end = t < 0.1 ? 1 - t / 0.1 : 0, length = 0.8;
    return (lathe_ring){ORGAN_BLADE + 0.005 + length * (1 - t), 0.03 * sqrt(1 - end * end)};
}

static void handle_points(const lathe *l, double *point)
{
    lathe_points(l, handle_profile, point);
    for (double *at = point; at < point + 3 * lathe_vertices(l); at += 3) {
        const double x = at[0];
        at[0] = at[1];
        at[1] = at[2];
        at[2] = x;
    }
}

static void organ_shapes(scene *s, organ *o)
{
    uint64_t v = ball_vertices(o->cuts);
    uint32_t *t = s->triangle;
    organ_still(o);
    ball_fill(o->cuts, 0, t);
    t += 3 * ball_triangles(o->cuts);
    box_fill(&o->blade, (uint32_t)v, t);
    scene_organ_blade_points(&o->blade, s->rest + 3 * v);
    t += 3 * box_triangles(&o->blade);
    v += box_vertices(&o->blade);
    lathe_fill(&o->handle, (uint32_t)v, t);
    handle_points(&o->handle, s->rest + 3 * v);
}

int scene_organ_build(scene *s)
{
    int err;
    organ *o;
    const double few = ORGAN_SHARE * (double)s->def.primitives;
    err = scene_alloc(s, 1, sizeof *o, &o);
    s->state = o;
    if (err)
        return err;
    o->blade =
        box_of((uint64_t)(0.5 * few), v3_make(2 * ORGAN_WIDTH, 2 * ORGAN_THICK, ORGAN_BLADE));
    o->handle = lathe_of((uint64_t)(0.5 * few), 2);
    const uint64_t scalpel = box_triangles(&o->blade) + lathe_triangles(&o->handle);
    o->cuts = ball_cuts(s->def.primitives > scalpel ? s->def.primitives - scalpel : 0);
    const uint64_t first = ball_triangles(o->cuts), soft = ball_vertices(o->cuts);
    const uint64_t hard = box_vertices(&o->blade) + lathe_vertices(&o->handle);
    err = scene_mesh_alloc(s, soft + hard, first + scalpel, 1);
    if (!err)
        err = scene_bodies_alloc(s, 1);
    if (!err)
        err = scene_alloc(s, 3 * soft, sizeof *o->still, &o->still);
    if (err)
        return err;
    scene_rng r = scene_rng_at(s->def.seed, 0);
    for (int i = 0; i < ORGAN_BUMPS; i++)
        o->phase[i] = scene_rng_range(&r, 0, 2 * SCENE_PI);
    for (uint64_t i = first; i < first + scalpel; i++)
        s->object[i] = 1;
    s->body[0] = 1;
    organ_shapes(s, o);
    return IMP_OK;
}

/* ---- motion */

/* Angle of the cut at any time, in frames within a period. */
static double swing(double frame)
{
    return ORGAN_SWING * scene_sin(2 * SCENE_PI / ORGAN_PERIOD * frame - 0.5 * SCENE_PI);
}

static v3 tip_over(const organ *o, double frame)
{
    const double a = swing(frame);
    return organ_surface(o, v3_make(scene_sin(a), 0, scene_cos(a)));
}

static v3 tip_at(const organ *o, double frame)
{
    const v3 over = tip_over(o, frame);
    const double more = 1 + 0.2 * scene_sin(4 * SCENE_PI / ORGAN_PERIOD * frame);
    return v3_sub(over, v3_scale(scene_unit(over), ORGAN_DEPTH * more));
}

static imp_pose scalpel_pose(const organ *o, double frame, double seconds)
{
    const double before = frame - ORGAN_INSTANT, after = frame + ORGAN_INSTANT;
    const double half = 0.5 * (swing(frame) - ORGAN_TILT), a = 1 / (2 * ORGAN_INSTANT * seconds);
    imp_pose p = {.rotation = {scene_cos(half), 0, scene_sin(half), 0},
                  .spin = {0, (swing(after) - swing(before)) * a, 0}};
    scene_store(p.centre, tip_at(o, frame));
    scene_store(p.velocity, v3_scale(v3_sub(tip_at(o, after), tip_at(o, before)), a));
    return p;
}

static void organ_dent(const organ *o, v3 over, double *point)
{
    const v3 in = v3_scale(scene_unit(over), -ORGAN_DENT);
    const double *from = o->still;
    for (uint64_t i = 0; i < ball_vertices(o->cuts); i++, from += 3, point += 3) {
        const v3 p = v3_make(from[0], from[1], from[2]), d = v3_sub(p, over);
        const double far = v3_dot(d, d) / (ORGAN_ROUND * ORGAN_ROUND);
        scene_store(point, far > 40 ? p : v3_add(p, v3_scale(in, scene_exp(-far))));
    }
}

void scene_organ_move(scene *s, uint64_t frame)
{
    organ *o = s->state;
    const double at = (double)(frame % ORGAN_PERIOD);
    s->pose[0] = scalpel_pose(o, at, s->seconds);
    organ_dent(o, tip_over(o, at), s->point);
    scene_pose_points(s, 0, ball_vertices(o->cuts), s->mesh[0].vertices);
}
