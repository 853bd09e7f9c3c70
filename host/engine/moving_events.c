/* See moving.h: features that meet, exactly, and from these the events of primitives. */
#include "clock.h"
#include "error.h"
#include "exact_moving.h"
#include "exact_near.h"
#include "moving.h"
#include "prim.h"

#include <omp.h>
#include <string.h>

typedef struct deciding {
    const context *c;
    moving *m;
    meeting *of; /* [hits] */
} deciding;

/* ---- features */

void hit_features(const moving *m, const hit *h, meeting *out)
{
    const incidence *t = &m->incidence;
    const uint32_t i = FEATURE_I(h->code), j = FEATURE_J(h->code);
    out->frame = moving_frame(m, h->a);
    const uint32_t first = moving_first(m, out->frame), a = h->a - first, b = h->b - first;
    switch (FEATURE_KIND(h->code)) {
    case FEATURE_CORNER_FACE:
        out->of[0] = incidence_corner(t, a, i);
        out->of[1] = incidence_face(t, b, j);
        break;
    case FEATURE_FACE_CORNER:
        out->of[0] = incidence_face(t, a, i);
        out->of[1] = incidence_corner(t, b, j);
        break;
    default:
        out->of[0] = incidence_edge(t, a, i);
        out->of[1] = incidence_edge(t, b, j);
    }
    out->kind = out->of[0].vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
}

/* The four vertices: of a face and a vertex, or of two edges. */
void meeting_vertices(const meeting *e, uint32_t v[4])
{
    const int first = e->of[0].vertices == 1; /* the vertex comes last */
    const feature *f = &e->of[first], *g = &e->of[!first];
    memcpy(v, f->vertex, (size_t)f->vertices * sizeof *v);
    memcpy(v + f->vertices, g->vertex, (size_t)g->vertices * sizeof *v);
}

void meeting_decide(const context *c, const view *v, meeting *of)
{
    uint32_t vertex[4];
    exact_motion motion;
    meeting_vertices(of, vertex);
    for (int k = 0; k < 4; k++) {
        frame_vertex(&v->frame[of->frame], vertex[k], motion.at[0][k].x);
        frame_vertex(&v->to[of->frame], vertex[k], motion.at[1][k].x);
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
        hit_features(m, &m->hits.list[i], &d->of[i]);
        meeting_decide(c, &m->work.view, &d->of[i]);
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

int moving_allowed(const context *c, const moving *m, uint32_t i, uint32_t j)
{
    const imp_mesh *of = m->incidence.mesh;
    const options *o = &c->opt;
    const int32_t p = of->object ? of->object[i] : 0, q = of->object ? of->object[j] : 0;
    return i != j && objects_meet(o->rules, o->list, o->listed, p, q) &&
           !((o->rules & RULE_SKIP_ADJACENT) && share_vertex(of, i, j));
}

/* A primitive with the first feature, while those with the second are visited. */
typedef struct visiting {
    const deciding *d;
    event_list *to;
    const hit *hit;
    const meeting *of;
    incidence t; /* of the frame */
    uint32_t first;
    int64_t number;
} visiting;

static int visit_second(void *user, uint32_t prim, int64_t number)
{
    int err = IMP_OK;
    const visiting *w = user;
    const deciding *d = w->d;
    const meeting *of = w->of;
    const int swap = prim < w->first;
    event_list *to = w->to;
    const uint32_t a = swap ? prim : w->first, b = swap ? w->first : prim;
    if (!moving_allowed(d->c, d->m, a, b) || !step_wants(&d->m->found, of->share, a, b))
        return IMP_OK;
    TRY(mem_fit(d->c->mem, to->count, &to->capacity, sizeof *to->list, &to->list));
    event *e = &to->list[to->count++];
    *e = (event){.frame = of->frame, .a = a, .b = b, .kind = of->kind, .share = of->share};
    e->feature[swap] = w->number;
    e->feature[!swap] = number;
    meeting_vertices(of, e->vertex);
out:
    return err;
}

static int visit_first(void *user, uint32_t prim, int64_t number)
{
    visiting *w = user;
    const uint32_t b = w->hit->b - moving_first(w->d->m, w->of->frame);
    w->first = prim;
    w->number = number;
    return incidence_each(&w->t, b, &w->of->of[1], visit_second, w);
}

static int expand(const deciding *d, size_t i, event_list *to)
{
    const moving *m = d->m;
    visiting w = {.d = d, .to = to, .hit = &m->hits.list[i], .of = &d->of[i]};
    const uint32_t a = w.hit->a - moving_first(m, w.of->frame);
    w.t = moving_incidence(m, w.of->frame);
    return incidence_each(&w.t, a, &w.of->of[0], visit_first, &w);
}

/* The part of a thread goes to a list of its own. */
static int expand_part(const deciding *d, event_list *to)
{
    int err = IMP_OK;
    const hit_list *hits = &d->m->hits;
#pragma omp for schedule(dynamic, 256)
    for (size_t i = 0; i < hits->count; i++)
        if (d->of[i].meets && !err)
            err = expand(d, i, to);
    return err;
}

/* In any order: events are sorted later. */
static int events_join(const context *c, event_list *to, const event_list *part)
{
    int err = IMP_OK;
    const size_t all = to->count + part->count, size = sizeof *to->list;
    if (all > to->capacity) {
        TRY(mem_grow(c->mem, to->count * size, (all + all / 2) * size, &to->list));
        to->capacity = all + all / 2;
    }
    if (part->count)
        memcpy(to->list + to->count, part->list, part->count * size);
    to->count = all;
out:
    return err;
}

/* Lists keep their memory from step to step. */
static int parts_fit(const context *c, moving *m)
{
    int err = IMP_OK;
    if (m->parts < c->threads) {
        TRY(mem_grow(c->mem, (size_t)m->parts * sizeof *m->part,
                     (size_t)c->threads * sizeof *m->part, &m->part));
        memset(m->part + m->parts, 0, (size_t)(c->threads - m->parts) * sizeof *m->part);
        m->parts = c->threads;
    }
    for (int i = 0; i < m->parts; i++)
        m->part[i].count = 0;
out:
    return err;
}

/* All pairs of primitives that have a pair of features which meet. */
static int expand_all(const deciding *d)
{
    int err = IMP_OK, failed = 0;
    moving *m = d->m;
    TRY(parts_fit(d->c, m));
#pragma omp parallel num_threads(d->c->threads) if (m->hits.count > 256) reduction(| : failed)
    failed |= expand_part(d, &m->part[omp_get_thread_num()]) != IMP_OK;
    /* The texts of errors are those of threads. */
    if (failed)
        FAIL(IMP_ERR_MEMORY, "out of memory: contacts of a step");
    for (int i = 0; i < m->parts; i++)
        TRY(events_join(d->c, &m->events, &m->part[i]));
out:
    return err;
}

int moving_add(const context *c, moving *m)
{
    int err = IMP_OK;
    deciding d = {c, m, NULL};
    TRY(mem_alloc(c->mem, m->hits.count * sizeof *d.of, &d.of));
    const double start = clock_seconds();
    TRY(decide_all(&d));
    if (c->opt.queries)
        *c->opt.queries += clock_seconds() - start;
    TRY(expand_all(&d));
    m->hits.count = 0;
out:
    mem_free(c->mem, d.of);
    return err;
}
