/* Arguments of OpenCL kernels, by kernels.def. */
#include "device_cl_args.h"

static cl_int set(cl_kernel kernel, cl_uint *i, size_t size, const void *value)
{
    return clSetKernelArg(kernel, (*i)++, size, value);
}

/* After the first failure nothing more is set, and its code is returned. */
#define IN(type, name)                                                                             \
    if (code == CL_SUCCESS)                                                                        \
        code = set(kernel, &i, sizeof(cl_mem), &args->name->raw.native);
#define OUT(type, name) IN(type, name)
#define VALUE(type, name)                                                                          \
    if (code == CL_SUCCESS)                                                                        \
        code = set(kernel, &i, sizeof args->name, &args->name);
#define SET(name, list)                                                                            \
    static cl_int set_##name(cl_kernel kernel, const void *all)                                    \
    {                                                                                              \
        const name##_args *args = all;                                                             \
        cl_int code = CL_SUCCESS;                                                                  \
        cl_uint i = 0;                                                                             \
        list return code;                                                                          \
    }
#define H(name, kind, list)
/* Kernels over items take their number first; those of work-groups have no items too many. */
#define K(name, kind, list) SET(name, VALUE(u32, n) list)
#define G(name, list) SET(name, list)
#include "kernels.def"

cl_args *const cl_set_args[KERNELS] = {
#define K(name, kind, list) [KERNEL_##name] = set_##name,
#define H(name, kind, list) [KERNEL_##name] = NULL,
#define G(name, list) [KERNEL_##name] = set_##name,
#include "kernels.def"
};
