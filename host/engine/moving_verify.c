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

typedef struct asking {
    const context *c;
    const moving *m;
} asking;

/* Does a pair meet that is no hit? */
static int is_missed(const void *user, const sampled *p)
{
    const asking *of = user;
    const hit h = {p->a, p->b, p->code};
    meeting at;
    if (p->said)
        return 0;
    hit_features(of->m, &h, &at);
    meeting_decide(of->c, of->m->view, &at);
    return at.meets;
}

int moving_verify(const context *c, moving *m)
{
    int err = IMP_OK;
    size_t i = 0;
    sample *s = &m->features.sample;
    if (!s->count)
        return IMP_OK;
    sample_end(s, c->opt.verify);
    mark_hits(s, &m->hits);
    TRY(verify_first(c, s, is_missed, &(asking){c, m}, &i));
    if (i < s->count) {
        const uint32_t f = moving_frame(m, s->list[i].a), first = moving_first(m, f);
        const uint32_t prim[2] = {s->list[i].a - first, s->list[i].b - first};
        err = verify_differs(c, m->view, f, prim, 1, "features of");
    }
out:
    sample_clear(s);
    return err;
}
