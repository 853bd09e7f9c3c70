/* creases: a sheet gathered in pleats, with flat parts between. */
#include "scene_kind.h"

#define CREASE_LEGS 8    /* legs of a pleat, up and down */
#define CREASE_FLAT 4    /* flat part between pleats, in leg lengths */
#define CREASE_PERIODS 2 /* pleats and flat parts of a small sheet; large ones have more */
#define CREASE_ROWS 12   /* most rows of a leg */
#define CREASE_NEAR 0.2  /* gap between the legs of a pleat, in edges: along the columns ... */
#define CREASE_FAR 0.8   /* ... pleats open and close */
#define CREASE_WAVES 3   /* periods of that from the first to the last column */
#define CREASE_ROUGH 0.2 /* deviation of the noise, in edges */
#define CREASE_PERIOD 64 /* frames */

typedef struct crease {
    grid g;
    noise n;
    uint64_t leg; /* rows of a leg */
} crease;

int scene_creases_build(scene *s)
{
    int err;
    crease *c;
    err = scene_alloc(s, 1, sizeof *c, &c);
    s->state = c;
    if (err)
        return err;
    c->g = grid_of(s->def.primitives);
    uint64_t leg = c->g.rows / ((uint64_t)CREASE_PERIODS * (CREASE_LEGS + CREASE_FLAT));
    c->leg = leg < 1 ? 1 : leg < CREASE_ROWS ? leg : CREASE_ROWS;
    err = noise_init(s, &c->g, &c->n);
    if (!err)
        err = scene_mesh_alloc(s, grid_vertices(&c->g), grid_triangles(&c->g), 0);
    if (!err)
        grid_fill(&c->g, 0, s->triangle);
    return err;
}

/* Position of a row, seen from the side, in edges; gap: distance between the legs of pleats. */
static void crease_row(const crease *c, uint64_t row, double gap, double *x, double *z)
{
    uint64_t pleat = CREASE_LEGS * c->leg, period = pleat + CREASE_FLAT * c->leg;
    uint64_t before = row / period, late = row % period, leg = late / c->leg;
    double whole = CREASE_LEGS * gap + (double)(CREASE_FLAT * c->leg);
    *x = whole * (double)before;
    *z = 0;
    if (late >= pleat) {
        *x += CREASE_LEGS * gap + (double)(late - pleat);
        return;
    }
    double up = (double)(late % c->leg);
    *x += gap * (double)late / (double)c->leg;
    *z = leg & 1 ? (double)c->leg - up : up;
}

/* The noise is constant; pleats open and close. */
void scene_creases_move(scene *s, uint64_t frame)
{
    crease *c = s->state;
    double *at = s->point, edge = 1 / (double)c->g.cols;
    double turn = scene_phase(frame, CREASE_PERIOD);
    noise_start(&c->n, scene_key(s->def.seed, 0), 0);
    for (uint64_t row = 0; row <= c->g.rows; row++) {
        const double *d = noise_row(&c->n);
        for (uint64_t col = 0; col <= c->g.cols; col++, at += 3, d += 3) {
            double x, z, y = edge * (double)col;
            double open = 0.5 + 0.5 * scene_sin(2 * SCENE_PI * CREASE_WAVES * y + turn);
            crease_row(c, row, CREASE_NEAR + (CREASE_FAR - CREASE_NEAR) * open, &x, &z);
            v3 p = v3_make(x + CREASE_ROUGH * d[0], (double)col + 0.5 * CREASE_ROUGH * d[1],
                           z + 0.5 * CREASE_ROUGH * d[2]);
            scene_store(at, fold_place(v3_scale(p, edge)));
        }
    }
}
