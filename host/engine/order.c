/* A total order on pairs: (a, b). */
#include "stages.h"

int order_pairs(const context *c, const view *v, sorter *s, pairs *p)
{
    return sort_pairs(c->dev64, s, &p->a, &p->b, p->count, bits_for(v->prims));
}
