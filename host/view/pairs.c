/* Pairs on a device. */
#include "pairs.h"

#include "error.h"

#define PAIRS_MOST INT32_MAX /* kernels count pairs of a query or a strip in 32 bits */
#define FEW_PAIRS 8192       /* waking threads takes longer than what they save */

/* Reports IMP_ERR_MEMORY, since its remedy helps here, too: a smaller range. */
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

int candidates_resolve_count(const context *c, candidates *found, const readout *with)
{
    int err = IMP_OK;
    const deferred_count *later = found->deferred;
    readout list[2] = {{0}};
    uint32_t *sums = NULL;
    size_t n = 0;
    if (with)
        list[n++] = *with;
    if (later) {
        TRY(mem_alloc(c->mem, later->words * sizeof *sums, &sums));
        list[n++] = (readout)READOUT(&later->sums, 0, sums, later->words);
    }
    TRY(device_read_all(c->dev, list, n));
    if (later)
        found->of.count = later->resolve(later->user, sums);
    found->deferred = NULL;
out:
    mem_free(c->mem, sums);
    return err;
}

void candidates_share(const context *c, const candidates *found)
{
    if (found->of.count > FEW_PAIRS)
        c->dev64->alone = 0;
}

int candidates_to_device(const context *c, candidates *found, pairs *local, pairs **out)
{
    int err = IMP_OK;
    const pairs *of = &found->of;
    *out = &found->of;
    TRY(candidates_resolve_count(c, found, NULL));
    if (c->dev == c->dev64)
        return IMP_OK;
    TRY(pairs_fit(c->dev64, local, of->count));
    TRY(buffer_read(c->dev, &of->a, 0, (uint32_t *)local->a.raw.data, of->count));
    TRY(buffer_read(c->dev, &of->b, 0, (uint32_t *)local->b.raw.data, of->count));
    *out = local;
out:
    return err;
}

int candidates_to_prims(device *d, const candidates *found, pairs *p)
{
    const ranks *by = found->ranks;
    return by ? RUN(d, narrow_to_prims, p->count, by->prim, &p->a, &p->b) : IMP_OK;
}
