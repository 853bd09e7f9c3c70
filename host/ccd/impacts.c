/* See ccd_step.h: decides exactly which features meet, and makes the impacts of primitives from
 * them. */
#include "ccd_step.h"
#include "clock.h"
#include "dialect.h"
#include "error.h"
#include "exact.h"
#include "float_env.h"
#include "mem.h"
#include "prim.h"
#include "stages.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct deciding {
    const context *c;
    ccd_step *m;
} deciding;

/* ---- features */

void feature_test_open(const ccd_step *m, const feature_pair *h, feature_test *out)
{
    const rep_features *t = &m->rep;
    const uint32_t i = FEATURE_I(h->code), j = FEATURE_J(h->code);
    out->frame = ccd_step_frame(m, h->a);
    const uint32_t first = ccd_step_first_prim(m, out->frame), a = h->a - first, b = h->b - first;
    switch (FEATURE_KIND(h->code)) {
    case FEATURE_CORNER_FACE:
        out->of[0] = rep_features_corner(t, a, i);
        out->of[1] = rep_features_face(t, b, j);
        break;
    case FEATURE_FACE_CORNER:
        out->of[0] = rep_features_face(t, a, i);
        out->of[1] = rep_features_corner(t, b, j);
        break;
    default:
        out->of[0] = rep_features_edge(t, a, i);
        out->of[1] = rep_features_edge(t, b, j);
    }
    out->kind = out->of[0].vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
}

static void ascend(uint32_t *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            const uint32_t other = v[k];
            v[k] = v[k - 1];
            v[k - 1] = other;
        }
}

/* A feature that several primitives share is given with the vertex order of one of them; points
 * between these vertices must not depend on which one. So the vertex numbers of a feature ascend,
 * and the edge with the least number is first. */
void feature_test_vertices(const feature_test *e, uint32_t v[4])
{
    feature f = e->of[0], g = e->of[1];
    ascend(f.vertex, f.vertices);
    ascend(g.vertex, g.vertices);
    const int edges = f.vertices == 2 && g.vertices == 2;
    const int swap = edges ? f.vertex[0] > g.vertex[0] ||
                                 (f.vertex[0] == g.vertex[0] && f.vertex[1] > g.vertex[1])
                           : f.vertices == 1; /* the vertex is last */
    const feature *x = swap ? &g : &f, *y = swap ? &f : &g;
    memcpy(v, x->vertex, (size_t)x->vertices * sizeof *v);
    memcpy(v + x->vertices, y->vertex, (size_t)y->vertices * sizeof *v);
}

void feature_test_decide(const context *c, const block_view *v, feature_test *of)
{
    uint32_t vertex[4];
    exact_motion motion;
    feature_test_vertices(of, vertex);
    for (int k = 0; k < 4; k++) {
        frame_vertex(&v->frame[of->frame], vertex[k], motion.at[0][k].x);
        frame_vertex(&v->to[of->frame], vertex[k], motion.at[1][k].x);
    }
    const enum exact_ccd_kind kind =
        of->kind == IMP_KIND_VERTEX_FACE ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE;
    of->meets = c->opt.separation > 0
                    ? exact_ccd_first_near(kind, &motion, c->opt.separation, &of->toi)
                    : exact_ccd_first(kind, &motion, &of->toi);
}

/* ---- from features to primitives */

static int impacts_share_vertex(const uint32_t p[4], uint32_t corners_p, const uint32_t q[4],
                                uint32_t corners_q)
{
    for (uint32_t k = 0; k < corners_p; k++)
        for (uint32_t l = 0; l < corners_q; l++)
            if (p[k] == q[l])
                return 1;
    return 0;
}

static int objects_allow(const context *c, const imp_mesh *of, uint32_t i, uint32_t j)
{
    const options *o = &c->opt;
    const int32_t p = of->object ? of->object[i] : 0, q = of->object ? of->object[j] : 0;
    return i != j && objects_meet(o->rules, o->list, o->listed, p, q);
}

static int impacts_pair_allowed(const context *c, const imp_mesh *of, const feature_holder *x,
                                const feature_holder *y)
{
    return objects_allow(c, of, x->prim, y->prim) &&
           !((c->opt.rules & RULE_SKIP_ADJACENT) &&
             impacts_share_vertex(x->vertex, mesh_corners_of(of, x->prim), y->vertex,
                                  mesh_corners_of(of, y->prim)));
}

