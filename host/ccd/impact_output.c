/* See ccd_step.h: the first impact of each pair of primitives, as rows in order of toi. */
#include "closest.h"
#include "stages.h"
#include "dialect.h"
#include "error.h"
#include "float_env.h"
#include "ccd_step.h"
#include "sort_tally.h"
#include "tri.h"

#include <string.h>

const step_moment step_end = {2, 0, 0};

/* ---- elements of a list, chosen by threads */

#define OUTPUT_CHUNK 1024

typedef struct choosing {
    size_t n;
    /* is: whether element i is chosen; put: writes it to place `to` of the result */
    int (*is)(const void *user, size_t i);
    void (*put)(const void *user, size_t i, size_t to);
    const void *user;
} choosing;

static size_t impact_output_chunk_end(size_t n, size_t first)
{
    return n - first < OUTPUT_CHUNK ? n : first + OUTPUT_CHUNK;
}

static size_t chosen_in(const choosing *by, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < impact_output_chunk_end(by->n, first); i++)
        count += by->is(by->user, i) != 0;
    return count;
}

static void put_chosen(const choosing *by, size_t first, size_t to)
{
    for (size_t i = first; i < impact_output_chunk_end(by->n, first); i++)
        if (by->is(by->user, i))
            by->put(by->user, i, to++);
}

/* Counts, then writes, so that threads know the places of their elements. Keeps their order. */
static int impact_output_choose(const context *c, const choosing *by, size_t *chosen)
{
    int err = IMP_OK;
    size_t *at = NULL;
    const size_t parts = (by->n + OUTPUT_CHUNK - 1) / OUTPUT_CHUNK;
    *chosen = 0;
    TRY(mem_alloc(c->mem, parts * sizeof *at, &at));
#pragma omp parallel num_threads(c->threads) if (parts > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t k = 0; k < parts; k++)
        at[k] = chosen_in(by, k * OUTPUT_CHUNK);
    for (size_t k = 0; k < parts; k++) {
        const size_t count = at[k];
        at[k] = *chosen;
        *chosen += count;
    }
#pragma omp parallel num_threads(c->threads) if (parts > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t k = 0; k < parts; k++)
        put_chosen(by, k * OUTPUT_CHUNK, at[k]);
out:
    mem_free(c->mem, at);
    return err;
}

/* ---- the first of each pair */

int impact_same_pair(const impact *x, const impact *y)
{
    return x->a == y->a && x->b == y->b && x->frame == y->frame;
}

#define ORDER_BY(x, y)                                                                             \
    if ((x) != (y))                                                                                \
    return (x) < (y)

int impact_comes_first(const impact *x, const impact *y)
{
    ORDER_BY(x->toi, y->toi);
    ORDER_BY(x->kind, y->kind);
    ORDER_BY(x->feature[0], y->feature[0]);
    ORDER_BY(x->feature[1], y->feature[1]);
    /* Two triangles may have a face in different vertex orders, on which the last bits of the
     * points depend. */
    for (int k = 0; k < 3; k++)
        ORDER_BY(x->vertex[k], y->vertex[k]);
    return x->vertex[3] < y->vertex[3];
}

static int impact_output_fit(const context *c, size_t count, impact_list *to)
{
    int err = IMP_OK;
    to->count = 0;
    if (to->list && to->capacity >= count)
        return IMP_OK;
    mem_free(c->mem, to->list);
    *to = (impact_list){0};
    TRY(mem_alloc(c->mem, count * sizeof *to->list, &to->list));
    to->capacity = count;
out:
    return err;
}

/* Impacts in the order of pairs, by their keys. */
typedef struct ordering {
    const sort_key *key; /* [count] */
    size_t count;
    const impact *of;
    impact *first; /* the first impact of each pair */
} ordering;

static int same_key(const sort_key *x, const sort_key *y)
{
    return x->low == y->low && x->high == y->high;
}

static int begins_pair(const void *user, size_t i)
{
    const ordering *o = user;
    return !i || !same_key(&o->key[i], &o->key[i - 1]);
}

static void put_first(const void *user, size_t i, size_t to)
{
    const ordering *o = user;
    const impact *first = &o->of[o->key[i].index];
    for (size_t k = i + 1; k < o->count && same_key(&o->key[k], &o->key[i]); k++) {
        const impact *next = &o->of[o->key[k].index];
        first = impact_comes_first(next, first) ? next : first;
    }
    o->first[to] = *first;
}

/* m->first becomes the first impact of each pair, in the order of pairs. */
static int impact_output_first(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    const impact_list *all = &m->impacts;
    const int64_t n = (int64_t)all->count;
    sort_key *key = NULL;
    TRY(mem_alloc(c->mem, all->count * sizeof *key, &key));
    TRY(impact_output_fit(c, all->count, &m->first));
#pragma omp parallel num_threads(c->threads) if (n > OUTPUT_CHUNK)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < n; i++) {
        const impact *e = &all->list[i];
        key[i] = (sort_key){e->frame, (uint32_t)i, (uint64_t)e->a << 32 | e->b};
    }
    TRY(sort_keys(c->mem, c->threads, key, all->count));
    const ordering o = {key, all->count, all->list, m->first.list};
    TRY(impact_output_choose(c, &(choosing){all->count, begins_pair, put_first, &o},
                             &m->first.count));
