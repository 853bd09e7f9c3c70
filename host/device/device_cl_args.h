/* The arguments of OpenCL kernels. */
#ifndef IMP_DEVICE_CL_ARGS_H
#define IMP_DEVICE_CL_ARGS_H

#include "device_cl_list.h"

/* Gives a kernel its NAME_args (launch.h): device_cl_args.c, [KERNELS]. */
typedef cl_int cl_args(cl_kernel kernel, const void *args);
extern cl_args *const cl_set_args[];

#endif
