/* See truth.h. Boxes are sorted by their lower x and swept. */
#include "truth.h"

#include "error.h"
#include "frame.h"
#include "oracle_apart.h"
#include "oracle_solid.h"

#include <limits.h>
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

/* ---- primitives */

static int corners_of(const imp_mesh *m, uint32_t i)
{
    return mesh_own(m, i) == IMP_TETRAHEDRA ? 4 : 3;
}

static void corners_read(const imp_frame *f, uint32_t i, double x[4][3])
{
    for (int k = 0; k < corners_of(f->mesh, i); k++)
        frame_vertex(f, mesh_vertex(f->mesh, i, (uint32_t)k), x[k]);
}

/* Both as the solid oracle takes them; triangles have three corners. */
static solid_case solids_of(const imp_frame *f, uint32_t a, uint32_t b)
{
    solid_case c = {.corners = {corners_of(f->mesh, a), corners_of(f->mesh, b)}};
    corners_read(f, a, c.x[0]);
    corners_read(f, b, c.x[1]);
    return c;
}

/* A vertex that is named again has the number of its first corner. */
static tri_pair triangles_of(const imp_frame *f, uint32_t a, uint32_t b)
{
    tri_pair t;
    uint32_t vertex[6];
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t same = 0;
        vertex[i] = mesh_vertex(f->mesh, i < 3 ? a : b, i % 3);
        frame_vertex(f, vertex[i], t.x[i]);
        while (vertex[same] != vertex[i])
            same++;
        t.corner[i] = same;
    }
    return t;
}

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

/* The options that choose pairs, written again: a wrong choice in the pipeline must show. */
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

/* Do they share a vertex, by number? */
static int share(const imp_mesh *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++)
            if (mesh_vertex(m, a, i) == mesh_vertex(m, b, j))
                return 1;
    return 0;
}

/* Do their extents overlap along the axes that k adds to the box? */
static int slabs_overlap(const solid_case *c, int k)
{
    static const int axes[10][3] = {{1, 1, 1},  {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, 1, 0},
                                    {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
    int first = k == 18 ? 4 : 0, last = k == 6 ? 0 : k == 8 || k == 14 ? 4 : 10;
    for (int a = first; a < last; a++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int v = 0; v < 8; v++) {
            if (v % 4 == c->corners[v / 4])
                continue;
            const double *x = c->x[v / 4][v % 4];
            double d = axes[a][0] * x[0] + axes[a][1] * x[1] + axes[a][2] * x[2];
            lo[v / 4] = fmin(lo[v / 4], d);
            hi[v / 4] = fmax(hi[v / 4], d);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

/* As what a contact of them is reported; 0: they do not meet. */
static int kind_of(const sweep *s, oracle *o, const solid_case *c, uint32_t a, uint32_t b)
{
    if (c->corners[0] == 4 || c->corners[1] == 4)
        return solid_meet(c, share(s->f->mesh, a, b)) ? IMP_KIND_SOLIDS : 0;
    if (oracle_apart(c->corners, c->x, 0))
        return 0;
    oracle_answer answer;
    const tri_pair t = triangles_of(s->f, a, b);
    oracle_ask(o, &t, &answer);
    return answer.kind;
}

/* Is this pair of overlapping boxes to be reported, and as what? */
static int examine(const sweep *s, oracle *o, uint32_t a, uint32_t b, int *kind)
{
    *kind = 0;
    if (!pair_wanted(s, a, b) || (s->def->adjacent == IMP_ADJACENT_SKIP && share(s->f->mesh, a, b)))
        return 0;
    const solid_case c = solids_of(s->f, a, b);
    if (s->def->stage == IMP_STAGE_CANDIDATES)
        return slabs_overlap(&c, s->def->dop_k);
    *kind = kind_of(s, o, &c, a, b);
    return *kind != 0;
}

const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim)
{
    const solid_case c = solids_of(f, a, b);
    const int solid = claim->kind == IMP_KIND_SOLIDS;
    const char *fault = NULL;
    if (!solid) {
        oracle_answer want;
        const tri_pair t = triangles_of(f, a, b);
        oracle_ask(o, &t, &want);
        fault = contact_form_fault(claim->kind, claim->point);
        fault = fault ? fault : oracle_box_fault(&want, claim->kind, claim->point);
        /* of slivers, and of planes nearly parallel, nothing more is known well enough */
        if (!fault && oracle_clear(&want, &t))
            fault = oracle_ends_fault(&want, claim->point);
    }
    if (fault || (!solid && !claim->deep))
        return fault;
    const int count = claim->collisions < INT_MAX ? (int)claim->collisions : INT_MAX;
    return solid_fault(&c, &(solid_claim){.meet = 1,
                                          .within = -1,
                                          .count = claim->deep ? count : -1,
                                          .point = claim->collision,
                                          .ends = solid ? claim->point : NULL,
                                          .depth = claim->depth});
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

/* Boxes of the primitives with finite vertices. */
static int make_boxes(sweep *s)
{
    int err = IMP_OK;
    uint32_t n = s->f->mesh->primitives;
    TRY(mem_alloc(s->mem, n * sizeof *s->b, &s->b));
    for (uint32_t i = 0; i < n; i++) {
        double x[4][3] = {0};
        corners_read(s->f, i, x);
        box *b = &s->b[s->boxes];
        int finite = 1;
        b->id = i;
        for (int k = 0; k < 3; k++) {
            b->lo[k] = b->hi[k] = x[0][k];
            for (int v = 0; v < corners_of(s->f->mesh, i); v++) {
                finite &= isfinite(x[v][k]) != 0;
                b->lo[k] = fmin(b->lo[k], x[v][k]);
                b->hi[k] = fmax(b->hi[k], x[v][k]);
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

/* All pairs with box number i as the first in order of x. */
static int sweep_one(const sweep *s, oracle *o, size_t i, list *out)
{
    int err = IMP_OK;
    const box *p = &s->b[i];
    for (size_t j = i + 1; j < s->boxes && s->b[j].lo[0] <= p->hi[0]; j++) {
        const box *q = &s->b[j];
        if (q->lo[1] > p->hi[1] || p->lo[1] > q->hi[1] || q->lo[2] > p->hi[2] ||
            p->lo[2] > q->hi[2])
            continue;
        truth_row row = {.a = p->id < q->id ? p->id : q->id, .b = p->id < q->id ? q->id : p->id};
        if (examine(s, o, row.a, row.b, &row.kind))
            TRY(list_add(s->mem, out, &row));
    }
out:
    return err;
}

/* Appends the rows of one thread. */
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
        oracle *o = oracle_open();
        int bad = o ? IMP_OK : IMP_ERR_MEMORY;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < n; i++)
            if (!bad)
                bad = sweep_one(s, o, (size_t)i, &mine);
#pragma omp critical
        {
            if (!bad)
                bad = truth_append(s->mem, out, &mine);
            err = err ? err : bad;
        }
        mem_free(s->mem, mine.row);
        oracle_close(o);
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
