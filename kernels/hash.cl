/* The prime-coefficient spatial hash (README.md) as count, sort and look-up.
 *
 * A primitive is entered into every cell of its level that its box covers (cell.h). The entries
 * (hash.h) are sorted by bucket with a stable sort, so a bucket is a range of entries in ascending
 * primitive order, its chain, and one primitive's entries in a bucket are adjacent. start[b] is the
 * first entry of bucket b. Frame f owns buckets bucket0[f] .. bucket0[f + 1].
 *
 * A pair is found only in the cell that holds the lower corner of the boxes' intersection. A pair
 * of two levels is found by the primitive of the lower level, which looks into the other's cells; a
 * pair of one level likewise, by the lower number, or by its entries (hash_search.cl). On CPUs
 * chains find their pairs (hash_team.cl), and pairs of two levels, too, if primitives are also
 * entered as visitors on those levels above their own that their frame has: visitors' entries
 * follow all others and so are the last of a chain. */
#include "cell.h"
#include "finds.h"
#include "hash.h"
#include "prim.h"

#define HASH_NONE 255 /* level of a primitive that covers no cell; in no set of reduce_sets */

/* ---- entries: hash.h */

FN u32 entry_cell(cell3 c)
{
    return ((u32)c.x & 3) | ((u32)c.y & 3) << 2 | ((u32)c.z & 3) << 4;
}

/* The value, with the stamp bits that do not fit its 32 bits above it. */
FN u64 entry_word(u32 prim, u32 stamp, u32 prim_bits)
{
    return prim_bits < 32 ? (u64)stamp << prim_bits | prim : prim;
}

FN u32 entry_stamp(u32 key, u32 value, u32 prim_bits, u32 bucket_bits)
{
    return (u32)(((u64)key >> bucket_bits << 32 | value) >> prim_bits);
}

FN u32 entry_key(u32 bucket, u64 word, u32 bucket_bits)
{
    return (u32)(bucket | word >> 32 << bucket_bits);
}

FN u32 entry_bucket(u32 key, u32 bucket_bits)
{
    return (u32)(key & (((u64)1 << bucket_bits) - 1));
}

FN u32 entry_prim(u32 value, u32 prim_bits)
{
    return (u32)(value & (((u64)1 << prim_bits) - 1));
}

/* ---- the table */

/* The number of cells that a box covers on a level. */
FN u32 cells_covered(GLOBAL const f32 *b, f32 inv, u32 level)
{
    cell3 lo = cell_at(b, inv, level), hi = cell_at(b + 3, inv, level);
    return (u32)((hi.x - lo.x + 1) * (hi.y - lo.y + 1) * (hi.z - lo.z + 1));
}

/* count[i]: number of cells that primitive i covers; level[i]: its level. Empty bounds (bound.cl)
 * cover none. */
KERNEL void hash_cover(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const f32 *inv, GLOBAL u32 *count, GLOBAL u8 *level)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    f32 v = inv[frame_of(prim0, frames, ITEM)];
    if (!box_enters(b)) {
        count[ITEM] = 0;
        level[ITEM] = HASH_NONE;
        return;
    }
    u32 l = cell_level(b, v);
    count[ITEM] = cells_covered(b, v, l);
    level[ITEM] = (u8)l;
}

#ifndef IMP_DEVICE

/* count[i]: number of cells that primitive i covers on those levels above its own that its frame
 * has */
KERNEL void hash_visits(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                        GLOBAL const f32 *inv, GLOBAL const u8 *level, GLOBAL const u32 *levels,
                        GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, ITEM), sum = 0;
    for (u32 l = level[ITEM] + 1; l < CELL_LEVELS; l++)
        if (levels[f] >> l & 1)
            sum += cells_covered(box_at(box, ITEM), inv[f], l);
    count[ITEM] = sum;
}

#endif

/* Destination and layout of entries. */
typedef struct entry_list {
    GLOBAL u32 *key, *value;
    u32 prim_bits, bucket_bits, bucket0, length;
} entry_list;

/* Enters primitive i into its cells on a level, from entry e on. Returns the next entry. */
FN u64 enter_cells(const entry_list *t, GLOBAL const f32 *b, f32 inv, u32 i, u32 level, u32 visit,
                   u64 e)
{
    cell3 lo = cell_at(b, inv, level), hi = cell_at(b + 3, inv, level), c;
    const cell_steps step = cell_hash_steps(t->length);
    u32 layer = cell_hash(lo, t->length), above = visit << ENTRY_CELL_BITS;
    for (c.z = lo.z; c.z <= hi.z; c.z++) {
        u32 row = layer;
        for (c.y = lo.y; c.y <= hi.y; c.y++) {
            u32 h = row;
            for (c.x = lo.x; c.x <= hi.x; c.x++, e++) {
                u64 word = entry_word(i, entry_cell(c) | above, t->prim_bits);
                t->key[e] = entry_key(t->bucket0 + h, word, t->bucket_bits);
                t->value[e] = (u32)word;
                h = cell_hash_add(h, step.x, t->length);
            }
            row = cell_hash_add(row, step.y, t->length);
        }
        layer = cell_hash_add(layer, step.z, t->length);
    }
    return e;
}

/* Writes the entries of primitive i, from entry0 + offset[i] on: on its own level or, if `above` is
 * 1, as a visitor on those above it. */
