/* See watch_cl.h. */
#define _GNU_SOURCE /* RTLD_NEXT */
#define CL_TARGET_OPENCL_VERSION 120
#include "watch_cl.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

static atomic_long launches, waits;

watched watch_cl(void)
{
    return (watched){atomic_load(&launches), atomic_load(&waits)};
}

/* The next definition of the call in the process. */
static void watch_cl_real_call(const char *name, void *out)
{
    void *call = dlsym(RTLD_NEXT, name);
    if (!call) {
        fprintf(stderr, "watch_cl: the loader's %s is not seen in the process\n", name);
        exit(1);
    }
    memcpy(out, &call, sizeof call);
}

VISIBLE cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                      const size_t *offset, const size_t *global,
                                      const size_t *local, cl_uint events, const cl_event *wait,
                                      cl_event *done)
{
    __typeof__(clEnqueueNDRangeKernel) *call;
    watch_cl_real_call("clEnqueueNDRangeKernel", &call);
    atomic_fetch_add(&launches, 1);
    return call(queue, kernel, dimensions, offset, global, local, events, wait, done);
}

VISIBLE cl_int clFinish(cl_command_queue queue)
{
    __typeof__(clFinish) *call;
    watch_cl_real_call("clFinish", &call);
    atomic_fetch_add(&waits, 1);
    return call(queue);
}
