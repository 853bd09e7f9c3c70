/* Levels, rows and cells of sorted grids, and the data that a search compares: for grid.cl, which
 * describes them, and grid_search.cl. */
#ifndef IMP_GRID_CELLS_H
#define IMP_GRID_CELLS_H
#include "cell.h"
#include "finds.h"
#include "grid.h"
#include "prim.h"

/* One level of one frame. */
typedef struct grid_level {
    f32 inv_x, inv;     /* cells per unit */
    f32 fine;           /* quantisation steps per unit */
    u32 bits_x, bits_y; /* log2 of the number of cells */
    u32 mask_z;
    u32 base;           /* its first cell in the table */
    u32 part;           /* part whose primitives it holds (prim_part); 0: all */
    i32 y0, y1, z0, z1; /* least and greatest existing cells, before wrapping */
} grid_level;

FN grid_level grid_level_at(GLOBAL const u32 *record, u32 l)
{
    GLOBAL const u32 *r = record + (size_t)GRID_WORDS * l;
    grid_level g;
    g.inv_x = f32_from_bits(r[1]);
    g.inv = f32_from_bits(r[2]);
    g.fine = g.inv * GRID_FINE < GRID_FINE_MOST ? g.inv * GRID_FINE : GRID_FINE_MOST;
    g.bits_x = r[3];
    g.bits_y = r[4];
    g.mask_z = r[5];
    g.base = r[6];
    g.part = r[7];
    g.y0 = (i32)r[8];
    g.y1 = (i32)r[9];
    g.z0 = (i32)r[10];
    g.z1 = (i32)r[11];
    return g;
}

/* row index in a level, with y and z wrapped */
FN u32 grid_row(const grid_level *g, i32 y, i32 z)
{
    u32 row_y = (u32)y & ((1u << g->bits_y) - 1), row_z = (u32)z & g->mask_z;
    return (row_z << g->bits_y) + row_y;
}

/* first cell of a row */
FN u32 grid_row_cell(const grid_level *g, u32 row)
{
    return g->base + (row << g->bits_x);
}

/* Arguments of a query. */
typedef struct grid {
    GLOBAL const u32 *id, *start, *record;
    GLOBAL const f32
        *box; /* six arrays of `stride`: lower x y z, upper x y z; or the GPU layout below */
    GLOBAL const u32 *corner; /* three arrays; or the GPU layout below */
    size_t stride;
} grid;

#define GRID_ARGS                                                                                  \
    GLOBAL const u32 *id, GLOBAL const u32 *start, GLOBAL const u32 *record,                       \
        GLOBAL const f32 *sorted, GLOBAL const u32 *sorted_corner, u32 stride,                     \
        GLOBAL const u32 *level0
#define GRID                                                                                       \
    {                                                                                              \
        id, start, record, sorted, sorted_corner, stride                                           \
    }

/* Sorted by cell, primitives are grouped by level: the rank where those of level l begin. */
FN u32 grid_level_rank(const grid *g, u32 l)
{
    return g->start[g->record[(size_t)GRID_WORDS * l + 6]];
}

/* The level of a rank among the levels of its frame, [first, last). */
FN u32 grid_own(const grid *g, u32 first, u32 last, u32 rank)
{
    u32 own = first;
    while (own + 1 < last && rank >= grid_level_rank(g, own + 1))
        own++;
    return own;
}

/* ---- where to search */

/* Returns whether primitives of level `own` search level l, which is the same or before it. */
FN u32 grid_looks(const grid_level *own, const grid_level *l)
{
    return !own->part || own->part != l->part;
}

/* The cells and ranks where a box's partners in a level are. */
typedef struct grid_range {
    i32 x0, x1, y0, y1, z0, z1;
    u32 row, after; /* rows before this one are searched from cell x0 + 1 on, this one from this
                       rank on; both are 0 in other levels than the own one */
} grid_range;

/* A pair of one level is found by the primitive whose cell is the lesser along x; if both are the
 * same, by the one with the lower rank. Primitives of a larger level do not search smaller ones. */
FN grid_range grid_range_of(const grid_level *l, u32 own, u32 rank, const f32 *lo, const f32 *hi)
{
    grid_range r;
    r.row = own ? grid_row(l, cell_of(lo[1], l->inv), cell_of(lo[2], l->inv)) : 0;
    r.after = own ? rank + 1 : 0;
    r.x0 = cell_of(lo[0], l->inv_x) - (own ? 0 : (i32)GRID_REACH_X);
    r.y0 = i32_max(cell_of(lo[1], l->inv) - (i32)GRID_REACH, l->y0);
    r.z0 = i32_max(cell_of(lo[2], l->inv) - (i32)GRID_REACH, l->z0);
    r.x1 = cell_of(hi[0], l->inv_x);
    r.y1 = i32_min(cell_of(hi[1], l->inv), l->y1);
    r.z1 = i32_min(cell_of(hi[2], l->inv), l->z1);
    return r;
}

/* The ranks of a row's cells, as two ranges, since rows wrap; either may be empty, the second
 * mostly is. */
typedef struct grid_cells {
    u32 begin[2], end[2];
} grid_cells;

FN grid_cells grid_cells_of(const grid *g, const grid_level *l, const grid_range *r, i32 y, i32 z)
{
    u32 row = grid_row(l, y, z), size = 1u << l->bits_x, cell = grid_row_cell(l, row);
    u32 x0 = (u32)r->x0 + (row < r->row), at = x0 & (size - 1), count = (u32)r->x1 + 1 - x0;
    u32 first = u32_min(count, size - at);
    grid_cells c;
    c.begin[0] = u32_max(g->start[cell + at], row == r->row ? r->after : 0);
    c.end[0] = g->start[cell + at + first];
    c.begin[1] = c.end[1] = 0;
    if (first < count) {
        c.begin[1] = g->start[cell];
        c.end[1] = g->start[cell + count - first];
    }
    return c;
}

