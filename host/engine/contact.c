/* Room 5, second half: contacts. Pairs that meet get their segments from the device; the undecided
 * get verdict and geometry from exact arithmetic on the host; both are merged in order and handed
 * to the sink frame by frame. */
#include "engine.h"

#include "error.h"
#include "exact.h"
#include "prim.h"

#include <string.h>

#define ROWS_MOST (1u << 18) /* contacts on their way to the sink at a time */

/* ---- rows on their way to the sink */

typedef struct rows {
    uint32_t room, count, frame;
    const uint32_t *prim0; /* of the block */
    uint32_t *a, *b;       /* positions in the frame */
    uint8_t *kind;
    double *point;
    imp_sink *sink;
    void *user;
    imp_frame_info *info;
} rows;

static int rows_open(const context *c, const block *b, rows *r)
{
    int err = IMP_OK;
    uint64_t fit = mem_left(c->mem) / 4 / 64;
    r->prim0 = b->prim0;
    r->room = fit > ROWS_MOST ? ROWS_MOST : fit < 64 ? 64 : (uint32_t)fit;
    TRY(mem_alloc(c->mem, r->room * sizeof *r->a, &r->a));
    TRY(mem_alloc(c->mem, r->room * sizeof *r->b, &r->b));
    TRY(mem_alloc(c->mem, r->room * sizeof *r->kind, &r->kind));
    TRY(mem_alloc(c->mem, (size_t)6 * r->room * sizeof *r->point, &r->point));
out:
    return err;
}

static void rows_close(const context *c, rows *r)
{
    mem_free(c->mem, r->a);
    mem_free(c->mem, r->b);
    mem_free(c->mem, r->kind);
    mem_free(c->mem, r->point);
}

static int rows_flush(rows *r)
{
    int err = IMP_OK;
    imp_contacts c = {r->frame, r->count, r->a, r->b, r->kind, r->point};
    r->info[r->frame].contacts += r->count;
    if (r->count && r->sink && r->sink(r->user, &c))
        err = IMP_ERR_CANCELLED; /* of no device, of no memory: nothing is tried again */
    r->count = 0;
    return err;
}

/* a and b as positions in the block, a not before that of the last row */
static int rows_add(rows *r, uint32_t a, uint32_t b, int kind, const double point[6])
{
    const uint32_t *prim0 = r->prim0;
    if (r->count == r->room || a >= prim0[r->frame + 1]) {
        int err = rows_flush(r);
        if (err)
            return err;
        while (a >= prim0[r->frame + 1])
            r->frame++;
    }
    r->a[r->count] = a - prim0[r->frame];
    r->b[r->count] = b - prim0[r->frame];
    r->kind[r->count] = (uint8_t)kind;
    memcpy(r->point + (size_t)6 * r->count, point, 6 * sizeof *point);
    r->count++;
    return IMP_OK;
}

/* ---- the undecided */

typedef struct exact_list {
    uint64_t count, next; /* next: the first that rows_add has not seen */
    uint32_t *a, *b;
    exact_contact *contact;
} exact_list;

/* the vertices of a primitive as those of a triangle */
static void corners_of(const imp_mesh *m, size_t i, uint32_t out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = mesh_vertex(m, i, k);
}

/* which different vertices of p are vertices of q, by index */
static int shared_vertices(const uint32_t *p, const uint32_t *q, int sp[3])
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        int repeated = (i > 0 && p[i] == p[0]) || (i > 1 && p[i] == p[1]);
        if (!repeated && (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]))
            sp[n++] = i;
    }
    return n;
}

/* a and b of one frame, as positions in the block */
static void exact_pair(const block *k, const imp_frame *frames, uint32_t a, uint32_t b,
                       exact_contact *out)
{
    uint32_t f = frame_of(k->prim0, k->frames, a);
    const imp_frame *frame = &frames[f];
    uint32_t ta[3], tb[3];
    corners_of(frame->mesh, a - k->prim0[f], ta);
    corners_of(frame->mesh, b - k->prim0[f], tb);
    exact_point pa[3], pb[3];
    int sp[3], shared = shared_vertices(ta, tb, sp);
    for (int i = 0; i < 3; i++) {
        frame_vertex(frame, ta[i], pa[i].x);
        frame_vertex(frame, tb[i], pb[i].x);
    }
    exact_tri_tri(pa, pb, shared, sp, out);
}

