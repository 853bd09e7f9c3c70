/* See moving.h: the first event of each pair of primitives, as rows in order of time. */
#include "closest.h"
#include "contact.h"
#include "error.h"
#include "moving.h"
#include "verify.h"

#include <string.h>

/* ---- in order */

/* Events by number, which are sorted instead of events. */
typedef struct sorting {
    const context *c;
    moving *m;
    const event_list *of;
    uint32_t *key, *index; /* [events] */
} sorting;

/* The words that events are sorted by. A share is not negative, so the order of its bits is its
 * own. */
enum word { WORD_B, WORD_A, WORD_SHARE_LOW, WORD_SHARE_HIGH, WORD_FRAME };

static uint32_t word_of(const event *e, enum word which)
{
    uint64_t bits;
    memcpy(&bits, &e->share, sizeof bits);
    switch (which) {
    case WORD_A:
        return e->a;
    case WORD_B:
        return e->b;
    case WORD_SHARE_LOW:
        return (uint32_t)bits;
    case WORD_SHARE_HIGH:
        return (uint32_t)(bits >> 32);
    default:
        return e->frame;
    }
}

/* Sorts the index by one word; stable. */
static int sort_by(const sorting *s, enum word which, uint32_t bits)
{
    int err = IMP_OK;
    device *d = s->c->dev64;
    const int64_t n = (int64_t)s->of->count;
    buffer_u32 *key = &s->m->key, *number = &s->m->number;
#pragma omp parallel for num_threads(s->c->threads) if (n > 4096)
    for (int64_t i = 0; i < n; i++)
        s->key[i] = word_of(&s->of->list[s->index[i]], which);
    TRY(buffer_put(d, key, s->key, (size_t)n));
    TRY(buffer_put(d, number, s->index, (size_t)n));
    TRY(sort_by_key(d, &s->m->work.sort, key, number, (uint64_t)n, bits));
    TRY(buffer_read(d, number, 0, s->index, (size_t)n));
out:
    return err;
}

/* Numbers of all events, in their order. */
static int sort_open(const context *c, moving *m, const event_list *of, sorting *s)
{
    int err = IMP_OK;
    *s = (sorting){.c = c, .m = m, .of = of};
    TRY(mem_alloc(c->mem, of->count * sizeof *s->key, &s->key));
    TRY(mem_alloc(c->mem, of->count * sizeof *s->index, &s->index));
    for (size_t i = 0; i < of->count; i++)
        s->index[i] = (uint32_t)i;
out:
    return err;
}

static void sort_close(sorting *s)
{
    mem_free(s->c->mem, s->key);
    mem_free(s->c->mem, s->index);
}

/* By frame, then by these words. */
static int sort_words(const sorting *s, enum word low, enum word high, uint32_t bits)
{
    int err = IMP_OK;
    const uint32_t frames = s->m->found.frames;
    TRY(sort_by(s, low, bits));
    TRY(sort_by(s, high, bits));
    if (frames > 1)
        TRY(sort_by(s, WORD_FRAME, bits_for(frames)));
out:
    return err;
}

/* ---- the first of each pair */

int moving_same_pair(const event *x, const event *y)
{
    return x->a == y->a && x->b == y->b && x->frame == y->frame;
}

#define ORDER_BY(x, y)                                                                             \
    if ((x) != (y))                                                                                \
    return (x) < (y)

int moving_comes_first(const event *x, const event *y)
{
    ORDER_BY(x->share, y->share);
    ORDER_BY(x->kind, y->kind);
    ORDER_BY(x->feature[0], y->feature[0]);
    ORDER_BY(x->feature[1], y->feature[1]);
    /* Of a face that two triangles have, in two orders: the points depend on it in their last bits.
     */
    for (int k = 0; k < 3; k++)
        ORDER_BY(x->vertex[k], y->vertex[k]);
    return x->vertex[3] < y->vertex[3];
}

static int events_fit(const context *c, size_t count, event_list *to)
{
    int err = IMP_OK;
    to->count = 0;
    if (to->list && to->capacity >= count)
        return IMP_OK;
    mem_free(c->mem, to->list);
    *to = (event_list){0};
    TRY(mem_alloc(c->mem, count * sizeof *to->list, &to->list));
    to->capacity = count;
out:
    return err;
}

/* The first event of each pair of `all`, by their index in the order of pairs; returns how many. */
static size_t take_first(const event *all, const uint32_t *index, size_t count, event *to)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const event *next = &all[index[i]];
        if (!n || !moving_same_pair(next, &to[n - 1]))
            to[n++] = *next;
        else if (moving_comes_first(next, &to[n - 1]))
            to[n - 1] = *next;
    }
    return n;
}

