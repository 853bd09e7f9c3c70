/* The tree of rtree.cl cached from one frame to the next, with the primitives at the same
 * positions: only bounds of those that moved, and the boxes above them, are written. Primitives
 * that moved find their pairs; if both moved, the one at the earlier position does. Included after
 * rtree.cl and rtree_team.cl; for one frame and one part.
 *
 * Where primitives are created and deleted under persistent ids (persistent_ids.cl), one may be
 * replaced by another far away. That one leaves its position in the tree, which is empty from then
 * on, for the delta: additional leaves at the end, sorted again whenever a primitive enters.
 *
 * A tree whose primitives have moved far is slow, not wrong. GPUs cache none. */
#include "rtree.h"

KERNEL void rtree_nowhere(ITEM_ARG u32 n, GLOBAL u32 *position_of)
{
    if (ITEM < n)
        position_of[ITEM] = RTREE_NOWHERE;
}

/* position_of[i]: the position of primitive i, from the first n positions; unused ones follow. */
KERNEL void rtree_position_of(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL u32 *position_of)
{
    if (ITEM < n)
        position_of[id[ITEM]] = ITEM;
}

/* Clears the marks of positions and leaves: of all leaves, or of those that have a mark. */
KERNEL void rtree_unmark(ITEM_ARG u32 n, u32 all, GLOBAL u8 *mark, GLOBAL u8 *leaf_mark)
{
    if (ITEM >= n || !(all || leaf_mark[ITEM]))
        return;
    for (u32 e = 0; e < RTREE_WIDTH; e++)
        mark[RTREE_WIDTH * ITEM + e] = 0;
    leaf_mark[ITEM] = 0;
}

/* Marks the positions of primitives that moved. */
KERNEL void rtree_mark(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const u32 *position_of,
                       GLOBAL u8 *mark)
{
    if (ITEM < n && position_of[prim[ITEM]] != RTREE_NOWHERE)
        mark[position_of[prim[ITEM]]] = 1;
}

/* Marks their leaves, at the first marked position of each. */
KERNEL void rtree_mark_leaves(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const u32 *position_of,
                              GLOBAL const u8 *mark, GLOBAL u8 *leaf_mark)
{
    u32 before = 0, position = ITEM < n ? position_of[prim[ITEM]] : RTREE_NOWHERE;
    if (position == RTREE_NOWHERE)
        return;
    for (u32 j = position - position % RTREE_WIDTH; j < position; j++)
        before |= mark[j];
    if (!before)
        leaf_mark[position / RTREE_WIDTH] = 1;
}

/* ---- the delta: positions from `base` on */

/* Returns whether a box overlaps a leaf's box, and so enlarges it only a little. */
FN i32 rtree_near(GLOBAL const f32 *box, GLOBAL const f32 *leaf)
{
    i32 near = 1;
    for (u32 k = 0; k < 3; k++)
        near &= box[k] <= leaf[RTREE_WIDTH * (k + 3)] && leaf[RTREE_WIDTH * k] <= box[k + 3];
    return near;
}

/* Selects replaced primitives that are not near their leaf: come[k]. They are written to member[k],
 * and stay[k] is 1 if they are not in the delta yet; the positions that they leave become empty.
 * Requires the current boxes and the old leaves. */
KERNEL void rtree_come(ITEM_ARG u32 n, GLOBAL const u32 *prim, u32 base, u32 leaves,
                       GLOBAL const f32 *box, GLOBAL f32 *node, u32 members,
                       GLOBAL u32 *position_of, GLOBAL u8 *mark, GLOBAL u32 *member,
                       GLOBAL u8 *stay, GLOBAL u8 *come)
{
    if (ITEM >= n)
        return;
    u32 p = prim[ITEM], position = position_of[p];
    GLOBAL const f32 *b = box_at(box, p);
    i32 comes =
        box_enters(b) && (position == RTREE_NOWHERE ||
                          !rtree_near(b, rtree_child(node, leaves, position / RTREE_WIDTH)));
    come[ITEM] = (u8)comes;
    member[members + ITEM] = p;
    stay[members + ITEM] = comes && (position == RTREE_NOWHERE || position < base);
    if (!comes || position == RTREE_NOWHERE || position >= base)
        return;
    mark[position] = RTREE_LEFT;
    position_of[p] = RTREE_NOWHERE;
}

/* Selects the members of the delta that remain; the others lose their position. */
KERNEL void rtree_stay(ITEM_ARG u32 n, u32 base, GLOBAL const u32 *id, GLOBAL const f32 *box,
                       GLOBAL u32 *position_of, GLOBAL u32 *member, GLOBAL u8 *stay)
{
    if (ITEM >= n)
        return;
    u32 p = id[base + ITEM];
    member[ITEM] = p;
    stay[ITEM] = (u8)box_enters(box_at(box, p));
    if (!stay[ITEM])
        position_of[p] = RTREE_NOWHERE;
}

