/* See polygon_ears.h: corners that may be ears, as a binary heap in the nodes.
 *
 * Short edges come first: their triangles are small, so few others are near, and they are better
 * than slivers. */
#include "polygon_ears.h"

static int comes_before(const ears *e, uint32_t i, uint32_t j)
{
    double a = e->node[i].length, b = e->node[j].length;
    return a < b || (a == b && i < j);
}

/* Ranks begin with 1: 0 means not in the heap, and the children of r are 2 r and 2 r + 1. */
static void ear_queue_set(ears *e, uint32_t rank, uint32_t i)
{
    e->node[rank - 1].heap = i;
    e->node[i].rank = rank;
}

static void sift_up(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    for (; rank > 1 && comes_before(e, i, e->node[rank / 2 - 1].heap); rank /= 2)
        ear_queue_set(e, rank, e->node[rank / 2 - 1].heap);
    ear_queue_set(e, rank, i);
}

static void sift_down(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    while (rank <= e->heap / 2) {
        uint32_t child = 2 * rank, other = child < e->heap ? child + 1 : child;
        if (comes_before(e, e->node[other - 1].heap, e->node[child - 1].heap))
            child = other;
        if (!comes_before(e, e->node[child - 1].heap, i))
            break;
        ear_queue_set(e, rank, e->node[child - 1].heap);
        rank = child;
    }
    ear_queue_set(e, rank, i);
}

/* The length may have changed either way, so it is moved up and down. */
void ears_enqueue(ears *e, uint32_t i)
{
    polygon_node *n = &e->node[i];
    const double *a = e->node[n->prev].at.x, *c = e->node[n->next].at.x;
    double x = c[0] * e->unit - a[0] * e->unit, y = c[1] * e->unit - a[1] * e->unit;
    if (n->gone)
        return;
    n->length = x * x + y * y;
    if (!n->rank)
        ear_queue_set(e, ++e->heap, i);
    sift_up(e, i);
    sift_down(e, i);
}

/* The last one of the heap takes its rank. */
void ears_dequeue(ears *e, uint32_t i)
{
    uint32_t rank = e->node[i].rank;
    if (!rank)
        return;
    uint32_t last = e->node[--e->heap].heap;
    e->node[i].rank = 0;
    if (last != i) {
        ear_queue_set(e, rank, last);
        sift_up(e, last);
        sift_down(e, last);
    }
}
