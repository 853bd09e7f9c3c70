/* A dialect of kernels (kernels/dialect.h): C, in which the items of a work-group are functions
 * that take turns. fake_kernels.c runs them. */
#ifndef IMP_DIALECT_FAKE_H
#define IMP_DIALECT_FAKE_H

#define IMP_DEVICE 1

typedef struct fake_item {
    u32 item, local, group, groups, items;
} fake_item;

static fake_item fake_now; /* the item whose turn it is */

/* Called through a volatile pointer, opaque to the compiler: other items change memory in the
 * meantime. */
static void fake_yield(void);
static void (*volatile fake_barrier)(void) = fake_yield;

#define KERNEL static
#define GROUP_KERNEL(size) static void
#define GLOBAL
#define CONSTANT static const
#define LOCAL
#define SHARED static
#define FN_LOCAL static inline
#define ITEM_ARG
#define ITEM (fake_now.item)
#define ITEMS (fake_now.items)
#define LOCAL_ID (fake_now.local)
#define GROUP_ID (fake_now.group)
#define GROUPS (fake_now.groups)
#define GROUP_FIRST(tile) ((u64)GROUP_ID * (tile))
#define BARRIER() fake_barrier()
#define ATOMIC_ADD(at, n) __atomic_fetch_add(at, n, __ATOMIC_RELAXED)
#define ROLLED
#define UNROLLED
#define UNROLLED_4
#define FETCH(p) ((void)(p))

typedef struct u32x2 {
    u32 x, y;
} u32x2;
typedef struct u64x2 {
    u64 x, y;
} u64x2;
typedef struct f64x2 {
    f64 x, y;
} f64x2;
typedef struct u32x4 {
    u32 x, y, z, w;
} u32x4;
typedef struct f32x4 {
    f32 x, y, z, w;
} f32x4;

static inline i32 u32x4_has(u32x4 v, u32 a, u32 b, u32 c)
{
    return v.x == a || v.x == b || v.x == c || v.y == a || v.y == b || v.y == c || v.z == a ||
           v.z == b || v.z == c;
}

static inline i32 f32x4_overlap(f32x4 lo, f32x4 hi, f32x4 a, f32x4 b)
{
    return lo.x <= b.x && hi.x >= a.x && lo.y <= b.y && hi.y >= a.y && lo.z <= b.z && hi.z >= a.z;
}

static inline f32x4 f32x4_from_bits(u32x4 v)
{
    f32x4 x;
    memcpy(&x, &v, sizeof x);
    return x;
}

static inline u32x4 bits_from_f32x4(f32x4 v)
{
    u32x4 x;
    memcpy(&x, &v, sizeof x);
    return x;
}

#define F64X2(x, y) ((f64x2){x, y})
#define U32X4(x, y, z, w) ((u32x4){x, y, z, w})
#define F32X4(x, y, z, w) ((f32x4){x, y, z, w})

#endif
