/* Tiles by size class (README.md): the edge of a primitive's bounding cube is the longest edge of
 * its box. Cubes of a class differ by less than a factor of two, and a class has tiles as large as
 * its largest cube, so a box covers at most two of them along an axis, three where products are
 * rounded.
 *
 * A primitive is entered into all tiles of its own class that its box covers, and searches the
 * tiles that it covers of its own class and of those of larger cubes: at most 27 of each. A pair is
 * found in the tile, of the class of the larger cube, that holds the lower corner of the boxes'
 * intersection; within a class by the primitive with the lower rank.
 *
 * Tiles go to buckets by a hash of their coordinates: each class has its own buckets, a power of
 * two of them. Entries are sorted by bucket. Different tiles may share a bucket: that costs tests.
 * Ranks are the order of primitives by the bucket of their first tile. Blocks of 4 x 4 x 4 tiles
 * are hashed as a whole, so primitives that are near one another have near ranks. */
#include "cell.h"
#include "finds.h"
#include "hash.h"
#include "prim.h"
#include "tiles.h"

#define TILE_BIAS (1 << 25) /* makes coordinates positive, so that >> is floor; a multiple of 4 */

/* The class of a box: the last, and so the smallest, of its part whose cubes are large enough. A
 * box of no size is in the smallest. */
FN u32 tile_class_of(GLOBAL const u32 *record, u32 first, u32 last, u32 part, f32 size)
{
    u32 own = last;
    for (u32 c = first; c < last; c++) {
        GLOBAL const u32 *r = record + (size_t)TILES_WORDS * c;
        if (r[4] == part && (own == last || size < f32_from_bits(r[0])))
            own = c;
    }
    return own;
}

FN u32 tile_bucket(const tile_class *c, cell3 t)
{
    u32 x = (u32)(t.x + TILE_BIAS), y = (u32)(t.y + TILE_BIAS), z = (u32)(t.z + TILE_BIAS);
    u32 h = (x >> 2) * 73856093u ^ (y >> 2) * 19349663u ^ (z >> 2) * 83492791u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h ^= h >> 13;
    return c->base + ((h << 6 | (z & 3) << 4 | (y & 3) << 2 | (x & 3)) & c->mask);
}

/* ---- the table */

/* key[i]: the bucket of the first tile of primitive i; `buckets` for empty bounds. Classes of frame
 * f are class0[f] .. class0[f + 1], the largest first. */
KERNEL void tiles_keys(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames, GLOBAL const u32 *prim0,
                       GLOBAL const u32 *bipartite, GLOBAL const i32 *object,
                       GLOBAL const u32 *class0, GLOBAL const u32 *record, u32 buckets,
                       GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    u32 bucket = buckets;
    if (box_enters(b)) {
        u32 f = frame_of(prim0, frames, ITEM);
        u32 part = prim_part(bipartite[f], object, prim0[f], ITEM);
        u32 own = tile_class_of(record, class0[f], class0[f + 1], part, box_size(b));
        tile_class c = tile_class_at(record, own);
        bucket = tile_bucket(&c, tile_at(b, c.inv));
    }
    key[ITEM] = bucket;
    value[ITEM] = ITEM;
}

FN u32 tiles_covered(GLOBAL const f32 *box, f32 inv)
{
    cell3 lo = tile_at(box, inv), hi = tile_at(box + 3, inv);
    return (u32)((hi.x - lo.x + 1) * (hi.y - lo.y + 1) * (hi.z - lo.z + 1));
}

/* By rank: boxes, classes (counted from the first of the frame) and the number of covered tiles.
 * Buckets of classes ascend, so the sorted key determines the class. */
KERNEL void tiles_gather(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *rank0, GLOBAL const u32 *key,
                         GLOBAL const u32 *id, GLOBAL const f32 *box, GLOBAL const u32 *class0,
                         GLOBAL const u32 *record, GLOBAL f32 *sorted, GLOBAL u8 *own,
                         GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *from = box_at(box, id[ITEM]);
    GLOBAL f32 *to = sorted + (size_t)BOX_BOUNDS * ITEM;
    for (u32 k = 0; k < BOX_BOUNDS; k++)
        to[k] = from[k];
    u32 f = frame_of(rank0, frames, ITEM), first = class0[f], c = class0[f + 1] - 1;
    while (c > first && record[(size_t)TILES_WORDS * c + 2] > key[ITEM])
        c--;
    own[ITEM] = (u8)(c - first);
    count[ITEM] = tiles_covered(from, tile_class_at(record, c).inv);
}

