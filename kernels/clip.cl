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

#define CLIP_BLOCK 256u /* primitives */

/* out[i]: the code of corner k of primitive i */
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

/* The least and the greatest bytes of two ranges, which may be where they are written. */
FN void clip_join(const u32 *const *range, const u32 *const *other, u32 n, u32 *const *out)
{
    const u8 *lo = (const u8 *)range[0], *hi = (const u8 *)range[1];
    const u8 *least = (const u8 *)other[0], *most = (const u8 *)other[1];
    u8 *low = (u8 *)out[0], *high = (u8 *)out[1];
    for (size_t i = 0; i < (size_t)4 * n; i++) {
        u8 from = least[i] < lo[i] ? least[i] : lo[i];
        high[i] = most[i] > hi[i] ? most[i] : hi[i];
        low[i] = from;
    }
}

/* The ranges of cells of the CLIP_BLOCK primitives from CLIP_BLOCK ITEM on, of `prims`, whose two
 * vertices or more have the codes least[] and most[]. any[]: whether a range reaches into a box of
 * cells. below: 128 less its first cell along each axis; above: 127 less its last one. */
KERNEL void clip_ranges(ITEM_ARG u32 n_items, u32 prims, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL const u32 *least, GLOBAL const u32 *most, u32 below, u32 above,
                        GLOBAL u32 *lo, GLOBAL u32 *hi, GLOBAL u8 *any)
{
    if (ITEM >= n_items)
        return;
    const u32 from = CLIP_BLOCK * ITEM, n = u32_min(prims - from, CLIP_BLOCK), two = most != least;
    GLOBAL const u32 *c = corner + (size_t)corners * from;
    u32 code[4][CLIP_BLOCK];
    u32 *const out[2] = {lo + from, hi + from};
    const u32 *const first[2] = {code[2], code[2 + two]}, *const next[2] = {code[0], code[two]};
    for (u32 k = 0; k < corners; k++) {
        clip_gather(c, corners, k, n, least, code[k ? 0 : 2]);
        if (two)
            clip_gather(c, corners, k, n, most, code[k ? 1 : 3]);
        if (k)
            clip_join(k > 1 ? (const u32 *const *)out : first, next, n, out);
    }
    for (size_t i = 0; i < n; i++)
        any[from + i] = ((out[1][i] + below) & ~(out[0][i] + above) & 0x808080) == 0x808080;
}

#endif
