/* See moving.h: where memory is short, fewer events. */
#include "budget.h"
#include "error.h"
#include "moving.h"

#include <stdlib.h>

static int compare_pairs(const void *p, const void *q)
{
    const event *x = p, *y = q;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return moving_comes_first(y, x) - moving_comes_first(x, y);
}

void moving_pack(moving *m)
{
    event *e = m->events.list;
    size_t n = 0;
    if (m->events.count)
        qsort(e, m->events.count, sizeof *e, compare_pairs);
    for (size_t i = 0; i < m->events.count; i++)
        if (!n || !moving_same_pair(&e[i], &e[n - 1]))
            e[n++] = e[i];
    m->events.count = m->packed = n;
}

static int compare_moments(const void *p, const void *q)
{
    const event *x = p, *y = q;
    const step_moment at[] = {{x->toi, x->a, x->b}, {y->toi, y->a, y->b}};
    return moment_before(y->toi, y->a, y->b, &at[0]) - moment_before(x->toi, x->a, x->b, &at[1]);
}

/* Gives back what the list does not need; where there is no room to move it, it stays. */
static void impact_partition_shrink(const context *c, event_list *of)
{
    if (!mem_grow(c->mem, of->count * sizeof *of->list, of->count * sizeof *of->list, &of->list))
        of->capacity = of->count;
}

/* Packed events are of different pairs, so no two are at the same place in the order of rows, and
 * those before the one in the middle are half of them. */
int moving_cut(const context *c, moving *m)
{
    event_list *e = &m->events;
    if (e->count < c->mem->limit / BUDGET_EVENTS_SHARE / sizeof *e->list)
        return 0;
    moving_pack(m);
    if (e->count < 2)
        return 0;
    qsort(e->list, e->count, sizeof *e->list, compare_moments);
    e->count = m->packed = e->count / 2;
    const event *to = &e->list[e->count];
    m->found.to = (step_moment){to->toi, to->a, to->b};
    impact_partition_shrink(c, e);
    return 1;
}

int moving_many(const context *c, const moving *m)
{
    return m->events.count > mem_left(c->mem) / BUDGET_EVENT;
}

/* Packing sorts: it is worth it where the list has doubled and growing it takes much. */
void moving_make_room(const context *c, moving *m)
{
    event_list *e = &m->events;
    if (e->count / 2 > m->packed &&
        e->count > mem_left(c->mem) / BUDGET_HITS_SHARE / sizeof *e->list)
        moving_pack(m);
    if (m->cuts && moving_many(c, m))
        moving_cut(c, m);
}
