/* The order of the next events is that of a sorted list, after any entries, changes and removals.
 */
#include "expect.h"
#include "pcs_state.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define ITEMS 60

typedef struct list {
    pcs_entry entry[ITEMS];
    int in[ITEMS];
} list;

static int pcs_queue_test_before(const pcs_entry *x, const pcs_entry *y)
{
    return x->time < y->time ||
           (x->time == y->time && (x->a < y->a || (x->a == y->a && x->b < y->b)));
}

static const pcs_entry *pcs_queue_test_first(const list *l)
{
    const pcs_entry *first = NULL;
    for (int i = 0; i < ITEMS; i++)
        if (l->in[i] && (!first || pcs_queue_test_before(&l->entry[i], first)))
            first = &l->entry[i];
    return first;
}

static void check_pcs_queue(const pcs_order *o, const list *l)
{
    const pcs_entry *want = pcs_queue_test_first(l), *is = pcs_order_first(o);
    EXPECT(!is == !want && (!is || is->item == want->item), "item %zu, not %zu", is ? is->item : 0,
           want ? want->item : 0);
}

/* Few times, so that pairs decide; each pair is one item. */
static void pcs_queue_test_change(pcs_order *o, list *l, rng *r)
{
    const uint32_t i = rng_below(r, ITEMS);
    if (rng_below(r, 4) == 0) {
        pcs_order_remove(o, i);
        l->in[i] = 0;
        return;
    }
    l->entry[i] = (pcs_entry){(double)rng_below(r, 4), i % 7, i / 7 + 7, i};
    l->in[i] = 1;
    pcs_order_set(o, &l->entry[i]);
}

static void test_changes(void)
{
    rng r = {1};
    mem m = {0};
    pcs_order o = {0};
    list l = {0};
    CU_ASSERT_FATAL(pcs_order_fit(&m, &o, ITEMS / 2) == IMP_OK);
    CU_ASSERT_FATAL(pcs_order_fit(&m, &o, ITEMS) == IMP_OK);
    for (uint64_t i = 0; i < test_cases(20000); i++) {
        pcs_queue_test_change(&o, &l, &r);
        check_pcs_queue(&o, &l);
    }
    for (const pcs_entry *e; (e = pcs_order_first(&o));) { /* all, in order */
        check_pcs_queue(&o, &l);
        l.in[e->item] = 0;
        pcs_order_remove(&o, e->item);
    }
    CU_ASSERT(pcs_queue_test_first(&l) == NULL);
    pcs_order_clear(&o);
    CU_ASSERT(pcs_order_first(&o) == NULL);
    pcs_order_free(&m, &o);
    mem_close(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"changes", test_changes}, {0}};
    return test_main(argc, argv, "pcs_order", tests);
}
