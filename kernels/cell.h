/* Cells of a uniform grid and their prime-coefficient hash (README.md).
 *
 * A coordinate x of the bounds, which is limited by BOUND_REACH (prim.h), lies in cell floor(x *
 * inv), with inv = 1 / edge. The product is rounded, but rounding is monotone and every stage calls
 * this one function, so overlapping boxes always share a cell. inv <= 2^24 keeps cells within 2^27.
 *
 * Cells of level L have edge 2^L * edge and nest. A box is stored at the lowest level where it
 * covers at most CELL_SPAN cells along each axis, so that large primitives cannot flood the table.
 */
#ifndef IMP_CELL_H
#define IMP_CELL_H
#include "dialect.h"

#define CELL_SPAN 4
#define CELL_LEVELS 28
#define CELL_BIAS (1 << 27) /* makes every cell coordinate positive, so that >> is floor */

/* A number of up to ten bits in each of the six fields of a word: the quantised bounds of a box
 * that searches on GPUs compare. */
#define CELL_FIELDS(bits) ((u64)(bits)*0x0004010040100401ul)

typedef struct cell3 {
    i32 x, y, z;
} cell3;

FN i32 cell_of(f32 x, f32 inv)
{
    return (i32)f32_floor(x * inv);
}

/* the cell of level `level` that contains cell i of level 0: floor(i / 2^level) */
FN i32 cell_up(i32 i, u32 level)
{
    return (i32)((u32)(i + CELL_BIAS) >> level) - (i32)((u32)CELL_BIAS >> level);
}

FN cell3 cell_at(GLOBAL const f32 *p, f32 inv, u32 level)
{
    cell3 c;
    c.x = cell_up(cell_of(p[0], inv), level);
    c.y = cell_up(cell_of(p[1], inv), level);
    c.z = cell_up(cell_of(p[2], inv), level);
    return c;
}

FN cell3 cell_max(cell3 a, cell3 b)
{
    cell3 c;
    c.x = i32_max(a.x, b.x);
    c.y = i32_max(a.y, b.y);
    c.z = i32_max(a.z, b.z);
    return c;
}

FN i32 cell_same(cell3 a, cell3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The next cell from lo to hi, x fastest; beyond hi along z after the last. One loop over all cells
 * takes fewer GPU registers than nested loops. */
FN cell3 cell_next(cell3 c, cell3 lo, cell3 hi)
{
    i32 row = c.x == hi.x, layer = row && c.y == hi.y;
    c.x = row ? lo.x : c.x + 1;
    c.y = layer ? lo.y : c.y + row;
    c.z += layer;
    return c;
}

/* the level at which a box (lower corner, upper corner) is stored */
FN u32 cell_level(GLOBAL const f32 *box, f32 inv)
{
    cell3 lo = cell_at(box, inv, 0), hi = cell_at(box + 3, inv, 0);
    u32 level = 0;
    while (level < CELL_LEVELS - 1 && (cell_up(hi.x, level) - cell_up(lo.x, level) >= CELL_SPAN ||
                                       cell_up(hi.y, level) - cell_up(lo.y, level) >= CELL_SPAN ||
                                       cell_up(hi.z, level) - cell_up(lo.z, level) >= CELL_SPAN))
        level++;
    return level;
}

/* h = (p1 i + p2 j + p3 k) mod length. Cells are within 2^27 and the primes within 2^23, so the
 * sum is exact in 64 bits; the remainder is the mathematical one, 0 <= h < length. */
FN u32 cell_hash(cell3 c, u32 length)
{
    i64 h = ((i64)2000689 * c.x + (i64)8000981 * c.y + (i64)5123693 * c.z) % (i64)length;
    return (u32)(h < 0 ? h + (i64)length : h);
}

/* (a + b) mod length for numbers below length */
FN u32 cell_hash_add(u32 a, u32 b, u32 length)
{
    return a < length - b ? a + b : a - (length - b);
}

/* The change of h from one cell to the next along each axis, so that one division serves all cells
 * of a box. */
typedef struct cell_steps {
    u32 x, y, z;
} cell_steps;

FN cell_steps cell_hash_steps(u32 length)
{
    cell_steps s;
    s.x = 2000689u % length;
    s.y = 8000981u % length;
    s.z = 5123693u % length;
    return s;
}

#endif
