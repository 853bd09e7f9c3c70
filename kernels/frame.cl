/* Points of a block: the box of each frame, and scaling to the frame's size.
 *
 * The block's points are stored frame by frame, x y z, float32 or float64 as in the file; exactly
 * one of in32 and in64 is read. A reduction is cut into chunks that never cross a frame; chunk c
 * covers [first[c], last[c]). Results do not depend on how chunks are distributed to items.
 *
 * Two forms: for the host an item owns a chunk; for OpenCL devices a work-group does (names end in
 * _group), whose items take turns, so that loads are coalesced.
 * Minimum and maximum of a chunk do not depend on the order, except for the sign of a zero, on
 * which neither unit nor bounds depend. */
#include "far.h"
#include "prim.h"
#include "segment.h"
#include "tri.h"
#ifdef IMP_FP64

FN f64 point_in(GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide, size_t i)
{
    return wide ? in64[i] : f64_from_f32(in32[i]);
}

/* true for NaN and infinities */
FN i32 f64_bad(f64 x)
{
    return !(x - x == 0);
}

FN v3 point_raw(GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide, u32 v)
{
    size_t i = (size_t)3 * v;
    return v3_make(point_in(in32, in64, wide, i), point_in(in32, in64, wide, i + 1),
                   point_in(in32, in64, wide, i + 2));
}

/* true as well if the sum overflows */
FN i32 v3_suspect(v3 p)
{
    return f64_bad(p.x + p.y + p.z);
}

FN i32 v3_bad(v3 p)
{
    return f64_bad(p.x) || f64_bad(p.y) || f64_bad(p.z);
}

/* Bounding box in float64, extended point by point; lower > upper if it is empty. */
typedef struct frame_bound {
    v3 lo, hi;
} frame_bound;

/* Adds one primitive; returns 0 and adds nothing if a corner is not finite. A constant number of
 * corners unrolls the loops. */
FN u32 frame_add(frame_bound *b, u32 corners, GLOBAL const u32 *c, GLOBAL const f32 *in32,
                 GLOBAL const f64 *in64, u32 wide)
{
    v3 lo = point_raw(in32, in64, wide, c[0]), hi = lo;
    i32 suspect = v3_suspect(lo), bad = 0;
    for (u32 k = 1; k < corners; k++) {
        v3 p = point_raw(in32, in64, wide, c[k]);
        suspect |= v3_suspect(p);
        lo = v3_min(lo, p);
        hi = v3_max(hi, p);
    }
    for (u32 k = 0; suspect && k < corners; k++)
        bad |= v3_bad(point_raw(in32, in64, wide, c[k]));
    if (bad)
        return 0;
    b->lo = v3_min(b->lo, lo);
    b->hi = v3_max(b->hi, hi);
    return 1;
}

/* the bound of a chunk without primitives */
FN frame_bound frame_none(void)
{
    frame_bound b;
    b.lo = v3_make(INFINITY, INFINITY, INFINITY);
    b.hi = v3_scale(b.lo, -1);
    return b;
}

FN void frame_put(const frame_bound *all, GLOBAL f64 *b)
{
    b[0] = all->lo.x;
    b[1] = all->lo.y;
    b[2] = all->lo.z;
    b[3] = all->hi.x;
    b[4] = all->hi.y;
    b[5] = all->hi.z;
}

#ifndef IMP_DEVICE

/* Bounds of the primitives of each chunk, so that unused points do not matter. box[BOX_BOUNDS c
 * ..]: lower and upper corner, lower > upper if the chunk is empty; bad[c]: number of primitives
 * left out because a vertex is not finite. */
