/* The kernels as host functions over a range of items, built once per instruction set. */
#ifndef IMP_DEVICE_CPU_H
#define IMP_DEVICE_CPU_H

#include "device.h"

/* runs items [begin, end) of one launch; `args` is the kernel's NAME_args (launch.h) */
typedef void cpu_kernel(const void *args, uint32_t begin, uint32_t end);

/* [KERNELS]; NULL for the work-group forms. All give the same results: see dialect.h. */
extern cpu_kernel *const cpu_kernels_base[];
#ifdef IMP_CPU_VARIANTS
extern cpu_kernel *const cpu_kernels_v3[]; /* AVX2 */
extern cpu_kernel *const cpu_kernels_v4[]; /* AVX-512 */
#endif

#endif
