/* The kernels compiled as C. CMake builds this file once per instruction set, with
 * IMP_CPU_TABLE the name of the table. */
#include "device_cpu.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "frame.cl"
#include "bound.cl"
#include "brute.cl"
#include "hash.cl"
#include "narrow.cl"
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
#define CPU_TABLE V(12), B(13), B(14), B(15), B(16), B(17), B(18), B(19)

CPU_KERNEL(frame_box, B(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8))
CPU_KERNEL(frame_scale, B(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8))
CPU_KERNEL(bound_corners, V(1), B(2), B(3), B(4), B(5), B(6))
CPU_KERNEL(bound_objects, V(1), B(2), B(3), B(4), B(5))
CPU_KERNEL(bound_dop, V(1), B(2), B(3), B(4), B(5), V(6), B(7), B(8))
CPU_KERNEL(bound_edges, B(1), B(2), B(3), B(4), B(5))
CPU_KERNEL(brute_count, V(1), CPU_SCENE, V(12), B(13), B(14))
CPU_KERNEL(brute_emit, V(1), CPU_SCENE, V(12), B(13), B(14), W(15), B(16), B(17))
CPU_KERNEL(hash_cover, B(1), V(2), B(3), B(4), B(5), B(6))
CPU_KERNEL(hash_levels, B(1), B(2), B(3), B(4))
CPU_KERNEL(hash_enter, B(1), V(2), B(3), B(4), B(5), B(6), B(7), B(8), B(9))
CPU_KERNEL(hash_starts, W(1), W(2), V(3), B(4), B(5))
CPU_KERNEL(hash_count, V(1), CPU_SCENE, CPU_TABLE, B(20))
CPU_KERNEL(hash_emit, V(1), CPU_SCENE, CPU_TABLE, B(20), W(21), B(22), B(23))
CPU_KERNEL(narrow_test, B(1), B(2), B(3), B(4), V(5), B(6))
CPU_KERNEL(narrow_count, V(1), V(2), B(3), B(4))
CPU_KERNEL(narrow_pick, V(1), V(2), B(3), B(4), B(5), B(6), B(7), B(8))
CPU_KERNEL(narrow_segment, B(1), B(2), B(3), B(4), V(5), V(6), B(7), B(8), B(9))
CPU_KERNEL(narrow_centroids, B(1), B(2), B(3), B(4), V(5), B(6), B(7), B(8))
CPU_KERNEL(scan_sums, B(1), V(2), V(3), B(4))
CPU_KERNEL(scan_partials, V(1), B(2), V(3), B(4))
CPU_KERNEL(scan_write, B(1), V(2), V(3), B(4), B(5))
CPU_KERNEL(scan_take, B(1), B(2), B(3))
CPU_KERNEL(scan_find, B(1), V(2), V(3), W(4), B(5))
CPU_KERNEL(sort_count, B(1), W(2), W(3), V(4), B(5))
CPU_KERNEL(sort_scatter, B(1), B(2), W(3), W(4), V(5), B(6), B(7), B(8))

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
