/* See queries.h. */
#include "queries.h"

#include "error.h"
#include "prim.h"

#include <string.h>

/* Candidates of each frame: differences of the offsets where frames begin. */
static int queries_count_frames(queries *q, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = in->view->frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(in->c->mem, n * sizeof *at, &at));
    TRY(scan_gather(in->c->dev, &q->scan, &q->offset, q->start, n, at));
    for (uint32_t i = 0; i + 1 < n; i++)
        info[i].candidates += at[i + 1] - at[i];
out:
    mem_free(in->c->mem, at);
    return err;
}

/* Prefix sums have the counts of frames, too: kernels need not add them up by frame. */
static int queries_count(queries *q, const broad_input *in, const query_calls *calls, void *state,
                         imp_frame_info *info)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    TRY(buffer_fit(d, &q->count, q->end));
    TRY(calls->count(state, in, q, q->end));
    TRY(scan_counts(d, &q->scan, &q->count, q->end, &q->offset, &q->total));
    TRY(queries_count_frames(q, in, info));
    q->counted = 1;
out:
    return err;
}

int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info)
{
    q->range = range;
    q->start = start;
    q->at = 0;
    q->base = 0;
    q->end = count;
    q->counted = q->many = 0;
    /* A search mixes the frames, and pairs of features are counted by frame (feature.c). */
    const int may_mix = in->view->frames == 1 || !in->c->opt.continuous;
    return in->c->dev->groups && calls->search && may_mix
               ? IMP_OK
               : queries_count(q, in, calls, state, info);
}

/* ---- all at once */

static uint64_t sum_at(const uint32_t *sums, size_t i)
{
    return (uint64_t)sums[2 * i + 1] << 32 | sums[2 * i];
}

/* See uncounted. */
static uint64_t queries_resolve_count(void *user, const uint32_t *sums)
{
    queries *q = user;
    q->found = sum_at(sums, 0);
    q->queried = q->end;
    q->many = q->found > q->most;
    if (q->found > q->room)
        return 0;
    q->at = q->end;
    for (uint32_t f = 0; f < q->frames; f++)
        q->info[f].candidates += sum_at(sums, q->frames > 1 ? f + 1 : 0);
    return q->found;
}

/* As many pairs of a query as the last search found, and an eighth more. */
#define EXPECTED 8 /* before there was a search */

static uint64_t queries_expected(const queries *q)
{
    if (!q->queried)
        return (uint64_t)EXPECTED * q->end;
    const double each = (double)q->found / q->queried;
    return (uint64_t)(each * 1.125 * q->end) + 1;
}

/* Pairs of all queries; more than were expected are searched for twice. */
static int search_all(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                      void *state, imp_frame_info *info, candidates *out)
{
    int err = IMP_OK;
    const uint64_t expected = queries_expected(q);
    uint32_t *sums = NULL;
    q->info = info;
    q->frames = in->view->frames;
    q->most = most;
    q->room = expected < most ? expected : most;
    q->deferred.words = 2 * ((size_t)q->frames + 1);
    q->deferred.resolve = queries_resolve_count;
    q->deferred.user = q;
    TRY(mem_alloc(in->c->mem, q->deferred.words * sizeof *sums, &sums));
    memset(sums, 0, q->deferred.words * sizeof *sums);
    TRY(pairs_few(q->room));
    TRY(pairs_fit(in->c->dev, &out->of, q->room));
    TRY(buffer_put(in->c->dev, &q->deferred.sums, sums, q->deferred.words));
    TRY(calls->search(state, in, q, q->end, &out->of));
    out->deferred = &q->deferred;
out:
    mem_free(in->c->mem, sums);
    return err;
}

/* ---- in pieces */

static int emit_some(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
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
    TRY(calls->emit(state, in, q, end - q->at, out));
    q->at = end;
    q->base = upto;
out:
    return err;
}

int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, imp_frame_info *info, candidates *out)
{
    int err = IMP_OK;
    if (!q->counted && !q->many)
        return search_all(q, in, most, calls, state, info, out);
    if (!q->counted)
        TRY(queries_count(q, in, calls, state, info));
    TRY(emit_some(q, in, most, calls, state, &out->of));
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
    buffer_free(d, &q->deferred.sums);
    scanner_free(d, &q->scan);
}
