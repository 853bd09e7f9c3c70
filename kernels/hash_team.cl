/* The search for pairs in the chains of a hash (hash.cl, tiles.cl), for CPUs: the entries of a
 * bucket are read once, sixteen a team (lanes.h), and each later entry of the chain is tested
 * against the team. Included after hash.cl. */
#include "cell.h"
#include "finds.h"
#include "hash.h"
#include "lanes.h"
#include "tiles.h"

#define CHAIN_TEAMS 4u
#define CHAIN_MOST (CHAIN_TEAMS * LANES) /* entries of a chain that are tested together */
#define ENTRIES_AHEAD 48u /* boxes are scattered in memory: prefetched this many entries early */

/* Entries of a frame, and their format. They refer to primitives, or with `id` to their ranks;
 * boxes and levels are in the same order. */
typedef struct hash_chains {
    GLOBAL const u32 *key, *value;
    u64 first, end; /* the frame's entries */
    u32 prim_bits, bucket_bits;
    GLOBAL const u32 *id;
    GLOBAL const f32 *box;
    GLOBAL const u8 *level;
    u32 alone;                 /* the level of all, or HASH_NONE */
    f32 inv;                   /* cells per unit, for levels that nest (cell.h) */
    GLOBAL const u32 *classes; /* else records of classes, the levels of tiles */
    u32 visits_only;           /* only visitors find pairs */
} hash_chains;

FN cell3 chain_cell(const hash_chains *h, GLOBAL const f32 *p, u32 level)
{
    return h->classes ? tile_at(p, tile_class_at(h->classes, level).inv)
                      : cell_at(p, h->inv, level);
}

/* The primitive that an entry's number refers to. */
FN u32 chain_prim(const hash_chains *h, u32 number)
{
    return h->id ? h->id[number] : number;
}

FN u32 number_at(const hash_chains *h, u64 e)
{
    return entry_prim(h->value[e], h->prim_bits);
}

typedef struct hash_team {
    team of;
    u32 mark[LANES], number[LANES];
} hash_team;

#define MARK_FIRST 7u /* bits of a mark, see below */

FN u32 stamp_at(const hash_chains *h, u64 e)
{
    return entry_stamp(h->key[e], h->value[e], h->prim_bits, h->bucket_bits);
}

FN u32 entry_visit(const hash_chains *h, u64 e)
{
    return stamp_at(h, e) >> ENTRY_CELL_BITS;
}

/* The level of an entry and its cell's coordinates modulo 256; below them, for each axis, whether
 * the cell is the first that the box covers. Overlapping boxes cover cells less than 256 apart:
 * marks distinguish these. The cell that holds the lower corner of their intersection is the one
 * that both cover and that is, along each axis, the first of either. */
FN u32 entry_mark(const hash_chains *h, u32 number, u64 e)
{
    u32 stamp = stamp_at(h, e), visit = stamp >> ENTRY_CELL_BITS;
    u32 level = visit ? visit - 1 : h->alone < CELL_LEVELS ? h->alone : h->level[number];
    cell3 lo = chain_cell(h, box_at(h->box, number), level);
    u32 x = (stamp - (u32)lo.x) & 3, y = ((stamp >> 2) - (u32)lo.y) & 3;
    u32 z = ((stamp >> 4) - (u32)lo.z) & 3;
    u32 cell =
        (((u32)lo.x + x) & 255) | (((u32)lo.y + y) & 255) << 8 | (((u32)lo.z + z) & 255) << 16;
    return level << 27 | cell << 3 | (u32)(x == 0) | (u32)(y == 0) << 1 | (u32)(z == 0) << 2;
}

/* Loads entry e into lane k. */
FN void team_enter(const scene *s, const hash_chains *h, u64 e, u32 k, hash_team *t)
{
    u32 number = number_at(h, e), i = chain_prim(h, number);
    GLOBAL const f32 *b = box_at(h->box, number);
    for (u32 axis = 0; axis < 3; axis++) {
        t->of.lo[axis][k] = b[axis];
        t->of.hi[axis][k] = b[axis + 3];
    }
    for (u32 n = corners_needed(s->rules), c = 0; c < n; c++)
        t->of.corner[c][k] = s->corner[(size_t)n * i + c];
    t->of.id[k] = t->of.name[k] = i;
    if (s->rules & (RULE_SELF | RULE_BETWEEN))
        t->of.object[k] = (u32)s->object[i];
    t->mark[k] = entry_mark(h, number, e);
    t->number[k] = number;
}

/* Lanes in the same cell as the entry with this mark whose pair with it counts in that cell. */
FN u32 team_owns(const hash_team *t, u32 mark)
{
    u32x16 either = u32x16_or(u32x16_load(t->mark), mark & MARK_FIRST);
    return mask16_bits(u32x16_equal(either, mark | MARK_FIRST));
}