/* Returns whether a primitive of class a finds pairs in class b: with two parts only in the other
 * part. */
FN i32 tile_classes_meet(const tile_class *a, const tile_class *b)
{
    return !a->part || a->part != b->part;
}

#ifndef IMP_DEVICE

/* count[rank]: number of tiles that a primitive covers in the classes of larger cubes. */
KERNEL void tiles_visits(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *rank0,
                         GLOBAL const f32 *sorted, GLOBAL const u8 *own, GLOBAL const u32 *class0,
                         GLOBAL const u32 *record, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 first = class0[frame_of(rank0, frames, ITEM)], last = first + own[ITEM], sum = 0;
    tile_class mine = tile_class_at(record, last);
    for (u32 l = first; l < last; l++) {
        tile_class c = tile_class_at(record, l);
        sum += tile_classes_meet(&mine, &c) ? tiles_covered(box_at(sorted, ITEM), c.inv) : 0;
    }
    count[ITEM] = sum;
}

#endif

/* Enters the primitive at a rank into the tiles that it covers of class c, from entry e on; `visit`
 * as in hash.h. Returns the next entry. */
FN u64 tiles_put(const entry_list *t, const tile_class *c, GLOBAL const f32 *box, u32 rank,
                 u32 visit, u64 e)
{
    cell3 lo = tile_at(box, c->inv), hi = tile_at(box + 3, c->inv), at;
    for (at = lo; at.z <= hi.z; at = cell_next(at, lo, hi), e++) {
        u64 word = entry_word(rank, entry_cell(at) | visit << ENTRY_CELL_BITS, t->prim_bits);
        t->key[e] = entry_key(tile_bucket(c, at), word, t->bucket_bits);
        t->value[e] = (u32)word;
    }
    return e;
}

/* Writes the entries of the primitive at a rank, from entry0 + offset[rank] on: in its own class
 * or, if `above` is 1, as a visitor in those of larger cubes. */
KERNEL void tiles_enter(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *rank0,
                        GLOBAL const f32 *sorted, GLOBAL const u8 *own, GLOBAL const u32 *class0,
                        GLOBAL const u32 *record, u32 above, u64 entry0, GLOBAL const u64 *offset,
                        u32 prim_bits, u32 bucket_bits, GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *box = box_at(sorted, ITEM);
    u32 first = class0[frame_of(rank0, frames, ITEM)], last = first + own[ITEM];
    u64 e = entry0 + offset[ITEM];
    tile_class mine = tile_class_at(record, last);
    entry_list t;
    t.key = key;
    t.value = value;
    t.prim_bits = prim_bits;
    t.bucket_bits = bucket_bits;
    t.bucket0 = t.length = 0;
    if (!above)
        tiles_put(&t, &mine, box, ITEM, 0, e);
    for (u32 l = first; above && l < last; l++) {
        tile_class c = tile_class_at(record, l);
        if (tile_classes_meet(&mine, &c))
            e = tiles_put(&t, &c, box, ITEM, l - first + 1, e);
    }
}

/* ---- the search */

typedef struct tile_table {
    GLOBAL const f32 *sorted;
    GLOBAL const u32 *id, *record;
    GLOBAL const u64 *start;
    GLOBAL const u32 *value; /* value of each entry */
    u32 rank_mask;           /* the bits of the rank in it */
} tile_table;

#define TILES_ARGS                                                                                 \
    GLOBAL const f32 *sorted, GLOBAL const u32 *id, GLOBAL const u32 *record,                      \
        GLOBAL const u64 *start, GLOBAL const u32 *value, u32 rank_mask, GLOBAL const u32 *class0, \
        GLOBAL const u8 *own, u32 above, u32 frames, GLOBAL const u32 *rank0
#define TILES                                                                                      \
    {                                                                                              \
        sorted, id, record, start, value, rank_mask                                                \
    }

FN i32 boxes_overlap(const f32 *lo, const f32 *hi, GLOBAL const f32 *b)
{
    return b[0] <= hi[0] && b[3] >= lo[0] && b[1] <= hi[1] && b[4] >= lo[1] && b[2] <= hi[2] &&
           b[5] >= lo[2];
}

FN f32 f32_max(f32 a, f32 b)
{
    return a > b ? a : b;
}