out:
    mem_free(c->mem, key);
    return err;
}

/* Returns whether a feature of a and one of b, which the caller enumerates, already met before
 * m->found.from. */
static int met_earlier(const context *c, const ccd_step *m, const impact *e, const feature *f,
                       const feature *g)
{
    feature_test of = {.frame = e->frame, .of = {*f, *g}};
    uint32_t v[4];
    of.kind = f->vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    feature_test_vertices(&of, v);
    const int split = f->vertices == 2 ? 2 : 3; /* index of the second feature's first vertex */
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++)
            if (v[i] == v[j])
                return 0;
    feature_test_decide(c, m->view, &of);
    return of.meets && moment_before(of.toi, e->a, e->b, &m->found.from);
}

static int any_earlier(const context *c, const ccd_step *m, const impact *e)
{
    const rep_features *t = &m->rep;
    feature p[REP_FEATURES_MOST], q[REP_FEATURES_MOST];
    const int n = rep_features_of_prim(t, e->a, p), k = rep_features_of_prim(t, e->b, q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            if ((p[i].vertices == 2) == (q[j].vertices == 2) &&
                (p[i].vertices == 2 || p[i].vertices != q[j].vertices) &&
                met_earlier(c, m, e, &p[i], &q[j]))
                return 1;
    return 0;
}

/* Finds the pairs that meet at the start: the narrow phase decides nearly all. */
static int impact_output_test_start(const context *c, const ccd_step *m, uint8_t *verdict)
{
    int err = IMP_OK;
    const impact_list *e = &m->first;
    const int64_t n = (int64_t)e->count;
    pair_list all = {.count = e->count};
    uint32_t *a = NULL, *b = NULL;
    TRY(mem_alloc(c->mem, e->count * sizeof *a, &a));
    TRY(mem_alloc(c->mem, e->count * sizeof *b, &b));
#pragma omp parallel num_threads(c->threads) if (n > OUTPUT_CHUNK)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < n; i++) {
        a[i] = ccd_step_first_prim(m, e->list[i].frame) + e->list[i].a;
        b[i] = ccd_step_first_prim(m, e->list[i].frame) + e->list[i].b;
    }
    all.a = a;
    all.b = b;
    TRY(narrow_verdicts(c, m->view, m->bounds, &all, m->narrow, verdict));
    TRY(verify_verdicts(c, m->view, &all, verdict, &m->narrow->sample));
out:
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    return err;
}

/* Drops (kind = 0) pairs that meet at the start, which have a row of the start (ccd_pass.c), and
 * pairs that met before the wanted part, whose rows were delivered. Both are decided exactly, so
 * that the result does not depend on the range, part or device that finds a pair. */
static int impact_output_drop_known(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    impact_list *e = &m->first;
    const int64_t count = (int64_t)e->count;
    const int later = step_is_later(&m->found);
    uint8_t *verdict = NULL;
    TRY(mem_alloc(c->mem, e->count, &verdict));
    if (count)
        TRY(impact_output_test_start(c, m, verdict));
#pragma omp parallel num_threads(c->threads) if (count > 256)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 256) nowait
    for (int64_t i = 0; i < count; i++) {
        impact *at = &e->list[i];
        const int open = verdict[i] == TRI_UNDECIDED;
        if (verdict[i] == TRI_MEET ||
            (open && contact_meets(m->view->frame + at->frame, at->a, at->b)))
            at->kind = 0;
        if (at->kind && later && at->toi > 0 && !impact_is_rigid(m, at) && any_earlier(c, m, at))
            at->kind = 0;
    }
out:
    mem_free(c->mem, verdict);
    return err;
}

/* ---- rows */

/* The points of an impact, computed in units of the frame, where no product overflows. */
static void impact_output_linear_points(const ccd_step *m, const impact *of, double out[6])
{
    const imp_frame *f = m->view->frame + of->frame, *g = m->view->to + of->frame;
    const double *scale = m->bounds->normalisation.scale + 2 * (size_t)of->frame;
    double x[4][3], from[3], to[3];
    for (int k = 0; k < 4; k++) {
        frame_vertex(f, of->vertex[k], from);
        frame_vertex(g, of->vertex[k], to);
        for (int d = 0; d < 3; d++)
            x[k][d] = ((1 - of->toi) * from[d] + of->toi * to[d]) * scale[0] * scale[1];
    }
    closest_points(of->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, out);
}

static void impact_output_points(const context *c, const ccd_step *m, const impact *of,
                                 double out[6])
{
    const double *unscale = m->bounds->normalisation.unscale + 2 * (size_t)of->frame;
    if (impact_is_rigid(m, of))
        rigid_impact_points(c, m, of, out);
    else
        impact_output_linear_points(m, of, out);
    for (int d = 0; d < 6; d++)
        out[d] = out[d] * unscale[0] * unscale[1] + 0.0; /* -0 becomes 0 */
    points_order(out); /* ordered after scaling, which rounds denormals */
}

