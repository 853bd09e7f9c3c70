/* Room 4: a total order on pairs. Without times it is (a, b). */
#include "engine.h"

#include "error.h"

int order_pairs(imp *p, pairs *pr)
{
    int err = IMP_OK;
    uint32_t bits = bits_for(p->block.prims);
    sorter *s = &p->narrow.sort;
    TRY(sort_by_key(p->dev64, s, &pr->b, &pr->a, pr->count, bits));
    TRY(sort_by_key(p->dev64, s, &pr->a, &pr->b, pr->count, bits));
out:
    return err;
}
