/* The OpenCL devices of this machine, and the lock under which drivers start and stop. */
#ifndef IMP_DEVICE_CL_LIST_H
#define IMP_DEVICE_CL_LIST_H

#include "device.h"
#include "device_cl_calls.h"

typedef struct cl_entry {
    cl_platform_id platform;
    cl_device_id device;
} cl_entry;

/* The standard lets any thread make any call at any time, but drivers do not keep to that while
 * they start or stop: one that asks PoCL 3.1 for its devices while another starts it gets none, or
 * crashes; ocl-icd loads drivers without a lock. So calls that may start, stop or build anything
 * run one at a time in the whole process. No callback of the caller runs between these two, since
 * it may make a pipeline of its own. */
void cl_lock(void);
void cl_unlock(void);

/* All devices of all platforms, in the loader's order. *out is malloc'ed; a machine without OpenCL
 * has 0 devices, as has one without a loader. Platforms that fail have none: *code is the error of
 * the last of them, or CL_SUCCESS. */
int cl_list(cl_entry **out, size_t *count, cl_int *code);

/* A device's properties. Those that it does not report are 0, and a name "unnamed"; returns the
 * first failure, or CL_SUCCESS. */
cl_int cl_describe(cl_entry e, imp_device_info *out);

/* The device that def->name asks for: "opencl", a number as in imp_device_at, or part of a name.
 * IMP_ERR_DEVICE if there is none. */
int cl_choose(const device_def *def, cl_entry *out);

#endif
