/* The search for pairs with a primitive that moved, in the chains of the cached hash
 * (hash_moved.cl): a chain with one that moved is read once, sixteen entries a team (lanes.h), by
 * the first of its entries that moved. Included after hash_moved.cl and hash_team.cl. */
#include "cell.h"
#include "finds.h"
#include "hash.h"
#include "prim.h"

/* A table in which primitives that moved search. */
typedef struct chained_table {
    GLOBAL const u32 *first, *room, *key, *value;
    u32 prim_bits, bucket_bits, buckets, levels;
    GLOBAL const u8 *level;
    GLOBAL const u8 *moved;
    f32 inv;
} chained_table;

FN u32 chained_stamp(const chained_table *t, u32 e)
{
    return entry_stamp(t->key[e], t->value[e], t->prim_bits, t->bucket_bits);
}

/* Some entries of a chain, without visitors, and the lanes of each team that moved. */
typedef struct chained_part {
    hash_team team[CHAIN_TEAMS];
    u32 moved[CHAIN_TEAMS], count;
} chained_part;

/* Loads the entries of a chain from slot *at on, as many as fit; *at becomes the next slot. */
FN void part_load(const scene *s, const chained_table *t, const hash_chains *h, u32 *at, u32 end,
                  chained_part *p)
{
    p->count = 0;
    for (u32 k = 0; k < CHAIN_TEAMS; k++)
        p->moved[k] = 0;
    for (; *at < end && p->count < CHAIN_MOST; ++*at) {
        if (t->value[*at] == ENTRY_NONE || entry_visit(h, *at))
            continue;
        u32 k = p->count++;
        team_enter(s, h, *at, k % LANES, &p->team[k / LANES]);
        p->moved[k / LANES] |= (u32)t->moved[p->team[k / LANES].of.id[k % LANES]] << k % LANES;
    }
}

/* Pairs of primitive i, whose entry has this mark, with the part's first `count` entries, where at
 * least one of the two moved. */
FN void part_pairs(const scene *s, const chained_table *t, const hash_chains *h,
                   const chained_part *p, u32 i, u32 mark, u32 count, finds *out)
{
    u32 moved = t->moved[i] ? 0xffffffffu : 0;
    for (u32 first = 0; first < count; first += LANES) {
        u32 lanes = lanes_below(u32_min(count - first, LANES));
        lanes &= p->moved[first / LANES] | moved;
        if (lanes)
            team_pairs(s, h, &p->team[first / LANES], i, mark, lanes, out);
    }
}

/* Pairs of a chain: of two entries on their own level, and of such an entry with a visitor. */
FN void chained_pairs(const scene *s, const chained_table *t, const hash_chains *h, u32 b,
                      finds *out)
{
    u32 begin = t->first[b], end = begin + t->room[b], at = begin;
    chained_part p;
    for (u32 k = 0; k < CHAIN_TEAMS; k++)
        team_clear(&p.team[k]);
    while (at < end) {
        part_load(s, t, h, &at, end, &p);
        for (u32 k = 1; k < p.count; k++) {
            const hash_team *own = &p.team[k / LANES];
            part_pairs(s, t, h, &p, own->of.id[k % LANES], own->mark[k % LANES], k, out);
        }
        for (u32 e = begin; e < end && p.count; e++) {
            if (t->value[e] == ENTRY_NONE || (e < at && !entry_visit(h, e)))
                continue;
            u32 i = entry_prim(t->value[e], t->prim_bits);
            part_pairs(s, t, h, &p, i, entry_mark(h, i, e), p.count, out);
        }
    }
}

/* Returns whether the entry of primitive i with that stamp is the first of its chain that moved. */
FN i32 chain_begins(const chained_table *t, u32 b, u32 i, u32 stamp)
{
    u32 e = t->first[b], end = e + t->room[b];
    while (e < end &&
           (t->value[e] == ENTRY_NONE || !t->moved[entry_prim(t->value[e], t->prim_bits)]))
        e++;
    return e < end && entry_prim(t->value[e], t->prim_bits) == i && chained_stamp(t, e) == stamp;
}

/* All pairs of the chains in which primitive i has the first entry that moved. */
FN void chained_find(const scene *s, const chained_table *t, u32 i, finds *out)
{
    GLOBAL const f32 *box = box_at(s->box, i);
    u32 own = t->level[i];
    hash_chains h = chains_of(t->key, t->value, t->prim_bits, t->bucket_bits, 0, 0);
    h.box = s->box;
    h.level = t->level;
    h.inv = t->inv;
    for (u32 l = own; l < CELL_LEVELS && t->levels >> l; l++) {
        if (!(t->levels >> l & 1))
            continue;
        cell3 lo = cell_at(box, t->inv, l), hi = cell_at(box + 3, t->inv, l), c;
        u32 visit = l == own ? 0 : (l + 1) << ENTRY_CELL_BITS;
        for (c = lo; c.z <= hi.z; c = cell_next(c, lo, hi)) {
            u32 b = cell_hash(c, t->buckets);
            if (chain_begins(t, b, i, entry_cell(c) | visit))
                chained_pairs(s, t, &h, b, out);
        }
    }
}

#define CHAINED_ARGS                                                                               \
    GLOBAL const u32 *chain_first, GLOBAL const u32 *chain_room, GLOBAL const u32 *key,            \
        GLOBAL const u32 *value, u32 prim_bits, u32 bucket_bits, u32 buckets, u32 levels,          \
        GLOBAL const u8 *level, GLOBAL const u8 *moved, GLOBAL const f32 *inv
#define CHAINED_TABLE                                                                              \
    {                                                                                              \
        chain_first, chain_room, key, value, prim_bits, bucket_bits, buckets, levels, level,       \
            moved, inv[0]                                                                          \
    }

KERNEL void hash_dirty_count(ITEM_ARG u32 n, u32 query0, GLOBAL const u32 *prim, SCENE_ARGS,
                             CHAINED_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const chained_table t = CHAINED_TABLE;
    finds x = finds_make(&s, 0, 0, sink_none());
    chained_find(&s, &t, prim[query0 + ITEM], &x);
    count[query0 + ITEM] = x.found;
}

/* The same by strips: an item owns strip strip0 + ITEM of the list of primitives that moved.
 * rtree_strips describes the destination of pairs. */
KERNEL void hash_dirty_strips(ITEM_ARG u32 n, u32 strip0, GLOBAL const u32 *prim, SCENE_ARGS,
                              CHAINED_ARGS, GLOBAL const u32 *strip_first,
                              GLOBAL const u32 *strip_last, u32 capacity, GLOBAL const u64 *offset,
                              GLOBAL u32 *count, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const chained_table t = CHAINED_TABLE;
    u32 strip = strip0 + ITEM;
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], 0,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    for (u32 i = strip_first[strip]; i < strip_last[strip]; i++)
        chained_find(&s, &t, prim[i], &x);
    count[ITEM] = x.found;
}
