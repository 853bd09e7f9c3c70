/* The search of sorted grids (grid.cl) on a GPU: an item is a query, a work-group has 64.
 *
 * Queries have rows of different lengths, and most primitives in their cells do not overlap them.
 * So that the items of a warp need not wait for each other, nor for the memory,
 *
 *  - an item notes the ranges of its rows, then goes through all of them in one loop;
 *  - it compares quantised bounds, one load for each primitive (grid_near);
 *  - the pairs that pass are distributed to the items of the group, which compare the bounds and
 *    test adjacency and objects. */
#include "grid_cells.h"
#include "search.h"

#ifdef IMP_DEVICE

#define GRID_STRETCHES 10 /* ranges that an item notes at a time: nine rows are common */

#define GRID_FULL (SEARCH_KEPT - 3) /* with more kept ranks there is no room for four more */

/* Progress of an item's search. */
typedef struct grid_seek {
    u32 first, own, level; /* the lowest level, the own one, and the current one, which goes from
                              own down to first */
    u32 row, rows;         /* rows of that level: noted so far, and all */
    u32 k, count;          /* ranges: the next one, and all that are noted */
    u32 begin, left;       /* the unsearched rest of a range */
    u64 rough;             /* the query's quantised bounds for that level */
} grid_seek;

/* Appends a range: range k of an item begins at list[2 k SEARCH_GROUP] and ends at the next such
 * word. An empty one is overwritten. */
FN_LOCAL void grid_note(LOCAL u32 *list, grid_seek *at, u32 begin, u32 end)
{
    list[2 * at->count * SEARCH_GROUP] = begin;
    list[(2 * at->count + 1) * SEARCH_GROUP] = end;
    at->count += begin < end;
}

/* Notes rows of the level from row at->row on, as many as fit. The level's values are recomputed
 * when it has more rows: registers are few. */
FN_LOCAL void grid_seek_level(const grid *g, u32 rank, LOCAL u32 *list, grid_seek *at)
{
    query f = grid_query(g, rank, 0);
    grid_level mine = grid_level_at(g->record, at->own), l = grid_level_at(g->record, at->level);
    grid_range r = grid_range_of(&l, at->level == at->own, f.lo, f.hi);
    u32 wide = (u32)i32_max(r.y1 - r.y0 + 1, 0), high = (u32)i32_max(r.z1 - r.z0 + 1, 0);
    at->rows = grid_looks(&mine, &l) ? wide * high : 0;
    at->rough = grid_fields_query(l.fine, f.lo, f.hi);
    ROLLED
    for (; at->row < at->rows && at->count + 2 <= GRID_STRETCHES; at->row++) {
        i32 z = (i32)(at->row / wide), y = (i32)(at->row - (u32)z * wide);
        grid_cells c = grid_cells_of(g, &l, &r, r.y0 + y, r.z0 + z);
        grid_note(list, at, c.begin[0], c.end[0]);
        grid_note(list, at, c.begin[1], c.end[1]);
    }
}

/* Notes rows of this level or, when it has no more, of the next one; returns whether any were
 * noted. */
FN_LOCAL u32 grid_seek_rows(const grid *g, u32 rank, LOCAL u32 *list, grid_seek *at)
{
    at->k = at->count = 0;
    while (!at->count && (at->row < at->rows || at->level > at->first)) {
        if (at->row == at->rows) {
            at->level--;
            at->row = 0;
        }
        grid_seek_level(g, rank, list, at);
    }
    return at->count;
}

/* Keeps ranks that may overlap the query until its space is full, or returns 0 when none are left.
 * It reads four at a time: two loads of 16 bytes, one wait; they may include words just before or
 * behind a range. */
