/* The search of the hash (hash.cl) on a GPU: an item is an entry, which looks at the later entries
 * of its bucket. So neighbours in a work-group read neighbours in memory, and no primitive looks
 * for buckets. For entries with stamps (hash.h); hash_search_group finds the pairs of two levels.
 *
 *  - the data of an entry to compare is one word (entry_rough), in the order of entries;
 *  - pairs that pass are distributed to the items of the group, which compare bounds and cells and
 *    test adjacency and objects.
 *
 * A primitive covers at most four cells along an axis: so two entries of one bucket and stamp,
 * whose primitives overlap, belong to the cell where the pair counts if that cell has this stamp,
 * too. */
#include "cell.h"
#include "hash.h"
#include "prim.h"
#include "search.h"

/* The position of x in a cell, in 512 parts, clamped to the cell. Rounding is monotone: a lower
 * bound in a later part than an upper one does not reach it. */
FN u64 entry_part(f32 x, f32 inv, i32 cell)
{
    i32 part = (i32)f32_floor((x * inv - (f32)cell) * 512);
    return (u64)i32_max(i32_min(part, 511), 0);
}

#define ENTRY_LAST ((u64)1 << 63) /* flag of the last entry of a bucket */
#define ENTRY_BEGINS(rough) ((u32)((rough) >> 60) & 7)

/* A box in the cell with this stamp: its lower and upper bounds, ten bits each, of which the tenth
 * is 0; the upper ones as their distance from the cell's end. Then one bit for each axis: set if
 * this is the first cell of the box. The pair of two boxes counts in a cell only if it is the first
 * of either along each axis. */
FN u64 entry_rough(GLOBAL const f32 *b, f32 inv, u32 level, u32 stamp)
{
    cell3 lo = cell_at(b, inv, level);
    f32 by = inv * f32_from_bits((127 - level) << 23);
    i32 first[3] = {lo.x, lo.y, lo.z};
    u64 w = 0;
    for (u32 k = 0; k < 3; k++) {
        u32 on = ((stamp >> 2 * k) - (u32)first[k]) & 3;
        i32 cell = first[k] + (i32)on;
        w |= entry_part(b[k], by, cell) << 10 * k;
        w |= (511 - entry_part(b[k + 3], by, cell)) << 10 * (k + 3);
        w |= (u64)(on == 0) << (60 + k);
    }
    return w;
}

/* entry_rough of all entries, in their order */
KERNEL void hash_rough(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const f32 *inv, GLOBAL const u8 *level, GLOBAL const u32 *key,
                       GLOBAL const u32 *value, u32 prim_bits, u32 bucket_bits, GLOBAL u64 *rough)
{
    if (ITEM >= n)
        return;
    u32 k = key[ITEM], next = key[u32_min(ITEM + 1, n - 1)], i = entry_prim(value[ITEM], prim_bits);
    u32 last = ITEM + 1 == n || entry_bucket(k, bucket_bits) != entry_bucket(next, bucket_bits);
    u64 w = entry_rough(box_at(box, i), inv[frames > 1 ? frame_of(prim0, frames, i) : 0], level[i],
                        entry_stamp(k, value[ITEM], prim_bits, bucket_bits));
    rough[ITEM] = w | (last ? ENTRY_LAST : 0);
}

#ifdef IMP_DEVICE

typedef struct hash_entries {
    GLOBAL const u32 *key, *value;
    GLOBAL const u64 *rough;
    GLOBAL const u8 *level;
    u32 prim_bits, bucket_bits;
} hash_entries;

/* The word that boxes are compared with: after subtracting a box each number still has its tenth
 * bit if both overlap. */
FN u64 entry_query(u64 rough)
{
    u64 low = rough & 0x3ffffffful, high = rough >> 30 & 0x3ffffffful;
    return CELL_FIELDS(512 + 511) - (high | low << 30);
}

FN u32 entry_near(u64 query, u64 rough)
{
    return ((query - rough) & CELL_FIELDS(512)) == CELL_FIELDS(512);
}

/* Keeps entries from *at on that may be a pair with `own`, until the item's space is full, or
 * returns 0 when the bucket ends. */
FN_LOCAL u32 entry_seek(const hash_entries *t, u32 own, u32 *at, search *x)
{
    LOCAL u32 *kept = x->shared->kept + LOCAL_ID;
    u32 more = 1, v = t->value[own], begins = ENTRY_BEGINS(t->rough[own]), j = *at;
    u64 query = entry_query(t->rough[own]);
    ROLLED
    for (; more && x->kept < SEARCH_KEPT; j++) {
        u64 rough = t->rough[j];
        u32 other = (t->value[j] ^ v) >> t->prim_bits | (7 ^ (begins | ENTRY_BEGINS(rough)));
        kept[x->kept * SEARCH_GROUP] = j;
        x->kept += !other && entry_near(query, rough);
        more = !(rough & ENTRY_LAST);
    }
    *at = j;
    return more;
}

/* Returns whether the primitives of entries e and j are a pair, and this is the cell where it
 * counts. */
FN u32 entry_pair(const scene *s, const hash_entries *t, f32 inv, u32 e, u32 j, u32 one, u32 other)
{
    u32 stamp = entry_stamp(t->key[e], t->value[e], t->prim_bits, t->bucket_bits);
    u32 l = t->level[one];
    if (one == other || t->level[other] != l || !scene_candidate(s, one, other))
        return 0;
    cell3 c =
        cell_max(cell_at(box_at(s->box, one), inv, l), cell_at(box_at(s->box, other), inv, l));
    return entry_cell(c) == stamp &&
           entry_stamp(t->key[j], t->value[j], t->prim_bits, t->bucket_bits) == stamp;
}

/* Tests all packed pairs of the entries from e0 on. */
FN_LOCAL void entry_sift(const scene *s, const hash_entries *t, GLOBAL const f32 *inv, u32 e0,
                         const search *x, u32 all)
{
    LOCAL search_shared *m = x->shared;
    ROLLED
    for (u32 i = LOCAL_ID; i < all; i += SEARCH_GROUP) {
        u32 pair = m->packed[i], item = pair % SEARCH_GROUP, j = m->kept[pair];
        u32 other = entry_prim(t->value[j], t->prim_bits);
        if (entry_pair(s, t, inv[m->frame[item]], e0 + item, j, m->one[item], other))
            m->kept[pair] = other;
        else
            m->packed[i] = SEARCH_GONE;
    }
}

GROUP_KERNEL(SEARCH_GROUP)
hash_entries_group(u32 n, SCENE_ARGS, u32 frames, GLOBAL const u32 *prim0, GLOBAL const u32 *key,
                   GLOBAL const u32 *value, GLOBAL const u64 *rough, GLOBAL const u8 *level,
                   GLOBAL const f32 *inv, u32 prim_bits, u32 bucket_bits, SEARCH_ARGS)
{
    SHARED search_shared shared;
    const scene s = SCENE;
    const hash_entries t = {key, value, rough, level, prim_bits, bucket_bits};
    const search_list to = SEARCH_LIST;
    u32 own = u32_min(ITEM, n - 1), one = entry_prim(value[own], prim_bits), all;
    u32 at = own + 1, more = ITEM < n && !(rough[own] & ENTRY_LAST);
    search x;
    search_begin(&x, &to, &shared, frames, frames > 1 ? frame_of(prim0, frames, one) : 0, one);
    do {
        more = more ? entry_seek(&t, own, &at, &x) : 0;
        all = search_pack(&x);
        entry_sift(&s, &t, inv, ITEM - LOCAL_ID, &x, all);
        search_write(&x, all);
    } while (search_any(&x, more));
}

#endif
