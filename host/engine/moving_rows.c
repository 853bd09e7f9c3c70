/* See moving.h: features that meet, exactly, and from these the rows of primitives. */
#include "closest.h"
#include "contact.h"
#include "error.h"
#include "exact_moving.h"
#include "exact_near.h"
#include "moving.h"
#include "prim.h"

#include <stdlib.h>
#include <string.h>

/* Two features, and whether and when they meet. */
typedef struct meeting {
    feature of[2]; /* of a and of b: of a vertex and a face in any order, or two edges */
    int meets, kind;
    double share;
} meeting;

typedef struct deciding {
    const context *c;
    moving *m;
    meeting *of; /* [hits] */
} deciding;

/* ---- features */

static void hit_features(const incidence *t, const hit *h, meeting *out)
{
    const uint32_t i = FEATURE_I(h->code), j = FEATURE_J(h->code);
    switch (FEATURE_KIND(h->code)) {
    case FEATURE_CORNER_FACE:
        out->of[0] = incidence_corner(t, h->a, i);
        out->of[1] = incidence_face(t, h->b, j);
        break;
    case FEATURE_FACE_CORNER:
        out->of[0] = incidence_face(t, h->a, i);
        out->of[1] = incidence_corner(t, h->b, j);
        break;
    default:
        out->of[0] = incidence_edge(t, h->a, i);
        out->of[1] = incidence_edge(t, h->b, j);
    }
    out->kind = out->of[0].vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
}

/* The four vertices: of a face and a vertex, or of two edges. */
static void meeting_vertices(const meeting *e, uint32_t v[4])
{
    const int first = e->of[0].vertices == 1; /* the vertex comes last */
    const feature *f = &e->of[first], *g = &e->of[!first];
    memcpy(v, f->vertex, (size_t)f->vertices * sizeof *v);
    memcpy(v + f->vertices, g->vertex, (size_t)g->vertices * sizeof *v);
}

static void decide(const context *c, const view *v, meeting *of)
{
    uint32_t vertex[4];
    exact_motion motion;
    meeting_vertices(of, vertex);
    for (int k = 0; k < 4; k++) {
        frame_vertex(v->frame, vertex[k], motion.at[0][k].x);
        frame_vertex(v->to, vertex[k], motion.at[1][k].x);
    }
    const enum exact_moving_kind kind =
        of->kind == IMP_KIND_VERTEX_FACE ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE;
    of->meets = c->opt.separation > 0
                    ? exact_moving_near(kind, &motion, c->opt.separation, &of->share)
                    : exact_moving(kind, &motion, &of->share);
}

