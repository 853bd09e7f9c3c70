/* cloth-ball: a cloth dropped on a ball that later begins to turn and winds it up. */
#include "scene_cloth.h"

#include <math.h>

#define BALL_SHARE 6 /* one in this many triangles is the ball's */
#define BALL_RADIUS 0.4
#define BALL_HEIGHT 0.6
#define CLOTH_LENGTH 2.6
#define CLOTH_DROP 0.1  /* initial height above the ball */
#define CLOTH_ROUGH 0.1 /* deviation of its height, in edges */
#define CLOTH_MOST 128  /* most simulated quads along a side; finer points are interpolated */
#define TURN_BEGIN 0.5  /* seconds */
#define TURN_FULL 0.9
#define TURN_SPEED 2.5 /* rad/s */

typedef struct cloth_ball {
    cloth c;
    grid g; /* the mesh */
    uint64_t cuts;
    v3 *curve; /* [side + 3] */
    noise n;
} cloth_ball;

/* Spreads the sheet: level except for its noise, slightly turned and shifted. */
static void scene_cloth_ball_spread(scene *s, cloth_ball *b)
{
    cloth *c = &b->c;
    scene_rng r = scene_rng_at(s->def.seed, 1);
    double turn = scene_rng_range(&r, 0.1, 0.3), cs = scene_cos(turn), sn = scene_sin(turn);
    v3 middle = scene_rng_cube(&r, 0.1);
    v3 *at = c->at;
    noise_start(&b->n, scene_key(s->def.seed, 0), 0);
    for (uint64_t row = 0; row <= c->side; row++) {
        const double *d = noise_row(&b->n);
        for (uint64_t col = 0; col <= c->side; col++, at++, d += 3) {
            double x = c->edge * ((double)row - 0.5 * (double)c->side) + middle.x;
            double y = c->edge * ((double)col - 0.5 * (double)c->side) + middle.y;
            double z = c->height + c->radius + CLOTH_DROP + CLOTH_ROUGH * c->edge * d[2];
            *at = v3_make(cs * x - sn * y, sn * x + cs * y, z);
        }
    }
    /* layers on the floor cross each other instead of being exactly coplanar */
    for (uint64_t i = 0; i < (c->side + 1) * (c->side + 1); i++)
        c->rest[i] = c->edge * scene_rng_range(&r, 0, 0.2);
}

static int build_state(scene *s, cloth_ball *b)
{
    uint64_t n = s->def.primitives;
    b->cuts = ball_cuts(n / BALL_SHARE);
    uint64_t ball = ball_triangles(b->cuts);
    uint64_t side = n > ball ? (uint64_t)(sqrt((double)(n - ball) / 2) + 0.5) : 2;
    side = side < 2 ? 2 : side;
    b->g = (grid){side, side};
    uint64_t simulated = side < CLOTH_MOST ? side : CLOTH_MOST;
    int err = cloth_init(s, simulated, &b->c);
    if (!err)
        err = scene_alloc(s, simulated + 3, sizeof *b->curve, &b->curve);
    if (!err)
        err = noise_init(s, &(grid){simulated, simulated}, &b->n);
    if (err)
        return err;
    b->c.edge = CLOTH_LENGTH / (double)simulated;
    b->c.radius = BALL_RADIUS;
    b->c.height = BALL_HEIGHT;
    scene_cloth_ball_spread(s, b);
    return IMP_OK;
}

int scene_cloth_ball_build(scene *s)
{
    int err;
    cloth_ball *b;
    err = scene_alloc(s, 1, sizeof *b, &b);
    s->state = b;
    if (!err)
        err = build_state(s, b);
    if (err)
        return err;
    uint64_t vertices = grid_vertices(&b->g), triangles = grid_triangles(&b->g);
    uint64_t ball = ball_triangles(b->cuts);
    err = scene_mesh_alloc(s, vertices + ball_vertices(b->cuts), triangles + ball, 1);
    if (err)
        return err;
    grid_fill(&b->g, 0, s->triangle);
    ball_fill(b->cuts, (uint32_t)vertices, s->triangle + 3 * triangles);
    for (uint64_t i = triangles; i < triangles + ball; i++)
        s->object[i] = 1;
    return IMP_OK;
}

/* Simulates from the previous frame. The longer a chain of links, the more steps keep it from
 * stretching. */
static void scene_cloth_ball_simulate(cloth *c, uint64_t frame)
{
    uint64_t steps = c->side < 16 ? 16 : c->side;
    double dt = SCENE_SECONDS / (double)steps;
    double now = (double)frame * SCENE_SECONDS;
    double t = scene_clamp((now - TURN_BEGIN) / (TURN_FULL - TURN_BEGIN), 0, 1);
    c->spin = TURN_SPEED * t * t * (3 - 2 * t);
    for (uint64_t i = 0; i < steps; i++)
        cloth_step(c, dt);
}

/* The cloth is straight between its vertices and dips into the sphere by about edge^2 / (4 radius).
 * The displayed ball is smaller by half of that, so that they meet in places. */
static double seen_radius(const cloth_ball *b)
{
    double edge = CLOTH_LENGTH / (double)b->g.cols, radius = b->c.radius;
    return radius - scene_clamp(edge * edge / (8 * radius), 0, 0.1 * radius);
}

void scene_cloth_ball_move(scene *s, uint64_t frame)
{
    cloth_ball *b = s->state;
    double *at = s->point;
    if (frame)
        scene_cloth_ball_simulate(&b->c, frame);
    for (uint64_t row = 0; row <= b->g.rows; row++) {
        cloth_row(&b->c, row, b->g.rows, b->curve);
        for (uint64_t col = 0; col <= b->g.cols; col++, at += 3)
            scene_store(at, cloth_col(&b->c, col, b->g.cols, b->curve));
    }
    ball_points(b->cuts, at);
    double c = scene_cos(b->c.angle), sn = scene_sin(b->c.angle), radius = seen_radius(b);
    for (uint64_t i = 0; i < ball_vertices(b->cuts); i++, at += 3)
        scene_store(at, v3_make(radius * (c * at[0] - sn * at[1]),
                                radius * (sn * at[0] + c * at[1]), b->c.height + radius * at[2]));
}
