/* Reductions over ranges of an array: out[k] is that of items start[k] .. start[k + 1]. For the
 * frames of a block it is done twice, from items to tiles, and from tiles to frames
 * (host/device/parallel.h).
 *
 *   boxes_f64  six numbers an item: minimum of the first three, maximum of the last three;
 *              +inf and -inf for an empty range
 *   sums_f64   one number an item
 *   sets       u8: bit i is set if an item is i, for i < 32
 *   masks      the second step of sets: u32, the union of the bits
 *
 * Two forms: for the host an item owns a range; for OpenCL devices a work-group does (names end in
 * _group), whose work-items take turns.
 *
 * Both give the same bits. A minimum, a maximum or a sum of integers does not depend on the order,
 * except that zeros of both signs compare equal: boxes have +0. NaN does not occur. A sum of f64
 * has the order of stripes.h. */
#include "dialect.h"
#include "segment.h"
#include "stripes.h"

/* ---- operators: neutral value, value of item i, combination of two values, storing value k */

#define OPERATOR(op, from, value, item, join)                                                      \
    FN value op##_none(void)                                                                       \
    {                                                                                              \
        return 0;                                                                                  \
    }                                                                                              \
    FN value op##_load(GLOBAL const from *in, size_t i)                                            \
    {                                                                                              \
        return item;                                                                               \
    }                                                                                              \
    FN value op##_join(value x, value y)                                                           \
    {                                                                                              \
        return join;                                                                               \
    }                                                                                              \
    FN void op##_store(value x, GLOBAL value *out, size_t k)                                       \
    {                                                                                              \
        out[k] = x;                                                                                \
    }

OPERATOR(reduce_masks, u32, u32, in[i], x | y)
OPERATOR(reduce_sets, u8, u32, in[i] < 32 ? 1u << in[i] : 0, x | y)

#ifdef IMP_FP64
typedef struct reduce_box {
    f64 lo[3], hi[3];
} reduce_box;

FN reduce_box reduce_boxes_f64_none(void)
{
    const reduce_box x = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return x;
}

FN reduce_box reduce_boxes_f64_load(GLOBAL const f64 *in, size_t i)
{
    GLOBAL const f64 *b = in + 6 * i;
    const reduce_box x = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
    return x;
}

FN reduce_box reduce_boxes_f64_join(reduce_box x, reduce_box y)
{
    for (u32 k = 0; k < 3; k++) {
        x.lo[k] = y.lo[k] < x.lo[k] ? y.lo[k] : x.lo[k];
        x.hi[k] = y.hi[k] > x.hi[k] ? y.hi[k] : x.hi[k];
    }
    return x;
}

FN void reduce_boxes_f64_store(reduce_box x, GLOBAL f64 *out, size_t i)
{
    for (u32 k = 0; k < 3; k++) { /* -0 + 0 is +0 */
        out[6 * i + k] = x.lo[k] + 0;
        out[6 * i + 3 + k] = x.hi[k] + 0;
    }
}

OPERATOR(reduce_sums_f64, f64, f64, in[i], x + y)
#endif

/* ---- an item owns a range */

#ifndef IMP_DEVICE

#define REDUCE(op, from, value, to)                                                                \
    KERNEL void op(ITEM_ARG u32 n, GLOBAL const u32 *start, GLOBAL const from *in, GLOBAL to *out) \
    {                                                                                              \
        if (ITEM >= n)                                                                             \
            return;                                                                                \
        value x = op##_none();                                                                     \
        for (size_t i = start[ITEM], end = start[ITEM + 1]; i < end; i++)                          \
            x = op##_join(x, op##_load(in, i));                                                    \
        op##_store(x, out, ITEM);                                                                  \
    }

REDUCE(reduce_masks, u32, u32, u32)
REDUCE(reduce_sets, u8, u32, u32)

#ifdef IMP_FP64
REDUCE(reduce_boxes_f64, f64, reduce_box, f64)

/* by lanes (stripes.h) */
KERNEL void reduce_sums_f64(ITEM_ARG u32 n, GLOBAL const u32 *start, GLOBAL const f64 *in,
                            GLOBAL f64 *out)
{
    if (ITEM >= n)
        return;
    f64 stripe[SEGMENT_GROUP];
    size_t i = start[ITEM], end = start[ITEM + 1];
    for (u32 l = 0; l < SEGMENT_GROUP; l++)
        stripe[l] = 0;
    for (; end - i >= SEGMENT_GROUP; i += SEGMENT_GROUP)
        for (u32 l = 0; l < SEGMENT_GROUP; l++)
            stripe[l] += in[i + l];
    for (u32 l = 0; l < end - i; l++)
        stripe[l] += in[i + l];
    out[ITEM] = stripes_join(stripe);
}
#endif

#endif

/* ---- a work-group owns a range */

#ifdef IMP_DEVICE

#define REDUCE_GROUP(op, from, value, to)                                                          \
    GROUP_KERNEL(SEGMENT_GROUP)                                                                    \
    op##_group(GLOBAL const u32 *start, GLOBAL const from *in, GLOBAL to *out)                     \
    {                                                                                              \
        SHARED value stripe[SEGMENT_GROUP];                                                        \
        u32 l = LOCAL_ID, k = GROUP_ID;                                                            \
        value x = op##_none();                                                                     \
        for (size_t i = (size_t)start[k] + l, end = start[k + 1]; i < end; i += SEGMENT_GROUP)     \
            x = op##_join(x, op##_load(in, i));                                                    \
        stripe[l] = x;                                                                             \
        for (u32 width = SEGMENT_GROUP / 2; width; width /= 2) {                                   \
            BARRIER();                                                                             \
            if (l < width)                                                                         \
                stripe[l] = op##_join(stripe[l], stripe[width + l]);                               \
        }                                                                                          \
        if (l == 0)                                                                                \
            op##_store(stripe[0], out, k);                                                         \
    }

REDUCE_GROUP(reduce_masks, u32, u32, u32)
REDUCE_GROUP(reduce_sets, u8, u32, u32)
#ifdef IMP_FP64
REDUCE_GROUP(reduce_boxes_f64, f64, reduce_box, f64)
REDUCE_GROUP(reduce_sums_f64, f64, f64, f64)
#endif

#endif
