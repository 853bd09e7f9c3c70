/* Primitives of a block: their frames, their vertices, the pairs allowed between them, and the
 * overlap of their bounds.
 *
 * Primitives of all frames of a block are numbered together, frame by frame; prim0[f] is the first
 * of frame f and prim0[frames] the number of all. A primitive has three corners, or in a block with
 * tetrahedra four; those that need fewer repeat the last. corner[corners i + c] is the index in the
 * block of vertex c of primitive i, so equal numbers mean a shared vertex and never cross frames.
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

#define BOX_BOUNDS 6      /* floats of a box: lower corner, upper corner */
#define TRIANGLE_WORDS 9  /* coordinates of a triangle */
#define ADJACENT_WORDS 12 /* and the numbers of its vertices */

/* Bounds of an instant are within [-1, 1], or [-3, 3] along a slab axis of length l (README.md).
 * Those of a step grow by at most BOUND_GROW_MOST l on each side (bound_grow). A box grown by that
 * contains [-1, 1] along all axes, and its slabs [-3, 3]: it overlaps every other primitive, so
 * that more growth would make no difference. Structures for a range of bounds cover BOUND_REACH:
 * with that growth and rounding, no bound of a box is beyond it. */
#define BOUND_GROW_MOST 4
#define BOUND_REACH 6

/* The lower bound of an empty box, which overlaps nothing; the upper one is its negative. It is
 * beyond all grown bounds, and small enough that surface areas of such boxes are finite in float32.
 */
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

/* Returns whether the box can overlap anything. It is empty where a vertex is not finite (bound.cl)
 * or the primitive has no possible partner nearby (cull.cl): it is then empty along x at least, and
 * does not grow. */
FN i32 box_enters(GLOBAL const f32 *box)
{
    return box[0] <= box[3];
}

/* the longest side of a box; negative if it is empty */
FN f32 box_size(GLOBAL const f32 *box)
{
    f32 x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    x = x > y ? x : y;
    return x > z ? x : z;
}

/* Index of the quarter octave of a size, ascending, below `bins`; 2^-octaves and all smaller sizes
 * are 0. */
FN u32 size_bin(f32 size, u32 octaves, u32 bins)
{
    u32 bits = size > 0 ? bits_from_f32(size) >> 21 : 0, first = (127u - octaves) << 2;
    return bits <= first ? 0 : u32_min(bits - first, bins - 1);
}

/* If just two objects are tested against each other they are two parts, 1 and 2; else all
 * primitives are part 0. `one` is the frame's first primitive. */
FN u32 prim_part(u32 bipartite, GLOBAL const i32 *object, u32 one, u32 i)
{
    return !bipartite ? 0 : object[i] == object[one] ? 1 : 2;
}

/* number of different vertices of triangle a that are vertices of triangle b */
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

/* true if c is a corner of the tetrahedron */
FN i32 tet_has(GLOBAL const u32 *corner, u32 c)
{
    return corner[0] == c || corner[1] == c || corner[2] == c || corner[3] == c;
}

/* true if tetrahedra a and b share a vertex */
FN i32 tet_shares(GLOBAL const u32 *corner, u32 a, u32 b)
{
    GLOBAL const u32 *p = corner + (size_t)4 * a, *q = corner + (size_t)4 * b;
    return tet_has(p, q[0]) || tet_has(p, q[1]) || tet_has(p, q[2]) || tet_has(p, q[3]);
}

/* Rules that select pairs: the flags of `rules` below. */
#define RULE_SKIP_ADJACENT 1u    /* leave out pairs of triangles that share a vertex */
#define RULE_SELF 2u             /* only pairs within one object */
#define RULE_BETWEEN 4u          /* only pairs of two objects */
#define RULE_LIST_ONLY 8u        /* only pairs of objects in the list */
#define RULE_LIST_NOT 16u        /* all except those */
#define RULE_SKIP_TETRAHEDRA 64u /* RULE_SKIP_ADJACENT for primitives with four corners */
#define RULE_RANKS 32u /* pairs are of ranks of sorted triangles, not of triangles: narrow.cl */
#define RULE_OBJECTS (RULE_SELF | RULE_BETWEEN | RULE_LIST_ONLY | RULE_LIST_NOT)

/* Words of a copied triangle, for RULE_RANKS. */
FN u32 triangle_words(u32 rules)
{
    return rules & RULE_SKIP_ADJACENT ? TRIANGLE_WORDS : ADJACENT_WORDS;
}

/* Number of a primitive's corners that a search needs: all if pairs that share one are left out,
 * else 0. */
FN u32 corners_needed(u32 rules)
{
    return rules & RULE_SKIP_ADJACENT ? 3 : rules & RULE_SKIP_TETRAHEDRA ? 4 : 0;
}

/* an object as an unsigned number in the same order */
FN u32 object_key(i32 object)
{
    return (u32)object ^ 0x80000000u;
}

/* one number for an unordered pair of objects, ordered like the list */
FN u64 object_pair(i32 a, i32 b)
{
    u32 x = object_key(a), y = object_key(b);
    return (u64)u32_min(x, y) << 32 | u32_max(x, y);
}

/* true if `key` is in the ascending list */
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

/* Returns whether the rules on objects allow pairs of p and q. `list` is read only if `rules`
 * requires it. */
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

/* The same for primitives a and b. `object`, too, is read only if required. */
FN i32 objects_allowed(u32 rules, GLOBAL const i32 *object, GLOBAL const u64 *list, u32 listed,
                       u32 a, u32 b)
{
    return !(rules & RULE_OBJECTS) || objects_meet(rules, list, listed, object[a], object[b]);
}

/* Returns whether the rules on adjacency allow the pair. */
FN i32 neighbours_allowed(u32 rules, GLOBAL const u32 *corner, u32 a, u32 b)
{
    return !((rules & RULE_SKIP_ADJACENT) && prim_shared(corner, a, b)) &&
           !((rules & RULE_SKIP_TETRAHEDRA) && tet_shares(corner, a, b));
}

/* The filter on pairs: objects and adjacency. */
FN i32 pair_allowed(u32 rules, GLOBAL const u32 *corner, GLOBAL const i32 *object,
                    GLOBAL const u64 *list, u32 listed, u32 a, u32 b)
{
    return neighbours_allowed(rules, corner, a, b) &&
           objects_allowed(rules, object, list, listed, a, b);
}

/* Closed overlap of a and b along the axes that a k-DOP adds to the box: (lower, upper) for each of
 * `extra` axes. */
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

/* Arguments of every kernel that searches for pairs. Only pairs whose lower number is in [first,
 * last) are found: a frame with more contacts than the memory limit allows is processed in ranges.
 * The whole range is [0, 2^32 - 1). */
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

/* Returns whether the pair a, b, in any order, is a candidate. */
FN i32 scene_candidate(const scene *s, u32 a, u32 b)
{
    u32 low = u32_min(a, b);
    return low >= s->first && low < s->last && bounds_overlap(s->box, s->slab, s->extra, a, b) &&
           pair_allowed(s->rules, s->corner, s->object, s->list, s->listed, a, b);
}

/* Returns whether a pair is a candidate whose boxes overlap and that the rules on adjacency allow.
 */
FN i32 scene_allows(const scene *s, u32 a, u32 b)
{
    u32 low = u32_min(a, b);
    return low >= s->first && low < s->last && slabs_overlap(s->slab, s->extra, a, b) &&
           objects_allowed(s->rules, s->object, s->list, s->listed, a, b);
}

/* Destination of a query's pairs, lower number in a; a = NULL if it only counts them. */
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