/* Keys of the members which[..], four an item, as in rtree_keys. */
KERNEL void rtree_member_keys(ITEM_ARG u32 n, u32 members, GLOBAL const u32 *which,
                              GLOBAL const u32 *member, GLOBAL const f32 *box, u32 digits,
                              GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 first = 4 * ITEM, count = u32_min(members - first, 4), mine[4], position[4];
    for (u32 k = 0; k < count; k++)
        mine[k] = member[which[first + k]];
    rtree_positions(box, mine, count, digits, 0, position);
    for (u32 k = 0; k < count; k++) {
        key[first + k] = position[k];
        value[first + k] = mine[k];
    }
}

/* The delta's leaves, from leaf0 on, and their boxes, built from its sorted members; marks as in
 * rtree_mark. */
KERNEL void rtree_member_leaves(ITEM_ARG u32 n, u32 leaf0, u32 leaves, u32 members,
                                GLOBAL const u32 *value, GLOBAL const u8 *moved,
                                GLOBAL const f32 *box, u32 corners, GLOBAL const u32 *corner,
                                u32 objects, GLOBAL const i32 *object, GLOBAL f32 *node,
                                GLOBAL u32 *id, GLOBAL u32 *position_corner,
                                GLOBAL i32 *position_object, GLOBAL i32 *leaf_object,
                                GLOBAL u32 *position_of, GLOBAL u8 *mark, GLOBAL u8 *leaf_mark,
                                GLOBAL u32 *changed)
{
    if (ITEM >= n)
        return;
    u32 leaf = leaf0 + ITEM, rank = RTREE_WIDTH * ITEM;
    u32 count = rank < members ? u32_min(members - rank, RTREE_WIDTH) : 0, any = 0;
    rtree_leaf_make(leaf, leaves, count, value + (count ? rank : 0), box, corners, corner, objects,
                    object, node, id, position_corner, position_object, leaf_object);
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 position = RTREE_WIDTH * leaf + e;
        mark[position] = e < count && moved[id[position]];
        any |= mark[position];
        if (e < count)
            position_of[id[position]] = position;
    }
    leaf_mark[leaf] = (u8)any;
    changed[leaf] = 1;
}

/* ---- primitives that keep their position */

/* Writes new bounds to the marked positions of a leaf, and empty ones to those that were left;
 * returns the number that changed. If any did, it also updates the leaf's box as a child on level
 * 1, and sets its flag in changed[]. */
FN u32 rtree_refit_leaf(u32 leaf, u32 leaves, GLOBAL const u32 *id, GLOBAL const u8 *mark,
                        GLOBAL const f32 *box, GLOBAL f32 *node, GLOBAL u32 *changed)
{
    GLOBAL f32 *own = node + (size_t)RTREE_NODE * leaf, *child = rtree_child(node, leaves, leaf);
    u32 others = 0;
    f32 all[6];
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 position = RTREE_WIDTH * leaf + e, other = 0;
        if (!mark[position])
            continue;
        GLOBAL const f32 *b = box_at(box, id[position]);
        for (u32 k = 0; k < 6; k++) {
            f32 bound = mark[position] != RTREE_LEFT ? b[k] : box_none(k);
            other |= own[RTREE_WIDTH * k + e] != bound;
            own[RTREE_WIDTH * k + e] = bound;
        }
        others += other;
    }
    if (!others)
        return 0;
    changed[leaf] = 1;
    rtree_box_none(all);
    for (u32 k = 0; k < 6; k++) {
        for (u32 e = 0; e < RTREE_WIDTH; e++)
            all[k] = rtree_wider(k, all[k], own[RTREE_WIDTH * k + e]);
        child[RTREE_WIDTH * k] = all[k];
    }
    return others;
}

/* count[i]: the result of rtree_refit_leaf for leaf which[i] */
KERNEL void rtree_refit(ITEM_ARG u32 n, u32 leaves, GLOBAL const u32 *which, GLOBAL const u32 *id,
                        GLOBAL const u8 *mark, GLOBAL const f32 *box, GLOBAL f32 *node,
                        GLOBAL u32 *count, GLOBAL u32 *changed)
{
    if (ITEM < n)
        count[ITEM] = rtree_refit_leaf(which[ITEM], leaves, id, mark, box, node, changed);
}

