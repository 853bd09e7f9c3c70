/* The hash cached from one frame to the next, for a single frame: a primitive is written only if it
 * covers other cells ([H] 2.1, isChanging), and then only its entries of cells that it left or
 * entered. Included after hash.cl.
 *
 * The entries sorted when the table is built become a pool of slots. A bucket has a *chain*: `room`
 * consecutive slots from `first` on, of which `live` have an entry, in no order. A removed entry
 * leaves its slot empty (ENTRY_NONE), a new one takes an empty slot. If none is free the chain
 * moves to the end of the pool, with spare slots. One item makes all changes of a bucket, in an
 * order that depends on nothing else: changes are sorted by bucket first.
 *
 * A small primitive is also entered as a visitor on the levels above its own, so that a large one
 * that moved finds it without a search of thousands of small cells. */
#include "cell.h"
#include "hash.h"
#include "prim.h"

#define WHERE_WORDS 4u          /* words of a primitive's cells: where_of */
#define CHANGE_COMES (1u << 31) /* bit of a change's stamp: entry added, else removed */
#define CHANGES_MANY (1u << 31) /* count of a primitive that enters a new level: rebuild all */

/* first[b], room[b], live[b] of the chains as they were sorted */
KERNEL void hash_chains_take(ITEM_ARG u32 n, GLOBAL const u64 *start, GLOBAL u32 *first,
                             GLOBAL u32 *room, GLOBAL u32 *live)
{
    if (ITEM >= n)
        return;
    first[ITEM] = (u32)start[ITEM];
    room[ITEM] = live[ITEM] = (u32)(start[ITEM + 1] - start[ITEM]);
}

/* ---- cells of primitives */

/* The cells of a level that a primitive covers, and its stamp there. */
typedef struct cell_range {
    cell3 lo, hi;
    u32 visit; /* as in a stamp; RANGE_NONE: no cells */
} cell_range;

#define RANGE_NONE 0xffffffffu

/* where[]: the first cell on the box's level; the number of further cells along each axis, and the
 * level. All 0: no cells. */
FN void where_of(GLOBAL const f32 *box, f32 inv, u32 *where)
{
    for (u32 k = 0; k < WHERE_WORDS; k++)
        where[k] = 0;
    if (!box_enters(box))
        return;
    u32 level = cell_level(box, inv);
    cell3 lo = cell_at(box, inv, level), hi = cell_at(box + 3, inv, level);
    where[0] = (u32)lo.x;
    where[1] = (u32)lo.y;
    where[2] = (u32)lo.z;
    where[3] = level << 16 | (u32)(hi.x - lo.x) << 8 | (u32)(hi.y - lo.y) << 4 |
               (u32)(hi.z - lo.z) | 1u << 31;
}

FN u32 where_level(const u32 *where)
{
    return where[3] ? where[3] >> 16 & 255 : HASH_NONE;
}

/* Cells nest: those of a higher level follow from those of the primitive's own. */
FN cell_range where_range(const u32 *where, u32 level)
{
    const cell3 none = {0, 0, 0};
    cell_range r = {none, none, RANGE_NONE};
    u32 own = where_level(where), up = level - own;
    if (own > level)
        return r;
    i32 x = (i32)where[0], y = (i32)where[1], z = (i32)where[2];
    r.visit = own == level ? 0 : (level + 1) << ENTRY_CELL_BITS;
    r.lo.x = cell_up(x, up);
    r.lo.y = cell_up(y, up);
    r.lo.z = cell_up(z, up);
    r.hi.x = cell_up(x + (i32)(where[3] >> 8 & 15), up);
    r.hi.y = cell_up(y + (i32)(where[3] >> 4 & 15), up);
    r.hi.z = cell_up(z + (i32)(where[3] & 15), up);
    return r;
}

FN i32 range_has(const cell_range *r, cell3 c)
{
    return c.x >= r->lo.x && c.x <= r->hi.x && c.y >= r->lo.y && c.y <= r->hi.y && c.z >= r->lo.z &&
           c.z <= r->hi.z;
}

/* where[4 k ..]: the current cells of primitive prim[k] */
KERNEL void hash_where(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f32 *box,
                       GLOBAL const f32 *inv, GLOBAL u32 *where)
{
    u32 own[WHERE_WORDS];
    if (ITEM >= n)
        return;
    where_of(box_at(box, prim[ITEM]), inv[0], own);
    for (u32 k = 0; k < WHERE_WORDS; k++)
        where[(size_t)WHERE_WORDS * ITEM + k] = own[k];
}