/* A primitive that searches. */
typedef struct query {
    u32 rank; /* in sorted order */
    f32 lo[3], hi[3];
    u32 corner[3];
} query;

#ifdef IMP_DEVICE

/* The GPU layout, which is read several words at a time: `box` has lower corners, four words each,
 * then upper ones, then quantised bounds, a word each; `corner` has three corners, if they are
 * compared, and the number of the primitive.
 *
 * Quantised bounds are those along y and z, since cells are fine along x. They are integers in
 * units of 1/GRID_FINE of a cell, modulo 2^7: where bounds overlap, the differences of upper and
 * lower bounds are both in [0, 2^6), since rounding down is monotone. Upper bounds are negated, so
 * that all four differences are query minus primitive. A number has eight bits of a word. Its
 * eighth bit is 1 in a query and 0 in a primitive, so there is no borrow from the next number; the
 * seventh bit of a difference is set if it is negative or too large. */
#define GRID_FIELDS(x) ((x)*0x01010101u) /* x in each number */
#define GRID_ROUGH(n) ((size_t)8 * (n))  /* where quantised bounds begin in `box` */

FN u32 grid_field(i32 x, u32 k)
{
    return ((u32)x & 127u) << 8 * k;
}

FN u32 grid_fields(f32 fine, const f32 *lower, const f32 *upper)
{
    return grid_field(cell_of(lower[1], fine), 0) | grid_field(-cell_of(upper[1], fine), 1) |
           grid_field(cell_of(lower[2], fine), 2) | grid_field(-cell_of(upper[2], fine), 3);
}

/* A query's word: minus a primitive's word it compares each upper bound to a lower one. */
FN u32 grid_fields_query(f32 fine, const f32 *lower, const f32 *upper)
{
    return grid_fields(fine, upper, lower) | GRID_FIELDS(128u);
}

FN i32 grid_near(u32 seeker, u32 prim)
{
    return !((seeker - prim) & GRID_FIELDS(64u));
}

FN f32x4 grid_corner(const grid *g, u32 upper, u32 j)
{
    return f32x4_from_bits(((GLOBAL const u32x4 *)g->box)[upper * g->stride + j]);
}

FN i32 grid_shares(const grid *g, const query *f, u32 j)
{
    u32x4 c = ((GLOBAL const u32x4 *)g->corner)[j];
    return u32x4_has(c, f->corner[0], f->corner[1], f->corner[2]);
}

FN i32 grid_overlaps(const grid *g, const query *f, u32 j)
{
    return f32x4_overlap(grid_corner(g, 0, j), grid_corner(g, 1, j),
                         F32X4(f->lo[0], f->lo[1], f->lo[2], 0),
                         F32X4(f->hi[0], f->hi[1], f->hi[2], 0));
}

FN query grid_query(const grid *g, u32 rank, u32 corners)
{
    query f;
    f.rank = rank;
    f32x4 lo = grid_corner(g, 0, rank), hi = grid_corner(g, 1, rank);
    u32x4 c = corners ? ((GLOBAL const u32x4 *)g->corner)[rank] : U32X4(0, 0, 0, 0);
    f.lo[0] = lo.x;
    f.lo[1] = lo.y;
    f.lo[2] = lo.z;
    f.hi[0] = hi.x;
    f.hi[1] = hi.y;
    f.hi[2] = hi.z;
    f.corner[0] = c.x;
    f.corner[1] = c.y;
    f.corner[2] = c.z;
    return f;
}
#else
FN i32 query_has(const query *f, u32 corner)
{
    return corner == f->corner[0] || corner == f->corner[1] || corner == f->corner[2];
}

FN i32 grid_shares(const grid *g, const query *f, u32 j)
{
    for (u32 k = 0; k < 3; k++)
        if (query_has(f, g->corner[k * g->stride + j]))
            return 1;
    return 0;
}

FN i32 grid_overlaps(const grid *g, const query *f, u32 j)
{
    GLOBAL const f32 *b = g->box + j;
    size_t t = g->stride;
    return b[t] <= f->hi[1] && b[4 * t] >= f->lo[1] && b[2 * t] <= f->hi[2] &&
           b[5 * t] >= f->lo[2] && b[0] <= f->hi[0] && b[3 * t] >= f->lo[0];
}

FN query grid_query(const grid *g, u32 rank, u32 corners)
{
    query f;
    f.rank = rank;
    for (u32 k = 0; k < 3; k++) {
        f.lo[k] = g->box[k * g->stride + rank];
        f.hi[k] = g->box[(k + 3) * g->stride + rank];
        f.corner[k] = corners ? g->corner[k * g->stride + rank] : 0;
    }
    return f;
}
#endif

/* Returns whether the primitive at rank j overlaps the query and is allowed by the rules on
 * adjacency. */
FN i32 grid_pairs(const scene *s, const grid *g, const query *f, u32 j)
{
    return grid_overlaps(g, f, j) && !((s->rules & RULE_SKIP_ADJACENT) && grid_shares(g, f, j)) &&
           !((s->rules & RULE_SKIP_TETRAHEDRA) && tet_shares(s->corner, g->id[f->rank], g->id[j]));
}

#endif
