#include "edges.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

static double edges_coordinate(const imp_frame *f, uint32_t vertex, int axis)
{
    const size_t at = (size_t)3 * vertex + (size_t)axis;
    return f->type == IMP_FLOAT32 ? (double)((const float *)f->point)[at]
                                  : ((const double *)f->point)[at];
}

static double edges_length(const imp_frame *f, uint32_t from, uint32_t to)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double d = edges_coordinate(f, from, k) - edges_coordinate(f, to, k);
        square += d * d;
    }
    return sqrt(square);
}

static int edges_compare_lengths(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int edges_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Appends a primitive's edges: both vertices, the lower one first. */
static size_t edges_of(const imp_mesh *m, uint32_t prim, uint64_t *edge, size_t n)
{
    const uint32_t *corner = m->corner + (size_t)m->corners * prim;
    const int corners = m->corner_count ? m->corner_count[prim] : m->corners;
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++) {
            const uint32_t a = corner[i], b = corner[j];
            edge[n++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        }
    return n;
}

int edges_median(mem *m, const imp_frame *f, double *median)
{
    int err = IMP_OK;
    uint64_t *edge = NULL;
    double *length = NULL;
    size_t all = 0, n = 0;
    const size_t most = (size_t)6 * f->mesh->primitives;
    TRY(mem_alloc(m, most * sizeof *edge, &edge));
    TRY(mem_alloc(m, most * sizeof *length, &length));
    for (uint32_t i = 0; i < f->mesh->primitives; i++)
        all = edges_of(f->mesh, i, edge, all);
    qsort(edge, all, sizeof *edge, edges_compare);
    for (size_t i = 0; i < all; i++)
        if (!i || edge[i] != edge[i - 1])
            length[n++] = edges_length(f, (uint32_t)(edge[i] >> 32), (uint32_t)edge[i]);
    qsort(length, n, sizeof *length, edges_compare_lengths);
    *median = n ? length[n / 2] : 0;
    if (!(*median > 0))
        FAIL(IMP_ERR_INPUT, "--in-edges: the median edge of the first frame has no length");
out:
    mem_free(m, edge);
    mem_free(m, length);
    return err;
}