/* Returns whether tile t contains the lower corner of the intersection of box b with a box that
 * begins at lo. */
FN i32 tile_owns(cell3 t, f32 inv, const f32 *lo, GLOBAL const f32 *b)
{
    return tile_of(f32_max(lo[0], b[0]), inv) == t.x && tile_of(f32_max(lo[1], b[1]), inv) == t.y &&
           tile_of(f32_max(lo[2], b[2]), inv) == t.z;
}

/* A primitive that searches. */
typedef struct tile_query {
    u32 rank;
    f32 lo[3], hi[3];
} tile_query;

/* Pairs in tile t of class c with ranks of at least `least`. Entries of a bucket ascend with rank;
 * a primitive that covers two tiles of the bucket is there twice. */
FN void tile_look(const scene *s, const tile_table *k, const tile_class *c, cell3 t,
                  const tile_query *q, u32 least, finds *out)
{
    u32 b = tile_bucket(c, t);
    u64 begin = k->start[b];
    u32 last = q->rank;
    for (u64 e = k->start[b + 1]; e > begin; e--) {
        u32 j = k->value[e - 1] & k->rank_mask;
        if (j < least)
            break;
        GLOBAL const f32 *box = box_at(k->sorted, j);
        if (j == last || !boxes_overlap(q->lo, q->hi, box) || !tile_owns(t, c->inv, q->lo, box))
            continue;
        last = j;
        if (neighbours_allowed(s->rules, s->corner, k->id[q->rank], k->id[j]))
            finds_hit(s, k->id, out, q->rank, j);
    }
}

/* All pairs that the primitive at a rank finds in the classes [first, end) of its frame; its own
 * class is `own`. */
FN void tiles_find(const scene *s, const tile_table *k, u32 first, u32 end, u32 own, u32 rank,
                   finds *out)
{
    GLOBAL const f32 *box = box_at(k->sorted, rank);
    tile_query q;
    q.rank = rank;
    for (u32 i = 0; i < 3; i++) {
        q.lo[i] = box[i];
        q.hi[i] = box[i + 3];
    }
    tile_class mine = tile_class_at(k->record, own);
    for (u32 l = first; l < end; l++) {
        tile_class c = tile_class_at(k->record, l);
        if (!tile_classes_meet(&mine, &c))
            continue;
        cell3 lo = tile_at(box, c.inv), hi = tile_at(box + 3, c.inv), t;
        for (t = lo; t.z <= hi.z; t = cell_next(t, lo, hi))
            tile_look(s, k, &c, t, &q, l == own ? rank + 1 : 0, out);
    }
}

/* Query i is the primitive at rank i; those of frame f are rank0[f] .. rank0[f + 1]. With `above`
 * it does not search its own class. */
FN void tiles_query(const scene *s, const tile_table *k, u32 c, u32 own, u32 above, u32 i,
                    finds *out)
{
    u32 mine = c + own;
    tiles_find(s, k, c, mine + 1 - above, mine, i, out);
}

KERNEL void tiles_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TILES_ARGS, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const tile_table k = TILES;
    u32 i = query0 + ITEM;
    finds x = finds_make(&s, FOUND_MOST, 0, sink_none());
    tiles_query(&s, &k, class0[frame_of(rank0, frames, i)], own[i], above, i, &x);
    count[i] = x.found;
}

KERNEL void tiles_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, TILES_ARGS, GLOBAL const u64 *offset,
                       u64 base, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const tile_table k = TILES;
    u32 i = query0 + ITEM;
    finds x = finds_make(&s, FOUND_MOST, 0, sink_at(a, b, offset[i] - base));
    tiles_query(&s, &k, class0[frame_of(rank0, frames, i)], own[i], above, i, &x);
}

#ifdef IMP_DEVICE

GROUP_KERNEL(SEARCH_GROUP)
tiles_search_group(u32 n, SCENE_ARGS, TILES_ARGS, SEARCH_ARGS)
{
    SHARED search_shared shared;
    const scene s = SCENE;
    const tile_table k = TILES;
    const search_list to = SEARCH_LIST;
    u32 i = u32_min(ITEM, n - 1), f = frame_of(rank0, frames, i);
    search x;
    search_begin(&x, &to, &shared, frames, f, id[i]);
    finds all = finds_search(&s, &x);
    if (ITEM < n)
        tiles_query(&s, &k, class0[f], own[i], above, i, &all);
    search_end(&x);
}

#endif
