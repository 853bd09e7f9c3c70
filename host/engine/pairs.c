/* Pairs on a device. */
#include "types.h"

#include "error.h"

int pairs_fit(device *d, pairs *out, uint64_t count)
{
    int err = IMP_OK;
    TRY(buffer_fit(d, &out->a, count));
    TRY(buffer_fit(d, &out->b, count));
    out->count = count;
out:
    return err;
}

void pairs_free(device *d, pairs *p)
{
    buffer_free(d, &p->a);
    buffer_free(d, &p->b);
    p->count = 0;
}
