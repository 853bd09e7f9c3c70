/* Programs as a driver compiled them, in the user's cache folder. Some drivers compile in each
 * process (Intel's for CPUs takes 5 to 14 s for what it then loads in 0.1 s); what others build
 * within CL_CACHE_SECONDS is not kept, as they have caches of their own. A file holds what it was
 * made of: it counts for this version of the kernels, device and driver alone, and only if it is
 * whole. There is one for each device, program and form, so that a new version replaces the old.
 * All of these under cl_lock. */
#ifndef IMP_DEVICE_CL_KEPT_H
#define IMP_DEVICE_CL_KEPT_H

#include "device_cl_list.h"

#define CL_CACHE_SECONDS 3

typedef struct cl_text {
    cl_device_id id;
    const imp_device_info *device;
    cl_context context;
    const char *source, *options;
} cl_text;

/* The program, built; NULL if there is none, or if the driver does not take it. Never an error. */
cl_program cl_cache_find(const cl_text *t);

/* Puts it there; does nothing where that is not possible. */
void cl_cache_add(const cl_text *t, cl_program program);

#endif
