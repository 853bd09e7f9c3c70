/* Pairs within some edges along the mesh, which def->ring leaves out: see truth.h. The edges are a
 * sorted list of pairs of vertices. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "truth.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define RING_FAR UINT32_MAX

/* ---- the edges */

static int truth_ring_compare(const void *x, const void *y)
{
    const uint64_t p = *(const uint64_t *)x, q = *(const uint64_t *)y;
    return (p > q) - (p < q);
}

/* Lists each edge of each primitive in both directions; returns their number. edge: NULL, or with
 * room for them. */
static size_t truth_ring_list(const imp_mesh *m, uint64_t *edge)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        for (int k = 0; k < feature_edge_count(m, i); k++) {
            uint32_t v[2];
            feature_edge_vertices(m, i, k, v);
            for (int turn = 0; turn < 2; turn++, n++)
                if (edge)
                    edge[n] = (uint64_t)v[turn] << 32 | v[!turn];
        }
    return n;
}

/* Numbers the components: fills t->component by a search from each vertex that has none yet. */
static int truth_ring_components(mem *m, truth_ring *t)
{
    int err = IMP_OK;
    uint32_t *stack = NULL;
    TRY(mem_alloc(m, t->vertices * sizeof *stack, &stack));
    for (uint32_t v = 0; v < t->vertices; v++)
        t->component[v] = RING_FAR;
    for (uint32_t v = 0; v < t->vertices; v++) {
        size_t depth = 0;
        if (t->component[v] != RING_FAR)
            continue;
        t->component[v] = v;
        stack[depth++] = v;
        while (depth) {
            const uint32_t at = stack[--depth];
            for (size_t e = t->first[at]; e < t->first[at + 1]; e++) {
                const uint32_t to = (uint32_t)t->edge[e];
                if (t->component[to] != RING_FAR)
                    continue;
                t->component[to] = v;
                stack[depth++] = to;
            }
        }
    }
out:
    mem_free(m, stack);
    return err;
}

int truth_ring_open(mem *m, const imp_mesh *mesh, uint32_t ring, truth_ring *t)
{
    int err = IMP_OK;
    const size_t n = truth_ring_list(mesh, NULL);
    size_t kept = 0, at = 0;
    *t = (truth_ring){.mem = m, .ring = ring, .vertices = mesh->vertices};
    TRY(mem_alloc(m, n * sizeof *t->edge, &t->edge));
    TRY(mem_alloc(m, ((size_t)t->vertices + 1) * sizeof *t->first, &t->first));
    TRY(mem_alloc(m, t->vertices * sizeof *t->component, &t->component));
    truth_ring_list(mesh, t->edge);
    if (n)
        qsort(t->edge, n, sizeof *t->edge, truth_ring_compare);
    for (size_t i = 0; i < n; i++)
        if (!kept || t->edge[i] != t->edge[kept - 1])
            t->edge[kept++] = t->edge[i];
    for (size_t v = 0; v <= t->vertices; v++) {
        while (at < kept && t->edge[at] >> 32 < v)
            at++;
        t->first[v] = at;
    }
    TRY(truth_ring_components(m, t));
out:
    return err;
}

void truth_ring_close(truth_ring *t)
{
    if (!t->mem)
        return;
    mem_free(t->mem, t->edge);
    mem_free(t->mem, t->first);
    mem_free(t->mem, t->component);
}

/* ---- a search */

int truth_ring_search_open(const truth_ring *t, truth_ring_search *s)
{
    int err = IMP_OK;
    *s = (truth_ring_search){.of = t};
    TRY(mem_alloc(t->mem, t->vertices * sizeof *s->steps, &s->steps));
    TRY(mem_alloc(t->mem, t->vertices * sizeof *s->queue, &s->queue));
    for (uint32_t v = 0; v < t->vertices; v++)
        s->steps[v] = RING_FAR;
out:
    return err;
}