/* rtree_nodes for the nodes of a level with children that changed: the children's flags begin at
 * number `children` and are 0 afterwards; the flag of node i, at from + i, is set. */
KERNEL void rtree_renew(ITEM_ARG u32 n, u32 below, u32 children, u32 from, u32 to, GLOBAL f32 *node,
                        GLOBAL u32 *changed)
{
    if (ITEM >= n)
        return;
    u32 any = 0, first = RTREE_WIDTH * ITEM, end = u32_min(from - children, first + RTREE_WIDTH);
    for (u32 i = first; i < end; i++) {
        any |= changed[children + i];
        changed[children + i] = 0;
    }
    changed[from + ITEM] = any != 0;
    if (any)
        rtree_node_box(ITEM, below, from, to, node);
}

/* Updates corners and objects at the positions of leaf which[ITEM], where primitives are created
 * and deleted. */
KERNEL void rtree_refill(ITEM_ARG u32 n, GLOBAL const u32 *which, GLOBAL const u32 *id,
                         GLOBAL const u8 *mark, u32 corners, GLOBAL const u32 *corner, u32 objects,
                         GLOBAL const i32 *object, GLOBAL u32 *position_corner,
                         GLOBAL i32 *position_object, GLOBAL i32 *leaf_object)
{
    if (ITEM >= n)
        return;
    u32 leaf = which[ITEM];
    i32 least = 0, most = 0;
    for (u32 e = 0; e < RTREE_WIDTH; e++) {
        u32 position = RTREE_WIDTH * leaf + e, i = id[position];
        for (u32 k = 0; k < corners && mark[position]; k++)
            position_corner[(size_t)RTREE_WIDTH * (corners * leaf + k) + e] =
                corner[(size_t)corners * i + k];
        if (!objects)
            continue;
        position_object[position] = object[i];
        least = e && least < object[i] ? least : object[i];
        most = e && most > object[i] ? most : object[i];
    }
    if (objects) {
        leaf_object[(size_t)2 * leaf] = least;
        leaf_object[(size_t)2 * leaf + 1] = most;
    }
}

/* all leaves */
FN rtree_span rtree_whole(GLOBAL const u32 *leaf0, u32 parts)
{
    rtree_span all;
    all.begin = 0;
    all.end = leaf0[parts];
    return all;
}

/* ---- the search, by the positions of one leaf that moved */

/* Prefetches a leaf. If few primitives moved, nothing may be in the caches. */
FN void moved_fetch(const rtree *t, u32 leaf)
{
    for (u32 k = 0; k < 6; k++)
        FETCH(rtree_node(t, 0, leaf) + RTREE_WIDTH * k);
    for (u32 k = 0; k < t->corners; k++)
        FETCH(t->corner + (size_t)RTREE_WIDTH * (t->corners * leaf + k));
    FETCH(t->id + (size_t)RTREE_WIDTH * leaf);
}

/* Returns the lanes that moved; the team's box becomes theirs. */
FN u32 moved_lanes(GLOBAL const u8 *mark, team *m)
{
    u32 lanes = 0;
    for (u32 k = 0; k < 3; k++) {
        m->low[k] = box_none(k);
        m->high[k] = box_none(k + 3);
    }
    for (u32 i = 0; i < LANES; i++) {
        if (!mark[i])
            continue;
        lanes |= 1u << i;
        for (u32 k = 0; k < 3; k++) {
            m->low[k] = m->lo[k][i] < m->low[k] ? m->lo[k][i] : m->low[k];
            m->high[k] = m->hi[k][i] > m->high[k] ? m->hi[k][i] : m->high[k];
        }
    }
    return lanes;
}

/* The lanes that find position j. If two moved, the first finds the other. */
FN u32 moved_finders(u32 leaf, u32 lanes, GLOBAL const u8 *mark, u32 j)
{
    u32 first = RTREE_WIDTH * leaf;
    if (!mark[j] || j - first >= RTREE_WIDTH)
        return mark[j] && j < first ? 0 : lanes;
    return lanes & ((1u << (j - first)) - 1);
}

/* Pairs of the lanes that moved with the gathered positions. */
FN void moved_test(const scene *s, const rtree *t, const team *m, u32 leaf, u32 lanes,
                   GLOBAL const u8 *mark, near_positions *near, finds *out)
{
    u32 found = 0;
    for (u32 i = 0; i < near->count; i++) {
        u32 j = near->position[i];
        GLOBAL const f32 *b = rtree_node(t, 0, j / RTREE_WIDTH) + j % RTREE_WIDTH;
        u32 hits = team_overlaps(m, b, LANES) & moved_finders(leaf, lanes, mark, j);
        near->position[found] = j;
        near->hits[found] = hits;
        found += hits != 0;
    }
    leaf_hits(s, t, m, leaf, near, found, out);
}

