/* cradle: Newton's cradle without strings. The balls are on one line, so a pendulum's pull is along
 * it: towards the ball's own place, by g / L times how far it is away. */
#include "world.h"

#include "error.h"

#define RADIUS 0.05
#define CUTS 4
#define GAP 0.0005   /* m, between balls at rest: contacts come one after another */
#define FIRST 0.2    /* m, how far the first one is held back */
#define SWING 9.81   /* 1/s2: pendulums of 1 m */
#define DENSITY 1000 /* kg/m3 */

int world_cradle_build(world *w, const world_ask *ask)
{
    int err = IMP_OK;
    geom *s = NULL;
    const uint32_t count = (uint32_t)ask->bodies;
    TRY(world_alloc(w, 1, count));
    TRY(world_shape(w, 0, geom_ball(w->mem, RADIUS, CUTS, &s), &s));
    for (uint32_t i = 0; i < count; i++)
        world_place(w, i, 0, v3_make((2 * RADIUS + GAP) * i, 0, 0), 0);
    TRY(world_fill(w, DENSITY));
    TRY(world_home(w, (double[3]){SWING, 0, 0}));
    w->body[0].centre[0] -= FIRST;
out:
    return err;
}
