/* See solid_cells.h. */
#include "solid_cells.h"

#include <string.h>

static const double solid_cells_origin[3] = {0, 0, 0};

/* Object 1 has the points as triangles with one vertex. */
void solid_cells_make(solid_scene *s, rng *r, solid_cells_pair *p, int (*at)[3], int points)
{
    static const int n[3] = {CELLS, CELLS, CELLS};
    solid_scene_clear(s);
    p->turned = (int)rng_below(r, 2);
    for (int set = 0; set < 2; set++) {
        for (int i = 0; i < CELLS * CELLS * CELLS; i++)
            p->full[set][i] = rng_below(r, 3) ? '#' : '.';
        p->full[set][CELLS * CELLS * CELLS] = 0;
    }
    solid_cells(s, 0, n, p->full[1], solid_cells_origin);
    if (p->turned)
        solid_flip(s, 0);
    solid_cells(s, 0, n, p->full[0], solid_cells_origin);
    for (int i = 0; i < points; i++) {
        for (int k = 0; k < 3; k++)
            at[i][k] = (int)rng_below(r, CELLS * CELLS_AT + 1);
        const uint32_t v = solid_vertex(s, at[i][0] / (double)CELLS_AT, at[i][1] / (double)CELLS_AT,
                                        at[i][2] / (double)CELLS_AT);
        solid_triangle(s, 1, v, v, v);
    }
}

/* x is sheared by multiples of y and z: winding numbers stay. */
void solid_cells_shear(solid_scene *s)
{
    for (size_t v = 0; v < s->mesh.vertices; v++)
        s->point[3 * v] += 0x1.8p-12 * s->point[3 * v + 1] - 0x1p-20 * s->point[3 * v + 2];
}

/* Chooses an object's cells, and where it is. */
static void solid_cells_choose(rng *r, solid_cells_pair *p, int from[3])
{
    const uint32_t full = 1 + rng_below(r, 12);
    p->turned = (int)rng_below(r, 2);
    for (int k = 0; k < 3; k++) {
        from[k] = (int)rng_below(r, 2 * FINE) - FINE;
        from[k] -= rng_below(r, 2) ? from[k] % CELLS_AT : 0;
    }
    for (int i = 0; i < 2 * CELLS * CELLS * CELLS; i++)
        p->full[i & 1][i / 2] = rng_below(r, 13) < full ? '#' : '.';
    p->full[0][CELLS * CELLS * CELLS] = p->full[1][CELLS * CELLS * CELLS] = 0;
}

/* The second object is, at times, the first one without some cells. */
void solid_cells_objects(solid_scene *s, rng *r, solid_cells_pair p[2], int from[2][3])
{
    static const int n[3] = {CELLS, CELLS, CELLS};
    solid_scene_clear(s);
    for (int o = 0; o < 2; o++)
        solid_cells_choose(r, &p[o], from[o]);
    memset(from[0], 0, sizeof from[0]);
    if (!rng_below(r, 3)) {
        p[1] = p[0];
        memset(from[1], 0, sizeof from[1]);
        for (int i = 0; i < 2 * CELLS * CELLS * CELLS; i++)
            p[1].full[i & 1][i / 2] = rng_below(r, 4) ? p[0].full[i & 1][i / 2] : '.';
    }
    for (int o = 0; o < 2; o++) {
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = from[o][k] / (double)CELLS_AT;
        solid_cells(s, o, n, p[o].full[1], at);
        if (p[o].turned)
            solid_flip(s, o);
        solid_cells(s, o, n, p[o].full[0], at);
    }
}

void solid_sheet_make(solid_scene *s, rng *r, solid_cells_pair *p, int sheet[5])
{
    int from[2][3];
    solid_cells_pair both[2];
    solid_cells_objects(s, r, both, from);
    *p = both[0];
    const uint32_t of_0 = s->mesh.primitives;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of_0; i++) /* objects follow each other */
        kept += s->object[i] == 0;
    s->mesh.primitives = kept;
    for (int i = 0; i < 4; i++)
        sheet[i] = (int)rng_below(r, FINE);
    sheet[2] = sheet[0] + 1 + (int)rng_below(r, CELLS_AT);
    sheet[3] = sheet[1] + 1 + (int)rng_below(r, CELLS_AT);
    sheet[4] = (int)rng_below(r, FINE + 1);
    const double x[2] = {sheet[0] / (double)CELLS_AT, sheet[2] / (double)CELLS_AT};
    const double y[2] = {sheet[1] / (double)CELLS_AT, sheet[3] / (double)CELLS_AT};
    const uint32_t v = s->mesh.vertices;
    for (int i = 0; i < 4; i++)
        solid_vertex(s, x[i & 1], y[i >> 1], sheet[4] / (double)CELLS_AT);
    solid_triangle(s, 1, v, v + 1, v + 3);
    solid_triangle(s, 1, v, v + 3, v + 2);
}
