/* A sorted grid: every primitive is stored once, in the cell of its lower corner.
 *
 * Primitives are divided into levels by size. Each level has its own grid, whose cells are as large
 * as its largest primitive (GRID_REACH cells along y and z, GRID_REACH_X finer ones along x). Cells
 * are numbered row by row, x fastest, and primitives are sorted by cell, so the cells that a box
 * can overlap are a few rows, each a range of the sorted arrays.
 *
 * Rows and columns wrap around: a table of a bounded number of cells serves any extent. Distant
 * cells that share an entry only cost tests; the cells that one look-up visits are all different,
 * because a grid has more cells along each axis than a look-up spans, or all cells of the extent.
 *
 * A pair of one level is found by the primitive whose cell is the lesser along x; if both are the
 * same, by the one that is sorted first. A pair of two levels is found from the later level, whose
 * primitives are smaller. No pair is found twice. Where two objects are parts (prim_part), levels
 * of the own part are not searched. */
#include "dop.h"
#include "grid_cells.h"
#include "group.h"
#include "segment.h"

#ifndef IMP_DEVICE

/* histogram[GRID_BINS (GRID_PARTS c + part / 2) + bin]: number of primitives of chunk c that enter,
 * by part and by size bin */
KERNEL void grid_sizes(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                       GLOBAL const u32 *frame, GLOBAL const u32 *prim0,
                       GLOBAL const u32 *bipartite, GLOBAL const i32 *object, GLOBAL const f32 *box,
                       GLOBAL u32 *histogram)
{
    if (ITEM >= n)
        return;
    u32 one = prim0[frame[ITEM]], two = bipartite[frame[ITEM]];
    GLOBAL u32 *h = histogram + (size_t)GRID_PARTS * GRID_BINS * ITEM;
    for (u32 b = 0; b < GRID_PARTS * GRID_BINS; b++)
        h[b] = 0;
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        GLOBAL const f32 *b = box_at(box, i);
        if (box_enters(b))
            h[GRID_BINS * (prim_part(two, object, one, i) >> 1) +
              size_bin(box_size(b), GRID_OCTAVES, GRID_BINS)]++;
    }
}

#endif

/* The cell of a box in the table. Levels are [first, last); the box's own level is the last one of
 * its part that is large enough. */
FN u32 grid_key(GLOBAL const u32 *record, u32 first, u32 last, u32 part, GLOBAL const f32 *box)
{
    f32 size = box_size(box);
    u32 own = first;
    for (u32 l = first; l < last; l++)
        if (record[(size_t)GRID_WORDS * l + 7] == part &&
            size < f32_from_bits(record[(size_t)GRID_WORDS * l]))
            own = l;
    grid_level g = grid_level_at(record, own);
    u32 x = (u32)cell_of(box[0], g.inv_x) & ((1u << g.bits_x) - 1);
    return grid_row_cell(&g, grid_row(&g, cell_of(box[1], g.inv), cell_of(box[2], g.inv))) + x;
}

#ifndef IMP_DEVICE

/* Writes the cells and numbers of the primitives of chunk c that enter, from entry0[c] on. Levels
 * of frame f are level0[f] .. level0[f + 1]. */
KERNEL void grid_keys(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                      GLOBAL const u32 *frame, GLOBAL const u32 *prim0, GLOBAL const u32 *bipartite,
                      GLOBAL const i32 *object, GLOBAL const f32 *box, GLOBAL const u32 *level0,
                      GLOBAL const u32 *record, GLOBAL const u32 *entry0, GLOBAL u32 *key,
                      GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    u32 f = frame[ITEM], l0 = level0[f], l1 = level0[f + 1], to = entry0[ITEM];
    for (u32 i = first[ITEM]; i < last[ITEM]; i++) {
        GLOBAL const f32 *b = box_at(box, i);
        if (!box_enters(b))
            continue;
        key[to] = grid_key(record, l0, l1, prim_part(bipartite[f], object, prim0[f], i), b);
        value[to++] = i;
    }
}

