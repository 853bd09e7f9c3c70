/* Broad phase by testing all pairs: finder i is primitive i. */
#include "engine.h"

static int brute_build(imp *p)
{
    (void)p;
    return IMP_OK;
}

static int brute_count(imp *p, uint32_t finder0, uint32_t finders)
{
    return RUN(p->dev, brute_count, finders, U32(finder0), SCENE_OF(p), U32(p->block.frames),
               BUF(&p->bounds.near.prim0), BUF(&p->broad.count));
}

static int brute_emit(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out)
{
    return RUN(p->dev, brute_emit, finders, U32(finder0), SCENE_OF(p), U32(p->block.frames),
               BUF(&p->bounds.near.prim0), BUF(&p->broad.offset), U64(base), BUF(&out->a),
               BUF(&out->b));
}

static void brute_free(imp *p)
{
    (void)p;
}

const broad_method broad_brute = {"brute", brute_build, brute_count, brute_emit, NULL, brute_free};
