/* See moving.h: where memory is short, fewer impacts. */
#include "budget.h"
#include "error.h"
#include "moving.h"

#include <stdlib.h>

static int compare_pairs(const void *p, const void *q)
{
    const impact *x = p, *y = q;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return impact_comes_first(y, x) - impact_comes_first(x, y);
}

void impact_partition_pack(ccd_step *m)
{
    impact *e = m->impacts.list;
    size_t n = 0;
    if (m->impacts.count)
        qsort(e, m->impacts.count, sizeof *e, compare_pairs);
    for (size_t i = 0; i < m->impacts.count; i++)
        if (!n || !impact_same_pair(&e[i], &e[n - 1]))
            e[n++] = e[i];
    m->impacts.count = m->packed = n;
}

static int compare_moments(const void *p, const void *q)
{
    const impact *x = p, *y = q;
    const step_moment at[] = {{x->toi, x->a, x->b}, {y->toi, y->a, y->b}};
    return moment_before(y->toi, y->a, y->b, &at[0]) - moment_before(x->toi, x->a, x->b, &at[1]);
}

/* Gives back what the list does not need; where there is no room to move it, it stays. */
static void impact_partition_shrink(const context *c, impact_list *of)
{
    if (!mem_grow(c->mem, of->count * sizeof *of->list, of->count * sizeof *of->list, &of->list))
        of->capacity = of->count;
}

/* Packed impacts are of different pairs, so no two are at the same place in the order of rows, and
 * those before the one in the middle are half of them. */
int impact_partition_cut(const context *c, ccd_step *m)
{
    impact_list *e = &m->impacts;
    if (e->count < c->mem->limit / BUDGET_IMPACTS_SHARE / sizeof *e->list)
        return 0;
    impact_partition_pack(m);
    if (e->count < 2)
        return 0;
    qsort(e->list, e->count, sizeof *e->list, compare_moments);
    e->count = m->packed = e->count / 2;
    const impact *to = &e->list[e->count];
    m->found.to = (step_moment){to->toi, to->a, to->b};
    impact_partition_shrink(c, e);
    return 1;
}

int impact_partition_many(const context *c, const ccd_step *m)
{
    return m->impacts.count > mem_left(c->mem) / BUDGET_IMPACT;
}

/* Packing sorts: it is worth it where the list has doubled and growing it takes much. */
void impact_partition_make_room(const context *c, ccd_step *m)
{
    impact_list *e = &m->impacts;
    if (e->count / 2 > m->packed &&
        e->count > mem_left(c->mem) / BUDGET_FEATURE_PAIRS_SHARE / sizeof *e->list)
        impact_partition_pack(m);
    if (m->cuts && impact_partition_many(c, m))
        impact_partition_cut(c, m);
}
