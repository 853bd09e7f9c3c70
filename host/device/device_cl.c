/* An OpenCL device: context, program, buffers, launches. */
#include "device_cl.h"

#include "clock.h"
#include "error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context may be unusable after an error: the device, if opened again, gets another. */
int cl_fail(const device_cl *d, const char *what, cl_int code)
{
    int err = cl_failed(d->base.info.name, what, code);
    if (err != IMP_ERR_MEMORY)
        cl_shared_failed(d->shared);
    return err;
}

/* ---- buffers */

/* Reserves first, so that memory is counted before it is allocated. */
static int cl_alloc(device *base, buffer *b, size_t bytes, size_t capacity)
{
    device_cl *d = (device_cl *)base;
    /* Spare capacity only if it may be used later, and no more than the device allows. */
    size_t most = base->mem->caches ? mem_spare_size(capacity) : capacity;
    size_t size = mem_reserve_most(base->mem, bytes, most < base->largest ? most : bytes);
    if (!size)
        return IMP_ERR_MEMORY;
    cl_int code;
    b->native = clCreateBuffer(cl_shared_context(d->shared), CL_MEM_READ_WRITE, size, NULL, &code);
    if (code == CL_SUCCESS) {
        b->capacity = size;
        return IMP_OK;
    }
    b->native = NULL;
    mem_release(base->mem, size);
    return imp_fail(IMP_ERR_MEMORY, "device '%s': no memory for %zu bytes: %s (OpenCL %d)",
                    base->info.name, bytes, cl_error_name(code), (int)code);
}

/* A HEAVY kernel runs in slices, launches of about 0.05 s, so that signals are answered and no
 * watchdog stops it. The first slice is small, a work-group for each unit: an item may meet all
 * others many times. Slices grow as long as they are quick. The kernel's next run begins with the
 * size that this one reached: waiting for each launch costs more than a short run. */
#define SLICE_SHORT 0.02
#define SLICE_LONG 0.1

/* Adapts the slice by the time of the last launch. A short rest does not tell the time of a whole
 * slice. */
static void slice_learn(device_cl *d)
{
    const double took = (clock_seconds() - d->last.start) / d->slow;
    uint64_t *slice = &d->slice[d->last.kernel];
    if (d->last.is && took < SLICE_SHORT && d->last.whole)
        *slice *= 4;
    else if (d->last.is && took > SLICE_LONG)
        *slice /= 4;
    d->last.is = 0;
}

/* All work in the queue is complete. */
static void cl_idle(device_cl *d)
{
    d->staged = 0;
    slice_learn(d);
}

cl_int cl_wait(device_cl *d)
{
    cl_int code = clFinish(d->queue);
    if (code == CL_SUCCESS)
        cl_idle(d);
    return code;
}

int cl_done(device_cl *d, const char *what, cl_int code)
{
    if (code != CL_SUCCESS)
        return cl_fail(d, what, code);
    cl_idle(d);
    return IMP_OK;
}

/* Waits for kernels that read a view: the memory behind it may be freed after the view. */
static void cl_free(device *base, buffer *b)
{
    if (!b->capacity)
        cl_wait((device_cl *)base);
    clReleaseMemObject(b->native);
    mem_release(base->mem, b->capacity);
}

static int cl_wrap(device *base, buffer *b, const void *data, size_t bytes)
{
    device_cl *d = (device_cl *)base;
    cl_int code;
    void *host;
    memcpy(&host, &data, sizeof data); /* the kernels only read it */
    b->native = clCreateBuffer(cl_shared_context(d->shared), CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                               bytes, host, &code);
    if (code != CL_SUCCESS) {
        b->native = NULL;
        return cl_fail(d, "view of host memory", code);
    }
    b->bytes = bytes;
    return IMP_OK;
}

/* ---- launches */

#define CL_GROUP 64 /* work-group size of kernels without a size of their own */

/* Makes a kernel when it is first run: a pipeline uses few of all kernels. */
static int cl_kernel_ready(device_cl *d, enum kernel kernel)
{
    if (d->kernel[kernel])
        return IMP_OK;
    cl_lock();
    int err = cl_shared_kernel(d->shared, kernel, &d->kernel[kernel]);
    cl_unlock();
    return err;
}

/* Launches whole work-groups: kernels ignore items from n on. */
static int cl_launch(device_cl *d, enum kernel kernel, uint64_t first, uint64_t items, size_t group)
{
    size_t offset = (size_t)first, global = (size_t)((items + group - 1) / group * group);
    cl_int code = clEnqueueNDRangeKernel(d->queue, d->kernel[kernel], 1, &offset, &global, &group,
                                         0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, kernel_table[kernel].name, code);
}

/* Waits for each slice but the last: a queue of many could not be cancelled. The last one is timed
 * by the next wait, which may include other work, so it counts as slower than it is. */
static int cl_run_slices(device_cl *d, enum kernel kernel, uint64_t items, size_t group)
{
    const uint64_t least = (uint64_t)d->base.threads * group;
    if (d->slice[kernel] < least)
        d->slice[kernel] = least;
    for (uint64_t first = 0, n; first < items; first += n) {
        const uint64_t groups = d->slice[kernel] / group, slice = groups ? groups * group : group;
        n = items - first < slice ? items - first : slice;
        d->last = (heavy){kernel, 1, n == slice, clock_seconds()};
        int err = cl_launch(d, kernel, first, n, group);
        if (!err && first + n < items)
            err = device_finish(&d->base);
        err = err ? err : device_check_cancel(&d->base);
        if (err)
            return err;
    }
    return IMP_OK;
}

