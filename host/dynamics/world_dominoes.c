/* dominoes: the second experiment of the paper. A domino is a little shorter than the distance to
 * the next one, so that those that have fallen lie apart, and are no pairs any more. */
#include "world.h"

#include "error.h"

enum { DOMINO_GROUND, DOMINO, DOMINO_SHAPES };

#define THICK 0.22 /* m, along the row */
#define WIDE 0.5
#define HIGH 1.0
#define ABOVE 1e-4         /* m, from the ground at first: what touches has no normal */
#define APART 1.02         /* m, from domino to domino */
#define DOMINO_PUSHED 0.1  /* s, when the push begins */
#define DOMINO_PUSH 0.1    /* s, how long it lasts */
#define DOMINO_DENSITY 500 /* kg/m3 */

int world_dominoes_build(world *w, const world_request *request)
{
    int err = IMP_OK;
    geom *s = NULL;
    const uint32_t count = (uint32_t)request->bodies;
    const double length = APART * count + 8;
    TRY(world_alloc(w, DOMINO_SHAPES, 1 + count));
    TRY(world_set_shape(w, DOMINO_GROUND, geom_box(w->mem, v3_make(length, 4, 1), &s), &s));
    TRY(world_set_shape(w, DOMINO, geom_box(w->mem, v3_make(THICK, WIDE, HIGH), &s), &s));
    world_set_body(w, 0, DOMINO_GROUND, v3_make(length / 2 - 4, 0, -0.5), 1);
    for (uint32_t i = 0; i < count; i++)
        world_set_body(w, 1 + i, DOMINO, v3_make(APART * i, 0, HIGH / 2 + ABOVE), 0);
    TRY(world_set_masses(w, DOMINO_DENSITY));
    TRY(world_set_push(w, &(matter_push){.body = 1,
                                         .at = {-THICK / 2, 0, HIGH / 2},
                                         .force = {request->push, 0, 0},
                                         .begin = DOMINO_PUSHED,
                                         .end = DOMINO_PUSHED + DOMINO_PUSH}));
out:
    return err;
}
