/* Room 4: a total order on pairs. Without times it is (a, b). */
#include "engine.h"

int order_pairs(const context *c, const block *b, sorter *s, pairs *p)
{
    return sort_pairs(c->dev64, s, &p->a, &p->b, p->count, bits_for(b->prims));
}
