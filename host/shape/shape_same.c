/* Vertices with the same position, by sorting. */
#include "shape.h"

#include "error.h"

#include <stdlib.h>

typedef struct place {
    double x[3];
    uint32_t vertex;
} place;

/* By position, then by number: qsort has no other order to choose. 0 and -0 are equal. */
static int place_order(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k])
            return p->x[k] < q->x[k] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static int same_place(const place *a, const place *b)
{
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

int shape_same(mem *m, const double *points, uint32_t vertices, uint32_t *same)
{
    int err = 0;
    place *p = NULL;
    TRY(mem_alloc(m, (vertices + (size_t)1) * sizeof *p, &p));
    for (uint32_t v = 0; v < vertices; v++) {
        const double *x = points + 3 * (size_t)v;
        p[v] = (place){{x[0], x[1], x[2]}, v};
    }
    qsort(p, vertices, sizeof *p, place_order);
    for (uint32_t i = 0, first = 0; i < vertices; i++) {
        if (!same_place(&p[i], &p[first]))
            first = i;
        same[p[i].vertex] = p[first].vertex;
    }
out:
    mem_free(m, p);
    return err;
}
