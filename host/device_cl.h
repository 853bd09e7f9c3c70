/* Shared by the two files of the OpenCL device. */
#ifndef IMP_DEVICE_CL_H
#define IMP_DEVICE_CL_H

#define CL_TARGET_OPENCL_VERSION 120
#include "device.h"

#include <CL/cl.h>

typedef struct cl_entry {
    cl_platform_id platform;
    cl_device_id device;
} cl_entry;

int cl_list(cl_entry **out, size_t *count);
void cl_describe(cl_entry e, imp_device_info *out);

/* The device that def->name asks for: "opencl", a number as in imp_device_at, or part of a name.
 * IMP_ERR_DEVICE if there is none. */
int cl_choose(const device_def *def, cl_entry *out);

#endif