/* ---- changes */

/* Destination of changes: key[e] is the bucket, order[e] is e, prim[e] and stamp[e] the entry. */
typedef struct change_list {
    GLOBAL u32 *key, *order, *prim, *stamp; /* key = NULL: count only */
    u32 buckets;
} change_list;

/* The cells of `a` that are not cells of `b` with an entry of the same kind, from change e on. */
FN u64 changes_between(const change_list *t, u32 i, const cell_range *a, const cell_range *b,
                       u32 comes, u64 e)
{
    cell3 c;
    if (a->visit == RANGE_NONE)
        return e;
    for (c = a->lo; c.z <= a->hi.z; c = cell_next(c, a->lo, a->hi)) {
        if (a->visit == b->visit && range_has(b, c))
            continue;
        if (t->key) {
            t->key[e] = cell_hash(c, t->buckets);
            t->order[e] = (u32)e;
            t->prim[e] = i;
            t->stamp[e] = entry_cell(c) | a->visit | comes;
        }
        e++;
    }
    return e;
}

FN u64 changes_of(const change_list *t, u32 i, const u32 *before, const u32 *now, u32 levels, u64 e)
{
    for (u32 l = 0; l < CELL_LEVELS && levels >> l; l++) {
        if (!(levels >> l & 1))
            continue;
        const cell_range was = where_range(before, l), is = where_range(now, l);
        e = changes_between(t, i, &was, &is, 0, e);
        e = changes_between(t, i, &is, &was, CHANGE_COMES, e);
    }
    return e;
}

FN i32 where_load(GLOBAL const u32 *where, u32 k, u32 *before, const u32 *now)
{
    u32 other = 0;
    for (u32 w = 0; w < WHERE_WORDS; w++) {
        before[w] = where[(size_t)WHERE_WORDS * k + w];
        other |= before[w] ^ now[w];
    }
    return other != 0;
}

/* count[k]: number of entries of primitive prim[k] to remove or add; its cells were where[]. */
KERNEL void hash_changes(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f32 *box,
                         GLOBAL const f32 *inv, GLOBAL const u32 *where, u32 levels,
                         GLOBAL u32 *count)
{
    u32 before[WHERE_WORDS], now[WHERE_WORDS];
    if (ITEM >= n)
        return;
    const change_list none = {0, 0, 0, 0, 1};
    where_of(box_at(box, prim[ITEM]), inv[0], now);
    count[ITEM] = 0;
    if (!where_load(where, ITEM, before, now))
        return;
    u32 level = where_level(now);
    count[ITEM] = level < CELL_LEVELS && !(levels >> level & 1)
                      ? CHANGES_MANY
                      : (u32)changes_of(&none, prim[ITEM], before, now, levels, 0);
}

/* Writes those changes, from offset[k] on, and level[] of the primitives. */
KERNEL void hash_changes_list(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f32 *box,
                              GLOBAL const f32 *inv, GLOBAL const u32 *where, u32 levels,
                              u32 buckets, GLOBAL const u64 *offset, GLOBAL u8 *level,
                              GLOBAL u32 *key, GLOBAL u32 *order, GLOBAL u32 *out_prim,
                              GLOBAL u32 *out_stamp)
{
    u32 before[WHERE_WORDS], now[WHERE_WORDS];
    if (ITEM >= n || offset[ITEM] == offset[ITEM + 1])
        return;
    const change_list t = {key, order, out_prim, out_stamp, buckets};
    where_of(box_at(box, prim[ITEM]), inv[0], now);
    where_load(where, ITEM, before, now);
    level[prim[ITEM]] = (u8)where_level(now);
    changes_of(&t, prim[ITEM], before, now, levels, offset[ITEM]);
}

/* ---- chains */

/* The changes of a bucket: adjacent after sorting, in ascending order of primitives. */
typedef struct chain_changes {
    GLOBAL const u32 *order, *prim, *stamp;
    u32 begin, end;
} chain_changes;

FN u32 changes_end(GLOBAL const u32 *key, u32 begin, u32 changes)
{
    u32 end = begin + 1;
    while (end < changes && key[end] == key[begin])
        end++;
    return end;
}

/* Returns whether an entry is to be removed. */
FN i32 entry_goes(const chain_changes *t, u32 prim, u32 stamp)
{
    u32 low = t->begin, high = t->end;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (t->prim[t->order[middle]] < prim)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < t->end && t->prim[t->order[low]] == prim; low++)
        if (t->stamp[t->order[low]] == stamp)
            return 1;
    return 0;
}