static int cl_run(device *base, enum kernel kernel, uint64_t items, size_t group, const void *args)
{
    device_cl *d = (device_cl *)base;
    int err = device_check_cancel(base);
    /* OpenCL 1.2 refuses launches without items. */
    if (err || !items)
        return err;
    err = cl_kernel_ready(d, kernel);
    if (err)
        return err;
    /* A launch copies the current arguments, so one kernel object serves every call. */
    cl_int code = cl_set_args[kernel](d->kernel[kernel], args);
    if (code != CL_SUCCESS)
        return cl_fail(d, kernel_table[kernel].name, code);
    enum kernel_kind kind = kernel_table[kernel].kind;
    if (!group)
        group = CL_GROUP;
    if (kind == KERNEL_HEAVY || kind == KERNEL_HEAVY_GROUP)
        return cl_run_slices(d, kernel, items, group);
    return cl_launch(d, kernel, 0, items, group);
}

static int cl_finish(device *base)
{
    device_cl *d = (device_cl *)base;
    cl_int code = cl_wait(d);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "finish", code);
}

/* ---- opening */

/* Closes in reverse order; under the lock, since drivers may stop here. */
static void cl_close(device *base)
{
    device_cl *d = (device_cl *)base;
    cl_lock();
    for (int k = 0; k < KERNELS; k++)
        if (d->kernel[k])
            clReleaseKernel(d->kernel[k]);
    cl_copies_close(d);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->shared)
        cl_unshare(d->shared);
    cl_unlock();
    free(d);
}

static const device_ops cl_ops = {
    cl_alloc,    cl_free,          cl_wrap,          cl_write,         cl_read, cl_copy,
    cl_run,      cl_finish,        cl_prefetch,      cl_prefetch_done, cl_pin,  cl_unpin,
    cl_readback, cl_readback_wait, cl_readback_done, cl_close,
};

static int cl_start(device_cl *d, cl_entry e)
{
    cl_int code;
    int err = cl_share(e, &d->base.info, &d->shared);
    if (err)
        return err;
    d->queue = clCreateCommandQueue(cl_shared_context(d->shared), e.device, 0, &code);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "command queue", code);
}

static int cl_open(device_cl *d, cl_entry e, const device_def *def)
{
    cl_traits has = {0};
    int err = cl_traits_of(e, def, &d->base.info, &has);
    if (err)
        return err;
    d->base.queued = 1;
    d->base.host_memory = d->unpinned = has.host_memory;
    d->base.groups = 1;
    d->base.large = has.large;
    d->base.fp64 = has.fp64;
    d->base.threads = has.compute_units;
    d->base.largest = has.largest;
    d->slow = has.slow;
    cl_lock();
    err = cl_start(d, e);
    cl_unlock();
    return err;
}

int device_cl_open(const device_def *def, device **out)
{
    cl_entry e;
    int err = cl_choose(def, &e);
    if (err)
        return err;
    device_cl *d = calloc(1, sizeof *d);
    if (!d)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    d->base.ops = &cl_ops;
    d->base.mem = def->mem;
    d->base.cancel = def->cancel;
    d->threads = def->threads;
    d->id = e.device;
    err = cl_open(d, e, def);
    if (err) {
        /* Also frees the parts that a failed start has made. */
        cl_close(&d->base);
        return err == IMP_ERR_MEMORY ? IMP_ERR_MEMORY : IMP_ERR_DEVICE;
    }
    *out = &d->base;
    return IMP_OK;
}

/* ---- Arguments of OpenCL kernels, by kernels.def. */

static cl_int set(cl_kernel kernel, cl_uint *i, size_t size, const void *value)
{
    return clSetKernelArg(kernel, (*i)++, size, value);
}

/* After the first failure no more arguments are set, and its code is returned. */
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
/* Kernels over items have the number of items as the first argument; those of work-groups have no
 * excess items. */
#define K(name, kind, list) SET(name, VALUE(u32, n) list)
#define G(name, list) SET(name, list)
#include "kernels.def"

cl_args *const cl_set_args[KERNELS] = {
#define K(name, kind, list) [KERNEL_##name] = set_##name,
#define H(name, kind, list) [KERNEL_##name] = NULL,
#define G(name, list) [KERNEL_##name] = set_##name,
#include "kernels.def"
};

/* Limits of the kernels' work-groups: ctest gpu checks that no kernel uses more local memory. */
#define GROUP_ITEMS 256
#define GROUP_LOCAL (32u << 10)

/* With 32-bit addresses: an index may exceed a buffer's end by one item before it is compared. */
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
    /* A CPU reads the caller's memory. A CPU that acts as a GPU copies as a GPU does. */
    out->host_memory = cpu && !def->as_gpu;
    out->large = !out->host_memory;
    out->fp64 = info->fp64 && !def->force_no_fp64;
    out->compute_units = (int)(def->as_gpu ? def->as_gpu : info->compute_units);
    /* Launches are as large as on the GPU, though they take longer. */
    out->slow = (double)out->compute_units / info->compute_units;
    return IMP_OK;
}
