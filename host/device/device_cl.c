/* An OpenCL device: context, program, buffers, launches. */
#include "device_cl_args.h"
#include "device_cl_pinned.h"
#include "device_cl_share.h"
#include "device_cl_traits.h"

#include "clock.h"
#include "error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes that are not larger do not wait: their data is copied to memory that stays as it is until
 * the queue, which is in order, is known to have come past them. A wait costs a GPU more than most
 * kernels do, and most writes are tables of a few numbers. */
#define STAGE_MOST (64u << 10)
#define STAGE_BYTES (512u << 10)

/* A launch of a HEAVY kernel. */
typedef struct heavy {
    enum kernel kernel;
    int is, whole; /* is there any; does it have the items of a whole slice? */
    double start;
} heavy;

typedef struct device_cl {
    device base;
    cl_shared *shared;
    cl_command_queue queue;
    cl_device_id id;
    size_t group;      /* work-group size of ordinary kernels */
    double slow;       /* how many times slower it is than what it acts as, about; 1: as itself */
    cl_pinned *pinned; /* for copies, after the first one; may be NULL */
    int unpinned;      /* there is none */
    /* for writes beside those of `queue`, after the first one; may be NULL */
    cl_command_queue beside;
    cl_pinned *pinned_beside;
    int threads; /* of the host, that copy */
    cl_kernel kernel[KERNELS];
    uint64_t slice[KERNELS]; /* items of a launch of a HEAVY kernel that was quick; 0: none was */
    heavy last;              /* launch of such a kernel that was not waited for */
    size_t staged;           /* bytes of `stage` that writes may still read */
    unsigned char stage[STAGE_BYTES];
} device_cl;

/* A context may be of no use after an error: the device, opened again, gets another. */
static int cl_fail(const device_cl *d, const char *what, cl_int code)
{
    int err = cl_failed(d->base.info.name, what, code);
    if (err != IMP_ERR_MEMORY)
        cl_shared_failed(d->shared);
    return err;
}

/* ---- buffers */

/* The limit is asked first, so that memory is counted before it exists. */
static int cl_alloc(device *base, buffer *b, size_t bytes, size_t capacity)
{
    device_cl *d = (device_cl *)base;
    /* Spare memory only where it may be used later, and no more than the device allows. */
    size_t most = base->mem->keeps ? mem_spare_size(capacity) : capacity;
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

/* A HEAVY kernel goes in launches of about 0.05 s, so that signals are answered and no watchdog
 * stops it. The first launch is small, a work-group for each unit: an item may meet all others many
 * times. The next ones grow while they are quick. The kernel's next run begins where this one ends:
 * a wait for each launch costs more than a short run takes. */
#define SLICE_SHORT 0.02
#define SLICE_LONG 0.1

/* How large the next slice is, by the time of the last one. A short rest says nothing about a whole
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

/* Everything in the queue is done. */
static void cl_idle(device_cl *d)
{
    d->staged = 0;
    slice_learn(d);
}

/* Waits for everything. */
static cl_int cl_wait(device_cl *d)
{
    cl_int code = clFinish(d->queue);
    if (code == CL_SUCCESS)
        cl_idle(d);
    return code;
}

/* The memory behind a view may be freed once the view is: waits for kernels that read it. */
static void cl_free(device *base, buffer *b)
{
    if (!b->capacity)
        cl_wait((device_cl *)base);
    clReleaseMemObject(b->native);
    mem_release(base->mem, b->capacity);
}

/* After a blocking call all that was in the queue before it is done. */
static int cl_done(device_cl *d, const char *what, cl_int code)
{
    if (code != CL_SUCCESS)
        return cl_fail(d, what, code);
    cl_idle(d);
    return IMP_OK;
}

static int cl_write_staged(device_cl *d, buffer *b, size_t offset, const source *list, size_t n)
{
    const size_t bytes = sources_bytes(list, n);
    cl_int code = d->staged + bytes > STAGE_BYTES ? cl_wait(d) : CL_SUCCESS;
    if (code != CL_SUCCESS)
        return cl_fail(d, "finish", code);
    unsigned char *copy = d->stage + d->staged;
    sources_copy(list, n, copy);
    d->staged += bytes;
    code = clEnqueueWriteBuffer(d->queue, b->native, CL_FALSE, offset, bytes, copy, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "write", code);
}

/* NULL: copies go without pinned memory. */
static cl_pinned *pinned_of(device_cl *d)
{
    if (!d->pinned && !d->unpinned) {
        d->pinned = cl_pinned_open(cl_shared_context(d->shared), d->queue, d->base.mem, d->threads);
        d->unpinned = !d->pinned;
    }
    return d->pinned;
}

/* The queue is in order, so the last write waits for all. After an error none may still read memory
 * that the caller changes. */
static int cl_write_each(device_cl *d, buffer *b, size_t offset, const source *list, size_t n)
{
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < n && code == CL_SUCCESS; offset += list[i++].bytes)
        code = clEnqueueWriteBuffer(d->queue, b->native, i + 1 == n, offset, list[i].bytes,
                                    list[i].at, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        clFinish(d->queue);
    return cl_done(d, "write", code);
}

/* The caller may change the data afterwards. */
static int cl_write(device *base, buffer *b, size_t offset, const source *list, size_t n)
{
    device_cl *d = (device_cl *)base;
    if (sources_bytes(list, n) <= STAGE_MOST)
        return cl_write_staged(d, b, offset, list, n);
    cl_pinned *by = pinned_of(d);
    if (!by)
        return cl_write_each(d, b, offset, list, n);
    const cl_int code = cl_pinned_write(by, b->native, offset, list, n);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "write", code);
}

