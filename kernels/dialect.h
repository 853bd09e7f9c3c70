/* The dialect of all code in kernels/: the common subset of C11 and OpenCL C 1.2.
 *
 * Each kernel is written once and compiled twice, by the host compiler for the `cpu` device and by
 * an OpenCL driver. Both must give the same bits, so the code in this folder keeps to:
 *
 *  - scalars and small structs by value; no libm, no native_*. Vector types are used only for a
 *    vertex of far.h, which is one load, and in the forms for CPUs: f32x16.h has comparisons, which
 *    have one answer in every form, and f64_wide.h has the operations of formulas, which are
 *    compiled from one text for one lane and for eight (lane.h);
 *  - correctly rounded operations only: + - * / of float64, + - * of float32, comparisons, floor,
 *    fabs, fmin and fmax of numbers, conversions, integer arithmetic and bits. float32 division and
 *    sqrt are not correctly rounded in OpenCL and are not used;
 *  - no contraction of a*b+c on either side: FP_CONTRACT OFF here, -ffp-contract=off on the host;
 *  - no float32 denormals as results or operands, which a device may flush to zero, except where an
 *    error bound covers that (far.h, distance_far.h). The caller's float32 numbers are widened by
 *    their bits (f64_from_f32). float64 has denormals: a device without them fails its self-test;
 *  - barriers and local memory only in the forms for devices, through the macros below
 *    (GROUP_KERNEL); atomics only on integers, of which only the sum is used. All other
 *    cooperation between work-items is built from these (host/device/parallel.h,
 *    host/broad/broad.h). In a loop with barriers, a variable that only some items change is kept
 *    in local memory: PoCL 3.1 may assume it is the same in all.
 *
 * Where one form of a kernel does not serve both, it has two: one for the host, and one for
 * devices, where IMP_DEVICE is defined. Only the host caches data from frame to frame.
 *
 * A kernel is a function of one item: KERNEL void name(ITEM_ARG ...) with ITEM its number. It
 * begins with `if (ITEM >= n) return;` because OpenCL rounds the number of items up. */
#ifndef IMP_DIALECT_H
#define IMP_DIALECT_H

#define FN static inline

#ifdef __OPENCL_C_VERSION__

#define IMP_DEVICE 1

#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define IMP_FP64 1
typedef double f64;
#endif

typedef uchar u8;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;

#define KERNEL __kernel
#define GLOBAL __global
#define CONSTANT __constant
#define ITEM_ARG
#define ITEM ((u32)get_global_id(0))

/* Work-groups: their kernels begin with GROUP_KERNEL(size) name(...). LOCAL qualifies a pointer to
 * local memory, SHARED declares local memory in a kernel. ITEM is numbered across groups. */
#define GROUP_KERNEL(size) KERNEL __attribute__((reqd_work_group_size(size, 1, 1))) void
#define LOCAL __local
#define SHARED __local
#define LOCAL_ID ((u32)get_local_id(0))
#define GROUP_ID ((u32)get_group_id(0))
#define GROUPS ((u32)get_num_groups(0))
/* for tiles of this length; computed from 64 bits, which saves sort_scatter_group six registers */
#define GROUP_FIRST(tile) ((u64)get_group_id(0) * (tile))
#define ITEMS ((u32)get_global_size(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define ATOMIC_ADD(at, n) atomic_add(at, n) /* returns the old value */

/* A function of local memory that a kernel calls twice with the same arrays. If it were not
 * inlined, PoCL 3.1 would give it one memory for all work-groups. */
#define FN_LOCAL static inline __attribute__((always_inline))

/* Vectors, each one load; components are .x .y .z .w; compared whole, since compilers split a load
 * of which only parts are used. */
typedef uint2 u32x2;
typedef ulong2 u64x2;
#ifdef IMP_FP64
typedef double2 f64x2;
#endif
typedef int4 i32x4;
typedef uint4 u32x4;
typedef float4 f32x4;
#define F64X2(x, y) ((f64x2)(x, y))
#define U32X4(x, y, z, w) ((u32x4)(x, y, z, w))
#define F32X4(x, y, z, w) ((f32x4)(x, y, z, w))

/* Returns whether x, y or z is one of these numbers. */
FN i32 u32x4_has(u32x4 v, u32 a, u32 b, u32 c)
{
    i32x4 same = (v == a) | (v == b) | (v == c);
    return same.x | same.y | same.z;
}

/* Returns whether the boxes [lo, hi] and [a, b] overlap in x, y and z. */
FN i32 f32x4_overlap(f32x4 lo, f32x4 hi, f32x4 a, f32x4 b)
{
    i32x4 overlap = (lo <= b) & (hi >= a);
    return overlap.x & overlap.y & overlap.z;
}

#define f32x4_from_bits(v) as_float4(v)
#define bits_from_f32x4(v) as_uint4(v)

/* Before a loop whose loads may all be in flight at once; by fours where more would take too many
 * registers. */
#define UNROLLED _Pragma("unroll")
#define UNROLLED_4 _Pragma("unroll 4")
#define ROLLED _Pragma("unroll 1") /* a loop that must not be unrolled into registers */

#define f32_floor(x) floor(x)
#define FETCH(p) ((void)0)
#define f32_from_bits(u) as_float(u)
#define bits_from_f32(x) as_uint(x)
#define bits_from_f64(x) as_ulong(x)
#define f64_from_bits(u) as_double(u)
#define bit_lowest(x) (31 - clz((x) & (0 - (x)))) /* number of the lowest bit of x, not 0 */
#define bit_count(x) popcount(x)

#else /* C11 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IMP_FP64 1
typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;
typedef float f32;
typedef double f64;

#ifdef IMP_DIALECT /* another C-like language for devices: a header with all of the above */
#include IMP_DIALECT
#else
#define KERNEL static inline
#define GLOBAL
#define CONSTANT static const
#define ITEM_ARG const u32 item,
#define ITEM item
#define FETCH(p) __builtin_prefetch(p)
#define ROLLED
#endif

#define ATOMIC_ADD(at, n) __atomic_fetch_add(at, n, __ATOMIC_RELAXED)
#define f32_floor(x) floorf(x)
#define bit_lowest(x) ((u32)__builtin_ctz(x))
#define bit_count(x) ((u32)__builtin_popcount(x))

static inline f32 f32_from_bits(u32 u)
{
    f32 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline u32 bits_from_f32(f32 x)
{
    u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline u64 bits_from_f64(f64 x)
{
    u64 u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline f64 f64_from_bits(u64 u)
{
    f64 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif

FN u32 u32_min(u32 a, u32 b)
{
    return a < b ? a : b;
}

FN u32 u32_max(u32 a, u32 b)
{
    return a > b ? a : b;
}

#ifdef IMP_FP64

/* Widens a float32 of the caller. A device may flush float32 denormals to 0, even in a conversion,
 * so these are converted as integers: m 2^-149. */
FN f64 f64_from_f32(f32 x)
{
    u32 bits = bits_from_f32(x);
    f64 small = (f64)(i32)(bits & 0x7fffffu) * 0x1p-149;
    return bits & 0x7f800000u ? (f64)x : bits >> 31 ? -small : small;
}

#endif

FN i32 i32_min(i32 a, i32 b)
{
    return a < b ? a : b;
}

FN i32 i32_max(i32 a, i32 b)
{
    return a > b ? a : b;
}

#endif
