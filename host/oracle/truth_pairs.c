/* See truth_pairs.h. Boxes are sorted by their lower x and swept. */
#include "truth_pairs.h"

#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "oracle_turning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct box {
    uint32_t id;
    double lo[3], hi[3];
} box;

typedef struct sweep {
    mem *mem;
    const truth_case *of;
    truth_examine *examine;
    box *b;
    size_t boxes;
} sweep;

/* ---- primitives */

int truth_corners(const imp_mesh *m, uint32_t i)
{
    return mesh_corners_of(m, i) == IMP_TETRAHEDRA ? 4 : 3;
}

void truth_read(const imp_frame *f, uint32_t i, double x[4][3])
{
    for (int k = 0; k < truth_corners(f->mesh, i); k++)
        frame_vertex(f, mesh_vertex(f->mesh, i, (uint32_t)k), x[k]);
}

/* ---- which pairs */

static int32_t truth_pairs_object(const imp_mesh *m, uint32_t i)
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

int truth_prims_share_vertex(const imp_mesh *m, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++)
            if (mesh_vertex(m, a, i) == mesh_vertex(m, b, j))
                return 1;
    return 0;
}

/* The options that choose pairs, written again: a wrong choice in the pipeline must show. */
int truth_objects_wanted(const truth_case *c, int32_t p, int32_t q)
{
    const imp_def *def = c->def;
    if ((def->pairs == IMP_PAIRS_SELF && p != q) || (def->pairs == IMP_PAIRS_BETWEEN && p == q))
        return 0;
    return !def->object_pair || listed(def, p, q) != def->object_pairs_exclude;
}

int truth_wanted(const truth_case *c, uint32_t a, uint32_t b)
{
    const imp_mesh *m = c->f[0]->mesh;
    if (c->wanted && !c->wanted[a] && !c->wanted[b])
        return 0;
    if (!truth_objects_wanted(c, truth_pairs_object(m, a), truth_pairs_object(m, b)))
        return 0;
    return c->def->adjacent != IMP_ADJACENT_SKIP || !truth_prims_share_vertex(m, a, b);
}

/* Extent of the corners of one along an axis, joined to lo and hi. */
static void extend(const imp_frame *f, uint32_t i, const int axis[3], double *lo, double *hi)
{
    double x[4][3];
    truth_read(f, i, x);
    for (int v = 0; v < truth_corners(f->mesh, i); v++) {
        const double d = axis[0] * x[v][0] + axis[1] * x[v][1] + axis[2] * x[v][2];
        *lo = fmin(*lo, d);
        *hi = fmax(*hi, d);
    }
}

