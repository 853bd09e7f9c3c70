/* See landing.h. */
#include "landing.h"

#include "error.h"

/* Where there is no pinned memory, ordinary memory takes its place. */
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
