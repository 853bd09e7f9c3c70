/* Primitives of a block: which frame they belong to, which vertices they use, which pairs may
 * meet at all, and whether their bounds overlap.
 *
 * Primitives of all frames of a block are numbered together, frame by frame; prim0[f] is the
 * first of frame f and prim0[frames] their number. A primitive has three corners, or in a block
 * with tetrahedra four; those that need fewer repeat the last. corner[corners i + c] is the block's
 * number of vertex c of primitive i, so equal numbers mean a shared vertex and never cross frames.
 */
#ifndef IMP_PRIM_H
#define IMP_PRIM_H
#include "dialect.h"

/* last f with start[f] <= i; start[0] = 0, start ascending, empty frames allowed */
FN u32 frame_of(GLOBAL const u32 *start, u32 frames, u32 i)
{
    u32 lo = 0, hi = frames;
    while (hi - lo > 1) {
        u32 mid = lo + (hi - lo) / 2;
        if (start[mid] <= i)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

#define BOX_BOUNDS 6     /* floats of a box: lower corner, upper corner */
#define TRIANGLE_WORDS 9 /* coordinates of a triangle */

/* Bounds of an instant are within [-1, 1], along an axis of slabs of length l within [-3, 3]
 * (README.md). Those of a step grow by at most BOUND_GROW_MOST l to each side (bound_grow). A box
 * that grows by that holds [-1, 1] along all axes, and slabs hold [-3, 3]: they overlap those of
 * every other primitive, so more would make no difference. What is made for a range of bounds is
 * made for BOUND_REACH: with that growth and rounding no bound of a box is beyond it. */
#define BOUND_GROW_MOST 4
#define BOUND_REACH 6

/* The lower bound of what is empty and overlaps nothing; the upper one is minus that. Beyond all
 * bounds that grow, and so little that surfaces of such boxes are finite in float32. */
#define BOUND_NONE 0x1p20f

/* the box of primitive i */
FN GLOBAL const f32 *box_at(GLOBAL const f32 *box, u32 i)
{
    return box + (size_t)BOX_BOUNDS * i;
}

/* Bound k of an empty box. */
FN f32 box_none(u32 k)
{
    return k < 3 ? BOUND_NONE : -BOUND_NONE;
}

/* Does it overlap anything? Not where a vertex is not finite (bound.cl) or nothing comes near that
 * it may have pairs with (cull.cl): such a box is empty along x at least, and does not grow. */
FN i32 box_enters(GLOBAL const f32 *box)
{
    return box[0] <= box[3];
}

/* the longest side of a box; negative for one that overlaps nothing */
FN f32 box_size(GLOBAL const f32 *box)
{
    f32 x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    x = x > y ? x : y;
    return x > z ? x : z;
}

/* Sizes in quarter octaves, ascending with size, as numbers below `bins`: 2^-octaves and all that
 * is smaller is 0. */
FN u32 size_bin(f32 size, u32 octaves, u32 bins)
{
    u32 bits = size > 0 ? bits_from_f32(size) >> 21 : 0, first = (127u - octaves) << 2;
    return bits <= first ? 0 : u32_min(bits - first, bins - 1);
}

/* Where just two objects are to be tested against each other they are two parts, 1 and 2; else all
 * primitives are part 0. `one` is the frame's first primitive. */
FN u32 prim_part(u32 bipartite, GLOBAL const i32 *object, u32 one, u32 i)
{
    return !bipartite ? 0 : object[i] == object[one] ? 1 : 2;
}

/* how many different vertices of triangle a are vertices of triangle b */
FN u32 prim_shared(GLOBAL const u32 *corner, u32 a, u32 b)
{
    GLOBAL const u32 *p = corner + (size_t)3 * a, *q = corner + (size_t)3 * b;
    u32 b0 = q[0], b1 = q[1], b2 = q[2];
    u32 n = p[0] == b0 || p[0] == b1 || p[0] == b2;
    if (p[1] != p[0])
        n += p[1] == b0 || p[1] == b1 || p[1] == b2;
    if (p[2] != p[0] && p[2] != p[1])
        n += p[2] == b0 || p[2] == b1 || p[2] == b2;
    return n;
}

/* is c one of the corners of a tetrahedron? */
FN i32 tet_has(GLOBAL const u32 *corner, u32 c)
{
    return corner[0] == c || corner[1] == c || corner[2] == c || corner[3] == c;
}

/* have tetrahedra a and b a vertex in common? */
FN i32 tet_shares(GLOBAL const u32 *corner, u32 a, u32 b)
{
    GLOBAL const u32 *p = corner + (size_t)4 * a, *q = corner + (size_t)4 * b;
    return tet_has(p, q[0]) || tet_has(p, q[1]) || tet_has(p, q[2]) || tet_has(p, q[3]);
}

/* Which pairs are asked for; the values of `rules` below. */
#define RULE_SKIP_ADJACENT 1u    /* leave out pairs of triangles that share a vertex */
#define RULE_SELF 2u             /* only pairs within one object */
#define RULE_BETWEEN 4u          /* only pairs of two objects */
#define RULE_LIST_ONLY 8u        /* only pairs of objects that the list names */
#define RULE_LIST_NOT 16u        /* all except those */
#define RULE_SKIP_TETRAHEDRA 64u /* the same where primitives have four corners */
#define RULE_RANKS 32u /* pairs are of ranks of sorted triangles, not of triangles: narrow.cl */
#define RULE_OBJECTS (RULE_SELF | RULE_BETWEEN | RULE_LIST_ONLY | RULE_LIST_NOT)

/* Corners that a search needs of a primitive: all where pairs that share one are left out, else
 * none.
 */
FN u32 corners_needed(u32 rules)
{
    return rules & RULE_SKIP_ADJACENT ? 3 : rules & RULE_SKIP_TETRAHEDRA ? 4 : 0;
}

/* an object as an unsigned number in the same order */
FN u32 object_key(i32 object)
{
    return (u32)object ^ 0x80000000u;
}

/* one number for an unordered pair of objects, in the order of the list */
FN u64 object_pair(i32 a, i32 b)
{
    u32 x = object_key(a), y = object_key(b);
    return (u64)u32_min(x, y) << 32 | u32_max(x, y);
}

/* is `key` in the ascending list? */
FN i32 object_listed(GLOBAL const u64 *list, u32 n, u64 key)
{
    u32 lo = 0, hi = n;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (list[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && list[lo] == key;
}

/* Does the choice of objects allow pairs of p and q? `list` is read only where `rules` asks for it.
 */
FN i32 objects_meet(u32 rules, GLOBAL const u64 *list, u32 listed, i32 p, i32 q)
{
    if ((rules & RULE_SELF) && p != q)
        return 0;
    if ((rules & RULE_BETWEEN) && p == q)
        return 0;
    if (rules & (RULE_LIST_ONLY | RULE_LIST_NOT))
        return object_listed(list, listed, object_pair(p, q)) == !!(rules & RULE_LIST_ONLY);
    return 1;
}

/* Does it allow the pair? `object`, too, is read only where it must be. */
FN i32 objects_allowed(u32 rules, GLOBAL const i32 *object, GLOBAL const u64 *list, u32 listed,
                       u32 a, u32 b)
{
    return !(rules & RULE_OBJECTS) || objects_meet(rules, list, listed, object[a], object[b]);
}

/* Do the rules on neighbours allow it? */
FN i32 neighbours_allowed(u32 rules, GLOBAL const u32 *corner, u32 a, u32 b)
{
    return !((rules & RULE_SKIP_ADJACENT) && prim_shared(corner, a, b)) &&
           !((rules & RULE_SKIP_TETRAHEDRA) && tet_shares(corner, a, b));
}

/* The filter on pairs. */
FN i32 pair_allowed(u32 rules, GLOBAL const u32 *corner, GLOBAL const i32 *object,
                    GLOBAL const u64 *list, u32 listed, u32 a, u32 b)
{
    return neighbours_allowed(rules, corner, a, b) &&
           objects_allowed(rules, object, list, listed, a, b);
}

/* Closed overlap of a and b along the axes that a k-DOP has beside the box: (lower, upper) for each
 * of `extra` axes. */
FN i32 slabs_overlap(GLOBAL const f32 *slab, u32 extra, u32 a, u32 b)
{
    GLOBAL const f32 *p = slab + (size_t)2 * extra * a, *q = slab + (size_t)2 * extra * b;
    for (u32 e = 0; e < extra; e++, p += 2, q += 2)
        if (p[0] > q[1] || q[0] > p[1])
            return 0;
    return 1;
}

/* Closed overlap of the bounds of a and b. */
FN i32 bounds_overlap(GLOBAL const f32 *box, GLOBAL const f32 *slab, u32 extra, u32 a, u32 b)
{
    GLOBAL const f32 *p = box_at(box, a), *q = box_at(box, b);
    if (p[0] > q[3] || q[0] > p[3] || p[1] > q[4] || q[1] > p[4] || p[2] > q[5] || q[2] > p[5])
        return 0;
    return slabs_overlap(slab, extra, a, b);
}

/* Arguments of every kernel that searches for pairs. Only pairs whose lower number is in
 * [first, last) are wanted: a frame with more contacts than the memory limit allows is done in
 * ranges. The whole range is [0, 2^32 - 1). */
typedef struct scene {
    GLOBAL const f32 *box, *slab;
    GLOBAL const u32 *corner;
    GLOBAL const i32 *object;
    GLOBAL const u64 *list;
    u32 extra, listed, rules, first, last;
} scene;

#define SCENE_ARGS                                                                                 \
    GLOBAL const f32 *box, GLOBAL const f32 *slab, GLOBAL const u32 *corner,                       \
        GLOBAL const i32 *object, GLOBAL const u64 *list, u32 extra, u32 listed, u32 rules,        \
        u32 first, u32 last
#define SCENE                                                                                      \
    {                                                                                              \
        box, slab, corner, object, list, extra, listed, rules, first, last                         \
    }

/* is the pair a, b, in any order, a candidate? */
FN i32 scene_candidate(const scene *s, u32 a, u32 b)
{
    u32 low = u32_min(a, b);
    return low >= s->first && low < s->last && bounds_overlap(s->box, s->slab, s->extra, a, b) &&
           pair_allowed(s->rules, s->corner, s->object, s->list, s->listed, a, b);
}

/* Bounds overlap, but for slabs, and the rules on neighbours allow the pair. Is it a candidate? */
FN i32 scene_allows(const scene *s, u32 a, u32 b)
{
    u32 low = u32_min(a, b);
    return low >= s->first && low < s->last && slabs_overlap(s->slab, s->extra, a, b) &&
           objects_allowed(s->rules, s->object, s->list, s->listed, a, b);
}

/* Destination of a query's pairs, lower number in a; a = 0 if it only counts them. */
typedef struct pair_sink {
    GLOBAL u32 *a, *b;
} pair_sink;

FN pair_sink sink_none(void)
{
    pair_sink out = {0, 0};
    return out;
}

FN pair_sink sink_at(GLOBAL u32 *a, GLOBAL u32 *b, u64 offset)
{
    pair_sink out = {a + offset, b + offset};
    return out;
}

FN void sink_put(const pair_sink *out, u32 n, u32 a, u32 b)
{
    if (!out->a)
        return;
    out->a[n] = u32_min(a, b);
    out->b[n] = u32_max(a, b);
}

#endif
