/* Traversals of the trees of closed objects (inside_tree.h), and what a search for the nearest face
 * remembers: for all forms of inside.cl. */
#ifndef IMP_INSIDE_WALK_H
#define IMP_INSIDE_WALK_H
#include "inside_tree.h"
#include "vec.h"
#ifdef IMP_FP64

/* 1 / x within a few roundings, if x is positive and neither tiny nor huge; else any number, or
 * none: results are clamped, or not used. A division of float64 takes a third more registers. From
 * the bits comes an inverse within an eighth; each step squares its error. */
FN f64 inside_inverse(f64 x)
{
    f64 r = f64_from_bits(0x7fde623822fc16e6 - bits_from_f64(x));
    ROLLED
    for (u32 i = 0; i < 5; i++)
        r = r * (2 - x * r);
    return r;
}
#include "lane_inside.h"

/* A traversal: a node, and its children to visit. Above it are nodes of which children are left: at
 * most one for each level, so INSIDE_HEIGHT are enough. bits, height: 0 at first. */
typedef struct inside_walk {
    u32 node, bits, height;
    u32 above[INSIDE_HEIGHT], rest[INSIDE_HEIGHT];
} inside_walk;

FN void inside_enter(inside_walk *w, u32 node, u32 bits)
{
    if (w->bits) {
        w->above[w->height] = w->node;
        w->rest[w->height] = w->bits;
        w->height++;
    }
    w->node = node;
    w->bits = bits;
}

/* The next child's place in its node w->node, or INSIDE_NONE. */
FN u32 inside_take(inside_walk *w)
{
    if (!w->bits) {
        if (!w->height)
            return INSIDE_NONE;
        w->height--;
        w->node = w->above[w->height];
        w->bits = w->rest[w->height];
    }
    u32 place = bit_lowest(w->bits);
    w->bits &= w->bits - 1;
    return place;
}

/* A point in the boxes' coordinates. */
FN void inside_unit(GLOBAL const f64 *x, GLOBAL const f64 *centre, f32 out[3])
{
    for (u32 k = 0; k < 3; k++)
        out[k] = (f32)(x[k] - centre[k]);
}

/* ---- rays */

/* Twice an axis, and 1 if the ray goes up. */
FN u32 inside_ray_axis(u32 way)
{
    return way >> 1;
}

/* ---- searches */

/* Boxes are rounded to float32, and so is the point; coordinates are at most about 2. */
#define INSIDE_BOX_ERROR 0x1p-21f
#define INSIDE_SQUARE_MOST                                                                         \
    0x1p30 /* more than any square of a distance; less than that of an empty                       \
              box */

/* Faces that may be the nearest. Those that a later one makes too far are removed between leaves,
 * apart from inside_add, where few registers are left. */
typedef struct inside_search {
    f64 most;  /* the square of the distance of the nearest one is not above it */
    u32 count; /* above INSIDE_NEAR: some are not remembered */
    f64 least[INSIDE_NEAR];
    u32 face[INSIDE_NEAR]; /* their numbers in the order of leaves */
} inside_search;

FN void inside_search_begin(inside_search *s)
{
    s->most = INSIDE_SQUARE_MOST;
    s->count = 0;
}

/* Removes faces that are certainly not the nearest. */
FN void inside_prune(inside_search *s)
{
    u32 left = 0;
    for (u32 i = 0; i < s->count && s->count <= INSIDE_NEAR; i++) {
        if (!(s->least[i] < s->most))
            continue;
        s->least[left] = s->least[i];
        s->face[left] = s->face[i];
        left++;
    }
    s->count = s->count <= INSIDE_NEAR ? left : s->count;
}

/* A place without a triangle has an upper bound that is no number. */
FN void inside_add(inside_search *s, u32 face, f64 least, f64 most)
{
    if (!(least < s->most && most < INSIDE_SQUARE_MOST))
        return;
    s->most = most < s->most ? most : s->most;
    if (s->count < INSIDE_NEAR) {
        s->least[s->count] = least;
        s->face[s->count] = face;
    }
    s->count += s->count <= INSIDE_NEAR;
}

/* A box whose square of the distance, computed in float32, is above this is too far. */
FN f32 inside_limit(const inside_search *s)
{
    return (f32)(s->most * (1 + 0x1p-20));
}

FN f32 inside_gap(f32 lo, f32 hi, f32 x)
{
    f32 below = lo - x, above = x - hi, gap = (below > above ? below : above) - INSIDE_BOX_ERROR;
    return gap > 0 ? gap : 0;
}

FN void inside_put(const inside_search *s, GLOBAL u32 *count, GLOBAL u32 *face)
{
    *count = s->count > INSIDE_NEAR ? INSIDE_MANY : s->count;
    for (u32 i = 0; i < s->count && s->count <= INSIDE_NEAR; i++)
        face[i] = s->face[i];
}

#endif
#endif
