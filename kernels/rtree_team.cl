/* Looking for pairs in the packed R-tree of rtree.cl a leaf at a time, for CPUs. To follow
 * rtree.cl. */
#include "lanes.h"

#ifndef IMP_GROUP_FORMS

/* A leaf as a team, and the box of all. */
FN void leaf_load(const scene *s, const rtree *t, u32 ranks, u32 leaf, team *m)
{
    GLOBAL const f32 *b = rtree_node(t, 0, leaf);
    GLOBAL const f32 *all =
        rtree_node(t, 1, leaf / RTREE_WIDTH) + leaf % RTREE_WIDTH; /* of level 1 */
    size_t slot = (size_t)RTREE_WIDTH * leaf;
    for (u32 k = 0; k < 3; k++) {
        for (u32 i = 0; i < LANES; i++) {
            m->lo[k][i] = b[LANES * k + i];
            m->hi[k][i] = b[LANES * (k + 3) + i];
            m->corner[k][i] =
                s->rules & RULE_SKIP_ADJACENT ? t->corner[3 * slot + LANES * k + i] : 0;
        }
        m->low[k] = all[RTREE_WIDTH * k];
        m->high[k] = all[RTREE_WIDTH * (k + 3)];
    }
    for (u32 i = 0; i < LANES; i++) {
        m->id[i] = t->id[slot + i];
        m->name[i] = ranks ? (u32)slot + i : m->id[i];
        m->object[i] = s->rules & (RULE_SELF | RULE_BETWEEN) ? (u32)t->object[slot + i] : 0;
    }
}

/* May pairs of two leaves be wanted, by what objects are in them? */
FN i32 leaf_objects(const scene *s, const rtree *t, u32 a, u32 b)
{
    if (!(s->rules & (RULE_SELF | RULE_BETWEEN)))
        return 1;
    GLOBAL const i32 *p = t->leaf_object + (size_t)2 * a, *q = t->leaf_object + (size_t)2 * b;
    return s->rules & RULE_SELF ? p[0] <= q[1] && q[0] <= p[1]
                                : p[0] != p[1] || q[0] != p[0] || q[1] != p[0];
}

/* Which lanes are of the same object as a primitive, or of another, whichever is asked for? */
FN u32 leaf_other(const scene *s, const team *m, i32 object)
{
    u32 same = team_of(m, (u32)object);
    return s->rules & RULE_SELF ? same : ~same;
}

/* The lanes in `hits`, whose boxes overlap that of slot j, are found where they are wanted. */
FN void leaf_found(const scene *s, const rtree *t, const team *m, u32 slot0, u32 j, u32 hits,
                   finds *out)
{
    if (s->rules & (RULE_SELF | RULE_BETWEEN))
        hits &= leaf_other(s, m, t->object[j]);
    if (hits && (s->rules & RULE_SKIP_ADJACENT)) {
        GLOBAL const u32 *c = rtree_corner(t, j);
        hits &= ~team_share(m, c[0], c[RTREE_WIDTH], c[2 * RTREE_WIDTH]);
    }
    if (out->plain && out->found < out->capacity && out->capacity - out->found >= LANES) {
        team_put(m, hits, t->id[j], out->ranks ? j : t->id[j], out->out.a + out->found,
                 out->out.b + out->found);
        out->found += bit_count(hits);
        return;
    }
    for (; hits; hits &= hits - 1)
        finds_hit(s, t->id, out, slot0 + bit_lowest(hits), j);
}

/* All pairs of leaf `own`, the team's, with leaf `other`: of this only those count that overlap
 * the box of the team. */
FN void leaf_pair(const scene *s, const rtree *t, const team *m, u32 own, u32 other, finds *out)
{
    GLOBAL const f32 *b = rtree_node(t, 0, other);
    if (!leaf_objects(s, t, own, other))
        return;
    for (u32 near = node_overlaps(b, m->low, m->high); near; near &= near - 1) {
        u32 k = bit_lowest(near), hits = team_overlaps(m, b + k);
        if (own == other)
            hits &= (1u << k) - 1;
        if (hits)
            leaf_found(s, t, m, RTREE_WIDTH * own, RTREE_WIDTH * other + k, hits, out);
    }
}

/* Which children of node g on a level overlap the team and have leaves in the span? */
FN u32 leaf_children(const rtree *t, const team *m, u32 level, u32 g, rtree_span span)
{
    u32 below = 4 * (level - 1), first = RTREE_WIDTH * g;
    u32 from = span.begin >> below, last = (span.end - 1) >> below;
    u32 mask = node_overlaps(rtree_node(t, level, g), m->low, m->high);
    if (from > first)
        mask &= 0xffffu << (from - first);
    if (last - first < RTREE_WIDTH - 1)
        mask &= (2u << (last - first)) - 1;
    return mask;
}

/* All that a leaf finds in a span that is not empty. */
FN void leaf_find(const scene *s, const rtree *t, const team *m, u32 leaf, rtree_span span,
                  finds *out)
{
    u32 rest[RTREE_LEVELS_MOST], node[RTREE_LEVELS_MOST], top = 1, level;
    while (span.begin >> 4 * top != (span.end - 1) >> 4 * top)
        top++;
    level = top;
    node[top] = span.begin >> 4 * top;
    rest[top] = leaf_children(t, m, top, node[top], span);
    while (rest[level] || level < top) {
        if (!rest[level]) {
            level++;
            continue;
        }
        u32 child = RTREE_WIDTH * node[level] + bit_lowest(rest[level]);
        rest[level] &= rest[level] - 1;
        if (level == 1) {
            leaf_pair(s, t, m, leaf, child, out);
            continue;
        }
        level--;
        node[level] = child;
        rest[level] = leaf_children(t, m, level, child, span);
    }
}

/* An item owns a tile of slots, number tile0 + ITEM of the list, which begins with a leaf. Its
 * pairs go to its own `capacity` places of a and b, and count says how many there are even if not
 * all had room; or, with capacity = 0, to offset[ITEM] and on. Pairs are of slots if asked for. */
KERNEL void rtree_tiles(ITEM_ARG u32 n, u32 tile0, SCENE_ARGS, RTREE_ARGS,
                        GLOBAL const u32 *tile_first, GLOBAL const u32 *tile_last,
                        GLOBAL const u32 *tile_segment, u32 ranks, u32 capacity,
                        GLOBAL const u64 *offset, GLOBAL u32 *count, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u32 tile = tile0 + ITEM;
    finds x = finds_make(&s, capacity ? capacity : 0xffffffffu, ranks,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    for (u32 leaf = tile_first[tile] / RTREE_WIDTH; leaf < tile_last[tile] / RTREE_WIDTH; leaf++) {
        rtree_span span = rtree_span_of(leaf0, parts, tile_segment[tile], leaf);
        team m;
        if (span.begin >= span.end)
            break;
        leaf_load(&s, &t, ranks, leaf, &m);
        leaf_find(&s, &t, &m, leaf, span, &x);
    }
    count[ITEM] = x.found;
}

#endif
