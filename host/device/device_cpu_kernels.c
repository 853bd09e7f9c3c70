/* The kernels compiled as C. CMake builds this file once per instruction set, with
 * IMP_CPU_TABLE the name of the table. */
#include "device_cpu.h"

/* Some helper functions are used by the work-group forms only. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "frame.cl"
#include "bound.cl"
#include "moved.cl"
#include "persistent_ids.cl"
#include "brute.cl"
#include "hash.cl"
#include "hash_search.cl"
#include "hash_team.cl"
#include "hash_moved.cl"
#include "hash_incremental.cl"
#include "grid.cl"
#include "grid_search.cl"
#include "tiles.cl"
#include "tiles_team.cl"
#include "rtree.cl"
#include "rtree_team.cl"
#include "rtree_moved.cl"
#include "cull.cl"
#include "clip.cl"
#include "strips.cl"
#include "far.cl"
#include "narrow.cl"
#include "narrow8.cl"
#include "solid.cl"
#include "solid8.cl"
#include "ccd.cl"
#include "ccd8.cl"
#include "distance.cl"
#include "distance8.cl"
#include "measure8.cl"
#include "inside.cl"
#include "inside8.cl"
#include "bound_wide.h"
#include "scan.cl"
#include "sort.cl"
#include "sort_pairs.cl"
#include "merge.cl"
#include "reduce.cl"
#include "histogram.cl"
#include "compact.cl"
#include "compact_pairs.cl"
#pragma GCC diagnostic pop

/* Typed access to a buffer: a kernel argument of another type does not compile. */
#define BUFFER_AS(name)                                                                            \
    static inline name *as_##name(const buffer_##name *b)                                          \
    {                                                                                              \
        return b->raw.data;                                                                        \
    }                                                                                              \
    static inline const name *in_##name(const buffer_##name *b)                                    \
    {                                                                                              \
        return b->raw.data;                                                                        \
    }
BUFFER_AS(u8)
BUFFER_AS(u32)
BUFFER_AS(i32)
BUFFER_AS(u64)
BUFFER_AS(f32)
BUFFER_AS(f64)

/* Runs a kernel item by item, or in its own form for the host. Each argument has a comma before
 * it. */
#define EACH(name, ...)                                                                            \
    static void cpu_##name(const void *all, u32 begin, u32 end)                                    \
    {                                                                                              \
        const name##_args *args = all;                                                             \
        for (u32 i = begin; i < end; i++)                                                          \
            name(i, args->n __VA_ARGS__);                                                          \
    }
#define CPU_MAP EACH
#define CPU_EIGHT EACH
#define CPU_HEAVY EACH
#define CPU_HEAVY_TILE EACH
#define CPU_TILE EACH
#define CPU_SPAN(name, ...)                                                                        \
    static void cpu_##name(const void *all, u32 begin, u32 end)                                    \
    {                                                                                              \
        const name##_args *args = all;                                                             \
        name##_span(begin, end, args->n __VA_ARGS__);                                              \
    }

#define IN(type, name) , in_##type(args->name)
#define OUT(type, name) , as_##type(args->name)
#define VALUE(type, name) , args->name
#define K(name, kind, list) CPU_##kind(name, list)
#define G(name, list)
#include "kernels.def"

cpu_kernel *const IMP_CPU_TABLE[KERNELS] = {
#define K(name, kind, list) [KERNEL_##name] = cpu_##name,
/* The host never runs work-group forms. */
#define G(name, list) [KERNEL_##name] = NULL,
#include "kernels.def"
};
