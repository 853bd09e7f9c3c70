/* See device_cl_traits.h. */
#include "device_cl_traits.h"

#include "device_cl_share.h"
#include "error.h"

#include <limits.h>

/* Of the kernels' work-groups: ctest gpu sees that no kernel has more local memory. */
#define GROUP_ITEMS 256
#define GROUP_LOCAL (32u << 10)

/* Addresses of 32 bits: a kernel may go one item beyond the end of a buffer before it compares. */
#define LARGEST_OF_32 ((uint64_t)1 << 31)

typedef struct verdict {
    cl_device_type type;
    size_t group;
    cl_ulong local;
    cl_uint bits;
} verdict;

static cl_int cl_traits_query(cl_entry e, verdict *out)
{
    const struct {
        cl_device_info what;
        size_t size;
        void *to;
    } list[] = {{CL_DEVICE_TYPE, sizeof out->type, &out->type},
                {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof out->group, &out->group},
                {CL_DEVICE_LOCAL_MEM_SIZE, sizeof out->local, &out->local},
                {CL_DEVICE_ADDRESS_BITS, sizeof out->bits, &out->bits}};
    cl_int code = CL_SUCCESS;
    *out = (verdict){0};
    for (size_t i = 0; i < sizeof list / sizeof *list && code == CL_SUCCESS; i++)
        code = clGetDeviceInfo(e.device, list[i].what, list[i].size, list[i].to, NULL);
    return code;
}

static uint64_t cl_traits_least(uint64_t has, uint64_t forced)
{
    return forced && forced < has ? forced : has;
}

static void force(const device_limits *most, const imp_device_info *info, verdict *s,
                  cl_traits *out)
{
    s->group = (size_t)cl_traits_least(s->group, most->group);
    s->local = cl_traits_least(s->local, most->local);
    s->bits = (cl_uint)cl_traits_least(s->bits, most->bits);
    out->largest = cl_traits_least(info->largest_buffer, most->largest);
    if (s->bits <= 32)
        out->largest = cl_traits_least(out->largest, LARGEST_OF_32);
}

int cl_traits_of(cl_entry e, const device_def *def, imp_device_info *info, cl_traits *out)
{
    verdict s;
    cl_int code = cl_describe(e, info);
    if (code == CL_SUCCESS)
        code = cl_traits_query(e, &s);
    if (code != CL_SUCCESS)
        return cl_failed(info->name, "it does not say what it is", code);
    if (!s.group || !info->compute_units || info->compute_units > INT_MAX || !info->largest_buffer)
        return imp_fail(IMP_ERR_DEVICE,
                        "device '%s': claims %u units, work-groups of %zu, buffers of %llu bytes",
                        info->name, info->compute_units, s.group,
                        (unsigned long long)info->largest_buffer);
    const int cpu = (s.type & CL_DEVICE_TYPE_CPU) != 0;
    if (def->as_gpu && !cpu)
        return imp_fail(IMP_ERR_DEVICE, "device '%s': only a CPU can act as a GPU", info->name);
    *out = (cl_traits){0};
    force(&def->most, info, &s, out);
    if (s.group < GROUP_ITEMS || s.local < GROUP_LOCAL)
        return imp_fail(IMP_ERR_DEVICE,
                        "device '%s': has work-groups of %zu with %llu bytes of local memory; "
                        "needed are %d with %u",
                        info->name, s.group, (unsigned long long)s.local, GROUP_ITEMS, GROUP_LOCAL);
    /* A CPU reads the caller's memory. One that acts as a GPU copies as a GPU does. */
    out->host_memory = cpu && !def->as_gpu;
    out->large = !out->host_memory;
    out->fp64 = info->fp64 && !def->force_no_fp64;
    out->compute_units = (int)(def->as_gpu ? def->as_gpu : info->compute_units);
    /* Launches are as large as they would be on a GPU, though they take longer. */
    out->slow = (double)out->compute_units / info->compute_units;
    return IMP_OK;
}
