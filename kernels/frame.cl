/* Points of a block: the box of each frame, and scaling to the frame's size.
 *
 * The block's points lie one frame after another, x y z, float32 or float64 as the file has them;
 * exactly one of in32 and in64 is read. A reduction is cut into chunks that never cross a frame;
 * chunk c covers [first[c], last[c]). Results do not depend on how chunks are spread over items. */
#include "vec.h"
#ifdef IMP_FP64

FN f64 point_in(GLOBAL const f32 *in32, GLOBAL const f64 *in64, u32 wide, size_t i)
{
    return wide ? in64[i] : (f64)in32[i];
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

/* or if the sum overflows */
FN i32 v3_suspect(v3 p)
{
    return f64_bad(p.x + p.y + p.z);
}

FN i32 v3_bad(v3 p)
{
    return f64_bad(p.x) || f64_bad(p.y) || f64_bad(p.z);
}

/* Over the primitives of each chunk, so that points which no primitive uses do not matter.
 * box[6 c ..]: lower and upper corner, lower > upper if there is none; bad[c]: how many primitives
 * have a vertex that is not finite and were left out. */
KERNEL void frame_box(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                      GLOBAL const u32 *corner, GLOBAL const f32 *in32, GLOBAL const f64 *in64,
                      u32 wide, GLOBAL f64 *box, GLOBAL u32 *bad)
{
    if (ITEM >= n)
        return;
    GLOBAL const u32 *c = corner + (size_t)3 * first[ITEM], *end = corner + (size_t)3 * last[ITEM];
    u32 wrong = 0;
    v3 lo = v3_make(INFINITY, INFINITY, INFINITY), hi = v3_scale(lo, -1);
    for (; c < end; c += 3) {
        v3 p = point_raw(in32, in64, wide, c[0]);
        v3 q = point_raw(in32, in64, wide, c[1]);
        v3 r = point_raw(in32, in64, wide, c[2]);
        if ((v3_suspect(p) | v3_suspect(q) | v3_suspect(r)) &&
            (v3_bad(p) || v3_bad(q) || v3_bad(r))) {
            wrong++;
            continue;
        }
        lo = v3_min(v3_min(lo, p), v3_min(q, r));
        hi = v3_max(v3_max(hi, p), v3_max(q, r));
    }
    GLOBAL f64 *b = box + (size_t)6 * ITEM;
    b[0] = lo.x;
    b[1] = lo.y;
    b[2] = lo.z;
    b[3] = hi.x;
    b[4] = hi.y;
    b[5] = hi.z;
    bad[ITEM] = wrong;
}

/* out = in * scale[2 f] * scale[2 f + 1]: two powers of two, because one may not hold the whole
 * range of float64. Exact but where the result is a denormal, see tri.h. */
KERNEL void frame_scale(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                        GLOBAL const u32 *frame, GLOBAL const f32 *in32, GLOBAL const f64 *in64,
                        u32 wide, GLOBAL const f64 *scale, GLOBAL f64 *out)
{
    if (ITEM >= n)
        return;
    f64 s0 = scale[2 * frame[ITEM]], s1 = scale[2 * frame[ITEM] + 1];
    size_t end = (size_t)3 * last[ITEM];
    for (size_t i = (size_t)3 * first[ITEM]; i < end; i++)
        out[i] = point_in(in32, in64, wide, i) * s0 * s1;
}

#endif
