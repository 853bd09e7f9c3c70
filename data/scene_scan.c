/* scan: two overlapping scans of one bumpy surface, as from a scanner: triangles of all shapes,
 * dense where the surface was near or seen often. */
#include "scene_kind.h"

#include <math.h>

#define SCAN_SHIFT 0.35 /* shift of a vertex, in grid steps, along and across */
#define SCAN_DENSE 0.8  /* steps are 1 - this to 1 + this times their mean */
#define SCAN_WAVES 2    /* dense regions along each side */
#define SCAN_ROUGH 0.15 /* deviation of the height, in local steps */
#define SCAN_TURN 0.3   /* rotation of the second scan */
#define SCAN_PERIOD 48  /* frames of the sliding motion */

int scene_scan_build(scene *s)
{
    int err;
    grid g = grid_of(s->def.primitives / 2);
    uint64_t vertices = grid_vertices(&g), triangles = grid_triangles(&g);
    err = scene_mesh_alloc(s, 2 * vertices, 2 * triangles, 1);
    if (err)
        return err;
    grid_fill(&g, 0, s->triangle);
    grid_fill(&g, (uint32_t)vertices, s->triangle + 3 * triangles);
    for (uint64_t i = triangles; i < 2 * triangles; i++)
        s->object[i] = 1;
    /* one quad in two has the other diagonal */
    for (uint64_t i = 0; i < 2 * triangles; i += 2) {
        uint32_t *t = s->triangle + 3 * i;
        if (scene_white(scene_key(s->def.seed, 2), i) < 0)
            continue;
        t[2] = t[4];
        t[3] = t[0];
    }
    return IMP_OK;
}

/* The position along a side at parameter t in [0, 1]. *step: the mean step, on return the local
 * one. */
static double scan_place(double t, double phase, double *step)
{
    double w = 2 * SCENE_PI * SCAN_WAVES, angle = w * t + phase;
    *step *= 1 + SCAN_DENSE * scene_cos(angle);
    return t + SCAN_DENSE / w * scene_sin(angle);
}

static double scan_height(double x, double y)
{
    return 0.1 * scene_sin(5 * x + 3 * y) + 0.05 * scene_sin(11 * y - 7 * x) +
           0.01 * scene_sin(40 * x + 1) * scene_sin(37 * y);
}

/* turn: rotation of the scan in its plane; shift: displacement in its plane */
static void scan_points(const grid *g, uint64_t key, double turn, double shift, double *point)
{
    double *at = point, c = scene_cos(turn), sn = scene_sin(turn);
    m3 slant = scene_rotation(0.5, -0.3, 0.7, 0.4); /* not along the axes */
    scene_rng r = scene_rng_at(key, 0);
    double along = scene_rng_range(&r, 0, 2 * SCENE_PI);
    double across = scene_rng_range(&r, 0, 2 * SCENE_PI);
    for (uint64_t row = 0; row <= g->rows; row++)
        for (uint64_t col = 0; col <= g->cols; col++, at += 3) {
            double step[2] = {1 / (double)g->rows, 1 / (double)g->cols};
            double u = (double)row + scene_rng_range(&r, -SCAN_SHIFT, SCAN_SHIFT);
            double v = (double)col + scene_rng_range(&r, -SCAN_SHIFT, SCAN_SHIFT);
            u = scan_place(u * step[0], along, &step[0]) - 0.5;
            v = scan_place(v * step[1], across, &step[1]) - 0.5;
            double x = c * u - sn * v + shift, y = sn * u + c * v;
            double rough = SCAN_ROUGH * sqrt(step[0] * step[1]);
            double z = scan_height(x, y) + rough * scene_white(key, row * (g->cols + 1) + col);
            scene_store(at, scene_turn(&slant, v3_make(x, y, z)));
        }
}

/* The second scan slides over the first. */
void scene_scan_move(scene *s, uint64_t frame)
{
    grid g = grid_of(s->def.primitives / 2);
    double step = 1 / (double)g.cols, way = step * scene_sin(scene_phase(frame, SCAN_PERIOD));
    double *second = s->point + 3 * grid_vertices(&g);
    scan_points(&g, scene_key(s->def.seed, 0), 0, 0, s->point);
    scan_points(&g, scene_key(s->def.seed, 1), SCAN_TURN, way, second);
}
