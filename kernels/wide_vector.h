/* Four or two lanes of f64_wide.h, with the vector types that gcc and clang have for any processor,
 * and with operations of AVX2 or SSE2 that these lack. */
#ifndef IMP_WIDE_VECTOR_H
#define IMP_WIDE_VECTOR_H
#include "lane.h"

#ifndef WIDE
#if defined(__AVX2__)
#define WIDE 4
#include <immintrin.h>
#else
#define WIDE 2
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#endif

typedef f64 lane_w __attribute__((vector_size(8 * WIDE)));
typedef long long lane_mask_w __attribute__((vector_size(8 * WIDE)));
typedef f32 lane32_w __attribute__((vector_size(4 * WIDE)));
typedef i32 lane32_mask_w __attribute__((vector_size(4 * WIDE)));

typedef struct index_w {
    size_t at[WIDE];
} index_w;

FORMULA lane_w lane_all_w(f64 x)
{
    lane_w v;
    for (u32 k = 0; k < WIDE; k++)
        v[k] = x;
    return v;
}

FORMULA lane_w lane_own_w(const f64 *x)
{
    lane_w v;
    for (u32 k = 0; k < WIDE; k++)
        v[k] = x[k];
    return v;
}

FORMULA index_w index_load_w(const u32 *i)
{
    index_w v;
    for (u32 k = 0; k < WIDE; k++)
        v.at[k] = i[k];
    return v;
}

FORMULA lane_w lane_gather_w(const f64 *x, index_w i)
{
    lane_w v;
    for (u32 k = 0; k < WIDE; k++)
        v[k] = x[i.at[k]];
    return v;
}

/* One instruction each where the processor has it: compilers don't find it in the general form. */
#ifdef __AVX2__
#define WIDE_BY(name) _mm256_##name##_pd

/* lane_twofold.h: with one rounding, which is none if the residue does not underflow. As text for
 * the assembler: the compiler may not fuse operations by itself (CMakeLists.txt). */
#define WIDE_FUSED
FORMULA lane_w lane_residue_w(lane_w a, lane_w b, lane_w p)
{
    __asm__("vfmsub213pd %2, %1, %0" : "+x"(a) : "x"(b), "x"(p));
    return a;
}
#elif defined(__SSE2__)
#define WIDE_BY(name) _mm_##name##_pd
#endif

FORMULA lane_w lane_if_w(lane_mask_w m, lane_w a, lane_w b)
{
#ifdef __AVX2__
    return _mm256_blendv_pd(b, a, (lane_w)m);
#else
    return (lane_w)((m & (lane_mask_w)a) | (~m & (lane_mask_w)b));
#endif
}

#ifdef WIDE_BY
FORMULA lane_w lane_min_w(lane_w a, lane_w b)
{
    return WIDE_BY(min)(a, b);
}

FORMULA lane_w lane_max_w(lane_w a, lane_w b)
{
    return WIDE_BY(max)(a, b);
}

FORMULA u32 mask_bits_w(lane_mask_w m)
{
    return (u32)WIDE_BY(movemask)((lane_w)m);
}
#else
FORMULA lane_w lane_min_w(lane_w a, lane_w b)
{
    return lane_if_w(a < b, a, b);
}

FORMULA lane_w lane_max_w(lane_w a, lane_w b)
{
    return lane_if_w(a > b, a, b);
}

FORMULA u32 mask_bits_w(lane_mask_w m)
{
    return (u32)(m[0] & 1) | (u32)(m[1] & 2);
}
#endif

FORMULA lane_mask_w mask_all_w(void)
{
    return ~(lane_mask_w){0};
}

typedef lane_mask_w bits_w;

FORMULA bits_w bits_none_w(void)
{
    return (bits_w){0};
}

FORMULA bits_w bits_set_w(bits_w b, lane_mask_w m, u32 bits)
{
    return b | (m & (i64)bits);
}

FORMULA bits_w bits_and_w(bits_w a, bits_w b)
{
    return a & b;
}

FORMULA void bits_put_w(bits_w b, u32 *out)
{
    for (u32 k = 0; k < WIDE; k++)
        out[k] = (u32)b[k];
}

FORMULA lane_w lane_abs_w(lane_w a)
{
    return (lane_w)((lane_mask_w)a & INT64_MAX);
}

FORMULA lane_w lane_sqrt_w(lane_w a)
{
#ifdef WIDE_BY
    return WIDE_BY(sqrt)(a);
#else
    for (u32 k = 0; k < WIDE; k++)
        a[k] = sqrt(a[k]);
    return a;
#endif
}

FORMULA lane_w lane_power_w(lane_w a)
{
    return (lane_w)((lane_mask_w)a & 0x7ff0000000000000);
}

FORMULA void lane_store_w(lane_w v, f64 *out)
{
    for (u32 k = 0; k < WIDE; k++)
        out[k] = v[k];
}

/* Like lane_down. A mask converted to 32 bits a lane is the mask of these. */
FORMULA lane32_w lane_down_w(lane_w x)
{
    lane32_w f = __builtin_convertvector(x, lane32_w);
    lane32_mask_w up =
        __builtin_convertvector(__builtin_convertvector(f, lane_w) > x, lane32_mask_w);
    lane32_mask_w step = (f > 0) | 1;
    return (lane32_w)((lane32_mask_w)f + (step & up));
}

FORMULA lane32_w lane32_all_w(f32 x)
{
    lane32_w v;
    for (u32 k = 0; k < WIDE; k++)
        v[k] = x;
    return v;
}

FORMULA lane32_w lane32_if_w(lane_mask_w m, lane32_w a, lane32_w b)
{
    lane32_mask_w n = __builtin_convertvector(m, lane32_mask_w);
    return (lane32_w)((n & (lane32_mask_w)a) | (~n & (lane32_mask_w)b));
}

#endif

#endif
