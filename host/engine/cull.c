/* Between objects only: primitives that no other object comes near (kernels/cull.cl). */
#include "engine.h"

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
static uint32_t frame_near(const chunks *c, const float *side, const int32_t *other, uint32_t *n,
                           uint32_t f, float *near)
{
    int32_t least = INT32_MAX, greatest = INT32_MIN;
    box_fill(near, BOUND_NONE, -BOUND_NONE);
    box_fill(near + 6, BOUND_NONE, -BOUND_NONE);
    for (; *n < c->count && c->frame[*n] == f; ++*n) {
        const float *box = side + (size_t)12 * *n;
        const int32_t *object = other + (size_t)2 * *n;
        box_add(near + 6, box);
        box_add(near, box + 6);
        least = object[0] < least ? object[0] : least;
        greatest = object[1] > greatest ? object[1] : greatest;
    }
    if (least < greatest)
        box_fill(near + 6, -BOUND_NONE, BOUND_NONE);
    return least == greatest;
}

static int frames_near(imp *p, buffer *out)
{
    int err = IMP_OK;
    const chunks *c = &p->bounds.prims_near;
    const prim_set *s = &p->bounds.near;
    uint32_t frames = p->block.frames, n = 0;
    size_t sides = (size_t)12 * sizeof(float) * c->count;
    size_t others = (size_t)2 * sizeof(int32_t) * c->count;
    float *side = NULL, *near = NULL;
    int32_t *other = NULL;
    buffer side_buf = {0}, other_buf = {0};
    TRY(mem_alloc(&p->mem, sides, &side));
    TRY(mem_alloc(&p->mem, others, &other));
    TRY(mem_alloc(&p->mem, 12 * sizeof *near * frames, &near));
    TRY(buffer_fit(p->dev, &side_buf, sides));
    TRY(buffer_fit(p->dev, &other_buf, others));
    TRY(RUN(p->dev, cull_sides, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&c->frame_buf),
            BUF(&s->prim0), BUF(&s->box), BUF(&s->object), BUF(&side_buf), BUF(&other_buf)));
    TRY(buffer_read(p->dev, &side_buf, 0, side, sides));
    TRY(buffer_read(p->dev, &other_buf, 0, other, others));
    for (uint32_t f = 0; f < frames; f++)
        p->block.parted[f] = frame_near(c, side, other, &n, f, near + (size_t)12 * f);
    TRY(buffer_put(p->dev, out, near, 12 * sizeof *near * frames));
out:
    buffer_free(p->dev, &side_buf);
    buffer_free(p->dev, &other_buf);
    mem_free(&p->mem, side);
    mem_free(&p->mem, other);
    mem_free(&p->mem, near);
    return err;
}

int cull(imp *p)
{
    int err = IMP_OK;
    buffer near = {0};
    const chunks *c = &p->bounds.prims_near;
    const prim_set *s = &p->bounds.near;
    memset(p->block.parted, 0, p->block.frames * sizeof *p->block.parted);
    if (!(p->bounds.rules & RULE_BETWEEN))
        return IMP_OK;
    TRY(frames_near(p, &near));
    TRY(RUN(p->dev, cull_far, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&c->frame_buf),
            BUF(&s->prim0), BUF(&s->object), BUF(&near), BUF(&s->box)));
    TRY(device_finish(p->dev));
out:
    buffer_free(p->dev, &near);
    return err;
}