/* The columns of a part of the rows. */
typedef struct row_columns {
    uint32_t *a, *b;
    uint8_t *kind;
    double *points, *toi;
    int64_t *feature_a, *feature_b;
} row_columns;

#define ROW_COLUMNS                                                                                \
    (COLUMN_BIT(CONTACT_a) | COLUMN_BIT(CONTACT_b) | COLUMN_BIT(CONTACT_kind) |                    \
     COLUMN_BIT(CONTACT_points) | COLUMN_BIT(CONTACT_toi) | COLUMN_BIT(CONTACT_feature_a) |        \
     COLUMN_BIT(CONTACT_feature_b))

static row_columns columns_of(const column_rows *part)
{
    char *const *at = part->value;
    return (row_columns){.a = (uint32_t *)(void *)at[CONTACT_a],
                         .b = (uint32_t *)(void *)at[CONTACT_b],
                         .kind = (uint8_t *)at[CONTACT_kind],
                         .points = (double *)(void *)at[CONTACT_points],
                         .toi = (double *)(void *)at[CONTACT_toi],
                         .feature_a = (int64_t *)(void *)at[CONTACT_feature_a],
                         .feature_b = (int64_t *)(void *)at[CONTACT_feature_b]};
}

static void fill_row(const context *c, const ccd_step *m, const impact *e, const row_columns *to,
                     size_t i)
{
    to->a[i] = e->a;
    to->b[i] = e->b;
    to->kind[i] = (uint8_t)e->kind;
    to->toi[i] = e->toi;
    to->feature_a[i] = e->feature[0];
    to->feature_b[i] = e->feature[1];
    impact_output_points(c, m, e, to->points + 6 * i);
}

#define FETCH_IMPACT ((size_t)16) /* rows ahead at which an impact is prefetched */
#define FETCH_POINTS ((size_t)8)  /* rows ahead at which its points are prefetched */

/* Rows are in order of toi, so their impacts and points are scattered in memory. */
static void impact_output_prefetch(const ccd_step *m, const sort_key *key, size_t left)
{
    const impact *of = m->first.list;
    if (left > FETCH_IMPACT) {
        FETCH(&of[key[FETCH_IMPACT].index]);
        FETCH((const char *)(&of[key[FETCH_IMPACT].index] + 1) - 1);
    }
    if (left > FETCH_POINTS)
        ccd_step_fetch_points(m, of[key[FETCH_POINTS].index].frame,
                              of[key[FETCH_POINTS].index].vertex);
}

/* Adds rows without depth and collision points: at an impact within a step no primitive is inside
 * another. */
static int impact_output_add_rows(const context *c, ccd_step *m, const sort_key *key, size_t count)
{
    int err = IMP_OK;
    contact_rows *to = &m->found.rows;
    TRY(contact_rows_more(to, count, ROW_COLUMNS));
#pragma omp parallel num_threads(c->threads) if (count > 256)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < count; i++) {
        const row_columns at = columns_of(&to->part[i / CONTACT_ROWS_PART]);
        impact_output_prefetch(m, key + i, count - i);
        fill_row(c, m, &m->first.list[key[i].index], &at, i % CONTACT_ROWS_PART);
    }
out:
    return err;
}

/* Rows are in the order of frames. */
static void find_starts(ccd_step *m, const sort_key *key, size_t count)
{
    size_t at = 0;
    for (uint32_t f = 0; f <= m->found.frames; f++) {
        while (at < count && key[at].high < f)
            at++;
        m->found.start[f].impact = at;
    }
}

/* The impacts that become rows. */
typedef struct remaining {
    const impact *of;
    sort_key *key;
} remaining;

static int is_row(const void *user, size_t i)
{
    const remaining *r = user;
    return r->of[i].kind;
}

/* A toi is not negative, so it sorts by its bits. */
static void put_key(const void *user, size_t i, size_t to)
{
    const remaining *r = user;
    uint64_t bits;
    memcpy(&bits, &r->of[i].toi, sizeof bits);
    r->key[to] = (sort_key){r->of[i].frame, (uint32_t)i, bits};
}

/* Impacts are in the order of pairs, so their indices sort as the pairs do. */
int impact_output_rows(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    size_t count;
    sort_key *key = NULL;
    contact_rows_open(c->mem, c->opt.step_columns, &m->found.rows);
    if (m->impacts.count > m->packed && impact_partition_many(c, m))
        impact_partition_pack(m);
    TRY(impact_output_first(c, m));
    TRY(impact_output_drop_known(c, m));
    TRY(mem_alloc(c->mem, m->first.count * sizeof *key, &key));
    const remaining rows = {m->first.list, key};
    TRY(impact_output_choose(c, &(choosing){m->first.count, is_row, put_key, &rows}, &count));
    TRY(sort_keys(c->mem, c->threads, key, count));
    find_starts(m, key, count);
    TRY(impact_output_add_rows(c, m, key, count));
out:
    mem_free(c->mem, key);
    return err;
}
