/* The search of rtree_moved.cl on GPUs: sixteen items for each leaf that moved, one a slot. They
 * walk through the tree together: each compares one child of a node. Comes after rtree_moved.cl. */
#include "finds.h"
#include "rtree.h"

#ifdef IMP_GROUP_FORMS

#define MOVED_TEAMS (SEARCH_GROUP / RTREE_WIDTH) /* leaves of a work-group */
#define MOVED_GOES_ON (1u << RTREE_WIDTH)        /* beside the bits of children */

/* A walk through the tree: the node that is next, of a level, and for each level above the children
 * that remain, sixteen bits each. */
typedef struct moved_walk {
    u32 level, node, on;
    u64 rest[2];
} moved_walk;

/* What the items of a leaf share: the box of its slots that moved; in turn, which children of a
 * node overlap it, as sums of different powers of two; and where they have come to. */
typedef struct moved_team {
    f32 bound[6];
    u32 meets[3];
    moved_walk walk;
} moved_team;

FN u32 walk_rest(const moved_walk *w)
{
    u32 at = w->level - 1;
    return (u32)(w->rest[at >= 4] >> 16 * (at % 4)) & 0xffff;
}

/* Of the current level. */
FN void walk_set(moved_walk *w, u32 rest)
{
    u32 at = w->level - 1;
    u64 *to = &w->rest[at >= 4];
    *to = (*to & ~((u64)0xffff << 16 * (at % 4))) | (u64)rest << 16 * (at % 4);
}

/* To the next node that has to be looked into. */
FN void walk_next(moved_walk *w, u32 levels)
{
    u32 rest = walk_rest(w);
    while (!rest && w->level < levels) {
        w->level++;
        w->node /= RTREE_WIDTH;
        rest = walk_rest(w);
    }
    w->on = rest != 0;
    if (!rest)
        return;
    walk_set(w, rest & (rest - 1));
    w->level--;
    w->node = RTREE_WIDTH * w->node + bit_lowest(rest);
}

/* Item k of a leaf makes bound k of its team. */
FN_LOCAL void moved_team_open(const rtree *t, GLOBAL const u8 *mark, u32 leaf,
                              __local moved_team *m)
{
    u32 k = (u32)get_local_id(0) % RTREE_WIDTH;
    if (k < 3)
        m->meets[k] = 0;
    if (k >= 6)
        return;
    f32 bound = box_none(k);
    for (u32 e = 0; e < RTREE_WIDTH; e++)
        if (mark[RTREE_WIDTH * leaf + e] == 1)
            bound = rtree_wider(k, bound, rtree_node(t, 0, leaf)[RTREE_WIDTH * k + e]);
    m->bound[k] = bound;
}

/* Does child e of a node overlap the team? */
FN u32 moved_meets(const rtree *t, u32 level, u32 g, u32 e, __local const moved_team *m)
{
    GLOBAL const f32 *b = rtree_node(t, level, g) + e;
    u32 meets = 1;
    for (u32 k = 0; k < 3; k++)
        meets &=
            (b[RTREE_WIDTH * k] <= m->bound[k + 3]) & (b[RTREE_WIDTH * (k + 3)] >= m->bound[k]);
    return meets;
}

FN void moved_query(const rtree *t, u32 slot, rtree_query *q)
{
    GLOBAL const f32 *b = rtree_node(t, 0, slot / RTREE_WIDTH) + slot % RTREE_WIDTH;
    q->slot = slot;
    for (u32 k = 0; k < 3; k++) {
        q->lo[k] = b[RTREE_WIDTH * k];
        q->hi[k] = b[RTREE_WIDTH * (k + 3)];
    }
    rtree_query_corners(t, q, slot);
}

/* Pairs of an item's slot with those of the leaves among a node's children. */
FN_LOCAL void moved_leaves(const scene *s, const rtree *t, const rtree_query *q, u32 g, u32 meets,
                           GLOBAL const u8 *mark, search *x)
{
    finds out = finds_search(s, x);
    ROLLED
    for (; meets; meets &= meets - 1) {
        u32 e = bit_lowest(meets);
        if (rtree_meets(q, rtree_node(t, 1, g) + e))
            rtree_leaf(s, t, q, RTREE_WIDTH * g + e, mark, &out);
    }
}

/* Item i is slot i of n. The teams of a group take their steps together: each looks into a node,
 * until all have ended. What a step shares has three places in turn: one that is written, one that
 * may still be read, and one that is cleared. */
KERNEL __attribute__((reqd_work_group_size(SEARCH_GROUP, 1, 1))) void
rtree_moved_group(u32 n, GLOBAL const u8 *mark, GLOBAL const u8 *leaf_mark, SCENE_ARGS, RTREE_ARGS,
                  SEARCH_ARGS)
{
    __local search_shared shared;
    __local moved_team teams[MOVED_TEAMS];
    __local u32 kept[SEARCH_GROUP]; /* between steps: registers are few */
    const scene s = SCENE;
    const rtree t = RTREE;
    const search_list to = SEARCH_LIST;
    const rtree_span span = rtree_whole(leaf0, parts);
    u32 l = (u32)get_local_id(0), slot = u32_min(ITEM, n - 1), e = l % RTREE_WIDTH, turn = 0;
    u32 moves = ITEM < n && mark[slot] == 1;
    __local moved_team *m = &teams[l / RTREE_WIDTH];
    const moved_walk begin = {levels, 0, ITEM < n && leaf_mark[slot / RTREE_WIDTH], {0, 0}};
    rtree_query q;
    search x;
    search_begin(&x, &to, &shared, 1, 0, moves ? id[slot] : 0);
    kept[l] = 0;
    moved_query(&t, slot, &q);
    moved_team_open(&t, mark, slot / RTREE_WIDTH, m);
    if (e == 0)
        m->walk = begin;
    for (;;) {
        barrier(CLK_LOCAL_MEM_FENCE);
        moved_walk w = m->walk;
        u32 say = w.on && e == 0 ? MOVED_GOES_ON : 0, any = 0;
        if (w.on && moved_meets(&t, w.level, w.node, e, m))
            say |= 1u << e;
        if (say)
            atomic_add(&m->meets[turn], say);
        if (e == 0)
            m->meets[turn == 2 ? 0 : turn + 1] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (u32 k = 0; k < MOVED_TEAMS; k++)
            any |= teams[k].meets[turn];
        if (!(any & MOVED_GOES_ON))
            break;
        u32 meets = m->meets[turn] & rtree_within(span, w.level, w.node);
        turn = turn == 2 ? 0 : turn + 1;
        if (w.on && w.level == 1 && moves) {
            x.kept = kept[l];
            moved_leaves(&s, &t, &q, w.node, meets, mark, &x);
            kept[l] = x.kept;
        }
        if (w.on && e == 0) {
            walk_set(&w, w.level == 1 ? 0 : meets);
            walk_next(&w, levels);
            m->walk = w;
        }
    }
    x.kept = kept[l];
    search_end(&x);
}

#endif