int impacts_allowed(const context *c, const ccd_step *m, uint32_t i, uint32_t j)
{
    const imp_mesh *of = m->rep.mesh;
    feature_holder x = {.prim = i}, y = {.prim = j};
    for (uint32_t k = 0; k < 4; k++) {
        x.vertex[k] = mesh_vertex(of, i, k);
        y.vertex[k] = mesh_vertex(of, j, k);
    }
    return impacts_pair_allowed(c, of, &x, &y);
}

typedef struct feature_holder_list {
    feature_holder *list;
    size_t capacity;
} feature_holder_list;

/* A thread's state. */
typedef struct expanding {
    const deciding *d;
    feature_holder_list of[2]; /* holders of each feature of a pair */
    impact_list to;
} expanding;

static int impacts_add_pair(expanding *w, const feature_test *of, const feature_holder *x,
                            const feature_holder *y)
{
    int err = IMP_OK;
    const deciding *d = w->d;
    const int swap = y->prim < x->prim;
    impact_list *to = &w->to;
    const uint32_t a = swap ? y->prim : x->prim, b = swap ? x->prim : y->prim;
    if (!step_wants(&d->m->found, of->toi, a, b) ||
        !impacts_pair_allowed(d->c, d->m->rep.mesh, x, y))
        return IMP_OK;
    TRY(mem_fit(d->c->mem, to->count, &to->capacity, sizeof *to->list, &to->list));
    impact *e = &to->list[to->count++];
    *e = (impact){.frame = of->frame, .a = a, .b = b, .kind = of->kind, .toi = of->toi};
    e->feature[swap] = x->number;
    e->feature[!swap] = y->number;
    feature_test_vertices(of, e->vertex);
out:
    return err;
}

static int feature_holders_fit(mem *m, size_t count, feature_holder_list *of)
{
    int err = IMP_OK;
    if (count <= of->capacity)
        return IMP_OK;
    TRY(mem_grow(m, 0, 2 * count * sizeof *of->list, &of->list));
    of->capacity = 2 * count;
out:
    return err;
}

/* Adds all pairs of a primitive with the first feature and a primitive with the second. */
static int expand(expanding *w, const feature_pair *h, const feature_test *of)
{
    int err = IMP_OK;
    const ccd_step *m = w->d->m;
    const rep_features t = ccd_step_features(m, of->frame);
    const uint32_t first = ccd_step_first_prim(m, of->frame),
                   owner[2] = {h->a - first, h->b - first};
    uint32_t count[2];
    for (int k = 0; k < 2; k++) {
        TRY(feature_holders_fit(w->d->c->mem, rep_features_most(&t, &of->of[k]), &w->of[k]));
        count[k] = rep_features_holders(&t, owner[k], &of->of[k], w->of[k].list);
    }
    for (uint32_t i = 0; i < count[0]; i++)
        for (uint32_t j = 0; j < count[1]; j++)
            TRY(impacts_add_pair(w, of, &w->of[0].list[i], &w->of[1].list[j]));
out:
    return err;
}

/* ---- prefetching from memory into the CPU's caches */

#define STEPS 4                    /* prefetch steps before a pair is decided */
#define FETCH_DISTANCE ((size_t)2) /* pairs from one step to the next */
#define UPCOMING 16                /* more than STEPS * FETCH_DISTANCE, and a power of two */
#define FETCHED 8                  /* primitives of a vertex that are prefetched */

static void fetch_corners(const ccd_step *m, const feature_pair *h)
{
    const imp_mesh *of = m->rep.mesh;
    const uint32_t first = ccd_step_first_prim(m, ccd_step_frame(m, h->a)),
                   corners = mesh_corners(of);
    FETCH(of->corner + (size_t)corners * (h->a - first));
    FETCH(of->corner + (size_t)corners * (h->b - first));
}

static void fetch_point(const imp_frame *f, uint32_t vertex)
{
    const size_t bytes = frame_point_bytes(f);
    const char *at = (const char *)f->point + bytes * vertex;
    FETCH(at);
    FETCH(at + bytes - 1);
}

