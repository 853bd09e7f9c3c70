/* Looking for pairs in the sorted grid of grid.cl in teams of sixteen, for CPUs. To follow grid.cl.
 */
#include "lanes.h"

#ifndef IMP_GROUP_FORMS

#define TEAM_SPARE 16u /* cells along x that a walk reaches beyond those of the lanes, at most */

/* Sixteen ranks, whatever lies there. */
FN void team_load(const scene *s, const grid *g, u32 rank, team *t)
{
    u32 corners = s->rules & RULE_SKIP_ADJACENT;
    size_t n = g->stride;
    t->rank = rank;
    for (u32 k = 0; k < 3; k++)
        for (u32 i = 0; i < LANES; i++) {
            t->lo[k][i] = g->box[k * n + rank + i];
            t->hi[k][i] = g->box[(k + 3) * n + rank + i];
            t->corner[k][i] = corners ? g->corner[k * n + rank + i] : 0;
        }
}

/* How many of them, at most `most`, lie in the row of the first, less than `span` cells from it. */
FN u32 team_count(const team *t, const grid_level *l, u32 most, u32 span)
{
    i32 y = cell_of(t->lo[1][0], l->inv), z = cell_of(t->lo[2][0], l->inv);
    u32 x = (u32)cell_of(t->lo[0][0], l->inv_x), same[LANES], count = 1;
    for (u32 i = 0; i < LANES; i++)
        same[i] = (u32)(cell_of(t->lo[1][i], l->inv) == y) & (cell_of(t->lo[2][i], l->inv) == z) &
                  ((u32)cell_of(t->lo[0][i], l->inv_x) - x < span);
    while (count < most && same[count])
        count++;
    return count;
}

/* Lanes beyond the count overlap nothing; then the box of all. */
FN void team_close(team *t)
{
    for (u32 k = 0; k < 3; k++) {
        for (u32 i = t->count; i < LANES; i++) {
            t->lo[k][i] = BOUND_NONE;
            t->hi[k][i] = -BOUND_NONE;
        }
        t->low[k] = t->lo[k][0];
        t->high[k] = t->hi[k][0];
        for (u32 i = 1; i < LANES; i++) {
            t->low[k] = t->lo[k][i] < t->low[k] ? t->lo[k][i] : t->low[k];
            t->high[k] = t->hi[k][i] > t->high[k] ? t->hi[k][i] : t->high[k];
        }
    }
}

/* The primitives from a rank on that lie in one row: as many lanes as there are before
 * `end`. Their cells along x differ by less than `span`. */
FN void team_make(const scene *s, const grid *g, const grid_level *l, u32 ranks, u32 rank, u32 end,
                  u32 span, team *t)
{
    u32 objects = s->rules & (RULE_SELF | RULE_BETWEEN);
    team_load(s, g, rank, t);
    t->count = team_count(t, l, u32_min(end - rank, LANES), span);
    for (u32 i = 0; i < LANES; i++) {
        u32 id = i < t->count ? g->id[rank + i] : 0;
        t->id[i] = id;
        t->name[i] = ranks ? rank + i : id;
        t->object[i] = objects ? (u32)s->object[id] : 0;
    }
    team_close(t);
}

/* A pair of one level is to be found once: by the lane that begins first along x and, where both
 * begin at the same x, by the one that is sorted first. `hits` are lanes that overlap the primitive
 * at rank j and begin no later. Returns those that find it: not the lanes that begin at the
 * same x but are sorted after it, and not the primitive itself. */
FN u32 team_finds(const grid *g, const team *t, u32 j, u32 hits)
{
    u32 ties = hits & team_begin(t, g->box[j]), ahead = j - t->rank;
    if (!ties || (ahead >= LANES && ahead >> 31 == 0))
        return hits;
    return hits & ~(ties & ~(ahead >> 31 ? 0 : (1u << ahead) - 1));
}

/* Which lanes are of the same object as a primitive, or of another, whichever is asked for? */
FN u32 team_objects(const scene *s, const team *t, u32 id)
{
    u32 same = team_of(t, (u32)s->object[id]);
    return s->rules & RULE_SELF ? same : ~same;
}

