/* imp_def.verify between two instants. What a device takes for features that meet is decided
 * exactly in any case (moving_events.c). So only pairs that it takes for apart need a second
 * answer: a wrong one would be a contact that is missed. */
#include "moving.h"

#include "error.h"
#include "verify.h"

#include <stdlib.h>

/* Hits come in any order, the sample is small and sorted. */
static void mark_hits(sample *s, const hit_list *hits)
{
    for (size_t i = 0; i < hits->count; i++) {
        const hit *h = &hits->list[i];
        const sampled here = {.a = h->a, .b = h->b, .code = h->code};
        sampled *found = bsearch(&here, s->list, s->count, sizeof here, sampled_compare);
        if (found)
            found->said = 1;
    }
}

static int meets(const context *c, const moving *m, const sampled *p)
{
    const hit h = {p->a, p->b, p->code};
    meeting of;
    hit_features(m, &h, &of);
    meeting_decide(c, &m->work.view, &of);
    return of.meets;
}

/* The first pair that meets and is no hit, in order; s->count if there is none. */
static size_t first_missed(const context *c, const moving *m, const sample *s)
{
    const int64_t n = (int64_t)s->count;
    int64_t first = n;
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (n > 64)                 \
    reduction(min                                                                                  \
              : first)
    for (int64_t i = 0; i < n; i++)
        if (!s->list[i].said && !atomic_load(c->cancel) && meets(c, m, &s->list[i]))
            first = i < first ? i : first;
    return (size_t)first;
}

int moving_verify(const context *c, moving *m)
{
    int err = IMP_OK;
    sample *s = &m->features.sample;
    if (!s->count)
        return IMP_OK;
    sample_end(s, c->opt.verify);
    mark_hits(s, &m->hits);
    const size_t i = first_missed(c, m, s);
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    s->verified += s->count;
    if (i < s->count) {
        const uint32_t f = moving_frame(m, s->list[i].a), first = moving_first(m, f);
        const uint32_t prim[2] = {s->list[i].a - first, s->list[i].b - first};
        err = verify_differs(c, &m->work.view, f, prim, 1, "features of");
    }
out:
    sample_clear(s);
    return err;
}
