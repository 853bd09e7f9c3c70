/* drape: a cloth on a ball. On the ball's cap it follows the sphere, beyond it continues in the
 * same direction and flattens out; noise of about half an edge moves it in and out of the ball. */
#include "scene_kind.h"

#include <math.h>

#define DRAPE_LENGTH 1.8
#define DRAPE_BALL 6 /* one in this many triangles is the ball's */
#define DRAPE_RADIUS 0.5
#define DRAPE_CAP 0.44    /* radius of the cap seen from above */
#define DRAPE_SPREAD 0.35 /* length over which the cloth flattens out */
#define DRAPE_WAVES 0.02

typedef struct drape {
    grid g;
    noise n;
    uint64_t cuts;
} drape;

int scene_drape_build(scene *s)
{
    int err;
    drape *d;
    err = scene_alloc(s, 1, sizeof *d, &d);
    s->state = d;
    if (err)
        return err;
    d->cuts = ball_cuts(s->def.primitives / DRAPE_BALL);
    uint64_t ball = ball_triangles(d->cuts);
    d->g = grid_of(s->def.primitives > ball ? s->def.primitives - ball : 2);
    uint64_t cloth = grid_triangles(&d->g), vertices = grid_vertices(&d->g);
    err = noise_init(s, &d->g, &d->n);
    if (!err)
        err = scene_mesh_alloc(s, vertices + ball_vertices(d->cuts), cloth + ball, 1);
    if (err)
        return err;
    grid_fill(&d->g, 0, s->triangle);
    ball_fill(d->cuts, (uint32_t)vertices, s->triangle + 3 * cloth);
    for (uint64_t i = cloth; i < cloth + ball; i++)
        s->object[i] = 1;
    return IMP_OK;
}

/* sin(6 a) for the angle a of the unit vector (x, y) */
static double six_waves(double x, double y)
{
    double x2 = x * x - y * y, y2 = 2 * x * y;
    return 3 * x2 * x2 * y2 - y2 * y2 * y2;
}

static double drape_height(double x, double y)
{
    double r = sqrt(x * x + y * y);
    if (r < DRAPE_CAP)
        return sqrt(DRAPE_RADIUS * DRAPE_RADIUS - r * r);
    double rim = sqrt(DRAPE_RADIUS * DRAPE_RADIUS - DRAPE_CAP * DRAPE_CAP);
    double out = r - DRAPE_CAP, waves = scene_clamp(out / 0.3, 0, 1) * six_waves(x / r, y / r);
    double drop = DRAPE_SPREAD * (1 - scene_exp(-out / DRAPE_SPREAD));
    return rim - DRAPE_CAP / rim * drop + DRAPE_WAVES * waves;
}

static void drape_cloth(drape *d, uint64_t key, uint64_t frame, double *point)
{
    double *at = point, edge = DRAPE_LENGTH / (double)d->g.cols;
    noise_start(&d->n, key, frame);
    for (uint64_t row = 0; row <= d->g.rows; row++) {
        const double *shake = noise_row(&d->n);
        double x = 0.003 + edge * ((double)row - 0.5 * (double)d->g.rows);
        for (uint64_t col = 0; col <= d->g.cols; col++, at += 3, shake += 3) {
            double y = -0.0017 + edge * ((double)col - 0.5 * (double)d->g.cols);
            v3 p = v3_make(x + 0.1 * edge * shake[0], y + 0.1 * edge * shake[1],
                           drape_height(x, y) + 0.6 * edge * shake[2]);
            scene_store(at, p);
        }
    }
}

/* The ball rises and sinks by a third of an edge. */
void scene_drape_move(scene *s, uint64_t frame)
{
    drape *d = s->state;
    double *ball = s->point + 3 * grid_vertices(&d->g);
    double lift = 0.3 * DRAPE_LENGTH / (double)d->g.cols * scene_sin(scene_phase(frame, 48));
    m3 turn = scene_rotation(0.7, 0.2, -0.5, 0.4); /* off the axes */
    drape_cloth(d, scene_key(s->def.seed, 0), frame, s->point);
    ball_points(d->cuts, ball);
    for (uint64_t i = 0; i < ball_vertices(d->cuts); i++) {
        v3 u = v3_make(ball[3 * i], ball[3 * i + 1], ball[3 * i + 2]);
        v3 p = v3_scale(scene_turn(&turn, u), DRAPE_RADIUS);
        scene_store(ball + 3 * i, v3_make(p.x, p.y, p.z + lift));
    }
}
