/* Broad phase by testing all pairs: query i is primitive i. */
#include "queries.h"

typedef struct brute {
    queries queries;
} brute;

/* Nothing to build: query i tests each primitive of its frame behind i. */
static int brute_build(void *state, const broad_input *in)
{
    (void)state;
    (void)in;
    return IMP_OK;
}

/* One search in two forms: the first counts pairs, the second writes them to their positions. */
static int brute_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    brute *s = state;
    return RUN(in->c->dev, brute_count, n, q->at, SCENE_OF(in, q->range), in->view->frames,
               &in->bounds->broad.prim0, &s->queries.count);
}

static int brute_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    (void)state;
    return RUN(in->c->dev, brute_emit, n, q->at, SCENE_OF(in, q->range), in->view->frames,
               &in->bounds->broad.prim0, &q->offset, q->base, &out->a, &out->b);
}

static const query_calls brute_calls = {brute_count, brute_emit};

static int brute_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    brute *s = state;
    /* One query for each primitive, so that frames begin at prim0. */
    return queries_begin(&s->queries, in, range, &in->bounds->broad.prim0, in->view->prims,
                         &brute_calls, s, info);
}

static int brute_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                      candidates *out)
{
    brute *s = state;
    return queries_next(&s->queries, in, most, &brute_calls, s, info, out);
}

static int brute_done(const void *state)
{
    const brute *s = state;
    return queries_done(&s->queries);
}

static void brute_free(void *state, const context *c)
{
    brute *s = state;
    queries_free(&s->queries, c->dev);
}

/* No table, so nothing is kept, and no entry was written. */
const broad_method broad_brute = {"brute",    sizeof(brute), brute_build, brute_begin,
                                  brute_next, brute_done,    brute_free};