KERNEL void frame_box(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last, u32 corners,
                      GLOBAL const u32 *corner, GLOBAL const f32 *in32, GLOBAL const f64 *in64,
                      u32 wide, GLOBAL f64 *box, GLOBAL u32 *bad)
{
    if (ITEM >= n)
        return;
    GLOBAL const u32 *c = corner + (size_t)corners * first[ITEM],
                     *end = corner + (size_t)corners * last[ITEM];
    u32 good = 0;
    frame_bound all = frame_none();
    if (corners == 3)
        for (; c < end; c += 3)
            good += frame_add(&all, 3, c, in32, in64, wide);
    else
        for (; c < end; c += corners)
            good += frame_add(&all, corners, c, in32, in64, wide);
    frame_put(&all, box + (size_t)BOX_BOUNDS * ITEM);
    bad[ITEM] = last[ITEM] - first[ITEM] - good;
}

/* out = in * scale[2 f] * scale[2 f + 1]: two powers of two, because one may not hold the whole
 * range of float64. Exact unless the result is a denormal, see tri.h. With `far` the vertices are
 * also rounded to point[FAR_POINT v ..], relative to centre[3 f ..], in the form of far.h. */
KERNEL void frame_scale(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                        GLOBAL const u32 *frame, GLOBAL const f32 *in32, GLOBAL const f64 *in64,
                        u32 wide, GLOBAL const f64 *scale, GLOBAL f64 *out, u32 far,
                        GLOBAL const f64 *centre, GLOBAL f32 *point)
{
    if (ITEM >= n)
        return;
    f64 s0 = scale[2 * frame[ITEM]], s1 = scale[2 * frame[ITEM] + 1];
    size_t end = (size_t)3 * last[ITEM];
    for (size_t i = (size_t)3 * first[ITEM]; i < end; i++)
        out[i] = point_in(in32, in64, wide, i) * s0 * s1;
    for (u32 v = first[ITEM]; far && v < last[ITEM]; v++)
        far_round(point, v, out, centre + (size_t)3 * frame[ITEM]);
}

#endif

#ifdef IMP_DEVICE

GROUP_KERNEL(SEGMENT_GROUP)
frame_box_group(GLOBAL const u32 *first, GLOBAL const u32 *last, u32 corners,
                GLOBAL const u32 *corner, GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide,
                GLOBAL f64 *box, GLOBAL u32 *bad)
{
    SHARED frame_bound part[SEGMENT_GROUP];
    SHARED u32 left_out[SEGMENT_GROUP];
    u32 l = LOCAL_ID, c = GROUP_ID, end = last[c], out = 0;
    frame_bound all = frame_none();
    for (size_t i = (size_t)first[c] + l; i < end; i += SEGMENT_GROUP)
        out += !frame_add(&all, corners, corner + corners * i, in32, in64, wide);
    part[l] = all;
    left_out[l] = out;
    for (u32 width = SEGMENT_GROUP / 2; width; width /= 2) {
        BARRIER();
        if (l < width) {
            part[l].lo = v3_min(part[l].lo, part[width + l].lo);
            part[l].hi = v3_max(part[l].hi, part[width + l].hi);
            left_out[l] += left_out[width + l];
        }
    }
    if (l > 0)
        return;
    all = part[0];
    frame_put(&all, box + (size_t)BOX_BOUNDS * c);
    bad[c] = left_out[0];
}

GROUP_KERNEL(SEGMENT_GROUP)
frame_scale_group(GLOBAL const u32 *first, GLOBAL const u32 *last, GLOBAL const u32 *frame,
                  GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide, GLOBAL const f64 *scale,
                  GLOBAL f64 *out, u32 far, GLOBAL const f64 *centre, GLOBAL f32 *point)
{
    u32 c = GROUP_ID, end = last[c];
    f64 s0 = scale[2 * frame[c]], s1 = scale[2 * frame[c] + 1];
    for (u32 v = first[c] + LOCAL_ID; v < end; v += SEGMENT_GROUP) {
        v3_put(v3_scale(v3_scale(point_raw(in32, in64, wide, v), s0), s1), out + (size_t)3 * v);
        if (far)
            far_round(point, v, out, centre + (size_t)3 * frame[c]);
    }
}

#endif

#endif