/* Once. The device has to have what is queued before. */
static void cl_meanwhile(device_cl *d)
{
    const meanwhile what = d->base.meanwhile;
    d->base.meanwhile = (meanwhile){0};
    if (!what.run)
        return;
    clFlush(d->queue);
    what.run(what.user);
}

/* A queue that fails is not tried again: writes go without it. */
static int cl_beside(device_cl *d)
{
    if (d->pinned_beside || d->beside)
        return d->pinned_beside != NULL;
    cl_int code;
    cl_context in = cl_shared_context(d->shared);
    d->beside = clCreateCommandQueue(in, d->id, 0, &code);
    if (code != CL_SUCCESS)
        d->beside = NULL;
    else
        d->pinned_beside = cl_pinned_open(in, d->beside, d->base.mem, d->threads);
    return d->pinned_beside != NULL;
}

static int cl_ahead(device *base, buffer *b, const source *list, size_t n)
{
    device_cl *d = (device_cl *)base;
    if (!cl_beside(d))
        return IMP_ERR_DEVICE;
    const cl_int code = cl_pinned_write(d->pinned_beside, b->native, 0, list, n);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "write", code);
}

static int cl_ahead_done(device *base)
{
    device_cl *d = (device_cl *)base;
    const cl_int code = d->beside ? clFinish(d->beside) : CL_SUCCESS;
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "finish", code);
}

/* The queue is in order, so the last read waits for all. After an error none may still write to
 * memory that the caller frees. */
