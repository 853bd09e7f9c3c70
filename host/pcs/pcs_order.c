/* See pcs_order.h. */
#include "pcs_order.h"

#include "error.h"

#include <string.h>

int pcs_order_fit(mem *m, pcs_order *o, size_t items)
{
    if (items <= o->capacity)
        return IMP_OK;
    const size_t capacity = items + items / 2;
    int err = mem_grow(m, o->count * sizeof *o->heap, capacity * sizeof *o->heap, &o->heap);
    if (!err)
        err = mem_grow(m, o->capacity * sizeof *o->position, capacity * sizeof *o->position,
                       &o->position);
    if (err)
        return err;
    memset(o->position + o->capacity, 0, (capacity - o->capacity) * sizeof *o->position);
    o->capacity = capacity;
    return IMP_OK;
}

void pcs_order_clear(pcs_order *o)
{
    o->count = 0;
    if (o->capacity)
        memset(o->position, 0, o->capacity * sizeof *o->position);
}

void pcs_order_free(mem *m, pcs_order *o)
{
    mem_free(m, o->heap);
    mem_free(m, o->position);
    *o = (pcs_order){0};
}

static int pcs_queue_before(const pcs_entry *x, const pcs_entry *y)
{
    if (x->time != y->time)
        return x->time < y->time;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void pcs_queue_set(pcs_order *o, size_t at, const pcs_entry *e)
{
    o->heap[at] = *e;
    o->position[e->item] = at + 1;
}

static size_t pcs_queue_sift_up(pcs_order *o, size_t at, const pcs_entry *e)
{
    while (at && pcs_queue_before(e, &o->heap[(at - 1) / 2])) {
        pcs_queue_set(o, at, &o->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    return at;
}

static size_t pcs_queue_sift_down(pcs_order *o, size_t at, const pcs_entry *e)
{
    for (size_t child; (child = 2 * at + 1) < o->count; at = child) {
        if (child + 1 < o->count && pcs_queue_before(&o->heap[child + 1], &o->heap[child]))
            child++;
        if (!pcs_queue_before(&o->heap[child], e))
            break;
        pcs_queue_set(o, at, &o->heap[child]);
    }
    return at;
}

/* From a place that is free. */
static void pcs_queue_restore(pcs_order *o, size_t at, const pcs_entry *e)
{
    pcs_queue_set(o, pcs_queue_sift_down(o, pcs_queue_sift_up(o, at, e), e), e);
}

void pcs_order_set(pcs_order *o, const pcs_entry *e)
{
    const pcs_entry copy = *e;
    pcs_queue_restore(o, o->position[e->item] ? o->position[e->item] - 1 : o->count++, &copy);
}

void pcs_order_remove(pcs_order *o, size_t item)
{
    if (!o->position[item])
        return;
    const size_t at = o->position[item] - 1;
    const pcs_entry last = o->heap[--o->count];
    o->position[item] = 0;
    if (last.item != item)
        pcs_queue_restore(o, at, &last);
}
