/* Bounds of primitives with any number of corners. Triangles, the most frequent kind, have a
 * separate form in bound.cl: corners stay in registers, and eight triangles are processed at a
 * time. */
#ifndef IMP_PRIM_BOUND_H
#define IMP_PRIM_BOUND_H
#include "dop.h"
#include "prim.h"
#include "tri.h"
#ifdef IMP_FP64
#include "lane_bound.h"

/* corner c of primitive i, relative to the centre of its frame */
FN v3 prim_corner(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 corners, u32 i, u32 c,
                  v3 centre)
{
    return v3_sub(v3_load(x, corner[(size_t)corners * i + c]), centre);
}

/* rounds one bound in each direction */
FN void prim_range(f64 lo, f64 hi, i32 bad, GLOBAL f32 *below, GLOBAL f32 *above)
{
    *below = bound_low(lo, bad);
    *above = bound_high(hi, bad);
}

FN void prim_box(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 corners, u32 i, v3 centre,
                 GLOBAL f32 *out)
{
    v3 lo = prim_corner(x, corner, corners, i, 0, centre), hi = lo;
    f64 sum = lo.x + lo.y + lo.z;
    for (u32 c = 1; c < corners; c++) {
        v3 p = prim_corner(x, corner, corners, i, c, centre);
        lo = v3_min(lo, p);
        hi = v3_max(hi, p);
        sum += p.x + p.y + p.z;
    }
    i32 bad = !(sum - sum == 0);
    prim_range(lo.x, hi.x, bad, out, out + 3);
    prim_range(lo.y, hi.y, bad, out + 1, out + 4);
    prim_range(lo.z, hi.z, bad, out + 2, out + 5);
}

/* (lower, upper) along each of the axes that k adds */
FN void prim_slabs(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 corners, u32 i, v3 centre,
                   u32 k, GLOBAL f32 *out)
{
    for (u32 e = 0; e < dop_extra_count(k); e++, out += 2) {
        u32 axis = dop_extra_first(k) + e;
        v3 p = prim_corner(x, corner, corners, i, 0, centre);
        f64 lo = dop_project(axis, p.x, p.y, p.z), hi = lo, sum = lo;
        for (u32 c = 1; c < corners; c++) {
            p = prim_corner(x, corner, corners, i, c, centre);
            f64 h = dop_project(axis, p.x, p.y, p.z);
            lo = h < lo ? h : lo;
            hi = h > hi ? h : hi;
            sum += h;
        }
        prim_range(lo, hi, !(sum - sum == 0), out, out + 1);
    }
}

/* Adds the lengths of a primitive's edges, one between any two of its corners, to *sum if they are
 * finite; returns their number. Corners that only repeat the previous one do not count. */
FN u32 prim_edges(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 corners, u32 i, f64 *sum)
{
    GLOBAL const u32 *c = corner + (size_t)corners * i;
    f64 s = 0;
    while (corners > 1 && c[corners - 1] == c[corners - 2])
        corners--;
    for (u32 a = 0; a < corners; a++)
        for (u32 b = a + 1; b < corners; b++) {
            v3 e = v3_sub(v3_load(x, c[b]), v3_load(x, c[a]));
            s += sqrt(v3_dot(e, e));
        }
    if (!(s - s == 0))
        return 0;
    *sum += s;
    return corners * (corners - 1) / 2;
}

/* upper bound on the length of a slab axis */
#define SLAB_AXIS 1.7320509

/* Moves both bounds outward by this amount. */
FN void range_grow(GLOBAL f32 *lo, GLOBAL f32 *hi, f64 by)
{
    *lo = dop_below((f64)*lo - by);
    *hi = dop_above((f64)*hi + by);
}

/* Inflates the bounds of a primitive by `by` on each side, at most BOUND_GROW_MOST, times the
 * length of the axis. Bounds that grow by 0 are not touched, so that their rounding does not depend
 * on other primitives of the frame. Empty bounds are not touched either. */
FN void prim_grow(f64 by, u32 extra, GLOBAL f32 *box, GLOBAL f32 *slab)
{
    if (!box_enters(box) || by == 0)
        return;
    by = by < BOUND_GROW_MOST ? by : BOUND_GROW_MOST; /* NaN, too */
    for (u32 k = 0; k < 3; k++)
        range_grow(box + k, box + k + 3, by);
    for (u32 e = 0; e < 2 * extra; e += 2)
        range_grow(slab + e, slab + e + 1, SLAB_AXIS * by);
}

#endif
#endif