/* the sorted primitives from `begin` to `end` */
FN void team_stretch(const scene *s, const grid *g, const team *t, u32 own, u32 begin, u32 end,
                     finds *out)
{
    u16 mask[SWEEP];
    for (; begin < end; begin += SWEEP) {
        u64 some = team_sweep(t, g->box + begin, g->stride, own, u32_min(end - begin, SWEEP), mask);
        for (; some; some &= some - 1) {
            u32 k = bit_lowest64(some), j = begin + k;
            u32 hits = own ? team_finds(g, t, j, mask[k]) : mask[k];
            if (hits && (s->rules & (RULE_SELF | RULE_BETWEEN)))
                hits &= team_objects(s, t, g->id[j]);
            if (hits && (s->rules & RULE_SKIP_ADJACENT))
                hits &= ~team_share(t, g->corner[j], g->corner[g->stride + j],
                                    g->corner[2 * g->stride + j]);
            if (out->plain && out->found < out->capacity && out->capacity - out->found >= LANES) {
                team_put(t, hits, g->id[j], out->ranks ? j : g->id[j], out->out.a + out->found,
                         out->out.b + out->found);
                out->found += bit_count(hits);
                continue;
            }
            for (; hits; hits &= hits - 1)
                if (!grid_tet_shares(s, g, t->rank + bit_lowest(hits), j))
                    grid_hit(s, g, out, t->rank + bit_lowest(hits), j);
        }
    }
}

/* as grid_walk */
FN void team_walk(const scene *s, const grid *g, const grid_level *l, u32 own, const team *t,
                  finds *out)
{
    grid_range r = grid_range_of(l, own, t->low, t->high);
    for (i32 z = r.z0; z <= r.z1; z++)
        for (i32 y = r.y0; y <= r.y1; y++) {
            grid_cells c = grid_cells_of(g, l, &r, y, z);
            team_stretch(s, g, t, own, c.begin[0], c.end[0], out);
            team_stretch(s, g, t, own, c.begin[1], c.end[1], out);
        }
}

/* All that the primitives at ranks [begin, end) find, which are of one level. `bits` is
 * the least bits_x of this level and those of larger ones: a walk visits no cell twice. */
FN void grid_teams(const scene *s, const grid *g, u32 first, u32 own, u32 bits, u32 begin, u32 end,
                   finds *out)
{
    grid_level level = grid_level_at(g->record, own);
    team t;
    for (u32 rank = begin; rank < end; rank += t.count) {
        team_make(s, g, &level, out->ranks, rank, end, (1u << bits) - TEAM_SPARE, &t);
        for (u32 l = first; l <= own; l++) {
            grid_level other = grid_level_at(g->record, l);
            if (grid_looks(&level, &other))
                team_walk(s, g, &other, l == own, &t, out);
        }
    }
}

/* An item owns a tile of ranks, number tile0 + ITEM of the list. Its pairs go to its own
 * `capacity` places of a and b, and count says how many there are even if not all had room; or,
 * with capacity = 0, to offset[ITEM] and on. Pairs are of ranks if asked for. */
KERNEL void grid_tiles(ITEM_ARG u32 n, u32 tile0, SCENE_ARGS, GRID_ARGS,
                       GLOBAL const u32 *tile_first, GLOBAL const u32 *tile_last,
                       GLOBAL const u32 *tile_frame, u32 ranks, u32 capacity,
                       GLOBAL const u64 *offset, GLOBAL u32 *count, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const grid g = GRID;
    u32 t = tile0 + ITEM, f = tile_frame[t], l0 = level0[f], l1 = level0[f + 1], bits = 31;
    u32 begin = tile_first[t], tile_end = tile_last[t];
    finds x = finds_make(&s, capacity ? capacity : 0xffffffffu, ranks,
                         sink_at(a, b, capacity ? (u64)ITEM * capacity : offset[ITEM]));
    for (u32 l = l0; l < l1 && begin < tile_end; l++) {
        u32 end = l + 1 < l1 ? u32_min(tile_end, grid_level_rank(&g, l + 1)) : tile_end;
        bits = u32_min(bits, g.record[(size_t)GRID_WORDS * l + 3]);
        if (end <= begin)
            continue;
        grid_teams(&s, &g, l0, l, bits, begin, end, &x);
        begin = end;
    }
    count[ITEM] = x.found;
}

#endif
