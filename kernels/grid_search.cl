/* The search of sorted grids (grid.cl) on a GPU: an item is a query, a work-group has 64.
 *
 * Queries have rows of different lengths, and most primitives in their cells do not overlap them.
 * So that the items of a warp need not wait for each other, nor for the memory,
 *
 *  - an item notes the stretches of its rows, then goes through all of them in one loop;
 *  - it compares whole numbers, which one load has of a primitive (grid_near);
 *  - those that pass are shared out among the items of the group, which compare the bounds and ask
 *    for neighbours and objects. */
#include "grid_cells.h"
#include "search.h"

#ifdef IMP_DEVICE

#define GRID_STRETCHES 10 /* that an item notes at a time: nine rows are common */

#define GRID_FULL (SEARCH_KEPT - 3) /* fewer kept ranks have room for four more */

/* What an item has still to look through. */
typedef struct grid_seek {
    u32 first, own, level; /* the least level, its own, and the one that is searched; in this order
                              backwards */
    u32 row, rows;         /* of that level: noted, and all */
    u32 k, count;          /* stretches: the one that is next, and all that are noted */
    u32 begin, left;       /* of a stretch, what is not searched */
    u64 rough;             /* the query as that level has it */
} grid_seek;

/* Stretch k of an item begins at list[2 k SEARCH_GROUP] and ends at the next such word. An empty
 * one does not count. */
FN_LOCAL void grid_note(LOCAL u32 *list, grid_seek *at, u32 begin, u32 end)
{
    list[2 * at->count * SEARCH_GROUP] = begin;
    list[(2 * at->count + 1) * SEARCH_GROUP] = end;
    at->count += begin < end;
}

/* Notes rows of the level from row at->row on, as many as there is space for. All that a level has
 * is computed again where it has more: registers are few. */
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

/* Notes rows of this level or, where it has no more, of the next one; returns whether there are
 * any. */
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

/* Keeps ranks that may overlap the query, until there are as many as it can keep, or no more: then
 * it returns 0. Four at a time: two loads of 16 bytes, one wait; what is before or behind a stretch
 * is read, too. */
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

/* Of the group's queries what comparing needs. */
typedef struct grid_queries {
    u32 rank0;            /* the first one's rank; others follow */
    LOCAL const u32 *own; /* of each the first rank of its own level */
} grid_queries;

/* Asks about all that is packed. */
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

/* Where a search has come to is in local memory between its parts: registers are few. */
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
