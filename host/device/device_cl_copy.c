/* Copies between the host and an OpenCL device: see device_cl.h. */
#include "device_cl.h"

#include "error.h"

#include <string.h>

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
int cl_write(device *base, buffer *b, size_t offset, const source *list, size_t n)
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

/* Until the read is done; NULL: all of it. The device has to have what is queued before. What is
 * done may read itself. */
static void cl_meanwhile(void *user, cl_event read)
{
    device_cl *d = user;
    const meanwhile what = d->base.meanwhile;
    int more = what.run != NULL;
    if (!more)
        return;
    d->base.meanwhile = (meanwhile){0};
    clFlush(d->queue);
    while (more && !(read && cl_event_done(read)))
        more = what.run(what.user);
    if (more)
        d->base.meanwhile = what;
}

/* A queue that fails is not tried again: writes go without it. */
static int cl_beside(device_cl *d)
{
    if (d->prefetch_pinned || d->prefetch_queue)
        return d->prefetch_pinned != NULL;
    cl_int code;
    cl_context in = cl_shared_context(d->shared);
    d->prefetch_queue = clCreateCommandQueue(in, d->id, 0, &code);
    if (code != CL_SUCCESS)
        d->prefetch_queue = NULL;
    else
        d->prefetch_pinned = cl_pinned_open(in, d->prefetch_queue, d->base.mem, d->threads);
    return d->prefetch_pinned != NULL;
}

int cl_prefetch(device *base, buffer *b, size_t offset, const source *list, size_t n)
{
    device_cl *d = (device_cl *)base;
    if (!cl_beside(d))
        return IMP_ERR_DEVICE;
    const cl_int code = cl_pinned_write(d->prefetch_pinned, b->native, offset, list, n);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "write", code);
}

int cl_prefetch_done(device *base)
{
    device_cl *d = (device_cl *)base;
    const cl_int code = d->prefetch_queue ? clFinish(d->prefetch_queue) : CL_SUCCESS;
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "finish", code);
}

/* The queue is in order, so the last read waits for all. After an error none may still write to
 * memory that the caller frees. */
int cl_read(device *base, const readout *list, size_t n)
{
    device_cl *d = (device_cl *)base;
    cl_pinned *by = pinned_of(d);
    cl_int code = by ? cl_pinned_read(by, list, n, cl_meanwhile, d) : CL_SUCCESS;
    if (!by)
        cl_meanwhile(d, NULL);
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

/* ---- reads that are not waited for */

int cl_pin(device *base, readback *l, size_t bytes)
{
    device_cl *d = (device_cl *)base;
    return cl_readback_open(cl_shared_context(d->shared), d->queue, base->mem, bytes, l);
}

void cl_unpin(device *base, readback *l)
{
    device_cl *d = (device_cl *)base;
    cl_readback_close(d->queue, base->mem, l);
}

/* A second queue that cannot be had is not needed: reads then go in turn. */
static cl_command_queue cl_readback_open_queue(device_cl *d)
{
    cl_int code;
    if (!d->readback_queue)
        d->readback_queue = clCreateCommandQueue(cl_shared_context(d->shared), d->id, 0, &code);
    return d->readback_queue ? d->readback_queue : d->queue;
}

int cl_readback(device *base, readback *l, const readout *list, size_t n, int beside)
{
    device_cl *d = (device_cl *)base;
    const cl_int code =
        cl_readback_begin(l, d->queue, beside ? cl_readback_open_queue(d) : d->queue, list, n);
    if (code != CL_SUCCESS)
        cl_readback_end(l);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "read", code);
}

int cl_readback_wait(device *base, readback *l)
{
    const cl_int code = cl_readback_end(l);
    return code == CL_SUCCESS ? IMP_OK : cl_fail((device_cl *)base, "read", code);
}

int cl_readback_done(device *base, const readback *l)
{
    (void)base;
    return cl_event_done(l->event);
}

/* Does not wait: the queue is in order. */
int cl_copy(device *base, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
            size_t bytes)
{
    device_cl *d = (device_cl *)base;
    cl_int code = clEnqueueCopyBuffer(d->queue, from->native, to->native, from_offset, to_offset,
                                      bytes, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "copy", code);
}

void cl_copies_close(device_cl *d)
{
    /* After an error writes may still read what is freed. */
    if (d->queue && d->staged)
        clFinish(d->queue);
    cl_pinned_close(d->pinned);
    cl_pinned_close(d->prefetch_pinned);
    if (d->prefetch_queue)
        clReleaseCommandQueue(d->prefetch_queue);
    if (d->readback_queue)
        clReleaseCommandQueue(d->readback_queue);
}
