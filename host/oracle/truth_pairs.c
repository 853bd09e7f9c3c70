/* See truth.h. */
#include "error.h"
#include "float_env.h"
#include "frame.h"
#include "oracle.h"
#include "oracle_ccd.h"
#include "truth.h"

#include <limits.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

nearest_case truth_nearest_case(const imp_frame *f, uint32_t a, uint32_t b)
{
    nearest_case c = {.of = truth_solids(f, a, b)};
    for (uint32_t k = 0; k < 4; k++) {
        c.vertex[0][k] = mesh_vertex(f->mesh, a, k);
        c.vertex[1][k] = mesh_vertex(f->mesh, b, k);
    }
    return c;
}

/* A pair that touches has the row of a contact. */
void truth_nearest_row(const imp_frame *f, oracle *o, truth_row *row)
{
    const nearest_case pair = truth_nearest_case(f, row->a, row->b);
    nearest_answer answer;
    row->kind = truth_kind(f, o, row->a, row->b);
    row->feature_a = row->feature_b = -1;
    if (!row->kind && oracle_nearest(&pair, &answer)) {
        row->kind = answer.kind;
        row->feature_a = answer.feature[0];
        row->feature_b = answer.feature[1];
        row->distance = answer.distance;
    }
}

/* A pair within its contact distance. Two triangles may have the kind of those that cross. */
static int truth_thick_examine(const truth_case *c, oracle *o, truth_row *row)
{
    const solid_case pair = truth_solids(c->f[0], row->a, row->b);
    double thickness[2];
    truth_thickness(c->f[0], row->a, row->b, thickness);
    if (!oracle_within_thickness(&pair, thickness))
        return 0;
    truth_nearest_row(c->f[0], o, row);
    if ((row->kind == IMP_KIND_POINT || row->kind == IMP_KIND_SEGMENT) &&
        oracle_triangles_cross(&pair))
        row->kind = IMP_KIND_CROSSED;
    return oracle_depth(&pair, thickness, &row->penetration, &row->relative);
}

/* A pair within the distance of the options. */
static int truth_nearest_examine(const truth_case *c, oracle *o, truth_row *row)
{
    const solid_case pair = truth_solids(c->f[0], row->a, row->b);
    if (c->def->thickness)
        return truth_thick_examine(c, o, row);
    const int within = oracle_prims_within(&pair, c->def->distance);
    if (within)
        truth_nearest_row(c->f[0], o, row);
    return within;
}

static int truth_frame_examine(const truth_case *c, oracle *o, truth_row *row)
{
    if (c->def->stage == IMP_STAGE_CANDIDATES)
        return truth_slabs_overlap(c, row->a, row->b);
    if (c->def->rows == IMP_ROWS_PRIMITIVES)
        return truth_nearest_examine(c, o, row);
    row->kind = truth_kind(c->f[0], o, row->a, row->b);
    if (row->kind && !c->def->rows) {
        const solid_case pair = truth_solids(c->f[0], row->a, row->b);
        row->crossing = oracle_interiors_cross(&pair);
    }
    return row->kind && row->crossing >= c->def->crossing;
}

int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out)
{
    const truth_case c = {.f = {f}, .frames = 1, .def = def, .wanted = wanted};
    if (def->stage == IMP_STAGE_CONTACTS && def->rows == IMP_ROWS_OBJECTS)
        return truth_objects_find(m, &c, threads, out);
    const int features = def->stage == IMP_STAGE_CONTACTS && def->rows == IMP_ROWS_FEATURES;
    const int err = features ? truth_features_find(m, &c, threads, out)
                             : truth_sweep(m, &c, truth_frame_examine, threads, out);
    return err ? err : truth_ring_leave_out(m, &c, threads, out);
}

/* Returns the fault in a row of a pair that does not touch. */
static const char *truth_nearest_fault(const imp_frame *f, uint32_t a, uint32_t b,
                                       const truth_claim *claim)
{
    const nearest_case c = truth_nearest_case(f, a, b);
    if (claim->deep && (claim->collisions || claim->depth != 0))
        return "it has collision points or a depth";
    return oracle_nearest_fault(&c, claim->nearest);
}

/* Returns whether a number is not 0, or -0. */
static int truth_any(const double *x, int n)
{
    int any = 0;
    for (int i = 0; i < n; i++)
        any |= x[i] != 0 || signbit(x[i]);
    return any;
}

