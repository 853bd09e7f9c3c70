/* What OpenCL devices have in common that are open at once, in one process, on one device: a
 * context, and the programs built in it. Building is nearly all of the time that opening takes,
 * also where the driver has the machine code from an earlier process. Each has a queue, kernels and
 * buffers of its own. */
#ifndef IMP_DEVICE_CL_SHARE_H
#define IMP_DEVICE_CL_SHARE_H

#include "device_cl_list.h"

typedef struct cl_shared cl_shared;

/* The context and program 0, both made if no other open device has them. All of these under
 * cl_lock, since some drivers cannot compile in two threads. */
int cl_share(cl_entry e, const imp_device_info *info, cl_shared **out);

/* Frees what the last one has. */
void cl_unshare(cl_shared *s);

cl_context cl_shared_context(const cl_shared *s);

/* A kernel object of its own, to be released. Builds the kernel's program when it is the first of
 * it. */
int cl_shared_kernel(cl_shared *s, enum kernel kernel, cl_kernel *out);

/* A context may be of no use after an error: those opened from now on get another. Any thread may
 * call it. */
void cl_shared_failed(cl_shared *s);

/* The error of an OpenCL call. Lack of memory is an error of its own: it leads to a smaller block,
 * others to another device. */
int cl_failed(const char *name, const char *what, cl_int code);
const char *cl_error_name(cl_int code);

#endif
