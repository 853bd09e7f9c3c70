/* dense: two rough rigid shells with equally many triangles, one on the other: caps of a sphere, so
 * that they touch all over wherever one slides and turns. */
#include "scene_kind.h"

#include <math.h>

#define DENSE_HALF 0.6  /* half the width of a shell; the sphere has radius 1 */
#define DENSE_TURN 0.3  /* radians: edges of one shell are not along those of the other */
#define DENSE_ROUGH 0.2 /* deviation of a vertex from the sphere, in edges ... */
#define DENSE_WAVE 0.5  /* ... and amplitude of waves a sixth of the shell long */
#define DENSE_APART 0.8 /* mean distance between the shells, in edges */
#define DENSE_STEP 0.3  /* sliding distance from frame to frame, in edges */
#define DENSE_PERIOD 240

typedef struct dense {
    grid g;
    double edge;
    v3 axis; /* axis of the sliding motion */
} dense;

/* Vertices of a shell in its own coordinates, relative to the sphere's centre. */
static void dense_points(const scene *s, const dense *d, int upper, double *point)
{
    const uint64_t key = scene_key(s->def.seed, (uint64_t)(1 + upper));
    const double c = upper ? scene_cos(DENSE_TURN) : 1, n = upper ? scene_sin(DENSE_TURN) : 0;
    scene_rng r = scene_rng_at(key, 0);
    const double phase[2] = {scene_rng_range(&r, 0, 6), scene_rng_range(&r, 0, 6)};
    double *at = point;
    uint64_t i = 0;
    for (uint64_t row = 0; row <= d->g.rows; row++)
        for (uint64_t col = 0; col <= d->g.cols; col++, i++, at += 3) {
            const double x = DENSE_HALF * (2 * (double)col / (double)d->g.cols - 1);
            const double y = DENSE_HALF * (2 * (double)row / (double)d->g.rows - 1);
            const double wave = scene_sin(31 * x + phase[0]) * scene_sin(31 * y + phase[1]);
            const double out =
                (upper ? DENSE_APART : 0) + DENSE_WAVE * wave + DENSE_ROUGH * scene_white(key, i);
            const v3 u = scene_unit(v3_make(c * x - n * y, n * x + c * y, 1));
            scene_store(at, v3_scale(u, 1 + d->edge * out));
        }
}

int scene_dense_build(scene *s)
{
    int err;
    dense *d;
    err = scene_alloc(s, 1, sizeof *d, &d);
    s->state = d;
    if (err)
        return err;
    d->g = grid_of(s->def.primitives / 2);
    d->edge = 2 * DENSE_HALF / sqrt((double)d->g.rows * (double)d->g.cols);
    const uint64_t verts = grid_vertices(&d->g), cells = grid_triangles(&d->g);
    err = scene_mesh_alloc(s, 2 * verts, 2 * cells, 1);
    if (!err)
        err = scene_bodies_alloc(s, 2);
    if (err)
        return err;
    for (uint64_t i = cells; i < 2 * cells; i++)
        s->object[i] = 1;
    for (int upper = 0; upper < 2; upper++) {
        s->body[upper] = upper;
        grid_fill(&d->g, (uint32_t)(upper ? verts : 0), s->triangle + (upper ? 3 * cells : 0));
        dense_points(s, d, upper, s->rest + (upper ? 3 * verts : 0));
    }
    scene_rng r = scene_rng_at(s->def.seed, 0);
    /* Drawn one by one: compilers differ in the order in which they compute arguments of a call. */
    const double z = scene_rng_range(&r, 0.3, 0.6), y = scene_rng_range(&r, -0.5, 0.5);
    d->axis = scene_unit(v3_make(1, y, z));
    scene_pose_points(s, 0, 0, verts);
    return IMP_OK;
}

/* The upper shell slides to and fro, so slowly that a few frames go in one direction. */
void scene_dense_move(scene *s, uint64_t frame)
{
    const dense *d = s->state;
    const uint64_t verts = grid_vertices(&d->g);
    const double a = scene_phase(frame, DENSE_PERIOD), rate = DENSE_STEP * d->edge;
    const double half = 0.5 * rate * DENSE_PERIOD / (2 * SCENE_PI) * scene_sin(a);
    const v3 q = v3_scale(d->axis, scene_sin(half));
    imp_pose *p = &s->pose[1];
    *p = (imp_pose){.rotation = {scene_cos(half), q.x, q.y, q.z}};
    scene_store(p->spin, v3_scale(d->axis, rate * scene_cos(a) / s->seconds));
    scene_pose_points(s, 1, verts, 2 * verts);
}
