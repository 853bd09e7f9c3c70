/* The search for pairs in the packed R-tree of rtree.cl, one leaf at a time, for CPUs. Included
 * after rtree.cl. */
#include "lanes.h"

/* Loads a leaf as a team, with the box of all its lanes. */
FN void leaf_load(const scene *s, const rtree *t, u32 ranks, u32 leaf, team *m)
{
    GLOBAL const f32 *b = rtree_node(t, 0, leaf);
    GLOBAL const f32 *all =
        rtree_node(t, 1, leaf / RTREE_WIDTH) + leaf % RTREE_WIDTH; /* on level 1 */
    size_t position = (size_t)RTREE_WIDTH * leaf;
    for (u32 k = 0; k < 3; k++) {
        for (u32 i = 0; i < LANES; i++) {
            m->lo[k][i] = b[LANES * k + i];
            m->hi[k][i] = b[LANES * (k + 3) + i];
        }
        m->low[k] = all[RTREE_WIDTH * k];
        m->high[k] = all[RTREE_WIDTH * (k + 3)];
    }
    for (u32 k = 0; k < t->corners; k++)
        for (u32 i = 0; i < LANES; i++)
            m->corner[k][i] = t->corner[t->corners * position + LANES * k + i];
    for (u32 i = 0; i < LANES; i++) {
        m->id[i] = t->id[position + i];
        m->name[i] = ranks ? (u32)position + i : m->id[i];
        m->object[i] = s->rules & (RULE_SELF | RULE_BETWEEN) ? (u32)t->object[position + i] : 0;
    }
}

/* Returns whether the objects of two leaves allow pairs between them. */
FN i32 leaf_objects(const scene *s, const rtree *t, u32 a, u32 b)
{
    if (!(s->rules & (RULE_SELF | RULE_BETWEEN)))
        return 1;
    GLOBAL const i32 *p = t->leaf_object + (size_t)2 * a, *q = t->leaf_object + (size_t)2 * b;
    return s->rules & RULE_SELF ? p[0] <= q[1] && q[0] <= p[1]
                                : p[0] != p[1] || q[0] != p[0] || q[1] != p[0];
}

/* Lanes whose objects the rules allow with this object. */
FN u32 leaf_other(const scene *s, const team *m, i32 object)
{
    u32 same = team_of(m, (u32)object);
    return s->rules & RULE_SELF ? same : ~same;
}

/* The lanes in `hits`, whose boxes overlap that of position j, that the rules on objects and
 * adjacency allow. */
FN u32 leaf_wanted(const scene *s, const rtree *t, const team *m, u32 j, u32 hits)
{
    if (s->rules & (RULE_SELF | RULE_BETWEEN))
        hits &= leaf_other(s, m, t->object[j]);
    if (s->rules & RULE_SKIP_ADJACENT) {
        GLOBAL const u32 *c = rtree_corner(t, j);
        hits &= ~team_share(m, c[0], c[RTREE_WIDTH], c[2 * RTREE_WIDTH]);
    }
    if (s->rules & RULE_SKIP_TETRAHEDRA) {
        GLOBAL const u32 *c = rtree_corner(t, j);
        hits &= ~team_share4(m, c[0], c[RTREE_WIDTH], c[2 * RTREE_WIDTH], c[3 * RTREE_WIDTH]);
    }
    return hits;
}

/* Stores the pairs of position j with the lanes in `hits`. */
FN void leaf_found(const scene *s, const rtree *t, const team *m, u32 position0, u32 j, u32 hits,
                   finds *out)
{
    if (out->plain && !out->capacity) {
        out->found += u32_min(bit_count(hits), FOUND_MOST - out->found);
        return;
    }
    if (out->plain && out->found < out->capacity && out->capacity - out->found >= LANES) {
        team_put(m, hits, t->id[j], out->ranks ? j : t->id[j], out->out.a + out->found,
                 out->out.b + out->found);
        out->found += bit_count(hits);
        return;
    }
    for (; hits; hits &= hits - 1)
        finds_hit(s, t->id, out, position0 + bit_lowest(hits), j);
}

/* Positions whose boxes overlap the box of the team. They are gathered before they are tested: a
 * processor predicts a loop over many of them, but not one over the few of each leaf. */
#define NEAR_MOST 128

typedef struct near_positions {
    u32 count, position[NEAR_MOST + LANES], hits[NEAR_MOST + LANES];
} near_positions;

/* Gathers the positions of leaf `other` that are near leaf `own`, the team's. */
FN void leaf_near(const scene *s, const rtree *t, const team *m, u32 own, u32 other,
                  near_positions *near)
{
    u32 bits = node_overlaps(rtree_node(t, 0, other), m->low, m->high);
    if (!leaf_objects(s, t, own, other))
        return;
    lanes_put(bits, RTREE_WIDTH * other, near->position + near->count);
    near->count += bit_count(bits);
}

/* Pairs of leaf `own` with the first `found` gathered positions, whose boxes overlap the lanes in
 * `hits`. */