void ccd_step_fetch_points(const ccd_step *m, uint32_t frame, const uint32_t vertex[4])
{
    for (int k = 0; k < 4; k++) {
        fetch_point(&m->view->frame[frame], vertex[k]);
        fetch_point(&m->view->to[frame], vertex[k]);
    }
}

/* Prefetches the points of the four vertices, and the starts of their primitive lists. */
static void fetch_vertices(const ccd_step *m, const feature_test *of)
{
    uint32_t v[4];
    feature_test_vertices(of, v);
    ccd_step_fetch_points(m, of->frame, v);
    FETCH(m->rep.first + of->of[0].vertex[0]);
    FETCH(m->rep.first + of->of[1].vertex[0]);
}

static void fetch_lists(const ccd_step *m, const feature_test *of)
{
    const rep_features *t = &m->rep;
    FETCH(t->prim + t->first[of->of[0].vertex[0]]);
    FETCH(t->prim + t->first[of->of[1].vertex[0]]);
}

/* Prefetches these primitives, or the first FETCHED of them. */
static void fetch_prims(const ccd_step *m, const feature_test *of)
{
    const rep_features *t = &m->rep;
    const uint32_t corners = mesh_corners(t->mesh);
    for (int k = 0; k < 2; k++) {
        const uint32_t *first = t->first + of->of[k].vertex[0];
        for (uint32_t n = first[0]; n < first[1] && n - first[0] < FETCHED; n++)
            FETCH(t->mesh->corner + (size_t)corners * t->prim[n]);
    }
}

static int impacts_decide(const deciding *d, const feature_pair *h, feature_test *of)
{
    feature_test_open(d->m, h, of);
    feature_test_decide(d->c, d->m->view, of);
    return of->meets;
}

/* Decides feature pairs [first, last), which are prefetched step by step while others are
 * decided. */
static int decide_some(expanding *w, size_t first, size_t last)
{
    int err = IMP_OK;
    const deciding *d = w->d;
    const ccd_step *m = d->m;
    const feature_pair *list = m->pairs.list;
    feature_test upcoming[UPCOMING];
    for (size_t i = first; i < last + STEPS * FETCH_DISTANCE; i++) {
        feature_test *step[STEPS + 1];
        for (size_t k = 0; k <= STEPS; k++)
            step[k] = i >= first + k * FETCH_DISTANCE && i < last + k * FETCH_DISTANCE
                          ? &upcoming[(i - k * FETCH_DISTANCE) % UPCOMING]
                          : NULL;
        if (step[0])
            fetch_corners(m, &list[i]);
        if (step[1]) {
            feature_test_open(m, &list[i - FETCH_DISTANCE], step[1]);
            fetch_vertices(m, step[1]);
        }
        if (step[2])
            fetch_lists(m, step[2]);
        if (step[3])
            fetch_prims(m, step[3]);
        if (!step[4] || atomic_load(d->c->cancel))
            continue;
        feature_test_decide(d->c, m->view, step[4]);
        if (step[4]->meets)
            TRY(expand(w, &list[i - STEPS * FETCH_DISTANCE], step[4]));
    }
out:
    return err;
}

/* Each thread adds to a list of its own, away from other threads' memory (no false sharing). A
 * feature pair takes from less than a microsecond to some milliseconds. */
#define PAIRS_AT_ONCE ((size_t)64) /* feature pairs in a loop iteration */

static int decide_part(const deciding *d, impact_list *to)
{
    int err = IMP_OK;
    const size_t count = d->m->pairs.count;
    expanding w = {.d = d, .to = *to};
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < count; i += PAIRS_AT_ONCE)
        if (!err)
            err = decide_some(&w, i, count - i < PAIRS_AT_ONCE ? count : i + PAIRS_AT_ONCE);
    *to = w.to;
    mem_free(d->c->mem, w.of[0].list);
    mem_free(d->c->mem, w.of[1].list);
    return err;
}

/* ---- all of a range */

