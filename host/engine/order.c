/* Room 4: a total order on pairs. Without times it is (a, b). */
#include "engine.h"

#include "error.h"

int order_pairs(const context *c, const block *b, sorter *s, pairs *p)
{
    int err = IMP_OK;
    uint32_t bits = bits_for(b->prims);
    TRY(sort_by_key(c->dev64, s, &p->b, &p->a, p->count, bits));
    TRY(sort_by_key(c->dev64, s, &p->a, &p->b, p->count, bits));
out:
    return err;
}
