/* Between objects only: primitives that no other object comes near (kernels/cull.cl). */
#include "broad.h"

#include "error.h"
#include "dop.h"
#include "prim.h"

#include <string.h>

/* The union of boxes: three lower bounds, three upper ones. */
static void box_add(float *to, const float *from)
{
    for (int k = 0; k < 3; k++) {
        to[k] = from[k] < to[k] ? from[k] : to[k];
        to[k + 3] = from[k + 3] > to[k + 3] ? from[k + 3] : to[k + 3];
    }
}

static void box_fill(float *box, float lo, float hi)
{
    for (int k = 0; k < 3; k++) {
        box[k] = lo;
        box[k + 3] = hi;
    }
}

/* What each side of a frame must touch; whether it has just one other object. With more than one
 * these may meet each other anywhere: only the first object is asked. */
static uint32_t frame_partner(const chunks *c, const float *side, const int32_t *other, uint32_t *n,
                              uint32_t f, float *partner)
{
    int32_t least = INT32_MAX, greatest = INT32_MIN;
    box_fill(partner, BOUND_NONE, -BOUND_NONE);
    box_fill(partner + BOX_BOUNDS, BOUND_NONE, -BOUND_NONE);
    for (; *n < c->count && c->frame[*n] == f; ++*n) {
        const float *box = side + (size_t)2 * BOX_BOUNDS * *n;
        const int32_t *object = other + (size_t)2 * *n;
        box_add(partner + BOX_BOUNDS, box);
        box_add(partner, box + BOX_BOUNDS);
        least = object[0] < least ? object[0] : least;
        greatest = object[1] > greatest ? object[1] : greatest;
    }
    if (least < greatest)
        box_fill(partner + BOX_BOUNDS, -BOUND_NONE, BOUND_NONE);
    return least == greatest;
}

static int frames_partner(const context *c, const block *b, bounds *o)
{
    int err = IMP_OK;
    const chunks *k = &o->broad_prims;
    const prim_set *s = &o->broad;
    uint32_t n = 0;
    size_t sides = (size_t)2 * BOX_BOUNDS * k->count, others = (size_t)2 * k->count;
    float *side = NULL, *partner = NULL;
    int32_t *other = NULL;
    bound_scratch *t = &o->scratch;
    TRY(mem_alloc(c->mem, sides * sizeof *side, &side));
    TRY(mem_alloc(c->mem, others * sizeof *other, &other));
    TRY(mem_alloc(c->mem, (size_t)2 * BOX_BOUNDS * b->frames * sizeof *partner, &partner));
    TRY(buffer_fit(c->dev, &t->side, sides));
    TRY(buffer_fit(c->dev, &t->other, others));
    TRY(RUN(c->dev, cull_sides, k->count, FRAME_CHUNKS_OF(k), &s->prim0, &s->box, &s->object,
            &t->side, &t->other));
    TRY(buffer_read(c->dev, &t->side, 0, side, sides));
    TRY(buffer_read(c->dev, &t->other, 0, other, others));
    for (uint32_t f = 0; f < b->frames; f++)
        o->units.bipartite[f] =
            frame_partner(k, side, other, &n, f, partner + (size_t)2 * BOX_BOUNDS * f);
    TRY(buffer_put(c->dev, &t->partner, partner, (size_t)2 * BOX_BOUNDS * b->frames));
out:
    mem_free(c->mem, side);
    mem_free(c->mem, other);
    mem_free(c->mem, partner);
    return err;
}

int cull(const context *c, const block *b, bounds *o, int kept)
{
    int err = IMP_OK;
    const chunks *k = &o->broad_prims;
    memset(o->units.bipartite, 0, b->frames * sizeof *o->units.bipartite);
    if (kept || !(c->opt.rules & RULE_BETWEEN))
        return IMP_OK;
    TRY(frames_partner(c, b, o));
    TRY(RUN(c->dev, cull_far, k->count, FRAME_CHUNKS_OF(k), &o->broad.prim0, &o->broad.object,
            &o->scratch.partner, &o->broad.box));
    TRY(device_finish(c->dev));
out:
    return err;
}
