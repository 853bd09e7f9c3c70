/* For the program's own measurements and tests; no part of the library's interface, whose users
 * would only be slowed down by it. */
#ifndef IMP_AS_GPU_H
#define IMP_AS_GPU_H

#include "impinge.h"

#include <stdint.h>

/* imp_create on an OpenCL CPU device, which def->device names, that is treated as a GPU of `count`
 * compute units: kernels in their forms for GPUs, in launches sized for so many units, and memory
 * of its own, so that what a GPU copies is copied. It is not asked to prove itself by the
 * self-test, which would take a simulator minutes. IMP_ERR_DEVICE for a device that is no CPU, or
 * whose work-groups are too small for these forms. */
int imp_create_as_gpu(const imp_def *def, uint32_t count, imp **out);

#endif
