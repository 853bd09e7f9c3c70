/* Size classes and tables of tiles, for the search (tiles.cl) and the host that builds them
 * (host/broad/tiles). */
#ifndef IMP_TILES_H
#define IMP_TILES_H
#include "cell.h"

#define TILES_BINS 256   /* bins of the histogram of sizes, four an octave; 0: no size, or nearly */
#define TILES_OCTAVES 58 /* below 1, where bins begin; bounds are rounded by 2^-49 and more */
#define TILES_CLASS 4    /* most consecutive bins of a class: sizes within a factor of 2 */
#define TILES_PARTS 2    /* most parts of a frame: prim_part */
#define TILES_WORDS 5    /* words of a class's record */

#define TILES_VISIT_BITS 8u /* bits of a stamp (hash.h) for the classes of a frame, plus one */

/* Tiles farther out coincide: float32 does not distinguish them, and numbers never wrap. */
#define TILE_FAR 0x1p24f

/* The product is rounded, but rounding is monotone, as all other steps are: boxes that overlap
 * share a tile, and the tile of the maximum of two numbers is the maximum of their tiles. */
FN i32 tile_of(f32 x, f32 inv)
{
    f32 t = x * inv;
    t = t > -TILE_FAR ? t : -TILE_FAR;
    t = t < TILE_FAR ? t : TILE_FAR;
    return (i32)f32_floor(t);
}

FN cell3 tile_at(GLOBAL const f32 *p, f32 inv)
{
    cell3 t;
    t.x = tile_of(p[0], inv);
    t.y = tile_of(p[1], inv);
    t.z = tile_of(p[2], inv);
    return t;
}

/* One class of one frame. */
typedef struct tile_class {
    f32 inv;        /* tiles per unit */
    u32 base, mask; /* first bucket, and number of buckets - 1 */
    u32 part;       /* part whose primitives it holds: prim_part */
} tile_class;

FN tile_class tile_class_at(GLOBAL const u32 *record, u32 c)
{
    GLOBAL const u32 *r = record + (size_t)TILES_WORDS * c;
    tile_class t;
    t.inv = f32_from_bits(r[1]);
    t.base = r[2];
    t.mask = r[3];
    t.part = r[4];
    return t;
}

#endif
