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

#define GRID_FULL (SEARCH_KEPT - 7) /* with more kept ranks there is no room for eight more */

/* Progress of an item's search. */
typedef struct grid_seek {
    u32 first, own, level; /* the lowest level, the own one, and the next one to note, which goes
                              from own down to first */
    u32 row;               /* rows of that level noted so far */
    u32 k, count;          /* ranges: the next one, and all that are noted */
    u32 begin, left;       /* the unsearched rest of a range */
    u32 rough;             /* the query's quantised bounds for the level of the ranges */
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
    grid_range r = grid_range_of(&l, at->level == at->own, rank, f.lo, f.hi);
    u32 wide = (u32)i32_max(r.y1 - r.y0 + 1, 0), high = (u32)i32_max(r.z1 - r.z0 + 1, 0);
    u32 rows = grid_looks(&mine, &l) ? wide * high : 0;
    at->rough = grid_fields_query(l.fine, f.lo, f.hi);
    ROLLED
    for (; at->row < rows && at->count + 2 <= GRID_STRETCHES; at->row++) {
        i32 z = (i32)(at->row / wide), y = (i32)(at->row - (u32)z * wide);
        grid_cells c = grid_cells_of(g, &l, &r, r.y0 + y, r.z0 + z);
        grid_note(list, at, c.begin[0], c.end[0]);
        grid_note(list, at, c.begin[1], c.end[1]);
    }
    if (at->row == rows) {
        at->row = 0;
        at->level--;
    }
}

/* Notes rows of the next level that has any; returns whether any were noted. */
FN_LOCAL u32 grid_seek_rows(const grid *g, u32 rank, LOCAL u32 *list, grid_seek *at)
{
    at->k = at->count = 0;
    while (!at->count && at->level + 1 != at->first)
        grid_seek_level(g, rank, list, at);
    return at->count;
}

/* Keeps a rank if `keep`, at kept[n]; returns the place of the next one. */
FN_LOCAL u32 grid_keep(LOCAL u32 *kept, u32 n, u32 rank, i32 keep)
{
    kept[n] = rank;
    return n + (keep ? SEARCH_GROUP : 0);
}

/* Keeps ranks that may overlap the query until its space is full, or returns 0 when none are left.
 * It reads eight at a time: two loads of 16 bytes, one wait; they may include words just before or
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
        u32 before = at->begin & 3, j = at->begin - before, left = at->left + before, w = at->rough;
        GLOBAL const u32x4 *rough = (GLOBAL const u32x4 *)(g->box + GRID_ROUGH(g->stride)) + j / 4;
        u32x4 p = rough[0], q = rough[1];
        n = grid_keep(kept, n, j, grid_near(w, p.x) & (i32)(before < 1));
        n = grid_keep(kept, n, j + 1, grid_near(w, p.y) & (i32)(before < 2) & (i32)(left > 1));
        n = grid_keep(kept, n, j + 2, grid_near(w, p.z) & (i32)(before < 3) & (i32)(left > 2));
        n = grid_keep(kept, n, j + 3, grid_near(w, p.w) & (i32)(left > 3));
        n = grid_keep(kept, n, j + 4, grid_near(w, q.x) & (i32)(left > 4));
        n = grid_keep(kept, n, j + 5, grid_near(w, q.y) & (i32)(left > 5));
        n = grid_keep(kept, n, j + 6, grid_near(w, q.z) & (i32)(left > 6));
        n = grid_keep(kept, n, j + 7, grid_near(w, q.w) & (i32)(left > 7));
        at->begin = j + 8;
        at->left = left - u32_min(left, 8);
    }
    x->kept = n / SEARCH_GROUP;
    return more;
}

/* Tests all packed pairs of the queries from rank0 on. All loads of a pair are in flight at once.
 */
FN_LOCAL void grid_sift(const scene *s, const grid *g, u32 rank0, const search *x, u32 all)
{
    LOCAL search_shared *m = x->shared;
    GLOBAL const u32x4 *corner = (GLOBAL const u32x4 *)g->corner;
    i32 corners = (s->rules & RULE_SKIP_ADJACENT) != 0,
        tets = (s->rules & RULE_SKIP_TETRAHEDRA) != 0;
    ROLLED
    for (u32 i = LOCAL_ID; i < all; i += SEARCH_GROUP) {
        u32 pair = m->packed[i], item = pair % SEARCH_GROUP, j = m->kept[pair], k = rank0 + item;
        f32x4 lo = grid_corner(g, 0, j), hi = grid_corner(g, 1, j);
        f32x4 low = grid_corner(g, 0, k), high = grid_corner(g, 1, k);
        u32x4 theirs = corner[j], own = corner[k];
        i32 near = f32x4_overlap(lo, hi, low, high);
        i32 shares = corners & u32x4_has(theirs, own.x, own.y, own.z);
        if (!near || shares || (tets && tet_shares(s->corner, own.w, theirs.w)) ||
            !scene_allows(s, own.w, theirs.w))
            m->packed[i] = SEARCH_GONE;
        else
            m->kept[pair] = theirs.w;
    }
}

/* Query i is the primitive at rank i; those of frame f are rank0[f] .. rank0[f + 1]. */
GROUP_KERNEL(SEARCH_GROUP)
grid_search_group(u32 n, SCENE_ARGS, GRID_ARGS, u32 frames, GLOBAL const u32 *rank0, SEARCH_ARGS)
{
    SHARED search_shared shared;
    SHARED u32 noted[2 * GRID_STRETCHES * SEARCH_GROUP];
    const scene s = SCENE;
    const grid g = GRID;
    const search_list to = SEARCH_LIST;
    u32 l = LOCAL_ID, rank = u32_min(ITEM, n - 1), f = frame_of(rank0, frames, rank);
    u32 own = grid_own(&g, level0[f], level0[f + 1], rank), more = ITEM < n, all;
    grid_seek at = {.first = level0[f], .own = own, .level = own};
    search x;
    search_begin(&x, &to, &shared, frames, f, g.id[rank]);
    do {
        more = more ? grid_seek_some(&g, rank, noted + l, &at, &x) : 0;
        all = search_pack(&x);
        grid_sift(&s, &g, ITEM - l, &x, all);
        search_write(&x, all);
    } while (search_any(&x, more));
}

#endif
