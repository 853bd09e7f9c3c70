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
    uint32_t *a, *b; /* positions in the frame */
    uint8_t *kind;
    double *point;
    imp_sink *sink;
    void *user;
    imp_frame_info *info;
} rows;

static int rows_open(imp *p, rows *r)
{
    int err = IMP_OK;
    uint64_t fit = mem_left(&p->mem) / 4 / 64;
    r->room = fit > ROWS_MOST ? ROWS_MOST : fit < 64 ? 64 : (uint32_t)fit;
    TRY(mem_alloc(&p->mem, r->room * sizeof *r->a, &r->a));
    TRY(mem_alloc(&p->mem, r->room * sizeof *r->b, &r->b));
    TRY(mem_alloc(&p->mem, r->room * sizeof *r->kind, &r->kind));
    TRY(mem_alloc(&p->mem, (size_t)6 * r->room * sizeof *r->point, &r->point));
out:
    return err;
}

static void rows_close(imp *p, rows *r)
{
    mem_free(&p->mem, r->a);
    mem_free(&p->mem, r->b);
    mem_free(&p->mem, r->kind);
    mem_free(&p->mem, r->point);
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
static int rows_add(imp *p, rows *r, uint32_t a, uint32_t b, int kind, const double point[6])
{
    const uint32_t *prim0 = p->block.prim0;
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
static void exact_pair(const imp *p, uint32_t a, uint32_t b, exact_contact *out)
{
    const block *k = &p->block;
    uint32_t f = frame_of(k->prim0, k->frames, a);
    const imp_frame *frame = &k->frame[f];
    const uint32_t *ta = frame->mesh->triangle + (size_t)3 * (a - k->prim0[f]);
    const uint32_t *tb = frame->mesh->triangle + (size_t)3 * (b - k->prim0[f]);
    exact_point pa[3], pb[3];
    int sp[3], shared = shared_vertices(ta, tb, sp);
    for (int i = 0; i < 3; i++) {
        frame_vertex(frame, ta[i], pa[i].x);
        frame_vertex(frame, tb[i], pb[i].x);
    }
    exact_tri_tri(pa, pb, shared, sp, out);
}

static int exact_open(imp *p, exact_list *x, imp_frame_info *info)
{
    int err = IMP_OK;
    const pairs *u = &p->narrow.undecided;
    size_t bytes = u->count * sizeof(uint32_t);
    TRY(mem_alloc(&p->mem, bytes, &x->a));
    TRY(mem_alloc(&p->mem, bytes, &x->b));
    TRY(mem_alloc(&p->mem, u->count * sizeof *x->contact, &x->contact));
    TRY(buffer_read(p->dev64, &u->a, 0, x->a, bytes));
    TRY(buffer_read(p->dev64, &u->b, 0, x->b, bytes));
    x->count = u->count;
    int64_t n = (int64_t)u->count;
#pragma omp parallel for schedule(dynamic, 64) num_threads(p->threads) if (n > 64)
    for (int64_t i = 0; i < n; i++)
        if (!atomic_load(&p->cancel))
            exact_pair(p, x->a[i], x->b[i], &x->contact[i]);
    if (atomic_load(&p->cancel))
        FAIL(IMP_ERR_CANCELLED, "cancelled");
    for (int64_t i = 0; i < n; i++)
        info[frame_of(p->block.prim0, p->block.frames, x->a[i])].undecided++;
out:
    return err;
}

static void exact_close(imp *p, exact_list *x)
{
    mem_free(&p->mem, x->a);
    mem_free(&p->mem, x->b);
    mem_free(&p->mem, x->contact);
}

/* rows of undecided pairs that turned out to meet, up to the pair (a, b) */
static int exact_until(imp *p, exact_list *x, rows *r, uint32_t a, uint32_t b)
{
    int err = IMP_OK;
    for (; x->next < x->count; x->next++) {
        uint64_t i = x->next;
        if (x->a[i] > a || (x->a[i] == a && x->b[i] > b))
            break;
        if (x->contact[i].kind)
            TRY(rows_add(p, r, x->a[i], x->b[i], x->contact[i].kind, x->contact[i].point));
    }
out:
    return err;
}

/* ---- the pairs that meet */

/* What the kernels that make points are given. */
#define GEOMETRY(p)                                                                                \
    BUF(&(p)->narrow.picked.a), BUF(&(p)->narrow.picked.b), BUF(&(p)->bounds.made.corner),         \
        BUF(&(p)->bounds.x), U32((p)->block.frames), BUF(&(p)->bounds.made.prim0),                 \
        BUF(&(p)->bounds.unscale), BUF(&(p)->narrow.point)

/* points of the pairs [first, first + n) of meet, into s->point */
static int meet_points(imp *p, uint64_t first, uint32_t n)
{
    int err = IMP_OK;
    device *d = p->dev64;
    narrow_state *s = &p->narrow;
    TRY(buffer_fit(d, &s->picked.a, n * sizeof(uint32_t)));
    TRY(buffer_fit(d, &s->picked.b, n * sizeof(uint32_t)));
    TRY(buffer_copy(d, &s->meet.a, first * sizeof(uint32_t), &s->picked.a, 0,
                    n * sizeof(uint32_t)));
    TRY(buffer_copy(d, &s->meet.b, first * sizeof(uint32_t), &s->picked.b, 0,
                    n * sizeof(uint32_t)));
    TRY(buffer_fit(d, &s->point, (size_t)6 * n * sizeof(double)));
    if (p->def.stage == IMP_STAGE_CANDIDATES) {
        TRY(RUN(d, narrow_centroids, n, GEOMETRY(p)));
        goto out;
    }
    TRY(RUN_PAIRS(d, narrow_segment, n, GEOMETRY(p)));
    if (!(p->bounds.rules & RULE_SKIP_ADJACENT))
        TRY(RUN(d, narrow_segment_fan, n, GEOMETRY(p)));
out:
    return err;
}

typedef struct meet_rows {
    uint32_t *a, *b;
    double *point;
} meet_rows;

static int meet_read(imp *p, meet_rows *m, uint64_t first, uint32_t n)
{
    int err = IMP_OK;
    const narrow_state *s = &p->narrow;
    TRY(meet_points(p, first, n));
    TRY(buffer_read(p->dev64, &s->picked.a, 0, m->a, n * sizeof *m->a));
    TRY(buffer_read(p->dev64, &s->picked.b, 0, m->b, n * sizeof *m->b));
    TRY(buffer_read(p->dev64, &s->point, 0, m->point, (size_t)6 * n * sizeof *m->point));
out:
    return err;
}

static int meet_open(imp *p, meet_rows *m, uint32_t room)
{
    int err = IMP_OK;
    TRY(mem_alloc(&p->mem, room * sizeof *m->a, &m->a));
    TRY(mem_alloc(&p->mem, room * sizeof *m->b, &m->b));
    TRY(mem_alloc(&p->mem, (size_t)6 * room * sizeof *m->point, &m->point));
out:
    return err;
}

static void meet_close(imp *p, meet_rows *m)
{
    mem_free(&p->mem, m->a);
    mem_free(&p->mem, m->b);
    mem_free(&p->mem, m->point);
}

int contact_emit(imp *p, imp_sink *sink, void *user, imp_frame_info *info)
{
    int err = IMP_OK;
    rows r = {.sink = sink, .user = user, .info = info};
    exact_list x = {0};
    meet_rows m = {0};
    int kind = p->def.stage == IMP_STAGE_CANDIDATES ? IMP_KIND_CANDIDATE : IMP_KIND_SEGMENT;
    uint64_t all = p->narrow.meet.count;
    TRY(exact_open(p, &x, info));
    TRY(rows_open(p, &r));
    TRY(meet_open(p, &m, all < r.room ? (uint32_t)all : r.room));
    for (uint64_t first = 0; first < all; first += r.room) {
        uint32_t n = all - first < r.room ? (uint32_t)(all - first) : r.room;
        TRY(meet_read(p, &m, first, n));
        for (uint32_t i = 0; i < n; i++) {
            TRY(exact_until(p, &x, &r, m.a[i], m.b[i]));
            TRY(rows_add(p, &r, m.a[i], m.b[i], kind, m.point + (size_t)6 * i));
        }
    }
    TRY(exact_until(p, &x, &r, UINT32_MAX, UINT32_MAX));
    TRY(rows_flush(&r));
out:
    exact_close(p, &x);
    meet_close(p, &m);
    rows_close(p, &r);
    return err;
}