#endif

/* The cell and number of each primitive. Empty bounds get cell number `cells`, one past the last,
 * and so are sorted to the end. For devices with many items in flight. */
KERNEL void grid_keys_each(ITEM_ARG u32 n, GLOBAL const f32 *box, u32 frames,
                           GLOBAL const u32 *prim0, GLOBAL const u32 *bipartite,
                           GLOBAL const i32 *object, GLOBAL const u32 *level0,
                           GLOBAL const u32 *record, u32 cells, GLOBAL u32 *key, GLOBAL u32 *value)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *b = box_at(box, ITEM);
    u32 cell = cells;
    if (box_enters(b)) {
        u32 f = frame_of(prim0, frames, ITEM);
        u32 part = prim_part(bipartite[f], object, prim0[f], ITEM);
        cell = grid_key(record, level0[f], level0[f + 1], part, b);
    }
    key[ITEM] = cell;
    value[ITEM] = ITEM;
}

#ifndef IMP_DEVICE

/* The boxes in sorted order, each bound in an array of its own: six arrays of n floats. With
 * `corners` the three corners likewise. */
KERNEL void grid_gather(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL const f32 *box,
                        GLOBAL f32 *sorted, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL u32 *sorted_corner)
{
    if (ITEM >= n)
        return;
    u32 from = id[ITEM];
    for (u32 k = 0; k < 6; k++)
        sorted[(size_t)k * n + ITEM] = box_at(box, from)[k];
    for (u32 k = 0; corners && k < 3; k++)
        sorted_corner[(size_t)k * n + ITEM] = corner[(size_t)3 * from + k];
}

#endif

#ifndef IMP_DEVICE

/* start[c] for every cell: item e, the first of its cell in sorted order, writes its own and the
 * empty cells before it; item `prims`, one past the last, writes the rest. */
KERNEL void grid_starts(ITEM_ARG u32 n, u32 cells, GLOBAL const u32 *key, GLOBAL u32 *start)
{
    if (ITEM >= n)
        return;
    u32 e = ITEM, from = e > 0 ? key[e - 1] + 1 : 0, to = e + 1 < n ? key[e] + 1 : cells + 1;
    for (u32 c = from; c < to; c++)
        start[c] = e;
}

#endif

#ifdef IMP_DEVICE

#define GRID_PROBES 16 /* loads of a search step, all in flight at once */
#define GRID_PER (GRID_CHUNK / SEGMENT_GROUP)

#if 32 % GRID_PER
#error "an item's cells lie side by side in local memory"
#endif

/* The first of the sorted keys that is not less than `cell`, or `prims`. It is among the `left`
 * keys from `lo` on, or the next one. */
FN u32 grid_first(GLOBAL const u32 *key, u32 prims, u32 cell)
{
    u32 lo = 0, left = prims;
    while (left > 0) {
        u32 step = left / GRID_PROBES + 1, below = 0;
        UNROLLED
        for (u32 k = 0; k < GRID_PROBES; k++) {
            u32 at = k * step;
            below += (u32)(key[lo + u32_min(at, left - 1)] < cell) & (u32)(at < left);
        }
        u32 after = below > 0 ? (below - 1) * step + 1 : 0;
        left = below > 0 ? u32_min(step - 1, left - after) : 0;
        lo += after;
    }
    return lo;
}

/* Gives item l the minimum of x over the items after it, or `end`; every item must call it. It
 * alternates between the halves of `least`: one barrier a step. */
FN u32 grid_suffix(u32 x, u32 end, LOCAL u32 *least)
{
    u32 l = LOCAL_ID, side = 0;
    least[l] = x;
    ROLLED
    for (u32 d = 1; d < SEGMENT_GROUP; d *= 2) {
        BARRIER();
        x = u32_min(x, l + d < SEGMENT_GROUP ? least[side + l + d] : end);
        side ^= SEGMENT_GROUP;
        least[side + l] = x;
    }
    BARRIER();
    return l + 1 < SEGMENT_GROUP ? least[side + l + 1] : end;
}

