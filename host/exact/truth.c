/* See truth.h. Boxes are sorted by their lower x and swept. */
#include "truth.h"

#include "error.h"
#include "exact_solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct box {
    uint32_t id;
    double lo[3], hi[3];
} box;

typedef struct sweep {
    mem *mem;
    const imp_frame *f;
    const imp_def *def;
    const uint8_t *wanted;
    box *b;
    size_t boxes;
} sweep;

/* ---- which pairs */

static int32_t object_of(const imp_mesh *m, uint32_t i)
{
    return m->object ? m->object[i] : 0;
}

static int listed(const imp_def *def, int32_t p, int32_t q)
{
    for (size_t i = 0; i < def->object_pairs; i++) {
        const int32_t *x = def->object_pair[i];
        if ((x[0] == p && x[1] == q) || (x[0] == q && x[1] == p))
            return 1;
    }
    return 0;
}

static int pair_wanted(const sweep *s, uint32_t a, uint32_t b)
{
    const imp_def *def = s->def;
    int32_t p = object_of(s->f->mesh, a), q = object_of(s->f->mesh, b);
    if (s->wanted && !s->wanted[a] && !s->wanted[b])
        return 0;
    if ((def->pairs == IMP_PAIRS_SELF && p != q) || (def->pairs == IMP_PAIRS_BETWEEN && p == q))
        return 0;
    return !def->object_pair || listed(def, p, q) != def->object_pairs_exclude;
}

static int named_before(const imp_mesh *m, uint32_t i, uint32_t k)
{
    for (uint32_t l = 0; l < k; l++)
        if (mesh_vertex(m, i, l) == mesh_vertex(m, i, k))
            return 1;
    return 0;
}

/* different vertices of a that b has too */
static int shared(const imp_mesh *m, uint32_t a, uint32_t b, int at[4])
{
    int n = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4 && !named_before(m, a, i); j++)
            if (mesh_vertex(m, a, i) == mesh_vertex(m, b, j)) {
                at[n++] = (int)i;
                break;
            }
    return n;
}