/* The next entry to add, from change `at` on; t->end if none. */
FN u32 next_coming(const chain_changes *t, u32 at)
{
    while (at < t->end && !(t->stamp[t->order[at]] & CHANGE_COMES))
        at++;
    return at;
}

/* need[i]: number of slots elsewhere that the bucket's chain needs, at the bucket's first change i;
 * 0 at its other changes, and where the chain has room. */
KERNEL void hash_chains_need(ITEM_ARG u32 n, GLOBAL const u32 *key, GLOBAL const u32 *order,
                             GLOBAL const u32 *stamp, GLOBAL const u32 *room,
                             GLOBAL const u32 *live, GLOBAL u32 *need)
{
    if (ITEM >= n)
        return;
    need[ITEM] = 0;
    if (ITEM && key[ITEM - 1] == key[ITEM])
        return;
    u32 end = changes_end(key, ITEM, n), b = key[ITEM], count = live[b];
    for (u32 i = ITEM; i < end; i++)
        count += stamp[order[i]] & CHANGE_COMES ? 1u : 0xffffffffu;
    if (count > room[b])
        need[ITEM] = count + count / 2 + 2;
}

/* A pool of slots. */
typedef struct slot_pool {
    GLOBAL u32 *key, *value;
    u32 prim_bits, bucket_bits;
} slot_pool;

FN void slot_put(const slot_pool *p, u32 slot, u32 bucket, u32 prim, u32 stamp)
{
    u64 word = entry_word(prim, stamp & ~CHANGE_COMES, p->prim_bits);
    p->key[slot] = entry_key(bucket, word, p->bucket_bits);
    p->value[slot] = (u32)word;
}

/* Applies the changes to the chain of bucket b, which has `room` slots from `from` on and is to be
 * at `to`. Returns the number of slots written. */
FN u32 chain_change(const slot_pool *p, const chain_changes *t, u32 b, u32 from, u32 room, u32 to,
                    u32 to_room, u32 *live)
{
    u32 coming = next_coming(t, t->begin), written = 0, entries = 0;
    for (u32 k = 0; k < to_room; k++) {
        u32 key = k < room ? p->key[from + k] : 0,
            value = k < room ? p->value[from + k] : ENTRY_NONE;
        u32 prim = entry_prim(value, p->prim_bits), was = value != ENTRY_NONE;
        u32 stays =
            was && !entry_goes(t, prim, entry_stamp(key, value, p->prim_bits, p->bucket_bits));
        entries += stays;
        if (stays && from == to)
            continue;
        if (stays) {
            p->key[to + k] = key;
            p->value[to + k] = value;
        } else if (coming < t->end) {
            slot_put(p, to + k, b, t->prim[t->order[coming]], t->stamp[t->order[coming]]);
            coming = next_coming(t, coming + 1);
            entries++;
        } else if (was || from != to)
            p->value[to + k] = ENTRY_NONE;
        else
            continue;
        written++;
    }
    *live = entries;
    return written;
}

/* Applies all changes of a bucket, in the item of its first change i. top: end of the pool, behind
 * which chains go that need[] slots. written[i]: number of slots written. */
KERNEL void hash_chains_change(ITEM_ARG u32 n, GLOBAL const u32 *change_key,
                               GLOBAL const u32 *order, GLOBAL const u32 *prim,
                               GLOBAL const u32 *stamp, GLOBAL const u32 *need,
                               GLOBAL const u64 *offset, u32 top, u32 prim_bits, u32 bucket_bits,
                               GLOBAL u32 *key, GLOBAL u32 *value, GLOBAL u32 *first,
                               GLOBAL u32 *room, GLOBAL u32 *live, GLOBAL u32 *written)
{
    if (ITEM >= n)
        return;
    written[ITEM] = 0;
    if (ITEM && change_key[ITEM - 1] == change_key[ITEM])
        return;
    u32 b = change_key[ITEM], entries;
    const slot_pool p = {key, value, prim_bits, bucket_bits};
    const chain_changes t = {order, prim, stamp, ITEM, changes_end(change_key, ITEM, n)};
    u32 to = need[ITEM] ? top + (u32)offset[ITEM] : first[b];
    u32 to_room = need[ITEM] ? need[ITEM] : room[b];
    written[ITEM] = chain_change(&p, &t, b, first[b], room[b], to, to_room, &entries);
    first[b] = to;
    room[b] = to_room;
    live[b] = entries;
}