FN void leaf_hits(const scene *s, const rtree *t, const team *m, u32 own,
                  const near_positions *near, u32 found, finds *out)
{
    for (u32 i = 0; i < found; i++) {
        u32 j = near->position[i];
        leaf_found(s, t, m, RTREE_WIDTH * own, j, leaf_wanted(s, t, m, j, near->hits[i]), out);
    }
}

/* Pairs of leaf `own` with the gathered positions. */
FORMULA void leaf_test(const scene *s, const rtree *t, const team *m, u32 own, near_positions *near,
                       finds *out)
{
    u32 found = 0;
    for (u32 i = 0; i < near->count; i++) {
        u32 j = near->position[i], behind = j - RTREE_WIDTH * own;
        GLOBAL const f32 *box = rtree_node(t, 0, j / RTREE_WIDTH) + j % RTREE_WIDTH;
        u32 hits = team_overlaps(m, box, LANES);
        hits &=
            behind < RTREE_WIDTH ? (1u << behind) - 1 : 0xffff; /* each pair within a leaf once */
        near->position[found] = j;
        near->hits[found] = hits;
        found += hits != 0;
    }
    leaf_hits(s, t, m, own, near, found, out);
}

/* A traversal of the tree: on each level up to `top` the current node and its unvisited children.
 */
typedef struct leaf_walk {
    u32 level, top, node[RTREE_LEVELS_MOST], rest[RTREE_LEVELS_MOST];
} leaf_walk;

/* Enters node g of a level; its children to visit overlap the team and have leaves in the span. */
FN void walk_enter(const rtree *t, const team *m, rtree_span span, leaf_walk *w, u32 level, u32 g)
{
    u32 meets = node_overlaps(rtree_node(t, level, g), m->low, m->high);
    w->level = level;
    w->node[level] = g;
    w->rest[level] = meets & rtree_within(span, level, g);
}

/* Enters the lowest node that has all leaves of a span, which is not empty. */
FN void walk_begin(const rtree *t, const team *m, rtree_span span, leaf_walk *w)
{
    w->top = 1;
    while (span.begin >> 4 * w->top != (span.end - 1) >> 4 * w->top)
        w->top++;
    walk_enter(t, m, span, w, w->top, span.begin >> 4 * w->top);
}

/* Stores the next leaf that may be near in *leaf. Returns 0 at the end. */
FN u32 walk_leaf(const rtree *t, const team *m, rtree_span span, leaf_walk *w, u32 *leaf)
{
    for (;;) {
        u32 level = w->level, rest = w->rest[level];
        if (!rest && level == w->top)
            return 0;
        if (!rest) {
            w->level++;
            continue;
        }
        u32 child = RTREE_WIDTH * w->node[level] + bit_lowest(rest);
        w->rest[level] = rest & (rest - 1);
        if (level == 1) {
            *leaf = child;
            return 1;
        }
        walk_enter(t, m, span, w, level - 1, child);
    }
}

/* Continues until enough positions are gathered, or none remain. Returns whether the traversal is
 * finished. */
FN i32 walk_on(const scene *s, const rtree *t, const team *m, u32 own, rtree_span span,
               leaf_walk *w, near_positions *near)
{
    u32 leaf;
    near->count = 0;
    while (near->count <= NEAR_MOST) {
        if (!walk_leaf(t, m, span, w, &leaf))
            return 1;
        leaf_near(s, t, m, own, leaf, near);
    }
    return 0;
}

/* All pairs that a leaf finds in a non-empty span. */
FN void leaf_find(const scene *s, const rtree *t, const team *m, u32 leaf, rtree_span span,
                  finds *out)
{
    leaf_walk w;
    near_positions near;
    i32 end = 0;
    walk_begin(t, m, span, &w);
    while (!end) {
        end = walk_on(s, t, m, leaf, span, &w, &near);
        leaf_test(s, t, m, leaf, &near, out);
    }
}

/* An item owns a strip of positions, number strip0 + ITEM of the list, which begins with a leaf.
 * Its pairs go to its own `capacity` elements of a and b, and count is their number even if not all
 * fit; or, with capacity = 0, to exactly count[ITEM] elements from offset[ITEM] on, where count is
 * already known. Pairs are of positions if the rules say so. */
KERNEL void rtree_strips(ITEM_ARG u32 n, u32 strip0, SCENE_ARGS, RTREE_ARGS,
                         GLOBAL const u32 *strip_first, GLOBAL const u32 *strip_last,
                         GLOBAL const u32 *strip_segment, u32 ranks, u32 capacity,
                         GLOBAL const u64 *offset, GLOBAL u32 *count, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u32 strip = strip0 + ITEM;
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], ranks,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    for (u32 leaf = strip_first[strip] / RTREE_WIDTH; leaf < strip_last[strip] / RTREE_WIDTH;
         leaf++) {
        rtree_span span = rtree_span_of(leaf0, parts, strip_segment[strip], leaf);
        team m;
        if (span.begin >= span.end)
            break;
        leaf_load(&s, &t, ranks, leaf, &m);
        leaf_find(&s, &t, &m, leaf, span, &x);
    }
    count[ITEM] = x.found;
}
