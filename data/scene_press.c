/* press: a fine ball pressed onto a coarse one, whose surface it conforms to where they touch. */
#include "scene_kind.h"

#include <math.h>

#define PRESS_COARSE 64   /* one in this many triangles is the coarse ball's, of radius 1 */
#define PRESS_RADIUS 0.5  /* radius of the fine ball */
#define PRESS_DEPTH 0.15  /* depth of the fine ball in the coarse one if it were rigid */
#define PRESS_ROUGH 0.4   /* roughness of the fine ball's surface, in its edges */
#define PRESS_SPACING 2.7 /* edge of a ball of radius 1, times the square root of its triangles */
#define PRESS_PERIOD 48   /* frames */

typedef struct press {
    uint64_t coarse, fine; /* cuts */
    double edge;           /* edge length of the fine ball */
    double dip;            /* mean depth of the coarse ball's faces below its sphere */
} press;

int scene_press_build(scene *s)
{
    int err;
    press *p;
    err = scene_alloc(s, 1, sizeof *p, &p);
    s->state = p;
    if (err)
        return err;
    p->coarse = ball_cuts(s->def.primitives / PRESS_COARSE);
    uint64_t few = ball_triangles(p->coarse), n = s->def.primitives;
    p->fine = ball_cuts(n > few ? n - few : 0);
    uint64_t many = ball_triangles(p->fine), first = ball_vertices(p->coarse);
    p->edge = PRESS_RADIUS * PRESS_SPACING / sqrt((double)many);
    p->dip = PRESS_SPACING * PRESS_SPACING / (8 * (double)few);
    err = scene_mesh_alloc(s, first + ball_vertices(p->fine), few + many, 1);
    if (err)
        return err;
    ball_fill(p->coarse, 0, s->triangle);
    ball_fill(p->fine, (uint32_t)first, s->triangle + 3 * few);
    for (uint64_t i = few; i < few + many; i++)
        s->object[i] = 1;
    return IMP_OK;
}

/* Rotates, scales and moves n points of a ball of radius 1. */
static void press_ball(uint64_t n, double radius, v3 middle, m3 turn, double *point)
{
    double *at = point;
    for (uint64_t i = 0; i < n; i++, at += 3) {
        v3 u = scene_turn(&turn, v3_make(at[0], at[1], at[2]));
        scene_store(at, v3_add(v3_scale(u, radius), middle));
    }
}

/* Moves points inside the coarse ball, centred at the origin, out to its surface, with roughness.
 */
static void press_out(const press *p, uint64_t key, double *point)
{
    double *at = point;
    for (uint64_t i = 0; i < ball_vertices(p->fine); i++, at += 3) {
        v3 a = v3_make(at[0], at[1], at[2]);
        double r = scene_norm(a), rough = PRESS_ROUGH * p->edge;
        double most = 1 - p->dip + rough * scene_white(key, i);
        if (r < most)
            scene_store(at, v3_scale(a, most / r));
    }
}

/* The pressure on the fine ball varies. */
void scene_press_move(scene *s, uint64_t frame)
{
    press *p = s->state;
    uint64_t first = ball_vertices(p->coarse);
    double *fine = s->point + 3 * first;
    double depth = PRESS_DEPTH * (1 + 0.1 * scene_sin(scene_phase(frame, PRESS_PERIOD)));
    v3 middle = v3_scale(scene_unit(v3_make(0.3, 0.5, 0.8)), 1 + PRESS_RADIUS - depth);
    scene_rng r = scene_rng_at(s->def.seed, 0);
    m3 coarse_turn = scene_rng_rotation(&r);
    m3 fine_turn = scene_rng_rotation(&r);
    ball_points(p->coarse, s->point);
    ball_points(p->fine, fine);
    press_ball(first, 1, v3_make(0, 0, 0), coarse_turn, s->point);
    press_ball(ball_vertices(p->fine), PRESS_RADIUS, middle, fine_turn, fine);
    press_out(p, scene_key(s->def.seed, 1), fine);
}
