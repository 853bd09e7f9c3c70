/* The kernels compiled as C. CMake builds this file once per instruction set, with
 * IMP_CPU_TABLE the name of the table. */
#include "device_cpu.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "frame.cl"
#include "bound.cl"
#include "cull.cl"
#include "brute.cl"
#include "hash.cl"
#include "grid.cl"
#include "narrow.cl"
#include "narrow8.cl"
#include "bound8.h"
#include "scan.cl"
#include "sort.cl"
#pragma GCC diagnostic pop

/* arguments by position: value of 32 or 64 bits, or the data of a buffer */
#define V(i) (u32) arg[i].value
#define W(i) arg[i].value
#define B(i) arg[i].buf->data

#define CPU_KERNEL(name, ...)                                                                      \
    static void cpu_##name(const kernel_arg *arg, u32 begin, u32 end)                              \
    {                                                                                              \
        for (u32 i = begin; i < end; i++)                                                          \
            name(i, V(0), __VA_ARGS__);                                                            \
    }

#define CPU_SCENE B(2), B(3), B(4), B(5), B(6), V(7), V(8), V(9), V(10), V(11)
#define CPU_GRID B(12), B(13), B(14), B(15), B(16), V(17), B(18)
#define CPU_TABLE V(12), B(13), B(14), B(15), B(16), B(17), B(18), B(19)

CPU_KERNEL(frame_box, B(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8))
CPU_KERNEL(frame_scale, B(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8))
CPU_KERNEL(bound_corners, V(1), B(2), B(3), B(4), B(5), B(6))
CPU_KERNEL(bound_objects, V(1), B(2), B(3), B(4), B(5))
#ifdef IMP_F64X8
/* measured 3 x as fast as one by one; frame by frame, so that the centre is one for all lanes */
static void cpu_bound_box(const kernel_arg *arg, u32 begin, u32 end)
{
    const u32 *prim0 = B(2);
    for (u32 i = begin; i < end;) {
        u32 f = frame_of(prim0, V(1), i), last = u32_min(end, prim0[f + 1]);
        for (; last - i >= 8; i += 8)
            bound8_box(i, v3_load(B(3), f), B(4), B(5), B(6));
        for (; i < last; i++)
            bound_box(i, V(0), V(1), prim0, B(3), B(4), B(5), B(6));
    }
}
#else
CPU_KERNEL(bound_box, V(1), B(2), B(3), B(4), B(5), B(6))
#endif
CPU_KERNEL(bound_slabs, V(1), B(2), B(3), B(4), B(5), V(6), B(7))
CPU_KERNEL(bound_edges, B(1), B(2), B(3), B(4), B(5))
CPU_KERNEL(cull_sides, B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8))
CPU_KERNEL(cull_far, B(1), B(2), B(3), B(4), B(5), B(6), B(7))
CPU_KERNEL(brute_count, V(1), CPU_SCENE, V(12), B(13), B(14))
CPU_KERNEL(brute_emit, V(1), CPU_SCENE, V(12), B(13), B(14), W(15), B(16), B(17))
CPU_KERNEL(hash_cover, B(1), V(2), B(3), B(4), B(5), B(6))
CPU_KERNEL(hash_levels, B(1), B(2), B(3), B(4))
CPU_KERNEL(hash_enter, B(1), V(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9))
CPU_KERNEL(hash_starts, W(1), W(2), V(3), B(4), B(5))
CPU_KERNEL(hash_count, V(1), CPU_SCENE, CPU_TABLE, B(20))
CPU_KERNEL(hash_emit, V(1), CPU_SCENE, CPU_TABLE, B(20), W(21), B(22), B(23))
CPU_KERNEL(grid_sizes, B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8))
CPU_KERNEL(grid_keys, B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9), B(10), B(11), B(12))
CPU_KERNEL(grid_gather, V(1), B(2), B(3), B(4), V(5), B(6), B(7))
CPU_KERNEL(grid_starts, V(1), B(2), B(3))
CPU_KERNEL(grid_count, V(1), CPU_SCENE, CPU_GRID, V(19), B(20), B(21))
CPU_KERNEL(grid_emit, V(1), CPU_SCENE, CPU_GRID, V(19), B(20), B(21), W(22), B(23), B(24))
CPU_KERNEL(grid_tiles, V(1), CPU_SCENE, CPU_GRID, B(19), B(20), B(21), V(22), V(23), B(24), B(25),
           B(26), B(27))
CPU_KERNEL(grid_pack, V(1), B(2), B(3), B(4), B(5), B(6), B(7))
CPU_KERNEL(narrow_copy, B(1), B(2), B(3), B(4))
CPU_KERNEL(narrow_names, B(1), B(2), B(3))
CPU_KERNEL(narrow_far, B(1), B(2), B(3), B(4), V(5), B(6))
CPU_KERNEL(narrow_test, B(1), B(2), B(3), B(4), V(5), B(6))
CPU_KERNEL(narrow_far8, V(1), B(2), B(3), B(4), B(5), V(6), B(7))
CPU_KERNEL(narrow_test8, V(1), B(2), B(3), B(4), B(5), V(6), B(7))
CPU_KERNEL(narrow_separate, B(1), B(2), B(3), B(4), V(5), B(6))
CPU_KERNEL(narrow_adjacent, B(1), B(2), B(3), B(4), B(5))
CPU_KERNEL(narrow_count, V(1), V(2), B(3), V(4), V(5), B(6))
CPU_KERNEL(narrow_pick, V(1), V(2), B(3), V(4), V(5), B(6), B(7), B(8), B(9), B(10))
CPU_KERNEL(narrow_segment, B(1), B(2), B(3), B(4), V(5), B(6), B(7), B(8))
CPU_KERNEL(narrow_segment8, V(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8), B(9))
CPU_KERNEL(narrow_segment_fan, B(1), B(2), B(3), B(4), V(5), B(6), B(7), B(8))
CPU_KERNEL(narrow_centroids, B(1), B(2), B(3), B(4), V(5), B(6), B(7), B(8))
CPU_KERNEL(scan_sums, B(1), V(2), V(3), B(4))
CPU_KERNEL(scan_partials, V(1), B(2), V(3), B(4))
CPU_KERNEL(scan_write, B(1), V(2), V(3), B(4), B(5))
CPU_KERNEL(scan_take, B(1), B(2), B(3))
CPU_KERNEL(scan_find, B(1), V(2), V(3), W(4), B(5))
CPU_KERNEL(sort_count, B(1), W(2), W(3), V(4), V(5), B(6))
CPU_KERNEL(sort_scatter, B(1), B(2), W(3), W(4), V(5), V(6), B(7), B(8), B(9))

#define cpu_scan_sums_group NULL
#define cpu_scan_partials_group NULL
#define cpu_scan_write_group NULL
#define cpu_sort_count_group NULL
#define cpu_sort_scatter_group NULL

cpu_kernel *const IMP_CPU_TABLE[KERNELS] = {
#define X(name, kind, args) [KERNEL_##name] = cpu_##name,
#include "kernels.def"
#undef X
};
