/* ribbon: a band wound on a cylinder, each turn partly overlapping the previous one. */
#include "scene_kind.h"

#include <math.h>

#define RIBBON_COLS 8
#define RIBBON_EDGE 0.01
#define RIBBON_PITCH 7.0  /* edges from turn to turn: less than the band is wide */
#define RIBBON_SLOPE 0.06 /* slope across the band, so that the turns overlap like shingles */
#define RIBBON_ROUGH 0.25 /* deviation of the noise, in edges */
#define RIBBON_LEAST 4.0  /* least radius of the cylinder, in edges */

typedef struct ribbon {
    grid g;
    noise n;
    double radius; /* in edges; the cylinder is about as high as wide */
} ribbon;

int scene_ribbon_build(scene *s)
{
    int err;
    ribbon *b;
    err = scene_alloc(s, 1, sizeof *b, &b);
    s->state = b;
    if (err)
        return err;
    uint64_t rows = s->def.primitives / (UINT64_C(2) * RIBBON_COLS);
    b->g = (grid){rows ? rows : 1, RIBBON_COLS};
    b->radius = sqrt((double)b->g.rows * RIBBON_PITCH / (4 * SCENE_PI));
    b->radius = b->radius < RIBBON_LEAST ? RIBBON_LEAST : b->radius;
    err = noise_init(s, &b->g, &b->n);
    if (!err)
        err = scene_mesh_alloc(s, grid_vertices(&b->g), grid_triangles(&b->g), 0);
    if (!err)
        grid_fill(&b->g, 0, s->triangle);
    return err;
}

void scene_ribbon_move(scene *s, uint64_t frame)
{
    ribbon *b = s->state;
    double *at = s->point;
    noise_start(&b->n, scene_key(s->def.seed, 0), frame);
    for (uint64_t row = 0; row <= b->g.rows; row++) {
        const double *d = noise_row(&b->n);
        double turn = (double)row / b->radius, rise = turn * (RIBBON_PITCH / (2 * SCENE_PI));
        double c = scene_cos(turn), sn = scene_sin(turn);
        for (uint64_t col = 0; col <= b->g.cols; col++, at += 3, d += 3) {
            double across = (double)col - 0.5 * RIBBON_COLS;
            double out = b->radius + RIBBON_SLOPE * across + RIBBON_ROUGH * d[0];
            v3 p = v3_make(c * out, sn * out, rise + across + 0.1 * d[1]);
            scene_store(at, v3_scale(p, RIBBON_EDGE));
        }
    }
}
