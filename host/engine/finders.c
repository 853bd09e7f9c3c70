/* See finders.h. */
#include "finders.h"

#include "error.h"

#define PAIRS_MOST INT32_MAX /* kernels count those of a finder or a tile in 32 bits */

int pairs_few(uint64_t count)
{
    return count > PAIRS_MOST ? imp_fail(IMP_ERR_MEMORY, "too many candidates at a time") : IMP_OK;
}

/* candidates of each frame: differences of the offsets where frames begin */
static int count_frames(finders *f, const broad_input *in, const buffer_u32 *start,
                        imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = in->block->frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(in->c->mem, n * sizeof *at, &at));
    TRY(scan_take(in->c->dev, &f->scan, &f->offset, start, n, at));
    for (uint32_t i = 0; i + 1 < n; i++)
        info[i].candidates += at[i + 1] - at[i];
out:
    mem_free(in->c->mem, at);
    return err;
}

int finders_begin(finders *f, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const finder_calls *calls, void *state, imp_frame_info *info)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    f->range = range;
    f->at = 0;
    f->base = 0;
    f->end = count;
    TRY(buffer_fit(d, &f->count, count));
    TRY(calls->count(state, in, f, count));
    TRY(scan_counts(d, &f->scan, &f->count, count, &f->offset, &f->total));
    TRY(count_frames(f, in, start, info));
out:
    return err;
}

int finders_next(finders *f, const broad_input *in, uint64_t most, const finder_calls *calls,
                 void *state, pairs *out)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t end = f->end;
    uint64_t upto = f->total;
    if (f->total - f->base > most)
        TRY(scan_find(d, &f->scan, &f->offset, f->end, f->at, f->base + most, &end, &upto));
    TRY(pairs_few(upto - f->base));
    TRY(pairs_fit(d, out, upto - f->base));
    TRY(calls->emit(state, in, f, end - f->at, out));
    f->at = end;
    f->base = upto;
out:
    return err;
}

int finders_done(const finders *f)
{
    return f->at == f->end;
}

void finders_free(finders *f, device *d)
{
    buffer_free(d, &f->count);
    buffer_free(d, &f->offset);
    scanner_free(d, &f->scan);
}
