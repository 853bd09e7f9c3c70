/* Eight lanes of f64_wide.h: OpenCL's vectors. */
#ifndef IMP_WIDE_OPENCL_H
#define IMP_WIDE_OPENCL_H
#include "lane.h"

#if defined(__OPENCL_C_VERSION__) && defined(IMP_FP64) && !defined(IMP_GROUP_FORMS)
#define WIDE 8

typedef double8 lane_w;
typedef long8 lane_mask_w;
typedef ulong8 index_w;

FN lane_w lane_all_w(f64 x)
{
    return (lane_w)(x);
}

FN lane_w lane_load_w(GLOBAL const f64 *x)
{
    return vload8(0, x);
}

/* the same from private memory */
FN lane_w lane_own_w(const f64 *x)
{
    return vload8(0, x);
}

FN index_w index_load_w(GLOBAL const u32 *i)
{
    return convert_ulong8(vload8(0, i));
}

FN lane_w lane_gather_w(GLOBAL const f64 *x, index_w i)
{
    return (lane_w)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]);
}

FN index_w index_gather_w(GLOBAL const u32 *x, index_w i)
{
    return convert_ulong8(
        (uint8)(x[i.s0], x[i.s1], x[i.s2], x[i.s3], x[i.s4], x[i.s5], x[i.s6], x[i.s7]));
}

FN index_w index_triple_w(index_w i)
{
    return i + i + i;
}

FN index_w index_fourfold_w(index_w i)
{
    return i << 2;
}

FN lane_w lane_if_w(lane_mask_w m, lane_w a, lane_w b)
{
    return select(b, a, m);
}

FN lane_w lane_min_w(lane_w a, lane_w b)
{
    return select(b, a, a < b);
}

FN lane_w lane_max_w(lane_w a, lane_w b)
{
    return select(b, a, a > b);
}

FN lane_w lane_abs_w(lane_w a)
{
    return fabs(a);
}

/* the first six lanes */
FN void lane_store6_w(lane_w v, GLOBAL f64 *out)
{
    vstore4(v.lo, 0, out);
    vstore2(v.hi.lo, 0, out + 4);
}

FN u32 mask_bits_w(lane_mask_w m)
{
    const lane_mask_w bit = (lane_mask_w)(1, 2, 4, 8, 16, 32, 64, 128);
    long4 x = (m & bit).lo | (m & bit).hi;
    long2 y = x.lo | x.hi;
    return (u32)(y.x | y.y);
}

FN lane_mask_w mask_all_w(void)
{
    return (lane_mask_w)(-1);
}

typedef long8 bits_w;

FN bits_w bits_none_w(void)
{
    return (bits_w)(0);
}

FN bits_w bits_set_w(bits_w b, lane_mask_w m, u32 bits)
{
    return b | (m & (long)bits);
}

FN bits_w bits_and_w(bits_w a, bits_w b)
{
    return a & b;
}

FN void bits_put_w(bits_w b, u32 *out)
{
    vstore8(convert_uint8(b), 0, out);
}

/* lanes of a (0 to 7) and b (8 to 15). Some compilers for OpenCL 1.2 have no variadic macros. */
#define F8_PICK(a, b, i0, i1, i2, i3, i4, i5, i6, i7)                                              \
    shuffle2(a, b, (ulong8)(i0, i1, i2, i3, i4, i5, i6, i7))

#endif

#endif
