/* The hash kept from one frame to the next, of one frame: a primitive is written only if the cells
 * that it covers are others ([H] 2.1, isChanging). Tables of what they were made of stay; who was
 * written since is *stale* there, passed over, and found in tables of its own, which are made anew
 * in each frame. Of either there are two: entries on a primitive's own level, and, if there are
 * several, entries on the levels above, where larger ones look for it. To follow hash.cl.
 *
 * Pairs with one that moved are found by it, of two by the lower number. */
#include "cell.h"
#include "prim.h"

#define WHERE_WORDS 4 /* a primitive's cells: the first, and how many and on which level */

FN void where_of(GLOBAL const f32 *box, f32 inv, u32 *where, u32 *level)
{
    cell3 lo, hi;
    *level = HASH_NONE;
    for (u32 k = 0; k < WHERE_WORDS; k++)
        where[k] = 0;
    if (!box_enters(box))
        return;
    *level = cell_level(box, inv);
    lo = cell_at(box, inv, *level);
    hi = cell_at(box + 3, inv, *level);
    where[0] = (u32)lo.x;
    where[1] = (u32)lo.y;
    where[2] = (u32)lo.z;
    where[3] = *level << 16 | (u32)(hi.x - lo.x) << 8 | (u32)(hi.y - lo.y) << 4 |
               (u32)(hi.z - lo.z) | 1u << 31;
}

/* level[i] of all; nobody is stale */
KERNEL void hash_levels(ITEM_ARG u32 n, GLOBAL const f32 *box, GLOBAL const f32 *inv,
                        GLOBAL u8 *level, GLOBAL u8 *stale)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    level[ITEM] = (u8)(box_enters(b) ? cell_level(b, inv[0]) : HASH_NONE);
    stale[ITEM] = 0;
}

/* where[4 k ..]: the cells of primitive prim[k] as they are */
KERNEL void hash_where(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f32 *box,
                       GLOBAL const f32 *inv, GLOBAL u32 *where)
{
    u32 own[WHERE_WORDS], level;
    if (ITEM >= n)
        return;
    where_of(box_at(box, prim[ITEM]), inv[0], own, &level);
    for (u32 k = 0; k < WHERE_WORDS; k++)
        where[(size_t)WHERE_WORDS * ITEM + k] = own[k];
}

/* The same afterwards: changed[k] is 1, and the primitive stale, if they are others now; fresh[k]:
 * if it was not stale before. */
KERNEL void hash_changing(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f32 *box,
                          GLOBAL const f32 *inv, GLOBAL const u32 *where, GLOBAL u8 *level,
                          GLOBAL u8 *stale, GLOBAL u32 *changed, GLOBAL u32 *fresh)
{
    u32 own[WHERE_WORDS], now, other = 0;
    if (ITEM >= n)
        return;
    where_of(box_at(box, prim[ITEM]), inv[0], own, &now);
    for (u32 k = 0; k < WHERE_WORDS; k++)
        other |= own[k] ^ where[(size_t)WHERE_WORDS * ITEM + k];
    changed[ITEM] = other != 0;
    fresh[ITEM] = other && !stale[prim[ITEM]];
    if (!other)
        return;
    level[prim[ITEM]] = (u8)now;
    stale[prim[ITEM]] = 1;
}

/* The levels on which primitive i has entries: its own, or those above that there are. */
FN u32 kept_levels(u32 own, u32 above, u32 levels)
{
    if (own >= CELL_LEVELS)
        return 0;
    return above ? levels & ~((2u << own) - 1) : 1u << own;
}

/* count[i]: how many entries primitive i has; of those that are stale, or not */
KERNEL void hash_kept_cover(ITEM_ARG u32 n, GLOBAL const f32 *box, GLOBAL const f32 *inv,
                            GLOBAL const u8 *level, GLOBAL const u8 *stale, u32 wanted, u32 above,
                            u32 levels, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 on = stale[ITEM] == wanted ? kept_levels(level[ITEM], above, levels) : 0, sum = 0;
    for (u32 l = 0; l < CELL_LEVELS && on >> l; l++) {
        if (on >> l & 1)
            sum += cells_covered(box_at(box, ITEM), inv[0], l);
    }
    count[ITEM] = sum;
}