/* The lanes in `hits` that the rules on objects and adjacency allow. */
FN u32 team_wanted(const scene *s, const hash_team *t, u32 i, u32 hits)
{
    if (s->rules & (RULE_SELF | RULE_BETWEEN)) {
        u32 same = team_of(&t->of, (u32)s->object[i]);
        hits &= s->rules & RULE_SELF ? same : ~same;
    }
    if (s->rules & RULE_SKIP_ADJACENT) {
        GLOBAL const u32 *c = s->corner + (size_t)3 * i;
        hits &= ~team_share(&t->of, c[0], c[1], c[2]);
    }
    if (s->rules & RULE_SKIP_TETRAHEDRA) {
        GLOBAL const u32 *c = s->corner + (size_t)4 * i;
        hits &= ~team_share4(&t->of, c[0], c[1], c[2], c[3]);
    }
    return hits;
}

/* The first n <= 16 lanes. */
FN u32 lanes_below(u32 n)
{
    return (1u << n) - 1;
}

/* Pairs of the primitive of that number, whose entry has this mark, with some lanes of a team. */
FORMULA void team_pairs(const scene *s, const hash_chains *h, const hash_team *t, u32 number,
                        u32 mark, u32 lanes, finds *out)
{
    u32 i = chain_prim(h, number);
    u32 hits = lanes & team_overlaps(&t->of, box_at(h->box, number), 1);
    hits = team_wanted(s, t, i, hits & team_owns(t, mark));
    if (out->plain && out->found < out->capacity && out->capacity - out->found >= LANES) {
        team_put(&t->of, hits, i, i, out->out.a + out->found, out->out.b + out->found);
        out->found += bit_count(hits);
        return;
    }
    for (; hits; hits &= hits - 1) {
        u32 j = t->of.id[bit_lowest(hits)];
        finds_pair(s, out, i, j, i, j);
    }
}

FN u32 bucket_at(const hash_chains *h, u64 e)
{
    return entry_bucket(h->key[e], h->bucket_bits);
}

/* Number of entries of the chain from e on, before `end`, that are all visitors or all not: at most
 * CHAIN_MOST. */
FN u32 chain_part(const hash_chains *h, u64 e, u64 end)
{
    u32 bucket = bucket_at(h, e), visits = entry_visit(h, e) != 0, n = 1;
    while (n < CHAIN_MOST && e + n < end && bucket_at(h, e + n) == bucket &&
           (entry_visit(h, e + n) != 0) == visits)
        n++;
    return n;
}

/* Returns whether entry e, which may be the frame's last, is followed by one of its chain that is
 * no visitor. */
FN i32 chain_goes_on(const hash_chains *h, u64 e)
{
    return e + 1 < h->end && bucket_at(h, e) == bucket_at(h, e + 1) && !entry_visit(h, e + 1);
}

/* The first entry of the chain of entry e. */
FN u64 chain_first(const hash_chains *h, u64 e)
{
    u32 bucket = bucket_at(h, e);
    u64 step = 1, low;
    while (e - h->first >= step && bucket_at(h, e - step) == bucket) {
        e -= step;
        step *= 2;
    }
    low = e - h->first < step ? h->first : e - step;
    while (low < e) {
        u64 middle = low + (e - low) / 2;
        if (bucket_at(h, middle) == bucket)
            e = middle;
        else
            low = middle + 1;
    }
    return e;
}

/* Pairs of the `count` loaded entries with entry e. */
FN void chain_meet(const scene *s, const hash_chains *h, u64 e, u32 count, const hash_team *teams,
                   finds *out)
{
    u32 number = number_at(h, e), mark = entry_mark(h, number, e);
    for (u32 first = 0; first < count; first += LANES)
        team_pairs(s, h, &teams[first / LANES], number, mark,
                   lanes_below(u32_min(count - first, LANES)), out);
}

/* Pairs of the `count` entries from e on, which are loaded, with those that follow them. */
FN void chain_find(const scene *s, const hash_chains *h, u64 e, u32 count, const hash_team *teams,
                   finds *out)
{
    for (u32 first = 0; first < count; first += LANES) {
        for (u32 k = first + 1; k < count; k++) {
            const hash_team *t = &teams[k / LANES];
            team_pairs(s, h, &teams[first / LANES], t->number[k % LANES], t->mark[k % LANES],
                       lanes_below(u32_min(k - first, LANES)), out);
        }
    }
    for (e += count; chain_goes_on(h, e - 1); e++)
        chain_meet(s, h, e, count, teams, out);
}

FORMULA void chain_fetch(const scene *s, const hash_chains *h, u64 e, u32 count)
{
    for (u32 k = 0; k < count && e + k < h->end; k++) {
        u32 number = number_at(h, e + k), i = chain_prim(h, number);
        FETCH(box_at(h->box, number));
        FETCH(box_at(h->box, number) + BOX_BOUNDS - 1);
        if (corners_needed(s->rules))
            FETCH(s->corner + (size_t)corners_needed(s->rules) * i);
        if (s->rules & (RULE_SELF | RULE_BETWEEN))
            FETCH(s->object + i);
    }
}