/* Lists keep their memory from step to step. */
static int parts_fit(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    if (m->parts < c->threads) {
        TRY(mem_grow(c->mem, (size_t)m->parts * sizeof *m->part,
                     (size_t)c->threads * sizeof *m->part, &m->part));
        memset(m->part + m->parts, 0, (size_t)(c->threads - m->parts) * sizeof *m->part);
        m->parts = c->threads;
    }
    for (int i = 0; i < m->parts; i++)
        m->part[i].impacts.count = 0;
out:
    return err;
}

/* Joins the threads' lists in any order: impacts are sorted later. */
static int parts_join(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    impact_list *to = &m->impacts;
    const size_t size = sizeof *to->list;
    size_t all = to->count;
    for (int i = 0; i < m->parts; i++) {
        m->part[i].to = all;
        all += m->part[i].impacts.count;
    }
    if (all > to->capacity) {
        TRY(mem_grow(c->mem, to->count * size, (all + all / 2) * size, &to->list));
        to->capacity = all + all / 2;
    }
    to->count = all;
#pragma omp parallel num_threads(c->threads) if (m->pairs.count > 256)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < m->parts; i++)
        if (m->part[i].impacts.count)
            memcpy(to->list + m->part[i].to, m->part[i].impacts.list,
                   m->part[i].impacts.count * size);
out:
    return err;
}

/* For a benchmark: measures the decisions alone; impacts_add then repeats them. */
static void decide_timed(const deciding *d)
{
    const int64_t n = (int64_t)d->m->pairs.count;
    const double start = clock_seconds();
#pragma omp parallel num_threads(d->c->threads) if (n > 64)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 64) nowait
    for (int64_t i = 0; i < n; i++) {
        feature_test of;
        impacts_decide(d, &d->m->pairs.list[i], &of);
    }
    *d->c->opt.queries += clock_seconds() - start;
}

int impacts_add(const context *c, ccd_step *m)
{
    int err = IMP_OK, failed = 0;
    const deciding d = {c, m};
    if (c->opt.queries)
        decide_timed(&d);
    TRY(parts_fit(c, m));
#pragma omp parallel num_threads(c->threads) if (m->pairs.count > 64) reduction(| : failed)
    EACH_IN_FLOAT_ENV
    failed |= decide_part(&d, &m->part[omp_get_thread_num()].impacts) != IMP_OK;
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    /* Error texts are per thread, so the threads' texts are not available here. */
    if (failed)
        FAIL(IMP_ERR_MEMORY, "out of memory: contacts of a step");
    TRY(parts_join(c, m));
    m->pairs.count = 0;
out:
    return err;
}

/* ---- See ccd_step.h: where memory is short, fewer impacts. */

static int compare_pairs(const void *p, const void *q)
{
    const impact *x = p, *y = q;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    return impact_comes_first(y, x) - impact_comes_first(x, y);
}

void impact_partition_pack(ccd_step *m)
{
    impact *e = m->impacts.list;
    size_t n = 0;
    if (m->impacts.count)
        qsort(e, m->impacts.count, sizeof *e, compare_pairs);
    for (size_t i = 0; i < m->impacts.count; i++)
        if (!n || !impact_same_pair(&e[i], &e[n - 1]))
            e[n++] = e[i];
    m->impacts.count = m->packed = n;
}

static int compare_moments(const void *p, const void *q)
{
    const impact *x = p, *y = q;
    const step_moment at[] = {{x->toi, x->a, x->b}, {y->toi, y->a, y->b}};
    return moment_before(y->toi, y->a, y->b, &at[0]) - moment_before(x->toi, x->a, x->b, &at[1]);
}

/* Frees the list's unused memory; if there is no room to move the list, it stays. */
static void impact_partition_shrink(const context *c, impact_list *of)
{
    if (!mem_grow(c->mem, of->count * sizeof *of->list, of->count * sizeof *of->list, &of->list))
        of->capacity = of->count;
}

/* Packed impacts have different pairs, so no two have the same place in the order of rows, and half
 * of them are before the median. */
int impact_partition_cut(const context *c, ccd_step *m)
{
    impact_list *e = &m->impacts;
    if (e->count < c->mem->limit / BUDGET_IMPACTS_SHARE / sizeof *e->list)
        return 0;
    impact_partition_pack(m);
    if (e->count < 2)
        return 0;
    qsort(e->list, e->count, sizeof *e->list, compare_moments);
    e->count = m->packed = e->count / 2;
    const impact *to = &e->list[e->count];
    m->found.to = (step_moment){to->toi, to->a, to->b};
    impact_partition_shrink(c, e);
    return 1;
}

