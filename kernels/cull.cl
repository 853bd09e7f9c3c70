/* Where only pairs of two objects are asked for: primitives that no other object comes near are
 * left out before the broad phase. The object of a frame's first primitive is one side, all others
 * are the other; a primitive that does not touch the box of the other side has no partner there. */
#include "dop.h"
#include "prim.h"

typedef struct cull_box {
    f32 lo[3], hi[3];
} cull_box;

FN cull_box cull_none(void)
{
    cull_box c;
    for (u32 k = 0; k < 3; k++) {
        c.lo[k] = BOUND_NONE;
        c.hi[k] = -BOUND_NONE;
    }
    return c;
}

FN cull_box cull_load(GLOBAL const f32 *box)
{
    cull_box c;
    for (u32 k = 0; k < 3; k++) {
        c.lo[k] = box[k];
        c.hi[k] = box[k + 3];
    }
    return c;
}

FN void cull_add(cull_box *c, GLOBAL const f32 *box)
{
    for (u32 k = 0; k < 3; k++) {
        c->lo[k] = box[k] < c->lo[k] ? box[k] : c->lo[k];
        c->hi[k] = box[k + 3] > c->hi[k] ? box[k + 3] : c->hi[k];
    }
}

FN void cull_store(const cull_box *c, GLOBAL f32 *out)
{
    for (u32 k = 0; k < 3; k++) {
        out[k] = c->lo[k];
        out[k + 3] = c->hi[k];
    }
}

/* side[12 c ..]: the boxes of the two sides of chunk c; other[2 c ..]: the least and the greatest
 * object of the second, or least > greatest where there is none. */
KERNEL void cull_sides(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                       GLOBAL const u32 *frame, GLOBAL const u32 *prim0, GLOBAL const f32 *box,
                       GLOBAL const i32 *object, GLOBAL f32 *side, GLOBAL i32 *other)
{
    if (ITEM >= n)
        return;
    i32 one = object[prim0[frame[ITEM]]], least = 0x7fffffff, greatest = -0x7fffffff - 1;
    cull_box mine = cull_none(), others = cull_none();
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        i32 o = object[i];
        if (o == one) {
            cull_add(&mine, box_at(box, i));
            continue;
        }
        cull_add(&others, box_at(box, i));
        least = o < least ? o : least;
        greatest = o > greatest ? o : greatest;
    }
    cull_store(&mine, side + (size_t)2 * BOX_BOUNDS * ITEM);
    cull_store(&others, side + (size_t)2 * BOX_BOUNDS * ITEM + BOX_BOUNDS);
    other[(size_t)2 * ITEM] = least;
    other[(size_t)2 * ITEM + 1] = greatest;
}

/* Primitives that do not touch the other side get bounds that overlap nothing. near[12 f ..]: what
 * primitives of frame f's first object must touch, then what those of others must. */
KERNEL void cull_far(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                     GLOBAL const u32 *frame, GLOBAL const u32 *prim0, GLOBAL const i32 *object,
                     GLOBAL const f32 *near, GLOBAL f32 *box)
{
    if (ITEM >= n)
        return;
    i32 one = object[prim0[frame[ITEM]]];
    GLOBAL const f32 *b = near + (size_t)2 * BOX_BOUNDS * frame[ITEM];
    const cull_box side[2] = {cull_load(b), cull_load(b + BOX_BOUNDS)};
    for (u32 i = first[ITEM], end = last[ITEM]; i < end; i++) {
        const cull_box *c = &side[object[i] != one];
        GLOBAL f32 *own = box + (size_t)BOX_BOUNDS * i;
        i32 far = (own[0] > c->hi[0]) | (own[1] > c->hi[1]) | (own[2] > c->hi[2]) |
                  (own[3] < c->lo[0]) | (own[4] < c->lo[1]) | (own[5] < c->lo[2]);
        own[0] = far ? BOUND_NONE : own[0];
        own[3] = far ? -BOUND_NONE : own[3];
    }
}