int truth_boxes_overlap(const imp_frame *f, uint32_t a, uint32_t b)
{
    for (int k = 0; k < 3; k++) {
        const int axis[3] = {k == 0, k == 1, k == 2};
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        extend(f, a, axis, &lo[0], &hi[0]);
        extend(f, b, axis, &lo[1], &hi[1]);
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

double truth_distance(const truth_case *c)
{
    return (c->frames > 1 ? c->def->min_separation : 0) + c->margin;
}

/* The same along an axis of a slab. A run may take the longest axis for all of them. */
static double slab_distance(const truth_case *c, int diagonal)
{
    return truth_distance(c) * (c->margin > 0 ? 1.7321 : diagonal ? 1.732 : 1.414) + c->margin;
}

/* Exactly, though it is rounded: no float64 number is between a difference and its rounded value.
 */
static int extents_apart(double hi, double lo, double distance)
{
    return lo - hi > distance;
}

/* Boxes are known to overlap: only the axes that k adds. */
int truth_slabs_overlap(const truth_case *c, uint32_t a, uint32_t b)
{
    static const int axes[10][3] = {{1, 1, 1},  {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, 1, 0},
                                    {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
    const int k = c->def->dop_k;
    int first = k == 18 ? 4 : 0, last = k == 6 ? 0 : k == 8 || k == 14 ? 4 : 10;
    for (int i = first; i < last; i++) {
        const double distance = slab_distance(c, i < 4);
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int f = 0; f < c->frames; f++) {
            extend(c->f[f], a, axes[i], &lo[0], &hi[0]);
            extend(c->f[f], b, axes[i], &lo[1], &hi[1]);
        }
        if (extents_apart(hi[1], lo[0], distance) || extents_apart(hi[0], lo[1], distance))
            return 0;
    }
    return 1;
}

/* ---- the sweep */

static int compare_boxes(const void *a, const void *b)
{
    const box *p = a, *q = b;
    return (p->lo[0] > q->lo[0]) - (p->lo[0] < q->lo[0]);
}

static int compare_pairs(const void *a, const void *b)
{
    const truth_row *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int compare_rows(const void *a, const void *b)
{
    const truth_row *p = a, *q = b;
    return p->toi != q->toi ? (p->toi < q->toi ? -1 : 1) : compare_pairs(a, b);
}

/* What a curved way is away from a straight one. */
static double truth_pairs_margin(const truth_case *c, uint32_t i)
{
    if (c->frames < 2 || oracle_rigid_turning_body(c->f[0], c->f[1], i) < 0)
        return 0;
    const rigid_mover m = rigid_mover_of(c->f[0], c->f[1], i);
    return rigid_mover_chord_error(&m);
}

/* Of a primitive, at all instants. 0: a coordinate is not finite. */
static int truth_pairs_box(const truth_case *c, uint32_t i, box *b)
{
    const int corners = truth_corners(c->f[0]->mesh, i);
    int finite = 1;
    *b = (box){i, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int f = 0; f < c->frames; f++) {
        double x[4][3];
        truth_read(c->f[f], i, x);
        for (int n = 0; n < 3 * corners; n++) {
            const int v = n / 3, k = n % 3;
            finite &= isfinite(x[v][k]) != 0;
            b->lo[k] = fmin(b->lo[k], x[v][k]);
            b->hi[k] = fmax(b->hi[k], x[v][k]);
        }
    }
    const double margin = finite ? truth_pairs_margin(c, i) : 0;
    for (int k = 0; k < 3; k++) {
        b->lo[k] -= margin;
        b->hi[k] += margin;
    }
    return finite;
}

/* Boxes of the primitives with finite vertices. */
static int truth_pairs_make_boxes(sweep *s)
{
    int err = IMP_OK;
    const uint32_t n = s->of->f[0]->mesh->primitives;
    TRY(mem_alloc(s->mem, n * sizeof *s->b, &s->b));
    for (uint32_t i = 0; i < n; i++)
        s->boxes += (size_t)truth_pairs_box(s->of, i, &s->b[s->boxes]);
    qsort(s->b, s->boxes, sizeof *s->b, compare_boxes);
out:
    return err;
}

typedef struct list {
    truth_row *row;
    size_t count, capacity;
} list;

static int truth_pairs_list_add(mem *m, list *l, const truth_row *row)
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

/* Of boxes whose extents along x are not. */
static int truth_pairs_boxes_apart(const box *p, const box *q, double distance)
{
    for (int k = 1; k < 3; k++)
        if (extents_apart(p->hi[k], q->lo[k], distance) ||
            extents_apart(q->hi[k], p->lo[k], distance))
            return 1;
    return 0;
}

int truth_boxes_near(const truth_case *c, uint32_t a, uint32_t b)
{
    box p, q;
    const double distance = truth_distance(c);
    return truth_pairs_box(c, a, &p) && truth_pairs_box(c, b, &q) &&
           !extents_apart(p.hi[0], q.lo[0], distance) &&
           !extents_apart(q.hi[0], p.lo[0], distance) && !truth_pairs_boxes_apart(&p, &q, distance);
}

/* All pairs with box number i as the first in order of x. */
static int sweep_one(const sweep *s, oracle *o, size_t i, list *out)
{
    int err = IMP_OK;
    const box *p = &s->b[i];
    const double distance = truth_distance(s->of);
    for (size_t j = i + 1; j < s->boxes && !extents_apart(p->hi[0], s->b[j].lo[0], distance); j++) {
        const box *q = &s->b[j];
        if (truth_pairs_boxes_apart(p, q, distance))
            continue;
        truth_row row = {.a = p->id < q->id ? p->id : q->id, .b = p->id < q->id ? q->id : p->id};
        if (truth_wanted(s->of, row.a, row.b) && s->examine(s->of, o, &row))
            TRY(truth_pairs_list_add(s->mem, out, &row));
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
    EACH_IN_FLOAT_ENV
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

int truth_sweep(mem *m, const truth_case *c, truth_examine *examine, int threads, truth *out)
{
    int err = IMP_OK;
    sweep s = {.mem = m, .of = c, .examine = examine};
    *out = (truth){0};
    TRY(truth_pairs_make_boxes(&s));
    TRY(sweep_all(&s, threads, out));
out:
    mem_free(m, s.b);
    if (err)
        truth_free(m, out);
    return err;
}

void truth_sort_pairs(truth *t)
{
    if (t->count)
        qsort(t->row, t->count, sizeof *t->row, compare_pairs);
}

static size_t truth_pairs_exclude(truth_row *row, size_t count, const truth *pairs)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!pairs->count ||
            !bsearch(&row[i], pairs->row, pairs->count, sizeof *row, compare_pairs))
            row[kept++] = row[i];
    return kept;
}

void truth_leave_out(truth *t, const truth *pairs)
{
    t->count = truth_pairs_exclude(t->row, t->count, pairs);
    t->turning = truth_pairs_exclude(t->turning_row, t->turning, pairs);
}

const truth_row *truth_rigid_ccd_row(const truth *t, uint32_t a, uint32_t b)
{
    const truth_row key = {.a = a, .b = b};
    return t->turning ? bsearch(&key, t->turning_row, t->turning, sizeof key, compare_pairs) : NULL;
}

/* Rows of kind 0 become those of bodies that turn. */
int truth_part_turning(mem *m, truth *t)
{
    int err = IMP_OK;
    size_t kept = 0;
    TRY(mem_alloc(m, t->count * sizeof *t->row, &t->turning_row));
    for (size_t i = 0; i < t->count; i++)
        if (t->row[i].kind)
            t->row[kept++] = t->row[i];
        else
            t->turning_row[t->turning++] = t->row[i];
    t->count = kept;
    if (t->turning)
        qsort(t->turning_row, t->turning, sizeof *t->turning_row, compare_pairs);
out:
    return err;
}

void truth_free(mem *m, truth *t)
{
    mem_free(m, t->row);
    mem_free(m, t->turning_row);
    *t = (truth){0};
}
