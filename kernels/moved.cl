/* Changes since the last frame of the same mesh: bounds of primitives that did not move are not
 * recomputed.
 *
 * An item owns a chunk of vertices, or a range of primitives. GPUs cache nothing. */
#include "dop.h"
#include "moved.h"
#include "prim.h"
#include "prim_bound.h"
#include "tri.h"
#include "vec.h"

/* Returns whether all numbers [i, end) have the same bits as before. */
FN i32 points_same(GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide,
                   GLOBAL const f64 *before, size_t i, size_t end)
{
    u64 other = 0;
    if (wide)
        for (; i < end; i++)
            other |= bits_from_f64(in64[i]) ^ bits_from_f64(before[i]);
    else
        for (; i < end; i++)
            other |= bits_from_f64(f64_from_f32(in32[i])) ^ bits_from_f64(before[i]);
    return !other;
}

/* Compares the points of a chunk of vertices to those of the previous frame, which they replace.
 * moved[v]: vertex v differs; any[c]: a vertex of chunk c differs. box[BOX_BOUNDS c ..] is the box
 * of the vertices that primitives use, bad[c] the number of these that are not finite: both are
 * unchanged where nothing moved. renewed[c]: 0 or a flag of moved.h. any[] of the previous frame
 * tells which flags may be set, so that a chunk that does not move is read and not written. */
KERNEL void moved_points(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                         GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide,
                         GLOBAL const u8 *used, GLOBAL const u8 *renewed, GLOBAL f64 *before,
                         GLOBAL u8 *moved, GLOBAL u8 *any, GLOBAL f64 *box, GLOBAL u32 *bad)
{
    if (ITEM >= n)
        return;
    u32 from = first[ITEM], end = last[ITEM], wrong = 0, others = 0;
    f64 lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!renewed[ITEM] &&
        points_same(in32, in64, wide, before, (size_t)3 * from, (size_t)3 * end)) {
        for (u32 v = from; any[ITEM] && v < end; v++)
            moved[v] = 0;
        any[ITEM] = 0;
        return;
    }
    for (u32 v = from; v < end; v++) {
        u32 other = renewed[ITEM] == MOVED_FIRST, off = 0;
        for (u32 k = 0; k < 3; k++) {
            size_t i = (size_t)3 * v + k;
            f64 x = wide ? in64[i] : f64_from_f32(in32[i]);
            if (renewed[ITEM] != MOVED_FIRST)
                other |= bits_from_f64(x) != bits_from_f64(before[i]);
            off |= !(x - x == 0);
            before[i] = x;
            lo[k] = used[v] ? lane_min(lo[k], x) : lo[k];
            hi[k] = used[v] ? lane_max(hi[k], x) : hi[k];
        }
        moved[v] = (u8)other;
        others |= other;
        wrong += off && used[v];
    }
    for (u32 k = 0; k < 3; k++) {
        box[(size_t)BOX_BOUNDS * ITEM + k] = lo[k];
        box[(size_t)BOX_BOUNDS * ITEM + 3 + k] = hi[k];
    }
    any[ITEM] = (u8)others;
    bad[ITEM] = wrong;
}

/* span[2 c], span[2 c + 1]: the least and the greatest vertex of the DIRTY_GROUP primitives from
 * number DIRTY_GROUP c on, except for the vertex `nowhere`. For groups in which some changed, or
 * for all. */
KERNEL void dirty_spans(ITEM_ARG u32 n, u32 prims, u32 corners, GLOBAL const u32 *corner,
                        u32 nowhere, u32 all, GLOBAL const u8 *other, GLOBAL u32 *span)
{
    if (ITEM >= n || !(all || other[ITEM]))
        return;
    u32 low = 0xffffffffu, high = 0, first = DIRTY_GROUP * ITEM;
    size_t end = (size_t)corners * (first + u32_min(prims - first, DIRTY_GROUP));
    for (size_t i = (size_t)corners * first; i < end; i++) {
        u32 v = corner[i];
        low = v != nowhere && v < low ? v : low;
        high = v != nowhere && v > high ? v : high;
    }
    span[(size_t)2 * ITEM] = low;
    span[(size_t)2 * ITEM + 1] = high;
}

