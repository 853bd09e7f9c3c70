/* See landing.h. */
#include "landing.h"

#include "error.h"

/* Where there is no pinned memory, ordinary memory takes its place. */
int landing_fit(device *d, landing *l, size_t bytes)
{
    int err = IMP_OK;
    if (l->at && l->capacity >= bytes)
        return IMP_OK;
    landing_free(d, l);
    if (!d->views && !d->ops->pin(d, l, mem_spare_size(bytes)))
        return IMP_OK;
    TRY(mem_alloc(d->mem, bytes, &l->at));
    l->capacity = bytes;
out:
    return err;
}

void landing_free(device *d, landing *l)
{
    if (l->native)
        d->ops->unpin(d, l);
    else
        mem_free(d->mem, l->at);
    *l = (landing){0};
}

int landing_begin(device *d, landing *l, const readout *list, size_t n, int beside)
{
    return l->native ? d->ops->land(d, l, list, n, beside) : device_read_all(d, list, n);
}

int landing_end(device *d, landing *l)
{
    return l->event ? d->ops->landed(d, l) : IMP_OK;
}

int landing_is_there(device *d, const landing *l)
{
    return !l->event || d->ops->is_there(d, l);
}
