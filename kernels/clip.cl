/* The cells of vertices and primitives in a grid over one of two objects, for the host
 * (host/objects/object_cells.h). A code is the cells of a vertex: byte k is that along axis k. All
 * loops are without branches, so that compilers use the vectors of each instruction set. */
#ifndef IMP_DEVICE

/* Adds the part of codes along axis k. */
#define CLIP_ALONG(point)                                                                          \
    for (size_t i = 0; i < n; i++) {                                                               \
        f64 t = ((f64)(point)[3 * i + k] / 2 - half) * per + one;                                  \
        f64 least = t > 0 ? t : 0, in = least < end ? least : end;                                 \
        code[i] |= (u32)(i32)in << 8 * k;                                                          \
    }

#define CLIP_CODES 512u /* vertices at a time, which stay in a cache for all axes */

/* code[i]: that of vertex first + i, for the CLIP_CODES vertices from CLIP_CODES ITEM on, of
 * `count`. axes: halves of the box's lower corner, cells in 2, the first cell beyond it, and the
 * cell in which that corner is; three each. */
KERNEL void clip_codes(ITEM_ARG u32 n_items, GLOBAL const f32 *in32, GLOBAL const f64 *in64,
                       u32 wide, u32 first, u32 count, GLOBAL const f64 *axes, GLOBAL u32 *codes)
{
    if (ITEM >= n_items)
        return;
    const u32 from = CLIP_CODES * ITEM;
    const size_t n = u32_min(count - from, CLIP_CODES), at = (size_t)3 * (first + from);
    GLOBAL u32 *code = codes + from;
    for (size_t i = 0; i < n; i++)
        code[i] = 0;
    for (u32 k = 0; k < 3; k++) {
        const f64 half = axes[k], per = axes[3 + k], end = axes[6 + k], one = axes[9 + k];
        if (wide)
            CLIP_ALONG(in64 + at)
        else
            CLIP_ALONG(in32 + at)
    }
}

#define CLIP_BLOCK 64u /* primitives */
#define CLIP_LONG 2u   /* more than two cells along an axis: not looked up */

/* out[i]: corner k of primitive i of a block */
FN void clip_gather(GLOBAL const u32 *corner, u32 corners, u32 k, u32 n, GLOBAL const u32 *code,
                    u32 *out)
{
    if (corners == 3)
        for (size_t i = 0; i < n; i++)
            out[i] = code[corner[3 * i + k]];
    else
        for (size_t i = 0; i < n; i++)
            out[i] = code[corner[corners * i + k]];
}

FN void clip_least(u8 *a, const u8 *b)
{
    for (u32 i = 0; i < 4 * CLIP_BLOCK; i++)
        a[i] = b[i] < a[i] ? b[i] : a[i];
}

FN void clip_most(u8 *a, const u8 *b)
{
    for (u32 i = 0; i < 4 * CLIP_BLOCK; i++)
        a[i] = b[i] > a[i] ? b[i] : a[i];
}

/* any[i]: whether range i has a cell of the set, or CLIP_LONG. row: see cell_lookup. */
FN void clip_look(const u32 *lo, const u32 *hi, u32 n, GLOBAL const u64 *row, GLOBAL u8 *any)
{
    for (size_t i = 0; i < n; i++) {
        const u32 d = hi[i] - lo[i];
        const u32 at =
            (lo[i] >> 8 & 63) | (lo[i] >> 10 & 0xfc0) | (d << 4 & 0x1000) | (d >> 3 & 0x2000);
        const u64 found = row[at] >> (lo[i] & 63) & (1 + 2 * (d & 1));
        any[i] = (u8)(d & 0xfefefe ? CLIP_LONG : found != 0);
    }
}

/* The ranges of cells of the CLIP_BLOCK primitives from CLIP_BLOCK ITEM on, of `prims`, whose
 * vertices have the codes least[] and most[]; any[]: with `looks`, see clip_look. */
KERNEL void clip_ranges(ITEM_ARG u32 n_items, u32 prims, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL const u32 *least, GLOBAL const u32 *most, u32 looks,
                        GLOBAL const u64 *row, GLOBAL u32 *lo, GLOBAL u32 *hi, GLOBAL u8 *any)
{
    if (ITEM >= n_items)
        return;
    const u32 from = CLIP_BLOCK * ITEM, n = u32_min(prims - from, CLIP_BLOCK);
    GLOBAL const u32 *c = corner + (size_t)corners * from;
    u32 low[CLIP_BLOCK] = {0}, high[CLIP_BLOCK] = {0}, next[CLIP_BLOCK] = {0};
    clip_gather(c, corners, 0, n, least, low);
    clip_gather(c, corners, 0, n, most, high);
    for (u32 k = 1; k < corners; k++) {
        clip_gather(c, corners, k, n, least, next);
        clip_least((u8 *)low, (const u8 *)next);
        if (most != least)
            clip_gather(c, corners, k, n, most, next);
        clip_most((u8 *)high, (const u8 *)next);
    }
    if (looks)
        clip_look(low, high, n, row, any + from);
    memcpy(lo + from, low, n * sizeof *lo);
    memcpy(hi + from, high, n * sizeof *hi);
}

#endif
