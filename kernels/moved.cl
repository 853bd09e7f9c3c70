/* What moved since the frame before, where a frame's mesh is the one before: the bounds of what did
 * not are left as they are. */
#include "dop.h"
#include "prim.h"
#include "prim_bound.h"
#include "vec.h"
#ifdef IMP_FP64

/* The same number, and no zero of another sign? Or none both. */
FN i32 same_f64(f64 a, f64 b)
{
    return a == b ? a != 0 || 1 / a == 1 / b : a != a && b != b;
}

/* Points of a chunk of vertices against those of the frame before, which they replace; anew: there
 * are none. moved[v]: does it differ? box[BOX_BOUNDS c ..] is around those that primitives use,
 * bad[c] how many of these are not finite. */
KERNEL void moved_points(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                         GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide,
                         GLOBAL const u8 *used, u32 anew, GLOBAL f64 *before, GLOBAL u8 *moved,
                         GLOBAL f64 *box, GLOBAL u32 *bad)
{
    if (ITEM >= n)
        return;
    f64 lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    u32 wrong = 0;
    for (u32 v = first[ITEM]; v < last[ITEM]; v++) {
        i32 other = (i32)anew, off = 0;
        for (u32 k = 0; k < 3; k++) {
            size_t i = (size_t)3 * v + k;
            f64 x = wide ? in64[i] : (f64)in32[i];
            if (!anew)
                other |= !same_f64(x, before[i]);
            off |= !(x - x == 0);
            before[i] = x;
            lo[k] = used[v] ? lane_min(lo[k], x) : lo[k];
            hi[k] = used[v] ? lane_max(hi[k], x) : hi[k];
        }
        moved[v] = (u8)other;
        wrong += off && used[v];
    }
    for (u32 k = 0; k < 3; k++) {
        box[(size_t)BOX_BOUNDS * ITEM + k] = lo[k];
        box[(size_t)BOX_BOUNDS * ITEM + 3 + k] = hi[k];
    }
    bad[ITEM] = wrong;
}

/* moved[i]: has primitive i a vertex that moved? */
KERNEL void moved_prims(ITEM_ARG u32 n, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL const u8 *moved_point, GLOBAL u8 *moved)
{
    if (ITEM >= n)
        return;
    GLOBAL const u32 *c = corner + (size_t)corners * ITEM;
    u8 any = 0;
    for (u32 k = 0; k < corners; k++)
        any |= moved_point[c[k]];
    moved[ITEM] = any;
}

/* Bounds of those that moved, as bound_box and bound_slabs have them; one frame. */
KERNEL void moved_bounds(ITEM_ARG u32 n, GLOBAL const u8 *moved, GLOBAL const f64 *centre,
                         u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 k,
                         GLOBAL f32 *box, GLOBAL f32 *slab)
{
    if (ITEM >= n || !moved[ITEM])
        return;
    v3 o = v3_load(centre, 0);
    u32 extra = dop_extra_count(k);
    prim_box(x, corner, corners, ITEM, o, box + (size_t)BOX_BOUNDS * ITEM);
    if (extra)
        prim_slabs(x, corner, corners, ITEM, o, k, slab + (size_t)2 * extra * ITEM);
}

#endif