/* The positions of leaf `other` whose boxes overlap the team's box, here that of the single lane e,
 * and which share no vertex with it if that rules a pair out. */
FN u32 lone_hits(const scene *s, const rtree *t, const team *m, u32 own, u32 e, u32 other)
{
    u32 hits = leaf_objects(s, t, own, other)
                   ? node_overlaps(rtree_node(t, 0, other), m->low, m->high)
                   : 0;
    if (!hits || !(s->rules & (RULE_SKIP_ADJACENT | RULE_SKIP_TETRAHEDRA)))
        return hits;
    u32 shared = 0;
    for (u32 k = 0; k < t->corners; k++) {
        u32x16 c = u32x16_load(t->corner + (size_t)RTREE_WIDTH * (t->corners * other + k));
        for (u32 i = 0; i < t->corners; i++)
            shared |= mask16_bits(u32x16_equal(c, m->corner[i][e]));
    }
    return hits & ~shared;
}

/* leaves that a single lane is tested with at a time: if it is the only one that moved, nothing may
 * be in the caches */
#define LONE_LEAVES 32

/* All pairs that a single lane that moved has to find. */
FN void lone_find(const scene *s, const rtree *t, team *m, u32 leaf, u32 e, rtree_span span,
                  GLOBAL const u8 *mark, finds *out)
{
    u32 position = RTREE_WIDTH * leaf + e, other[LONE_LEAVES], more = 1;
    leaf_walk w;
    for (u32 k = 0; k < 3; k++) {
        m->low[k] = m->lo[k][e];
        m->high[k] = m->hi[k][e];
    }
    walk_begin(t, m, span, &w);
    while (more) {
        u32 count = 0;
        while (more && count < LONE_LEAVES) {
            more = walk_leaf(t, m, span, &w, &other[count]);
            if (more)
                moved_fetch(t, other[count++]);
        }
        for (u32 i = 0; i < count; i++)
            for (u32 hits = lone_hits(s, t, m, leaf, e, other[i]); hits; hits &= hits - 1) {
                u32 j = RTREE_WIDTH * other[i] + bit_lowest(hits);
                if (!mark[j] || j > position)
                    finds_hit(s, t->id, out, position, j);
            }
    }
}

/* All pairs that the lanes of a leaf that moved have to find. */
FN void moved_find(const scene *s, const rtree *t, u32 leaf, rtree_span span, GLOBAL const u8 *mark,
                   finds *out)
{
    team m;
    leaf_walk w;
    near_positions near;
    i32 end = 0;
    leaf_load(s, t, 0, leaf, &m);
    u32 lanes = moved_lanes(mark + (size_t)RTREE_WIDTH * leaf, &m);
    if (bit_count(lanes) == 1) {
        lone_find(s, t, &m, leaf, bit_lowest(lanes), span, mark, out);
        return;
    }
    walk_begin(t, &m, span, &w);
    while (!end) {
        end = walk_on(s, t, &m, leaf, span, &w, &near);
        moved_test(s, t, &m, leaf, lanes, mark, &near, out);
    }
}

/* count[i]: pairs found by leaf which[i] */
KERNEL void rtree_dirty_count(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *which,
                              GLOBAL const u8 *mark, SCENE_ARGS, RTREE_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    finds x = finds_make(&s, 0, 0, sink_none());
    if (ITEM + 1 < n)
        moved_fetch(&t, which[query0 + ITEM + 1]);
    moved_find(&s, &t, which[query0 + ITEM], rtree_whole(leaf0, parts), mark, &x);
    count[query0 + ITEM] = x.found;
}

/* Pairs of the leaves which[strip_first[i]] .. which[strip_last[i]], as rtree_strips writes them.
 */
KERNEL void rtree_dirty_strips(ITEM_ARG u32 n, u32 strip0, GLOBAL const u32 *which,
                               GLOBAL const u8 *mark, SCENE_ARGS, RTREE_ARGS,
                               GLOBAL const u32 *strip_first, GLOBAL const u32 *strip_last,
                               u32 capacity, GLOBAL const u64 *offset, GLOBAL u32 *count,
                               GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const rtree t = RTREE;
    u32 strip = strip0 + ITEM;
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], 0,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    for (u32 i = strip_first[strip]; i < strip_last[strip]; i++) {
        if (i + 1 < strip_last[strip])
            moved_fetch(&t, which[i + 1]);
        moved_find(&s, &t, which[i], rtree_whole(leaf0, parts), mark, &x);
    }
    count[ITEM] = x.found;
}
