/* spheres: many small balls, one object each, in the unit cube. */
#include "scene_kind.h"

#define SPHERE_CUTS 2 /* 80 triangles */
#define SPHERE_VERTICES 42
#define SPHERE_TRIANGLES 80
#define SPHERE_FRACTION 0.2 /* fraction of the cube's volume */

static uint64_t sphere_count(const scene *s)
{
    uint64_t n = (s->def.primitives + SPHERE_TRIANGLES / 2) / SPHERE_TRIANGLES;
    return n ? n : 1;
}

int scene_spheres_build(scene *s)
{
    uint64_t n = sphere_count(s);
    int err = scene_alloc(s, (size_t)3 * SPHERE_VERTICES, sizeof(double), &s->state);
    if (!err)
        err = scene_mesh_alloc(s, n * SPHERE_VERTICES, n * SPHERE_TRIANGLES, 1);
    if (err)
        return err;
    ball_points(SPHERE_CUTS, s->state);
    for (uint64_t i = 0; i < n; i++)
        ball_fill(SPHERE_CUTS, (uint32_t)(i * SPHERE_VERTICES),
                  s->triangle + 3 * i * SPHERE_TRIANGLES);
    for (uint64_t i = 0; i < n * SPHERE_TRIANGLES; i++)
        s->object[i] = (int32_t)(i / SPHERE_TRIANGLES);
    return IMP_OK;
}

/* Each ball moves in a straight line until its centre meets a wall. */
void scene_spheres_move(scene *s, uint64_t frame)
{
    const double *unit = s->state;
    double *at = s->point;
    uint64_t n = sphere_count(s), key = scene_key(s->def.seed, 0);
    double mean = scene_cbrt(3 * SPHERE_FRACTION / (4 * SCENE_PI * (double)n));
    for (uint64_t i = 0; i < n; i++) {
        scene_rng r = scene_rng_at(key, i);
        double radius = mean * scene_rng_range(&r, 0.8, 1.2);
        m3 turn = scene_rng_rotation(&r);
        v3 middle = scene_rng_place(&r, 0.2 * mean, frame);
        for (size_t k = 0; k < SPHERE_VERTICES; k++, at += 3) {
            v3 u = v3_make(unit[3 * k], unit[3 * k + 1], unit[3 * k + 2]);
            scene_store(at, v3_add(middle, v3_scale(scene_turn(&turn, u), radius)));
        }
    }
}
