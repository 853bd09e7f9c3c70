/* See queries.h. */
#include "queries.h"

#include "budget.h"
#include "error.h"
#include "prim.h"

/* Candidates of each frame: differences of the offsets where frames begin. */
static int count_frames(queries *q, const broad_input *in, const buffer_u32 *start,
                        imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = in->view->frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(in->c->mem, n * sizeof *at, &at));
    TRY(scan_take(in->c->dev, &q->scan, &q->offset, start, n, at));
    for (uint32_t i = 0; i + 1 < n; i++)
        info[i].candidates += at[i + 1] - at[i];
out:
    mem_free(in->c->mem, at);
    return err;
}

/* Where memory is plenty, and a device has so many items at work that the least memory counts less
 * than a second search. Hardly any query of a cloth, of a soup or of tissue has more pairs. */
void queries_keep_early(queries *q, const broad_input *in, uint32_t count)
{
    device *d = in->c->dev;
    const uint64_t words = UINT64_C(2) * EARLY_MOST * count, bytes = words * sizeof(uint32_t);
    const uint64_t has = mem_left(in->c->mem) + q->kept.raw.capacity;
    q->early = 0;
    if (d->group_forms && bytes <= d->largest && bytes <= has / BUDGET_EARLY_SHARE &&
        !buffer_fit(d, &q->kept, words))
        q->early = EARLY_MOST;
}

/* Prefix sums have the counts of frames, too: kernels need not add them up by frame. */
int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    q->range = range;
    q->at = 0;
    q->base = 0;
    q->end = count;
    TRY(buffer_fit(d, &q->count, count));
    TRY(calls->count(state, in, q, count));
    TRY(scan_counts(d, &q->scan, &q->count, count, &q->offset, &q->total));
    TRY(count_frames(q, in, start, info));
out:
    return err;
}

int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, pairs *out)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t end = q->end;
    uint64_t upto = q->total;
    /* At least one query, even if it has more than `most` pairs: it cannot be divided. */
    if (q->total - q->base > most)
        TRY(scan_find(d, &q->scan, &q->offset, q->end, q->at, q->base + most, &end, &upto));
    /* Before memory is asked for: kernels could not number the pairs, however large the buffer is.
     */
    TRY(pairs_few(upto - q->base));
    TRY(pairs_fit(d, out, upto - q->base));
    if (q->early)
        TRY(RUN(d, queries_early, end - q->at, q->at, q->early, &q->kept, &q->offset, q->base,
                &out->a, &out->b));
    TRY(calls->emit(state, in, q, end - q->at, out));
    q->at = end;
    q->base = upto;
out:
    return err;
}

int queries_done(const queries *q)
{
    return q->at == q->end;
}

void queries_free(queries *q, device *d)
{
    buffer_free(d, &q->count);
    buffer_free(d, &q->offset);
    buffer_free(d, &q->kept);
    scanner_free(d, &q->scan);
}