static int cl_read(device *base, const readout *list, size_t n)
{
    device_cl *d = (device_cl *)base;
    cl_meanwhile(d);
    cl_pinned *by = pinned_of(d);
    cl_int code = by ? cl_pinned_read(by, list, n) : CL_SUCCESS;
    while (n && !list[n - 1].bytes)
        n--;
    for (size_t i = 0; i < n && code == CL_SUCCESS && !by; i++)
        if (list[i].bytes)
            code = clEnqueueReadBuffer(d->queue, list[i].from->native, i + 1 == n, list[i].offset,
                                       list[i].bytes, list[i].to, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        clFinish(d->queue);
    return cl_done(d, "read", code);
}

/* Does not wait: the queue is in order. */
static int cl_copy(device *base, const buffer *from, size_t from_offset, buffer *to,
                   size_t to_offset, size_t bytes)
{
    device_cl *d = (device_cl *)base;
    cl_int code = clEnqueueCopyBuffer(d->queue, from->native, to->native, from_offset, to_offset,
                                      bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "copy", code);
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

/* Made when it is first run: a pipeline uses few of all kernels. */
static int cl_kernel_ready(device_cl *d, enum kernel kernel)
{
    if (d->kernel[kernel])
        return IMP_OK;
    cl_lock();
    int err = cl_shared_kernel(d->shared, kernel, &d->kernel[kernel]);
    cl_unlock();
    return err;
}

/* Whole work-groups: kernels ignore items from n on. */
static int cl_launch(device_cl *d, enum kernel kernel, uint64_t first, uint64_t items, size_t group)
{
    size_t offset = (size_t)first, global = (size_t)((items + group - 1) / group * group);
    cl_int code = clEnqueueNDRangeKernel(d->queue, d->kernel[kernel], 1, &offset, &global, &group,
                                         0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, kernel_table[kernel].name, code);
}

/* Each slice but the last is waited for: a queue of many could not be cancelled. The last one is
 * timed by the next wait, which may be for other work as well: it counts as slower than it is. */
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
        if (!err && device_cancelled(&d->base))
            err = imp_fail(IMP_ERR_CANCELLED, "cancelled");
        if (err)
            return err;
    }
    return IMP_OK;
}

static int cl_run(device *base, enum kernel kernel, uint64_t items, size_t group, const void *args)
{
    device_cl *d = (device_cl *)base;
    int err = cl_kernel_ready(d, kernel);
    if (err)
        return err;
    /* A launch takes the arguments as they are now, so the kernel object serves every call. */
    cl_int code = cl_set_args[kernel](d->kernel[kernel], args);
    if (code != CL_SUCCESS)
        return cl_fail(d, kernel_table[kernel].name, code);
    enum kernel_kind kind = kernel_table[kernel].kind;
    int tile = kind == KERNEL_TILE || kind == KERNEL_HEAVY_TILE;
    if (!group)
        /* On CPUs a work-group is one thread's, and an item of such a kernel is a whole tile: more
         * in a group would leave threads idle. */
        group = tile && !base->group_forms ? 1 : d->group;
    if (kind == KERNEL_HEAVY || kind == KERNEL_HEAVY_TILE || kind == KERNEL_HEAVY_GROUP)
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

/* In reverse order; under the lock, since drivers may stop here. */
static void cl_close(device *base)
{
    device_cl *d = (device_cl *)base;
    cl_lock();
    for (int k = 0; k < KERNELS; k++)
        if (d->kernel[k])
            clReleaseKernel(d->kernel[k]);
    /* After an error writes may still read what is freed below. */
    if (d->queue && d->staged)
        clFinish(d->queue);
    cl_pinned_close(d->pinned);
    cl_pinned_close(d->pinned_beside);
    if (d->beside)
        clReleaseCommandQueue(d->beside);
    if (d->queue)
        clReleaseCommandQueue(d->queue);
    if (d->shared)
        cl_unshare(d->shared);
    cl_unlock();
    free(d);
}

static const device_ops cl_ops = {
    cl_alloc, cl_free,   cl_wrap,  cl_write,      cl_read,  cl_copy,
    cl_run,   cl_finish, cl_ahead, cl_ahead_done, cl_close,
};

static int cl_start(device_cl *d, cl_entry e)
{
    cl_int code;
    int err = cl_share(e, d->base.group_forms, &d->base.info, &d->shared);
    if (err)
        return err;
    d->queue = clCreateCommandQueue(cl_shared_context(d->shared), e.device, 0, &code);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "command queue", code);
}

static int cl_open(device_cl *d, cl_entry e, const device_def *def)
{
    cl_traits has;
    int err = cl_traits_of(e, def, &d->base.info, &has);
    if (err)
        return err;
    d->base.queued = 1;
    d->base.views = d->unpinned = has.views;
    d->base.group_forms = has.group_forms;
    d->base.fp64 = has.fp64;
    d->base.threads = has.units;
    d->base.largest = has.largest;
    d->group = has.group;
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
        /* Also frees what a start that failed has made. */
        cl_close(&d->base);
        return err == IMP_ERR_MEMORY ? IMP_ERR_MEMORY : IMP_ERR_DEVICE;
    }
    *out = &d->base;
    return IMP_OK;
}