/* Stores the primitives of begin .. end that are the first of their cells in first[]. */
FN void grid_firsts(GLOBAL const u32 *key, u32 begin, u32 end, u32 cell0, LOCAL u32 *first)
{
    for (u32 e = begin + LOCAL_ID; e < end; e += 4 * SEGMENT_GROUP) {
        u32 own[4], before[4];
        UNROLLED
        for (u32 k = 0; k < 4; k++) {
            u32 at = u32_min(e + k * SEGMENT_GROUP, end - 1);
            own[k] = key[at];
            before[k] = key[u32_max(at, begin + 1) - 1];
        }
        UNROLLED
        for (u32 k = 0; k < 4; k++) {
            u32 at = e + k * SEGMENT_GROUP;
            if (at < end && (at == begin || before[k] != own[k]))
                first[bank_of(own[k] - cell0)] = at;
        }
    }
}

/* start[c] of GRID_CHUNK cells: the first primitive of the cell, else of the next non-empty one.
 * Runs of empty cells may be as long as the table: a single item would take milliseconds for one.
 */
GROUP_KERNEL(SEGMENT_GROUP)
grid_starts_group(u32 prims, u32 cells, GLOBAL const u32 *key, GLOBAL u32 *start)
{
    SHARED u32 first[BANK_ROW(GRID_CHUNK)], least[2 * SEGMENT_GROUP], ends[2];
    u32 l = LOCAL_ID, cell0 = GROUP_ID * GRID_CHUNK;
    u32 most = cells - cell0 < GRID_CHUNK ? cells - cell0 + 1 : GRID_CHUNK;
    u32 mine = bank_of(GRID_PER * l), next = prims, own[GRID_PER];
    if (l < 2)
        ends[l] = grid_first(key, prims, cell0 + l * most);
    BARRIER();
    UNROLLED
    for (u32 k = 0; k < GRID_PER; k++)
        first[bank_of(l) + BANK_ROW(SEGMENT_GROUP) * k] = ends[1];
    BARRIER();
    grid_firsts(key, ends[0], ends[1], cell0, first);
    BARRIER();
    UNROLLED
    for (u32 k = 0; k < GRID_PER; k++) {
        own[k] = first[mine + k];
        next = u32_min(next, own[k]);
    }
    next = grid_suffix(next, ends[1], least);
    UNROLLED
    for (u32 k = GRID_PER; k-- > 0;) {
        next = u32_min(next, own[k]);
        first[mine + k] = next;
    }
    BARRIER();
    UNROLLED
    for (u32 k = 0; k < GRID_PER; k++)
        if (l + k * SEGMENT_GROUP < most)
            start[cell0 + l + k * SEGMENT_GROUP] = first[bank_of(l) + BANK_ROW(SEGMENT_GROUP) * k];
}

#endif

#ifdef IMP_DEVICE

/* grid_gather in the layout that GPUs read (grid_cells.h). Ranks of frame f are rank0[f] .. rank0[f
 * + 1]. */