void truth_ring_search_close(truth_ring_search *s)
{
    if (!s->of->mem)
        return;
    mem_free(s->of->mem, s->steps);
    mem_free(s->of->mem, s->queue);
}

/* Searches from p until a vertex of q is found, or none is left within the ring. */
static int truth_ring_find(truth_ring_search *s, const truth_vertices *p, const truth_vertices *q)
{
    const truth_ring *t = s->of;
    for (uint32_t k = 0; k < p->count; k++)
        if (s->steps[p->vertex[k]]) {
            s->steps[p->vertex[k]] = 0;
            s->queue[s->queued++] = p->vertex[k];
        }
    for (size_t i = 0; i < s->queued; i++) {
        const uint32_t at = s->queue[i];
        for (uint32_t k = 0; k < q->count; k++)
            if (q->vertex[k] == at)
                return 1;
        for (size_t e = t->first[at]; e < t->first[at + 1] && s->steps[at] < t->ring; e++) {
            const uint32_t to = (uint32_t)t->edge[e];
            if (s->steps[to] != RING_FAR)
                continue;
            s->steps[to] = s->steps[at] + 1;
            s->queue[s->queued++] = to;
        }
    }
    return 0;
}

int truth_ring_has(truth_ring_search *s, const truth_vertices *p, const truth_vertices *q)
{
    const truth_ring *t = s->of;
    if (t->component[p->vertex[0]] != t->component[q->vertex[0]])
        return 0;
    if (t->ring >= t->vertices) /* no way along different vertices is longer */
        return 1;
    const int has = truth_ring_find(s, p, q);
    while (s->queued)
        s->steps[s->queue[--s->queued]] = RING_FAR;
    return has;
}

/* ---- rows */

static truth_vertices truth_ring_prim(const imp_mesh *m, uint32_t i)
{
    truth_vertices out = {.count = 4};
    for (uint32_t k = 0; k < 4; k++)
        out.vertex[k] = mesh_vertex(m, i, k);
    return out;
}

int truth_ring_prims(truth_ring_search *s, const imp_mesh *m, uint32_t a, uint32_t b)
{
    const truth_vertices p = truth_ring_prim(m, a), q = truth_ring_prim(m, b);
    return truth_ring_has(s, &p, &q);
}

/* Marks the rows that are left out by kind -1. */
static int truth_ring_mark(const truth_case *c, const truth_ring *t, int threads, truth *of)
{
    int without = 0; /* threads without memory */
    const int64_t n = (int64_t)of->count;
    const int features = c->def->rows == IMP_ROWS_FEATURES;
#pragma omp parallel num_threads(threads) reduction(+ : without)
    EACH_IN_FLOAT_ENV
    {
        truth_ring_search s;
        const int bad = truth_ring_search_open(t, &s) != IMP_OK;
        without += bad;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++) {
            truth_row *r = &of->row[i];
            truth_vertices v[2];
            if (features)
                truth_features_of_row(c->f[0], r, v);
            if (!bad && (features ? truth_ring_has(&s, &v[0], &v[1])
                                  : truth_ring_prims(&s, c->f[0]->mesh, r->a, r->b)))
                r->kind = -1;
        }
        truth_ring_search_close(&s);
    }
    return without ? imp_fail(IMP_ERR_MEMORY, "out of memory") : IMP_OK;
}

int truth_ring_leave_out(mem *m, const truth_case *c, int threads, truth *of)
{
    int err = IMP_OK;
    truth_ring t = {0};
    size_t kept = 0;
    if (!c->def->ring)
        return IMP_OK;
    TRY(truth_ring_open(m, c->f[0]->mesh, c->def->ring, &t));
    TRY(truth_ring_mark(c, &t, threads, of));
    for (size_t i = 0; i < of->count; i++)
        if (of->row[i].kind >= 0)
            of->row[kept++] = of->row[i];
    of->count = kept;
out:
    truth_ring_close(&t);
    return err;
}
