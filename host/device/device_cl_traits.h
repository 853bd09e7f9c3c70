/* What an OpenCL device has of what launches and buffers need. */
#ifndef IMP_DEVICE_CL_TRAITS_H
#define IMP_DEVICE_CL_TRAITS_H

#include "device_cl_list.h"

typedef struct cl_traits {
    int host_memory; /* reads the host's memory */
    int large;       /* a GPU, or acts as one */
    int fp64, compute_units;
    uint64_t largest; /* buffer, bytes */
    double slow;      /* how many times slower it is than what it acts as, about */
} cl_traits;

/* No more than def forces on it; *info is what it says of itself. IMP_ERR_DEVICE if that is not
 * enough for the work-groups of the kernels. */
int cl_traits_of(cl_entry e, const device_def *def, imp_device_info *info, cl_traits *out);

#endif
