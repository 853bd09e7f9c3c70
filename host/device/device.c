/* Common code of all devices: choice by name, reuse of buffers, argument checks. */
#include "device.h"

#include "error.h"
#include "float_env.h"
#include "mem.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Counts the arguments: kernels over items have one more, the number of items. */
const kernel_info kernel_table[KERNELS] = {
#define IN(type, name) +1
#define OUT(type, name) +1
#define VALUE(type, name) +1
#define K(name, kind, list) {#name, KERNEL_##kind, 1 list},
#define G(name, list) {#name, KERNEL_GROUP, 0 list},
#define HEAVY_G(name, list) {#name, KERNEL_HEAVY_GROUP, 0 list},
#include "kernels.def"
};

int device_open(const device_def *def, device **out)
{
    static const struct {
        const char *name;
        int (*open)(const device_def *, device **);
    } kinds[] = {
#define X(name, open) {name, open},
#include "device.def"
#undef X
    };
    *out = NULL;
    const char *name = def->name;
    int is_zero = name[0] && !name[strspn(name, "0")];
    /* Kind 0 is the host, by name or as number 0; all other names are left to OpenCL. */
    size_t kind = !strcasecmp(name, "cpu") || is_zero ? 0 : 1;
    if (kind >= sizeof kinds / sizeof *kinds)
        return imp_fail(IMP_ERR_DEVICE, "device '%s': this build has no OpenCL", def->name);
    return kinds[kind].open(def, out);
}

/* NULL if it was never opened. */
void device_close(device *d)
{
    if (d)
        d->ops->close(d);
}

int imp_device_at(size_t index, imp_device_info *out)
{
    if (!out)
        return 0;
    memset(out, 0, sizeof *out);
    if (index > 0) {
#ifdef IMP_OPENCL
        /* Threads that drivers start inherit the floating-point environment of this one. */
        const float_entry entry = float_enter();
        const int there = device_cl_at(index - 1, out);
        float_leave(entry);
        return there;
#else
        return 0;
#endif
    }
    /* Listing belongs to no pipeline, so it has no memory limit. */
    mem m = {0};
    device *d = NULL;
    if (device_cpu_open(&(device_def){.name = "cpu", .mem = &m}, &d))
        return 0;
    *out = d->info;
    device_close(d);
    return 1;
}

/* A device that was opened for listing cannot be cancelled. */
int device_cancelled(const device *d)
{
    return d->cancel && atomic_load(d->cancel);
}

int device_check_cancel(const device *d)
{
    return device_cancelled(d) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Returns whether memory that only the next piece needs may stay allocated. */
static int may_stay(const device *d, size_t bytes)
{
    return d->mem->caches && bytes <= mem_left(d->mem) / BUDGET_SPARE_SHARE;
}

static int is_waste(const device *d, const buffer *b, size_t bytes)
{
    return b->capacity / 4 > bytes + 4096 && !may_stay(d, b->capacity);
}

/* A buffer that was outgrown is likely to be outgrown again: it grows by at least an eighth. */
static size_t device_grown_bytes(const device *d, size_t had, size_t bytes)
{
    size_t capacity = had + had / 8;
    return d->mem->caches && had && bytes > had && capacity > bytes ? capacity : bytes;
}

int bytes_fit(device *d, buffer *b, size_t bytes)
{
    if (b->capacity && b->capacity >= bytes && !is_waste(d, b, bytes)) {
        b->bytes = bytes;
        return IMP_OK;
    }
    /* The contents are not needed, so the old memory is freed first: both together may not fit. */
    size_t capacity = device_grown_bytes(d, b->capacity, bytes);
    bytes_free(d, b);
    if (d->largest && bytes > d->largest)
        return imp_fail(IMP_ERR_MEMORY, "device '%s' has no buffers of %zu bytes, at most %llu",
                        d->info.name, bytes, (unsigned long long)d->largest);
    int err = d->ops->alloc(d, b, bytes ? bytes : 1, capacity ? capacity : 1);
    if (!err)
        b->bytes = bytes;
    return err;
}

/* Old and new memory coexist for the copy. */
int bytes_grow(device *d, buffer *b, size_t keep, size_t bytes)
{
    if (b->capacity >= bytes) {
        b->bytes = bytes;
        return IMP_OK;
    }
    buffer bigger = {0};
    int err = bytes_fit(d, &bigger, bytes);
    if (!err && keep)
        err = bytes_copy(d, b, 0, &bigger, 0, keep);
    if (err) {
        bytes_free(d, &bigger);
        return err;
    }
    bytes_free(d, b);
    *b = bigger;
    return IMP_OK;
}

void bytes_free(device *d, buffer *b)
{
    if (b->data || b->native)
        d->ops->free(d, b);
    /* The buffer may be freed again, or fitted. */
    *b = (buffer){0};
}

int bytes_wrap(device *d, buffer *b, const void *data, size_t bytes)
{
    if (!d->host_memory)
        return bytes_put(d, b, data, bytes);
    bytes_free(d, b);
    /* OpenCL has no empty buffers; bytes_fit allocates one byte. */
    if (!bytes)
        return bytes_fit(d, b, 0);
    return d->ops->wrap(d, b, data, bytes);
}

void bytes_unwrap(device *d, buffer *b)
{
    if (d->host_memory || !may_stay(d, b->capacity))
        bytes_free(d, b);
}

size_t sources_bytes(const source *list, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++)
        bytes += list[i].bytes;
    return bytes;
}

