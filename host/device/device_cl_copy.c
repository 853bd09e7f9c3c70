/* Copies between the host and an OpenCL device: see device_cl.h. */
#include "buffer.h"
#include "device_cl.h"
#include "error.h"
#include "float_env.h"
#include "mem.h"

#include <stdlib.h>
#include <string.h>

static int cl_write_staged(device_cl *d, buffer *b, size_t offset, const source *list, size_t n)
{
    const size_t bytes = sources_bytes(list, n);
    cl_int code = d->staged + bytes > STAGE_BYTES ? cl_wait(d) : CL_SUCCESS;
    if (code != CL_SUCCESS)
        return cl_fail(d, "finish", code);
    unsigned char *copy = d->stage + d->staged;
    sources_copy(list, n, copy, d->base.threads);
    d->staged += bytes;
    code = clEnqueueWriteBuffer(d->queue, b->native, CL_FALSE, offset, bytes, copy, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMP_OK : cl_fail(d, "write", code);
}

/* Returns the pinned memory, or NULL: copies are made without it. */
static cl_pinned *pinned_of(device_cl *d)
{
    if (!d->pinned && !d->unpinned) {
        d->pinned = cl_pinned_open(cl_shared_context(d->shared), d->queue, d->base.mem, d->threads);
        d->unpinned = !d->pinned;
    }
    return d->pinned;
}

/* The queue is in order, so waiting for the last write waits for all. After an error no write may
 * still read memory that the caller changes. */
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

/* Does host work until the read is complete; with NULL, all of the work. First flushes the queue,
 * so that the device has all queued commands. The work may read from the device itself. */
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

/* A queue that could not be made is not tried again: writes are made without it. */
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

/* The queue is in order, so waiting for the last read waits for all. After an error no read may
 * still write to memory that the caller frees. */
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

/* ---- readback */

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

/* Opens a second queue for reads; if that fails, reads use the first queue in turn. */
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
    /* After an error writes may still read memory that is freed here. */
    if (d->queue && d->staged)
        clFinish(d->queue);
    cl_pinned_close(d->pinned);
    cl_pinned_close(d->prefetch_pinned);
    if (d->prefetch_queue)
        clReleaseCommandQueue(d->prefetch_queue);
    if (d->readback_queue)
        clReleaseCommandQueue(d->readback_queue);
}

/* At most a share of the free memory: ordinary memory serves as well. */
int cl_readback_open(cl_context context, cl_command_queue queue, mem *m, size_t bytes, readback *l)
{
    cl_int code = CL_SUCCESS;
    if (mem_left(m) / BUDGET_SPARE_SHARE < bytes || mem_reserve(m, bytes))
        return IMP_ERR_MEMORY;
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        l->at = clEnqueueMapBuffer(queue, memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                   NULL, NULL, &code);
    else
        memory = NULL;
    if (code == CL_SUCCESS) {
        l->native = memory;
        l->capacity = bytes;
        return IMP_OK;
    }
    if (memory)
        clReleaseMemObject(memory);
    l->at = NULL;
    mem_release(m, bytes);
    return IMP_ERR_MEMORY;
}

void cl_readback_close(cl_command_queue queue, mem *m, readback *l)
{
    cl_readback_end(l);
    clEnqueueUnmapMemObject(queue, l->native, l->at, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(l->native);
    mem_release(m, l->capacity);
}

/* Both queues are in order, so only the first read waits for the other queue, and the last one's
 * event stands for all. */
cl_int cl_readback_begin(readback *l, cl_command_queue queue, cl_command_queue by,
                         const readout *list, size_t n)
{
    cl_event before = NULL, done = NULL;
    cl_int code = by == queue ? CL_SUCCESS : clEnqueueMarkerWithWaitList(queue, 0, NULL, &before);
    if (code == CL_SUCCESS && before)
        code = clFlush(queue);
    for (size_t i = 0; i < n && code == CL_SUCCESS; i++)
        code = clEnqueueReadBuffer(by, list[i].from->native, CL_FALSE, list[i].offset,
                                   list[i].bytes, list[i].to, before && !i,
                                   before && !i ? &before : NULL, i + 1 == n ? &done : NULL);
    if (before)
        clReleaseEvent(before);
    l->event = done;
    if (code == CL_SUCCESS)
        return clFlush(by);
    /* No read may still write to memory that is freed. */
    clFinish(by);
    return code;
}

cl_int cl_readback_end(readback *l)
{
    cl_event done = l->event;
    l->event = NULL;
    if (!done)
        return CL_SUCCESS;
    const cl_int code = clWaitForEvents(1, &done);
    clReleaseEvent(done);
    return code;
}

int cl_event_done(cl_event event)
{
    cl_int status = CL_COMPLETE;
    const cl_int code =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return code != CL_SUCCESS || status <= CL_COMPLETE;
}

#define PIECES BUDGET_PINNED_PIECES
#define PIECE_BYTES ((size_t)BUDGET_PINNED_PIECE)
#define ALL_BYTES (PIECES * PIECE_BYTES)

struct cl_pinned {
    cl_command_queue queue;
    mem *mem;
    int threads;
    readback memory;        /* ALL_BYTES */
    cl_event event[PIECES]; /* last copy in progress of each piece; NULL: none */
    unsigned next;          /* next piece; they take turns */
};

/* A part of a read, which fits in a piece. */
typedef struct part {
    const buffer *from;
    size_t offset, bytes;
    unsigned char *to;
} part;

/* A position in a list of reads, which is divided into parts. */
typedef struct cursor {
    const readout *list;
    size_t n, i, done; /* list[i] is read up to byte `done` */
} cursor;

/* A position in a list of sources, which is divided into pieces. */
typedef struct supply {
    const source *list;
    size_t n, i, done; /* list[i] is copied up to byte `done` */
} supply;

/* Waits for the last copy of a piece. */
static cl_int piece_wait(cl_pinned *p, unsigned i)
{
    if (!p->event[i])
        return CL_SUCCESS;
    const cl_int code = clWaitForEvents(1, &p->event[i]);
    clReleaseEvent(p->event[i]);
    p->event[i] = NULL;
    return code;
}

static unsigned char *piece_at(const cl_pinned *p, unsigned i)
{
    return (unsigned char *)p->memory.at + i * PIECE_BYTES;
}

cl_pinned *cl_pinned_open(cl_context context, cl_command_queue queue, mem *m, int threads)
{
    readback memory = {0};
    if (cl_readback_open(context, queue, m, ALL_BYTES, &memory))
        return NULL;
    cl_pinned *p = calloc(1, sizeof *p);
    if (p)
        *p = (cl_pinned){.queue = queue, .mem = m, .threads = threads, .memory = memory};
    else
        cl_readback_close(queue, m, &memory);
    return p;
}

void cl_pinned_close(cl_pinned *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < PIECES; i++)
        piece_wait(p, i);
    cl_readback_close(p->queue, p->mem, &p->memory);
    free(p);
}