int impact_partition_many(const context *c, const ccd_step *m)
{
    return m->impacts.count > mem_left(c->mem) / BUDGET_IMPACT;
}

/* Packing sorts, which pays only if the list has doubled and takes much memory. */
void impact_partition_make_room(const context *c, ccd_step *m)
{
    impact_list *e = &m->impacts;
    if (e->count / 2 > m->packed &&
        e->count > mem_left(c->mem) / BUDGET_FEATURE_PAIRS_SHARE / sizeof *e->list)
        impact_partition_pack(m);
    if (m->cuts && impact_partition_many(c, m))
        impact_partition_cut(c, m);
}

/* ---- feature pairs on the host */

#define READ_PIECE (1u << 16) /* feature pairs read at a time */

static int ccd_step_fit_pairs(const context *c, size_t count, feature_pair_list *to)
{
    int err = IMP_OK;
    const size_t more = count + (count < READ_PIECE ? count / 2 : count / 16);
    if (count <= to->capacity)
        return IMP_OK;
    TRY(mem_grow(c->mem, to->count * sizeof *to->list, more * sizeof *to->list, &to->list));
    to->capacity = more;
out:
    return err;
}

/* The list has room. */
static int ccd_step_read_list(const context *c, feature_pair_list *to, const feature_pairs *from)
{
    int err = IMP_OK;
    uint32_t *a = NULL;
    const uint64_t all = from->count;
    if (!all)
        return IMP_OK;
    TRY(mem_alloc(c->mem, (all < READ_PIECE ? all : READ_PIECE) * 3 * sizeof *a, &a));
    for (uint64_t first = 0; first < all; first += READ_PIECE) {
        const size_t n = all - first < READ_PIECE ? (size_t)(all - first) : READ_PIECE;
        const readout lists[] = {READOUT(&from->a, first, a, n), READOUT(&from->b, first, a + n, n),
                                 READOUT(&from->code, first, a + 2 * n, n)};
        TRY(device_read_all(c->dev64, lists, 3));
        for (size_t i = 0; i < n; i++)
            to->list[to->count++] = (feature_pair){a[i], a[n + i], a[2 * n + i]};
    }
out:
    mem_free(c->mem, a);
    return err;
}

int ccd_step_read_pairs(const context *c, ccd_step *m, imp_frame_info *info)
{
    int err = IMP_OK;
    const feature_tests *f = &m->features;
    m->pairs.count = 0;
    TRY(ccd_step_fit_pairs(c, (size_t)(f->undecided.count + f->meet.count), &m->pairs));
    TRY(ccd_step_read_list(c, &m->pairs, &m->features.undecided));
    TRY(ccd_step_read_list(c, &m->pairs, &m->features.meet));
    for (size_t i = 0; i < f->undecided.count; i++)
        info[ccd_step_frame(m, m->pairs.list[i].a)].undecided++;
out:
    return err;
}

/* ---- See ccd_step.h: the representative features of a block of steps. */

/* Primitives with a vertex that is not finite have no features. */
static int ccd_step_find_excluded(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    const uint32_t *bad = m->bounds->normalisation.bad;
    step_rows *s = &m->found;
    uint32_t any = 0;
    for (uint32_t f = 0; f < v->frames; f++)
        any |= bad[f];
    mem_free(c->mem, s->excluded);
    s->excluded = NULL;
    if (!any)
        return IMP_OK;
    TRY(mem_alloc(c->mem, v->prims, &s->excluded));
    for (uint32_t f = 0; f < v->frames; f++)
        for (uint32_t i = 0; i < s->prims; i++)
            s->excluded[v->prim0[f] + i] = (uint8_t)(bad[f] && bound_bad_in(v, f, i));
out:
    return err;
}

/* An equal pointer need not be the same mesh, except within a call. */
static int same_mesh(int same_call, rep_features *t, const imp_mesh *mesh, uint32_t corners,
                     int once, int threads)
{
    return (same_call && t->mesh == mesh && t->corners == corners && t->once == once) ||
           rep_features_again(t, mesh, corners, once, threads);
}

