/* Formulas are written once, over a lane type, and compiled for each number of lanes. A lane is one
 * float64, or as many of them as a vector of the processor holds (f64_wide.h), which undergo the
 * same operations in parallel, so that every form has the same bits. Formulas have no branches:
 * comparing lanes gives a lane_mask, and lane_if selects by it. Operators + - * / take two lanes,
 * or a constant and a lane.
 *
 * Files named lane_*.h hold formulas. They are included once for each number of lanes. C has no
 * overloading, so each begins with the list of its names, which LANE_NAME turns into those of one
 * lane or, redefined (tri_wide.h), of many: v3_add then means v3_add_w. */
#ifndef IMP_LANE_H
#define IMP_LANE_H
#include "dialect.h"

/* Inlined before gcc judges whether it is worth it: gcc counts structs passed by value as stack,
 * and left narrow_centroids, full of them, a separate function, 5 % slower. */
#ifdef IMP_DEVICE
#define FORMULA static inline
#else
#define FORMULA __attribute__((always_inline)) static inline
#endif

#ifdef IMP_FP64

#define LANE_NAME(name) name

/* The operations of formulas; each number of lanes has its own. */
#define lane LANE_NAME(lane)
#define lane32 LANE_NAME(lane32)
#define lane_mask LANE_NAME(lane_mask)
#define lane_number LANE_NAME(lane_number)
#define lane_all LANE_NAME(lane_all)
#define lane_min LANE_NAME(lane_min)
#define lane_max LANE_NAME(lane_max)
#define lane_abs LANE_NAME(lane_abs)
#define lane_less LANE_NAME(lane_less)
#define lane_equal LANE_NAME(lane_equal)
#define lane_unless LANE_NAME(lane_unless)
#define lane_if LANE_NAME(lane_if)
#define lane_down LANE_NAME(lane_down)
#define lane_sqrt LANE_NAME(lane_sqrt)
#define lane_power LANE_NAME(lane_power)
#define lane32_all LANE_NAME(lane32_all)
#define lane32_if LANE_NAME(lane32_if)
#define mask_and LANE_NAME(mask_and)
#define mask_or LANE_NAME(mask_or)
#define mask_not LANE_NAME(mask_not)
#define mask_same LANE_NAME(mask_same)
#define number_equal LANE_NAME(number_equal)

/* ---- one lane */

typedef f64 lane;
typedef f32 lane32;
typedef i32 lane_mask; /* 1 or 0 */
typedef u32 lane_number;

FORMULA lane lane_all(f64 x)
{
    return x;
}

/* b where they are equal or unordered, as on x86 */
FORMULA lane lane_min(lane a, lane b)
{
    return a < b ? a : b;
}

FORMULA lane lane_max(lane a, lane b)
{
    return a > b ? a : b;
}

FORMULA lane lane_abs(lane a)
{
    return fabs(a);
}

FORMULA lane_mask lane_less(lane a, lane b)
{
    return a < b;
}

FORMULA lane_mask lane_equal(lane a, lane b)
{
    return a == b;
}

/* m, except where a < b */
FORMULA lane_mask lane_unless(lane_mask m, lane a, lane b)
{
    return m & !(a < b);
}

FORMULA lane lane_if(lane_mask m, lane a, lane b)
{
    return m ? a : b;
}

/* The greatest float32 that is not above x; denormal results do not matter, see dop_below. */
FORMULA lane32 lane_down(lane x)
{
    f32 f = (f32)x;
    u32 bits = bits_from_f32(f), down = (f64)f > x;
    return f32_from_bits(f > 0 ? bits - down : bits + down);
}

#ifndef IMP_DEVICE /* only the host takes roots, which are correctly rounded there */
FORMULA lane lane_sqrt(lane a)
{
    return sqrt(a);
}

/* The greatest power of two that is not above a; a is positive and not denormal. */
FORMULA lane lane_power(lane a)
{
    return f64_from_bits(bits_from_f64(a) & 0x7ff0000000000000);
}
#endif

FORMULA lane32 lane32_all(f32 x)
{
    return x;
}

FORMULA lane32 lane32_if(lane_mask m, lane32 a, lane32 b)
{
    return m ? a : b;
}

FORMULA lane_mask mask_and(lane_mask a, lane_mask b)
{
    return a & b;
}

FORMULA lane_mask mask_or(lane_mask a, lane_mask b)
{
    return a | b;
}

FORMULA lane_mask mask_not(lane_mask a)
{
    return !a;
}

/* set in both or in neither */
FORMULA lane_mask mask_same(lane_mask a, lane_mask b)
{
    return a == b;
}

FORMULA lane_mask number_equal(lane_number a, lane_number b)
{
    return a == b;
}

#endif
#endif