/* Returns the fault in the columns of nearest features of a pair that touches. */
static const char *truth_touching_fault(const nearest_claim *claim)
{
    const int weights = truth_any(claim->weight[0], 4) || truth_any(claim->weight[1], 4);
    return weights                                              ? "it has weights"
           : truth_any(claim->normal, 3)                        ? "it has a normal"
           : truth_any(&claim->distance, 1)                     ? "it has a distance"
           : claim->feature[0] != -1 || claim->feature[1] != -1 ? "it has features"
                                                                : NULL;
}

/* Solids have none at their ends. */
static int truth_no_features(const uint8_t feature[4])
{
    int none = 1;
    for (int i = 0; i < 4; i++)
        none &= feature[i] == IMP_END_NONE;
    return none;
}

const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim)
{
    if (claim->nearest && claim->features)
        return truth_features_fault(f, a, b, claim);
    if (claim->nearest && claim->kind >= IMP_KIND_VERTEX_FACE && claim->kind < IMP_KIND_CROSSED)
        return truth_nearest_fault(f, a, b, claim);
    const solid_case c = truth_solids(f, a, b);
    const int solid = claim->kind == IMP_KIND_SOLIDS;
    const char *fault = claim->nearest ? truth_touching_fault(claim->nearest) : NULL;
    if (solid && claim->end_features && !truth_no_features(claim->end_features))
        return "features of an end";
    if (!solid && !fault) {
        oracle_verdict want;
        const tri_pair t = truth_triangles(f, a, b);
        oracle_decide(o, &t, &want);
        const int kind = claim->kind == IMP_KIND_CROSSED ? want.kind : claim->kind;
        fault = contact_form_fault(kind, claim->point);
        fault = fault ? fault : oracle_kind_fault(&want, kind);
        fault = fault ? fault : oracle_ends_fault(&want, claim->point);
        if (claim->end_features && !fault)
            fault = oracle_end_features_fault(&want, claim->point, claim->end_features);
    }
    if (fault || (!solid && !claim->deep))
        return fault;
    const int count = claim->collisions < INT_MAX ? (int)claim->collisions : INT_MAX;
    return oracle_solids_fault(&c, &(solid_claim){.meet = 1,
                                                  .within = -1,
                                                  .count = claim->deep ? count : -1,
                                                  .point = claim->collision,
                                                  .ends = solid ? claim->point : NULL,
                                                  .depth = claim->depth,
                                                  .any_depth = claim->deep_elsewhere});
}

/* ---- Boxes are sorted by their lower x and swept. */

typedef struct sweep {
    mem *mem;
    const truth_case *of;
    truth_examine *examine;
    truth_box *b;
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

/* ---- pair selection */

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

/* The options that select pairs, implemented again so that a wrong selection in the pipeline is
 * found. */
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
    const int skip = c->def->adjacent == IMP_ADJACENT_SKIP || c->def->rows == IMP_ROWS_PRIMITIVES;
    return !skip || !truth_prims_share_vertex(m, a, b);
}

/* Joins the extent of a primitive's corners along an axis to lo and hi. */
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

/* The same for a frame or a step with these options. */
static double truth_def_distance(const imp_def *def, int frames)
{
    return frames > 1 ? def->min_separation : def->rows ? def->distance : 0;
}

/* The same with thicknesses. */
static double truth_case_distance(const truth_case *c)
{
    double most = 0;
    if (!c->def->thickness)
        return truth_def_distance(c->def, c->frames);
    for (uint32_t i = 0; i < c->f[0]->mesh->primitives; i++)
        most = fmax(most, c->f[0]->mesh->thickness[i]);
    return most;
}

double truth_distance(const truth_case *c)
{
    return truth_case_distance(c) + c->margin;
}

/* The distance within which the bounds of a pair overlap, rounded down: a run's overlap before. */
static double truth_pair_distance(const truth_case *c, uint32_t a, uint32_t b)
{
    double t[2];
    if (!c->def->thickness)
        return truth_distance(c);
    truth_thickness(c->f[0], a, b, t);
    return nextafter(t[0] / 2 + t[1] / 2, 0) + c->margin;
}