/* Fills a piece; returns its number of bytes. */
static size_t piece_fill(const cl_pinned *p, unsigned piece, supply *s)
{
    size_t filled = 0;
    while (filled < PIECE_BYTES && s->i < s->n) {
        const source *from = &s->list[s->i];
        const size_t rest = from->bytes - s->done, room = PIECE_BYTES - filled;
        const size_t bytes = rest < room ? rest : room;
        bytes_copy_shared(piece_at(p, piece) + filled, (const unsigned char *)from->at + s->done,
                          bytes, p->threads);
        filled += bytes;
        s->done = bytes < rest ? s->done + bytes : 0;
        s->i += bytes == rest;
    }
    return filled;
}

/* Many small sources are joined in few pieces. */
cl_int cl_pinned_write(cl_pinned *p, cl_mem to, size_t offset, const source *list, size_t n)
{
    supply s = {.list = list, .n = n};
    while (s.i < n) {
        const unsigned i = p->next;
        p->next = (i + 1) % PIECES;
        cl_int code = piece_wait(p, i);
        if (code != CL_SUCCESS)
            return code;
        const size_t bytes = piece_fill(p, i, &s);
        code = clEnqueueWriteBuffer(p->queue, to, CL_FALSE, offset, bytes, piece_at(p, i), 0, NULL,
                                    &p->event[i]);
        offset += bytes;
        /* Without a flush a driver may hold the copy back until somebody waits. */
        if (code == CL_SUCCESS)
            code = clFlush(p->queue);
        if (code != CL_SUCCESS)
            return code;
    }
    return CL_SUCCESS;
}

/* Gets the next part of a list; returns 0 at the end. */
static int cursor_next(cursor *c, part *out)
{
    while (c->i < c->n && c->done == c->list[c->i].bytes) {
        c->i++;
        c->done = 0;
    }
    if (c->i == c->n)
        return 0;
    const readout *r = &c->list[c->i];
    const size_t rest = r->bytes - c->done;
    *out = (part){r->from, r->offset + c->done, rest < PIECE_BYTES ? rest : PIECE_BYTES,
                  (unsigned char *)r->to + c->done};
    c->done += out->bytes;
    return 1;
}

/* A write that still reads the piece completes before, since the queue is in order. */
static cl_int part_begin(cl_pinned *p, unsigned i, const part *r)
{
    if (p->event[i])
        clReleaseEvent(p->event[i]);
    p->event[i] = NULL;
    return clEnqueueReadBuffer(p->queue, r->from->native, CL_FALSE, r->offset, r->bytes,
                               piece_at(p, i), 0, NULL, &p->event[i]);
}

/* last: this is the last of all parts, after which the queue is empty. */
static cl_int part_end(cl_pinned *p, unsigned i, const part *r, int last)
{
    cl_int code = last ? clFinish(p->queue) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = piece_wait(p, i);
    if (code == CL_SUCCESS)
        bytes_copy_shared(r->to, piece_at(p, i), r->bytes, p->threads);
    return code;
}

cl_int cl_pinned_read(cl_pinned *p, const readout *list, size_t n,
                      void (*until)(void *user, cl_event event), void *user)
{
    cursor c = {.list = list, .n = n};
    part wait[PIECES], next;
    unsigned begun = 0, ended = 0;
    cl_int code = CL_SUCCESS;
    int more = cursor_next(&c, &next);
    while (code == CL_SUCCESS && (more || ended < begun)) {
        const unsigned first = p->next;
        for (; code == CL_SUCCESS && more && begun - ended < PIECES; begun++) {
            const unsigned i = (first + begun - ended) % PIECES;
            wait[i] = next;
            code = part_begin(p, i, &next);
            more = cursor_next(&c, &next);
        }
        if (code == CL_SUCCESS && until && !ended)
            until(user, p->event[first]);
        if (code == CL_SUCCESS)
            code = part_end(p, first, &wait[first], !more && ended + 1 == begun);
        p->next = (first + 1) % PIECES;
        ended++;
    }
    return code;
}