KERNEL void hash_enter(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const f32 *inv, GLOBAL const u8 *level, GLOBAL const u32 *levels,
                       GLOBAL const u32 *bucket0, u32 above, u64 entry0, GLOBAL const u64 *offset,
                       u32 prim_bits, u32 bucket_bits, GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, ITEM), own = level[ITEM];
    u32 end = above ? CELL_LEVELS : u32_min(own + 1, CELL_LEVELS);
    u64 e = entry0 + offset[ITEM];
    entry_list t;
    t.key = key;
    t.value = value;
    t.prim_bits = prim_bits;
    t.bucket_bits = bucket_bits;
    t.bucket0 = bucket0[f];
    t.length = bucket0[f + 1] - bucket0[f];
    for (u32 l = own + above; l < end; l++)
        if (levels[f] >> l & 1)
            e = enter_cells(&t, box_at(box, ITEM), inv[f], ITEM, l, above ? l + 1 : 0, e);
}

/* start[] from the sorted buckets: item e, the first entry of its bucket, writes its own bucket
 * and the empty ones before it; item `entries`, one past the last, writes the rest. */
KERNEL void hash_starts(ITEM_ARG u32 n, u64 entries, u64 item0, u32 buckets, u32 bucket_bits,
                        GLOBAL const u32 *key, GLOBAL u64 *start)
{
    if (ITEM >= n)
        return;
    u64 e = item0 + ITEM;
    u32 from = e > 0 ? entry_bucket(key[e - 1], bucket_bits) + 1 : 0;
    u32 to = e < entries ? entry_bucket(key[e], bucket_bits) + 1 : buckets + 1;
    for (u32 b = from; b < to; b++)
        start[b] = e;
}

/* ---- look-ups */

typedef struct table {
    GLOBAL const u64 *start;
    GLOBAL const u32 *value;
    GLOBAL const u8 *level;
    u32 bucket0, length, prim_mask;
    f32 inv;
} table;

/* Pairs of primitive i in cell c of level l: with the entries of that level for which this cell
 * contains the lower corner of the intersection. Other cells may share the bucket; the tests of
 * level, owner cell and overlap reject their entries. A primitive entered twice in this bucket
 * counts once. */
FN void hash_visit(const scene *s, const table *t, u32 i, u32 l, cell3 lo, cell3 c, finds *out)
{
    u32 b = t->bucket0 + cell_hash(c, t->length), same = t->level[i] == l;
    u64 begin = t->start[b];
    for (u64 e = t->start[b + 1]; e > begin; e--) {
        u32 j = t->value[e - 1] & t->prim_mask;
        if (same && j <= i)
            break;
        if ((e - 1 > begin && (t->value[e - 2] & t->prim_mask) == j) || t->level[j] != l)
            continue;
        if (!scene_candidate(s, i, j))
            continue;
        if (!cell_same(c, cell_max(lo, cell_at(box_at(s->box, j), t->inv, l))))
            continue;
        finds_put(out, i, j);
    }
}

/* The pairs that primitive i finds in the levels of its frame, from its own level or the next one
 * on. */
FN void hash_query(const scene *s, const table *t, u32 i, u32 above, u32 levels, finds *out)
{
    GLOBAL const f32 *box = box_at(s->box, i);
    for (u32 l = t->level[i] + above; l < CELL_LEVELS; l++) {
        if (!(levels >> l & 1))
            continue;
        cell3 lo = cell_at(box, t->inv, l), hi = cell_at(box + 3, t->inv, l), c;
        for (c = lo; c.z <= hi.z; c = cell_next(c, lo, hi))
            hash_visit(s, t, i, l, lo, c, out);
    }
}

FN table hash_table(GLOBAL const u64 *start, GLOBAL const u32 *value, u32 prim_mask,
                    GLOBAL const u8 *level, GLOBAL const u32 *bucket0, GLOBAL const f32 *inv, u32 f)
{
    table t;
    t.start = start;
    t.value = value;
    t.level = level;
    t.bucket0 = bucket0[f];
    t.length = bucket0[f + 1] - bucket0[f];
    t.prim_mask = prim_mask;
    t.inv = inv[f];
    return t;
}

#define TABLE_ARGS                                                                                 \
    u32 frames, GLOBAL const u32 *prim0, GLOBAL const u64 *start, GLOBAL const u32 *value,         \
        u32 prim_mask, GLOBAL const u8 *level, GLOBAL const u32 *bucket0, GLOBAL const f32 *inv,   \
        GLOBAL const u32 *levels, u32 above

KERNEL void hash_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TABLE_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, f = frame_of(prim0, frames, i);
    const table t = hash_table(start, value, prim_mask, level, bucket0, inv, f);
    finds x = finds_make(&s, FOUND_MOST, 0, sink_none());
    hash_query(&s, &t, i, above, levels[f], &x);
    count[i] = x.found;
}

KERNEL void hash_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TABLE_ARGS, GLOBAL const u64 *offset,
                      u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, f = frame_of(prim0, frames, i);
    const table t = hash_table(start, value, prim_mask, level, bucket0, inv, f);
    finds x = finds_make(&s, FOUND_MOST, 0, sink_at(a, b, offset[i] - base));
    hash_query(&s, &t, i, above, levels[f], &x);
}

#ifdef IMP_DEVICE

GROUP_KERNEL(SEARCH_GROUP)
hash_search_group(u32 n, SCENE_ARGS, TABLE_ARGS, SEARCH_ARGS)
{
    SHARED search_shared shared;
    const scene s = SCENE;
    const search_list to = SEARCH_LIST;
    u32 i = u32_min(ITEM, n - 1), f = frame_of(prim0, frames, i);
    const table t = hash_table(start, value, prim_mask, level, bucket0, inv, f);
    search x;
    search_begin(&x, &to, &shared, frames, f, i);
    finds all = finds_search(&s, &x);
    if (ITEM < n)
        hash_query(&s, &t, i, above, levels[f], &all);
    search_end(&x);
}

#endif