/* m->first becomes the first event of each pair, in the order of pairs. */
static int keep_first(const context *c, moving *m)
{
    int err = IMP_OK;
    sorting s;
    const event_list *all = &m->events;
    TRY(sort_open(c, m, all, &s));
    TRY(sort_words(&s, WORD_B, WORD_A, bits_for(m->found.prims)));
    TRY(events_fit(c, all->count, &m->first));
    m->first.count = take_first(all->list, s.index, all->count, m->first.list);
out:
    sort_close(&s);
    return err;
}

/* Features number i of a and j of b, of some kind, while their primitives' features are gone
 * through. Has the pair met before the moment? */
static int met_earlier(const context *c, const moving *m, const event *e, const feature *f,
                       const feature *g)
{
    meeting of = {.frame = e->frame, .of = {*f, *g}};
    uint32_t v[4];
    of.kind = f->vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    meeting_vertices(&of, v);
    const int split = f->vertices == 2 ? 2 : 3; /* of the one from those of the other */
    for (int i = 0; i < split; i++)
        for (int j = split; j < 4; j++)
            if (v[i] == v[j])
                return 0;
    meeting_decide(c, &m->work.view, &of);
    return of.meets && moment_before(of.share, e->a, e->b, &m->found.from);
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

/* The events whose pairs are in a list of the narrow phase, which has their order: their kind is
 * changed by `mark`. */
static int mark_pairs(const context *c, moving *m, const pairs *of, void (*mark)(event *e))
{
    int err = IMP_OK;
    const size_t n = (size_t)of->count;
    event_list *e = &m->first;
    uint32_t *a = NULL, *b = NULL;
    TRY(mem_alloc(c->mem, n * sizeof *a, &a));
    TRY(mem_alloc(c->mem, n * sizeof *b, &b));
    TRY(buffer_read(c->dev64, &of->a, 0, a, n));
    TRY(buffer_read(c->dev64, &of->b, 0, b, n));
    for (size_t i = 0, k = 0; i < n && k < e->count; k++) {
        const uint32_t first = moving_first(m, e->list[k].frame);
        if (first + e->list[k].a == a[i] && first + e->list[k].b == b[i]) {
            mark(&e->list[k]);
            i++;
        }
    }
out:
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    return err;
}

static void mark_met(event *e)
{
    e->kind = 0;
}

static void mark_open(event *e)
{
    e->kind = -e->kind;
}

/* Which pairs meet at the start? The narrow phase says so of nearly all; the kind of the others
 * becomes negative. */
static int ask_start(const context *c, moving *m)
{
    int err = IMP_OK;
    workspace *r = &m->work;
    const event_list *e = &m->first;
    uint32_t *a = NULL, *b = NULL;
    TRY(mem_alloc(c->mem, e->count * sizeof *a, &a));
    TRY(mem_alloc(c->mem, e->count * sizeof *b, &b));
    for (size_t i = 0; i < e->count; i++) {
        a[i] = moving_first(m, e->list[i].frame) + e->list[i].a;
        b[i] = moving_first(m, e->list[i].frame) + e->list[i].b;
    }
    narrow_clear(&r->narrow);
    m->asked.ranks = NULL;
    m->asked.of.count = e->count;
    TRY(buffer_put(c->dev, &m->asked.of.a, a, e->count));
    TRY(buffer_put(c->dev, &m->asked.of.b, b, e->count));
    TRY(narrow_collect(c, &r->view, &r->bounds, &m->asked, &r->narrow));
    TRY(order(c, &r->view, &r->sort, &r->narrow));
    TRY(verify_pairs(c, &r->view, &r->narrow));
    TRY(mark_pairs(c, m, &r->narrow.meet, mark_met));
    TRY(mark_pairs(c, m, &r->narrow.undecided, mark_open));
out:
    mem_free(c->mem, a);
    mem_free(c->mem, b);
    return err;
}

/* Those that meet at the start have a row of that (pass_moving.c), and those that met before the
 * interval have theirs already. Both are decided exactly, so that the answer is the same whichever
 * range, interval or device finds a pair. */
static int drop_known(const context *c, moving *m)
{
    int err = IMP_OK;
    event_list *e = &m->first;
    const int64_t count = (int64_t)e->count;
    const int later = step_is_later(&m->found);
    size_t n = 0;
    if (count)
        TRY(ask_start(c, m));
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (count > 64)
    for (int64_t i = 0; i < count; i++) {
        event *at = &e->list[i];
        if (at->kind < 0)
            at->kind = contact_meets(m->work.view.frame + at->frame, at->a, at->b) ? 0 : -at->kind;
        if (at->kind && later && at->share > 0 && !moving_turns(m, at) && any_earlier(c, m, at))
            at->kind = 0;
    }
    for (size_t i = 0; i < e->count; i++)
        if (e->list[i].kind)
            e->list[n++] = e->list[i];
    e->count = n;
out:
    return err;
}

/* ---- rows */

/* In units of the frame, where no product overflows. */
static void straight_points(const moving *m, const event *of, double out[6])
{
    const imp_frame *f = m->work.view.frame + of->frame, *g = m->work.view.to + of->frame;
    const double *scale = m->work.bounds.units.scale + 2 * (size_t)of->frame;
    double x[4][3], from[3], to[3];
    for (int k = 0; k < 4; k++) {
        frame_vertex(f, of->vertex[k], from);
        frame_vertex(g, of->vertex[k], to);
        for (int d = 0; d < 3; d++)
            x[k][d] = ((1 - of->share) * from[d] + of->share * to[d]) * scale[0] * scale[1];
    }
    closest_points(of->kind == IMP_KIND_VERTEX_FACE, (const double(*)[3])x, out);
}

static void event_points(const context *c, const moving *m, const event *of, double out[6])
{
    const double *unscale = m->work.bounds.units.unscale + 2 * (size_t)of->frame;
    if (moving_turns(m, of))
        moving_turning_points(c, m, of, out);
    else
        straight_points(m, of, out);
    for (int d = 0; d < 6; d++)
        out[d] = out[d] * unscale[0] * unscale[1] + 0.0; /* -0 becomes 0 */
}

/* Columns of some rows. */
typedef struct row_columns {
    uint32_t a[CONTACT_ROWS_PART], b[CONTACT_ROWS_PART];
    uint8_t kind[CONTACT_ROWS_PART];
    double point[6 * CONTACT_ROWS_PART], share[CONTACT_ROWS_PART], depth[CONTACT_ROWS_PART];
    int64_t feature_a[CONTACT_ROWS_PART], feature_b[CONTACT_ROWS_PART];
    uint64_t collision_first[CONTACT_ROWS_PART + 1];
} row_columns;

static void fill_rows(const context *c, const moving *m, const uint32_t *index, size_t rows,
                      row_columns *to)
{
    const int64_t n = (int64_t)rows;
#pragma omp parallel for num_threads(c->threads) if (n > 256)
    for (int64_t i = 0; i < n; i++) {
        const event *e = &m->first.list[index[i]];
        to->a[i] = e->a;
        to->b[i] = e->b;
        to->kind[i] = (uint8_t)e->kind;
        to->share[i] = e->share;
        to->feature_a[i] = e->feature[0];
        to->feature_b[i] = e->feature[1];
        event_points(c, m, e, to->point + 6 * i);
    }
}

/* Without depth and collision points: between two instants nothing is inside another. */
static int add_rows(const context *c, moving *m, const uint32_t *index)
{
    int err = IMP_OK;
    row_columns *to = NULL;
    TRY(mem_alloc(c->mem, sizeof *to, &to));
    memset(to, 0, sizeof *to);
    for (size_t i = 0, n; i < m->first.count; i += n) {
        n = m->first.count - i < CONTACT_ROWS_PART ? m->first.count - i : CONTACT_ROWS_PART;
        fill_rows(c, m, index + i, n, to);
        TRY(contact_rows_add(&m->found.rows, &(imp_contacts){.count = n,
                                                             .a = to->a,
                                                             .b = to->b,
                                                             .kind = to->kind,
                                                             .point = to->point,
                                                             .share = to->share,
                                                             .feature_a = to->feature_a,
                                                             .feature_b = to->feature_b,
                                                             .depth = to->depth,
                                                             .collision_first = to->collision_first,
                                                             .collision = to->point}));
    }
out:
    mem_free(c->mem, to);
    return err;
}

/* Events are in the order of frames. */
static void find_starts(moving *m)
{
    const event_list *e = &m->first;
    size_t at = 0;
    for (uint32_t f = 0; f <= m->found.frames; f++) {
        while (at < e->count && e->list[at].frame < f)
            at++;
        m->found.start[f].way = at;
    }
}

/* Events are in the order of pairs, so that of shares is all that is to be sorted. */
int moving_rows(const context *c, moving *m)
{
    int err = IMP_OK;
    sorting s = {.c = c, .m = m};
    contact_rows_open(c->mem, c->opt.step_columns, &m->found.rows);
    if (m->events.count > m->packed && moving_many(c, m))
        moving_pack(m);
    TRY(keep_first(c, m));
    TRY(drop_known(c, m));
    find_starts(m);
    TRY(sort_open(c, m, &m->first, &s));
    TRY(sort_words(&s, WORD_SHARE_LOW, WORD_SHARE_HIGH, 32));
    TRY(add_rows(c, m, s.index));
out:
    sort_close(&s);
    return err;
}
