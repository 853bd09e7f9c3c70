/* What comes next: items by (time, a, b), of which each has one entry. A binary heap, so that a
 * change costs the logarithm of their number; the order is total, so that no history shows. */
#ifndef IMP_PCS_ORDER_H
#define IMP_PCS_ORDER_H

#include "mem.h"

typedef struct pcs_entry {
    double time;
    uint32_t a, b;
    size_t item;
} pcs_entry;

typedef struct pcs_order {
    pcs_entry *heap;
    size_t count;
    size_t *position; /* [items] in the heap, plus 1; 0: not in it */
    size_t capacity;
} pcs_order;

/* Room for `items` of them; those that are new have no entry. Errors: MEMORY. */
int pcs_order_fit(mem *m, pcs_order *o, size_t items);
void pcs_order_clear(pcs_order *o);
void pcs_order_free(mem *m, pcs_order *o);

/* Enters an item, or changes its entry. */
void pcs_order_set(pcs_order *o, const pcs_entry *e);
void pcs_order_remove(pcs_order *o, size_t item);

/* The first one; NULL: there is none. */
static inline const pcs_entry *pcs_order_first(const pcs_order *o)
{
    return o->count ? o->heap : NULL;
}

#endif