/* The same along an axis of a slab. A run may use the longest axis for all of them. */
static double slab_distance(const truth_case *c, double pair, int diagonal)
{
    return pair * (c->margin > 0 ? 1.7321 : diagonal ? 1.732 : 1.414) + c->margin;
}

static int extents_apart(double hi, double lo, double distance)
{
    return lo - hi > distance;
}

/* Boxes are known to overlap, unless their distance is another one for each pair, so only the axes
 * that k adds are tested. */
int truth_slabs_overlap(const truth_case *c, uint32_t a, uint32_t b)
{
    static const int axes[10][3] = {{1, 1, 1},  {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {1, 1, 0},
                                    {1, -1, 0}, {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
    const int k = c->def->dop_k;
    int first = k == 18 ? 4 : 0, last = k == 6 ? 0 : k == 8 || k == 14 ? 4 : 10;
    const double pair = truth_pair_distance(c, a, b);
    if (c->def->thickness && !truth_boxes_near(c, a, b))
        return 0;
    for (int i = first; i < last; i++) {
        const double distance = slab_distance(c, pair, i < 4);
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

int truth_compare_boxes(const void *a, const void *b)
{
    const truth_box *p = a, *q = b;
    return (p->lo[0] > q->lo[0]) - (p->lo[0] < q->lo[0]);
}

static int compare_pairs(const void *a, const void *b)
{
    const truth_row *p = a, *q = b;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int truth_pairs_compare_features(const truth_row *p, const truth_row *q)
{
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->feature_a != q->feature_a)
        return p->feature_a < q->feature_a ? -1 : 1;
    return (p->feature_b > q->feature_b) - (p->feature_b < q->feature_b);
}

static int compare_rows(const void *a, const void *b)
{
    const truth_row *p = a, *q = b;
    const int order = compare_pairs(a, b);
    return p->toi != q->toi ? (p->toi < q->toi ? -1 : 1)
           : order          ? order
                            : truth_pairs_compare_features(p, q);
}

/* Distance of a curved trajectory from its linear one. */
static double truth_pairs_margin(const truth_case *c, uint32_t i)
{
    if (c->frames < 2 || oracle_rigid_turning_body(c->f[0], c->f[1], i) < 0)
        return 0;
    const rigid_mover m = rigid_mover_of(c->f[0], c->f[1], i);
    return rigid_mover_chord_error(&m);
}

truth_box truth_box_empty(uint32_t id)
{
    return (truth_box){id, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void truth_box_extend(truth_box *b, const double x[3])
{
    for (int k = 0; k < 3; k++) {
        b->lo[k] = fmin(b->lo[k], x[k]);
        b->hi[k] = fmax(b->hi[k], x[k]);
    }
}

int truth_prim_box(const truth_case *c, uint32_t i, truth_box *b)
{
    const int corners = truth_corners(c->f[0]->mesh, i);
    int finite = 1;
    *b = truth_box_empty(i);
    for (int f = 0; f < c->frames; f++) {
        double x[4][3];
        truth_read(c->f[f], i, x);
        for (int v = 0; v < corners; v++) {
            finite &= isfinite(x[v][0]) && isfinite(x[v][1]) && isfinite(x[v][2]);
            truth_box_extend(b, x[v]);
        }
    }
    const double margin = finite ? truth_pairs_margin(c, i) : 0;
    for (int k = 0; k < 3; k++) {
        b->lo[k] -= margin;
        b->hi[k] += margin;
    }
    return finite;
}

/* Boxes of the features, or of the primitives with finite vertices. */
static int truth_pairs_make_boxes(sweep *s)
{
    int err = IMP_OK;
    const truth_features *t = s->of->features;
    const size_t n = t ? t->count : s->of->f[0]->mesh->primitives;
    TRY(mem_alloc(s->mem, n * sizeof *s->b, &s->b));
    for (uint32_t i = 0; i < n; i++)
        if (t)
            s->b[s->boxes++] = truth_feature_box(s->of, i);
        else
            s->boxes += (size_t)truth_prim_box(s->of, i, &s->b[s->boxes]);
    if (s->boxes)
        qsort(s->b, s->boxes, sizeof *s->b, truth_compare_boxes);
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

int truth_boxes_apart(const truth_box *p, const truth_box *q, double distance)
{
    for (int k = 0; k < 3; k++)
        if (extents_apart(p->hi[k], q->lo[k], distance) ||
            extents_apart(q->hi[k], p->lo[k], distance))
            return 1;
    return 0;
}

int truth_boxes_near(const truth_case *c, uint32_t a, uint32_t b)
{
    truth_box p, q;
    return truth_prim_box(c, a, &p) && truth_prim_box(c, b, &q) &&
           !truth_boxes_apart(&p, &q, truth_pair_distance(c, a, b));
}

/* All pairs whose first box in order of x is i. */
static int sweep_one(const sweep *s, oracle *o, size_t i, list *out)
{
    int err = IMP_OK;
    const truth_box *p = &s->b[i];
    const double distance = truth_distance(s->of);
    for (size_t j = i + 1; j < s->boxes && !extents_apart(p->hi[0], s->b[j].lo[0], distance); j++) {
        const truth_box *q = &s->b[j];
        if (truth_boxes_apart(p, q, distance))
            continue;
        truth_row row = {.a = p->id < q->id ? p->id : q->id, .b = p->id < q->id ? q->id : p->id};
        if ((s->of->features || truth_wanted(s->of, row.a, row.b)) && s->examine(s->of, o, &row))
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

int truth_sweep_count(mem *m, truth_case *c, truth_examine *examine, int threads,
                      uint64_t counts[2])
{
    int err = IMP_OK;
    truth none = {0};
    TRY(mem_alloc(m, (size_t)threads * sizeof *c->count, &c->count));
    memset(c->count, 0, (size_t)threads * sizeof *c->count);
    TRY(truth_sweep(m, c, examine, threads, &none));
    counts[0] = counts[1] = 0;
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < 2; i++)
            counts[i] += c->count[t][i];
out:
    truth_free(m, &none);
    mem_free(m, c->count);
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

/* Moves rows of kind 0 to those of rotating bodies. */
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

#define ROUNDING 0x1p-19 /* times all extents: far above the float32 error in a scaled frame */
#define LOST 0x1p-1000   /* times the largest coordinate: far more than a scaled frame loses */

static truth_case bounds_case(const imp_frame *f, const imp_frame *next, const imp_def *def)
{
    return (truth_case){.f = {f, next}, .frames = next ? 2 : 1, .def = def};
}

/* The longest edge of the box of all finite vertices, and their largest coordinate. */
static double bounds_extent(const truth_case *c, double *largest)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double x[3], most = 0;
    for (int f = 0; f < c->frames; f++)
        for (size_t i = 0; i < c->f[f]->mesh->vertices; i++) {
            frame_vertex(c->f[f], i, x);
            for (int k = 0; k < 3; k++) {
                lo[k] = isfinite(x[k]) ? fmin(lo[k], x[k]) : lo[k];
                hi[k] = isfinite(x[k]) ? fmax(hi[k], x[k]) : hi[k];
            }
        }
    *largest = 0;
    for (int k = 0; k < 3 && lo[k] <= hi[k]; k++) {
        most = fmax(most, hi[k] - lo[k]);
        *largest = fmax(*largest, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    return most;
}

/* Positive: coordinates of a frame without extent are equal, or denormals. */
void truth_bounds_sizes(const imp_frame *f, const imp_frame *next, const imp_def *def,
                        double *margin, double *lost)
{
    const truth_case c = bounds_case(f, next, def);
    const double distance = truth_case_distance(&c), extent = bounds_extent(&c, lost);
    *margin = ROUNDING * (extent + distance) + 0x1p-1070;
    *lost = *lost * LOST + 0x1p-1072;
}

int truth_bounds_turning(const imp_frame *f, const imp_frame *next)
{
    for (uint32_t i = 0; next && i < f->mesh->primitives; i++)
        if (oracle_rigid_turning_body(f, next, i) >= 0)
            return 1;
    return 0;
}

static int bounds_overlap(const truth_case *c, uint32_t a, uint32_t b)
{
    return truth_boxes_near(c, a, b) && truth_slabs_overlap(c, a, b);
}

/* Counts a pair whose inflated boxes overlap; makes no row. */
static int truth_bounds_count_pair(const truth_case *c, oracle *o, truth_row *row)
{
    truth_case exact = *c;
    uint64_t *count = c->count[omp_get_thread_num()];
    (void)o;
    exact.margin = 0;
    count[0] += (uint64_t)bounds_overlap(&exact, row->a, row->b);
    count[1] += (uint64_t)truth_slabs_overlap(c, row->a, row->b);
    return 0;
}

int truth_bounds_count(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                       int threads, uint64_t counts[2])
{
    imp_def rules = *def;
    truth_case c = bounds_case(f, next, &rules);
    double lost;
    /* features of neighbours may also belong to others, so neighbours are not excluded */
    if ((next || def->rows == IMP_ROWS_FEATURES) && def->stage != IMP_STAGE_CANDIDATES)
        rules.adjacent = IMP_ADJACENT_TEST;
    truth_bounds_sizes(f, next, def, &c.margin, &lost);
    return truth_sweep_count(m, &c, truth_bounds_count_pair, threads, counts);
}

int truth_bounds_near(const imp_frame *f, const imp_frame *next, const imp_def *def, int any,
                      double margin, uint32_t a, uint32_t b)
{
    truth_case c = bounds_case(f, next, def);
    if (!truth_wanted(&c, a, b) || truth_rigid_ccd(&c, a, b) > 1)
        return 0;
    c.margin = margin;
    return any || truth_rigid_ccd(&c, a, b) || bounds_overlap(&c, a, b);
}

/* Corners may be as large as float64 allows, so each is divided before the addition. */
static void truth_bounds_centroid(const imp_frame *f, uint32_t i, double out[3], double *largest)
{
    double x[4][3];
    const int corners = truth_corners(f->mesh, i);
    truth_read(f, i, x);
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int v = 0; v < corners; v++) {
            out[k] += x[v][k] / corners;
            *largest = fmax(*largest, fabs(x[v][k]));
        }
    }
}

static int point_near(const double x[3], const double y[3], double slack)
{
    return fabs(x[0] - y[0]) <= slack && fabs(x[1] - y[1]) <= slack && fabs(x[2] - y[2]) <= slack;
}

const char *truth_centroids_fault(const imp_frame *f, uint32_t a, uint32_t b, double lost,
                                  const double point[6])
{
    double x[2][3], largest = 0;
    const char *fault = contact_form_fault(0, point);
    if (fault)
        return fault;
    truth_bounds_centroid(f, a, x[0], &largest);
    truth_bounds_centroid(f, b, x[1], &largest);
    const double slack = 1e-15 * largest + lost;
    for (int turn = 0; turn < 2; turn++)
        if (point_near(x[turn], point, slack) && point_near(x[!turn], point + 3, slack))
            return NULL;
    return "they are not the centroids";
}

uint64_t truth_bounds_bad(const imp_frame *f, const imp_frame *next)
{
    const imp_frame *const at[2] = {f, next};
    uint64_t bad = 0;
    for (uint32_t i = 0; i < f->mesh->primitives; i++) {
        int finite = 1;
        for (int n = 0; n < (next ? 2 : 1); n++) {
            double x[4][3];
            truth_read(at[n], i, x);
            for (int k = 0; k < 3 * truth_corners(f->mesh, i); k++)
                finite &= isfinite(x[k / 3][k % 3]) != 0;
        }
        bad += (uint64_t)!finite;
    }
    return bad;
}

solid_case truth_solids(const imp_frame *f, uint32_t a, uint32_t b)
{
    solid_case c = {.corners = {truth_corners(f->mesh, a), truth_corners(f->mesh, b)}};
    truth_read(f, a, c.x[0]);
    truth_read(f, b, c.x[1]);
    return c;
}

tri_pair truth_triangles(const imp_frame *f, uint32_t a, uint32_t b)
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

int truth_kind(const imp_frame *f, oracle *o, uint32_t a, uint32_t b)
{
    const solid_case c = truth_solids(f, a, b);
    if (c.corners[0] == 4 || c.corners[1] == 4)
        return oracle_solids_intersect(&c, truth_prims_share_vertex(f->mesh, a, b))
                   ? IMP_KIND_SOLIDS
                   : 0;
    if (oracle_apart(c.corners, c.x, 0))
        return 0;
    oracle_verdict answer;
    const tri_pair t = truth_triangles(f, a, b);
    oracle_decide(o, &t, &answer);
    return answer.kind;
}