/* All by all threads: one takes from a microsecond to some milliseconds. */
static int decide_all(const deciding *d)
{
    const context *c = d->c;
    const moving *m = d->m;
    const int64_t n = (int64_t)m->hits.count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (n > 64)
    for (int64_t i = 0; i < n; i++) {
        d->of[i].meets = 0;
        if (atomic_load(c->cancel))
            continue;
        hit_features(&m->incidence, &m->hits.list[i], &d->of[i]);
        decide(c, &m->work.view, &d->of[i]);
    }
    return atomic_load(c->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* ---- from features to primitives */

static int share_vertex(const imp_mesh *m, uint32_t i, uint32_t j)
{
    for (uint32_t k = 0; k < mesh_own(m, i); k++)
        for (uint32_t l = 0; l < mesh_own(m, j); l++)
            if (mesh_vertex(m, i, k) == mesh_vertex(m, j, l))
                return 1;
    return 0;
}

static int allowed(const deciding *d, uint32_t i, uint32_t j)
{
    const imp_mesh *m = d->m->incidence.mesh;
    const options *o = &d->c->opt;
    const int32_t p = m->object ? m->object[i] : 0, q = m->object ? m->object[j] : 0;
    return i != j && objects_meet(o->rules, o->list, o->listed, p, q) &&
           !((o->rules & RULE_SKIP_ADJACENT) && share_vertex(m, i, j));
}

static int before(double share, uint32_t a, const moving_moment *than)
{
    return share != than->share ? share < than->share : a < than->a;
}

/* A primitive with the first feature, while those with the second are visited. */
typedef struct visiting {
    const deciding *d;
    size_t hit;
    uint32_t first;
    int64_t number;
} visiting;

static int visit_second(void *user, uint32_t prim, int64_t number)
{
    int err = IMP_OK;
    const visiting *w = user;
    const deciding *d = w->d;
    const meeting *of = &d->of[w->hit];
    const int swap = prim < w->first;
    event_list *to = &d->m->events;
    const uint32_t a = swap ? prim : w->first, b = swap ? w->first : prim;
    if (!allowed(d, a, b) || before(of->share, a, &d->m->from) || !before(of->share, a, &d->m->to))
        return IMP_OK;
    TRY(mem_fit(d->c->mem, to->count, &to->capacity, sizeof *to->list, &to->list));
    event *e = &to->list[to->count++];
    *e = (event){.a = a, .b = b, .kind = of->kind, .share = of->share};
    e->feature[swap] = w->number;
    e->feature[!swap] = number;
    meeting_vertices(of, e->vertex);
out:
    return err;
}

static int visit_first(void *user, uint32_t prim, int64_t number)
{
    visiting *w = user;
    const deciding *d = w->d;
    w->first = prim;
    w->number = number;
    return incidence_each(&d->m->incidence, d->m->hits.list[w->hit].b, &d->of[w->hit].of[1],
                          visit_second, w);
}

/* All pairs of primitives that have a pair of features which meet. */
int moving_add(const context *c, moving *m)
{
    int err = IMP_OK;
    deciding d = {c, m, NULL};
    TRY(mem_alloc(c->mem, m->hits.count * sizeof *d.of, &d.of));
    TRY(decide_all(&d));
    for (size_t i = 0; i < m->hits.count; i++) {
        visiting w = {.d = &d, .hit = i};
        if (d.of[i].meets)
            TRY(incidence_each(&m->incidence, m->hits.list[i].a, &d.of[i].of[0], visit_first, &w));
    }
    m->hits.count = 0;
out:
    mem_free(c->mem, d.of);
    return err;
}

/* ---- the first of each pair */

#define ORDER_BY(x, y)                                                                             \
    if ((x) != (y))                                                                                \
    return (x) < (y) ? -1 : 1

static int compare_pairs(const void *p, const void *q)
{
    const event *x = p, *y = q;
    ORDER_BY(x->a, y->a);
    ORDER_BY(x->b, y->b);
    ORDER_BY(x->share, y->share);
    ORDER_BY(x->kind, y->kind);
    ORDER_BY(x->feature[0], y->feature[0]);
    ORDER_BY(x->feature[1], y->feature[1]);
    return 0;
}

static int compare_shares(const void *p, const void *q)
{
    const event *x = p, *y = q;
    ORDER_BY(x->share, y->share);
    ORDER_BY(x->a, y->a);
    ORDER_BY(x->b, y->b);
    return 0;
}

static void sort_events(event_list *e, int (*by)(const void *, const void *))
{
    if (e->count)
        qsort(e->list, e->count, sizeof *e->list, by);
}

static void keep_first(event_list *e)
{
    size_t n = 0;
    sort_events(e, compare_pairs);
    for (size_t i = 0; i < e->count; i++)
        if (!n || e->list[i].a != e->list[n - 1].a || e->list[i].b != e->list[n - 1].b)
            e->list[n++] = e->list[i];
    e->count = n;
}

/* Features number i of a and j of b, of some kind, while their primitives' features are gone
 * through. Has the pair met before the moment? */
static int met_earlier(const context *c, const moving *m, const event *e, const feature *f,
                       const feature *g)
{
    meeting of = {.of = {*f, *g}};
    uint32_t v[4];
    of.kind = f->vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    meeting_vertices(&of, v);
    const int split = f->vertices == 2 ? 2 : 3; /* of the one from those of the other */
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++)
            if (v[i] == v[j])
                return 0;
    decide(c, &m->work.view, &of);
    return of.meets && before(of.share, e->a, &m->from);
}

static int any_earlier(const context *c, const moving *m, const event *e)
{
    const incidence *t = &m->incidence;
    feature p[INCIDENCE_MOST], q[INCIDENCE_MOST];
    const int n = incidence_features(t, e->a, p), k = incidence_features(t, e->b, q);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            if ((p[i].vertices == 2) == (q[j].vertices == 2) &&
                (p[i].vertices == 2 || p[i].vertices != q[j].vertices) &&
                met_earlier(c, m, e, &p[i], &q[j]))
                return 1;
    return 0;
}

/* Those that meet at the start have a row of that (pass_moving.c), and those that met before the
 * interval have theirs already. Asked exactly, so that the answer is the same whichever range,
 * interval or device finds a pair. */
static void drop_known(const context *c, moving *m)
{
    event_list *e = &m->events;
    const imp_frame *frame = m->work.view.frame;
    const int64_t count = (int64_t)e->count;
    const int later = m->from.share > 0 || m->from.a > 0;
    size_t n = 0;
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (count > 64)
    for (int64_t i = 0; i < count; i++)
        if (contact_meets(frame, e->list[i].a, e->list[i].b) ||
            (later && any_earlier(c, m, &e->list[i])))
            e->list[i].kind = 0;
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].kind)
            e->list[n++] = e->list[i];
    e->count = n;
}

/* ---- rows */

/* In units of the frame, where no product overflows. */
static void event_points(const moving *m, const event *of, double out[6])
{
    const view *v = &m->work.view;
    const units *u = &m->work.bounds.units;
    double x[4][3];
    for (int k = 0; k < 4; k++) {
        double from[3], to[3];
        frame_vertex(v->frame, of->vertex[k], from);
        frame_vertex(v->to, of->vertex[k], to);
        for (int d = 0; d < 3; d++)
            x[k][d] = ((1 - of->share) * from[d] + of->share * to[d]) * u->scale[0] * u->scale[1];
    }
    closest_points(of->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, out);
    for (int d = 0; d < 6; d++)
        out[d] = out[d] * u->unscale[0] * u->unscale[1] + 0.0; /* -0 becomes 0 */
}

static int add_row(moving *m, const event *of)
{
    double point[6];
    const uint8_t kind = (uint8_t)of->kind;
    const uint64_t none[2] = {0, 0};
    event_points(m, of, point);
    return contact_rows_add(&m->rows, &(imp_contacts){.count = 1,
                                                      .a = &of->a,
                                                      .b = &of->b,
                                                      .kind = &kind,
                                                      .point = point,
                                                      .share = &of->share,
                                                      .feature_a = &of->feature[0],
                                                      .feature_b = &of->feature[1],
                                                      .depth = &(double){0},
                                                      .collision_first = none,
                                                      .collision = point});
}

int moving_rows(const context *c, moving *m)
{
    int err = IMP_OK;
    contact_rows_open(c->mem, c->opt.step_columns, &m->rows);
    keep_first(&m->events);
    drop_known(c, m);
    sort_events(&m->events, compare_shares);
    for (size_t i = 0; i < m->events.count; i++)
        TRY(add_row(m, &m->events.list[i]));
out:
    return err;
}