/* Unused lanes need defined values, too. */
FN void team_clear(hash_team *t)
{
    for (u32 k = 0; k < LANES; k++) {
        for (u32 axis = 0; axis < 3; axis++) {
            t->of.lo[axis][k] = t->of.hi[axis][k] = 0;
            t->of.corner[axis][k] = 0;
        }
        t->of.corner[3][k] = 0;
        t->of.id[k] = t->of.name[k] = t->of.object[k] = t->mark[k] = 0;
        t->number[k] = 0;
    }
}

/* Pairs of the `count` entries from e on: visitors pair with the non-visitors of their chain, all
 * of which precede them; others pair with the entries that follow. */
FN void chain_pairs(const scene *s, const hash_chains *h, u64 e, u32 count, hash_team *teams,
                    finds *out)
{
    u32 visits = entry_visit(h, e) != 0;
    u64 met = visits ? chain_first(h, e) : e;
    if (!visits && h->visits_only)
        return;
    if (visits ? entry_visit(h, met) != 0 : count == 1 && !chain_goes_on(h, e))
        return;
    for (u32 k = 0; k < count; k++)
        team_enter(s, h, e + k, k % LANES, &teams[k / LANES]);
    if (!visits)
        chain_find(s, h, e, count, teams, out);
    for (; visits && !entry_visit(h, met); met++)
        chain_meet(s, h, met, count, teams, out);
}

/* Pairs of a strip of entries, from e to `end`; the frame's last strip may be shorter. */
FN void chains_find(const scene *s, const hash_chains *h, u64 e, u64 end, finds *out)
{
    hash_team teams[CHAIN_TEAMS];
    end = end < h->end ? end : h->end;
    for (u32 t = 0; t < CHAIN_TEAMS; t++)
        team_clear(&teams[t]);
    chain_fetch(s, h, e, ENTRIES_AHEAD);
    for (u32 part; e < end; e += part) {
        part = chain_part(h, e, end);
        chain_fetch(s, h, e + ENTRIES_AHEAD, part);
        chain_pairs(s, h, e, part, teams, out);
    }
}

/* Strips of entries, in whole HASH_GROUPs: those of frame f are number group0[f] and on, and begin
 * with entry entry0[f]. rtree_strips describes the destination of their pairs. */
#define ENTRY_STRIPS_ARGS                                                                          \
    GLOBAL const u32 *key, GLOBAL const u32 *value, u32 prim_bits, u32 bucket_bits,                \
        GLOBAL const u64 *entry0, GLOBAL const u32 *group0, GLOBAL const u32 *strip_first,         \
        GLOBAL const u32 *strip_last, GLOBAL const u32 *strip_frame, u32 capacity,                 \
        GLOBAL const u64 *offset, GLOBAL u32 *count, GLOBAL u32 *a, GLOBAL u32 *b
#define ENTRIES_OF_FRAME key, value, prim_bits, bucket_bits, entry0[f], entry0[f + 1]
#define ENTRY_OF_STRIP(of) (entry0[f] + (u64)HASH_GROUP * (of[strip] - group0[f]))

/* The entries from `first` to `end` of a frame whose primitives are on several levels. */
FN hash_chains chains_of(GLOBAL const u32 *key, GLOBAL const u32 *value, u32 prim_bits,
                         u32 bucket_bits, u64 first, u64 end)
{
    hash_chains h;
    h.key = key;
    h.value = value;
    h.first = first;
    h.end = end;
    h.prim_bits = prim_bits;
    h.bucket_bits = bucket_bits;
    h.id = 0;
    h.box = 0;
    h.level = 0;
    h.alone = HASH_NONE;
    h.inv = 0;
    h.classes = 0;
    h.visits_only = 0;
    return h;
}

/* Pairs of one level, and with visitors. An item owns strip strip0 + ITEM of the list. */
KERNEL void hash_strips(ITEM_ARG u32 n, u32 strip0, SCENE_ARGS, GLOBAL const u8 *level,
                        GLOBAL const f32 *inv, GLOBAL const u32 *levels, ENTRY_STRIPS_ARGS)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    u32 strip = strip0 + ITEM, f = strip_frame[strip], all = levels[f];
    finds x = finds_make(&s, capacity ? capacity : count[ITEM], 0,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    hash_chains h = chains_of(ENTRIES_OF_FRAME);
    h.box = box;
    h.level = level;
    h.alone = all & (all - 1) ? HASH_NONE : bit_lowest(all);
    h.inv = inv[f];
    chains_find(&s, &h, ENTRY_OF_STRIP(strip_first), ENTRY_OF_STRIP(strip_last), &x);
    count[ITEM] = x.found;
}
