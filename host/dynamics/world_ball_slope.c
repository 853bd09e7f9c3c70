/* ball-slope: the first experiment of the paper. The ball is pushed when it lies on the ground.
 * What overlaps what, and so the rate of checks, follows from where it is (methods.md A;
 * data/pcs.md). */
#include "world.h"

#include "error.h"

enum { GROUND, SLOPE, BALL, BODIES };

#define RADIUS 0.5
#define CUTS 16                   /* 5120 faces: it rolls nearly as a sphere does */
#define FALLS 0.2                 /* m, from there to the ground */
#define BEFORE 4                  /* m, from the ball to the slope */
#define LENGTH 4                  /* m, of the slope's base */
#define HEIGHT 2.3094010767585034 /* m: that times tan 30 degrees */
#define BEHIND 24                 /* m of ground after it */
#define PUSHED 0.6                /* s, when the push begins: it has come to rest */
#define PUSH 0.5                  /* s, how long it lasts */

static int ball_slope_make_shapes(world *w)
{
    int err = IMP_OK;
    geom *s = NULL;
    TRY(world_set_shape(w, GROUND, geom_box(w->mem, v3_make(BEFORE + BEHIND + 8, 10, 1), &s), &s));
    TRY(world_set_shape(w, SLOPE, geom_wedge(w->mem, LENGTH, 4, HEIGHT, &s), &s));
    TRY(world_set_shape(w, BALL, geom_ball(w->mem, RADIUS, CUTS, &s), &s));
out:
    return err;
}

int world_ball_slope_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    TRY(world_alloc(w, BODIES, BODIES));
    TRY(ball_slope_make_shapes(w));
    world_set_body(w, GROUND, GROUND, v3_make((BEHIND - BEFORE) / 2.0, 0, -0.5), 1);
    world_set_body(w, SLOPE, SLOPE, v3_make(0, 0, 0), 1);
    world_set_body(w, BALL, BALL, v3_make(-BEFORE, 0, RADIUS + FALLS), 0);
    TRY(world_set_masses(w, 1 / w->geom[BALL]->volume)); /* a ball of 1 kg */
    TRY(world_set_push(w, &(matter_push){.body = BALL,
                                         .force = {request->push, 0, 0},
                                         .begin = PUSHED,
                                         .end = PUSHED + PUSH}));
out:
    return err;
}
