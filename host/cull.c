/* Between objects only: primitives that no other object comes near (kernels/cull.cl). */
#include "engine.h"

#include "error.h"
#include "dop.h"
#include "prim.h"

#include <string.h>

#define CHUNK 4096
#define WORDS 14 /* as in cull.cl */

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

/* What each side of a frame must touch. With more than one other object these may meet each other
 * anywhere: only the first object is asked. */
static void frame_near(const chunks *c, const uint32_t *side, uint32_t *n, uint32_t f, float *near)
{
    int32_t least = INT32_MAX, greatest = INT32_MIN;
    box_fill(near, BOUND_NONE, -BOUND_NONE);
    box_fill(near + 6, BOUND_NONE, -BOUND_NONE);
    for (; *n < c->count && c->frame[*n] == f; ++*n) {
        float box[12];
        int32_t object[2];
        memcpy(box, side + (size_t)WORDS * *n, sizeof box);
        memcpy(object, side + (size_t)WORDS * *n + 12, sizeof object);
        box_add(near + 6, box);
        box_add(near, box + 6);
        least = object[0] < least ? object[0] : least;
        greatest = object[1] > greatest ? object[1] : greatest;
    }
    if (least < greatest)
        box_fill(near + 6, -BOUND_NONE, BOUND_NONE);
}

static int frames_near(imp *p, buffer *out)
{
    int err = IMP_OK;
    const chunks *c = &p->broad.culls;
    const prim_set *s = &p->bounds.near;
    size_t bytes = (size_t)WORDS * sizeof(uint32_t) * c->count, frames = p->block.frames;
    uint32_t *side = NULL, n = 0;
    float *near = NULL;
    buffer side_buf = {0};
    TRY(mem_alloc(&p->mem, bytes, &side));
    TRY(mem_alloc(&p->mem, 12 * sizeof *near * frames, &near));
    TRY(buffer_fit(p->dev, &side_buf, bytes));
    TRY(RUN(p->dev, cull_sides, c->count, BUF(&c->first_buf), BUF(&c->last_buf), BUF(&c->frame_buf),
            BUF(&s->prim0), BUF(&s->box), BUF(&s->object), BUF(&side_buf)));
    TRY(buffer_read(p->dev, &side_buf, 0, side, bytes));
    for (uint32_t f = 0; f < frames; f++)
        frame_near(c, side, &n, f, near + (size_t)12 * f);
    TRY(buffer_put(p->dev, out, near, 12 * sizeof *near * frames));
out:
    buffer_free(p->dev, &side_buf);
    mem_free(&p->mem, side);
    mem_free(&p->mem, near);
    return err;
}

int cull(imp *p)
{
    int err = IMP_OK;
    buffer near = {0};
    const prim_set *s = &p->bounds.near;
    if (!(p->bounds.rules & RULE_BETWEEN))
        return IMP_OK;
    TRY(chunks_make(&p->mem, p->dev, &p->broad.culls, p->block.prim0, p->block.frames, CHUNK));
    TRY(frames_near(p, &near));
    TRY(RUN(p->dev, cull_far, p->block.prims, U32(p->block.frames), BUF(&s->prim0), BUF(&s->object),
            BUF(&near), BUF(&s->box)));
    TRY(device_finish(p->dev));
out:
    buffer_free(p->dev, &near);
    return err;
}