FN_LOCAL u32 grid_seek_some(const grid *g, u32 rank, LOCAL u32 *list, grid_seek *at, search *x)
{
    LOCAL u32 *kept = x->shared->kept;
    u32 n = LOCAL_ID, more = 1;
    while (n < GRID_FULL * SEARCH_GROUP) {
        if (!at->left) {
            if (at->k == at->count && !grid_seek_rows(g, rank, list, at)) {
                more = 0;
                break;
            }
            at->begin = list[2 * at->k * SEARCH_GROUP];
            at->left = list[(2 * at->k + 1) * SEARCH_GROUP] - at->begin;
            at->k++;
        }
        u32 odd = at->begin & 1, j = at->begin - odd, left = at->left + odd;
        GLOBAL const u64x2 *rough = (GLOBAL const u64x2 *)grid_rough(g) + j / 2;
        u64x2 p = rough[0], q = rough[1];
        kept[n] = j;
        n += (grid_near(at->rough, p.x) & (i32)!odd) ? SEARCH_GROUP : 0;
        kept[n] = j + 1;
        n += (grid_near(at->rough, p.y) & (i32)(left > 1)) ? SEARCH_GROUP : 0;
        kept[n] = j + 2;
        n += (grid_near(at->rough, q.x) & (i32)(left > 2)) ? SEARCH_GROUP : 0;
        kept[n] = j + 3;
        n += (grid_near(at->rough, q.y) & (i32)(left > 3)) ? SEARCH_GROUP : 0;
        at->begin = j + 4;
        at->left = left - u32_min(left, 4);
    }
    x->kept = n / SEARCH_GROUP;
    return more;
}

/* The group's queries, as far as comparisons need them. */
typedef struct grid_queries {
    u32 rank0;            /* rank of the first query; the others follow */
    LOCAL const u32 *own; /* first rank of each query's own level */
} grid_queries;

/* Tests all packed pairs. */
FN_LOCAL void grid_sift(const scene *s, const grid *g, const grid_queries *of, const search *x,
                        u32 all)
{
    LOCAL search_shared *m = x->shared;
    u32 corners = s->rules & RULE_SKIP_ADJACENT;
    ROLLED
    for (u32 i = LOCAL_ID; i < all; i += SEARCH_GROUP) {
        u32 pair = m->packed[i], item = pair % SEARCH_GROUP, j = m->kept[pair];
        query f = grid_query(g, of->rank0 + item, corners);
        u32 other = g->id[j];
        if (grid_pairs(s, g, &f, j >= of->own[item], j) && scene_allows(s, m->one[item], other))
            m->kept[pair] = other;
        else
            m->packed[i] = SEARCH_GONE;
    }
}

/* The state of a search is in local memory between its sections: registers are few. */
FN_LOCAL u32 grid_go_on(const grid *g, u32 rank, LOCAL u32 *list, LOCAL grid_seek *kept, search *x)
{
    grid_seek at = *kept;
    u32 more = grid_seek_some(g, rank, list, &at, x);
    *kept = at;
    return more;
}

/* Query i is the primitive at rank i; those of frame f are rank0[f] .. rank0[f + 1]. */
GROUP_KERNEL(SEARCH_GROUP)
grid_search_group(u32 n, SCENE_ARGS, GRID_ARGS, u32 frames, GLOBAL const u32 *rank0, SEARCH_ARGS)
{
    SHARED search_shared shared;
    SHARED u32 noted[2 * GRID_STRETCHES * SEARCH_GROUP], own0[SEARCH_GROUP];
    SHARED grid_seek seek[SEARCH_GROUP];
    const scene s = SCENE;
    const grid g = GRID;
    const search_list to = SEARCH_LIST;
    u32 l = LOCAL_ID, rank = u32_min(ITEM, n - 1), f = frame_of(rank0, frames, rank);
    u32 own = grid_own(&g, level0[f], level0[f + 1], rank), more = ITEM < n, all;
    const grid_queries of = {ITEM - l, own0};
    const grid_seek begin = {.first = level0[f], .own = own, .level = own + 1};
    search x;
    search_begin(&x, &to, &shared, frames, f, g.id[rank]);
    own0[l] = grid_level_rank(&g, own);
    seek[l] = begin;
    do {
        more = more ? grid_go_on(&g, rank, noted + l, seek + l, &x) : 0;
        all = search_pack(&x);
        grid_sift(&s, &g, &of, &x, all);
        search_write(&x, all);
    } while (search_any(&x, more));
}

#endif