/* Writes the representative features for each frame; where primitives are excluded, others own more
 * features. Rotating bodies own none: the device handles linear motion only. */
static int ccd_step_put_rep(const context *c, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    uint32_t *all = NULL;
    const int whole = !m->found.excluded && !m->rigid;
    /* Still valid from the step before. */
    if (whole && m->rep_bits_frames >= v->frames)
        return IMP_OK;
    m->rep_bits_frames = 0;
    if (whole && v->frames == 1) {
        TRY(buffer_put(c->dev64, &m->rep_bits, m->rep.bits, v->prims));
        m->rep_bits_frames = 1;
        goto out;
    }
    TRY(mem_alloc(c->mem, v->prims * sizeof *all, &all));
    for (uint32_t f = 0; f < v->frames; f++) {
        rep_features t = ccd_step_features(m, f);
        uint32_t *rep = all + v->prim0[f];
        if (v->prims)
            memcpy(rep, t.bits, m->found.prims * sizeof *rep);
        t.bits = rep;
        if (m->bounds->normalisation.bad[f])
            rep_features_assign(&t, t.excluded, c->threads);
        for (uint32_t i = 0; m->rigid && i < m->found.prims; i++)
            rep[i] = m->rigid->body[i] == NO_BODY ? rep[i] : 0;
    }
    TRY(buffer_put(c->dev64, &m->rep_bits, all, v->prims));
    m->rep_bits_frames = whole ? v->frames : 0;
out:
    mem_free(c->mem, all);
    return err;
}

int ccd_step_owners(const context *c, int same_call, ccd_step *m)
{
    int err = IMP_OK;
    const block_view *v = m->view;
    rep_features *t = &m->rep;
    TRY(ccd_step_find_excluded(c, m));
    const int once = c->opt.rows != IMP_ROWS_CONTACTS;
    if (!same_mesh(same_call, t, v->frame->mesh, v->corners, once, c->threads)) {
        m->rep_bits_frames = 0;
        rep_features_close(c->mem, t);
        TRY(rep_features_open(c->mem, v->frame->mesh, v->corners, once, c->threads, t));
    }
    TRY(ccd_step_put_rep(c, m));
out:
    return err;
}

/* ---- imp_def.verify in continuous detection. Features that meet by the device's verdict are
 * decided exactly in any case (impacts.c). So only pairs found apart need a re-check: a wrong
 * verdict would be a missed contact. */

/* The list has no order; the sample is small and sorted. */
static void ccd_step_mark_pairs(sample *s, const feature_pair_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const feature_pair *h = &list->list[i];
        const sampled here = {.a = h->a, .b = h->b, .code = h->code};
        sampled *found = bsearch(&here, s->list, s->count, sizeof here, sampled_compare);
        if (found)
            found->verdict = 1;
    }
}

typedef struct toi_query {
    const context *c;
    const ccd_step *m;
} toi_query;

/* Returns whether a sampled pair that is not in m->pairs meets. */
static int is_missed(const void *user, const sampled *p)
{
    const toi_query *of = user;
    const feature_pair h = {p->a, p->b, p->code};
    feature_test at;
    if (p->verdict)
        return 0;
    feature_test_open(of->m, &h, &at);
    feature_test_decide(of->c, of->m->view, &at);
    return at.meets;
}

int ccd_step_verify(const context *c, ccd_step *m)
{
    return ccd_step_verify_with(c, m, is_missed, &(toi_query){c, m});
}

int ccd_step_verify_with(const context *c, ccd_step *m, verify_wrong *missed, const void *user)
{
    int err = IMP_OK;
    size_t i = 0;
    sample *s = &m->features.sample;
    if (!s->count)
        return IMP_OK;
    sample_end(s, c->opt.verify);
    ccd_step_mark_pairs(s, &m->pairs);
    TRY(verify_first(c, s, missed, user, &i));
    if (i < s->count) {
        const uint32_t f = ccd_step_frame(m, s->list[i].a), first = ccd_step_first_prim(m, f);
        const uint32_t prim[2] = {s->list[i].a - first, s->list[i].b - first};
        err = verify_differs(c, m->view, f, prim, 1, "features of");
    }
out:
    sample_clear(s);
    return err;
}