/* Do their extents overlap along the axes that k adds to the box? */
static int slabs_overlap(const exact_prim *p, const exact_prim *q, int k)
{
    static const int axes[10][3] = {{1, 1, 1},  {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, 1, 0},
                                    {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
    int first = k == 18 ? 4 : 0, last = k == 6 ? 0 : k == 8 || k == 14 ? 4 : 10;
    for (int a = first; a < last; a++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int v = 0; v < 8; v++) {
            const exact_prim *of = v < 4 ? p : q;
            if (v % 4 == of->corners)
                continue;
            const double *x = of->v[v % 4].x;
            double d = axes[a][0] * x[0] + axes[a][1] * x[1] + axes[a][2] * x[2];
            lo[v / 4] = fmin(lo[v / 4], d);
            hi[v / 4] = fmax(hi[v / 4], d);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

/* Is this pair of overlapping boxes to be reported, and how? */
static int examine(const sweep *s, uint32_t a, uint32_t b, exact_contact *out)
{
    int at[4], n = shared(s->f->mesh, a, b, at);
    if ((n && s->def->adjacent == IMP_ADJACENT_SKIP) || !pair_wanted(s, a, b))
        return 0;
    exact_prim p = exact_prim_of(s->f, a), q = exact_prim_of(s->f, b);
    memset(out, 0, sizeof *out);
    if (s->def->stage == IMP_STAGE_CANDIDATES)
        return slabs_overlap(&p, &q, s->def->dop_k);
    if (p.corners == 3 && q.corners == 3)
        exact_tri_tri(p.v, q.v, n, at, out);
    else if (n ? exact_prims_meet_within(&p, &q) : exact_prims_meet(&p, &q))
        out->kind = IMP_KIND_SOLIDS;
    return out->kind != 0;
}

/* ---- the sweep */

static int compare_boxes(const void *a, const void *b)
{
    const box *p = a, *q = b;
    return (p->lo[0] > q->lo[0]) - (p->lo[0] < q->lo[0]);
}

static int compare_rows(const void *a, const void *b)
{
    const truth_row *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* boxes of the primitives whose vertices are finite */
static int make_boxes(sweep *s)
{
    int err = IMP_OK;
    uint32_t n = s->f->mesh->primitives;
    TRY(mem_alloc(s->mem, n * sizeof *s->b, &s->b));
    for (uint32_t i = 0; i < n; i++) {
        exact_prim p = exact_prim_of(s->f, i);
        box *b = &s->b[s->boxes];
        int finite = 1;
        b->id = i;
        for (int k = 0; k < 3; k++) {
            b->lo[k] = b->hi[k] = p.v[0].x[k];
            for (int v = 0; v < p.corners; v++) {
                finite &= isfinite(p.v[v].x[k]) != 0;
                b->lo[k] = fmin(b->lo[k], p.v[v].x[k]);
                b->hi[k] = fmax(b->hi[k], p.v[v].x[k]);
            }
        }
        s->boxes += (size_t)finite;
    }
    qsort(s->b, s->boxes, sizeof *s->b, compare_boxes);
out:
    return err;
}

typedef struct list {
    truth_row *row;
    size_t count, capacity;
} list;

static int list_add(mem *m, list *l, const truth_row *row)
{
    int err = IMP_OK;
    if (l->count == l->capacity) {
        size_t capacity = 2 * l->capacity + 64;
        TRY(mem_grow(m, l->count * sizeof *row, capacity * sizeof *row, &l->row));
        l->capacity = capacity;
    }
    l->row[l->count++] = *row;
out:
    return err;
}

/* all pairs whose first box, in order of x, is number i */
static int sweep_one(const sweep *s, size_t i, list *out)
{
    int err = IMP_OK;
    const box *p = &s->b[i];
    for (size_t j = i + 1; j < s->boxes && s->b[j].lo[0] <= p->hi[0]; j++) {
        const box *q = &s->b[j];
        if (q->lo[1] > p->hi[1] || p->lo[1] > q->hi[1] || q->lo[2] > p->hi[2] ||
            p->lo[2] > q->hi[2])
            continue;
        truth_row row = {.a = p->id < q->id ? p->id : q->id, .b = p->id < q->id ? q->id : p->id};
        if (examine(s, row.a, row.b, &row.contact))
            TRY(list_add(s->mem, out, &row));
    }
out:
    return err;
}

/* appends one thread's rows */
static int truth_append(mem *m, truth *t, const list *l)
{
    int err = IMP_OK;
    size_t more = l->count * sizeof *l->row;
    TRY(mem_grow(m, t->count * sizeof *t->row, t->count * sizeof *t->row + more, &t->row));
    if (l->count)
        memcpy(t->row + t->count, l->row, more);
    t->count += l->count;
out:
    return err;
}

static int sweep_all(const sweep *s, int threads, truth *out)
{
    int err = IMP_OK;
    int64_t n = (int64_t)s->boxes;
#pragma omp parallel num_threads(threads)
    {
        list mine = {0};
        int bad = IMP_OK;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++)
            if (!bad)
                bad = sweep_one(s, (size_t)i, &mine);
#pragma omp critical
        {
            if (!bad)
                bad = truth_append(s->mem, out, &mine);
            err = err ? err : bad;
        }
        mem_free(s->mem, mine.row);
    }
    if (err == IMP_ERR_MEMORY) /* the text belongs to another thread */
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    if (out->count)
        qsort(out->row, out->count, sizeof *out->row, compare_rows);
    return err;
}

int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out)
{
    int err = IMP_OK;
    sweep s = {.mem = m, .f = f, .def = def, .wanted = wanted};
    *out = (truth){0};
    TRY(make_boxes(&s));
    TRY(sweep_all(&s, threads, out));
out:
    mem_free(m, s.b);
    if (err)
        truth_free(m, out);
    return err;
}

void truth_free(mem *m, truth *t)
{
    mem_free(m, t->row);
    *t = (truth){0};
}