static int exact_open(const context *c, const block *k, const bounds *o, const pairs *undecided,
                      exact_list *x, imp_frame_info *info)
{
    int err = IMP_OK;
    int64_t n = (int64_t)undecided->count;
    size_t bytes = undecided->count * sizeof *x->a;
    TRY(mem_alloc(c->mem, bytes, &x->a));
    TRY(mem_alloc(c->mem, bytes, &x->b));
    TRY(mem_alloc(c->mem, undecided->count * sizeof *x->contact, &x->contact));
    TRY(buffer_read(c->dev64, &undecided->a, 0, x->a, undecided->count));
    TRY(buffer_read(c->dev64, &undecided->b, 0, x->b, undecided->count));
    x->count = undecided->count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(c->threads) if (n > 64)
    for (int64_t i = 0; i < n; i++)
        if (!atomic_load(c->cancel))
            exact_pair(k, o->frame, x->a[i], x->b[i], &x->contact[i]);
    if (atomic_load(c->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (int64_t i = 0; i < n; i++)
        info[frame_of(k->prim0, k->frames, x->a[i])].undecided++;
out:
    return err;
}

static void exact_close(const context *c, exact_list *x)
{
    mem_free(c->mem, x->a);
    mem_free(c->mem, x->b);
    mem_free(c->mem, x->contact);
}

/* rows of undecided pairs that turned out to meet, up to the pair (a, b) */
static int exact_until(exact_list *x, rows *r, uint32_t a, uint32_t b)
{
    int err = IMP_OK;
    for (; x->next < x->count; x->next++) {
        uint64_t i = x->next;
        if (x->a[i] > a || (x->a[i] == a && x->b[i] > b))
            break;
        if (x->contact[i].kind)
            TRY(rows_add(r, x->a[i], x->b[i], x->contact[i].kind, x->contact[i].point));
    }
out:
    return err;
}

/* ---- the pairs that meet */

/* What the kernels that make points are given: GEOMETRY_LIST of kernels.def. */
#define GEOMETRY_OF(k, o, s)                                                                       \
    &(s)->picked.a, &(s)->picked.b, &(o)->made.corner, &(o)->x, (k)->frames, &(o)->made.prim0,     \
        &(o)->unscale, &(s)->point

/* points of the pairs [first, first + n) of meet, into s->point */
static int meet_points(const context *c, const block *k, const bounds *o, narrow *s, uint64_t first,
                       uint32_t n)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(pairs_fit(d, &s->picked, n));
    TRY(buffer_copy(d, &s->meet.a, first, &s->picked.a, 0, n));
    TRY(buffer_copy(d, &s->meet.b, first, &s->picked.b, 0, n));
    TRY(buffer_fit(d, &s->point, (size_t)6 * n));
    if (c->opt.stage == IMP_STAGE_CANDIDATES) {
        TRY(RUN(d, narrow_centroids, n, GEOMETRY_OF(k, o, s), k->corners, &o->kind));
        goto out;
    }
    TRY(RUN_PAIRS(d, narrow_segment, n, GEOMETRY_OF(k, o, s)));
    if (!(c->opt.rules & RULE_SKIP_ADJACENT))
        TRY(RUN(d, narrow_segment_fan, n, GEOMETRY_OF(k, o, s)));
out:
    return err;
}

typedef struct meet_rows {
    uint32_t *a, *b;
    double *point;
} meet_rows;

static int meet_read(const context *c, const narrow *s, uint32_t n, meet_rows *m)
{
    int err = IMP_OK;
    TRY(buffer_read(c->dev64, &s->picked.a, 0, m->a, n));
    TRY(buffer_read(c->dev64, &s->picked.b, 0, m->b, n));
    TRY(buffer_read(c->dev64, &s->point, 0, m->point, (size_t)6 * n));
out:
    return err;
}

static int meet_open(const context *c, meet_rows *m, uint32_t room)
{
    int err = IMP_OK;
    TRY(mem_alloc(c->mem, room * sizeof *m->a, &m->a));
    TRY(mem_alloc(c->mem, room * sizeof *m->b, &m->b));
    TRY(mem_alloc(c->mem, (size_t)6 * room * sizeof *m->point, &m->point));
out:
    return err;
}

static void meet_close(const context *c, meet_rows *m)
{
    mem_free(c->mem, m->a);
    mem_free(c->mem, m->b);
    mem_free(c->mem, m->point);
}

int contact_emit(const context *c, const block *k, const bounds *o, narrow *s, imp_sink *sink,
                 void *user, imp_frame_info *info)
{
    int err = IMP_OK;
    rows r = {.sink = sink, .user = user, .info = info};
    exact_list x = {0};
    meet_rows m = {0};
    int kind = c->opt.stage == IMP_STAGE_CANDIDATES ? IMP_KIND_CANDIDATE : IMP_KIND_SEGMENT;
    uint64_t all = s->meet.count;
    TRY(exact_open(c, k, o, &s->undecided, &x, info));
    TRY(rows_open(c, k, &r));
    TRY(meet_open(c, &m, all < r.room ? (uint32_t)all : r.room));
    for (uint64_t first = 0; first < all; first += r.room) {
        uint32_t n = all - first < r.room ? (uint32_t)(all - first) : r.room;
        TRY(meet_points(c, k, o, s, first, n));
        TRY(meet_read(c, s, n, &m));
        for (uint32_t i = 0; i < n; i++) {
            TRY(exact_until(&x, &r, m.a[i], m.b[i]));
            TRY(rows_add(&r, m.a[i], m.b[i], kind, m.point + (size_t)6 * i));
        }
    }
    TRY(exact_until(&x, &r, UINT32_MAX, UINT32_MAX));
    TRY(rows_flush(&r));
out:
    exact_close(c, &x);
    meet_close(c, &m);
    rows_close(c, &r);
    return err;
}
