/* Grids, and the scene of a flat one. */
#include "scene_kind.h"

#include <math.h>

grid grid_of(uint64_t triangles)
{
    uint64_t quads = triangles / 2 ? triangles / 2 : 1;
    uint64_t cols = (uint64_t)sqrt((double)quads);
    return (grid){quads / cols, cols};
}

uint64_t grid_vertices(const grid *g)
{
    return (g->rows + 1) * (g->cols + 1);
}

uint64_t grid_triangles(const grid *g)
{
    return 2 * g->rows * g->cols;
}

void grid_fill(const grid *g, uint32_t first, uint32_t *triangle)
{
    uint32_t *t = triangle, down = (uint32_t)g->cols + 1;
    for (uint64_t row = 0; row < g->rows; row++)
        for (uint64_t col = 0; col < g->cols; col++, t += 6) {
            uint32_t a = first + (uint32_t)(row * down + col);
            t[0] = a;
            t[1] = a + 1;
            t[2] = a + down;
            t[3] = a + 1;
            t[4] = a + down + 1;
            t[5] = a + down;
        }
}

static double grid_length(const double *a, const double *b)
{
    return scene_norm(v3_make(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
}

double grid_edge(const grid *g, const double *point)
{
    const uint64_t down = 3 * (g->cols + 1);
    double sum = 0;
    for (uint64_t row = 0; row < g->rows; row++)
        for (uint64_t col = 0; col < g->cols; col++) {
            const double *a = point + row * down + 3 * col;
            sum += grid_length(a, a + 3) + grid_length(a, a + down) +
                   2 * grid_length(a + 3, a + down) + grid_length(a + 3, a + down + 3) +
                   grid_length(a + down, a + down + 3);
        }
    return sum / (3 * (double)grid_triangles(g));
}

/* ---- flat: all coordinates are multiples of 2^-10, so the sheet is exactly planar */

#define FLAT_EDGE 0x1p-10

int scene_flat_build(scene *s)
{
    int err;
    grid g = grid_of(s->def.primitives);
    err = scene_mesh_alloc(s, grid_vertices(&g), grid_triangles(&g), 0);
    if (!err)
        grid_fill(&g, 0, s->triangle);
    return err;
}

/* It glides within its plane. */
void scene_flat_move(scene *s, uint64_t frame)
{
    grid g = grid_of(s->def.primitives);
    scene_rng r = scene_rng_at(s->def.seed, 0);
    double x = (double)(scene_rng_next(&r) % 1024 + frame % 1024);
    double y = (double)(scene_rng_next(&r) % 1024);
    double *at = s->point;
    for (uint64_t row = 0; row <= g.rows; row++)
        for (uint64_t col = 0; col <= g.cols; col++, at += 3)
            scene_store(
                at, v3_make((x + (double)row) * FLAT_EDGE, (y + (double)col) * FLAT_EDGE, 0.25));
}
