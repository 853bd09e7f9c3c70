/* A dialect of kernels (kernels/dialect.h): CUDA, by clang and without NVIDIA's headers. cuda.sh
 * compiles a kernel through it. */
#ifndef IMP_DIALECT_CUDA_H
#define IMP_DIALECT_CUDA_H

#define IMP_DEVICE 1

#pragma clang force_cuda_host_device begin

#define KERNEL extern "C" __attribute__((global))
#define GROUP_KERNEL(size) KERNEL __attribute__((launch_bounds(size))) void
#define GLOBAL
#define CONSTANT static const
#define LOCAL
#define SHARED __attribute__((shared))
#define FN_LOCAL static inline __attribute__((always_inline))
#define ITEM_ARG
#define LOCAL_ID ((u32)__nvvm_read_ptx_sreg_tid_x())
#define GROUP_ID ((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define GROUPS ((u32)__nvvm_read_ptx_sreg_nctaid_x())
#define GROUP_FIRST(tile) ((u64)GROUP_ID * (tile))
#define GROUP_SIZE ((u32)__nvvm_read_ptx_sreg_ntid_x())
#define ITEM (GROUP_ID * GROUP_SIZE + LOCAL_ID)
#define ITEMS (GROUPS * GROUP_SIZE)
#define BARRIER() __syncthreads()
#define ATOMIC_ADD(at, n) __nvvm_atom_add_gen_i((int *)(at), (int)(n))
#define FETCH(p) ((void)0)
#define UNROLLED _Pragma("unroll")
#define UNROLLED_4 _Pragma("unroll 4")
#define ROLLED _Pragma("unroll 1")

#endif