/* those entries, from offset[i] on, into a table of so many buckets */
KERNEL void hash_kept_enter(ITEM_ARG u32 n, GLOBAL const f32 *box, GLOBAL const f32 *inv,
                            GLOBAL const u8 *level, GLOBAL const u8 *stale, u32 wanted, u32 above,
                            u32 levels, GLOBAL const u64 *offset, u32 buckets, GLOBAL u32 *key,
                            GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 on = stale[ITEM] == wanted ? kept_levels(level[ITEM], above, levels) : 0;
    u64 e = offset[ITEM];
    for (u32 l = 0; l < CELL_LEVELS && on >> l; l++) {
        if (!(on >> l & 1))
            continue;
        cell3 lo = cell_at(box_at(box, ITEM), inv[0], l),
              hi = cell_at(box_at(box, ITEM) + 3, inv[0], l), c;
        for (c = lo; c.z <= hi.z; c = cell_next(c, lo, hi), e++) {
            key[e] = cell_hash(c, buckets);
            value[e] = ITEM;
        }
    }
}

/* A table in which primitives that moved look. */
typedef struct kept_table {
    GLOBAL const u64 *start;
    GLOBAL const u32 *value;
    GLOBAL const u8 *level, *stale, *moved;
    u32 wanted, above, levels, buckets;
    f32 inv;
} kept_table;

/* Is primitive j, which has an entry in the bucket of a cell of level l, one of those that are
 * found there by primitive i? */
FN i32 kept_wanted(const kept_table *t, u32 i, u32 j, u32 l)
{
    u32 own = t->level[j];
    return (t->above ? own < l : own == l) && t->stale[j] == t->wanted && j != i &&
           !(t->moved[j] && j < i);
}

/* Pairs of primitive i in cell c of level l: see hash_visit. */
FN u32 kept_visit(const scene *s, const kept_table *t, u32 i, u32 l, cell3 lo, cell3 c, u32 found,
                  pair_sink out)
{
    u32 b = cell_hash(c, t->buckets);
    u64 begin = t->start[b];
    for (u64 e = t->start[b + 1]; e > begin; e--) {
        u32 j = t->value[e - 1];
        if ((e - 1 > begin && t->value[e - 2] == j) || !kept_wanted(t, i, j, l))
            continue;
        if (!scene_candidate(s, i, j))
            continue;
        if (!cell_same(c, cell_max(lo, cell_at(box_at(s->box, j), t->inv, l))))
            continue;
        sink_put(&out, found++, i, j);
    }
    return found;
}

FN u32 kept_query(const scene *s, const kept_table *t, u32 i, pair_sink out)
{
    GLOBAL const f32 *box = box_at(s->box, i);
    u32 own = t->level[i], found = 0;
    u32 on = own >= CELL_LEVELS ? 0 : t->above ? 1u << own : t->levels & ~((1u << own) - 1);
    for (u32 l = own; l < CELL_LEVELS && on >> l; l++) {
        if (!(on >> l & 1))
            continue;
        cell3 lo = cell_at(box, t->inv, l), hi = cell_at(box + 3, t->inv, l), c;
        for (c = lo; c.z <= hi.z; c = cell_next(c, lo, hi))
            found = kept_visit(s, t, i, l, lo, c, found, out);
    }
    return found;
}

#define KEPT_ARGS                                                                                  \
    GLOBAL const u64 *start, GLOBAL const u32 *value, GLOBAL const u8 *level,                      \
        GLOBAL const u8 *stale, GLOBAL const u8 *moved, u32 wanted, u32 above, u32 levels,         \
        u32 buckets, GLOBAL const f32 *inv
#define KEPT                                                                                       \
    {                                                                                              \
        start, value, level, stale, moved, wanted, above, levels, buckets, inv[0]                  \
    }

KERNEL void hash_kept_count(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *prim, SCENE_ARGS,
                            KEPT_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const kept_table t = KEPT;
    count[query0 + ITEM] = kept_query(&s, &t, prim[query0 + ITEM], sink_none());
}

KERNEL void hash_kept_emit(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *prim, SCENE_ARGS,
                           KEPT_ARGS, GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a,
                           GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const kept_table t = KEPT;
    kept_query(&s, &t, prim[query0 + ITEM], sink_at(a, b, offset[query0 + ITEM] - base));
}
