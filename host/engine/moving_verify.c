/* imp_def.verify between two instants. What a device takes for features that meet is decided
 * exactly in any case (moving_events.c). So only pairs that it takes for apart need a second
 * answer: a wrong one would be a contact that is missed. */
#include "moving.h"

#include "error.h"
#include "verify.h"

#include <stdlib.h>

/* Hits come in any order, the sample is small and sorted. */
static void ccd_step_mark_pairs(sample *s, const feature_pair_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const feature_pair *h = &list->list[i];
        const sampled here = {.a = h->a, .b = h->b, .code = h->code};
        sampled *found = bsearch(&here, s->list, s->count, sizeof here, sampled_compare);
        if (found)
            found->verdict = 1;
    }
}

typedef struct toi_query {
    const context *c;
    const ccd_step *m;
} toi_query;

/* Does a pair meet that is no pair? */
static int is_missed(const void *user, const sampled *p)
{
    const toi_query *of = user;
    const feature_pair h = {p->a, p->b, p->code};
    feature_test at;
    if (p->verdict)
        return 0;
    feature_test_open(of->m, &h, &at);
    feature_test_decide(of->c, of->m->view, &at);
    return at.meets;
}

int ccd_step_verify(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    size_t i = 0;
    sample *s = &m->features.sample;
    if (!s->count)
        return IMP_OK;
    sample_end(s, c->opt.verify);
    ccd_step_mark_pairs(s, &m->pairs);
    TRY(verify_first(c, s, is_missed, &(toi_query){c, m}, &i));
    if (i < s->count) {
        const uint32_t f = ccd_step_frame(m, s->list[i].a), first = ccd_step_first_prim(m, f);
        const uint32_t prim[2] = {s->list[i].a - first, s->list[i].b - first};
        err = verify_differs(c, m->view, f, prim, 1, "features of");
    }
out:
    sample_clear(s);
    return err;
}