GROUP_KERNEL(SEARCH_GROUP)
grid_gather_group(u32 n, GLOBAL const f32 *box, u32 corners, GLOBAL const u32 *corner,
                  GLOBAL const u32 *id, GLOBAL const u32 *start, GLOBAL const u32 *record,
                  GLOBAL const u32 *level0, u32 frames, GLOBAL const u32 *rank0, GLOBAL f32 *sorted,
                  GLOBAL u32 *sorted_corner)
{
    if (ITEM >= n)
        return;
    const grid g = {id, start, record, sorted, sorted_corner, n};
    u32 from = id[ITEM], f = frame_of(rank0, frames, ITEM);
    grid_level l = grid_level_at(record, grid_own(&g, level0[f], level0[f + 1], ITEM));
    GLOBAL const f32 *b = box_at(box, from);
    const f32 lo[3] = {b[0], b[1], b[2]}, hi[3] = {b[3], b[4], b[5]};
    GLOBAL u32x4 *to = (GLOBAL u32x4 *)sorted + ITEM;
    to[0] = bits_from_f32x4(F32X4(lo[0], lo[1], lo[2], 0));
    to[n] = bits_from_f32x4(F32X4(hi[0], hi[1], hi[2], 0));
    GLOBAL u32 *rough = (GLOBAL u32 *)(sorted + GRID_ROUGH(n));
    rough[ITEM] = grid_fields(l.fine, lo, hi);
    for (u32 k = 0; ITEM == n - 1 && k < GRID_BEHIND; k++)
        rough[n + k] = 0;
    GLOBAL const u32 *c = corner + (size_t)3 * from;
    ((GLOBAL u32x4 *)sorted_corner)[ITEM] =
        corners ? U32X4(c[0], c[1], c[2], from) : U32X4(0, 0, 0, from);
}

#endif

/* tests the sorted primitives from `begin` to `end` */
FN void grid_stretch(const scene *s, const grid *g, const query *f, u32 begin, u32 end, finds *out)
{
    for (u32 j = begin; j < end; j++)
        if (grid_pairs(s, g, f, j))
            finds_hit(s, g->id, out, f->rank, j);
}

/* All pairs that a query finds in one level: its own level or one of larger primitives. One loop
 * over all rows, and one over the ranges of a row, take fewer GPU registers than nested loops. */
FN void grid_walk(const scene *s, const grid *g, const grid_level *l, u32 own, const query *f,
                  finds *out)
{
    grid_range r = grid_range_of(l, own, f->rank, f->lo, f->hi);
    i32 y = r.y0, z = r.z0;
    while (y <= r.y1 && z <= r.z1) {
        grid_cells c = grid_cells_of(g, l, &r, y, z);
        ROLLED
        for (u32 part = 0; part < 2; part++)
            grid_stretch(s, g, f, c.begin[part], c.end[part], out);
        i32 last = y == r.y1;
        y = last ? r.y0 : y + 1;
        z += last;
    }
}

/* All pairs that the primitive at a rank finds. Levels of its frame are [first, last). */
FN void grid_find(const scene *s, const grid *g, u32 first, u32 last, u32 rank, finds *out)
{
    query f = grid_query(g, rank, s->rules & RULE_SKIP_ADJACENT);
    u32 own = grid_own(g, first, last, rank);
    grid_level mine = grid_level_at(g->record, own);
    for (u32 l = first; l <= own; l++) {
        grid_level level = grid_level_at(g->record, l);
        if (grid_looks(&mine, &level))
            grid_walk(s, g, &level, l == own, &f, out);
    }
}

/* Query i is the primitive at rank i; those of frame f are rank0[f] .. rank0[f + 1]. */
KERNEL void grid_count(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, GRID_ARGS, u32 frames,
                       GLOBAL const u32 *rank0, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const grid g = GRID;
    u32 rank = query0 + ITEM, f = frame_of(rank0, frames, rank);
    finds x = finds_make(&s, FOUND_MOST, 0, sink_none());
    grid_find(&s, &g, level0[f], level0[f + 1], rank, &x);
    count[rank] = x.found;
}

KERNEL void grid_emit(ITEM_ARG u32 n, u32 query0, SCENE_ARGS, GRID_ARGS, u32 frames,
                      GLOBAL const u32 *rank0, GLOBAL const u64 *offset, u64 base, GLOBAL u32 *a,
                      GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    const scene s = SCENE;
    const grid g = GRID;
    u32 rank = query0 + ITEM, f = frame_of(rank0, frames, rank);
    finds x = finds_make(&s, FOUND_MOST, 0, sink_at(a, b, offset[rank] - base));
    grid_find(&s, &g, level0[f], level0[f + 1], rank, &x);
}
