/* cradle: Newton's cradle without strings. The balls are on one line, so a pendulum's pull is along
 * it: towards the ball's own place, by g / L times how far it is away. */
#include "world.h"

#include "error.h"

#define CRADLE_RADIUS 0.05
#define CRADLE_CUTS 4
#define GAP 0.0005          /* m, between balls at rest: contacts come one after another */
#define FIRST 0.2           /* m, how far the first one is held back */
#define SWING 9.81          /* 1/s2: pendulums of 1 m */
#define CRADLE_DENSITY 1000 /* kg/m3 */

int world_cradle_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    geom *s = NULL;
    const uint32_t count = (uint32_t)request->bodies;
    TRY(world_alloc(w, 1, count));
    TRY(world_set_shape(w, 0, geom_ball(w->mem, CRADLE_RADIUS, CRADLE_CUTS, &s), &s));
    for (uint32_t i = 0; i < count; i++)
        world_set_body(w, i, 0, v3_make((2 * CRADLE_RADIUS + GAP) * i, 0, 0), 0);
    TRY(world_set_masses(w, CRADLE_DENSITY));
    TRY(world_set_springs(w, (double[3]){SWING, 0, 0}));
    w->body[0].centre[0] -= FIRST;
out:
    return err;
}