/* moved[i]: primitive i has a vertex that moved. An item processes DIRTY_GROUP primitives; it reads
 * the flags of chunks of `length` vertices first, unless these are more than the primitives.
 * count[c]: number of primitives of group c that moved. If it was 0 in the previous frame, no flag
 * of the group is set. */
KERNEL void dirty_prims(ITEM_ARG u32 n, u32 prims, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL const u32 *span, u32 length, GLOBAL const u8 *any,
                        GLOBAL const u8 *moved_point, GLOBAL u8 *moved, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 first = DIRTY_GROUP * ITEM, last = first + u32_min(prims - first, DIRTY_GROUP), sum = 0;
    u32 low = span[(size_t)2 * ITEM], high = span[(size_t)2 * ITEM + 1];
    u32 some = low <= high && (high - low) / length >= DIRTY_GROUP;
    for (u32 c = low / length; low <= high && c <= high / length && !some; c++)
        some = any[c];
    if (!some && !count[ITEM])
        return;
    for (u32 i = first; i < last; i++) {
        GLOBAL const u32 *c = corner + (size_t)corners * i;
        u8 own = 0;
        for (u32 k = 0; k < corners && some; k++)
            own |= moved_point[c[k]];
        moved[i] = own;
        sum += own;
    }
    count[ITEM] = sum;
}

/* Recomputes count[c] for groups in which primitives changed: their flags were set in the meantime.
 */
KERNEL void dirty_recount(ITEM_ARG u32 n, u32 prims, GLOBAL const u8 *other, GLOBAL const u8 *moved,
                          GLOBAL u32 *count)
{
    if (ITEM >= n || !other[ITEM])
        return;
    u32 first = DIRTY_GROUP * ITEM, last = first + u32_min(prims - first, DIRTY_GROUP), sum = 0;
    for (u32 i = first; i < last; i++)
        sum += moved[i];
    count[ITEM] = sum;
}

/* The primitives that moved, in ascending order: those of group c from offset[c] on. */
KERNEL void dirty_list(ITEM_ARG u32 n, u32 prims, GLOBAL const u8 *moved, GLOBAL const u64 *offset,
                       GLOBAL u32 *list)
{
    if (ITEM >= n || offset[ITEM] == offset[ITEM + 1])
        return;
    u32 first = DIRTY_GROUP * ITEM, last = first + u32_min(prims - first, DIRTY_GROUP);
    u64 at = offset[ITEM];
    for (u32 i = first; i < last; i++)
        if (moved[i])
            list[at++] = i;
}

/* Scales points like frame_scale, for chunks in which some moved; one frame. */
KERNEL void moved_scale(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                        GLOBAL const u8 *any, GLOBAL const f64 *points, GLOBAL const f64 *scale,
                        GLOBAL f64 *x)
{
    if (ITEM >= n || !any[ITEM])
        return;
    size_t end = (size_t)3 * last[ITEM];
    for (size_t i = (size_t)3 * first[ITEM]; i < end; i++)
        x[i] = points[i] * scale[0] * scale[1];
}

/* Bounds of the primitives that moved, as from bound_box and bound_slabs; one frame. */
KERNEL void dirty_bounds(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f64 *centre,
                         u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 k,
                         GLOBAL f32 *box, GLOBAL f32 *slab)
{
    if (ITEM >= n)
        return;
    v3 o = v3_load(centre, 0);
    u32 extra = dop_extra_count(k), i = prim[ITEM];
    prim_box(x, corner, corners, i, o, box + (size_t)BOX_BOUNDS * i);
    if (extra)
        prim_slabs(x, corner, corners, i, o, k, slab + (size_t)2 * extra * i);
}

/* Inflates them as bound_grow does. */
KERNEL void dirty_grow(ITEM_ARG u32 n, GLOBAL const u32 *prim, GLOBAL const f64 *grow, u32 extra,
                       GLOBAL f32 *box, GLOBAL f32 *slab)
{
    if (ITEM >= n)
        return;
    prim_grow(grow[0], extra, box + (size_t)BOX_BOUNDS * prim[ITEM],
              slab + (size_t)2 * extra * prim[ITEM]);
}
