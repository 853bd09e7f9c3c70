/* Rows have a total order, that of contact.def: (a, b). */
#include "stages.h"

#include "error.h"

static int order_list(const context *c, const block_view *v, sorter *s, pairs *p)
{
    return sort_pairs(c->dev64, s, &p->a, &p->b, p->count, bits_for(v->prims));
}

int narrow_sort(const context *c, const block_view *v, sorter *s, narrow *n)
{
    int err = IMP_OK;
    TRY(order_list(c, v, s, &n->meet));
    TRY(order_list(c, v, s, &n->undecided));
    /* So that the time of sorting counts as this stage's, not as that of the first read. */
    if (c->opt.timed)
        TRY(device_finish(c->dev64));
out:
    return err;
}
