/* The prime-coefficient spatial hash (README.md) as count, sort and look-up.
 *
 * A primitive is entered into every cell of its level that its box covers (cell.h). The entries,
 * (bucket, primitive), are sorted by bucket with a stable sort, so a bucket is a range of entries
 * in ascending primitive order, and one primitive's entries in a bucket stand side by side.
 * start[b] is the first entry of bucket b. Frame f owns buckets bucket0[f] .. bucket0[f + 1].
 *
 * A pair is found by the primitive of the lower level, of equal levels by the lower number, and
 * only in the cell that holds the lower corner of the boxes' intersection. */
#include "cell.h"
#include "prim.h"

#define HASH_NONE 255 /* level of what covers no cell: none of reduce_sets */

/* count[i]: how many cells primitive i covers; level[i]: at which level. A box that overlaps
 * nothing (bound.cl) covers none. */
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
    cell3 lo = cell_at(b, v, l), hi = cell_at(b + 3, v, l);
    count[ITEM] = (u32)((hi.x - lo.x + 1) * (hi.y - lo.y + 1) * (hi.z - lo.z + 1));
    level[ITEM] = (u8)l;
}

/* the entries of primitive i, from offset[i] on */
KERNEL void hash_enter(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const f32 *inv, GLOBAL const u8 *level, GLOBAL const u32 *bucket0,
                       GLOBAL const u64 *offset, GLOBAL u32 *bucket, GLOBAL u32 *entry)
{
    if (ITEM >= n || level[ITEM] >= CELL_LEVELS)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    u32 f = frame_of(prim0, frames, ITEM), length = bucket0[f + 1] - bucket0[f];
    cell3 lo = cell_at(b, inv[f], level[ITEM]), hi = cell_at(b + 3, inv[f], level[ITEM]), c;
    u64 e = offset[ITEM];
    for (c.z = lo.z; c.z <= hi.z; c.z++)
        for (c.y = lo.y; c.y <= hi.y; c.y++)
            for (c.x = lo.x; c.x <= hi.x; c.x++) {
                bucket[e] = bucket0[f] + cell_hash(c, length);
                entry[e++] = ITEM;
            }
}

/* start[] from the sorted buckets: item e, the first entry of its bucket, writes its own bucket
 * and the empty ones before it; item `entries`, one past the last, writes the rest. */
KERNEL void hash_starts(ITEM_ARG u32 n, u64 entries, u64 item0, u32 buckets,
                        GLOBAL const u32 *bucket, GLOBAL u64 *start)
{
    if (ITEM >= n)
        return;
    u64 e = item0 + ITEM;
    u32 from = e > 0 ? bucket[e - 1] + 1 : 0;
    u32 to = e < entries ? bucket[e] + 1 : buckets + 1;
    for (u32 b = from; b < to; b++)
        start[b] = e;
}

typedef struct table {
    GLOBAL const u64 *start;
    GLOBAL const u32 *entry;
    GLOBAL const u8 *level;
    u32 bucket0, length;
    f32 inv;
} table;

/* Pairs of primitive i in cell c of level l: entries of that level whose box, too, has its lower
 * corner's share of the intersection here. Other cells may share the bucket: the level, the owner
 * test and the overlap settle it, and a primitive entered twice in this bucket counts once. */
FN u32 hash_visit(const scene *s, const table *t, u32 i, u32 l, cell3 lo, cell3 c, u32 found,
                  pair_sink out)
{
    u32 b = t->bucket0 + cell_hash(c, t->length), same = t->level[i] == l;
    u64 begin = t->start[b];
    for (u64 e = t->start[b + 1]; e > begin; e--) {
        u32 j = t->entry[e - 1];
        if (same && j <= i)
            break;
        if ((e - 1 > begin && t->entry[e - 2] == j) || t->level[j] != l)
            continue;
        if (!scene_candidate(s, i, j))
            continue;
        if (!cell_same(c, cell_max(lo, cell_at(box_at(s->box, j), t->inv, l))))
            continue;
        sink_put(&out, found++, i, j);
    }
    return found;
}

FN u32 hash_query(const scene *s, const table *t, u32 i, u32 levels, pair_sink out)
{
    GLOBAL const f32 *box = box_at(s->box, i);
    u32 found = 0;
    for (u32 l = t->level[i]; l < CELL_LEVELS; l++) {
        if (!(levels >> l & 1))
            continue;
        cell3 lo = cell_at(box, t->inv, l), hi = cell_at(box + 3, t->inv, l), c;
        for (c = lo; c.z <= hi.z; c = cell_next(c, lo, hi))
            found = hash_visit(s, t, i, l, lo, c, found, out);
    }
    return found;
}

FN table hash_table(GLOBAL const u64 *start, GLOBAL const u32 *entry, GLOBAL const u8 *level,
                    GLOBAL const u32 *bucket0, GLOBAL const f32 *inv, u32 f)
{
    table t;
    t.start = start;
    t.entry = entry;
    t.level = level;
    t.bucket0 = bucket0[f];
    t.length = bucket0[f + 1] - bucket0[f];
    t.inv = inv[f];
    return t;
}

#define TABLE_ARGS                                                                                 \
    u32 frames, GLOBAL const u32 *prim0, GLOBAL const u64 *start, GLOBAL const u32 *entry,         \
        GLOBAL const u8 *level, GLOBAL const u32 *bucket0, GLOBAL const f32 *inv,                  \
        GLOBAL const u32 *levels

KERNEL void hash_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TABLE_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, f = frame_of(prim0, frames, i);
    const table t = hash_table(start, entry, level, bucket0, inv, f);
    count[i] = hash_query(&s, &t, i, levels[f], sink_none());
}

KERNEL void hash_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TABLE_ARGS, GLOBAL const u64 *offset,
                      u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 i = query0 + ITEM, f = frame_of(prim0, frames, i);
    const table t = hash_table(start, entry, level, bucket0, inv, f);
    hash_query(&s, &t, i, levels[f], sink_at(a, b, offset[i] - base));
}