#define COPY_SHARED ((size_t)256 << 10) /* bytes; fewer take less time than a thread to wake */
#define COPY_GRAIN ((size_t)64 << 10)   /* bytes that a thread copies at a time */

void bytes_copy_shared(void *to, const void *from, size_t bytes, int threads)
{
    const size_t grains = (bytes + COPY_GRAIN - 1) / COPY_GRAIN;
#pragma omp parallel num_threads(threads) if (bytes > COPY_SHARED)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (size_t i = 0; i < grains; i++) {
        const size_t first = i * COPY_GRAIN, rest = bytes - first;
        memcpy((char *)to + first, (const char *)from + first,
               rest < COPY_GRAIN ? rest : COPY_GRAIN);
    }
}

void sources_copy(const source *list, size_t n, void *to, int threads)
{
    unsigned char *next = to;
    for (size_t i = 0; i < n; next += list[i++].bytes)
        bytes_copy_shared(next, list[i].at, list[i].bytes, threads);
}

/* Uses memory that is not needed now, so only if there is enough. */
int bytes_prefetch_fit(device *d, buffer *b, size_t bytes)
{
    return !d->host_memory && bytes && may_stay(d, bytes) && !bytes_fit(d, b, bytes);
}

int bytes_prefetch(device *d, buffer *b, size_t offset, const source *list, size_t n)
{
    assert(offset + sources_bytes(list, n) <= b->bytes);
    return d->ops->prefetch(d, b, offset, list, n);
}

int device_prefetch_done(device *d)
{
    return d->host_memory ? IMP_OK : d->ops->prefetch_done(d);
}

void device_meanwhile(device *d, meanwhile what)
{
    if (!d->host_memory)
        d->meanwhile = what;
}

/* A range beyond the buffer is an error of this library, not of its caller. */
int bytes_write(device *d, buffer *b, size_t offset, const void *data, size_t bytes)
{
    assert(offset + bytes <= b->bytes);
    return bytes ? d->ops->write(d, b, offset, &(source){data, bytes}, 1) : IMP_OK;
}

int device_read_all(device *d, const readout *list, size_t n)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        assert(list[i].offset + list[i].bytes <= list[i].from->bytes);
        bytes += list[i].bytes;
    }
    return bytes ? d->ops->read(d, list, n) : IMP_OK;
}

int bytes_read(device *d, const buffer *b, size_t offset, void *data, size_t bytes)
{
    return device_read_all(d, &(readout){b, offset, bytes, data}, 1);
}

int bytes_copy(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
               size_t bytes)
{
    assert(from_offset + bytes <= from->bytes && to_offset + bytes <= to->bytes);
    return bytes ? d->ops->copy(d, from, from_offset, to, to_offset, bytes) : IMP_OK;
}

int bytes_gather(device *d, buffer *b, const source *list, size_t n)
{
    const size_t bytes = sources_bytes(list, n);
    int err = bytes_fit(d, b, bytes);
    return err || !bytes ? err : d->ops->write(d, b, 0, list, n);
}

int bytes_put(device *d, buffer *b, const void *data, size_t bytes)
{
    return bytes_gather(d, b, &(source){data, bytes}, 1);
}

int device_finish(device *d)
{
    return d->ops->finish(d);
}

/* Without pinned memory ordinary memory is used. */
int readback_fit(device *d, readback *l, size_t bytes)
{
    int err = IMP_OK;
    if (l->at && l->capacity >= bytes)
        return IMP_OK;
    readback_free(d, l);
    if (!d->host_memory && !d->ops->pin(d, l, mem_spare_size(bytes)))
        return IMP_OK;
    TRY(mem_alloc(d->mem, bytes, &l->at));
    l->capacity = bytes;
out:
    return err;
}

void readback_free(device *d, readback *l)
{
    if (l->native)
        d->ops->unpin(d, l);
    else
        mem_free(d->mem, l->at);
    *l = (readback){0};
}

int readback_begin(device *d, readback *l, const readout *list, size_t n, int beside)
{
    return l->native ? d->ops->readback_begin(d, l, list, n, beside) : device_read_all(d, list, n);
}

int readback_end(device *d, readback *l)
{
    return l->event ? d->ops->readback_end(d, l) : IMP_OK;
}

int readback_done(device *d, const readback *l)
{
    return !l->event || d->ops->readback_done(d, l);
}
