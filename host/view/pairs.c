/* Pairs on a device. */
#include "pairs.h"

#include "error.h"

#define PAIRS_MOST INT32_MAX /* kernels count those of a query or a tile in 32 bits */

/* An error of memory, since its answer helps here, too: a smaller range. */
int pairs_few(uint64_t count)
{
    return count > PAIRS_MOST ? imp_fail(IMP_ERR_MEMORY, "too many candidates at a time") : IMP_OK;
}

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
