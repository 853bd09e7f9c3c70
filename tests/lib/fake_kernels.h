/* The device forms of all kernels as C, for the test driver (fake_cl.c): items of a work-group take
 * turns, from barrier to barrier, in one thread. */
#ifndef IMP_FAKE_KERNELS_H
#define IMP_FAKE_KERNELS_H

#include "launch.h"

/* Arguments as given to clSetKernelArg: numbers, and the memory of buffers. */
typedef struct fake_arg {
    uint64_t value;
    void *data;
} fake_arg;

/* Runs items [first, first + items), by `size`. Returns 0 if it is not a kernel of devices. */
int fake_kernel_run(enum kernel kernel, const fake_arg *arg, uint64_t first, uint64_t items,
                    uint32_t size);

#endif
